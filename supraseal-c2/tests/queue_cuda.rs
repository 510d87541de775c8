//! The CUDA backend's queue on fake devices: order, back-pressure, several devices, drops. What runs where is
//! not seen; that proofs are right, that all ends, and that nothing is left is.
#![cfg(feature = "host-check")]

mod fakes;

use fakes::*;
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, OUT_OF_MEMORY};
use std::sync::mpsc;
use std::time::Duration;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

#[test]
fn jobs_of_several_threads_and_sizes_are_all_right() {
    let fakes = fakes(2);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (backend, srs) = (&backend, &srs);
            scope.spawn(move || {
                for n in [1, 3, 0, 10, 2] {
                    if thread % 2 == 0 {
                        let pending = backend.submit(srs, job(srs, n)).unwrap();
                        assert_right(&pending.wait().unwrap(), n);
                    } else {
                        let job = job(srs, n);
                        let circuits: Vec<_> =
                            job.circuits().iter().map(|(c, _)| c.as_assignment()).collect();
                        let proofs = backend.prove_scoped(srs, &circuits, &vec![blinding(); n]);
                        assert_right(&proofs.unwrap(), n);
                    }
                }
            });
        }
    });
    // Both devices took part.
    assert!(backend.peak_device_bytes().iter().all(|bytes| *bytes > 0));
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn any_number_of_workers_will_do() {
    for workers in [0, 1, 3] {
        let fakes = fakes(1);
        let config = CudaConfig {
            workers: Some(workers),
            ..on(&fakes)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = backend.load_srs(&key()).unwrap();
        let pending: Vec<_> = (0..5)
            .map(|_| backend.submit(&srs, job(&srs, 2)).unwrap())
            .collect();
        prove(&backend, &srs).unwrap();
        for pending in pending {
            assert_right(&pending.wait().unwrap(), 2);
        }
        drop((srs, backend));
        assert_clean(&fakes);
    }
}

#[test]
fn a_higher_priority_overtakes_what_waits() {
    let fakes = fakes(1);
    let config = CudaConfig {
        workers: Some(1),
        ..on(&fakes)
    };
    let backend = CudaBackend::new(&config).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let low = backend
        .submit(&srs, job(&srs, 30).with_priority(Priority::Low))
        .unwrap();
    let high = backend
        .submit(&srs, job(&srs, 1).with_priority(Priority::High))
        .unwrap();
    let (ended, order) = mpsc::channel();
    std::thread::scope(|scope| {
        for (name, pending) in [("low", low), ("high", high)] {
            let ended = ended.clone();
            scope.spawn(move || {
                pending.wait().unwrap();
                ended.send(name).unwrap();
            });
        }
    });
    assert_eq!(order.try_iter().collect::<Vec<_>>(), ["high", "low"]);
}

#[test]
fn submitting_waits_for_room_and_the_highest_priority_does_not() {
    let fakes = fakes(1);
    for (max_circuits, max_input_bytes) in [(Some(2), None), (None, Some(500))] {
        let config = CudaConfig {
            max_circuits,
            max_input_bytes,
            ..on(&fakes)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = backend.load_srs(&key()).unwrap();
        // More at once than there is room for, all of one thread: it waits for
        // the workers, and they for nobody.
        let pending: Vec<_> = (0..20)
            .map(|i| {
                let priority = [Priority::Low, Priority::Normal, Priority::High][i % 3];
                let job = job(&srs, i % 4).with_priority(priority);
                backend.submit(&srs, job).unwrap()
            })
            .collect();
        for (i, pending) in pending.into_iter().enumerate() {
            assert_right(&pending.wait().unwrap(), i % 4);
        }
    }
    assert_clean(&fakes);
}

#[test]
fn b091_a_low_priority_ends_under_a_stream_of_higher_ones() {
    let fakes = fakes(1);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let low = backend
        .submit(&srs, job(&srs, 1).with_priority(Priority::Low))
        .unwrap();
    std::thread::scope(|scope| {
        let (stop, stopped) = mpsc::channel::<()>();
        let (backend, srs) = (&backend, &srs);
        scope.spawn(move || {
            // Always more than the workers can take.
            let mut pending = std::collections::VecDeque::new();
            while stopped.try_recv() == Err(mpsc::TryRecvError::Empty) {
                let job = job(srs, 4).with_priority(Priority::High);
                pending.push_back(backend.submit(srs, job).unwrap());
                if pending.len() > 4 {
                    assert_right(&pending.pop_front().unwrap().wait().unwrap(), 4);
                }
            }
        });
        assert_right(&low.wait().unwrap(), 1);
        drop(stop);
    });
}

#[test]
fn dropping_the_backend_first_loses_no_proof_and_leaves_no_thread() {
    let fakes = fakes(2);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let pending: Vec<_> = (0..6)
        .map(|_| backend.submit(&srs, job(&srs, 3)).unwrap())
        .collect();
    drop(backend);
    for pending in pending {
        assert_right(&pending.wait().unwrap(), 3);
    }
    drop(srs);
    assert_clean(&fakes);
}

#[test]
fn dropping_what_is_pending_skips_what_has_not_begun() {
    let fakes = fakes(1);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let calls_of = |work: &dyn Fn()| {
        let before = fakes[0].calls();
        work();
        fakes[0].calls() - before
    };
    let one = calls_of(&|| assert_right(&[prove(&backend, &srs).unwrap()], 1));
    let dropped = calls_of(&|| drop(backend.submit(&srs, job(&srs, 30)).unwrap()));
    assert!(
        dropped < 10 * one,
        "{dropped} calls for a dropped job of 30, {one} for one proof"
    );
    assert_right(&[prove(&backend, &srs).unwrap()], 1);
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn b044_two_devices_prove_side_by_side() {
    let fakes = fakes(2);
    let backends: Vec<_> = fakes
        .iter()
        .map(|fake| CudaBackend::new(&on(&[*fake])).unwrap())
        .collect();
    std::thread::scope(|scope| {
        for (backend, fake) in backends.iter().zip(&fakes) {
            scope.spawn(move || {
                let srs = backend.load_srs(&key()).unwrap();
                let before = fake.calls();
                (0..20).for_each(|_| assert_right(&[prove(backend, &srs).unwrap()], 1));
                assert!(fake.calls() - before > 20 * 50, "this device did the work");
            });
        }
    });
    drop(backends);
    assert_clean(&fakes);
}

/// A device that has just proved is free again for the next, so that one proof at a time
/// needs no second copy of the key.
#[test]
fn proofs_one_after_another_stay_on_the_device_with_the_key() {
    let fakes = fakes(2);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let before = fakes[1].calls();
    for _ in 0..20 {
        assert_right(&[prove(&backend, &srs).unwrap()], 1);
        assert_right(&backend.submit(&srs, job(&srs, 1)).unwrap().wait().unwrap(), 1);
    }
    assert_eq!(fakes[1].calls(), before);
}

#[test]
fn two_hundred_proofs_while_a_device_fails() {
    let fakes = fakes(2);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let mut pending = Vec::new();
    for i in 0..200 {
        if i == 50 {
            fakes[1].fail_at(40, ILLEGAL_ADDRESS);
        }
        match i % 4 {
            0 => assert_right(&[prove(&backend, &srs).unwrap()], 1),
            _ => pending.push(backend.submit(&srs, job(&srs, 1)).unwrap()),
        }
    }
    for pending in pending {
        assert_right(&pending.wait().unwrap(), 1);
    }
    // What is lost is not used any more.
    let before = fakes[1].calls();
    assert!(before >= 40);
    (0..5).for_each(|_| assert_right(&[prove(&backend, &srs).unwrap()], 1));
    assert_eq!(fakes[1].calls(), before);
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn b093_any_call_fails_while_two_devices_with_two_workers_are_busy() {
    for (first, code) in [(1, OUT_OF_MEMORY), (9, ILLEGAL_ADDRESS)] {
        for n in (first..350).step_by(17) {
            let fakes = fakes(2);
            let backend = CudaBackend::new(&on(&fakes)).unwrap();
            let srs = backend.load_srs(&key()).unwrap();
            fakes[1].fail_at(n, code);
            let pending: Vec<_> = (0..4)
                .map(|_| backend.submit(&srs, job(&srs, 2)).unwrap())
                .collect();
            let scoped = prove(&backend, &srs);
            let outcomes: Vec<_> = pending.into_iter().map(|pending| pending.wait()).collect();
            // Memory that one call does not find the other device has, and a lost device's work goes to it.
            for outcome in outcomes {
                assert_right(&outcome.unwrap_or_else(|error| panic!("call {n}: {error}")), 2);
            }
            assert_right(&[scoped.unwrap()], 1);
            fakes[1].fail_at(0, 0);
            drop((srs, backend));
            assert_clean(&fakes);
        }
    }
}

#[test]
fn all_devices_fail_and_everybody_hears_of_it() {
    let fakes = fakes(2);
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    fakes.iter().for_each(|fake| fake.fail_at(60, ILLEGAL_ADDRESS));
    let pending: Vec<_> = (0..20)
        .map(|_| backend.submit(&srs, job(&srs, 3)).unwrap())
        .collect();
    let outcomes: Vec<_> = pending.into_iter().map(|pending| pending.wait()).collect();
    let n_failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    assert!(n_failed > 10, "{n_failed}");
    for outcome in outcomes {
        match outcome {
            Ok(proofs) => assert_right(&proofs, 3),
            Err(error) => assert_is_of_cuda(&error),
        }
    }
    let (later, lent) = (
        backend.submit(&srs, job(&srs, 1)).unwrap().wait(),
        prove(&backend, &srs),
    );
    for error in [later.unwrap_err(), lent.unwrap_err()] {
        assert_is_of_cuda(&error);
        assert!(error.to_string().contains("every device has failed"), "{error}");
    }
    fakes.iter().for_each(|fake| fake.fail_at(0, 0));
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn a_circuit_that_does_not_fit_one_device_goes_to_another() {
    // The second has no room for a key.
    let fakes = [FakeDevice::new(512 * MIB, 0), FakeDevice::new(2048, 1)];
    let backend = CudaBackend::new(&on(&fakes)).unwrap();
    let srs = backend.load_srs(&key()).unwrap();
    let pending: Vec<_> = (0..10)
        .map(|_| backend.submit(&srs, job(&srs, 3)).unwrap())
        .collect();
    assert_right(&[prove(&backend, &srs).unwrap()], 1);
    for pending in pending {
        assert_right(&pending.wait().unwrap(), 3);
    }
    drop((srs, backend));
    assert_clean(&fakes);
}

#[test]
fn b087_proofs_from_inside_a_pool_of_one_thread_end() {
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        let fakes = fakes(1);
        for n_threads in [1, 2] {
            let backend = CudaBackend::new(&on(&fakes)).unwrap();
            let srs = backend.load_srs(&key()).unwrap();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(n_threads)
                .build()
                .unwrap();
            pool.install(|| {
                use rayon::prelude::*;
                let pending: Vec<_> = (0..4)
                    .map(|_| backend.submit(&srs, job(&srs, 1)).unwrap())
                    .collect();
                (0..8).into_par_iter().for_each(|_| {
                    (0..2)
                        .into_par_iter()
                        .for_each(|_| assert_right(&[prove(&backend, &srs).unwrap()], 1));
                });
                for pending in pending {
                    assert_right(&pending.wait().unwrap(), 1);
                }
            });
        }
        assert_clean(&fakes);
        done.send(()).unwrap();
    });
    is_done
        .recv_timeout(Duration::from_secs(120))
        .expect("all proofs end");
}
