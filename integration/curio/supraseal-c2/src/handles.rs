//! What stands behind the opaque pointers of the API.

use core::ffi::c_void;
use core::ptr::without_provenance_mut;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Values by handle. A handle is a number in a pointer's type that is never followed: whatever a caller
/// passes, the worst that can come of it is that nothing is found.
pub(crate) struct Handles<T>(Mutex<BTreeMap<usize, T>>);

/// The next handle of any table, so that no handle of one is a handle of another, and none is given twice.
/// Odd, so that none is the address of an object with an alignment.
static NEXT: AtomicUsize = AtomicUsize::new(1);

impl<T> Handles<T> {
    pub(crate) const fn new() -> Self {
        Handles(Mutex::new(BTreeMap::new()))
    }

    /// Keeps `value` until its handle is taken back.
    pub(crate) fn give(&self, value: T) -> *mut c_void {
        let number = NEXT.fetch_add(2, Ordering::Relaxed);
        self.0.lock().insert(number, value);
        without_provenance_mut(number)
    }

    /// Ends a handle: of any number of callers at once, one gets the value.
    pub(crate) fn take(&self, handle: *mut c_void) -> Option<T> {
        self.0.lock().remove(&handle.addr())
    }

    /// Whether the handle was given and not yet taken back.
    pub(crate) fn holds(&self, handle: *mut c_void) -> bool {
        self.0.lock().contains_key(&handle.addr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ptr::null_mut;

    #[test]
    fn a_handle_is_taken_once_and_from_its_own_table() {
        let (words, numbers) = (Handles::new(), Handles::new());
        let (a, b) = (words.give("a"), words.give("b"));
        let one = numbers.give(1);
        assert!(a != b && b != one && a != one);
        assert_eq!(words.take(one), None);
        assert_eq!(words.take(null_mut()), None);
        assert!(words.holds(a) && !numbers.holds(a));
        assert_eq!(words.take(a), Some("a"));
        assert!(!words.holds(a));
        assert_eq!(words.take(a), None);
        assert_eq!(words.take(b), Some("b"));
        assert_eq!(numbers.take(one), Some(1));
    }

    #[test]
    fn of_many_threads_one_gets_the_value() {
        let table = Handles::new();
        for _ in 0..100 {
            let handle = table.give(()).addr();
            let take = || table.take(without_provenance_mut(handle)).is_some();
            let n_taken = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
                threads
                    .into_iter()
                    .map(|t| t.join().unwrap())
                    .filter(|taken| *taken)
                    .count()
            });
            assert_eq!(n_taken, 1);
        }
    }
}
