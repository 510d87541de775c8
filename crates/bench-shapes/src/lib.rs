//! The circuits that the benchmarks prove: sizes and densities as of large
//! production circuits, values as wished.
//!
//! [`BenchShape::new`] has n - n/32 constraints in a domain of n = 2^k, 36 inputs (ONE among them) and
//! n - n/32 - 40 private wires, of which 97 % occur in A and 31 % in B. A chosen share of the private wires
//! holds full field elements; the others are zeros and ones, half each. [`RecordedShape`] has the counts of
//! circuits of a Filecoin stack, by name, and [`BenchShape::scaled`] makes either smaller.
//!
//! What a prover's time depends on is exact; what it hardly depends on is plain: rows have one to four terms
//! a matrix, and the wires of a row are near each other.
//!
//! The rows are gates that a real circuit might have:
//! * bits: w·(1 - w) = 0, and w = t ⊕ u as 2·w·u = w + u - t or, where w is
//!   only an output, 2·t·u = t + u - w;
//! * full values: a chain of rounds w' = w·(w + k) or w' = w·(k + u) that starts from constants and bits and
//!   ends in the first public input; the other public inputs follow from it in the same way;
//! * where there are more wires than constraints: some full values that are only outputs have no row of their
//!   own, and are subtracted in a round's, w' = w·(w + k) - v.
//!
//! The same shape and seed give the same circuit and witness on every machine.

mod gates;
mod recorded;
mod wires;

use bls_fields::Fr;
use groth16_core::R1cs;
use recorded::rounded_ratio;
pub use recorded::{RecordedShape, Wires as RecordedWires};
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

/// Sizes of a benchmark circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchShape {
    n_constraints: usize,
    n_inputs: usize,
    n_aux: usize,
    n_a_dense: usize,
    n_b_dense: usize,
    n_zeros: usize,
    n_full: usize,
}

/// The shape that was asked for does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// No recorded shape has this name.
    #[error("no shape is named {name:?}: choose one of {}", names())]
    UnknownName {
        /// what was asked for
        name: String,
    },
    /// Too few rows to have all kinds of wires.
    #[error("a scale of 1/{divisor} leaves {n_constraints} constraints, where 64 are the fewest: choose a larger scale")]
    Scale {
        /// what was asked for
        divisor: u32,
        /// what would be left
        n_constraints: usize,
    },
}

fn names() -> String {
    let names: Vec<_> = RecordedShape::all().iter().map(|shape| shape.name).collect();
    names.join(", ")
}

impl BenchShape {
    /// The domains that a shape can have, as log₂ of their size.
    pub const LOG_N: RangeInclusive<u32> = 6..=31;

    /// The shape of the crate's head with a domain of `2^log_n`, in which `full_share` of the private wires
    /// are neither 0 nor 1, rounded to the nearest number of wires.
    ///
    /// From 2^11 on the counts are those of the crate's head; below, n/32 inputs take the place of the 36,
    /// and there are still 4 private wires and inputs fewer than constraints.
    pub fn new(log_n: u32, full_share: f64) -> Result<Self, ShapeError> {
        if !Self::LOG_N.contains(&log_n) {
            return Err(ShapeError::LogN { log_n });
        }
        if !(0.0..=1.0).contains(&full_share) {
            return Err(ShapeError::FullShare { share: full_share });
        }
        let n = 1 << log_n;
        let n_constraints = n - n / 32;
        let n_inputs = 36.min(n / 32);
        let n_aux = n_constraints - n_inputs - 4;
        let n_full = (n_aux as f64 * full_share).round() as usize;
        Ok(BenchShape {
            n_constraints,
            n_inputs,
            n_aux,
            n_a_dense: rounded_ratio(n_aux, 97, 100),
            n_b_dense: rounded_ratio(n_aux, 31, 100),
            n_zeros: (n_aux - n_full) / 2,
            n_full,
        })
    }

    /// The same with each count divided, to the nearest integer; of inputs there are still two.
    ///
    /// # Errors
    /// [`ShapeError::Scale`] if hardly anything is left.
    pub fn scaled(&self, divisor: NonZeroU32) -> Result<Self, ShapeError> {
        let part = |n: usize| rounded_ratio(n, 1, divisor.get() as usize);
        let n_constraints = part(self.n_constraints);
        if n_constraints < 64 {
            let divisor = divisor.get();
            return Err(ShapeError::Scale {
                divisor,
                n_constraints,
            });
        }
        let n_inputs = part(self.n_inputs).max(2);
        let mut n_aux = part(self.n_aux);
        if self.n_riders() == 0 {
            // Nor may rounding make any: there could be no wire that may ride.
            n_aux = n_aux.min(n_constraints + 1 - n_inputs);
        }
        let (n_zeros, n_ones) = (part(self.n_zeros), part(self.n_ones()));
        Ok(BenchShape {
            n_constraints,
            n_inputs,
            n_aux,
            n_a_dense: part(self.n_a_dense).min(n_aux),
            n_b_dense: part(self.n_b_dense).min(n_aux),
            n_zeros,
            n_full: n_aux.saturating_sub(n_zeros + n_ones),
        })
    }

    /// n, the size of the domain.
    pub fn domain_size(&self) -> usize {
        (self.n_constraints + self.n_inputs).next_power_of_two()
    }

    /// Constraints, without the rows of the inputs.
    pub fn n_constraints(&self) -> usize {
        self.n_constraints
    }

    /// Inputs, ONE among them.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Private wires.
    pub fn n_aux(&self) -> usize {
        self.n_aux
    }

    /// Private wires that are neither 0 nor 1.
    pub fn n_full(&self) -> usize {
        self.n_full
    }

    /// Share of the private wires that are neither 0 nor 1, to four decimals.
    pub fn full_share(&self) -> f64 {
        (self.n_full as f64 / self.n_aux as f64 * 1e4).round() / 1e4
    }

    /// Private wires that are 0.
    pub fn n_zeros(&self) -> usize {
        self.n_zeros
    }

    /// Private wires that are 1.
    pub fn n_ones(&self) -> usize {
        self.n_aux - self.n_full - self.n_zeros
    }

    /// Private wires that occur in A.
    pub fn n_a_dense(&self) -> usize {
        self.n_a_dense
    }

    /// Private wires that occur in B, all of them in A too. Of the inputs, ONE alone occurs in B.
    pub fn n_b_dense(&self) -> usize {
        self.n_b_dense
    }

    /// Private wires that share another's row, as there are not enough rows for all.
    fn n_riders(&self) -> usize {
        // A row for each private wire and each input but ONE.
        (self.n_aux + self.n_inputs - 1).saturating_sub(self.n_constraints)
    }

    /// The circuit and its witness (ONE, public inputs, private wires): time and memory linear in n.
    ///
    /// # Errors
    /// What [`R1cs::new`] finds wrong; the shapes of this crate have nothing wrong.
    pub fn generate(&self, seed: u64) -> groth16_core::Result<(R1cs, Vec<Fr>)> {
        gates::generate(self, seed)
    }
}
