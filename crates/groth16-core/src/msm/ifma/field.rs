//! The two base fields in lanes.

use super::lanes::{self, Lanes};
use bls_fields::{FieldOps, Fp, Fp2};

/// Eight elements of a base field. What [`lanes`] says of looseness holds for each part of an element.
///
/// # Safety
/// The functions may be called only where `avx512f`, `avx512dq` and `avx512ifma` are available.
pub(super) trait LaneField: Copy {
    type Element: FieldOps;
    unsafe fn load(elements: [&Self::Element; 8]) -> Self;
    /// Writes each lane to its place; x is fully reduced, and the places can be written.
    unsafe fn store(x: &Self, places: [*mut Self::Element; 8]);
    unsafe fn zero() -> Self;
    unsafe fn one() -> Self;
    unsafe fn blend(mask: u8, a: &Self, b: &Self) -> Self;
    unsafe fn equal_lanes(a: &Self, b: &Self) -> u8;
    /// `a - b` for reduced a and b
    unsafe fn sub_reduced(a: &Self, b: &Self) -> Self;
    /// `a - b - c`, reduced, for reduced b and c
    unsafe fn sub_and_reduce(a: &Self, b: &Self, c: &Self) -> Self;
    /// `a·b·2^-32`
    unsafe fn mul(a: &Self, b: &Self) -> Self;
    /// `a·2^32`, only to be multiplied with.
    unsafe fn shift(a: &Self) -> Self;
    /// `a²`
    unsafe fn square_exact(a: &Self) -> Self;
}

#[derive(Clone, Copy)]
pub(super) struct FpLanes(Lanes);

#[derive(Clone, Copy)]
pub(super) struct Fp2Lanes {
    c0: Lanes,
    c1: Lanes,
}

/// An implementation of [`LaneField`] whose functions are compiled for the instructions.
macro_rules! lane_field {
    ($lanes:ty, $element:ty, $(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty $body:block)*) => {
        impl LaneField for $lanes {
            type Element = $element;
            $(
                #[inline]
                #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
                unsafe fn $name($($arg: $type),*) -> $result $body
            )*
        }
    };
}

lane_field! { FpLanes, Fp,
    fn load(elements: [&Fp; 8]) -> Self { FpLanes(lanes::load(elements)) }
    fn store(x: &Self, places: [*mut Fp; 8]) -> () {
        // SAFETY: the caller vouches for the places.
        unsafe { lanes::store(&x.0, places) }
    }
    fn zero() -> Self { FpLanes(lanes::zero()) }
    fn one() -> Self { FpLanes(lanes::one()) }
    fn blend(mask: u8, a: &Self, b: &Self) -> Self { FpLanes(lanes::blend(mask, &a.0, &b.0)) }
    fn equal_lanes(a: &Self, b: &Self) -> u8 { lanes::equal_lanes(&a.0, &b.0) }
    fn sub_reduced(a: &Self, b: &Self) -> Self { FpLanes(lanes::sub_reduced(&a.0, &b.0)) }
    fn sub_and_reduce(a: &Self, b: &Self, c: &Self) -> Self { FpLanes(lanes::sub_and_reduce(&a.0, &b.0, &c.0)) }
    fn mul(a: &Self, b: &Self) -> Self { FpLanes(lanes::mul(&a.0, &b.0)) }
    fn shift(a: &Self) -> Self { FpLanes(lanes::shift(&a.0)) }
    fn square_exact(a: &Self) -> Self { FpLanes(lanes::mul(&lanes::shift(&a.0), &a.0)) }
}

lane_field! { Fp2Lanes, Fp2,
    fn load(elements: [&Fp2; 8]) -> Self {
        Fp2Lanes { c0: lanes::load(elements.map(|e| &e.c0)), c1: lanes::load(elements.map(|e| &e.c1)) }
    }
    fn store(x: &Self, places: [*mut Fp2; 8]) -> () {
        // SAFETY: the caller vouches for the places, of which these are the parts.
        unsafe {
            lanes::store(&x.c0, places.map(|place| &raw mut (*place).c0));
            lanes::store(&x.c1, places.map(|place| &raw mut (*place).c1));
        }
    }
    fn zero() -> Self { Fp2Lanes { c0: lanes::zero(), c1: lanes::zero() } }
    fn one() -> Self { Fp2Lanes { c0: lanes::one(), c1: lanes::zero() } }
    fn blend(mask: u8, a: &Self, b: &Self) -> Self {
        Fp2Lanes { c0: lanes::blend(mask, &a.c0, &b.c0), c1: lanes::blend(mask, &a.c1, &b.c1) }
    }
    fn equal_lanes(a: &Self, b: &Self) -> u8 {
        lanes::equal_lanes(&a.c0, &b.c0) & lanes::equal_lanes(&a.c1, &b.c1)
    }
    fn sub_reduced(a: &Self, b: &Self) -> Self {
        Fp2Lanes { c0: lanes::sub_reduced(&a.c0, &b.c0), c1: lanes::sub_reduced(&a.c1, &b.c1) }
    }
    fn sub_and_reduce(a: &Self, b: &Self, c: &Self) -> Self {
        Fp2Lanes {
            c0: lanes::sub_and_reduce(&a.c0, &b.c0, &c.c0),
            c1: lanes::sub_and_reduce(&a.c1, &b.c1, &c.c1),
        }
    }
    // Two products share a reduction, so the schoolbook's four cost as much as
    // Karatsuba's three, without its sums.
    fn mul(a: &Self, b: &Self) -> Self {
        Fp2Lanes {
            c0: lanes::mul_add(&a.c0, &b.c0, &a.c1, &lanes::neg(&b.c1)),
            c1: lanes::mul_add(&a.c0, &b.c1, &a.c1, &b.c0),
        }
    }
    fn shift(a: &Self) -> Self { Fp2Lanes { c0: lanes::shift(&a.c0), c1: lanes::shift(&a.c1) } }
    fn square_exact(a: &Self) -> Self {
        let (sum, difference) = (lanes::add(&a.c0, &a.c1), lanes::sub(&a.c0, &a.c1));
        Fp2Lanes {
            c0: lanes::mul(&lanes::shift(&sum), &difference),
            c1: lanes::mul(&lanes::shift(&lanes::add(&a.c0, &a.c0)), &a.c1),
        }
    }
}
