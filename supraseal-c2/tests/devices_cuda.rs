//! Reports about long runs, faults in kernels and the choice of devices, on fake devices. What only a card
//! shows, such as the load of each device, these leave to it.
#![cfg(feature = "host-check")]

use backend_tests::toy::*;
use groth16_core::*;
use sppark_fork::fake::{FakeDevice, ILLEGAL_ADDRESS};
use std::sync::Arc;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

fn fakes<const N: usize>() -> [FakeDevice; N] {
    std::array::from_fn(|i| FakeDevice::new(512 << 20, i as u64))
}

fn on(fakes: &[FakeDevice]) -> CudaBackend {
    let config = CudaConfig {
        gpus: Some(fakes.iter().map(|fake| fake.ordinal).collect()),
        staging_bytes: Some(3 * 4096),
        ..CudaConfig::default()
    };
    CudaBackend::new(&config).unwrap()
}

fn load(backend: &CudaBackend) -> Arc<dyn LoadedSrs> {
    let key = Parameters::read(vector_path("mul.params"), ParamsCheck::Subgroup).unwrap();
    backend.load_srs(&key.into()).unwrap()
}

fn prove(backend: &CudaBackend, srs: &Arc<dyn LoadedSrs>) -> Result<Vec<u8>> {
    let assignment = mul().assign(&mul_witness()).unwrap();
    let blinding = Blinding {
        r: 3.into(),
        s: 5.into(),
    };
    let proofs = backend.prove_scoped(srs, &[assignment.as_assignment()], &[blinding])?;
    Ok(proofs[0].to_bytes().to_vec())
}

#[test]
fn b036_repeated_proofs_are_one_proof() {
    let expected = vector_hex("P-mul-3-5");
    // Each order in which pending work may run.
    for fake in fakes::<3>() {
        let backend = on(&[fake]);
        let srs = load(&backend);
        for i in 0..30 {
            assert_eq!(prove(&backend, &srs).unwrap(), expected, "proof {i}");
        }
        assert_eq!(fake.hazards(), 0, "{}", fake.describe());
    }
}

#[test]
fn b038_a_bad_pointer_in_a_kernel_is_an_error_that_names_the_stage() {
    let mut stages = std::collections::BTreeSet::new();
    for n in (1..).step_by(3) {
        let [fake] = fakes();
        let backend = on(&[fake]);
        let srs = load(&backend);
        fake.fail_at(n, ILLEGAL_ADDRESS);
        let outcome = prove(&backend, &srs);
        let reached = fake.calls() >= n;
        fake.fail_at(0, 0);
        match outcome {
            Err(Error::Backend { stage, source, .. }) => {
                assert!(source.to_string().contains("cudaErrorIllegalAddress"), "{source}");
                stages.insert(stage);
            }
            Err(error) => panic!("call {n}: {error}"),
            Ok(proof) => assert_eq!(proof, vector_hex("P-mul-3-5")),
        }
        if !reached {
            break;
        }
    }
    // Not one for all: in which they are is for the backend to say.
    assert!(stages.len() > 3, "every fault is said to be of {stages:?}");
}

#[test]
fn b044_b081_jobs_of_one_circuit_run_on_the_devices_that_were_chosen() {
    let chosen: [FakeDevice; 2] = fakes();
    let [other] = fakes();
    let others_calls = other.calls();
    std::thread::scope(|scope| {
        for fake in chosen {
            scope.spawn(move || {
                let backend = on(&[fake]);
                let srs = load(&backend);
                let before = fake.calls();
                for _ in 0..10 {
                    assert_eq!(prove(&backend, &srs).unwrap(), vector_hex("P-mul-3-5"));
                }
                assert!(fake.calls() > before + 10, "device {} did not work", fake.ordinal);
            });
        }
    });
    assert_eq!(other.calls(), others_calls);
    for fake in chosen {
        assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    }
}

#[test]
fn b073_device_memory_does_not_grow_with_the_proofs() {
    let [fake] = fakes();
    let backend = on(&[fake]);
    let srs = load(&backend);
    let after = |n: usize| {
        for _ in 0..n {
            prove(&backend, &srs).unwrap();
        }
        (fake.bytes(), fake.alive(), backend.peak_device_bytes())
    };
    let early = after(3);
    assert_eq!(after(97), early, "{}", fake.describe());
}

#[test]
fn what_the_first_device_gave_another_gives_when_it_is_lost() {
    let fakes: [FakeDevice; 2] = fakes();
    let backend = on(&fakes);
    let srs = load(&backend);
    backend.lose_device(0);
    let assignment = mul().assign(&mul_witness()).unwrap();
    let (n, aux) = (assignment.aux.len(), assignment.aux.to_vec());
    for mut memory in [backend.alloc_host(n).unwrap(), backend.register_host(aux.clone())] {
        memory.copy_from_slice(&aux);
        let circuit = Assignment {
            aux: &memory,
            ..assignment.as_assignment()
        };
        let blinding = Blinding {
            r: 3.into(),
            s: 5.into(),
        };
        let proofs = backend.prove_scoped(&srs, &[circuit], &[blinding]).unwrap();
        assert_eq!(proofs[0].to_bytes().to_vec(), vector_hex("P-mul-3-5"));
    }
    let scalar = bls_fields::FrRepr::from(bls_fields::Fr::from(7));
    let multiples = backend.multiples().g1(&[&[scalar]]).unwrap();
    assert_eq!(
        multiples,
        groth16_core::setup::GeneratorMultiples::g1(&groth16_core::setup::CpuMultiples, &[&[scalar]])
            .unwrap()
    );
    drop((srs, backend));
    for fake in fakes {
        assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    }
}
