//! The field and scalar templates against blst: on the host as g++ compiles them, on a card as nvcc does.
#![cfg(any(feature = "cuda", feature = "host-check"))]

mod support;

use bls_fields::{FieldOps, Fp, Fp2};
use blstrs::Scalar;
use ff::Field;
use rand_core::RngCore;
use sppark_fork::sys;
use support::{canonical, edge_scalars, from_montgomery, lambda, montgomery, open, probe, rng};

/// Operations of a probe set, in its order.
const OPERATIONS: [&str; 9] = ["a+b", "a-b", "ab", "a^2", "2a", "-a", "1/a", "ab-b^2", "a=0"];

fn reference<F: FieldOps>(operation: usize, a: F, b: F) -> F {
    match operation {
        0 => a.add(&b),
        1 => a.sub(&b),
        2 => a.mul(&b),
        3 => a.square(),
        4 => a.double(),
        5 => a.neg(),
        6 => a.invert().unwrap_or(F::ZERO),
        7 => a.mul(&b).sub(&b.square()),
        _ if a.is_zero() => F::ONE,
        _ => F::ZERO,
    }
}

fn check<F: FieldOps, const N: usize>(set: i32, pairs: &[(F, F)], limbs: impl Fn(&F) -> [u64; N])
where
    [u64; N]: Default + sppark_fork::Pod,
{
    let Some(device) = open() else { return };
    let a: Vec<[u64; N]> = pairs.iter().map(|p| limbs(&p.0)).collect();
    let b: Vec<[u64; N]> = pairs.iter().map(|p| limbs(&p.1)).collect();
    for (operation, name) in OPERATIONS.iter().enumerate() {
        let got: Vec<[u64; N]> = probe(&device, set, operation as u32, &a, &b);
        for (i, (x, y)) in pairs.iter().enumerate() {
            assert_eq!(
                got[i],
                limbs(&reference(operation, *x, *y)),
                "{name} of {x:?} and {y:?}"
            );
        }
    }
}

/// All pairs of the edges, and random ones.
fn pairs<F: Copy>(edges: &[F], n_random: usize, mut random: impl FnMut() -> F) -> Vec<(F, F)> {
    let mut pairs: Vec<(F, F)> = edges
        .iter()
        .flat_map(|&a| edges.iter().map(move |&b| (a, b)))
        .collect();
    pairs.extend((0..n_random).map(|_| (random(), random())));
    pairs
}

/// A random element of Fp, through its canonical bytes.
fn random_fp(rng: &mut impl RngCore) -> Fp {
    let mut bytes = [0u8; 48];
    loop {
        rng.fill_bytes(&mut bytes);
        bytes[0] &= 0x1f;
        if let Some(fp) = Fp::from_be_bytes(&bytes) {
            return fp;
        }
    }
}

/// 0, 1, 2, p-1, p-2, and elements whose Montgomery limbs are nearly all ones or nearly p.
fn fp_edges() -> Vec<Fp> {
    let one = <Fp as FieldOps>::ONE;
    let two = one.double();
    let mut edges = vec![Fp::ZERO, one, two, one.neg(), two.neg(), two.invert().unwrap()];
    // The element with Montgomery limbs 1 is 1/R; its negative has those of p - 1.
    let mut canonical_one = [0u8; 48];
    canonical_one[47] = 1;
    let unit = Fp::from_be_bytes(&canonical_one).unwrap();
    let mut r_inverse = one;
    let half = two.invert().unwrap();
    for _ in 0..384 {
        r_inverse = r_inverse.mul(&half);
    }
    edges.extend([unit, r_inverse, r_inverse.neg(), r_inverse.double().neg()]);
    edges
}

#[test]
fn fp_operations_equal_blst() {
    let mut rng = rng(1);
    check(
        sys::SPF_PROBE_FP,
        &pairs(&fp_edges(), 300, || random_fp(&mut rng)),
        |f| *f.montgomery_limbs(),
    );
}

#[test]
fn fp2_operations_equal_blst() {
    let mut rng = rng(2);
    let few = &fp_edges()[..6];
    let edges: Vec<Fp2> = few
        .iter()
        .flat_map(|&c0| few.iter().map(move |&c1| Fp2 { c0, c1 }))
        .collect();
    let random = || Fp2 {
        c0: random_fp(&mut rng),
        c1: random_fp(&mut rng),
    };
    check(sys::SPF_PROBE_FP2, &pairs(&edges[..18], 200, random), |f| {
        let mut limbs = [0; 12];
        limbs[..6].copy_from_slice(f.c0.montgomery_limbs());
        limbs[6..].copy_from_slice(f.c1.montgomery_limbs());
        limbs
    });
}

#[test]
fn b030_the_zero_test_of_fp2_reads_both_coordinates() {
    let Some(device) = open() else { return };
    let minus_one = *<Fp as FieldOps>::ONE.neg().montgomery_limbs();
    let one = *<Fp as FieldOps>::ONE.montgomery_limbs();
    let zero = [0u64; 6];
    let inputs: Vec<[u64; 12]> = [(zero, zero), (zero, one), (one, zero), (minus_one, zero)]
        .iter()
        .map(|(c0, c1)| std::array::from_fn(|i| if i < 6 { c0[i] } else { c1[i - 6] }))
        .collect();
    let got: Vec<[u64; 12]> = probe(&device, sys::SPF_PROBE_FP2, 8, &inputs, &inputs);
    let is_zero: Vec<bool> = got.iter().map(|limbs| limbs[0] != 0).collect();
    assert_eq!(is_zero, [true, false, false, false]);
}

#[test]
fn fr_operations_equal_blst() {
    let Some(device) = open() else { return };
    let mut rng = rng(3);
    let edges = edge_scalars();
    let all = pairs(&edges[..24], 300, || Scalar::random(&mut rng));
    let a: Vec<[u64; 4]> = all.iter().map(|p| montgomery(&p.0)).collect();
    let b: Vec<[u64; 4]> = all.iter().map(|p| montgomery(&p.1)).collect();
    for (operation, name) in OPERATIONS.iter().enumerate() {
        let got: Vec<[u64; 4]> = probe(&device, sys::SPF_PROBE_FR, operation as u32, &a, &b);
        for (i, (x, y)) in all.iter().enumerate() {
            let want = match operation {
                0 => x + y,
                1 => x - y,
                2 => x * y,
                3 => x.square(),
                4 => x.double(),
                5 => -x,
                6 => x.invert().unwrap_or(Scalar::ZERO),
                7 => x * y - y.square(),
                _ if bool::from(x.is_zero()) => Scalar::ONE,
                _ => Scalar::ZERO,
            };
            assert_eq!(got[i], montgomery(&want), "{name} of {x:?} and {y:?}");
        }
    }
}

#[test]
fn b015_forms_convert_both_ways() {
    let Some(device) = open() else { return };
    let mut all = edge_scalars();
    let mut rng = rng(4);
    all.extend((0..100).map(|_| Scalar::random(&mut rng)));
    let elements: Vec<[u64; 4]> = all.iter().map(montgomery).collect();
    let integers: Vec<[u64; 4]> = all.iter().map(canonical).collect();
    assert_eq!(
        probe::<_, [u64; 4]>(&device, sys::SPF_PROBE_FR_FORM, 0, &elements, &elements),
        integers
    );
    assert_eq!(
        probe::<_, [u64; 4]>(&device, sys::SPF_PROBE_FR_FORM, 1, &integers, &integers),
        elements
    );

    let fps: Vec<Fp> = (0..50).map(|_| random_fp(&mut rng)).chain(fp_edges()).collect();
    let elements: Vec<[u64; 6]> = fps.iter().map(|f| *f.montgomery_limbs()).collect();
    let integers: Vec<[u64; 6]> = fps
        .iter()
        .map(|f| {
            let bytes = f.to_be_bytes();
            std::array::from_fn(|i| u64::from_be_bytes(bytes[40 - 8 * i..48 - 8 * i].try_into().unwrap()))
        })
        .collect();
    assert_eq!(
        probe::<_, [u64; 6]>(&device, sys::SPF_PROBE_FP_FORM, 0, &elements, &elements),
        integers
    );
    assert_eq!(
        probe::<_, [u64; 6]>(&device, sys::SPF_PROBE_FP_FORM, 1, &integers, &integers),
        elements
    );
}

/// Magnitude and sign of each half of a scalar, as the probe gives them: 2 x (8 limbs of 32 bits, sign).
type Halves = [u32; 18];

fn half_value(limbs: &[u32]) -> Scalar {
    let radix = Scalar::from(1u64 << 32);
    let magnitude = limbs[..8].iter().rev().fold(Scalar::ZERO, |sum, &limb| {
        sum * radix + Scalar::from(u64::from(limb))
    });
    // the sign is a bool, of which one byte is written
    if limbs[8] & 0xff != 0 {
        -magnitude
    } else {
        magnitude
    }
}

fn bits(limbs: &[u32]) -> u32 {
    limbs[..8]
        .iter()
        .enumerate()
        .rev()
        .find(|(_, l)| **l != 0)
        .map_or(0, |(i, l)| 32 * i as u32 + 32 - l.leading_zeros())
}

#[test]
fn halves_of_scalars_recombine_and_are_short() {
    let Some(device) = open() else { return };
    let mut all = edge_scalars();
    let mut rng = rng(5);
    all.extend((0..3000).map(|_| Scalar::random(&mut rng)));
    let integers: Vec<[u64; 4]> = all.iter().map(canonical).collect();
    for (operation, most_bits) in [(0, 254), (1, 127)] {
        let halves: Vec<Halves> = probe(&device, sys::SPF_PROBE_SPLIT, operation, &integers, &integers);
        for (s, h) in all.iter().zip(&halves) {
            assert!(
                bits(&h[..9]) <= most_bits && bits(&h[9..]) <= most_bits,
                "halves of {s:?}: {h:x?}"
            );
            let value = if operation == 0 {
                half_value(&h[..9])
            } else {
                half_value(&h[..9]) + lambda() * half_value(&h[9..])
            };
            assert_eq!(value, *s, "halves {h:x?}");
        }
    }
}

#[test]
fn b008_integers_above_r_are_taken_modulo_r() {
    let Some(device) = open() else { return };
    let r: [u64; 4] = [
        0xffff_ffff_0000_0001,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ];
    let mut r_plus_one = r;
    r_plus_one[0] += 1;
    let largest = [u64::MAX; 4];
    let halves: Vec<Halves> = probe(
        &device,
        sys::SPF_PROBE_SPLIT,
        1,
        &[r, r_plus_one, largest],
        &[r, r_plus_one, largest],
    );
    let values: Vec<Scalar> = halves
        .iter()
        .map(|h| half_value(&h[..9]) + lambda() * half_value(&h[9..]))
        .collect();
    let two_256 = Scalar::from(2).pow_vartime([256]);
    assert_eq!(values, [Scalar::ZERO, Scalar::ONE, two_256 - Scalar::ONE]);
    assert_eq!(from_montgomery(montgomery(&values[2])), values[2]);
}
