//! Faults that other libraries had, by their numbers in the project's list of cases.

mod points;

use backend_tests::toy::vector_text;

use bls_curves::{Affine, CurveGroup, G1Projective, G2Projective};
use bls_fields::{fr_from_hex, FieldOps, Fp, Fp2, Fr, FrRepr, NonCanonical};
use ff::{Field, PrimeField};
use groth16_core::fixed_base::FixedBase;
use groth16_core::msm::{msm, LengthMismatch};
use group::{Curve, Group, GroupEncoding};
use points::{power_of_two, random_scalars, rng, Bases};

fn compressed<C: CurveGroup>(point: C) -> String {
    let bytes = point.to_affine().to_bytes();
    bytes.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}

fn sum<C: CurveGroup>(bases: &[C::Affine], scalars: &[FrRepr]) -> C {
    msm::<C>(bases, scalars).expect("equal lengths")
}

/// base_i = (i + 1)·G, scalar_i = i·2^64 + 1
fn v<C: CurveGroup>(n: usize) -> (Bases<C>, Vec<FrRepr>) {
    let scalars = (0..n as u64)
        .map(|i| (Fr::from(i) * power_of_two(64) + Fr::ONE).into())
        .collect();
    (Bases::consecutive(1, n), scalars)
}

/// `scalar · G` by every way through this crate: alone, in buckets among neutral bases, and from a table.
fn multiples<C: CurveGroup>(scalar: FrRepr) -> Vec<C> {
    let mut bases = vec![C::identity().to_affine(); 40];
    bases[17] = C::generator().to_affine();
    vec![
        sum::<C>(&bases[17..18], &[scalar]),
        sum::<C>(&bases, &[scalar; 40]),
        FixedBase::<C>::new(&C::generator(), 10).mul_many(&[scalar])[0].into_projective(),
    ]
}

trait IntoProjective<C> {
    fn into_projective(self) -> C;
}
impl<C, A: group::prime::PrimeCurveAffine<Curve = C>> IntoProjective<C> for A {
    fn into_projective(self) -> C {
        self.to_curve()
    }
}

#[test]
fn b001_one_and_two_points() {
    let g = G1Projective::generator().to_affine();
    for (scalar, row) in [
        (Fr::ZERO, "[0]G1"),
        (Fr::ONE, "[1]G1"),
        (Fr::from(2), "[2]G1"),
        (-Fr::ONE, "[r-1]G1"),
    ] {
        for point in multiples::<G1Projective>(scalar.into()) {
            assert_eq!(compressed(point), vector_text(row), "{row}");
        }
        // blst's own multiplication serves as the table for G2.
        for point in multiples::<G2Projective>(scalar.into()) {
            assert_eq!(point, G2Projective::generator() * scalar, "{row} in G2");
        }
    }
    for k in [3u64, 4, 5, 7] {
        for point in multiples::<G1Projective>(k.into()) {
            assert_eq!(compressed(point), vector_text(&format!("[{k}]G1")));
        }
    }
    let one = FrRepr::from(1);
    assert_eq!(
        compressed(sum::<G1Projective>(&[g, g], &[one, one])),
        vector_text("[2]G1")
    );
}

#[test]
fn b003_neutral_bases_among_others() {
    let n = 1024;
    let mut bases = Bases::<G1Projective>::consecutive(1, n);
    for i in [0, 511, 1023] {
        bases.set(i, Fr::ZERO);
    }
    let scalars: Vec<FrRepr> = (1..=n as u64).map(FrRepr::from).collect();
    let result = sum::<G1Projective>(&bases.points, &scalars);
    let log: u64 = (1..=n as u64)
        .filter(|k| ![1, 512, 1024].contains(k))
        .map(|k| k * k)
        .sum();
    assert_eq!(result, G1Projective::generator() * Fr::from(log));
    // The same with the coordinates (0, 0) given as such.
    bases.points[511] = G1Projective::from_affine(Affine::INFINITY);
    assert_eq!(sum::<G1Projective>(&bases.points, &scalars), result);
}

#[test]
fn b006_many_copies_of_one_base() {
    for (n, scalar) in [(8192usize, 1u64), (8192, 12345), (65536, 3), (237, 5)] {
        let bases = vec![G1Projective::generator().to_affine(); n];
        let result = sum::<G1Projective>(&bases, &vec![scalar.into(); n]);
        assert_eq!(compressed(result), vector_text(&format!("D{n}x{scalar}")));
        let bases = vec![G2Projective::generator().to_affine(); n];
        let result = sum::<G2Projective>(&bases, &vec![scalar.into(); n]);
        assert_eq!(result, G2Projective::generator() * Fr::from(n as u64 * scalar));
    }
}

/// An MSM takes no bytes: what it takes is made by a conversion that refuses integers from r up.
#[test]
fn b008_integers_from_r_up_are_no_scalars() {
    let mut r = (-Fr::ONE).to_repr();
    r[0] += 1;
    let mut r_plus_1 = r;
    r_plus_1[0] += 1;
    for bytes in [r, r_plus_1, [0xff; 32]] {
        assert_eq!(FrRepr::from_le_bytes(&bytes), Err(NonCanonical));
    }
    // An element that was made by reducing 2^256 - 1 has one right multiple.
    let reduced = power_of_two(128).square() - Fr::ONE;
    for point in multiples::<G1Projective>(reduced.into()) {
        assert_eq!(compressed(point), vector_text("[2^256-1 mod r]G1"));
    }
}

#[test]
fn b010_lengths_that_differ() {
    let bases = Bases::<G1Projective>::consecutive(1, 3).points;
    let one = FrRepr::from(1);
    let error = msm::<G1Projective>(&bases, &[one, one]).expect_err("3 bases, 2 scalars");
    assert_eq!(error, LengthMismatch { bases: 3, scalars: 2 });
    assert!(error.to_string().starts_with("3 bases and 2 scalars"), "{error}");
    let error = msm::<G1Projective>(&bases[..1], &[one, one]).expect_err("1 base, 2 scalars");
    assert_eq!(error, LengthMismatch { bases: 1, scalars: 2 });
    assert!(bool::from(sum::<G1Projective>(&[], &[]).is_identity()));
}

#[test]
fn b013_g2_multiples_at_the_edges_of_the_endomorphism() {
    let half = Fr::from(2).invert().expect("2 is not 0");
    let x = Fr::from(0xd201_0000_0001_0000);
    for (row, scalar) in [
        ("g2_r-1", -Fr::ONE),
        ("g2_(r-1)/2", -half),
        ("g2_(r+1)/2", half),
        ("g2_2^64-1", power_of_two(64) - Fr::ONE),
        ("g2_2^128", power_of_two(128)),
        ("g2_|x|", x),
        ("g2_x^2", x.square()),
        ("g2_x^2-1", x.square() - Fr::ONE),
        ("g2_lambda", x.square() - Fr::ONE),
    ] {
        for point in multiples::<G2Projective>(scalar.into()) {
            assert_eq!(compressed(point), vector_text(row), "{row}");
        }
    }
}

/// The oracle only adds, so it has no endomorphism: the multiples are an
/// arithmetic progression of random step.
#[test]
fn b013_20_000_random_multiples() {
    fn check<C: CurveGroup>(n: usize) {
        let bases = Bases::<C>::scattered(n, &mut rng(13));
        let scalars: Vec<FrRepr> = bases.logs.iter().map(|&log| log.into()).collect();
        let multiples = FixedBase::<C>::new(&C::generator(), n).mul_many(&scalars);
        let wrong = multiples
            .iter()
            .zip(&bases.points)
            .position(|(ours, right)| ours != right);
        assert_eq!(wrong, None, "{}", C::NAME);
    }
    check::<G1Projective>(20_000);
    check::<G2Projective>(20_000);
}

#[test]
fn b013_multiples_below_2_64() {
    let step = 0x0123_4567_89ab_cdefu64;
    let scalars: Vec<u64> = (0..200).map(|i| step.wrapping_mul(i)).collect();
    let reprs: Vec<FrRepr> = scalars.iter().map(|&s| s.into()).collect();
    let multiples = FixedBase::<G2Projective>::new(&G2Projective::generator(), 200).mul_many(&reprs);
    for (scalar, multiple) in scalars.iter().zip(multiples) {
        // Double and add, without blst's multiplication.
        let right = (0..64).rev().fold(G2Projective::identity(), |sum, bit| {
            let sum = sum.double();
            if scalar >> bit & 1 == 1 {
                sum + G2Projective::generator()
            } else {
                sum
            }
        });
        assert_eq!(right.to_affine(), multiple, "{scalar}");
    }
}

/// A scalar (canonical) and an element (Montgomery) are different types, so no flag can pair them wrongly.
#[test]
fn b015_five_is_five_however_it_is_made() {
    let r_inverse = power_of_two(256).invert().expect("not 0");
    let mut bytes = [0u8; 32];
    bytes[0] = 5;
    let fives: [Fr; 5] = [
        Fr::from(5),
        Option::from(Fr::from_bytes_le(&bytes)).expect("canonical"),
        Option::from(Fr::from_u64s_le(&[5, 0, 0, 0])).expect("canonical"),
        fr_from_hex("5").expect("canonical"),
        // 5·R, which is what an element holds inside, times R^-1.
        Fr::from(5) * power_of_two(256) * r_inverse,
    ];
    let expected = vector_text("[5]G1");
    for five in fives {
        for point in multiples::<G1Projective>(five.into()) {
            assert_eq!(compressed(point), expected);
        }
    }
    assert_eq!(FrRepr::from_le_bytes(&bytes), Ok(FrRepr::from(5)));
}

#[test]
fn b017_lengths_that_are_no_round_number() {
    for n in [1, 2, 3, 31, 32, 33, 63, 65, 127, 237, 1025, 4097] {
        let (bases, scalars) = v::<G1Projective>(n);
        assert_eq!(
            compressed(sum::<G1Projective>(&bases.points, &scalars)),
            vector_text(&format!("V{n} G1"))
        );
    }
    for n in [33, 1025] {
        let (bases, scalars) = v::<G2Projective>(n);
        assert_eq!(
            compressed(sum::<G2Projective>(&bases.points, &scalars)),
            vector_text(&format!("V{n} G2"))
        );
    }
    let (bases, scalars) = v::<G1Projective>(300);
    for n in 1..=300 {
        let part: Bases<G1Projective> = Bases {
            points: bases.points[..n].to_vec(),
            logs: bases.logs[..n].to_vec(),
        };
        assert_eq!(
            sum::<G1Projective>(&part.points, &scalars[..n]),
            part.expected(&scalars[..n]),
            "n = {n}"
        );
    }
}

#[test]
fn b021_repeated_calls_agree() {
    let (bases, scalars) = v::<G1Projective>(1025);
    let expected = vector_text("V1025 G1");
    for _ in 0..100 {
        assert_eq!(compressed(sum::<G1Projective>(&bases.points, &scalars)), expected);
    }
}

#[test]
fn b030_zero_in_the_extension_field() {
    let fp2 = |c0: Fp, c1: Fp| Fp2 { c0, c1 };
    assert!(fp2(Fp::ZERO, Fp::ZERO).is_zero());
    assert!(!fp2(Fp::ZERO, Fp::ONE).is_zero());
    assert!(!fp2(Fp::ONE, Fp::ZERO).is_zero());
    assert!(!fp2(Fp::ONE.neg(), Fp::ZERO).is_zero());
    for n in [1, 17, 33] {
        let (bases, scalars) = v::<G2Projective>(n);
        assert_eq!(
            sum::<G2Projective>(&bases.points, &scalars),
            bases.expected(&scalars),
            "n = {n}"
        );
    }
}

#[test]
fn a_table_does_not_depend_on_the_hint() {
    fn check<C: CurveGroup>() {
        let mut scalars = random_scalars(1500, &mut rng(20));
        scalars[3] = FrRepr::from(0);
        scalars[1400] = FrRepr::from(1);
        let base = C::generator() * Fr::from(99);
        let expected: Vec<_> = scalars.iter().map(|&s| base * Fr::from(s)).collect();
        let expected = points::normalize(&expected);
        for n_hint in [0, 1, 30, 1000, 100_000] {
            let table = FixedBase::<C>::new(&base, n_hint);
            assert!(
                table.mul_many(&scalars) == expected,
                "{} n_hint = {n_hint}",
                C::NAME
            );
            assert!(table.mul_many(&[]).is_empty());
        }
        // A neutral base has neutral multiples.
        let neutral = FixedBase::<C>::new(&C::identity(), 50).mul_many(&scalars[..50]);
        assert!(neutral.iter().all(|p| *p == C::identity().to_affine()));
    }
    check::<G1Projective>();
    check::<G2Projective>();
}
