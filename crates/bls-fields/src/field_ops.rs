use core::fmt::Debug;

/// The arithmetic that curve code over either base field ([`Fp`](crate::Fp) for G1,
/// [`Fp2`](crate::Fp2) for G2) needs.
///
/// `ff::Field` asks for far more (random, square roots, constant-time selection) than a
/// multi-scalar multiplication uses. For [`Fr`](crate::Fr) use `ff`'s own traits. All values are in
/// Montgomery form and fully reduced.
pub trait FieldOps: Copy + Eq + Debug + Send + Sync + 'static {
    /// The neutral element of addition.
    const ZERO: Self;
    /// The neutral element of multiplication.
    const ONE: Self;
    /// Multiplications of one inversion, roughly: how large a batch must be
    /// before its inversion hardly counts.
    const INVERSION_COST: usize;

    /// `self + rhs`
    fn add(&self, rhs: &Self) -> Self;
    /// `self - rhs`
    fn sub(&self, rhs: &Self) -> Self;
    /// `self · rhs`
    fn mul(&self, rhs: &Self) -> Self;
    /// `self²`
    fn square(&self) -> Self;
    /// `2 · self`
    fn double(&self) -> Self {
        self.add(self)
    }
    /// `-self`
    fn neg(&self) -> Self;
    /// `1 / self`, or `None` for zero.
    fn invert(&self) -> Option<Self>;
    /// Whether this is zero.
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}
