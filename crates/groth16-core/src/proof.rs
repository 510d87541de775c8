use crate::{Error, Result};
use bls_curves::{G1Affine, G2Affine, PointError};
use group::prime::PrimeCurveAffine;

/// A Groth16 proof: (A, B, C) with e(A, B) = e(α, β) · e(Σ xᵢ·ICᵢ, γ) · e(C, δ).
///
/// `repr(C)` in this order, as bellperson's own type is: a caller's memory for proofs is written as this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Proof {
    /// A, in G1
    pub a: G1Affine,
    /// B, in G2
    pub b: G2Affine,
    /// C, in G1
    pub c: G1Affine,
}

const _: () = assert!(core::mem::size_of::<Proof>() == 384);

impl Proof {
    /// Bytes of an encoded proof.
    pub const BYTES: usize = 192;

    /// A, B, C compressed (48, 96 and 48 bytes), as bellman and bellperson write them.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut out = [0; Self::BYTES];
        out[..48].copy_from_slice(&self.a.to_compressed());
        out[48..144].copy_from_slice(&self.b.to_compressed());
        out[144..].copy_from_slice(&self.c.to_compressed());
        out
    }

    /// Reads a proof; each point must be canonical, on its curve, in the subgroup of order r, and not infinity.
    ///
    /// A proof with a point at infinity is refused here, as bellman refuses it: an honest prover makes none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.len() != Self::BYTES {
            let source = PointError::Length {
                have: bytes.len(),
                need: Self::BYTES,
            };
            return Err(Error::ProofEncoding {
                part: "length",
                source,
            });
        }
        Ok(Proof {
            a: compressed_g1("A", &bytes[..48])?,
            b: compressed_g2("B", &bytes[48..144])?,
            c: compressed_g1("C", &bytes[144..])?,
        })
    }
}

/// Decodes one compressed point, checks included, and says which check failed.
macro_rules! compressed {
    ($name:ident, $affine:ty, $bytes:literal) => {
        fn $name(part: &'static str, bytes: &[u8]) -> Result<$affine> {
            let mut array = [0u8; $bytes];
            array.copy_from_slice(bytes);
            let refuse = |source| Err(Error::ProofEncoding { part, source });
            if array[0] & 0x80 == 0 {
                return refuse(PointError::NotCompressed);
            }
            let Some(point) = Option::<$affine>::from(<$affine>::from_compressed_unchecked(&array)) else {
                return refuse(PointError::NotOnCurve);
            };
            if point.is_identity().into() {
                return refuse(PointError::Infinity);
            }
            if !bool::from(point.is_torsion_free()) {
                return refuse(PointError::NotInSubgroup);
            }
            Ok(point)
        }
    };
}
compressed!(compressed_g1, G1Affine, 48);
compressed!(compressed_g2, G2Affine, 96);
