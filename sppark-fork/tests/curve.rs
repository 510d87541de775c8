//! The point templates against blst, in every coordinate system.
#![cfg(any(feature = "cuda", feature = "host-check"))]

mod support;

use blstrs::Scalar;
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve, Group};
use sppark_fork::{G1, G2};
use support::{lambda, open, probe, rng, TestGroup};

const ADDITIONS: [(u32, &str); 4] = [
    (0, "xyzz + affine"),
    (1, "xyzz + xyzz"),
    (3, "jacobian + affine"),
    (4, "jacobian + jacobian"),
];
const DOUBLINGS: [(u32, &str); 2] = [(2, "xyzz"), (5, "jacobian")];

fn check<G: TestGroup>(pairs: &[(G::Affine, G::Affine)]) {
    let Some(device) = open() else { return };
    let a: Vec<G::Point> = pairs.iter().map(|p| G::to_point(&p.0)).collect();
    let b: Vec<G::Point> = pairs.iter().map(|p| G::to_point(&p.1)).collect();
    for (operation, name) in ADDITIONS {
        let got: Vec<G::Point> = probe(&device, G::PROBES, operation, &a, &b);
        for (i, (x, y)) in pairs.iter().enumerate() {
            let want = (x.to_curve() + y.to_curve()).to_affine();
            assert!(G::from_point(&got[i]) == want, "{name}, pair {i}");
        }
    }
    for (operation, name) in DOUBLINGS {
        let got: Vec<G::Point> = probe(&device, G::PROBES, operation, &a, &b);
        for (i, (x, _)) in pairs.iter().enumerate() {
            assert!(
                G::from_point(&got[i]) == x.to_curve().double().to_affine(),
                "twice by {name}, point {i}"
            );
        }
    }
}

/// (G,G), (G,-G), (inf,G), (G,inf), (inf,inf), (2G,G)
fn exceptional<G: TestGroup>() -> Vec<(G::Affine, G::Affine)> {
    let g = G::Affine::generator();
    let inf = G::Affine::identity();
    let two = G::Curve::generator().double().to_affine();
    vec![(g, g), (g, -g), (inf, g), (g, inf), (inf, inf), (two, g)]
}

fn random<G: TestGroup>(n: usize) -> Vec<(G::Affine, G::Affine)> {
    let mut rng = rng(7);
    let mut point = || (G::Curve::generator() * Scalar::random(&mut rng)).to_affine();
    (0..n).map(|_| (point(), point())).collect()
}

#[test]
fn b004_additions_are_complete_in_g1() {
    check::<G1>(&exceptional::<G1>());
}

#[test]
fn b004_additions_are_complete_in_g2() {
    check::<G2>(&exceptional::<G2>());
}

#[test]
fn random_sums_equal_blst() {
    check::<G1>(&random::<G1>(60));
    check::<G2>(&random::<G2>(40));
}

/// The same points on both sides, with denominators that differ: equality must not hang on coordinates.
#[test]
fn random_doubles_by_addition_equal_blst() {
    let g1: Vec<_> = random::<G1>(20).into_iter().map(|(a, _)| (a, a)).collect();
    let g2: Vec<_> = random::<G2>(20).into_iter().map(|(a, _)| (a, a)).collect();
    check::<G1>(&g1);
    check::<G2>(&g2);
}

fn endomorphism_multiplies_by_lambda<G: TestGroup>() {
    let Some(device) = open() else { return };
    let affine: Vec<G::Affine> = random::<G>(10).into_iter().map(|p| p.0).collect();
    let points: Vec<G::Point> = affine.iter().map(G::to_point).collect();
    let got: Vec<G::Point> = probe(&device, G::PROBES, 6, &points, &points);
    for (p, q) in affine.iter().zip(&got) {
        assert!(G::from_point(q) == (p.to_curve() * lambda()).to_affine());
    }
}

#[test]
fn endomorphism_of_g1_multiplies_by_lambda() {
    endomorphism_multiplies_by_lambda::<G1>();
}

#[test]
fn endomorphism_of_g2_multiplies_by_lambda() {
    endomorphism_multiplies_by_lambda::<G2>();
}
