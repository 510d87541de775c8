//! One proof over two fake devices: the bytes of one device, also when a call fails on either.
#![cfg(feature = "host-check")]

mod fakes;

use backend_tests::toy::vector_hex;
use bench_shapes::BenchShape;
use fakes::*;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, OUT_OF_MEMORY};
use supraseal_c2::backend::{CudaBackend, CudaConfig, TwoDevices};

fn divided(fakes: &[FakeDevice]) -> CudaBackend {
    let config = CudaConfig {
        two_devices: TwoDevices::Always,
        ..on(fakes)
    };
    CudaBackend::new(&config).unwrap()
}

#[test]
fn cases_of_every_backend_pass() {
    let fakes = fakes(2);
    let backend = divided(&fakes);
    backend_tests::cases::a_small_circuit_after_a_large_one_has_its_own_bytes(&backend);
    backend_tests::cases::a_batch_is_its_single_proofs(&backend);
    backend_tests::cases::inputs_in_memory_of_the_backend_give_the_same_proofs(&backend);
    backend_tests::cases::dropping_what_is_pending_waits(&backend);
    drop(backend);
    assert_clean(&fakes);
}

/// The second device computes its share and no more, and none unless told to: the proof is small.
#[test]
fn the_second_device_works_when_it_is_told_to() {
    let shape = BenchShape::new(7, 0.6).unwrap();
    let (r1cs, witness) = shape.generate(9).unwrap();
    let key: Srs = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5))
        .unwrap()
        .into();
    let assignment = r1cs.assign(&witness).unwrap();
    let calls_of = |two_devices| {
        let fakes = fakes(2);
        let config = CudaConfig {
            two_devices,
            ..on(&fakes)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = backend.load_srs(&key).unwrap();
        let before: Vec<u64> = fakes.iter().map(|fake| fake.calls()).collect();
        let proofs = backend.prove_scoped(&srs, &[assignment.as_assignment()], &[blinding()]);
        let calls: Vec<u64> = fakes
            .iter()
            .zip(before)
            .map(|(fake, before)| fake.calls() - before)
            .collect();
        drop((srs, backend));
        assert_clean(&fakes);
        (proofs.unwrap(), calls)
    };
    let (alone, calls) = calls_of(TwoDevices::Never);
    assert!(calls[0] > 100 && calls[1] == 0, "{calls:?}");
    assert_eq!(calls_of(TwoDevices::WhenSooner), (alone.clone(), calls));
    let (together, calls) = calls_of(TwoDevices::Always);
    assert!(together == alone && calls[1] > 100, "{calls:?}");
}

/// A job that is dropped before it begins may have been given a second device's slot, which must come back.
#[test]
fn dropped_jobs_let_go_of_both_devices() {
    let fakes = fakes(2);
    let backend = divided(&fakes);
    let srs = backend.load_srs(&key()).unwrap();
    (0..60).for_each(|_| drop(backend.submit(&srs, job(&srs, 1)).unwrap()));
    assert_right(&backend.submit(&srs, job(&srs, 8)).unwrap().wait().unwrap(), 8);
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn with_many_jobs_all_are_right() {
    let fakes = fakes(3);
    let backend = divided(&fakes);
    let srs = backend.load_srs(&key()).unwrap();
    for n in [1, 2, 1, 5, 1] {
        let pending: Vec<_> = (0..n)
            .map(|_| backend.submit(&srs, job(&srs, n)).unwrap())
            .collect();
        drop(backend.submit(&srs, job(&srs, 1)).unwrap());
        for pending in pending {
            assert_right(&pending.wait().unwrap(), n);
        }
        assert_right(&[prove(&backend, &srs).unwrap()], 1);
    }
    drop((srs, backend));
    assert_clean(&fakes);
}

/// Whatever fails, on the first device or the second, is done again on one of them.
#[test]
fn b093_any_call_fails_on_either_device() {
    for (which, code) in [
        (0, OUT_OF_MEMORY),
        (1, OUT_OF_MEMORY),
        (0, ILLEGAL_ADDRESS),
        (1, ILLEGAL_ADDRESS),
    ] {
        for n in (1 + which as u64..).step_by(13) {
            let fakes = fakes(2);
            let backend = divided(&fakes);
            let srs = backend.load_srs(&key()).unwrap();
            fakes[which].fail_at(n, code);
            let first = prove(&backend, &srs);
            let reached = fakes[which].calls() >= n;
            let then = backend.submit(&srs, job(&srs, 2)).unwrap().wait();
            for proofs in [first.map(|proof| vec![proof]), then] {
                let proofs = proofs.unwrap_or_else(|error| panic!("device {which}, call {n}: {error}"));
                assert!(proofs
                    .iter()
                    .all(|proof| proof.to_bytes().to_vec() == vector_hex("P-binp-3-5")));
            }
            drop((srs, backend));
            assert_clean(&fakes);
            if !reached {
                assert!(n > 50, "only {n} calls");
                break;
            }
        }
    }
}

#[test]
fn both_devices_fail_in_one_proof() {
    let fakes = fakes(2);
    let backend = divided(&fakes);
    let srs = backend.load_srs(&key()).unwrap();
    fakes.iter().for_each(|fake| fake.fail_at(30, ILLEGAL_ADDRESS));
    assert_is_of_cuda(&prove(&backend, &srs).unwrap_err());
    assert_is_of_cuda(&prove(&backend, &srs).unwrap_err());
    drop((srs, backend));
    assert_clean(&fakes);
}
