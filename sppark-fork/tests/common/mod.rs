//! What the tests of the transforms share: elements as bytes, a naive transform, the devices to run on.
#![allow(dead_code, unreachable_pub)]

use bls_fields::Fr;
use ff::{Field, PrimeField};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// An element as the card has it: eight Montgomery limbs.
pub type Element = [u32; 8];

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub fn random(n: usize, seed: u64) -> Vec<Fr> {
    let mut rng = rng(seed);
    (0..n).map(|_| Fr::random(&mut rng)).collect()
}

pub fn to_element(value: &Fr) -> Element {
    const { assert!(size_of::<Fr>() == 32) };
    // SAFETY: `Fr` is `blst_fr`, four 64-bit Montgomery limbs, little-endian: the same 32 bytes.
    unsafe { std::mem::transmute_copy(value) }
}

pub fn to_elements(values: &[Fr]) -> Vec<Element> {
    values.iter().map(to_element).collect()
}

/// The root of order `2^log_n`, from the field's own of order 2^32.
pub fn root(log_n: u32) -> Fr {
    (log_n..Fr::S).fold(Fr::ROOT_OF_UNITY, |root, _| root.square())
}

/// `sum_i a[i] (shift w^k)^i` for each `k`, by Horner.
pub fn naive(a: &[Fr], shift: Fr) -> Vec<Fr> {
    let w = root(a.len().trailing_zeros());
    let mut point = shift;
    (0..a.len())
        .map(|_| {
            let value = a
                .iter()
                .rev()
                .fold(Fr::ZERO, |sum, coefficient| sum * point + coefficient);
            point *= w;
            value
        })
        .collect()
}

pub fn reversed<T: Copy>(values: &[T]) -> Vec<T> {
    let log_n = values.len().trailing_zeros();
    (0..values.len())
        .map(|i| {
            values[if log_n == 0 {
                0
            } else {
                i.reverse_bits() >> (usize::BITS - log_n)
            }]
        })
        .collect()
}
