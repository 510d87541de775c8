//! Signed references to points, and the gathering of them.

use bls_curves::Affine;
use bls_fields::FieldOps;

/// The index of a point, and whether the point is to be negated.
#[derive(Clone, Copy)]
pub(crate) struct Signed(u32);

impl Signed {
    const SIGN: u32 = 1 << 31;
    /// Indices are below this.
    pub(crate) const MAX_POINTS: usize = Self::SIGN as usize;

    #[inline]
    pub(crate) fn new(index: u32, negative: bool) -> Self {
        debug_assert!(index < Self::SIGN);
        Signed(index | u32::from(negative) << 31)
    }
    #[inline]
    pub(crate) fn from_bits(bits: u32) -> Self {
        Signed(bits)
    }
    #[inline]
    pub(crate) fn bits(self) -> u32 {
        self.0
    }
    #[inline]
    fn index(self) -> usize {
        (self.0 & !Self::SIGN) as usize
    }
    #[inline]
    fn is_negative(self) -> bool {
        self.0 & Self::SIGN != 0
    }
}

/// Points requested ahead of the one being copied: enough to hide a miss of the last cache.
const PREFETCH_DISTANCE: usize = 12;

/// Appends the points that `refs` names, negated where it says so.
pub(crate) fn gather<F: FieldOps>(
    points: &[Affine<F>],
    refs: impl Iterator<Item = Signed> + Clone,
    out: &mut Vec<Affine<F>>,
) {
    let mut ahead = refs.clone();
    for r in ahead.by_ref().take(PREFETCH_DISTANCE) {
        prefetch(points, r.index());
    }
    for r in refs {
        if let Some(next) = ahead.next() {
            prefetch(points, next.index());
        }
        let point = &points[r.index()];
        out.push(if r.is_negative() { point.neg() } else { *point });
    }
}

/// Asks for the cache lines of `slice[index]`; a hint only, for any index.
#[inline]
fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let address = slice.as_ptr().wrapping_add(index).cast::<i8>();
        for line in (0..size_of::<T>()).step_by(64) {
            // SAFETY: SSE is part of x86-64, and a prefetch reads nothing and
            // never faults, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}
