//! Larger domains, where a naive sum is out of reach: the transform of the k-th unit vector is ω^(ik).

mod common;

use bls_fields::{coset_generator, Fr};
use ff::Field;
use groth16_core::domain::Domain;
use groth16_core::ntt::Order;

/// Checks the transforms of unit vectors at `samples` positions.
fn unit_vectors(log_n: u32, samples: usize) {
    let domain = Domain::new(log_n).unwrap();
    let n = domain.size();
    let reverse = |i: usize| i.reverse_bits() >> (usize::BITS - log_n);
    // Odd, so that the samples meet every residue.
    let positions: Vec<usize> = (0..samples.min(n))
        .map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - log_n))
        .collect();
    let mut values = vec![Fr::ZERO; n];
    for k in [0, 1, n / 2, n - 1, n / 3] {
        let power = domain.omega().pow_vartime([k as u64]);
        let scale = coset_generator().pow_vartime([k as u64]);
        for order in [Order::Natural, Order::ToReversed, Order::FromReversed] {
            let input = if order == Order::FromReversed {
                reverse(k)
            } else {
                k
            };
            let place = |i: usize| if order == Order::ToReversed { reverse(i) } else { i };
            for coset in [false, true] {
                values.fill(Fr::ZERO);
                values[input] = Fr::ONE;
                match coset {
                    false => domain.ntt_ordered(&mut values, order).unwrap(),
                    true => domain.coset_ntt_ordered(&mut values, order).unwrap(),
                }
                for &i in &positions {
                    let want = power.pow_vartime([i as u64]) * if coset { scale } else { Fr::ONE };
                    assert_eq!(
                        values[place(i)],
                        want,
                        "2^{log_n}, k {k}, i {i}, {order:?}, coset {coset}"
                    );
                }
            }
            values.fill(Fr::ZERO);
            values[input] = Fr::ONE;
            domain.intt_ordered(&mut values, order).unwrap();
            for &i in &positions {
                let want = power.pow_vartime([i as u64]).invert().unwrap() * domain.size_inverse();
                assert_eq!(
                    values[place(i)],
                    want,
                    "inverse, 2^{log_n}, k {k}, i {i}, {order:?}"
                );
            }
        }
    }
}

#[test]
fn b024_unit_vectors_to_2_17() {
    for log_n in 11..=17 {
        unit_vectors(log_n, 100);
    }
}

#[test]
#[ignore = "about ten seconds: the sizes up to 2^20"]
fn b024_unit_vectors_to_2_20() {
    for log_n in 18..=20 {
        unit_vectors(log_n, 1000);
    }
}

#[test]
#[ignore = "minutes, and 12 GiB at the largest size"]
fn b028_unit_vectors_to_2_27() {
    for log_n in 21..=27 {
        unit_vectors(log_n, 1000);
    }
}

#[test]
fn transforms_of_random_vectors_agree_across_orders_and_sizes() {
    for log_n in [11, 13, 16, 17] {
        let domain = Domain::new(log_n).unwrap();
        let input = common::random(domain.size(), 7);
        let mut natural = input.clone();
        domain.coset_ntt(&mut natural).unwrap();
        let mut down = input.clone();
        domain.coset_ntt_ordered(&mut down, Order::ToReversed).unwrap();
        assert_eq!(common::reversed(&down), natural);
        let mut up = common::reversed(&input);
        domain.coset_ntt_ordered(&mut up, Order::FromReversed).unwrap();
        assert_eq!(up, natural);
        domain.coset_intt_ordered(&mut down, Order::FromReversed).unwrap();
        assert_eq!(down, input);
        // One value by Horner's rule.
        let i = domain.size() / 3;
        let point = coset_generator() * domain.omega().pow_vartime([i as u64]);
        assert_eq!(
            natural[i],
            input.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c)
        );
    }
}
