//! The quotient against long division, and its two forms against each other.

mod common;

use bls_fields::Fr;
use common::{in_pool, random};
use ff::Field;
use groth16_core::domain::{BadSize, Domain};
use groth16_core::quotient::{check_satisfied, quotient, quotient_with, QuotientForm};

fn pointwise(a: &[Fr], b: &[Fr]) -> Vec<Fr> {
    a.iter().zip(b).map(|(a, b)| *a * b).collect()
}

/// The coefficients of the polynomial with these values, by Lagrange's formula on the roots of unity.
fn interpolate(values: &[Fr], domain: &Domain) -> Vec<Fr> {
    let inverse = domain.omega().invert().unwrap();
    common::naive(values, Fr::ONE, inverse)
        .iter()
        .map(|c| *c * domain.size_inverse())
        .collect()
}

/// (a·b - c) / (xⁿ - 1) by schoolbook multiplication and long division; asserts that nothing remains.
fn long_division(a: &[Fr], b: &[Fr], c: &[Fr], domain: &Domain) -> Vec<Fr> {
    let n = domain.size();
    let (a, b, c) = (
        interpolate(a, domain),
        interpolate(b, domain),
        interpolate(c, domain),
    );
    let mut rest = vec![Fr::ZERO; 2 * n];
    for i in 0..n {
        for j in 0..n {
            rest[i + j] += a[i] * b[j];
        }
        rest[i] -= c[i];
    }
    for i in (n..2 * n).rev() {
        let lead = rest[i];
        rest[i - n] += lead;
    }
    assert!(rest[..n].iter().all(|x| bool::from(x.is_zero())));
    // Each quotient coefficient is the leading one at its step, with nothing
    // carried from above: 2n - 1 < 2·n.
    rest[n..2 * n - 1].to_vec()
}

#[test]
fn equals_long_division() {
    for log_n in 0..=6 {
        let domain = Domain::new(log_n).unwrap();
        let (a, b) = (random(domain.size(), 1), random(domain.size(), 2));
        let c = pointwise(&a, &b);
        let h = quotient(&domain, a.clone(), b.clone()).unwrap();
        assert_eq!(h.len(), domain.size() - 1);
        assert_eq!(h, long_division(&a, &b, &c, &domain), "2^{log_n}");
    }
}

#[test]
fn one_row_has_no_quotient_and_two_rows_have_one_coefficient() {
    let one = Domain::new(0).unwrap();
    assert_eq!(quotient(&one, vec![Fr::from(3)], vec![Fr::from(5)]), Ok(vec![]));
    // a = 3 + x, b = 5 + 2x: a·b = 15 + 11x + 2x², so h = 2. Values at 1 and -1.
    let two = Domain::new(1).unwrap();
    let h = quotient(
        &two,
        vec![Fr::from(4), Fr::from(2)],
        vec![Fr::from(7), Fr::from(3)],
    );
    assert_eq!(h, Ok(vec![Fr::from(2)]));
}

#[test]
fn six_and_seven_transforms_agree() {
    for log_n in [0, 1, 2, 3, 7, 10, 11, 12, 15] {
        let domain = Domain::new(log_n).unwrap();
        let (a, b) = (random(domain.size(), 3), random(domain.size(), 4));
        let c = pointwise(&a, &b);
        let six = quotient(&domain, a.clone(), b.clone()).unwrap();
        assert_eq!(
            quotient(&domain.clone().portable(), a.clone(), b.clone()).unwrap(),
            six
        );
        let seven = quotient_with(&domain, a.clone(), b.clone(), QuotientForm::SevenNtts { c }).unwrap();
        assert_eq!(six, seven, "2^{log_n}");
        // The identity at a point that is neither on the domain nor on the coset.
        let point = Fr::from(11);
        let at = |values: &[Fr]| {
            let mut coefficients = values.to_vec();
            domain.intt(&mut coefficients).unwrap();
            coefficients.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c)
        };
        let h = six.iter().rev().fold(Fr::ZERO, |sum, c| sum * point + c);
        let vanishing = point.pow_vartime([domain.size() as u64]) - Fr::ONE;
        assert_eq!(
            at(&a) * at(&b) - at(&pointwise(&a, &b)),
            h * vanishing,
            "2^{log_n}"
        );
    }
}

#[test]
fn the_same_in_every_pool() {
    let domain = Domain::new(14).unwrap();
    let (a, b) = (random(domain.size(), 5), random(domain.size(), 6));
    let run = |threads| in_pool(threads, || quotient(&domain, a.clone(), b.clone()).unwrap());
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn b026_wrong_lengths_are_errors() {
    let domain = Domain::new(4).unwrap();
    let bad = Err(BadSize { len: 15, domain: 16 });
    assert_eq!(quotient(&domain, random(15, 1), random(16, 1)), bad);
    assert_eq!(quotient(&domain, random(16, 1), random(15, 1)), bad);
    let form = QuotientForm::SevenNtts { c: random(15, 1) };
    assert_eq!(quotient_with(&domain, random(16, 1), random(16, 1), form), bad);
}

#[test]
fn the_first_unsatisfied_row_is_found() {
    let n = 20_000;
    let (a, b) = (random(n, 7), random(n, 8));
    let mut c = pointwise(&a, &b);
    assert_eq!(check_satisfied(&a, &b, &c), None);
    for row in [n - 1, 12_345, 17, 0] {
        c[row] += Fr::ONE;
        assert_eq!(check_satisfied(&a, &b, &c), Some(row));
    }
    assert_eq!(check_satisfied(&a[..0], &b[..0], &c[..0]), None);
    let c = pointwise(&a, &b);
    assert_eq!(check_satisfied(&a, &b, &c[..100]), Some(100));
}
