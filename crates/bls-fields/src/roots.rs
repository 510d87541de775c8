use crate::Fr;
use ff::{Field, PrimeField};

/// r - 1 is divisible by 2^32 and by no higher power of two.
pub const TWO_ADICITY: u32 = 32;

/// The primitive 2^`log_n`-th root of unity ω = 7^((r-1)/2^`log_n`), as bellman uses it.
///
/// # Panics
/// If `log_n` is above [`TWO_ADICITY`]: no such root exists.
pub fn root_of_unity(log_n: u32) -> Fr {
    assert!(log_n <= TWO_ADICITY, "Fr has no root of unity of order 2^{log_n}");
    // blstrs' ROOT_OF_UNITY is 7^((r-1)/2^32).
    (log_n..TWO_ADICITY).fold(Fr::ROOT_OF_UNITY, |root, _| root.square())
}

/// The shift of the coset on which the quotient is evaluated: the generator 7 of the multiplicative group.
pub fn coset_generator() -> Fr {
    Fr::MULTIPLICATIVE_GENERATOR
}
