//! From circom's files to the core's types, and back.

use circom_formats::{FormatError, ProofPoints};
use groth16_core::r1cs::SparseMatrix;
use groth16_core::{Error, Proof, R1cs, Result};

/// The core's form of a circom circuit: same wires, same order; repeated wires of a row added up.
pub fn r1cs_from_circom(file: &circom_formats::R1cs) -> Result<R1cs> {
    let [a, b, c] = file.matrices().map(|(_, rows)| {
        let mut matrix = SparseMatrix::with_capacity(rows.n_rows(), rows.n_terms());
        for (columns, values) in rows.rows() {
            matrix.push_row(columns.iter().copied().zip(values.iter().copied()));
        }
        matrix
    });
    let n_inputs = 1 + file.n_public();
    let n_wires = file.n_wires as usize;
    let n_aux = n_wires.checked_sub(n_inputs).ok_or(Error::InputLength {
        what: "wires",
        have: n_wires,
        need: n_inputs,
    })?;
    R1cs::new(n_inputs, n_aux, a, b, c)
}

/// A proof as snarkjs's `proof.json`.
pub fn write_proof_json(proof: &Proof) -> String {
    circom_formats::write_proof_json(&ProofPoints {
        a: proof.a,
        b: proof.b,
        c: proof.c,
    })
}

/// Reads snarkjs's `proof.json`; every point is checked as [`Proof::from_bytes`] checks it.
pub fn read_proof_json(text: &[u8]) -> Result<Proof, FormatError> {
    circom_formats::read_proof_json(text).map(|p| Proof {
        a: p.a,
        b: p.b,
        c: p.c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_made_by_hand_with_more_inputs_than_wires_is_an_error() {
        let file = circom_formats::R1cs {
            n_wires: 3,
            n_public_inputs: u32::MAX,
            n_public_outputs: u32::MAX,
            ..Default::default()
        };
        assert!(matches!(
            r1cs_from_circom(&file),
            Err(Error::InputLength { what: "wires", .. })
        ));
    }
}
