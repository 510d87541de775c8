//! The circuits have what the benchmarks' figures say they have.

use bench_shapes::{BenchShape, ShapeError};
use bls_fields::Fr;
use ff::Field;

const SHARES: [f64; 5] = [0.0, 0.01, 0.2, 0.98, 1.0];

fn each_shape(log_ns: impl IntoIterator<Item = u32>, test: impl Fn(BenchShape, f64)) {
    for log_n in log_ns {
        for share in SHARES {
            test(BenchShape::new(log_n, share).unwrap(), share);
        }
    }
}

#[test]
fn counts_are_those_of_the_published_shape() {
    for log_n in [11, 16, 20, 27] {
        let shape = BenchShape::new(log_n, 0.2).unwrap();
        let n = 1 << log_n;
        assert_eq!(shape.domain_size(), n);
        assert_eq!(shape.n_constraints(), n - n / 32);
        assert_eq!(shape.n_inputs(), 36);
        assert_eq!(shape.n_aux(), n - n / 32 - 40);
    }
}

#[test]
fn circuits_are_satisfied_and_fill_their_domain() {
    each_shape(6..=13, |shape, share| {
        for seed in [0, 7] {
            let (r1cs, witness) = shape.generate(seed).unwrap();
            r1cs.evaluate(&witness)
                .unwrap_or_else(|e| panic!("{shape:?} {share} {seed}: {e}"));
            assert_eq!(r1cs.n_rows().next_power_of_two(), shape.domain_size());
            assert_eq!(r1cs.n_constraints(), shape.n_constraints());
            assert_eq!(r1cs.n_inputs(), shape.n_inputs());
            assert_eq!(r1cs.n_aux(), shape.n_aux());
        }
    });
}

#[test]
fn every_wire_is_constrained() {
    each_shape(6..=13, |shape, share| {
        let (r1cs, _) = shape.generate(1).unwrap();
        assert_eq!(r1cs.first_unconstrained_wire(), None, "{shape:?} {share}");
        let mut inputs = vec![false; r1cs.n_inputs()];
        for matrix in r1cs.matrices() {
            for (wire, _) in (0..matrix.n_rows()).flat_map(|row| matrix.row(row)) {
                if let Some(input) = inputs.get_mut(wire as usize) {
                    *input = true;
                }
            }
        }
        assert!(inputs.iter().all(|used| *used), "{shape:?} {share}");
    });
}

#[test]
fn densities_are_exact() {
    each_shape([6, 9, 13, 16], |shape, share| {
        let (r1cs, _) = shape.generate(2).unwrap();
        let densities = r1cs.densities();
        let [a, b] = [&densities.a_aux, &densities.b_aux].map(|bits| bits.as_density().n_dense());
        assert_eq!(a, shape.n_a_dense(), "{shape:?} {share}");
        assert_eq!(b, shape.n_b_dense(), "{shape:?} {share}");
        if shape.domain_size() >= 1 << 9 {
            let n_aux = shape.n_aux() as f64;
            assert!((a as f64 / n_aux - 0.97).abs() < 0.005);
            assert!((b as f64 / n_aux - 0.31).abs() < 0.005);
        }
    });
}

#[test]
fn values_are_full_zero_and_one_in_exact_numbers() {
    each_shape([6, 9, 13, 16], |shape, share| {
        let (_, witness) = shape.generate(3).unwrap();
        let aux = &witness[shape.n_inputs()..];
        let zeros = aux.iter().filter(|v| v.is_zero_vartime()).count();
        let ones = aux.iter().filter(|v| **v == Fr::ONE).count();
        let full = aux.len() - zeros - ones;
        assert_eq!(full, (aux.len() as f64 * share).round() as usize);
        assert_eq!(zeros, (aux.len() - full) / 2);
        assert!(ones == zeros || ones == zeros + 1);
        // Full means full: nearly all have their top bits set.
        let wide = aux.iter().filter(|v| v.to_bytes_be()[..4] != [0; 4]).count();
        assert!(wide as f64 >= 0.9 * full as f64, "{wide} of {full}");
    });
}

#[test]
fn a_seed_is_one_circuit() {
    let shape = BenchShape::new(8, 0.2).unwrap();
    assert_eq!(shape.generate(5).unwrap(), shape.generate(5).unwrap());
    assert_ne!(shape.generate(5).unwrap().1, shape.generate(6).unwrap().1);
}

#[test]
fn a_wrong_value_is_noticed() {
    let shape = BenchShape::new(8, 0.2).unwrap();
    let (r1cs, witness) = shape.generate(5).unwrap();
    for wire in 1..witness.len() {
        let mut wrong = witness.clone();
        wrong[wire] += Fr::from(5);
        assert!(r1cs.evaluate(&wrong).is_err(), "wire {wire}");
    }
}

#[test]
fn shapes_that_do_not_exist_are_errors() {
    for log_n in [0, 5, 32, 64, u32::MAX] {
        assert_eq!(BenchShape::new(log_n, 0.2), Err(ShapeError::LogN { log_n }));
    }
    for share in [-0.1, 1.1, f64::INFINITY] {
        assert_eq!(BenchShape::new(8, share), Err(ShapeError::FullShare { share }));
    }
    assert!(BenchShape::new(8, f64::NAN).is_err());
}
