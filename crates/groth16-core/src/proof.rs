use crate::{Error, Result};
use bls_curves::{encoding, G1Affine, G2Affine, PointError};

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

    /// Reads a proof; each point must be canonical, on its curve, in the
    /// subgroup of order r, and not infinity.
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
        let refuse = |part| move |source| Error::ProofEncoding { part, source };
        Ok(Proof {
            a: encoding::decode_compressed_g1(&bytes[..48]).map_err(refuse("A"))?,
            b: encoding::decode_compressed_g2(&bytes[48..144]).map_err(refuse("B"))?,
            c: encoding::decode_compressed_g1(&bytes[144..]).map_err(refuse("C"))?,
        })
    }
}
