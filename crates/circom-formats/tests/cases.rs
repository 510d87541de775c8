//! The cases of public reports that the readers alone can show, named after their numbers.

mod common;

use bls_curves::{G1Affine, G2Affine, PointError};
use bls_fields::Fr;
use circom_formats::*;
use common::{patched, vector, vectors, with_sections};
use ff::Field;
use group::prime::PrimeCurveAffine;
use sha2::{Digest, Sha256};

#[test]
fn vectors_match_their_sums() {
    let sums = std::fs::read_to_string(vectors().join("SHA256SUMS")).unwrap();
    assert!(sums.lines().count() >= 13);
    for line in sums.lines() {
        let (want, name) = line.split_once("  ").unwrap();
        let sum = Sha256::digest(vector(name));
        let have: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(have, want, "{name}");
    }
}

#[test]
fn b064_wire_map_has_64_bit_labels() {
    let file = vector("mul.r1cs");
    assert_eq!(read_r1cs(&file).unwrap().n_wires, 4);

    let narrow: Vec<u8> = (0..4u32).flat_map(u32::to_le_bytes).collect();
    let file = with_sections(&file, |sections| sections[2].1 = narrow);
    assert_eq!(
        read_r1cs(&file),
        Err(FormatError::BadSectionLength {
            format: Format::R1cs,
            section: 3,
            offset: 232,
            have: 16,
            need: 32
        })
    );
}

#[test]
fn b066_other_curve_is_named() {
    let mismatch = |format| FormatError::CurveMismatch {
        format,
        got: "bn254".into(),
        want: "bls12-381",
    };
    assert_eq!(read_r1cs(&vector("mul_bn254.r1cs")), Err(mismatch(Format::R1cs)));
    assert_eq!(read_wtns(&vector("mul_bn254.wtns")), Err(mismatch(Format::Wtns)));
    let text = mismatch(Format::R1cs).to_string();
    assert!(
        text.contains("bn254") && text.contains("bls12-381") && text.contains("--prime bls12381"),
        "{text}"
    );
}

#[test]
fn b068_witness_of_another_length() {
    let r1cs = read_r1cs(&vector("mul.r1cs")).unwrap();
    for (name, have) in [("mul_short.wtns", 3), ("mul_long.wtns", 5)] {
        let witness = read_wtns(&vector(name)).unwrap();
        assert_eq!(
            r1cs.check_witness(&witness),
            Err(FormatError::WitnessLength { have, need: 4 })
        );
    }
    assert_eq!(
        r1cs.check_witness(&read_wtns(&vector("mul.wtns")).unwrap()),
        Ok(())
    );
}

#[test]
fn b070_no_constraints_and_no_public_inputs() {
    for n_public_outputs in [0, 1] {
        let r1cs = R1cs {
            n_wires: 2,
            n_public_outputs,
            ..R1cs::default()
        };
        let mut file = Vec::new();
        write_r1cs(&r1cs, &mut file).unwrap();
        let read = read_r1cs(&file).unwrap();
        assert_eq!(read, r1cs);
        assert_eq!(
            (read.n_constraints(), read.n_public()),
            (0, n_public_outputs as usize)
        );
    }
}

#[test]
fn b072_wires_out_of_range_and_duplicates() {
    let wire_index = |wire| {
        Err(FormatError::WireIndex {
            constraint: 0,
            matrix: Matrix::A,
            wire,
            max: 3,
        })
    };
    assert_eq!(read_r1cs(&vector("mul_badwire.r1cs")), wire_index(4));
    let file = patched(&vector("mul.r1cs"), 0x68, &u32::MAX.to_le_bytes());
    assert_eq!(read_r1cs(&file), wire_index(u32::MAX));

    // (x + x) · y = z: both terms arrive, the consumer adds them up.
    let mut r1cs = read_r1cs(&vector("mul.r1cs")).unwrap();
    r1cs.a = SparseRows::default();
    r1cs.a.push_row([(2, Fr::ONE), (2, Fr::ONE)]);
    let mut file = Vec::new();
    write_r1cs(&r1cs, &mut file).unwrap();
    let read = read_r1cs(&file).unwrap();
    assert_eq!(read, r1cs);
    assert_eq!(value(&read.a, &[1, 33, 3, 11].map(Fr::from)), [Fr::from(6)]);
}

/// `matrix · witness`
fn value(matrix: &SparseRows, witness: &[Fr]) -> Vec<Fr> {
    let row = |(columns, values): (&[u32], &[Fr])| {
        let terms = columns.iter().zip(values);
        terms
            .map(|(&column, value)| witness[column as usize] * value)
            .sum()
    };
    matrix.rows().map(row).collect()
}

fn first_unsatisfied(r1cs: &R1cs, witness: &[Fr]) -> Option<usize> {
    let [a, b, c] = [&r1cs.a, &r1cs.b, &r1cs.c].map(|matrix| value(matrix, witness));
    (0..r1cs.n_constraints()).find(|&i| a[i] * b[i] != c[i])
}

#[test]
fn b125_wrong_witnesses_are_read_as_they_are() {
    let r1cs = read_r1cs(&vector("mul.r1cs")).unwrap();

    let right = read_wtns(&vector("mul.wtns")).unwrap();
    assert_eq!(right, [1, 33, 3, 11].map(Fr::from));
    assert_eq!(first_unsatisfied(&r1cs, &right), None);

    let wrong = read_wtns(&vector("mul_wrong.wtns")).unwrap();
    assert_eq!(r1cs.check_witness(&wrong), Ok(()));
    assert_eq!(first_unsatisfied(&r1cs, &wrong), Some(0));

    let two = read_wtns(&vector("mul_one2.wtns")).unwrap();
    assert_eq!(r1cs.check_witness(&two), Err(FormatError::FirstWireNotOne));
    assert_eq!(
        r1cs.check_witness(&[Fr::ZERO; 4]),
        Err(FormatError::FirstWireNotOne)
    );
}

#[test]
fn b123_public_json_is_never_cut_to_fit() {
    for (text, want) in [
        ("[]", vec![]),
        (r#"["33"]"#, vec![33]),
        (r#"["33","0"]"#, vec![33, 0]),
        (r#"["1","33"]"#, vec![1, 33]),
    ] {
        let want: Vec<Fr> = want.into_iter().map(Fr::from).collect();
        assert_eq!(read_public_json(text.as_bytes()), Ok(want), "{text}");
    }
}

#[test]
fn b129_small_and_large_public_inputs() {
    let minus_one = "52435875175126190479447740508185965837690552500527637822603658699938581184512";
    for (text, want) in [
        ("0", Fr::ZERO),
        ("1", Fr::ONE),
        (minus_one, -Fr::ONE),
        ("4294967296", Fr::from(1 << 32)),
    ] {
        let json = format!("[\n \"{text}\"\n]");
        assert_eq!(read_public_json(json.as_bytes()), Ok(vec![want]));
        assert_eq!(write_public_json(&[want]), json);
    }
}

#[test]
fn b096_every_error_prints_in_less_than_1_kb() {
    let long = "\u{1f512}".repeat(5000);
    let proof = write_proof_json(&ProofPoints {
        a: G1Affine::generator(),
        b: G2Affine::generator(),
        c: G1Affine::generator(),
    });
    // Texts of the file's choice reach these errors only after they are cut.
    let from_files = [
        read_proof_json(proof.replace("groth16", &long).as_bytes()).unwrap_err(),
        read_proof_json(proof.replace("bls12381", &long).as_bytes()).unwrap_err(),
        read_proof_json(format!("\"{long}\"").as_bytes()).unwrap_err(),
        read_public_json(format!("\"{long}\"").as_bytes()).unwrap_err(),
        read_r1cs(&vector_with_prime(vec![0xff; 64])).unwrap_err(),
        read_r1cs(&vector_with_prime(vec![0xff; 100_000])).unwrap_err(),
    ];
    let (format, section, offset, have, need) = (Format::PublicJson, u32::MAX, u64::MAX, u64::MAX, u64::MAX);
    let (constraint, matrix, wire, index) = (u32::MAX, Matrix::C, u32::MAX, usize::MAX);
    let built = [
        FormatError::BadMagic {
            format,
            have: [0xff; 4],
            want: *b"r1cs",
        },
        FormatError::BadVersion {
            format,
            have: u32::MAX,
            want: u32::MAX,
        },
        FormatError::Truncated {
            format,
            section: Some(section),
            offset,
            have,
            need,
        },
        FormatError::Truncated {
            format,
            section: None,
            offset,
            have,
            need,
        },
        FormatError::MissingSection { format, section },
        FormatError::DuplicateSection {
            format,
            section,
            offset,
        },
        FormatError::BadSectionLength {
            format,
            section,
            offset,
            have,
            need,
        },
        FormatError::TrailingBytes { format, offset, have },
        FormatError::HeaderCounts {
            n_wires: u32::MAX,
            n_inputs: u64::MAX,
        },
        FormatError::CustomGates {
            section,
            count: u32::MAX,
        },
        FormatError::WireIndex {
            constraint,
            matrix,
            wire,
            max: u32::MAX,
        },
        FormatError::Coefficient {
            constraint,
            matrix,
            wire,
            offset,
        },
        FormatError::Rows {
            matrix,
            rows: index,
            columns: index,
            values: index,
        },
        FormatError::WitnessValue { wire, offset },
        FormatError::WitnessLength {
            have: index,
            need: index,
        },
        FormatError::FirstWireNotOne,
        FormatError::PublicInput {
            index,
            reason: DecimalError::NotDecimal { position: index },
        },
        FormatError::Coordinate {
            place: "pi_b[1][0]",
            reason: DecimalError::TooLarge { modulus: "p" },
        },
        FormatError::NotAffine {
            point: "pi_b",
            want: "[\"1\",\"0\"]",
        },
        FormatError::Point {
            point: "pi_b",
            source: PointError::NotCanonical,
        },
    ];
    for error in from_files.iter().chain(&built) {
        // With its sources, as error reporters print it.
        let mut text = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(e) = source {
            text += &e.to_string();
            source = e.source();
        }
        assert!(text.len() < 1024, "{text}");
        assert!(format!("{error:?}").len() < 1024, "{error:?}");
    }
}

/// `mul.r1cs` over the field of another modulus (little-endian).
fn vector_with_prime(prime: Vec<u8>) -> Vec<u8> {
    with_sections(&vector("mul.r1cs"), |sections| {
        let mut header = (prime.len() as u32).to_le_bytes().to_vec();
        header.extend(prime);
        header.extend(&sections[0].1[36..]);
        sections[0].1 = header;
    })
}
