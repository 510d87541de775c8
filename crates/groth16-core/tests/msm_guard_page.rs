//! Nothing is read past the end of the arguments: behind them lies a page that may not be touched.
#![cfg(unix)]

mod points;

use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::FrRepr;
use groth16_core::fixed_base::FixedBase;
use groth16_core::msm::msm;
use points::{random_scalars, rng, Bases};

/// Memory whose last accessible byte is followed by a page without access.
struct Guarded {
    start: *mut u8,
    accessible_bytes: usize,
    page_bytes: usize,
}

impl Guarded {
    fn new(min_bytes: usize) -> Self {
        // SAFETY: asks for a constant of the system.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let accessible_bytes = min_bytes.next_multiple_of(page_bytes).max(page_bytes);
        // SAFETY: a fresh private mapping of no file, at an address that the system chooses.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                accessible_bytes + page_bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(start, libc::MAP_FAILED);
        let start: *mut u8 = start.cast();
        // SAFETY: the last page of the mapping made above.
        let result =
            unsafe { libc::mprotect(start.add(accessible_bytes).cast(), page_bytes, libc::PROT_NONE) };
        assert_eq!(result, 0);
        Guarded {
            start,
            accessible_bytes,
            page_bytes,
        }
    }

    /// Copies `items` so that they end where the access ends.
    fn end_with<T: Copy>(&mut self, items: &[T]) -> &[T] {
        let n_bytes = size_of_val(items);
        assert!(n_bytes <= self.accessible_bytes && self.page_bytes % align_of::<T>() == 0);
        // SAFETY: the n_bytes before the guard are accessible (checked), aligned for T as pages are
        // and as sizes are multiples of the alignment, borrowed mutably through self, and
        // initialised by the copy; T is Copy.
        unsafe {
            let place = self.start.add(self.accessible_bytes - n_bytes).cast::<T>();
            std::ptr::copy_nonoverlapping(items.as_ptr(), place, items.len());
            std::slice::from_raw_parts(place, items.len())
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the whole mapping made in new, to which no reference is left.
        unsafe { libc::munmap(self.start.cast(), self.accessible_bytes + self.page_bytes) };
    }
}

fn short_lengths_before_a_guard<C: CurveGroup>() {
    let mut rng = rng(23);
    let bases = Bases::<C>::scattered(70, &mut rng);
    let scalars = random_scalars(70, &mut rng);
    let (mut base_memory, mut scalar_memory) = (Guarded::new(70 * 192), Guarded::new(70 * 32));
    let table = FixedBase::<C>::new(&C::generator(), 70);
    for n in 1..=70 {
        let part: Bases<C> = Bases {
            points: bases.points[..n].to_vec(),
            logs: bases.logs[..n].to_vec(),
        };
        let guarded_bases = base_memory.end_with::<C::Affine>(&part.points);
        let guarded_scalars = scalar_memory.end_with::<FrRepr>(&scalars[..n]);
        let sum = msm::<C>(guarded_bases, guarded_scalars).expect("equal lengths");
        assert!(sum == part.expected(&scalars[..n]), "{} n = {n}", C::NAME);
        assert_eq!(table.mul_many(guarded_scalars).len(), n);
    }
}

#[test]
fn b023_nothing_is_read_past_the_end() {
    short_lengths_before_a_guard::<G1Projective>();
    short_lengths_before_a_guard::<G2Projective>();
}
