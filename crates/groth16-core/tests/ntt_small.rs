//! Every transform against the defining sum, on small domains.

mod common;

use bls_fields::{coset_generator, fr_from_hex, Fr};
use common::{in_pool, naive, random, reversed};
use ff::{Field, PrimeField};
use groth16_core::domain::{BadSize, Domain, DomainError};
use groth16_core::ntt::Order;
use proptest::prelude::*;

#[test]
fn b024_equals_the_naive_sum_in_every_order() {
    for (log_n, vectors) in (0..=10).flat_map(|log_n| [(log_n, false), (log_n, true)]) {
        let domain = Domain::new(log_n).unwrap();
        let domain = if vectors { domain } else { domain.portable() };
        let coefficients = random(domain.size(), u64::from(log_n));
        let shifts = [(Fr::ONE, false), (coset_generator(), true)];
        for (shift, coset) in shifts {
            let values = naive(&coefficients, shift, domain.omega());
            for (order, input, output) in [
                (Order::Natural, coefficients.clone(), values.clone()),
                (Order::ToReversed, coefficients.clone(), reversed(&values)),
                (Order::FromReversed, reversed(&coefficients), values.clone()),
            ] {
                let mut data = input;
                match coset {
                    false => domain.ntt_ordered(&mut data, order).unwrap(),
                    true => domain.coset_ntt_ordered(&mut data, order).unwrap(),
                }
                assert_eq!(data, output, "2^{log_n}, {order:?}, coset {coset}");
            }
            for (order, input, output) in [
                (Order::Natural, values.clone(), coefficients.clone()),
                (Order::ToReversed, values.clone(), reversed(&coefficients)),
                (Order::FromReversed, reversed(&values), coefficients.clone()),
            ] {
                let mut data = input;
                match coset {
                    false => domain.intt_ordered(&mut data, order).unwrap(),
                    true => domain.coset_intt_ordered(&mut data, order).unwrap(),
                }
                assert_eq!(data, output, "inverse, 2^{log_n}, {order:?}, coset {coset}");
            }
        }
    }
}

#[test]
fn b024_vectors_of_four() {
    let hex = |words: [&str; 4]| words.map(|w| fr_from_hex(w).unwrap()).to_vec();
    let coefficients: Vec<Fr> = (1..=4).map(Fr::from).collect();
    let domain = Domain::for_rows(4).unwrap();
    let mut values = coefficients.clone();
    domain.ntt(&mut values).unwrap();
    assert_eq!(
        values,
        hex([
            "0xa",
            "0x73eda753299d7d4718963e6b1d9bce637bb7a3fe13f85bfefffdfffeffffffff",
            "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffeffffffff",
            "0x11aa3999cec0609a1d8060004ec0600000001fffffffffffe",
        ])
    );
    let mut values = coefficients.clone();
    domain.coset_ntt(&mut values).unwrap();
    assert_eq!(
        values,
        hex([
            "0x5fe",
            "0x73eda753299d7a5a8b4d68d2059e4bc15bd396f4fc145bfefab1fffeffffff6f",
            "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffefffffb2b",
            "0x2eda7ec6f3604038c43f7ea0d0e03ea0000054dffffffffff6e",
        ])
    );
    domain.coset_intt(&mut values).unwrap();
    assert_eq!(values, coefficients);
}

type Transform = fn(&Domain, &mut [Fr]) -> Result<(), BadSize>;

#[test]
fn b026_only_the_domains_own_length_is_accepted() {
    let domain = Domain::new(10).unwrap();
    for len in [0, 512, 1000, 1024, 1025] {
        let original = random(len, 3);
        let transforms: [Transform; 4] = [Domain::ntt, Domain::intt, Domain::coset_ntt, Domain::coset_intt];
        for transform in transforms {
            let mut values = original.clone();
            let result = transform(&domain, &mut values);
            if len == 1024 {
                assert_eq!(result, Ok(()));
            } else {
                assert_eq!(result, Err(BadSize { len, domain: 1024 }));
                assert_eq!(values, original);
            }
        }
        let padded = domain.pad_to_domain(original.clone());
        if len <= 1024 {
            let padded = padded.unwrap();
            assert_eq!(padded.len(), 1024);
            assert_eq!(padded[..len], original);
            assert!(padded[len..].iter().all(|x| bool::from(x.is_zero())));
        } else {
            assert_eq!(padded, Err(BadSize { len, domain: 1024 }));
        }
    }
}

#[test]
fn domains_have_the_right_sizes_and_limits() {
    for (rows, size) in [
        (0, 1),
        (1, 1),
        (2, 2),
        (3, 4),
        (4, 4),
        (5, 8),
        (1000, 1024),
        (1024, 1024),
    ] {
        let domain = Domain::for_rows(rows).unwrap();
        assert_eq!((domain.size(), 1 << domain.log_n()), (size, size));
        assert_eq!(domain.omega().pow_vartime([size as u64]), Fr::ONE);
        assert_eq!(domain.size_inverse() * Fr::from(size as u64), Fr::ONE);
        if size > 1 {
            assert_eq!(domain.omega().pow_vartime([size as u64 / 2]), -Fr::ONE);
        }
    }
    assert_eq!(Domain::new(33).unwrap_err(), DomainError::TooLarge { log_n: 33 });
    assert_eq!(
        Domain::new(u32::MAX).unwrap_err(),
        DomainError::TooLarge { log_n: u32::MAX }
    );
    for rows in [(1 << 32) + 1, usize::MAX] {
        assert_eq!(
            Domain::for_rows(rows).unwrap_err(),
            DomainError::TooManyRows { rows }
        );
    }
}

#[test]
fn b028_low_degree_extension_by_a_blow_up_larger_than_the_domain() {
    let small = Domain::new(2).unwrap();
    let large = Domain::new(8).unwrap();
    let values = random(4, 9);
    let mut coefficients = values;
    small.intt(&mut coefficients).unwrap();
    let mut extended = large.pad_to_domain(coefficients.clone()).unwrap();
    large.coset_ntt(&mut extended).unwrap();
    let mut padded = coefficients;
    padded.resize(256, Fr::ZERO);
    assert_eq!(extended, naive(&padded, coset_generator(), large.omega()));
}

#[test]
fn the_same_in_every_pool() {
    let domain = Domain::new(15).unwrap();
    let input = random(domain.size(), 5);
    let all = |threads| {
        in_pool(threads, || {
            let domain = Domain::new(15).unwrap();
            let mut results = Vec::new();
            for order in [Order::Natural, Order::ToReversed, Order::FromReversed] {
                for transform in [
                    Domain::ntt_ordered,
                    Domain::intt_ordered,
                    Domain::coset_ntt_ordered,
                    Domain::coset_intt_ordered,
                ] {
                    let mut values = input.clone();
                    transform(&domain, &mut values, order).unwrap();
                    results.push(values);
                }
            }
            results
        })
    };
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(5));
    let nested = in_pool(2, || rayon::join(|| all(3), || all(1)));
    assert_eq!((&nested.0, &nested.1), (&one, &one));
}

fn vectors(log_n: u32) -> impl Strategy<Value = (Vec<Fr>, Vec<Fr>)> {
    (any::<u64>(), any::<u64>()).prop_map(move |(s, t)| (random(1 << log_n, s), random(1 << log_n, t)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn linear_inverse_and_convolution((log_n, (x, y)) in (0u32..13).prop_flat_map(|k| (Just(k), vectors(k)))) {
        let domain = Domain::new(log_n).unwrap();
        let factor = Fr::from(u64::from(log_n) + 11);
        let (mut fx, mut fy) = (x.clone(), y.clone());
        domain.ntt(&mut fx).unwrap();
        domain.ntt(&mut fy).unwrap();
        let mut sum: Vec<Fr> = x.iter().zip(&y).map(|(x, y)| *x + factor * y).collect();
        domain.ntt(&mut sum).unwrap();
        prop_assert!(sum.iter().zip(&fx).zip(&fy).all(|((s, x), y)| *s == *x + factor * y));

        let mut back = fx.clone();
        domain.intt(&mut back).unwrap();
        prop_assert_eq!(&back, &x);
        domain.coset_ntt(&mut back).unwrap();
        domain.coset_intt(&mut back).unwrap();
        prop_assert_eq!(&back, &x);

        // Pointwise products are cyclic convolutions; one coefficient of it costs n multiplications.
        let mut product: Vec<Fr> = fx.iter().zip(&fy).map(|(x, y)| *x * y).collect();
        domain.intt(&mut product).unwrap();
        let n = domain.size();
        for k in [0, n / 2, n - 1] {
            let direct: Fr = (0..n).map(|i| x[i] * y[(n + k - i) % n]).sum();
            prop_assert_eq!(product[k], direct);
        }
    }
}

/// The extremes of what a kernel may meet: sums and differences of these reach
/// the bounds of the lazy reduction.
fn extremes(n: usize) -> Vec<Vec<Fr>> {
    let top = -Fr::ONE;
    // The Montgomery form of this element is r - 1: the largest limbs there are.
    let largest = top * root_of_montgomery();
    vec![
        vec![Fr::ZERO; n],
        vec![top; n],
        vec![largest; n],
        (0..n)
            .map(|i| if i % 2 == 0 { largest } else { Fr::ZERO })
            .collect(),
        (0..n)
            .map(|i| if i % 3 == 0 { Fr::ZERO } else { largest })
            .collect(),
        (0..n)
            .map(|i| if i < n / 2 { largest } else { Fr::ZERO })
            .collect(),
        random(n, 77),
    ]
}

/// 2^-256, whose Montgomery form is 1.
fn root_of_montgomery() -> Fr {
    Fr::TWO_INV.pow_vartime([256])
}

#[test]
fn vector_and_portable_kernels_agree() {
    for log_n in 0..=14 {
        let domain = Domain::new(log_n).unwrap();
        let portable = domain.clone().portable();
        for input in extremes(domain.size()) {
            for order in [Order::Natural, Order::ToReversed, Order::FromReversed] {
                for transform in [
                    Domain::ntt_ordered,
                    Domain::intt_ordered,
                    Domain::coset_ntt_ordered,
                    Domain::coset_intt_ordered,
                ] {
                    let (mut left, mut right) = (input.clone(), input.clone());
                    transform(&domain, &mut left, order).unwrap();
                    transform(&portable, &mut right, order).unwrap();
                    assert_eq!(left, right, "2^{log_n}, {order:?}");
                }
            }
        }
    }
}
