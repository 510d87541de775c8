//! Every schedule of the CUDA backend on the fake runtime: the same bytes,
//! nothing left, no access out of order.
#![cfg(feature = "host-check")]

use backend_tests::toy::*;
use bench_shapes::BenchShape;
use bls_fields::Fr;
use groth16_core::schedule::*;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::*;
use sppark_fork::fake::FakeDevice;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

/// Every schedule, with one worker and with two.
fn choices() -> impl Iterator<Item = (Schedule, usize)> {
    (0..32).map(|choice: u32| {
        let bit = |k: u32| choice >> k & 1 == 1;
        let schedule = Schedule {
            staging: if bit(0) {
                Staging::UnderLock
            } else {
                Staging::Ahead
            },
            batches: if bit(1) {
                Batches::PerBatch
            } else {
                Batches::Deferred
            },
            c_rows: if bit(2) { CRows::Uploaded } else { CRows::Product },
            witness_sums: if bit(3) {
                WitnessSums::AfterH
            } else {
                WitnessSums::BesideH
            },
        };
        (schedule, if bit(4) { 1 } else { 2 })
    })
}

/// Proofs with each schedule equal the CPU's, each time on a fresh device.
fn prove_with_each(r1cs: &R1cs, witness: &[Fr], n_circuits: usize) {
    let waste = ToxicWaste::insecure_from_seed(6);
    let key: Srs = generate_parameters(r1cs, &waste).unwrap().into();
    let assignment = r1cs.assign(witness).unwrap();
    let circuits = vec![assignment.as_assignment(); n_circuits];
    let blindings: Vec<_> = (0..n_circuits as u64)
        .map(|i| Blinding {
            r: (3 * i).into(),
            s: (7 + i).into(),
        })
        .collect();
    let cpu = CpuBackend.load_srs(&key).unwrap();
    let expected = CpuBackend.prove_scoped(&cpu, &circuits, &blindings).unwrap();
    // The seed is the order in which the device's work runs: each meets every choice.
    for (seed, (schedule, workers)) in (0..).zip(choices()) {
        let fake = FakeDevice::new(512 << 20, seed);
        let config = CudaConfig {
            gpus: Some(vec![fake.ordinal]),
            staging_bytes: Some(3 * 4096),
            workers: Some(workers),
            schedule,
            ..CudaConfig::default()
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = backend.load_srs(&key).unwrap();
        let proofs = backend.prove_scoped(&srs, &circuits, &blindings).unwrap();
        assert_eq!(proofs, expected, "{schedule:?}, {workers} workers, seed {seed}");
        drop((srs, backend));
        assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    }
}

#[test]
fn every_schedule_gives_the_cpus_bytes() {
    let (r1cs, witness) = BenchShape::new(6, 0.3).unwrap().generate(4).unwrap();
    prove_with_each(&r1cs, &witness, 3);
}

#[test]
fn every_schedule_proves_a_circuit_without_a_quotient() {
    prove_with_each(&r1cs(1, 0, &[]), &elements(&[1]), 1);
}
