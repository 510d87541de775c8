//! What the tests of the transforms and of the quotient share.

// Each test binary uses a part of it.
#![allow(dead_code, unreachable_pub)]

use bls_fields::Fr;
use ff::Field;
use rand_core::SeedableRng;

/// `n` elements from a seed.
pub fn random(n: usize, seed: u64) -> Vec<Fr> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| Fr::random(&mut rng)).collect()
}

/// Σ_j c_j·(shift·omegaⁱ)^j for every i, by Horner's rule.
pub fn naive(coefficients: &[Fr], shift: Fr, omega: Fr) -> Vec<Fr> {
    let mut point = shift;
    let mut values = Vec::new();
    for _ in coefficients {
        values.push(coefficients.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c));
        point *= omega;
    }
    values
}

/// The elements in bit-reversed order, by writing the index backwards.
pub fn reversed(values: &[Fr]) -> Vec<Fr> {
    let bits = values.len().trailing_zeros() as usize;
    (0..values.len())
        .map(|i| {
            let j = (0..bits).fold(0, |j, bit| j << 1 | (i >> bit & 1));
            values[j]
        })
        .collect()
}

/// Runs `work` in a pool of its own.
pub fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(work)
}
