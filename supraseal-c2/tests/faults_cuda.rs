//! The CUDA backend on fake devices of which the n-th runtime call fails, for every n: each time a typed
//! error or a right proof, nothing alive afterwards, no access out of order, and the next proof is right.
#![cfg(feature = "host-check")]

mod fakes;

use backend_tests::toy::*;
use bls_fields::FrRepr;
use fakes::*;
use groth16_core::setup::{generate_parameters_with, CpuMultiples, GeneratorMultiples};
use groth16_core::timeline::TimelineSink;
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, OUT_OF_MEMORY};
use std::sync::mpsc::channel;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

/// Fails call n of a proof for every n that there is. Memory that runs out once costs
/// a second attempt and no proof.
fn every_call_of_a_proof_fails(seed: u64, code: i32, max_key_bytes: Option<u64>) {
    let config = CudaConfig {
        max_key_bytes,
        ..CudaConfig::default()
    };
    calls_of_a_proof_fail(1.., seed, code, &config);
}

fn calls_of_a_proof_fail(calls: impl Iterator<Item = u64>, seed: u64, code: i32, config: &CudaConfig) {
    for n in calls {
        let fake = FakeDevice::new(512 * MIB, seed);
        let config = CudaConfig {
            timelines: config.timelines.clone(),
            max_key_bytes: config.max_key_bytes,
            ..on(&[fake])
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = backend.load_srs(&key()).unwrap();
        fake.fail_at(n, code);
        let outcome = prove(&backend, &srs);
        let reached = fake.calls() >= n;
        fake.fail_at(0, 0);
        match &outcome {
            Ok(proof) => assert_eq!(proof.to_bytes().to_vec(), expected()),
            Err(error) if code == OUT_OF_MEMORY => panic!("call {n}: {error}"),
            Err(error) => assert_is_of_cuda(error),
        }
        let next = prove(&backend, &srs);
        match (code, &outcome, &next) {
            // What is lost stays lost, and says so; it may be lost after the proof was there.
            (ILLEGAL_ADDRESS, _, Err(error)) => assert_is_of_cuda(error),
            (ILLEGAL_ADDRESS, Err(_), Ok(_)) => panic!("call {n}: a lost device was used again"),
            (_, _, Ok(proof)) => assert_eq!(proof.to_bytes().to_vec(), expected(), "call {n}"),
            (_, _, Err(error)) => panic!("call {n}: the proof after the failure: {error}"),
        }
        drop((srs, backend));
        assert_clean(&[fake]);
        if !reached {
            assert!(n > 50, "only {n} calls");
            return;
        }
    }
}

#[test]
fn memory_that_cannot_be_page_locked_is_used_as_it_is() {
    let fake = FakeDevice::new(512 * MIB, 0);
    let backend = CudaBackend::new(&on(&[fake])).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let assignment = binp().assign(&binp_witness()).unwrap();
    fake.fail_at(1, OUT_OF_MEMORY);
    let aux = backend.register_host(assignment.aux.to_vec());
    assert_eq!(fake.calls(), 1);
    fake.fail_at(0, 0);
    let circuit = Assignment {
        aux: &aux,
        ..assignment.as_assignment()
    };
    assert_right(&backend.prove_scoped(&srs, &[circuit], &[blinding()]).unwrap(), 1);
    drop((srs, backend, aux));
    assert_clean(&[fake]);
}

#[test]
fn b093_out_of_memory_at_every_call_of_a_proof() {
    every_call_of_a_proof_fails(0, OUT_OF_MEMORY, None);
}

#[test]
fn b093_out_of_memory_at_every_call_of_a_proof_with_a_streamed_key() {
    every_call_of_a_proof_fails(2, OUT_OF_MEMORY, Some(0));
}

#[test]
fn b093_a_lost_device_at_every_call_of_a_proof_with_a_streamed_key() {
    every_call_of_a_proof_fails(0, ILLEGAL_ADDRESS, Some(0));
}

#[test]
fn out_of_memory_at_any_call_of_loading_costs_a_rung_and_no_proof() {
    let mut n_lowered = 0;
    for n in 1.. {
        let fake = FakeDevice::new(512 * MIB, n);
        let backend = CudaBackend::new(&on(&[fake])).unwrap();
        fake.fail_at(n, OUT_OF_MEMORY);
        let srs = backend
            .load_srs(&key())
            .unwrap_or_else(|error| panic!("call {n}: {error}"));
        let reached = fake.calls() >= n;
        fake.fail_at(0, 0);
        let plan = &backend.memory_plans(&srs).unwrap()[0];
        // A call that frees may fail without harm.
        assert!(plan.rung <= usize::from(reached), "call {n}: {plan}");
        n_lowered += plan.rung;
        assert_eq!(fake.bytes(), plan.peak_bytes, "call {n}");
        assert_eq!(prove(&backend, &srs).unwrap().to_bytes().to_vec(), expected());
        drop((srs, backend));
        assert_clean(&[fake]);
        if !reached {
            assert!(n_lowered > 20, "{n_lowered} of {n} calls");
            return;
        }
    }
}

#[test]
fn b093_a_lost_device_at_every_call_of_a_proof() {
    every_call_of_a_proof_fails(2, ILLEGAL_ADDRESS, None);
}

#[test]
fn a_failure_while_a_timeline_is_recorded() {
    for (first, code) in [(1, OUT_OF_MEMORY), (3, ILLEGAL_ADDRESS)] {
        let config = CudaConfig {
            timelines: Some(TimelineSink::new(drop)),
            ..CudaConfig::default()
        };
        calls_of_a_proof_fail((first..).step_by(5), 1, code, &config);
    }
}

#[test]
fn a_timeline_that_fails_costs_no_proof() {
    // The first calls of a recorded proof are those of the reference: events made, recorded, waited for.
    let (sender, receiver) = channel();
    let fake = FakeDevice::new(512 * MIB, 1);
    let config = CudaConfig {
        timelines: Some(TimelineSink::new(move |timeline| drop(sender.send(timeline)))),
        ..on(&[fake])
    };
    let backend = CudaBackend::new(&config).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    fake.fail_at(1, OUT_OF_MEMORY);
    for n_timelines in [0, 1] {
        assert_eq!(prove(&backend, &srs).unwrap().to_bytes().to_vec(), expected());
        assert_eq!(receiver.try_iter().count(), n_timelines);
    }
    drop((srs, backend));
    assert_clean(&[fake]);
}

#[test]
fn every_call_of_opening_and_loading_fails() {
    for n in 1.. {
        let fake = FakeDevice::new(512 * MIB, 1);
        fake.fail_at(n, OUT_OF_MEMORY);
        let outcome = CudaBackend::new(&on(&[fake])).and_then(|backend| backend.load_srs(&key()).map(|_| ()));
        let reached = fake.calls() >= n;
        fake.fail_at(0, 0);
        assert_clean(&[fake]);
        if let Err(error) = &outcome {
            assert_is_of_cuda(error);
        }
        if !reached {
            outcome.unwrap();
            return;
        }
    }
}

#[test]
fn every_call_of_multiplying_the_generator_fails() {
    // In G1 alone: the code is the same for both groups, and G2's takes three times as long.
    let scalars = [FrRepr::from(3), FrRepr::from(0), FrRepr::from(7)];
    let expected = CpuMultiples.g1(&[&scalars]).unwrap();
    for n in 1.. {
        let fake = FakeDevice::new(64 * MIB, n);
        let backend = CudaBackend::new(&on(&[fake])).unwrap();
        fake.fail_at(n, OUT_OF_MEMORY);
        let outcome = backend.multiples().g1(&[&scalars]);
        let reached = fake.calls() >= n;
        fake.fail_at(0, 0);
        match &outcome {
            // A failure to give something back is recorded, not returned.
            Ok(points) => assert!(*points == expected, "call {n}"),
            Err(error) => assert_is_of_cuda(error),
        }
        drop(backend);
        assert_eq!(fake.hazards(), 0, "call {n}: {}", fake.describe());
        if !reached {
            assert!(outcome.is_ok() && n > 20, "only {n} calls");
            assert_clean(&[fake]);
            return;
        }
    }
}

#[test]
fn a_key_is_made_within_the_limit_or_refused_with_the_bytes() {
    let fake = FakeDevice::new(512 * MIB, 0);
    let make = |limit| {
        let config = CudaConfig {
            max_device_bytes: Some(limit),
            ..on(&[fake])
        };
        let backend = CudaBackend::new(&config).unwrap();
        let outcome = generate_parameters_with(&mul(), &toy_waste(), backend.multiples());
        assert!(backend.peak_device_bytes()[0] <= limit);
        outcome.map(|_| ())
    };
    make(MIB).unwrap();
    let error = make(1000).unwrap_err();
    assert_is_of_cuda(&error);
    assert!(error.to_string().contains("of the limit of 1000"), "{error}");
}

#[test]
fn a_lost_device_loses_no_proof_while_there_is_another() {
    for n in (1..200).step_by(7) {
        let fakes = [FakeDevice::new(512 * MIB, 0), FakeDevice::new(512 * MIB, 2)];
        let backend = CudaBackend::new(&on(&fakes)).unwrap();
        let srs = backend.load_srs(&key()).unwrap();
        fakes[0].fail_at(n, ILLEGAL_ADDRESS);
        for _ in 0..5 {
            let proof = prove(&backend, &srs).unwrap_or_else(|error| panic!("call {n}: {error}"));
            assert_eq!(proof.to_bytes().to_vec(), expected());
        }
        fakes[0].fail_at(0, 0);
        drop((srs, backend));
        assert_clean(&fakes);
    }
}

#[test]
fn b075_a_key_that_does_not_fit_is_an_error_with_the_bytes() {
    let fake = FakeDevice::new(512 * MIB, 0);
    let config = CudaConfig {
        max_device_bytes: Some(1000),
        ..on(&[fake])
    };
    let backend = CudaBackend::new(&config).unwrap();
    let error = backend.load_srs(&key()).map(|_| ()).unwrap_err();
    assert_is_of_cuda(&error);
    assert!(error.to_string().contains("1000 may be used"), "{error}");
    // And one that fits within it leaves the peak under it.
    let config = CudaConfig {
        max_device_bytes: Some(64 * MIB),
        ..on(&[fake])
    };
    let backend = CudaBackend::new(&config).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let outcome = prove(&backend, &srs);
    assert!(backend.peak_device_bytes()[0] <= 64 * MIB);
    assert_eq!(outcome.unwrap().to_bytes().to_vec(), expected());
}

#[test]
fn devices_out_of_range_or_twice_are_errors() {
    let fake = FakeDevice::new(MIB, 0);
    for list in [vec![u32::MAX], vec![], vec![fake.ordinal, fake.ordinal]] {
        let config = CudaConfig {
            gpus: Some(list),
            ..CudaConfig::default()
        };
        let Err(error) = CudaBackend::new(&config) else {
            panic!("{config:?} was taken")
        };
        assert_is_of_cuda(&error);
    }
}

#[test]
fn b085_any_number_of_multiprocessors_and_any_name_will_do() {
    // The fake device's name is in no table, and the plans follow its properties alone.
    let fake = FakeDevice::new(512 * MIB, 0);
    let backend = CudaBackend::new(&on(&[fake])).unwrap();
    assert_eq!(backend.describe_devices().len(), 1);
    let srs = backend.load_srs(&key()).unwrap();
    assert_eq!(prove(&backend, &srs).unwrap().to_bytes().to_vec(), expected());
}
