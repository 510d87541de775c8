//! Proving parameters: the `.params` file of bellman, and its points decoded.
//!
//! The layout, byte by byte, stands in `docs/srs-format.md`: a verifying key, then five sections h, l, a,
//! b_g1, b_g2, each a big-endian 32-bit count and that many uncompressed points. Bounds are checked before
//! anything is read or allocated.

mod index;
mod read;
mod write;

use crate::{Error, Result, VerifyingKey};
use bls_curves::{G1Affine, G2Affine};

pub use index::{ParamsError, ParamsIndex, Section};
pub use read::{MappedParams, ParamsCheck, TrailingBytes};

/// A proving key, decoded: affine points in Montgomery form, about 530 bytes a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// the verifying key at the head of the file
    pub vk: VerifyingKey,
    /// τⁱ·(τⁿ - 1)/δ for i in 0..n-1, where n is the domain's size
    pub h: Vec<G1Affine>,
    /// (β·aᵢ(τ) + α·bᵢ(τ) + cᵢ(τ))/δ for each private wire
    pub l: Vec<G1Affine>,
    /// aᵢ(τ) for each input, then for the private wires that occur in A
    pub a: Vec<G1Affine>,
    /// bᵢ(τ) for the inputs and then the private wires that occur in B
    pub b_g1: Vec<G1Affine>,
    /// the same in G2
    pub b_g2: Vec<G2Affine>,
}

/// How many points a key has; what of a key a circuit is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCounts {
    /// inputs, ONE among them
    pub ic: usize,
    /// domain size less one
    pub h: usize,
    /// private wires
    pub l: usize,
    /// inputs and dense private wires of A
    pub a: usize,
    /// dense inputs and dense private wires of B, in G1
    pub b_g1: usize,
    /// the same in G2
    pub b_g2: usize,
}

impl KeyCounts {
    /// Whether a circuit's counts are those of this key.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for the first that differs.
    pub fn check_circuit(&self, circuit: &KeyCounts) -> Result<()> {
        let pairs = [
            ("number of inputs (ic)", self.ic, circuit.ic),
            ("number of private wires (l)", self.l, circuit.l),
            ("domain size (h + 1)", self.h + 1, circuit.h + 1),
            ("size of the A query (a)", self.a, circuit.a),
            ("size of the B query (b_g1)", self.b_g1, circuit.b_g1),
            ("size of the B query (b_g2)", self.b_g2, circuit.b_g2),
        ];
        match pairs.into_iter().find(|(_, key, circuit)| key != circuit) {
            Some((what, key, circuit)) => Err(Error::ShapeMismatch { what, key, circuit }),
            None => Ok(()),
        }
    }
}

impl Parameters {
    /// The key's counts.
    pub fn counts(&self) -> KeyCounts {
        KeyCounts {
            ic: self.vk.ic.len(),
            h: self.h.len(),
            l: self.l.len(),
            a: self.a.len(),
            b_g1: self.b_g1.len(),
            b_g2: self.b_g2.len(),
        }
    }
}
