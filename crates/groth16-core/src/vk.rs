use crate::params::{ParamsError, ParamsIndex};
use crate::{Error, Result};
use bls_curves::{CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck};

/// What a verifier needs, and the head of a `.params` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    /// α in G1
    pub alpha_g1: G1Affine,
    /// β in G1, for the prover
    pub beta_g1: G1Affine,
    /// β in G2
    pub beta_g2: G2Affine,
    /// γ in G2
    pub gamma_g2: G2Affine,
    /// δ in G1, for the prover
    pub delta_g1: G1Affine,
    /// δ in G2
    pub delta_g2: G2Affine,
    /// (β·aᵢ(τ) + α·bᵢ(τ) + cᵢ(τ))/γ for ONE and each public input
    pub ic: Vec<G1Affine>,
}

impl VerifyingKey {
    /// Number of public inputs, ONE not counted.
    pub fn n_public(&self) -> usize {
        self.ic.len().saturating_sub(1)
    }

    /// The bytes of a `.vk` file, which are the first 868 + 96·|ic| bytes of its `.params`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(ParamsIndex::VK_HEAD_BYTES + 4 + 96 * self.ic.len());
        G1Projective::encode_uncompressed(&self.alpha_g1, &mut out);
        G1Projective::encode_uncompressed(&self.beta_g1, &mut out);
        G2Projective::encode_uncompressed(&self.beta_g2, &mut out);
        G2Projective::encode_uncompressed(&self.gamma_g2, &mut out);
        G1Projective::encode_uncompressed(&self.delta_g1, &mut out);
        G2Projective::encode_uncompressed(&self.delta_g2, &mut out);
        out.extend((self.ic.len() as u32).to_be_bytes());
        self.ic
            .iter()
            .for_each(|point| G1Projective::encode_uncompressed(point, &mut out));
        out
    }

    /// Reads a `.vk` file: every point checked as `check` says, no bytes after the last one.
    pub fn from_bytes(bytes: &[u8], check: PointCheck) -> Result<Self> {
        let vk_bytes = ParamsIndex::vk_bytes(bytes).map_err(Error::params)?;
        if bytes.len() > vk_bytes {
            return Err(Error::params(ParamsError::TrailingBytes {
                offset: vk_bytes,
                extra: bytes.len() - vk_bytes,
                last: "ic",
            }));
        }
        Self::read_head(bytes, check)
    }

    /// Reads the verifying key at the head of parameters.
    pub(crate) fn read_head(bytes: &[u8], check: PointCheck) -> Result<Self> {
        let ic = ParamsIndex::ic_section(bytes).map_err(Error::params)?;
        // The lengths were checked by `ic_section`.
        Ok(VerifyingKey {
            alpha_g1: head::<G1Projective>(bytes, "alpha_g1", 0, check)?,
            beta_g1: head::<G1Projective>(bytes, "beta_g1", 96, check)?,
            beta_g2: head::<G2Projective>(bytes, "beta_g2", 192, check)?,
            gamma_g2: head::<G2Projective>(bytes, "gamma_g2", 384, check)?,
            delta_g1: head::<G1Projective>(bytes, "delta_g1", 576, check)?,
            delta_g2: head::<G2Projective>(bytes, "delta_g2", 672, check)?,
            ic: ic.decode::<G1Projective>(bytes, check).map_err(Error::params)?,
        })
    }
}

fn head<C: CurveGroup>(
    bytes: &[u8],
    section: &'static str,
    offset: usize,
    check: PointCheck,
) -> Result<C::Affine> {
    C::decode_uncompressed(&bytes[offset..offset + C::UNCOMPRESSED_BYTES], check).map_err(|source| {
        Error::params(ParamsError::InvalidPoint {
            section,
            index: 0,
            offset,
            source,
        })
    })
}
