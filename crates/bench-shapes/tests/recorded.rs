//! The shapes with names have the counts that are recorded, and so have the circuits made of them.

use bench_shapes::{BenchShape, RecordedShape, ShapeError};
use bls_fields::Fr;
use ff::Field;
use std::num::NonZeroU32;

fn named(name: &str) -> BenchShape {
    RecordedShape::by_name(name).unwrap().shape()
}

fn scaled(shape: &BenchShape, divisor: u32) -> Result<BenchShape, ShapeError> {
    shape.scaled(NonZeroU32::new(divisor).unwrap())
}

/// Counts, densities and values as the shape says, every row satisfied, every wire in one.
fn assert_made_as_said(name: &str, shape: &BenchShape) {
    let (r1cs, witness) = shape.generate(1).unwrap();
    r1cs.evaluate(&witness).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(r1cs.n_constraints(), shape.n_constraints(), "{name}");
    assert_eq!(r1cs.n_rows(), shape.n_constraints() + shape.n_inputs(), "{name}");
    assert_eq!(r1cs.n_inputs(), shape.n_inputs(), "{name}");
    assert_eq!(r1cs.n_aux(), shape.n_aux(), "{name}");
    assert_eq!(r1cs.first_unconstrained_wire(), None, "{name}");
    let densities = r1cs.densities();
    let [a, b_input, b] =
        [&densities.a_aux, &densities.b_input, &densities.b_aux].map(|bits| bits.as_density().n_dense());
    assert_eq!(
        (a, b_input, b),
        (shape.n_a_dense(), 1, shape.n_b_dense()),
        "{name}"
    );
    let aux = &witness[shape.n_inputs()..];
    let zeros = aux.iter().filter(|v| v.is_zero_vartime()).count();
    let ones = aux.iter().filter(|v| **v == Fr::ONE).count();
    assert_eq!((zeros, ones), (shape.n_zeros(), shape.n_ones()), "{name}");
    assert_eq!(aux.len() - zeros - ones, shape.n_full(), "{name}");
}

#[test]
fn keys_of_the_2_kib_circuits_have_the_recorded_sizes() {
    for (name, log_n, params_bytes) in [
        ("porep-2k", 22, 1_114_707_768),
        ("update-2k", 21, 655_789_464),
        ("winning-2k", 17, 47_299_128),
        ("window-2k", 15, 11_501_496),
    ] {
        let shape = named(name);
        assert_eq!(shape.domain_size(), 1 << log_n, "{name}");
        // The head, a count before each of the six sections, and their points.
        let (ic, h, l) = (shape.n_inputs(), shape.domain_size() - 1, shape.n_aux());
        let (a, b) = (ic + shape.n_a_dense(), 1 + shape.n_b_dense());
        assert_eq!(
            864 + 6 * 4 + 96 * (ic + h + l + a + b) + 192 * b,
            params_bytes,
            "{name}"
        );
    }
}

#[test]
fn larger_circuits_have_the_recorded_domains() {
    for (kind, log_n) in [("porep", 27), ("update", 27), ("winning", 19), ("window", 27)] {
        for size in ["32g", "64g"] {
            let name = format!("{kind}-{size}");
            assert_eq!(named(&name).domain_size(), 1 << log_n, "{name}");
        }
    }
}

#[test]
fn shares_of_zeros_and_ones_are_the_recorded_ones() {
    for shape in RecordedShape::all() {
        let made = shape.shape();
        let share = (made.n_zeros() + made.n_ones()) as f64 / made.n_aux() as f64;
        let range = match shape.name.split('-').next().unwrap() {
            "porep" => 0.983..0.985,
            "update" => 0.984..0.986,
            "winning" => 0.007..0.027,
            _ => 0.009..0.034,
        };
        assert!(range.contains(&share), "{}: {share}", shape.name);
    }
}

#[test]
fn post_circuits_are_made_whole() {
    for name in ["winning-2k", "window-2k"] {
        assert_made_as_said(name, &named(name));
    }
}

#[test]
fn every_shape_is_made_at_every_small_scale() {
    for shape in RecordedShape::all() {
        let whole = shape.shape();
        let mut n_made = 0;
        for log_divisor in 0..31 {
            // A power of two, and something between two of them.
            for divisor in [1 << log_divisor, (1 << log_divisor) + (1 << log_divisor) / 3] {
                let Ok(part) = scaled(&whole, divisor) else {
                    continue;
                };
                if part.n_constraints() < 5_000 {
                    assert_made_as_said(&format!("{} 1/{divisor}", shape.name), &part);
                    n_made += 1;
                }
            }
        }
        assert!(n_made >= 10, "{}: {n_made}", shape.name);
    }
}

#[test]
fn scales_keep_ratios_and_powers_of_two_the_domain() {
    for shape in RecordedShape::all() {
        let whole = shape.shape();
        assert_eq!(scaled(&whole, 1), Ok(whole), "{}", shape.name);
        for log_divisor in [1, 4, 7] {
            let part = scaled(&whole, 1 << log_divisor).unwrap();
            assert_eq!(
                part.domain_size(),
                whole.domain_size() >> log_divisor,
                "{}",
                shape.name
            );
            let counts = |shape: &BenchShape| {
                [
                    shape.n_constraints(),
                    shape.n_aux(),
                    shape.n_a_dense(),
                    shape.n_b_dense(),
                    shape.n_zeros(),
                    shape.n_full(),
                ]
            };
            for (part, whole) in counts(&part).into_iter().zip(counts(&whole)) {
                assert!(
                    (part << log_divisor).abs_diff(whole) <= 2 << log_divisor,
                    "{}",
                    shape.name
                );
            }
        }
    }
}

#[test]
fn shapes_and_scales_that_do_not_exist_are_errors() {
    let error = RecordedShape::by_name("porep-16g").unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("no shape is named \"porep-16g\": choose one of porep-2k, "),
        "{text}"
    );
    for shape in RecordedShape::all() {
        assert!(text.contains(shape.name), "{text}");
    }
    let error = scaled(&named("window-2k"), 400).unwrap_err();
    let (divisor, n_constraints) = (400, 55);
    assert_eq!(
        error,
        ShapeError::Scale {
            divisor,
            n_constraints
        }
    );
}
