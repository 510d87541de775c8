//! `proof.json` and `public.json`: the shape that snarkjs writes, and what is refused.

use bls_curves::{CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck, PointError};
use bls_fields::Fr;
use circom_formats::*;
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn proof(a: Fr, b: Fr, c: Fr) -> ProofPoints {
    ProofPoints {
        a: (G1Affine::generator() * a).to_affine(),
        b: (G2Affine::generator() * b).to_affine(),
        c: (G1Affine::generator() * c).to_affine(),
    }
}

fn generators() -> ProofPoints {
    proof(Fr::ONE, Fr::ONE, Fr::ONE)
}

// The coordinates of the generators as the curve's specifications give them, in decimal.
const G1_X: &str =
    "3685416753713387016781088315183077757961620795782546409894578378688607592378376318836054947676345821548104185464507";
const G1_Y: &str =
    "1339506544944476473020471379941921221584933875938349620426543736416511423956333506472724655353366534992391756441569";
const G2_X0: &str =
    "352701069587466618187139116011060144890029952792775240219908644239793785735715026873347600343865175952761926303160";
const G2_X1: &str =
    "3059144344244213709971259814753781636986470325476647558659373206291635324768958432433509563104347017837885763365758";
const G2_Y0: &str =
    "1985150602287291935568054521177171638300868978215655730859378665066344726373823718423869104263333984641494340347905";
const G2_Y1: &str =
    "927553665492332455747201965776037880757740193453592970025027978793976877002675564980949289727957565575433344219582";

#[test]
fn proof_of_the_generators_has_the_shape_of_snarkjs() {
    let want = format!(
        "{{\n \"pi_a\": [\n  \"{G1_X}\",\n  \"{G1_Y}\",\n  \"1\"\n ],\n \"pi_b\": [\n  [\n   \"{G2_X0}\",\n   \"{G2_X1}\"\n  ],\n  \
         [\n   \"{G2_Y0}\",\n   \"{G2_Y1}\"\n  ],\n  [\n   \"1\",\n   \"0\"\n  ]\n ],\n \"pi_c\": [\n  \"{G1_X}\",\n  \"{G1_Y}\",\n  \
         \"1\"\n ],\n \"protocol\": \"groth16\",\n \"curve\": \"bls12381\"\n}}"
    );
    assert_eq!(write_proof_json(&generators()), want);
    assert_eq!(read_proof_json(want.as_bytes()), Ok(generators()));
}

#[test]
fn random_proofs_and_inputs_round_trip() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20 {
        let proof = proof(Fr::random(&mut rng), Fr::random(&mut rng), Fr::random(&mut rng));
        assert_eq!(read_proof_json(write_proof_json(&proof).as_bytes()), Ok(proof));
    }
    let inputs: Vec<Fr> = (0..200).map(|_| Fr::random(&mut rng)).collect();
    assert_eq!(
        read_public_json(write_public_json(&inputs).as_bytes()),
        Ok(inputs)
    );
    assert_eq!(write_public_json(&[]), "[]");
}

#[test]
fn proof_json_without_space_with_more_fields_and_other_spellings_of_the_curve() {
    let text = write_proof_json(&generators()).replace(['\n', ' '], "");
    assert_eq!(read_proof_json(text.as_bytes()), Ok(generators()));
    let more = text.replacen('{', "{\"publicSignals\":[\"33\",{}],", 1);
    assert_eq!(read_proof_json(more.as_bytes()), Ok(generators()));
    for curve in ["BLS12381", "bls12-381", "BLS12_381"] {
        assert_eq!(
            read_proof_json(text.replace("bls12381", curve).as_bytes()),
            Ok(generators())
        );
    }
}

fn refused(change: impl Fn(String) -> String) -> FormatError {
    let text = write_proof_json(&generators()).replace(['\n', ' '], "");
    let changed = change(text.clone());
    assert_ne!(changed, text, "nothing was changed");
    read_proof_json(changed.as_bytes()).unwrap_err()
}

#[test]
fn proof_json_of_another_system_or_shape() {
    assert_eq!(
        refused(|t| t.replace("bls12381", "bn128")),
        FormatError::CurveMismatch {
            format: Format::ProofJson,
            got: "bn128".into(),
            want: "bls12-381"
        }
    );
    assert_eq!(
        refused(|t| t.replace("groth16", "plonk")),
        FormatError::Protocol { got: "plonk".into() }
    );
    let shape = |change: &dyn Fn(String) -> String, hint: &str| match refused(change) {
        FormatError::Json {
            format, line, reason, ..
        } => {
            assert_eq!((format, line), (Format::ProofJson, 1));
            assert!(reason.contains(hint), "{reason}");
        }
        other => panic!("{other}"),
    };
    shape(&|t| t.replace(",\"curve\":\"bls12381\"", ""), "curve");
    shape(&|t| t.replace("pi_c", "pi_x"), "pi_c");
    shape(&|t| t.replace("pi_c", "pi_a"), "duplicate field");
    shape(&|t| t.replacen(",\"1\"]", "]", 1), "3");
    shape(&|t| t + "x", "trailing");
    shape(&|t| t[..t.len() - 1].into(), "EOF");
}

#[test]
fn proof_json_coordinates() {
    let p = "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787";
    let coordinate = |place, reason| FormatError::Coordinate { place, reason };
    assert_eq!(
        refused(|t| t.replacen(G1_X, p, 1)),
        coordinate("pi_a[0]", DecimalError::TooLarge { modulus: "p" })
    );
    // Longer than any integer below p.
    assert_eq!(
        refused(|t| t.replace(G2_Y0, &"9".repeat(200))),
        coordinate("pi_b[1][0]", DecimalError::TooLarge { modulus: "p" })
    );
    assert_eq!(
        refused(|t| t.replace(&format!("\"{G2_Y1}\""), G2_Y1)),
        coordinate("pi_b[1][1]", DecimalError::NotAString)
    );
    assert_eq!(
        refused(|t| t.replacen("[\"1\",\"0\"]", "[\"1\",\"x\"]", 1)),
        coordinate("pi_b[2][1]", DecimalError::NotDecimal { position: 0 })
    );
}

#[test]
fn proof_json_points() {
    let point = |point, source| FormatError::Point { point, source };
    assert_eq!(
        refused(|t| t.replacen(G1_Y, G1_X, 1)),
        point("pi_a", PointError::NotOnCurve)
    );
    // c0 and c1 swapped
    assert_eq!(
        refused(|t| t.replace(G2_X0, "-").replace(G2_X1, G2_X0).replace('-', G2_X1)),
        point("pi_b", PointError::NotOnCurve)
    );
    // (0, 2) is on the curve, of order 3.
    assert_eq!(
        refused(|t| t.replacen(G1_X, "0", 1).replacen(G1_Y, "2", 1)),
        point("pi_a", PointError::NotInSubgroup)
    );
    let two = |t: String| t.replacen(",\"1\"]", ",\"2\"]", 1);
    assert!(matches!(
        refused(two),
        FormatError::NotAffine { point: "pi_a", .. }
    ));
    let one_one = |t: String| t.replace("[\"1\",\"0\"]", "[\"1\",\"1\"]");
    assert!(matches!(
        refused(one_one),
        FormatError::NotAffine { point: "pi_b", .. }
    ));

    let infinities = ProofPoints {
        a: G1Affine::identity(),
        ..generators()
    };
    let text = write_proof_json(&infinities);
    assert!(text
        .replace(['\n', ' '], "")
        .contains("\"pi_a\":[\"0\",\"1\",\"0\"]"));
    assert_eq!(
        read_proof_json(text.as_bytes()),
        Err(point("pi_a", PointError::Infinity))
    );
    let infinities = ProofPoints {
        b: G2Affine::identity(),
        ..generators()
    };
    let text = write_proof_json(&infinities);
    assert_eq!(
        read_proof_json(text.as_bytes()),
        Err(point("pi_b", PointError::Infinity))
    );
}

#[test]
fn public_json_is_strict() {
    let r = "52435875175126190479447740508185965837690552500527637822603658699938581184513";
    let too_large = DecimalError::TooLarge { modulus: "r" };
    let at = |position| DecimalError::NotDecimal { position };
    for (element, reason) in [
        ("33", DecimalError::NotAString),
        ("null", DecimalError::NotAString),
        ("[\"33\"]", DecimalError::NotAString),
        ("\"\"", DecimalError::Empty),
        ("\"-1\"", DecimalError::Negative),
        ("\"+1\"", at(0)),
        ("\" 1\"", at(0)),
        ("\"1.0\"", at(1)),
        ("\"1e3\"", at(1)),
        ("\"0x21\"", at(1)),
        ("\"\\u0033\"", at(0)),
        ("\"\u{0663}\"", at(0)),
        ("\"00\"", DecimalError::LeadingZero),
        ("\"033\"", DecimalError::LeadingZero),
        (&format!("\"{r}\""), too_large),
        (&format!("\"{}\"", "9".repeat(78)), too_large),
        (&format!("\"{}\"", "9".repeat(100_000)), too_large),
    ] {
        assert_eq!(
            read_public_json(format!("[\"33\", {element}]").as_bytes()),
            Err(FormatError::PublicInput { index: 1, reason }),
            "{element}"
        );
    }
    for text in [
        "",
        "{}",
        "\"33\"",
        "[\"33\",]",
        "[\"33\"] []",
        "[\"33\"",
        "33",
        "[\"\u{1}\"]",
    ] {
        let result = read_public_json(text.as_bytes());
        assert!(
            matches!(result, Err(FormatError::Json { line: 1, .. })),
            "{text}: {result:?}"
        );
    }
    assert!(read_public_json(b"[\"\xff\"]").is_err());
}

/// Uncompressed zcash bytes and JSON name the same point: the order of c0 and c1 differs between the two.
#[test]
fn json_and_bytes_agree() {
    let proof = proof(Fr::from(7), Fr::from(8), Fr::from(9));
    let read = read_proof_json(write_proof_json(&proof).as_bytes()).unwrap();
    let b = G2Projective::decode_uncompressed(&proof.b.to_uncompressed(), PointCheck::Subgroup).unwrap();
    let a = G1Projective::decode_uncompressed(&proof.a.to_uncompressed(), PointCheck::Subgroup).unwrap();
    assert_eq!((read.a, read.b), (a, b));
}
