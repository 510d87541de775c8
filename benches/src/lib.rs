//! What the benches share: their sizes, and values to work on.

use bench_shapes::BenchShape;
use bls_fields::{Fr, FrRepr};
use ff::Field;
use groth16_core::R1cs;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// The sizes to measure, as log₂: those of the environment variable `BENCH_LOG_N`
/// (`14` or `14,16,18`), or `default`.
///
/// # Panics
/// If the variable is not such a list: nobody wants to wait for the wrong bench.
pub fn log_ns(default: &[u32]) -> Vec<u32> {
    match std::env::var("BENCH_LOG_N") {
        Err(_) => default.to_vec(),
        Ok(list) => list
            .split(',')
            .map(|log_n| log_n.trim().parse())
            .collect::<core::result::Result<_, _>>()
            .unwrap_or_else(|e| panic!("BENCH_LOG_N={list}: {e}; wanted is a list such as 14,16,18")),
    }
}

/// The same `n` random elements in each run.
pub fn elements(n: usize) -> Vec<Fr> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..n).map(|_| Fr::random(&mut rng)).collect()
}

/// `n` scalars of which `percent_bits` % are 0 or 1, half each: 0 for full ones, 80 for a witness's.
pub fn scalars(n: usize, percent_bits: u32) -> Vec<FrRepr> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    elements(n)
        .into_iter()
        .map(|element| match rng.next_u32() % 200 {
            draw if draw < percent_bits => FrRepr::from(0),
            draw if draw < 2 * percent_bits => FrRepr::from(1),
            _ => FrRepr::from(element),
        })
        .collect()
}

/// The bench circuit of a size, in which `full_percent` % of the values are
/// neither 0 nor 1, with its witness.
///
/// # Panics
/// If there is no such circuit; see [`BenchShape::new`].
pub fn circuit(log_n: u32, full_percent: f64) -> (R1cs, Vec<Fr>) {
    let shape = BenchShape::new(log_n, full_percent / 100.0).unwrap_or_else(|e| panic!("{e}"));
    shape.generate(1).unwrap_or_else(|e| panic!("{e}"))
}
