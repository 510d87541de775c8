//! Whole proofs of the bench circuit on the CPU, at 1 %, 20 % and 98 % full values, and their verification.

#![allow(missing_docs)] // criterion's macros make public items without any

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion};
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::{Backend, Blinding, CpuBackend, Job, PreparedVerifyingKey, Result};

const FULL_PERCENT: [f64; 3] = [1.0, 20.0, 98.0];

fn proofs(c: &mut Criterion) {
    for log_n in benches::log_ns(&[12]) {
        for full_percent in FULL_PERCENT {
            one_circuit(c, log_n, full_percent).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

fn one_circuit(c: &mut Criterion, log_n: u32, full_percent: f64) -> Result<()> {
    let (r1cs, witness) = benches::circuit(log_n, full_percent);
    let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1))?;
    let vk = PreparedVerifyingKey::from(&key.vk);
    let srs = CpuBackend.load_srs(&key.into())?;
    let blinding = Blinding {
        r: 3.into(),
        s: 5.into(),
    };
    let prove = |assignment| {
        let job = Job::new(&*srs, vec![(assignment, blinding)])?;
        CpuBackend.submit(&srs, job)?.wait()
    };
    let proof = prove(r1cs.assign(&witness)?)?[0];
    let public = &witness[1..r1cs.n_inputs()];
    assert!(vk.verify(&proof, public)?, "what is measured must be a proof");

    let mut group = c.benchmark_group("prove");
    group.sample_size(10);
    let id = |what: &str| BenchmarkId::new(format!("{what}, {full_percent} % full"), log_n);
    group.bench_function(id("assignment"), |bench| bench.iter(|| r1cs.assign(&witness)));
    group.bench_function(id("proof"), |bench| {
        bench.iter_batched(
            || r1cs.assign(&witness),
            |assignment| prove(assignment?),
            BatchSize::PerIteration,
        )
    });
    group.bench_function(id("verification"), |bench| {
        bench.iter(|| vk.verify(&proof, public))
    });
    group.finish();
    Ok(())
}

criterion_group!(benches, proofs);
criterion_main!(benches);
