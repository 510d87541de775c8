//! Arithmetic in Fr with lazy reduction, inlined: the inner loops of the NTT.
//!
//! blst's routines are calls that neither inline nor overlap; here the compiler sees the whole butterfly.
//! The two low limbs of r are what makes the reduction cheap: r ≡ 1 - 2^32 (mod 2^64), so
//! -1/r ≡ -(1 + 2^32) is a shift and an add.

use crate::Fr;

/// r, least significant limb first.
pub(crate) const R: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// 2r: still below 2^256, which is what leaves room for lazy values.
const R2: [u64; 4] = [
    0xffff_fffe_0000_0002,
    0xa77b_4805_fffc_b7fd,
    0x6673_b010_1343_b00a,
    0xe7db_4ea6_533a_fa90,
];

/// An element in Montgomery form (factor 2^256) that may be too large by r: an integer in [0, 2r).
///
/// Its own type because two of them can stand for the same element: there is no `Eq`, and the only way to an
/// [`Fr`] is [`reduce`](Self::reduce).
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct LazyFr([u64; 4]);

#[inline(always)]
const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a - b - borrow`, with the new borrow (0 or 1).
#[inline(always)]
const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let difference = (a as u128).wrapping_sub(b as u128 + borrow as u128);
    (difference as u64, (difference >> 64) as u64 & 1)
}

/// `a + b·c + carry`, which cannot overflow two limbs.
#[inline(always)]
const fn mul_add(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 * c as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

#[inline(always)]
fn add_limbs(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], u64) {
    let (l0, carry) = add_carry(a[0], b[0], 0);
    let (l1, carry) = add_carry(a[1], b[1], carry);
    let (l2, carry) = add_carry(a[2], b[2], carry);
    let (l3, carry) = add_carry(a[3], b[3], carry);
    ([l0, l1, l2, l3], carry)
}

#[inline(always)]
fn sub_limbs(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], u64) {
    let (l0, borrow) = sub_borrow(a[0], b[0], 0);
    let (l1, borrow) = sub_borrow(a[1], b[1], borrow);
    let (l2, borrow) = sub_borrow(a[2], b[2], borrow);
    let (l3, borrow) = sub_borrow(a[3], b[3], borrow);
    ([l0, l1, l2, l3], borrow)
}

#[inline(always)]
fn select(condition: bool, yes: &[u64; 4], no: &[u64; 4]) -> [u64; 4] {
    // A mask, not a branch: the conditions are coin flips.
    let mask = (condition as u64).wrapping_neg();
    [
        no[0] ^ (mask & (yes[0] ^ no[0])),
        no[1] ^ (mask & (yes[1] ^ no[1])),
        no[2] ^ (mask & (yes[2] ^ no[2])),
        no[3] ^ (mask & (yes[3] ^ no[3])),
    ]
}

impl LazyFr {
    /// Zero.
    pub const ZERO: Self = LazyFr([0; 4]);

    /// The same element, as it is in memory.
    #[inline(always)]
    pub fn new(element: &Fr) -> Self {
        // SAFETY: Fr is repr(transparent) over blst_fr, four u64 limbs (size and alignment asserted in
        // lib.rs), and any four limbs are a valid value of the array.
        LazyFr(unsafe { *core::ptr::from_ref(element).cast() })
    }

    /// The slice seen as lazy elements.
    ///
    /// Whoever stores values through the view must have [reduced](Self::reduced) every one of them when the
    /// view ends: comparison and serialisation of `Fr` rely on it (memory safety does not).
    #[inline]
    pub fn view_mut(elements: &mut [Fr]) -> &mut [LazyFr] {
        // SAFETY: both types are transparent over four u64 limbs (asserted in lib.rs) and no bit pattern of
        // limbs is invalid for either; the borrow passes on.
        unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), elements.len()) }
    }

    /// `self + rhs`
    #[inline(always)]
    pub fn add(&self, rhs: &Self) -> Self {
        let (sum, carry) = add_limbs(&self.0, &rhs.0);
        let (lower, borrow) = sub_limbs(&sum, &R2);
        // Below 2r exactly if nothing carried out and 2r could not be taken away.
        LazyFr(select(carry < borrow, &sum, &lower))
    }

    /// `self - rhs`
    #[inline(always)]
    pub fn sub(&self, rhs: &Self) -> Self {
        let (difference, borrow) = sub_limbs(&self.0, &rhs.0);
        let correction = select(borrow == 1, &R2, &[0; 4]);
        LazyFr(add_limbs(&difference, &correction).0)
    }

    /// `self · rhs`, where `rhs` must be fully reduced (a twiddle factor, say): below r.
    ///
    /// Bound: the running sum stays below `rhs + r < 2r < 2^256`, so four limbs
    /// hold it, and so does the result.
    #[inline(always)]
    pub fn mul(&self, rhs: &Self) -> Self {
        let w = &rhs.0;
        let mut t = [0u64; 4];
        for i in 0..4 {
            let x = self.0[i];
            // t + x·w, five limbs
            let (t0, carry) = mul_add(t[0], x, w[0], 0);
            let (t1, carry) = mul_add(t[1], x, w[1], carry);
            let (t2, carry) = mul_add(t[2], x, w[2], carry);
            let (t3, t4) = mul_add(t[3], x, w[3], carry);
            // + m·r with m = -t0/r (mod 2^64), which clears the lowest limb
            let m = (t0.wrapping_add(t0 << 32)).wrapping_neg();
            let (_, carry) = mul_add(t0, m, R[0], 0);
            let (s0, carry) = mul_add(t1, m, R[1], carry);
            let (s1, carry) = mul_add(t2, m, R[2], carry);
            let (s2, carry) = mul_add(t3, m, R[3], carry);
            t = [s0, s1, s2, t4 + carry];
        }
        LazyFr(t)
    }

    /// `-self` of a fully reduced element that is not zero (a twiddle factor): r - self, again fully reduced.
    #[inline(always)]
    pub fn neg_reduced(&self) -> Self {
        LazyFr(sub_limbs(&R, &self.0).0)
    }

    /// The same element below r, still as a lazy one.
    #[inline(always)]
    pub fn reduced(&self) -> Self {
        let (lower, borrow) = sub_limbs(&self.0, &R);
        LazyFr(select(borrow == 1, &self.0, &lower))
    }

    /// The element.
    #[inline(always)]
    pub fn reduce(&self) -> Fr {
        Fr::from(blst::blst_fr { l: self.reduced().0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ff::{Field, PrimeField};
    use rand_core::SeedableRng;

    /// Every representation of an element that a lazy value may have.
    fn representations(x: &Fr) -> Vec<LazyFr> {
        let reduced = LazyFr::new(x);
        let (raised, carry) = add_limbs(&reduced.0, &R);
        assert_eq!(carry, 0);
        vec![reduced, LazyFr(raised)]
    }

    fn in_range(x: &LazyFr) -> bool {
        sub_limbs(&x.0, &R2).1 == 1
    }

    #[test]
    fn constants() {
        assert_eq!(add_limbs(&R, &R), (R2, 0));
        assert_eq!(LazyFr(R).reduce(), Fr::ZERO);
        assert_eq!(R[0].wrapping_mul((1u64 + (1 << 32)).wrapping_neg()), u64::MAX);
    }

    #[test]
    fn agrees_with_blst_on_every_representation() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut values = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::ROOT_OF_UNITY];
        values.extend((0..60).map(|_| Fr::random(&mut rng)));
        for x in &values {
            for y in &values {
                for a in representations(x) {
                    assert_eq!(a.reduce(), *x);
                    for b in representations(y) {
                        for (got, want) in [(a.add(&b), *x + *y), (a.sub(&b), *x - *y)] {
                            assert!(in_range(&got));
                            assert_eq!(got.reduce(), want);
                        }
                    }
                    let product = a.mul(&LazyFr::new(y));
                    assert!(in_range(&product));
                    assert_eq!(product.reduce(), *x * *y);
                }
            }
            if !bool::from(x.is_zero()) {
                assert_eq!(LazyFr::new(x).neg_reduced().reduce(), -*x);
            }
        }
    }
}
