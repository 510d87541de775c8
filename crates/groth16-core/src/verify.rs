//! The verifier, for one proof and for many.

use crate::{Error, Proof, Result, VerifyingKey};
use bls_curves::{pairing, Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, Gt};
use bls_fields::Fr;
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve, Group};
use pairing::{MillerLoopResult, MultiMillerLoop};
use rand_core::RngCore;

/// A verifying key with its pairing work done once: e(α, β), and γ and δ prepared.
pub struct PreparedVerifyingKey {
    alpha_beta: Gt,
    neg_gamma: G2Prepared,
    neg_delta: G2Prepared,
    ic: Vec<G1Affine>,
}

impl From<&VerifyingKey> for PreparedVerifyingKey {
    fn from(vk: &VerifyingKey) -> Self {
        PreparedVerifyingKey {
            alpha_beta: pairing(&vk.alpha_g1, &vk.beta_g2),
            neg_gamma: G2Prepared::from(-vk.gamma_g2),
            neg_delta: G2Prepared::from(-vk.delta_g2),
            ic: vk.ic.clone(),
        }
    }
}

impl PreparedVerifyingKey {
    /// Whether e(A, B) = e(α, β) · e(IC₀ + Σ xᵢ·ICᵢ, γ) · e(C, δ).
    ///
    /// A proof with a point at infinity is never accepted, as a decoder refuses it too.
    ///
    /// # Errors
    /// [`Error::PublicInputCount`]: `public` must have one element for each input
    /// but ONE, no more and no fewer.
    pub fn verify(&self, proof: &Proof, public: &[Fr]) -> Result<bool> {
        let ic = self.accumulate_inputs(public)?.to_affine();
        if has_infinity(proof) {
            return Ok(false);
        }
        let terms = [
            (&proof.a, &G2Prepared::from(proof.b)),
            (&ic, &self.neg_gamma),
            (&proof.c, &self.neg_delta),
        ];
        Ok(Bls12::multi_miller_loop(&terms).final_exponentiation() == self.alpha_beta)
    }

    /// Whether all of many proofs of one key verify: one pairing a proof and three more, by a random linear
    /// combination. Accepts a wrong one with probability 2⁻¹²⁸ at most.
    ///
    /// `rng` must be unpredictable to whoever made the proofs.
    ///
    /// # Errors
    /// As [`PreparedVerifyingKey::verify`], for the first proof whose inputs do not fit.
    pub fn verify_batch(&self, proofs: &[(Proof, &[Fr])], rng: &mut impl RngCore) -> Result<bool> {
        let mut ic_sum = G1Projective::identity();
        let mut c_sum = G1Projective::identity();
        let mut weight_sum = Fr::ZERO;
        let mut pairs: Vec<(G1Affine, G2Prepared)> = Vec::with_capacity(proofs.len());
        let mut all_finite = true;
        for (proof, public) in proofs {
            let weight = random_weight(rng);
            ic_sum += self.accumulate_inputs(public)? * weight;
            c_sum += proof.c * weight;
            weight_sum += weight;
            pairs.push(((proof.a * weight).to_affine(), G2Prepared::from(proof.b)));
            all_finite &= !has_infinity(proof);
        }
        let (ic_sum, c_sum) = (ic_sum.to_affine(), c_sum.to_affine());
        let mut terms: Vec<(&G1Affine, &G2Prepared)> = pairs.iter().map(|(a, b)| (a, b)).collect();
        terms.push((&ic_sum, &self.neg_gamma));
        terms.push((&c_sum, &self.neg_delta));
        let product = Bls12::multi_miller_loop(&terms).final_exponentiation();
        Ok(all_finite && product == self.alpha_beta * weight_sum)
    }

    /// IC₀ + Σ xᵢ·ICᵢ
    fn accumulate_inputs(&self, public: &[Fr]) -> Result<G1Projective> {
        if public.len() + 1 != self.ic.len() {
            return Err(Error::PublicInputCount {
                have: public.len(),
                need: self.ic.len().saturating_sub(1),
            });
        }
        let first = G1Projective::from(self.ic[0]);
        Ok(self.ic[1..]
            .iter()
            .zip(public)
            .fold(first, |sum, (point, x)| sum + *point * x))
    }
}

/// 128 random bits, not zero.
fn random_weight(rng: &mut impl RngCore) -> Fr {
    loop {
        let mut bytes = [0u8; 32];
        rng.fill_bytes(&mut bytes[..16]);
        // 128 bits are below r.
        let weight = Option::<Fr>::from(Fr::from_bytes_le(&bytes)).unwrap_or(Fr::ZERO);
        if !weight.is_zero_vartime() {
            return weight;
        }
    }
}

fn has_infinity(proof: &Proof) -> bool {
    let infinite = |p: G1Affine| bool::from(p.is_identity());
    infinite(proof.a) || bool::from(G2Affine::is_identity(&proof.b)) || infinite(proof.c)
}
