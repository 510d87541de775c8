//! The circuit that the benchmarks prove: sizes and densities as of a large production circuit, values as wished.
//!
//! In a domain of n = 2^k there are n - n/32 constraints, 36 inputs (ONE among them) and n - n/32 - 40 private wires, of
//! which 97 % occur in A and 31 % in B. A chosen share of the private wires holds full field elements; the others are
//! zeros and ones, half each. What a prover's time depends on is exact; what it hardly depends on is plain: rows have
//! one to three terms a matrix, and the wires of a row are near each other.
//!
//! The rows are gates that a real circuit might have:
//! * bits: w·(1 - w) = 0, and w = t ⊕ u as 2·w·u = w + u - t or, where w is only an output, 2·t·u = t + u - w;
//! * full values: a chain of rounds w' = w·(w + k) or w' = w·(k + u) that starts from constants and bits and ends in
//!   the first public input; the other public inputs follow from it in the same way.
//!
//! The same shape and seed give the same circuit and witness on every machine.

mod gates;
mod wires;

use bls_fields::Fr;
use groth16_core::R1cs;
use std::ops::RangeInclusive;

/// Sizes of a benchmark circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchShape {
    log_n: u32,
    n_full: usize,
}

/// The shape that was asked for does not exist.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Too small to have all kinds of wires, or more wires than 32 bits number.
    #[error("a benchmark circuit has a domain of 2^6 to 2^31, not 2^{log_n}: choose a log_n from 6 to 31")]
    LogN {
        /// what was asked for
        log_n: u32,
    },
    /// Not a share.
    #[error("the share of full values is {share}, but must be a number from 0 to 1")]
    FullShare {
        /// what was asked for
        share: f64,
    },
}

impl BenchShape {
    /// The domains that a shape can have, as log₂ of their size.
    pub const LOG_N: RangeInclusive<u32> = 6..=31;

    /// The shape with a domain of `2^log_n` in which `full_share` of the private wires are neither 0 nor 1, rounded to
    /// the nearest number of wires.
    ///
    /// From 2^11 on the counts are those of the crate's head; below, n/32 inputs take the place of the 36, and there
    /// are still 4 private wires and inputs fewer than constraints.
    pub fn new(log_n: u32, full_share: f64) -> Result<Self, ShapeError> {
        if !Self::LOG_N.contains(&log_n) {
            return Err(ShapeError::LogN { log_n });
        }
        if !(0.0..=1.0).contains(&full_share) {
            return Err(ShapeError::FullShare { share: full_share });
        }
        let mut shape = BenchShape { log_n, n_full: 0 };
        shape.n_full = (shape.n_aux() as f64 * full_share).round() as usize;
        Ok(shape)
    }

    /// n, the size of the domain.
    pub fn domain_size(&self) -> usize {
        1 << self.log_n
    }

    /// n - n/32
    pub fn n_constraints(&self) -> usize {
        self.domain_size() - self.domain_size() / 32
    }

    /// Inputs, ONE among them: 36, or n/32 in a small circuit, so that all rows fit the domain.
    pub fn n_inputs(&self) -> usize {
        36.min(self.domain_size() / 32)
    }

    /// Private wires.
    pub fn n_aux(&self) -> usize {
        self.n_constraints() - self.n_inputs() - 4
    }

    /// Private wires that are neither 0 nor 1.
    pub fn n_full(&self) -> usize {
        self.n_full
    }

    /// Private wires that occur in A: 97 %.
    pub fn n_a_dense(&self) -> usize {
        percent(self.n_aux(), 97)
    }

    /// Private wires that occur in B: 31 %, all of them in A too.
    pub fn n_b_dense(&self) -> usize {
        percent(self.n_aux(), 31)
    }

    /// The circuit and its witness (ONE, public inputs, private wires): time and memory linear in n.
    ///
    /// # Errors
    /// What [`R1cs::new`] finds wrong; the shapes of this crate have nothing wrong.
    pub fn generate(&self, seed: u64) -> groth16_core::Result<(R1cs, Vec<Fr>)> {
        gates::generate(self, seed)
    }
}

/// `percent` % of n, to the nearest integer
fn percent(n: usize, percent: usize) -> usize {
    (n * percent + 50) / 100
}
