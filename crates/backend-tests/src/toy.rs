//! The toy circuits whose keys stand in `vectors/cases`, and the vectors' values.

use bls_fields::Fr;
use ff::Field;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::setup::ToxicWaste;
use groth16_core::R1cs;
use std::path::PathBuf;

/// Where a file of `vectors/cases` stands: in the folder that `G16_TEST_VECTORS` names, for tests that run
/// elsewhere than they were built, or in the repository.
pub fn vector_path(name: &str) -> PathBuf {
    let folder = std::env::var_os("G16_TEST_VECTORS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cases"),
        PathBuf::from,
    );
    folder.join(name)
}

/// The content of a file of `vectors/cases`.
pub fn vector_bytes(name: &str) -> Vec<u8> {
    let path = vector_path(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A value of `vectors.json`, as it stands there: hexadecimal. The id may leave out the explanation that
/// follows it in parentheses, or be the first word alone.
pub fn vector_text(id: &str) -> String {
    let json: serde_json::Value = serde_json::from_slice(&vector_bytes("vectors.json")).expect("valid JSON");
    let rows = json.as_object().expect("an object");
    let find = |name_of: fn(&str) -> Option<&str>| {
        rows.iter()
            .find(|(key, _)| name_of(key) == Some(id))
            .map(|(_, value)| value)
    };
    let value = find(|key| Some(key)).or_else(|| find(|key| key.split(" (").next()));
    let value = value.or_else(|| find(|key| key.split(' ').next()));
    value
        .and_then(|v| v.as_str())
        .unwrap_or_else(|| panic!("no vector {id}"))
        .to_owned()
}

/// A value of `vectors.json`, decoded from hexadecimal.
pub fn vector_hex(id: &str) -> Vec<u8> {
    let text = vector_text(id);
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal"))
        .collect()
}

/// INSECURE: the secrets of the toy keys.
pub fn toy_waste() -> ToxicWaste {
    ToxicWaste::insecure_from_elements([0x1234567u64, 5, 7, 11, 13].map(Fr::from))
}

/// One side of a row: wires and their coefficients.
pub type Terms<'a> = &'a [(u32, u64)];

/// A constraint system from rows of (A, B, C).
pub fn r1cs(n_inputs: usize, n_aux: usize, rows: &[[Terms<'_>; 3]]) -> R1cs {
    let matrix = |k: usize| {
        let mut matrix = SparseMatrix::default();
        for row in rows {
            matrix.push_row(row[k].iter().map(|(wire, value)| (*wire, Fr::from(*value))));
        }
        matrix
    };
    R1cs::new(n_inputs, n_aux, matrix(0), matrix(1), matrix(2)).expect("a valid system")
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
    let rows: [[Terms<'_>; 3]; 2] = [
        [&[(3, 1)], &[(1, 1)], &[(4, 1)]],
        [&[(4, 1)], &[(2, 3), (0, 1)], &[(1, 6)]],
    ];
    r1cs(3, 2, &rows)
}

/// z, x, y = 33, 3, 11
pub fn mul_witness() -> Vec<Fr> {
    elements(&[1, 33, 3, 11])
}

/// p1, p2, x, w = 2, 1, 3/2, 3
pub fn binp_witness() -> Vec<Fr> {
    let mut witness = elements(&[1, 2, 1, 0, 3]);
    witness[3] = Fr::from(3) * Fr::from(2).invert().expect("2 is not 0");
    witness
}

/// Small integers as elements.
pub fn elements(values: &[u64]) -> Vec<Fr> {
    values.iter().map(|v| Fr::from(*v)).collect()
}
