//! Proofs for which a device was asked, on fake devices: that one makes them while it can, then the others do.
#![cfg(feature = "host-check")]

mod fakes;

use fakes::*;
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS, OUT_OF_MEMORY};
use std::sync::Arc;
use supraseal_c2::backend::{CudaBackend, CudaConfig, TwoDevices};

/// Devices that would help each other wherever they may.
fn opened(fakes: &[FakeDevice]) -> (Vec<Arc<dyn Backend>>, Arc<dyn LoadedSrs>) {
    let config = CudaConfig {
        two_devices: TwoDevices::Always,
        ..on(fakes)
    };
    let backend = Arc::new(CudaBackend::new(&config).unwrap());
    let srs = backend.load_srs(&key()).unwrap();
    (backend.each_device(), srs)
}

/// Proofs from inputs that are given away, and from inputs that are lent.
fn prove_both_ways(device: &dyn Backend, srs: &Arc<dyn LoadedSrs>, n: usize) -> Result<()> {
    assert_right(&device.submit(srs, job(srs, n))?.wait()?, n);
    let lent = job(srs, n);
    let circuits: Vec<_> = lent.circuits().iter().map(|(c, _)| c.as_assignment()).collect();
    assert_right(&device.prove_scoped(srs, &circuits, &vec![blinding(); n])?, n);
    Ok(())
}

fn calls(fakes: &[FakeDevice]) -> Vec<u64> {
    fakes.iter().map(|fake| fake.calls()).collect()
}

#[test]
fn the_device_that_was_asked_for_works_and_no_other() {
    let fakes = fakes(3);
    let (devices, srs) = opened(&fakes);
    // A device that gets the key may copy it from another.
    for device in &devices {
        prove_both_ways(&**device, &srs, 1).unwrap();
    }
    for (asked, device) in devices.iter().enumerate() {
        let description = device.info().description;
        assert!(
            description.contains(&fakes[asked].ordinal.to_string()),
            "{description}"
        );
        let before = calls(&fakes);
        // More at once than a device has workers, so that some wait for it while others are idle.
        prove_both_ways(&**device, &srs, 7).unwrap();
        for (which, (before, after)) in before.into_iter().zip(calls(&fakes)).enumerate() {
            assert_eq!(
                after > before,
                which == asked,
                "device {which}, where {asked} was asked for"
            );
        }
    }
    drop((devices, srs));
    assert_clean(&fakes);
}

#[test]
fn others_pass_those_that_wait_for_a_device() {
    let fakes = fakes(2);
    let (devices, srs) = opened(&fakes);
    let waiting: Vec<_> = (0..20)
        .map(|_| devices[0].submit(&srs, job(&srs, 2)).unwrap())
        .collect();
    prove_both_ways(&*devices[1], &srs, 3).unwrap();
    for pending in waiting {
        assert_right(&pending.wait().unwrap(), 2);
    }
    drop((devices, srs));
    assert_clean(&fakes);
}

#[test]
fn b093_when_the_device_fails_another_proves() {
    for code in [OUT_OF_MEMORY, ILLEGAL_ADDRESS] {
        for n in (1..).step_by(71) {
            let fakes = fakes(2);
            let (devices, srs) = opened(&fakes);
            fakes[1].fail_at(n, code);
            prove_both_ways(&*devices[1], &srs, 3).unwrap_or_else(|error| panic!("call {n}: {error}"));
            let reached = fakes[1].calls() >= n;
            // Nor is it an error to ask for a device that is lost.
            prove_both_ways(&*devices[1], &srs, 2).unwrap();
            drop((devices, srs));
            assert_clean(&fakes);
            if !reached {
                assert!(n > 200, "only {n} calls");
                break;
            }
        }
    }
}

#[test]
fn when_no_device_is_left_it_is_an_error() {
    let fakes = fakes(2);
    let (devices, srs) = opened(&fakes);
    fakes.iter().for_each(|fake| fake.fail_at(30, ILLEGAL_ADDRESS));
    for _ in 0..2 {
        assert_is_of_cuda(&prove_both_ways(&*devices[1], &srs, 3).unwrap_err());
    }
    drop((devices, srs));
    assert_clean(&fakes);
}
