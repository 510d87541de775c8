//! One transform and one quotient in a pool of one thread.

// criterion's macros make public items without documentation.
#![allow(missing_docs)]

use bls_fields::Fr;
use criterion::{criterion_group, criterion_main, BatchSize, Criterion};
use ff::Field;
use groth16_core::domain::Domain;
use groth16_core::quotient::quotient;
use rand_core::SeedableRng;

fn transforms(c: &mut Criterion) {
    let mut group = c.benchmark_group("ntt");
    group.sample_size(10);
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
        return;
    };
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(0);
    for log_n in [14, 18] {
        let Ok(domain) = Domain::new(log_n) else {
            return;
        };
        let values: Vec<Fr> = (0..domain.size()).map(|_| Fr::random(&mut rng)).collect();
        group.bench_function(format!("forward/2^{log_n}"), |bench| {
            let mut values = values.clone();
            bench.iter(|| pool.install(|| domain.ntt(&mut values)));
        });
        group.bench_function(format!("quotient/2^{log_n}"), |bench| {
            bench.iter_batched(
                || (values.clone(), values.clone()),
                |(a, b)| pool.install(|| quotient(&domain, a, b)),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, transforms);
criterion_main!(benches);
