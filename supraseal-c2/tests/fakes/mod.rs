//! The CUDA backend on fake devices.
#![allow(dead_code, unreachable_pub)] // each test file uses its part

use backend_tests::toy::*;
use groth16_core::*;
use sppark_fork::fake::FakeDevice;
use std::sync::Arc;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

pub const MIB: u64 = 1 << 20;

/// `n` devices of 512 MiB whose pending work runs in different orders.
pub fn fakes(n: u64) -> Vec<FakeDevice> {
    (0..n).map(|seed| FakeDevice::new(512 * MIB, seed)).collect()
}

/// On these devices, with small staging blocks, so that several are needed.
pub fn on(fakes: &[FakeDevice]) -> CudaConfig {
    CudaConfig {
        gpus: Some(fakes.iter().map(|f| f.ordinal).collect()),
        staging_bytes: Some(3 * 4096),
        host_threads: Some(2),
        ..CudaConfig::default()
    }
}

pub fn key() -> Srs {
    Parameters::read(vector_path("binp.params"), ParamsCheck::Subgroup)
        .unwrap()
        .into()
}

pub fn blinding() -> Blinding {
    Blinding {
        r: 3.into(),
        s: 5.into(),
    }
}

pub fn prove(backend: &CudaBackend, srs: &Arc<dyn LoadedSrs>) -> Result<Proof> {
    let assignment = binp().assign(&binp_witness()).unwrap();
    Ok(backend.prove_scoped(srs, &[assignment.as_assignment()], &[blinding()])?[0])
}

/// A job of `n` circuits, each with a proof of the same bytes.
pub fn job(srs: &Arc<dyn LoadedSrs>, n: usize) -> Job {
    let circuit = |_| (binp().assign(&binp_witness()).unwrap(), blinding());
    Job::new(&**srs, (0..n).map(circuit).collect()).unwrap()
}

/// The bytes of the proofs that [`prove`] and [`job`] ask for.
pub fn expected() -> Vec<u8> {
    vector_hex("P-binp-3-5")
}

#[track_caller]
pub fn assert_right(proofs: &[Proof], n: usize) {
    assert_eq!(proofs.len(), n);
    for proof in proofs {
        assert_eq!(proof.to_bytes().to_vec(), expected());
    }
}

#[track_caller]
pub fn assert_clean(fakes: &[FakeDevice]) {
    for fake in fakes {
        assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    }
}

pub fn assert_is_of_cuda(error: &Error) {
    assert!(matches!(error, Error::Backend { backend: "cuda", .. }), "{error}");
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().len() < 1024);
}
