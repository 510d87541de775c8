use bls_fields::FieldOps;

/// The coordinates of an affine point, for algorithms that calculate with them.
///
/// Same layout as blst's affine point: x, then y, Montgomery form; infinity is (0,
/// 0), which is on neither curve.
/// A slice of curve points is viewed as coordinates by
/// [`CurveGroup::coordinates`](crate::CurveGroup::coordinates).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Affine<F> {
    /// x, zero at infinity
    pub x: F,
    /// y, zero at infinity
    pub y: F,
}

impl<F: FieldOps> Affine<F> {
    /// The neutral element.
    pub const INFINITY: Self = Affine {
        x: F::ZERO,
        y: F::ZERO,
    };

    /// Whether this is the neutral element.
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }

    /// `-self`
    #[inline]
    pub fn neg(&self) -> Self {
        Affine {
            x: self.x,
            y: self.y.neg(),
        }
    }
}
