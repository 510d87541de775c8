//! Multi-scalar multiplication in both groups, with full scalars and with 80 % zeros and ones; and many
//! multiples of one point, as setup makes them.

#![allow(missing_docs)] // criterion's macros make public items without any

use bls_curves::{CurveGroup, G1Projective, G2Projective};
use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use groth16_core::fixed_base::FixedBase;
use groth16_core::msm::msm;

fn one_group<C: CurveGroup>(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("msm {}", C::NAME));
    group.sample_size(10);
    for log_n in benches::log_ns(&[12]) {
        let n = 1usize << log_n;
        group.throughput(Throughput::Elements(n as u64));
        let full = benches::scalars(n, 0);
        let table = FixedBase::<C>::new(&C::generator(), n);
        let bases = table.mul_many(&full);
        for (name, scalars) in [
            ("full", benches::scalars(n, 0)),
            ("80 % bits", benches::scalars(n, 80)),
        ] {
            group.bench_function(BenchmarkId::new(name, log_n), |bench| {
                bench.iter(|| msm::<C>(&bases, &scalars))
            });
        }
        group.bench_function(BenchmarkId::new("fixed base, table", log_n), |bench| {
            bench.iter(|| FixedBase::<C>::new(&C::generator(), n))
        });
        group.bench_function(BenchmarkId::new("fixed base, multiples", log_n), |bench| {
            bench.iter(|| table.mul_many(&full))
        });
    }
    group.finish();
}

fn msms(c: &mut Criterion) {
    one_group::<G1Projective>(c);
    one_group::<G2Projective>(c);
}

criterion_group!(benches, msms);
criterion_main!(benches);
