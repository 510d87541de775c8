//! The bytes that the process has allocated, for tests that hold code to them. A test binary declares the
//! allocator: `#[global_allocator] static ALLOCATOR: CountingAllocator = CountingAllocator;`

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK_BYTES: AtomicUsize = AtomicUsize::new(0);

/// What `f` returns, and the most bytes that were allocated at once meanwhile, by
/// any thread, over those before.
pub(crate) fn peak_bytes<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE_BYTES.load(Relaxed);
    PEAK_BYTES.store(before, Relaxed);
    let result = f();
    (result, PEAK_BYTES.load(Relaxed).saturating_sub(before))
}

/// The system's allocator, with the bytes in use counted.
pub(crate) struct CountingAllocator;

impl CountingAllocator {
    fn add(n_bytes: usize) {
        let live = LIVE_BYTES.fetch_add(n_bytes, Relaxed) + n_bytes;
        PEAK_BYTES.fetch_max(live, Relaxed);
    }
}

// SAFETY: every call goes to `System` with the caller's arguments unchanged; the
// counters touch no memory of its.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        // SAFETY: the caller keeps the contract of `GlobalAlloc`, which is that of `System`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above; `ptr` came from `System` through this allocator.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // Old and new may be alive together while the content moves.
        Self::add(new_size);
        // SAFETY: as above.
        let moved = unsafe { System.realloc(ptr, layout, new_size) };
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        moved
    }
}
