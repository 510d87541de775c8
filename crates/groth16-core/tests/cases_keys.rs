//! Cases of public reports about keys, proofs and verification, by number; each must end as its report says.

use backend_tests::toy::*;
use bls_curves::{CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck, PointError};
use bls_fields::Fr;
use groth16_core::domain::DomainError;
use groth16_core::params::{KeyCounts, ParamsError, ParamsIndex};
use groth16_core::*;
use group::prime::PrimeCurveAffine;

const MUL_H: usize = 1060;
const MUL_L: usize = 1352;
const MUL_B_G2: usize = 1940;
const MUL_END: usize = 2136;

fn refused(bytes: &[u8], check: ParamsCheck) -> ParamsError {
    match Parameters::from_bytes(bytes, check) {
        Err(Error::Params { path: None, source }) => source,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

fn with_word(name: &str, at: usize, word: u32) -> Vec<u8> {
    let mut bytes = vector_bytes(name);
    bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
    bytes
}

fn prove(parameters: &Parameters, r1cs: &R1cs, witness: &[Fr], r: u64, s: u64) -> Result<Proof> {
    let srs = CpuBackend.load_srs(&parameters.clone().into())?;
    let blinding = Blinding {
        r: r.into(),
        s: s.into(),
    };
    let assignment = r1cs.assign(witness)?;
    Ok(CpuBackend.prove_scoped(&srs, &[assignment.as_assignment()], &[blinding])?[0])
}

fn mul_key() -> Parameters {
    Parameters::from_bytes(&vector_bytes("mul.params"), ParamsCheck::Subgroup).unwrap()
}

#[test]
fn b032_a_key_with_as_many_powers_as_the_domain_is_refused() {
    // h as m Lagrange points, as snarkjs has them, instead of m - 1 powers.
    let mut bytes = vector_bytes("mul.params");
    let point = bytes[MUL_H + 4..MUL_H + 100].to_vec();
    bytes.splice(MUL_L..MUL_L, point);
    bytes[MUL_H + 3] = 4;
    assert_eq!(
        refused(&bytes, ParamsCheck::Curve),
        ParamsError::HCount { h: 4, offset: MUL_H }
    );
    let mut zkey = b"zkey".to_vec();
    zkey.resize(4096, 0);
    let format = "snarkjs .zkey";
    assert_eq!(
        refused(&zkey, ParamsCheck::Lengths),
        ParamsError::UnsupportedFormat { format }
    );
}

#[test]
fn b131_another_number_of_powers_is_refused() {
    for h in [0, 1, 2, 4, 5] {
        let mut bytes = vector_bytes("mul.params");
        let points = bytes[MUL_H + 4..MUL_H + 100].repeat(h);
        bytes.splice(MUL_H + 4..MUL_L, points);
        bytes[MUL_H + 3] = h as u8;
        match Parameters::from_bytes(&bytes, ParamsCheck::Curve) {
            // One less than a power of two is a key, but of another domain.
            Ok(key) => {
                let error = prove(&key, &mul(), &mul_witness(), 0, 0).unwrap_err();
                assert!(
                    matches!(
                        error,
                        Error::ShapeMismatch {
                            what: "domain size (h + 1)",
                            circuit: 4,
                            ..
                        }
                    ),
                    "{error}"
                );
            }
            Err(error) => assert!(
                matches!(
                    error,
                    Error::Params {
                        source: ParamsError::HCount { .. },
                        ..
                    }
                ),
                "{error}"
            ),
        }
    }
}

#[test]
fn b048_empty_and_tiny_files_are_truncated_keys() {
    let folder = tempfile::tempdir().unwrap();
    for have in [0usize, 1, 863, 867] {
        let path = folder.path().join(format!("{have}.params"));
        std::fs::write(&path, vec![0; have]).unwrap();
        match Parameters::read(&path, ParamsCheck::Curve).unwrap_err() {
            Error::Params {
                path: Some(p),
                source: ParamsError::Truncated {
                    have: h, need: 868, ..
                },
            } => {
                assert_eq!((p, h), (path, have));
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn b050_a_flipped_bit_is_found_without_a_digest() {
    let mut bytes = vector_bytes("mul.params");
    bytes[1100] ^= 1;
    let expected = ParamsError::InvalidPoint {
        section: "h",
        index: 0,
        offset: MUL_H + 4,
        source: PointError::NotOnCurve,
    };
    assert_eq!(refused(&bytes, ParamsCheck::Curve), expected);
}

#[test]
fn b056_points_with_x_zero_are_not_in_the_subgroup() {
    let good = vector_hex("P-mul-0-0");
    for first in [0x80u8, 0xa0] {
        let mut bytes = good.clone();
        bytes[..48].fill(0);
        bytes[0] = first;
        match Proof::from_bytes(&bytes) {
            Err(Error::ProofEncoding {
                part: "A",
                source: PointError::NotInSubgroup,
            }) => {}
            other => panic!("{first:x}: {other:?}"),
        }
    }
    let mut key = vector_bytes("mul.params");
    let (zero_two, l1) = (vector_hex("g1_0_2_uncompressed"), MUL_L + 4 + 96);
    key[l1..l1 + 96].copy_from_slice(&zero_two);
    let refusal = ParamsError::InvalidPoint {
        section: "l",
        index: 1,
        offset: l1,
        source: PointError::NotInSubgroup,
    };
    assert_eq!(refused(&key, ParamsCheck::Subgroup), refusal);
    assert!(Parameters::from_bytes(&key, ParamsCheck::Curve).is_ok());
}

#[test]
fn b058_a_key_read_and_written_is_the_same_key() {
    for (name, r1cs, witness) in [("mul", mul(), mul_witness()), ("binp", binp(), binp_witness())] {
        let bytes = vector_bytes(&format!("{name}.params"));
        let key = Parameters::from_bytes(&bytes, ParamsCheck::Subgroup).unwrap();
        let mut written = Vec::new();
        key.write(&mut written).unwrap();
        assert_eq!(written, bytes);
        let key = Parameters::from_bytes(&written, ParamsCheck::Subgroup).unwrap();
        let proof = prove(&key, &r1cs, &witness, 0, 0).unwrap();
        assert_eq!(proof.to_bytes().to_vec(), vector_hex(&format!("P-{name}-0-0")));
        // The .vk file is the head of the .params file.
        let vk = key.vk.to_bytes();
        assert_eq!(vk, bytes[..vk.len()]);
        assert_eq!(
            VerifyingKey::from_bytes(&vk, ParamsCheck::Subgroup.point_check()).unwrap(),
            key.vk
        );
    }
}

#[test]
fn b060_length_words_are_checked_against_the_file() {
    for word in [0xffff_ffff, 0x7fff_ffff] {
        let start = std::time::Instant::now();
        let refusal = refused(&with_word("mul.params", MUL_H, word), ParamsCheck::Curve);
        let need = (MUL_H + 4) as u64 + 96 * word as u64;
        let expected = ParamsError::Truncated {
            section: "h",
            offset: MUL_H,
            need,
            have: MUL_END,
        };
        assert_eq!(refusal, expected);
        assert!(start.elapsed().as_secs() < 1);
    }
    // Four powers: what follows is read as other sections, and does not fit.
    let refusal = refused(&with_word("mul.params", MUL_H, 4), ParamsCheck::Curve);
    assert!(
        matches!(
            refusal,
            ParamsError::Truncated { .. } | ParamsError::HCount { .. }
        ),
        "{refusal}"
    );
}

#[test]
fn b062_other_byte_orders_are_refused_with_a_hint() {
    let bytes = vector_bytes("mul.params");
    // Every 48-byte coordinate reversed; the count words stay.
    let index = ParamsIndex::parse(&bytes).unwrap();
    let mut runs = vec![(0, 864)];
    for s in [index.ic, index.h, index.l, index.a, index.b_g1, index.b_g2] {
        runs.push((s.offset, s.end()));
    }
    let mut reversed = bytes.clone();
    for &(start, end) in &runs {
        reversed[start..end].chunks_mut(48).for_each(<[u8]>::reverse);
    }
    let refusal = refused(&reversed, ParamsCheck::Curve);
    assert!(
        matches!(
            refusal,
            ParamsError::InvalidPoint {
                section: "alpha_g1",
                index: 0,
                offset: 0,
                ..
            }
        ),
        "{refusal}"
    );
    assert!(refusal.to_string().contains("big-endian"), "{refusal}");
    // G2 with c0 before c1.
    let mut swapped = bytes.clone();
    for (start, end) in [(192, 576), (672, 864), (index.b_g2.offset, index.b_g2.end())] {
        for fp2 in swapped[start..end].chunks_mut(96) {
            let (c1, c0) = fp2.split_at_mut(48);
            c1.swap_with_slice(c0);
        }
    }
    let refusal = refused(&swapped, ParamsCheck::Curve);
    assert!(
        matches!(
            refusal,
            ParamsError::InvalidPoint {
                section: "beta_g2",
                ..
            }
        ),
        "{refusal}"
    );
    assert!(refusal.to_string().contains("c1 before c0"), "{refusal}");
    // A proof in little-endian order.
    let mut proof = vector_hex("P-mul-0-0");
    proof.chunks_mut(48).for_each(<[u8]>::reverse);
    assert!(matches!(
        Proof::from_bytes(&proof),
        Err(Error::ProofEncoding { .. })
    ));
}

#[test]
fn b096_every_error_is_text_of_less_than_a_kilobyte() {
    let io = || std::io::Error::other("reason");
    let path = || std::path::PathBuf::from("a/file");
    let params = ParamsError::BCounts { b_g1: 1, b_g2: 2 };
    let errors = [
        Error::Io {
            what: "open",
            path: path(),
            source: io(),
        },
        Error::NotAFile { path: path() },
        Error::Params {
            path: Some(path()),
            source: params,
        },
        Error::ProofEncoding {
            part: "A",
            source: PointError::Infinity,
        },
        Error::ShapeMismatch {
            what: "l",
            key: 1,
            circuit: 2,
        },
        Error::InputLength {
            what: "b",
            have: 1,
            need: 2,
        },
        Error::WitnessLength { have: 1, need: 2 },
        Error::FirstWireNotOne,
        Error::Unsatisfied { constraint: 3 },
        Error::WireIndex {
            constraint: 0,
            matrix: "A",
            wire: 9,
            max: 8,
        },
        Error::UnconstrainedWire { wire: 7 },
        Error::TooManyRows { rows: usize::MAX },
        Error::PublicInputCount { have: 0, need: 1 },
        Error::Synthesis(bellpepper_core::SynthesisError::DivisionByZero),
        Error::DegenerateSecret { what: "tau" },
        Error::KeyCircuitMismatch,
        Error::ProofSelfCheckFailed {
            backend: "cpu".into(),
        },
        Error::Backend {
            backend: "cuda",
            stage: "ntt",
            source: Box::new(io()),
        },
        Error::ForeignSrs { backend: "cpu" },
        Error::TooManyWires { wires: usize::MAX },
        Error::ForeignVariable {
            constraint: 3,
            matrix: "B",
        },
        DomainError::TooLarge { log_n: 33 }.into(),
    ];
    for error in &errors {
        let (display, debug) = (format!("{error}"), format!("{error:?}"));
        assert!(
            !display.is_empty() && display.len() < 1024 && debug.len() < 1024,
            "{debug}"
        );
        let mut source = std::error::Error::source(error);
        let mut depth = 0;
        while let Some(inner) = source {
            assert!(format!("{inner}").len() < 1024);
            depth += 1;
            assert!(depth < 8, "sources of {debug} do not end");
            source = inner.source();
        }
    }
}

#[test]
fn b119_zero_and_cancelled_coefficients_do_not_count() {
    let minus_one = -Fr::from(1);
    let matrix = |terms: &[(u32, Fr)]| {
        let mut m = r1cs::SparseMatrix::default();
        m.push_row(terms.iter().copied());
        m
    };
    let one = Fr::from(1);
    // x·(y + 0·x) = z, then zeros in A and C, then x - x in each.
    let zero = Fr::from(0);
    let plain = [vec![(2, one)], vec![(3, one)], vec![(1, one)]];
    for extra in [vec![], vec![(0, zero), (2, zero)], vec![(2, one), (2, minus_one)]] {
        for place in 0..3 {
            let mut rows = plain.clone();
            rows[place].extend(extra.iter().copied());
            let [a, b, c] = rows.map(|terms| matrix(&terms));
            let r1cs = R1cs::new(2, 2, a, b, c).unwrap();
            let key = Parameters::read(vector_path("zero.params"), ParamsCheck::Subgroup).unwrap();
            assert_eq!(setup::generate_parameters(&r1cs, &toy_waste()).unwrap(), key);
            for (r, s) in [(0, 0), (3, 5)] {
                let proof = prove(&key, &r1cs, &mul_witness(), r, s).unwrap();
                assert_eq!(proof.to_bytes().to_vec(), vector_hex(&format!("P-mul-{r}-{s}")));
            }
        }
    }
}

#[test]
fn b121_public_inputs_occur_in_b() {
    let key = Parameters::read(vector_path("binp.params"), ParamsCheck::Subgroup).unwrap();
    let vk = PreparedVerifyingKey::from(&key.vk);
    for (r, s) in [(0, 0), (3, 5)] {
        let proof = prove(&key, &binp(), &binp_witness(), r, s).unwrap();
        assert_eq!(proof.to_bytes().to_vec(), vector_hex(&format!("P-binp-{r}-{s}")));
        assert!(vk.verify(&proof, &elements(&[2, 1])).unwrap());
        assert!(!vk.verify(&proof, &elements(&[1, 2])).unwrap());
    }
}

#[test]
fn b123_the_number_of_public_inputs_is_checked() {
    let vk = PreparedVerifyingKey::from(&mul_key().vk);
    let proof = Proof::from_bytes(&vector_hex("P-mul-0-0")).unwrap();
    assert!(vk.verify(&proof, &elements(&[33])).unwrap());
    for public in [vec![], vec![33, 0], vec![1, 33]] {
        let count = |r: Result<bool>| match r {
            Err(Error::PublicInputCount { have, need }) => (have, need),
            other => panic!("{other:?}"),
        };
        let inputs = elements(&public);
        assert_eq!(count(vk.verify(&proof, &inputs)), (public.len(), 1));
        let batch = [(proof, &inputs[..])];
        assert_eq!(
            count(vk.verify_batch(&batch, &mut rand_core::OsRng)),
            (public.len(), 1)
        );
    }
}

#[test]
fn b125_unsatisfied_witnesses_are_named() {
    let key = mul_key();
    let error = |witness: &[u64]| prove(&key, &mul(), &elements(witness), 0, 0).unwrap_err();
    assert!(matches!(
        error(&[1, 34, 3, 11]),
        Error::Unsatisfied { constraint: 0 }
    ));
    assert!(matches!(error(&[2, 33, 3, 11]), Error::FirstWireNotOne));
    assert!(matches!(error(&[0, 0, 0, 0]), Error::FirstWireNotOne));
    assert!(matches!(
        error(&[1, 33, 3]),
        Error::WitnessLength { have: 3, need: 4 }
    ));
}

#[test]
fn b125_rows_that_contradict_c_are_named() {
    let assignment = mul().assign(&mul_witness()).unwrap();
    let rows = assignment.as_assignment();
    let mut c = elements(&[33, 0, 0]);
    rows.check_c(&c).unwrap();
    c[2] += Fr::from(1);
    assert!(matches!(
        rows.check_c(&c),
        Err(Error::Unsatisfied { constraint: 2 })
    ));
    assert!(matches!(
        rows.check_c(&c[..2]),
        Err(Error::InputLength {
            what: "rows of c",
            have: 2,
            need: 3
        })
    ));
}

#[test]
fn b127_proofs_outside_the_subgroup_or_at_infinity_are_refused() {
    let good = vector_hex("P-mul-0-0");
    let g1 = |id: &str| {
        let point = G1Projective::decode_uncompressed(&vector_hex(id), PointCheck::OnCurve);
        point.unwrap().to_compressed().to_vec()
    };
    let g2 = |id: &str| {
        let point = G2Projective::decode_uncompressed(&vector_hex(id), PointCheck::OnCurve);
        point.unwrap().to_compressed().to_vec()
    };
    let infinity_1 = G1Affine::identity().to_compressed().to_vec();
    let infinity_2 = G2Affine::identity().to_compressed().to_vec();
    let cases = [
        ("A", 0, g1("g1_0_2_uncompressed"), PointError::NotInSubgroup),
        ("A", 0, g1("g1_nonsub_uncompressed"), PointError::NotInSubgroup),
        ("B", 48, g2("g2_nonsub_uncompressed"), PointError::NotInSubgroup),
        ("C", 144, g1("g1_nonsub_uncompressed"), PointError::NotInSubgroup),
        ("A", 0, infinity_1.clone(), PointError::Infinity),
        ("B", 48, infinity_2, PointError::Infinity),
        ("C", 144, infinity_1, PointError::Infinity),
    ];
    for (part, at, point, reason) in cases {
        let mut bytes = good.clone();
        bytes[at..at + point.len()].copy_from_slice(&point);
        match Proof::from_bytes(&bytes) {
            Err(Error::ProofEncoding { part: p, source }) => assert_eq!((p, source), (part, reason)),
            other => panic!("{part}: {other:?}"),
        }
    }
    // And a verifier that is handed such points without a decoder says no.
    let vk = PreparedVerifyingKey::from(&mul_key().vk);
    let mut proof = Proof::from_bytes(&good).unwrap();
    proof.a = G1Affine::identity();
    assert!(!vk.verify(&proof, &elements(&[33])).unwrap());
    assert!(!vk
        .verify_batch(&[(proof, &elements(&[33]))], &mut rand_core::OsRng)
        .unwrap());
}

#[test]
fn b129_small_and_large_public_inputs() {
    let key = mul_key();
    let vk = PreparedVerifyingKey::from(&key.vk);
    let minus_one = -Fr::from(1);
    let big = Fr::from(1 << 16);
    for (x, y) in [
        (Fr::from(0), Fr::from(5)),
        (Fr::from(1), Fr::from(1)),
        (minus_one, Fr::from(1)),
        (big, big),
    ] {
        let z = x * y;
        let proof = prove(&key, &mul(), &[Fr::from(1), z, x, y], 3, 5).unwrap();
        assert!(vk.verify(&proof, &[z]).unwrap());
        assert!(!vk.verify(&proof, &[z + Fr::from(1)]).unwrap());
    }
}

#[test]
fn s01_a_key_cut_inside_its_last_section_is_truncated() {
    let bytes = vector_bytes("mul.params");
    for cut in MUL_B_G2 + 100..MUL_END {
        let refusal = refused(&bytes[..cut], ParamsCheck::Lengths);
        let need = MUL_END as u64;
        let expected = ParamsError::Truncated {
            section: "b_g2",
            offset: MUL_B_G2,
            need,
            have: cut,
        };
        assert_eq!(refusal, expected);
    }
    // Every other cut is some section's, too.
    for cut in 0..MUL_END {
        assert!(matches!(
            refused(&bytes[..cut], ParamsCheck::Lengths),
            ParamsError::Truncated { .. }
        ));
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let expected = ParamsError::TrailingBytes {
        offset: MUL_END,
        extra: 1,
        last: "b_g2",
    };
    assert_eq!(refused(&longer, ParamsCheck::Lengths), expected);
    // Through the map, and across pages: a key of many pages cut inside the second half of b_g2.
    let r1cs = {
        let row: [Terms; 3] = [&[(2, 1)], &[(3, 1)], &[(1, 1)]];
        r1cs(2, 2, &vec![row; 300])
    };
    let mut big = Vec::new();
    setup::generate_parameters(&r1cs, &toy_waste())
        .unwrap()
        .write(&mut big)
        .unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &big[..big.len() - 50]).unwrap();
    let error = Parameters::read(file.path(), ParamsCheck::Curve).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Params {
                path: Some(_),
                source: ParamsError::Truncated { section: "b_g2", .. }
            }
        ),
        "{error}"
    );
}

#[test]
fn s03_bad_points_are_named_by_section_and_index() {
    let at = MUL_L + 4 + 96;
    let put = |point: &[u8]| {
        let mut bytes = vector_bytes("mul.params");
        bytes[at..at + point.len()].copy_from_slice(point);
        bytes
    };
    let cases = [
        (
            put(&vector_hex("g1_offcurve_uncompressed")),
            PointError::NotOnCurve,
        ),
        (put(&[0xa0]), PointError::Flags { flags: 0xa0 }),
        (put(&[0x40]), PointError::Infinity),
        (put(&[0x1f; 48]), PointError::NotCanonical),
    ];
    for (bytes, source) in cases {
        let expected = ParamsError::InvalidPoint {
            section: "l",
            index: 1,
            offset: at,
            source,
        };
        assert_eq!(refused(&bytes, ParamsCheck::Curve), expected);
    }
}

#[test]
fn s05_a_key_of_another_circuit_is_a_typed_error() {
    let binp_key = Parameters::read(vector_path("binp.params"), ParamsCheck::Subgroup).unwrap();
    let error = prove(&binp_key, &mul(), &mul_witness(), 0, 0).unwrap_err();
    assert!(
        matches!(
            error,
            Error::ShapeMismatch {
                key: 3,
                circuit: 2,
                ..
            }
        ),
        "{error}"
    );
    let counts = KeyCounts {
        ic: 2,
        h: 3,
        l: 2,
        a: 3,
        b_g1: 1,
        b_g2: 1,
    };
    assert_eq!(mul_key().counts(), counts);
}

#[cfg(unix)]
#[test]
fn s07_paths_that_are_no_regular_files() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let read = |path: &std::path::Path| Parameters::read(path, ParamsCheck::Curve).unwrap_err();
    assert!(matches!(read(folder.path()), Error::NotAFile { .. }));
    let fifo = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    // Opening it would wait for a writer that never comes.
    assert!(matches!(read(&fifo), Error::NotAFile { .. }));
    assert!(matches!(
        read(&folder.path().join("missing")),
        Error::Io { what: "open", .. }
    ));
    assert!(matches!(
        read(OsStr::from_bytes(b"a\0b").as_ref()),
        Error::Io { .. }
    ));
    let odd = folder.path().join(OsStr::from_bytes(b"\xff\xfe.params"));
    std::fs::write(&odd, vector_bytes("mul.params")).unwrap();
    assert!(Parameters::read(&odd, ParamsCheck::Curve).is_ok());
}
