//! The toy circuits whose keys stand in `vectors/cases`, and the vectors' values.

#![allow(dead_code, unreachable_pub)] // each test file uses its part

use bls_fields::Fr;
use groth16_core::r1cs::{R1cs, SparseMatrix};
use groth16_core::setup::ToxicWaste;
use std::path::PathBuf;

pub fn vector_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/cases")
        .join(name)
}

pub fn vector_bytes(name: &str) -> Vec<u8> {
    std::fs::read(vector_path(name)).unwrap()
}

/// A value of `vectors.json`, decoded from hexadecimal.
pub fn vector_hex(id: &str) -> Vec<u8> {
    let json: serde_json::Value = serde_json::from_slice(&vector_bytes("vectors.json")).unwrap();
    let rows = json.as_object().unwrap();
    // Some ids are followed by an explanation in parentheses.
    let (_, value) = rows
        .iter()
        .find(|(key, _)| key.split(" (").next() == Some(id))
        .unwrap();
    let text = value.as_str().unwrap();
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

/// The secrets of the toy keys.
pub fn toy_waste() -> ToxicWaste {
    ToxicWaste::insecure_from_elements([0x1234567u64, 5, 7, 11, 13].map(Fr::from))
}

pub type Terms<'a> = &'a [(u32, u64)];

pub fn r1cs(n_inputs: usize, n_aux: usize, rows: &[[Terms; 3]]) -> R1cs {
    let matrix = |k: usize| {
        let mut m = SparseMatrix::default();
        for row in rows {
            m.push_row(row[k].iter().map(|(wire, value)| (*wire, Fr::from(*value))));
        }
        m
    };
    R1cs::new(n_inputs, n_aux, matrix(0), matrix(1), matrix(2)).unwrap()
}

/// x·y = z with z public: wires ONE, z, x, y.
pub fn mul() -> R1cs {
    r1cs(2, 2, &[[&[(2, 1)], &[(3, 1)], &[(1, 1)]]])
}

/// x·(y + 0·x) = z
pub fn zero() -> R1cs {
    r1cs(2, 2, &[[&[(2, 1)], &[(3, 1), (2, 0)], &[(1, 1)]]])
}

/// x·p1 = w and w·(3·p2 + 1) = 6·p1: wires ONE, p1, p2, x, w.
pub fn binp() -> R1cs {
    r1cs(
        3,
        2,
        &[
            [&[(3, 1)], &[(1, 1)], &[(4, 1)]],
            [&[(4, 1)], &[(2, 3), (0, 1)], &[(1, 6)]],
        ],
    )
}

pub fn elements(values: &[u64]) -> Vec<Fr> {
    values.iter().map(|v| Fr::from(*v)).collect()
}

/// p1 = 2, p2 = 1, x = 3/2, w = 3
pub fn binp_witness() -> Vec<Fr> {
    let mut witness = elements(&[1, 2, 1, 0, 3]);
    witness[3] = Fr::from(3) * Option::<Fr>::from(ff::Field::invert(&Fr::from(2))).unwrap();
    witness
}
