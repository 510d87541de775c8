//! Parameter generation for the bench circuit.

#![allow(missing_docs)] // criterion's macros make public items without any

use bls_curves::{G1Affine, G2Affine};
use bls_fields::FrRepr;
use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use groth16_core::setup::{generate_parameters, generate_parameters_with, GeneratorMultiples, ToxicWaste};
use groth16_core::Result;

/// Multiplies nothing: what is left of key generation when a device does that.
struct NoMultiples;

impl GeneratorMultiples for NoMultiples {
    fn g1(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G1Affine>>> {
        Ok(vec![Vec::new(); lists.len()])
    }
    fn g2(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G2Affine>>> {
        Ok(vec![Vec::new(); lists.len()])
    }
}

fn setups(c: &mut Criterion) {
    let mut group = c.benchmark_group("setup");
    group.sample_size(10);
    for log_n in benches::log_ns(&[12]) {
        let (r1cs, _) = benches::circuit(log_n, 20.0);
        let waste = ToxicWaste::insecure_from_seed(1);
        group.throughput(Throughput::Elements(r1cs.n_constraints() as u64));
        group.bench_function(BenchmarkId::new("parameters", log_n), |bench| {
            bench.iter(|| generate_parameters(&r1cs, &waste))
        });
        group.bench_function(BenchmarkId::new("scalars", log_n), |bench| {
            bench.iter(|| generate_parameters_with(&r1cs, &waste, &NoMultiples))
        });
    }
    group.finish();
}

criterion_group!(benches, setups);
criterion_main!(benches);
