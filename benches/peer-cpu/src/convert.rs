//! Our elements, points and keys as arkworks' types.

use ark_bls12_381::{Bls12_381, Fq, Fq2};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField};
use bls_curves::{G1Affine, G2Affine};
use bls_fields::{Fr, FrRepr};
use groth16_core::{Densities, Density, Parameters};
use group::prime::PrimeCurveAffine;

pub fn ark_fr(element: &Fr) -> ark_bls12_381::Fr {
    let limbs = *FrRepr::from(*element).limbs();
    ark_bls12_381::Fr::from_bigint(BigInt(limbs)).expect("a canonical scalar is below r")
}

pub fn ark_g1(point: &G1Affine) -> ark_bls12_381::G1Affine {
    if bool::from(point.is_identity()) {
        return ark_bls12_381::G1Affine::identity();
    }
    let bytes = point.to_uncompressed();
    ark_bls12_381::G1Affine::new_unchecked(fq(&bytes[..48]), fq(&bytes[48..]))
}

pub fn ark_g2(point: &G2Affine) -> ark_bls12_381::G2Affine {
    if bool::from(point.is_identity()) {
        return ark_bls12_381::G2Affine::identity();
    }
    let bytes = point.to_uncompressed();
    // The encoding has the coefficient of u first.
    let fq2 = |bytes: &[u8]| Fq2::new(fq(&bytes[48..]), fq(&bytes[..48]));
    ark_bls12_381::G2Affine::new_unchecked(fq2(&bytes[..96]), fq2(&bytes[96..]))
}

fn fq(big_endian: &[u8]) -> Fq {
    Fq::from_be_bytes_mod_order(big_endian)
}

/// A proving key of arkworks' shape: a point for each wire in every query, infinity
/// where the wire does not occur.
pub fn ark_key(key: &Parameters, densities: &Densities) -> ark_groth16::ProvingKey<Bls12_381> {
    let g1 = |points: &[G1Affine]| points.iter().map(ark_g1).collect::<Vec<_>>();
    let vk = &key.vk;
    let n_inputs = vk.ic.len();
    let a_aux = densities.a_aux.as_density();
    let b = [densities.b_input.as_density(), densities.b_aux.as_density()];
    let a_query = key.a[..n_inputs].iter().map(ark_g1);
    let a_rest = key.a[n_inputs..].iter().map(ark_g1);
    ark_groth16::ProvingKey {
        a_query: a_query.chain(spread(&[a_aux], a_rest)).collect(),
        b_g1_query: spread(&b, key.b_g1.iter().map(ark_g1)),
        b_g2_query: spread(&b, key.b_g2.iter().map(ark_g2)),
        h_query: g1(&key.h),
        l_query: g1(&key.l),
        beta_g1: ark_g1(&vk.beta_g1),
        delta_g1: ark_g1(&vk.delta_g1),
        vk: ark_groth16::VerifyingKey {
            alpha_g1: ark_g1(&vk.alpha_g1),
            beta_g2: ark_g2(&vk.beta_g2),
            gamma_g2: ark_g2(&vk.gamma_g2),
            delta_g2: ark_g2(&vk.delta_g2),
            gamma_abc_g1: g1(&vk.ic),
        },
    }
}

fn spread<P: AffineRepr>(densities: &[Density<'_>], mut points: impl Iterator<Item = P>) -> Vec<P> {
    let bits = densities
        .iter()
        .flat_map(|density| (0..density.len()).map(|i| density.get(i)));
    bits.map(|occurs| {
        if occurs {
            points.next().expect("a key has a point for each dense wire")
        } else {
            P::zero()
        }
    })
    .collect()
}
