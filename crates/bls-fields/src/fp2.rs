use crate::{FieldOps, Fp};
use blst::blst_fp2;

/// An element `c0 + c1·u` of Fp\[u\]/(u² + 1), both parts in Montgomery form. Same layout as blst's type.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Fp2 {
    /// The part without u.
    pub c0: Fp,
    /// The factor of u.
    pub c1: Fp,
}

impl Fp2 {
    #[inline]
    fn as_blst(&self) -> *const blst_fp2 {
        core::ptr::from_ref(self).cast()
    }
}

/// Calls a blst function that writes its result through its first argument.
macro_rules! blst_op {
    ($f:ident $(, $arg:expr)*) => {{
        let mut out = core::mem::MaybeUninit::<Fp2>::uninit();
        // SAFETY: Fp2 has the layout of blst_fp2 (repr(C), two blst_fp; size asserted in lib.rs), the
        // arguments are valid values of it, and blst writes every limb of the result.
        unsafe {
            blst::$f(out.as_mut_ptr().cast() $(, $arg)*);
            out.assume_init()
        }
    }};
}

impl FieldOps for Fp2 {
    const ZERO: Self = Fp2 {
        c0: Fp::ZERO,
        c1: Fp::ZERO,
    };
    const ONE: Self = Fp2 {
        c0: Fp::ONE,
        c1: Fp::ZERO,
    };
    const INVERSION_COST: usize = 32;

    #[inline]
    fn add(&self, rhs: &Self) -> Self {
        Fp2 {
            c0: self.c0.add(&rhs.c0),
            c1: self.c1.add(&rhs.c1),
        }
    }
    #[inline]
    fn sub(&self, rhs: &Self) -> Self {
        Fp2 {
            c0: self.c0.sub(&rhs.c0),
            c1: self.c1.sub(&rhs.c1),
        }
    }
    #[inline]
    fn mul(&self, rhs: &Self) -> Self {
        blst_op!(blst_fp2_mul, self.as_blst(), rhs.as_blst())
    }
    #[inline]
    fn square(&self) -> Self {
        blst_op!(blst_fp2_sqr, self.as_blst())
    }
    #[inline]
    fn neg(&self) -> Self {
        Fp2 {
            c0: self.c0.neg(),
            c1: self.c1.neg(),
        }
    }
    fn invert(&self) -> Option<Self> {
        (!self.is_zero()).then(|| blst_op!(blst_fp2_eucl_inverse, self.as_blst()))
    }
}
