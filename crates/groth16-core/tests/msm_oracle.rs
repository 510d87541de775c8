//! Multi-scalar multiplication against discrete logarithms that are known, and
//! against one multiplication at a time.

mod points;

use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::{Fr, FrRepr};
use ff::Field;
use groth16_core::msm::msm;
use group::GroupEncoding;
use points::{in_pool, power_of_two, random_scalars, rng, Bases};
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore;

/// Checks an MSM over `bases` by their logarithms.
#[track_caller]
fn check<C: CurveGroup>(bases: &Bases<C>, scalars: &[FrRepr]) {
    let sum = msm::<C>(&bases.points, scalars).expect("equal lengths");
    assert!(
        sum == bases.expected(scalars),
        "{} n = {}",
        C::NAME,
        scalars.len()
    );
}

/// Scalars at which digits carry, signs turn, or a short cut begins.
fn special_scalars() -> Vec<FrRepr> {
    let half = Fr::from(2).invert().expect("2 is not 0");
    let mut scalars = vec![
        Fr::ZERO,
        Fr::ONE,
        -Fr::ONE,
        half,
        half - Fr::ONE,
        Fr::from(2),
        -Fr::from(2),
    ];
    for exponent in [15, 16, 17, 63, 64, 65, 127, 128, 192, 253, 254] {
        let power = power_of_two(exponent);
        scalars.extend([power, power - Fr::ONE, power + Fr::ONE, -power]);
    }
    scalars.into_iter().map(FrRepr::from).collect()
}

fn every_short_length<C: CurveGroup>(max: usize) {
    let mut rng = rng(1);
    let bases = Bases::<C>::scattered(max, &mut rng);
    let scalars = random_scalars(max, &mut rng);
    let mut one_by_one = C::identity();
    for n in 0..=max {
        let sum = msm::<C>(&bases.points[..n], &scalars[..n]).expect("equal lengths");
        assert!(sum == one_by_one, "{} n = {n}", C::NAME);
        if n < max {
            one_by_one += C::generator() * (bases.logs[n] * Fr::from(scalars[n]));
        }
    }
}

#[test]
fn every_short_length_in_g1() {
    every_short_length::<G1Projective>(300);
}

#[test]
fn every_short_length_in_g2() {
    every_short_length::<G2Projective>(300);
}

/// The result as the bytes of a proof would have it.
fn bytes<C: CurveGroup>(point: C) -> Vec<u8> {
    point.to_affine().to_bytes().as_ref().to_vec()
}

fn lengths_around_powers<C: CurveGroup>(lengths: &[usize]) {
    let mut rng = rng(2);
    let max = *lengths.iter().max().expect("some lengths");
    let bases = Bases::<C>::scattered(max, &mut rng);
    let scalars = random_scalars(max, &mut rng);
    for &n in lengths {
        let part: Bases<C> = Bases {
            points: bases.points[..n].to_vec(),
            logs: bases.logs[..n].to_vec(),
        };
        check(&part, &scalars[..n]);
    }
}

#[test]
fn lengths_around_powers_of_two() {
    lengths_around_powers::<G1Projective>(&[1023, 1024, 1025, 1026, 4095, 4096, 4097, 1 << 15, 100_001]);
    lengths_around_powers::<G2Projective>(&[1023, 1024, 1025, 1026, 4095, 4096, 4097, 20_001]);
}

fn special_scalars_on_special_bases<C: CurveGroup>() {
    let specials = special_scalars();
    // Each scalar alone, on a base and on the neutral element.
    for log in [Fr::from(5), Fr::ZERO] {
        let mut bases = Bases::<C>::consecutive(1, 1);
        bases.set(0, log);
        specials.iter().for_each(|&s| check(&bases, &[s]));
    }
    // All of them often, on bases that repeat, are opposite or neutral.
    let mut rng = rng(3);
    for n in [specials.len(), 500, 3000] {
        let mut bases = Bases::<C>::scattered(n, &mut rng);
        for i in 0..n {
            match rng.next_u32() % 8 {
                0 => bases.set(i, Fr::ZERO),
                1 => bases.set(i, Fr::ONE),
                2 => bases.set(i, -Fr::ONE),
                3 if i > 0 => bases.set(i, bases.logs[i - 1]),
                4 if i > 0 => bases.set(i, -bases.logs[i - 1]),
                _ => {}
            }
        }
        let scalars: Vec<_> = (0..n)
            .map(|_| specials[rng.next_u32() as usize % specials.len()])
            .collect();
        check(&bases, &scalars);
    }
}

#[test]
fn special_scalars_on_special_bases_in_g1() {
    special_scalars_on_special_bases::<G1Projective>();
}

#[test]
fn special_scalars_on_special_bases_in_g2() {
    special_scalars_on_special_bases::<G2Projective>();
}

fn skewed_distributions<C: CurveGroup>(n: usize) {
    let mut rng = rng(4);
    let bases = Bases::<C>::scattered(n, &mut rng);
    let one = FrRepr::from(1);
    let random = random_scalars(n, &mut rng);
    // One bucket a window takes everything.
    for scalar in [
        random[0],
        FrRepr::from(3),
        FrRepr::from(u64::MAX),
        Fr::from(7).neg_repr(),
    ] {
        check(&bases, &vec![scalar; n]);
    }
    // 99 % ones; 80 % of 0 and 1; everything 0; everything 1; everything -1.
    let mixed = |percent_ones: u32, percent_zeros: u32, rng: &mut dyn RngCore| -> Vec<FrRepr> {
        random
            .iter()
            .map(|&s| match rng.next_u32() % 100 {
                p if p < percent_ones => one,
                p if p < percent_ones + percent_zeros => FrRepr::default(),
                _ => s,
            })
            .collect()
    };
    for (ones, zeros) in [(99, 0), (40, 40), (0, 100), (100, 0)] {
        let scalars = mixed(ones, zeros, &mut rng);
        check(&bases, &scalars);
    }
    check(&bases, &vec![FrRepr::from(-Fr::ONE); n]);
    // Magnitudes that leave the upper windows empty.
    for bits in [1, 8, 16, 33, 64] {
        let scalars: Vec<_> = (0..n)
            .map(|_| FrRepr::from(rng.next_u64() >> (64 - bits)))
            .collect();
        check(&bases, &scalars);
    }
}

trait NegRepr {
    fn neg_repr(self) -> FrRepr;
}
impl NegRepr for Fr {
    fn neg_repr(self) -> FrRepr {
        (-self).into()
    }
}

#[test]
fn skewed_distributions_in_g1() {
    skewed_distributions::<G1Projective>(20_000);
}

#[test]
fn skewed_distributions_in_g2() {
    skewed_distributions::<G2Projective>(3_000);
}

fn opposite_bases_cancel<C: CurveGroup>() {
    let n = 2000;
    let mut bases = Bases::<C>::consecutive(1, n);
    for i in 0..n / 2 {
        bases.points[n / 2 + i] = -bases.points[i];
        bases.logs[n / 2 + i] = -bases.logs[i];
    }
    let half = random_scalars(n / 2, &mut rng(5));
    let scalars = [half.clone(), half].concat();
    let sum = msm::<C>(&bases.points, &scalars).expect("equal lengths");
    assert!(bool::from(sum.is_identity()));
}

#[test]
fn opposite_bases_cancel_in_both_groups() {
    opposite_bases_cancel::<G1Projective>();
    opposite_bases_cancel::<G2Projective>();
}

fn same_bytes_for_any_pool<C: CurveGroup>(n: usize) {
    let mut rng = rng(6);
    let bases = Bases::<C>::scattered(n, &mut rng);
    let mut scalars = random_scalars(n, &mut rng);
    scalars[..n / 2].fill(FrRepr::from(1));
    scalars[..n / 4].fill(FrRepr::from(77));
    let expected = bytes(bases.expected(&scalars));
    for n_threads in [1, 2, 5] {
        let result = in_pool(n_threads, || {
            // Nested: two at once, each sharing the pool with the other.
            let (a, b) = rayon::join(
                || msm::<C>(&bases.points, &scalars),
                || msm::<C>(&bases.points, &scalars),
            );
            (bytes(a.expect("equal lengths")), bytes(b.expect("equal lengths")))
        });
        assert_eq!(
            result,
            (expected.clone(), expected.clone()),
            "{n_threads} threads"
        );
    }
}

#[test]
fn any_pool_gives_the_same_bytes() {
    same_bytes_for_any_pool::<G1Projective>(30_000);
    same_bytes_for_any_pool::<G2Projective>(3_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn is_linear_in_the_scalars(seed: u64, n in 1usize..400, factor: u64) {
        let mut rng = rng(seed);
        let bases = Bases::<G1Projective>::scattered(n, &mut rng);
        let (a, b) = (random_scalars(n, &mut rng), random_scalars(n, &mut rng));
        let combined: Vec<FrRepr> = a.iter().zip(&b)
            .map(|(&a, &b)| (Fr::from(a) + Fr::from(factor) * Fr::from(b)).into())
            .collect();
        let sum = |scalars: &[FrRepr]| msm::<G1Projective>(&bases.points, scalars).expect("equal lengths");
        prop_assert_eq!(sum(&combined), sum(&a) + sum(&b) * Fr::from(factor));
    }
}
