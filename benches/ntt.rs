//! The transforms and the quotient.

#![allow(missing_docs)] // criterion's macros make public items without any

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, Throughput};
use groth16_core::domain::Domain;
use groth16_core::ntt::Order;
use groth16_core::quotient::quotient;

fn transforms(c: &mut Criterion) {
    let mut group = c.benchmark_group("ntt");
    group.sample_size(10);
    for log_n in benches::log_ns(&[14]) {
        let domain = Domain::new(log_n).unwrap_or_else(|e| panic!("{e}"));
        group.throughput(Throughput::Elements(domain.size() as u64));
        let mut values = benches::elements(domain.size());
        group.bench_function(BenchmarkId::new("forward", log_n), |bench| {
            bench.iter(|| domain.ntt(&mut values))
        });
        group.bench_function(BenchmarkId::new("forward, to reversed order", log_n), |bench| {
            bench.iter(|| domain.ntt_ordered(&mut values, Order::ToReversed))
        });
        group.bench_function(BenchmarkId::new("inverse", log_n), |bench| {
            bench.iter(|| domain.intt(&mut values))
        });
        group.bench_function(BenchmarkId::new("forward, coset", log_n), |bench| {
            bench.iter(|| domain.coset_ntt(&mut values))
        });
        group.bench_function(BenchmarkId::new("quotient", log_n), |bench| {
            bench.iter_batched(
                || (values.clone(), values.clone()),
                |(a, b)| quotient(&domain, a, b),
                BatchSize::PerIteration,
            )
        });
    }
    group.finish();
}

criterion_group!(benches, transforms);
criterion_main!(benches);
