//! Two cards: proofs that they make together, and one that is lost in the middle of many. Sizes as log2 in
//! `G16_TEST_LOG_N` (`12,18`); small unless set. Skipped where there are fewer than two; on the fake runtime,
//! two fake devices.
#![cfg(any(feature = "cuda", feature = "host-check"))]

use bench_shapes::BenchShape;
use groth16_core::setup::{generate_parameters_with, ToxicWaste};
use groth16_core::timeline::{Lane, TimelineSink};
use groth16_core::*;
use std::sync::mpsc::channel;
use std::sync::Arc;
use supraseal_c2::backend::{CudaBackend, CudaConfig, TwoDevices};

fn two_devices() -> Option<[u32; 2]> {
    #[cfg(feature = "host-check")]
    return Some([
        supraseal_c2::backend::fake_device(),
        supraseal_c2::backend::fake_device(),
    ]);
    #[cfg(not(feature = "host-check"))]
    match sppark_fork::Device::count() {
        Ok(2..) => Some([0, 1]),
        _ => {
            println!("skipped: fewer than two CUDA devices");
            None
        }
    }
}

fn backend(gpus: &[u32], two_devices: TwoDevices) -> CudaBackend {
    let config = CudaConfig {
        gpus: Some(gpus.to_vec()),
        two_devices,
        ..CudaConfig::default()
    };
    CudaBackend::new(&config).unwrap()
}

/// The bench circuit's key, made on a device, and what makes assignments.
fn bench(log_n: u32, full: f64, backend: &CudaBackend) -> (Srs, impl Fn() -> OwnedAssignment) {
    let (r1cs, witness) = BenchShape::new(log_n, full).unwrap().generate(9).unwrap();
    let waste = ToxicWaste::insecure_from_seed(5);
    let key = generate_parameters_with(&r1cs, &waste, backend.multiples()).unwrap();
    (key.into(), move || r1cs.assign(&witness).unwrap())
}

fn blindings() -> [Blinding; 2] {
    [(17u64, 23u64), (0, 0)].map(|(r, s)| Blinding {
        r: r.into(),
        s: s.into(),
    })
}

#[test]
fn proofs_of_two_devices_have_the_bytes_of_one() {
    let Some(gpus) = two_devices() else { return };
    let sizes = std::env::var("G16_TEST_LOG_N").unwrap_or_else(|_| "7".into());
    for log_n in sizes.split(',').map(|k| k.parse().expect("a size")) {
        for full in [0.01, 0.6, 0.98] {
            let alone = backend(&gpus[..1], TwoDevices::Never);
            let (key, assign) = bench(log_n, full, &alone);
            let assignment = assign();
            let prove = |backend: &CudaBackend| {
                let srs = backend.load_srs(&key).unwrap();
                let each = blindings().map(|blinding| {
                    backend
                        .prove_scoped(&srs, &[assignment.as_assignment()], &[blinding])
                        .unwrap()[0]
                });
                each
            };
            let expected = prove(&alone);
            drop(alone);
            assert_eq!(
                prove(&backend(&gpus, TwoDevices::Always)),
                expected,
                "2^{log_n}, {full}"
            );
            println!("2^{log_n}, {full} full: two devices have the bytes of one");
        }
    }
}

/// B044: two threads, each of which asks for a device: for one each, then both for the first.
#[test]
fn what_asks_for_a_device_runs_there() {
    let Some(gpus) = two_devices() else { return };
    let (log_n, n_proofs) = if cfg!(feature = "host-check") {
        (6, 5)
    } else {
        (12, 50)
    };
    let (sender, timelines) = channel();
    let config = CudaConfig {
        gpus: Some(gpus.to_vec()),
        timelines: Some(TimelineSink::new(move |timeline| drop(sender.send(timeline)))),
        ..CudaConfig::default()
    };
    let backend = Arc::new(CudaBackend::new(&config).unwrap());
    let (key, assign) = bench(log_n, 0.2, &backend);
    let assignment = assign();
    let (circuits, blinding) = ([assignment.as_assignment()], blindings()[0]);
    let cpu = CpuBackend.load_srs(&key).unwrap();
    let expected = CpuBackend.prove_scoped(&cpu, &circuits, &[blinding]).unwrap();
    let srs = backend.load_srs(&key).unwrap();
    let devices = backend.each_device();
    for asked in [[0, 1], [0, 0]] {
        std::thread::scope(|scope| {
            for device in asked {
                let (srs, devices, expected) = (&srs, &devices, &expected);
                scope.spawn(move || {
                    for i in 0..n_proofs {
                        let proofs = devices[device].prove_scoped(srs, &circuits, &[blinding]);
                        assert_eq!(proofs.unwrap(), *expected, "proof {i} on device {device}");
                    }
                });
            }
        });
        let timelines: Vec<_> = timelines.try_iter().collect();
        for (device, gpu) in gpus.iter().enumerate() {
            let made: Vec<_> = timelines.iter().filter(|t| t.device == *gpu).collect();
            assert!(made.iter().all(|t| t.lane(Lane::Compute).count() > 0));
            let n_threads = asked.iter().filter(|a| **a == device).count();
            assert_eq!(made.len(), n_threads * n_proofs, "device {device} of {asked:?}");
        }
        println!("2 x {n_proofs} right proofs where they were asked for: {asked:?}");
    }
}

/// Some lent and alone, which both devices make, and some submitted: 200, or what emulation can bear.
#[test]
fn many_proofs_while_a_device_is_lost_at_the_fiftieth() {
    let Some(gpus) = two_devices() else { return };
    let (log_n, n_proofs) = if cfg!(feature = "host-check") {
        (6, 60)
    } else {
        (16, 200)
    };
    let backend = backend(&gpus, TwoDevices::Always);
    let (key, assign) = bench(log_n, 0.2, &backend);
    let assignment = assign();
    let srs = backend.load_srs(&key).unwrap();
    let blinding = blindings()[0];
    let lent = || {
        backend
            .prove_scoped(&srs, &[assignment.as_assignment()], &[blinding])
            .unwrap()
    };
    let expected = lent();
    let mut pending = Vec::new();
    for i in 0..n_proofs {
        if i == 50 {
            // A fault of a kernel, which CUDA reports on every device of the process, would leave none to go on.
            backend.lose_device(1);
        }
        match i % 8 {
            0 => assert_eq!(lent(), expected, "proof {i}"),
            _ => {
                let job = Job::new(&*srs, vec![(assign(), blinding)]).unwrap();
                pending.push((i, backend.submit(&srs, job).unwrap()));
            }
        }
    }
    for (i, pending) in pending {
        assert_eq!(pending.wait().unwrap(), expected, "proof {i}");
    }
    println!("{n_proofs} right proofs");
}
