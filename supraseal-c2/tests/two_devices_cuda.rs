//! One proof over two fake devices: the bytes of one device, also when a call fails on either.
#![cfg(feature = "host-check")]

mod fakes;

use backend_tests::toy::vector_path;
use bench_shapes::BenchShape;
use fakes::*;
use groth16_core::params::TrailingBytes;
use groth16_core::schedule::{Batches, CRows, Schedule, Staging, WitnessSums};
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::timeline::{Lane, Stage, Timeline, TimelineSink};
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, INVALID_VALUE, OUT_OF_MEMORY};
use std::sync::mpsc::channel;
use supraseal_c2::backend::{CudaBackend, CudaConfig, TwoDevices};

fn divided(fakes: &[FakeDevice]) -> CudaBackend {
    divided_by(fakes, CudaConfig::default())
}

fn divided_by(fakes: &[FakeDevice], config: CudaConfig) -> CudaBackend {
    let CudaConfig {
        gpus,
        staging_bytes,
        host_threads,
        ..
    } = on(fakes);
    let config = CudaConfig {
        two_devices: TwoDevices::Always,
        gpus,
        staging_bytes,
        host_threads,
        ..config
    };
    CudaBackend::new(&config).unwrap()
}

/// A key and an assignment of the bench circuit.
fn bench(log_n: u32, full: f64) -> (Srs, OwnedAssignment) {
    let (r1cs, witness) = BenchShape::new(log_n, full).unwrap().generate(9).unwrap();
    let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5)).unwrap();
    (key.into(), r1cs.assign(&witness).unwrap())
}

#[test]
fn cases_of_every_backend_pass() {
    let fakes = fakes(2);
    let backend = divided(&fakes);
    backend_tests::cases::toy_proofs_have_the_published_bytes(&backend);
    backend_tests::cases::a_small_circuit_after_a_large_one_has_its_own_bytes(&backend);
    backend_tests::cases::a_batch_is_its_single_proofs(&backend);
    backend_tests::cases::inputs_in_memory_of_the_backend_give_the_same_proofs(&backend);
    backend_tests::cases::dropping_what_is_pending_waits(&backend);
    drop(backend);
    assert_clean(&fakes);
}

/// Of a domain of one row, of no constraints, with publics in B; with a key that is streamed, without
/// page-locked memory for coefficients, and by every schedule.
#[test]
fn every_shape_is_right_however_it_is_divided() {
    let schedule = Schedule {
        staging: Staging::UnderLock,
        batches: Batches::PerBatch,
        c_rows: CRows::Uploaded,
        witness_sums: WitnessSums::AfterH,
    };
    let configs = [
        CudaConfig::default(),
        CudaConfig {
            max_key_bytes: Some(0),
            ..CudaConfig::default()
        },
        CudaConfig {
            max_pinned_bytes: Some(0),
            ..CudaConfig::default()
        },
        CudaConfig {
            schedule,
            workers: Some(1),
            ..CudaConfig::default()
        },
    ];
    for (seed, config) in configs.into_iter().enumerate() {
        let fakes = [seed as u64 + 1, seed as u64 + 2].map(|seed| FakeDevice::new(512 * MIB, seed));
        let backend = divided_by(&fakes, config);
        backend_tests::cases::every_shape_equals_the_cpu(&backend);
        drop(backend);
        assert_clean(&fakes);
    }
}

/// The first device alone has the rows, and the second alone the wires, where it does all that needs them; a
/// part of the quotient goes from one to the other, unless there is no page-locked memory for it.
#[test]
fn of_a_sparse_witness_rows_go_to_one_device_and_wires_to_the_other() {
    let (key, assignment) = bench(7, 0.01);
    for max_pinned_bytes in [None, Some(0)] {
        let fakes = fakes(2);
        let (sender, timelines) = channel();
        let config = CudaConfig {
            timelines: Some(TimelineSink::new(move |timeline| drop(sender.send(timeline)))),
            max_pinned_bytes,
            ..CudaConfig::default()
        };
        let backend = divided_by(&fakes, config);
        let srs = backend.load_srs(&key).unwrap();
        for _ in 0..2 {
            backend
                .prove_scoped(&srs, &[assignment.as_assignment()], &[blinding()])
                .unwrap();
            let of = |fake: &FakeDevice, both: &[Timeline]| {
                both.iter().find(|t| t.device == fake.ordinal).cloned().unwrap()
            };
            let both: Vec<_> = timelines.try_iter().collect();
            let (first, second) = (of(&fakes[0], &both), of(&fakes[1], &both));
            let copies = |timeline: &Timeline, stage| {
                timeline
                    .lane(Lane::Copy)
                    .filter(|span| span.stage == stage)
                    .count()
            };
            let sums = |timeline: &Timeline, stage| {
                let lanes = [Lane::Compute, Lane::Beside];
                let spans = lanes.into_iter().flat_map(|lane| timeline.lane(lane));
                spans.filter(|span| span.stage == stage).count()
            };
            for stage in [Stage::A, Stage::B] {
                assert!(copies(&first, stage) > 0 && copies(&second, stage) == 0);
            }
            assert!(copies(&first, Stage::Wires) == 0 && copies(&second, Stage::Wires) > 0);
            assert_eq!([sums(&first, Stage::MsmL), sums(&second, Stage::MsmL)], [0, 1]);
            let moved = usize::from(max_pinned_bytes.is_none());
            assert_eq!(
                [sums(&first, Stage::MsmH), sums(&second, Stage::MsmH)],
                [1, moved]
            );
            assert_eq!(
                copies(&first, Stage::Coefficients),
                copies(&second, Stage::Coefficients)
            );
            // 128 rows have 127 coefficients.
            let bytes = copies(&second, Stage::Coefficients) as u64 * 4 * 32;
            assert_eq!(bytes > 0, moved == 1);
            assert!(first.downloaded_bytes >= bytes && bytes < 64 * 32, "{bytes}");
        }
        drop((backend, srs));
        assert_clean(&fakes);
    }
}

/// Threads whose proofs divide over the same devices, each with one slot: whoever holds something waits for
/// nobody who waits for it.
#[test]
fn proofs_that_divide_over_each_others_devices_all_end() {
    for n_devices in [2, 3] {
        let fakes = fakes(n_devices);
        let config = CudaConfig {
            workers: Some(1),
            ..CudaConfig::default()
        };
        let backend = divided_by(&fakes, config);
        let srs = backend.load_srs(&key()).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..30).for_each(|_| assert_right(&[prove(&backend, &srs).unwrap()], 1)));
            }
        });
        drop((srs, backend));
        assert_clean(&fakes);
    }
}

/// The second device computes its share and no more, and none unless told to: the proof is small.
#[test]
fn the_second_device_works_when_it_is_told_to() {
    let (key, assignment) = bench(7, 0.6);
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

/// Jobs that come together have a device each; one alone has both.
#[test]
fn of_many_at_once_none_is_divided() {
    let fakes = fakes(2);
    let (sender, timelines) = channel();
    let config = CudaConfig {
        timelines: Some(TimelineSink::new(move |timeline| drop(sender.send(timeline)))),
        ..CudaConfig::default()
    };
    let backend = divided_by(&fakes, config);
    let srs = backend.load_srs(&key()).unwrap();
    let n_divided = |n: usize| {
        let jobs: Vec<_> = (0..n).map(|_| job(&srs, 1)).collect();
        let pending: Vec<_> = jobs
            .into_iter()
            .map(|job| backend.submit(&srs, job).unwrap())
            .collect();
        pending
            .into_iter()
            .for_each(|pending| assert_right(&pending.wait().unwrap(), 1));
        timelines.try_iter().count() - n
    };
    (0..3).for_each(|_| assert_eq!(n_divided(1), 1));
    // The last may find a device idle, and so may another where this thread is held up: but not each time.
    let divided: Vec<usize> = (0..40).map(|_| n_divided(10)).take_while(|n| *n > 0).collect();
    assert!(divided.len() < 40, "{divided:?}");
    (0..3).for_each(|_| assert_eq!(n_divided(1), 1));
    drop((srs, backend));
    assert_clean(&fakes);
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

/// A key is decoded once: a second device copies it from the first, unless that one fails while it does.
#[test]
fn a_second_device_copies_the_key_from_the_first() {
    let path = vector_path("binp.params");
    for lost in [false, true] {
        let fakes = fakes(2);
        let backend = divided(&fakes);
        let copy = tempfile::NamedTempFile::new().unwrap();
        std::fs::copy(&path, copy.path()).unwrap();
        let mapped = MappedParams::open(copy.path(), TrailingBytes::Refuse).unwrap();
        let srs = backend
            .load_srs(&Srs::Mapped(mapped.into(), ParamsCheck::Subgroup))
            .unwrap();
        match lost {
            true => fakes[0].fail_at(1, ILLEGAL_ADDRESS),
            // What is in the file now is no point.
            false => std::fs::write(
                copy.path(),
                vec![0xff; std::fs::metadata(&path).unwrap().len() as usize],
            )
            .unwrap(),
        }
        (0..3).for_each(|_| assert_right(&[prove(&backend, &srs).unwrap()], 1));
        assert!(fakes[1].calls() > 100);
        drop((srs, backend));
        assert_clean(&fakes);
    }
}

/// Whatever fails, on the first device or the second, on the way of the coefficients too, is done again on
/// one of them.
#[test]
fn b093_any_call_fails_on_either_device() {
    let (key, assignment) = bench(6, 0.01);
    let circuit = [assignment.as_assignment()];
    let cpu = CpuBackend.load_srs(&key).unwrap();
    let expected = CpuBackend.prove_scoped(&cpu, &circuit, &[blinding()]).unwrap();
    for (which, code) in [
        (0, OUT_OF_MEMORY),
        (1, OUT_OF_MEMORY),
        (0, ILLEGAL_ADDRESS),
        (1, ILLEGAL_ADDRESS),
        // Of no kind that one device alone would try again after.
        (1, INVALID_VALUE),
    ] {
        for n in (1 + which as u64..).step_by(23) {
            let fakes = fakes(3).split_off(1);
            let backend = divided(&fakes);
            let srs = backend.load_srs(&key).unwrap();
            fakes[which].fail_at(n, code);
            let prove = || backend.prove_scoped(&srs, &circuit, &[blinding()]);
            for proofs in [prove(), prove()] {
                let proofs = proofs.unwrap_or_else(|error| panic!("device {which}, call {n}: {error}"));
                assert_eq!(proofs, expected, "device {which}, call {n}");
            }
            let reached = fakes[which].calls() >= n;
            drop((srs, backend));
            assert_clean(&fakes);
            if !reached {
                assert!(n > 150, "only {n} calls");
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
