//! The point encodings of zcash and blst, with a typed reason for each refusal.
//!
//! Compressed, as proofs hold them: x alone, big-endian, with flags in the top three bits
//! of the first byte. Uncompressed:
//! Big-endian 48-byte canonical coordinates: G1 is x, y; G2 is x.c1, x.c0, y.c1, y.c0. The top three
//! bits of the first byte are flags (compressed, infinity, sign) and are all zero in a `.params` file,
//! where infinity is never written.

use crate::{Affine, CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective};
use bls_fields::{Fp, Fp2};

/// How much of a point is checked when it is read. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointCheck {
    /// Flags and that each coordinate is below p.
    Encoding,
    /// The curve equation.
    OnCurve,
    /// The order-r subgroup: about 20 times the cost of the curve equation.
    Subgroup,
}

/// Why bytes are not a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointError {
    /// Not as many bytes as the encoding has.
    #[error("{have} bytes where {need} are needed")]
    Length {
        /// bytes given
        have: usize,
        /// bytes of the encoding
        need: usize,
    },
    /// The first byte has the flag of the compressed encoding, or the sign flag that only that encoding has.
    #[error("flag bits 0x{flags:02x} in the first byte, where an uncompressed point has none (is it compressed, or not big-endian?)")]
    Flags {
        /// the three top bits of the first byte
        flags: u8,
    },
    /// The flag of the compressed encoding is missing.
    #[error(
        "the first byte lacks the flag of the compressed encoding (the encoding is zcash's: big-endian)"
    )]
    NotCompressed,
    /// The encoding of the neutral element, which parameters and proofs may not hold.
    #[error("point at infinity")]
    Infinity,
    /// A coordinate is not below p.
    #[error("a coordinate is not below p (the encoding is zcash's: big-endian, G2 with c1 before c0)")]
    NotCanonical,
    /// The curve equation does not hold.
    #[error("not on the curve (the encoding is zcash's: big-endian, G2 with c1 before c0)")]
    NotOnCurve,
    /// On the curve, but not in the subgroup of order r.
    #[error("not in the subgroup of order r")]
    NotInSubgroup,
}

/// Splits an encoding into `N` coordinates after its flags and length were checked.
fn coordinates<const N: usize>(bytes: &[u8]) -> Result<[Fp; N], PointError> {
    if bytes.len() != 48 * N {
        return Err(PointError::Length {
            have: bytes.len(),
            need: 48 * N,
        });
    }
    match bytes[0] & 0xe0 {
        0 => {}
        0x40 => return Err(PointError::Infinity),
        flags => return Err(PointError::Flags { flags }),
    }
    let mut out = [Fp::default(); N];
    for (coordinate, chunk) in out.iter_mut().zip(bytes.chunks_exact(48)) {
        let mut be = [0u8; 48];
        be.copy_from_slice(chunk);
        *coordinate = Fp::from_be_bytes(&be).ok_or(PointError::NotCanonical)?;
    }
    Ok(out)
}

pub(crate) fn decode_g1(bytes: &[u8], check: PointCheck) -> Result<G1Affine, PointError> {
    let [x, y] = coordinates::<2>(bytes)?;
    let coordinates = Affine { x, y };
    if coordinates.is_infinity() {
        // Without its flag (0, 0) is no encoding of infinity, and the point is not on the curve.
        return Err(PointError::NotOnCurve);
    }
    let point = G1Projective::from_affine(coordinates);
    check_level(
        check,
        || point.is_on_curve().into(),
        || point.is_torsion_free().into(),
    )
    .map(|()| point)
}

pub(crate) fn decode_g2(bytes: &[u8], check: PointCheck) -> Result<G2Affine, PointError> {
    let [xc1, xc0, yc1, yc0] = coordinates::<4>(bytes)?;
    let coordinates = Affine {
        x: Fp2 { c0: xc0, c1: xc1 },
        y: Fp2 { c0: yc0, c1: yc1 },
    };
    if coordinates.is_infinity() {
        return Err(PointError::NotOnCurve);
    }
    let point = G2Projective::from_affine(coordinates);
    check_level(
        check,
        || point.is_on_curve().into(),
        || point.is_torsion_free().into(),
    )
    .map(|()| point)
}

fn check_level(
    check: PointCheck,
    on_curve: impl Fn() -> bool,
    in_subgroup: impl Fn() -> bool,
) -> Result<(), PointError> {
    if check >= PointCheck::OnCurve && !on_curve() {
        return Err(PointError::NotOnCurve);
    }
    if check >= PointCheck::Subgroup && !in_subgroup() {
        return Err(PointError::NotInSubgroup);
    }
    Ok(())
}

/// Reads one compressed point, checks it whole, and says which check failed.
macro_rules! decode_compressed {
    ($(#[$doc:meta])* $name:ident, $affine:ty, $blst:ty, $uncompress:path, $bytes:literal) => {
        $(#[$doc])*
        pub fn $name(bytes: &[u8]) -> Result<$affine, PointError> {
            if bytes.len() != $bytes {
                return Err(PointError::Length { have: bytes.len(), need: $bytes });
            }
            match bytes[0] & 0xc0 {
                0x80 => {}
                0xc0 => return Err(PointError::Infinity),
                _ => return Err(PointError::NotCompressed),
            }
            let mut point = <$affine>::default();
            let raw: &mut $blst = point.as_mut();
            // SAFETY: blst reads the number of bytes that was just checked, and writes one affine point.
            match unsafe { $uncompress(raw, bytes.as_ptr()) } {
                blst::BLST_ERROR::BLST_SUCCESS => {}
                blst::BLST_ERROR::BLST_BAD_ENCODING => return Err(PointError::NotCanonical),
                // What blst answers of x = 0, whose points are on the curve.
                blst::BLST_ERROR::BLST_POINT_NOT_IN_GROUP => return Err(PointError::NotInSubgroup),
                _ => return Err(PointError::NotOnCurve),
            }
            match bool::from(point.is_torsion_free()) {
                true => Ok(point),
                false => Err(PointError::NotInSubgroup),
            }
        }
    };
}

decode_compressed!(
    /// Reads a compressed point of G1, 48 bytes: canonical, on the curve, in the subgroup, not infinity.
    decode_compressed_g1,
    G1Affine,
    blst::blst_p1_affine,
    blst::blst_p1_uncompress,
    48
);
decode_compressed!(
    /// Reads a compressed point of G2, 96 bytes: canonical, on the curve, in the subgroup, not infinity.
    decode_compressed_g2,
    G2Affine,
    blst::blst_p2_affine,
    blst::blst_p2_uncompress,
    96
);
