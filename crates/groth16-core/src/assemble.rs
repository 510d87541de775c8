//! The end of a proof: from the five sums to its three points.

use crate::{Blinding, Proof, VerifyingKey};
use bls_curves::{G1Affine, G1Projective, G2Affine, G2Projective};

/// The five multi-scalar multiplications of a proof.
#[derive(Clone, Copy, Debug)]
pub struct MsmResults {
    /// Σ hᵢ·Hᵢ
    pub h: G1Projective,
    /// Σ wᵢ·Lᵢ over private wires
    pub l: G1Projective,
    /// Σ wᵢ·Aᵢ
    pub a: G1Projective,
    /// Σ wᵢ·Bᵢ in G1
    pub b_g1: G1Projective,
    /// Σ wᵢ·Bᵢ in G2
    pub b_g2: G2Projective,
}

/// Puts a proof together:
/// A = α + Σa + r·δ, B = β + Σb + s·δ, C = Σh + Σl + s·A + r·B₁ - r·s·δ, where B₁ is B in G1.
pub fn assemble(vk: &VerifyingKey, sums: &MsmResults, blinding: &Blinding) -> Proof {
    let Blinding { r, s } = blinding;
    let delta_g1 = G1Projective::from(vk.delta_g1);
    let a = sums.a + vk.alpha_g1 + delta_g1 * r;
    let b = sums.b_g2 + vk.beta_g2 + G2Projective::from(vk.delta_g2) * s;
    let b_g1 = sums.b_g1 + vk.beta_g1 + delta_g1 * s;
    let c = sums.h + sums.l + a * s + b_g1 * r - delta_g1 * (r * s);
    Proof {
        a: G1Affine::from(a),
        b: G2Affine::from(b),
        c: G1Affine::from(c),
    }
}
