//! snarkjs' `proof.json`: affine coordinates as decimal strings, an element
//! c0 + c1·u of the extension as [c0, c1].

use crate::container::BLS12_381;
use crate::error::excerpt;
use crate::public_json::{json_error, to_json};
use crate::{decimal, DecimalError, Format, FormatError};
use bls_curves::{
    Affine, CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck, PointError,
};
use bls_fields::Fp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The three points of a Groth16 proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofPoints {
    /// A, in G1
    pub a: G1Affine,
    /// B, in G2
    pub b: G2Affine,
    /// C, in G1
    pub c: G1Affine,
}

const PROTOCOL: &str = "groth16";
const CURVE: &str = "bls12381";

/// The file with coordinates `T`: raw JSON when it is read, text when it is
/// written. Order as snarkjs writes it.
#[derive(Serialize, Deserialize)]
struct ProofFile<'a, T> {
    pi_a: [T; 3],
    pi_b: [[T; 2]; 3],
    pi_c: [T; 3],
    #[serde(borrow)]
    protocol: Cow<'a, str>,
    #[serde(borrow)]
    curve: Cow<'a, str>,
}

/// Reads `proof.json`. Every point is checked to be on its curve and in the subgroup
/// of order r; infinity is refused.
///
/// Strict as [`read_public_json`](crate::read_public_json): coordinates are decimal strings of integers below
/// p. `protocol` and `curve` must be there and say groth16 and BLS12-381 (in any spelling, as in snarkjs:
/// case and punctuation do not count). Unknown fields are skipped.
///
/// # Errors
/// [`FormatError`]: JSON of another shape, another protocol or curve, a coordinate that is no canonical
/// integer below p, a point that is not affine, not on the curve or not in the subgroup.
pub fn read_proof_json(text: &[u8]) -> Result<ProofPoints, FormatError> {
    let file: ProofFile<'_, &RawValue> =
        serde_json::from_slice(text).map_err(|e| json_error(Format::ProofJson, &e))?;
    if file.protocol != PROTOCOL {
        return Err(FormatError::Protocol {
            got: excerpt(&file.protocol),
        });
    }
    let spelled = file.curve.chars().filter(char::is_ascii_alphanumeric);
    if !spelled.map(|c| c.to_ascii_lowercase()).eq(CURVE.chars()) {
        return Err(FormatError::CurveMismatch {
            format: Format::ProofJson,
            got: excerpt(&file.curve),
            want: BLS12_381,
        });
    }
    Ok(ProofPoints {
        a: g1("pi_a", ["pi_a[0]", "pi_a[1]", "pi_a[2]"], file.pi_a)?,
        b: g2(file.pi_b)?,
        c: g1("pi_c", ["pi_c[0]", "pi_c[1]", "pi_c[2]"], file.pi_c)?,
    })
}

/// Writes `proof.json` as snarkjs does. (Infinity, which no verifier accepts,
/// becomes snarkjs' `["0","1","0"]`.)
pub fn write_proof_json(proof: &ProofPoints) -> String {
    let text = |fp: Fp| decimal::format(fp.to_be_bytes());
    let number = |n: u8| n.to_string();
    let g1 = |point: G1Affine| match G1Projective::coordinates(&[point])[0] {
        p if p.is_infinity() => [number(0), number(1), number(0)],
        Affine { x, y } => [text(x), text(y), number(1)],
    };
    let pi_b = match G2Projective::coordinates(&[proof.b])[0] {
        p if p.is_infinity() => [
            [number(0), number(0)],
            [number(1), number(0)],
            [number(0), number(0)],
        ],
        Affine { x, y } => [
            [text(x.c0), text(x.c1)],
            [text(y.c0), text(y.c1)],
            [number(1), number(0)],
        ],
    };
    to_json(&ProofFile {
        pi_a: g1(proof.a),
        pi_b,
        pi_c: g1(proof.c),
        protocol: PROTOCOL.into(),
        curve: CURVE.into(),
    })
}

fn g1(point: &'static str, places: [&'static str; 3], json: [&RawValue; 3]) -> Result<G1Affine, FormatError> {
    let [x, y, z] = [0, 1, 2].map(|i| coordinate(places[i], json[i]));
    let (x, y, z) = (x?, y?, z?);
    check_last(point, &[z], "\"1\"")?;
    decode::<G1Projective>(point, &[x, y])
}

fn g2(json: [[&RawValue; 2]; 3]) -> Result<G2Affine, FormatError> {
    const PLACES: [[&str; 2]; 3] = [
        ["pi_b[0][0]", "pi_b[0][1]"],
        ["pi_b[1][0]", "pi_b[1][1]"],
        ["pi_b[2][0]", "pi_b[2][1]"],
    ];
    let at = |i: usize, part: usize| coordinate(PLACES[i][part], json[i][part]);
    let [x0, x1, y0, y1] = [at(0, 0)?, at(0, 1)?, at(1, 0)?, at(1, 1)?];
    check_last("pi_b", &[at(2, 0)?, at(2, 1)?], "[\"1\",\"0\"]")?;
    // The uncompressed encoding has c1 first.
    decode::<G2Projective>("pi_b", &[x1, x0, y1, y0])
}

/// A canonical integer below p, big-endian.
fn coordinate(place: &'static str, json: &RawValue) -> Result<[u8; 48], FormatError> {
    decimal::parse(json.get(), "p")
        .and_then(|be| match Fp::from_be_bytes(&be) {
            Some(_) => Ok(be),
            None => Err(DecimalError::TooLarge { modulus: "p" }),
        })
        .map_err(|reason| FormatError::Coordinate { place, reason })
}

/// The third coordinate is 1 for every affine point and 0 at infinity.
fn check_last(point: &'static str, parts: &[[u8; 48]], want: &'static str) -> Result<(), FormatError> {
    let is = |value: u8| {
        let mut wanted = [0; 48];
        wanted[47] = value;
        parts[0] == wanted && parts[1..].iter().all(|part| *part == [0; 48])
    };
    if is(1) {
        Ok(())
    } else if is(0) {
        let source = PointError::Infinity;
        Err(FormatError::Point { point, source })
    } else {
        Err(FormatError::NotAffine { point, want })
    }
}

fn decode<C: CurveGroup>(point: &'static str, coordinates: &[[u8; 48]]) -> Result<C::Affine, FormatError> {
    C::decode_uncompressed(&coordinates.concat(), PointCheck::Subgroup)
        .map_err(|source| FormatError::Point { point, source })
}
