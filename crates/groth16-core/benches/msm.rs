//! `MSM_LOGS=14,16,18 cargo bench -p groth16-core --bench msm`: multi-scalar and fixed-base multiplication, in both
//! groups, with scalars all full or 80 % of them 0 or 1. By default at 2^12 only.

#![allow(missing_docs)] // what criterion_group! makes has none

use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::{Fr, FrRepr};
use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use ff::Field;
use groth16_core::fixed_base::FixedBase;
use groth16_core::msm::msm;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// n scalars, of which `percent_bits` are 0 or 1, half of each.
fn scalars(n: usize, percent_bits: u32) -> Vec<FrRepr> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..n)
        .map(|_| match rng.next_u32() % 200 {
            p if p < percent_bits => FrRepr::from(0),
            p if p < 2 * percent_bits => FrRepr::from(1),
            _ => Fr::random(&mut rng).into(),
        })
        .collect()
}

fn bench_group<C: CurveGroup>(c: &mut Criterion, logs: &[u32]) {
    for &log_n in logs {
        let n = 1usize << log_n;
        let full = scalars(n, 0);
        let bases = FixedBase::<C>::new(&C::generator(), n).mul_many(&full);
        let mut group = c.benchmark_group(C::NAME);
        group.sample_size(10).throughput(Throughput::Elements(n as u64));
        for (name, scalars) in [("msm full", scalars(n, 0)), ("msm 80% bits", scalars(n, 80))] {
            group.bench_function(BenchmarkId::new(name, log_n), |b| {
                b.iter(|| msm::<C>(&bases, &scalars))
            });
        }
        let table = FixedBase::<C>::new(&C::generator(), n);
        group.bench_function(BenchmarkId::new("fixed base", log_n), |b| {
            b.iter(|| table.mul_many(&full))
        });
        group.bench_function(BenchmarkId::new("fixed base table", log_n), |b| {
            b.iter(|| FixedBase::<C>::new(&C::generator(), n));
        });
        group.finish();
    }
}

fn benches(c: &mut Criterion) {
    let logs = std::env::var("MSM_LOGS").unwrap_or_else(|_| "12".into());
    let logs: Vec<u32> = logs
        .split(',')
        .filter_map(|log_n| log_n.trim().parse().ok())
        .collect();
    bench_group::<G1Projective>(c, &logs);
    bench_group::<G2Projective>(c, &logs);
}

criterion_group!(msm_benches, benches);
criterion_main!(msm_benches);
