//! Which backend computes.

use groth16_core::schedule::Schedule;
use groth16_core::timeline::TimelineSink;
use groth16_core::{Backend, CpuBackend, Result};
use std::sync::Arc;

/// The caller's wish. Made into a backend once, when a prover is built; never
/// changed in the middle of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// A CUDA device if this build and this machine have one, else the CPU; one log line says which and why.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A CUDA device, or an error.
    Cuda,
}

/// The wished backend is not in this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no CUDA device: this build has no CUDA backend (feature `cuda`); use the CPU backend, or automatic choice")]
pub struct NotBuilt;

/// Which CUDA devices to use, how much of them, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Devices by index, none twice; `None`: all.
    pub gpus: Option<Vec<u32>>,
    /// The most bytes to allocate on each; `None`: what there is.
    pub max_device_bytes: Option<u64>,
    /// Of these, the most for keys: what is over it is streamed from the host in each proof. `None`: what proofs leave.
    pub max_key_bytes: Option<u64>,
    /// Proofs under way on each device; `None`: two.
    pub workers: Option<usize>,
    /// The order of a proof's work: for measurements.
    pub schedule: Schedule,
    /// Takes the timelines of proofs, one for each device that a proof is made
    /// on; `None`: nothing is measured.
    pub timelines: Option<TimelineSink>,
}

impl BackendChoice {
    /// `threads`: of the host, for a backend that has some of its own; `None`: as many as there are cores.
    pub(crate) fn select(self, devices: &DeviceOptions, threads: Option<usize>) -> Result<Arc<dyn Backend>> {
        match self {
            BackendChoice::Cpu => Ok(Arc::new(CpuBackend)),
            BackendChoice::Cuda => cuda(devices, threads),
            BackendChoice::Auto => match cuda(devices, threads) {
                Ok(backend) => {
                    tracing::info!(
                        "backend cuda, chosen automatically: {}",
                        backend.info().description
                    );
                    Ok(backend)
                }
                // Who names devices wants these.
                Err(reason) if devices.gpus.is_some() => Err(reason),
                Err(reason) => {
                    if is_for_want_of_devices(&reason) {
                        tracing::info!("backend cpu, chosen automatically: {reason}");
                    } else {
                        tracing::warn!("backend cpu, although there is a device: {reason}");
                    }
                    Ok(Arc::new(CpuBackend))
                }
            },
        }
    }
}

/// Whether this machine or this build has no device at all, rather than one that could not be had.
#[cfg(any(feature = "cuda", feature = "host-check"))]
fn is_for_want_of_devices(reason: &groth16_core::Error) -> bool {
    supraseal_c2::backend::is_for_want_of_devices(reason)
}

#[cfg(not(any(feature = "cuda", feature = "host-check")))]
fn is_for_want_of_devices(_: &groth16_core::Error) -> bool {
    true
}

#[cfg(any(feature = "cuda", feature = "host-check"))]
fn cuda(devices: &DeviceOptions, threads: Option<usize>) -> Result<Arc<dyn Backend>> {
    use supraseal_c2::backend::{CudaBackend, CudaConfig};
    let config = CudaConfig {
        gpus: named(devices.gpus.clone()),
        max_device_bytes: devices.max_device_bytes,
        max_key_bytes: devices.max_key_bytes,
        workers: devices.workers,
        schedule: devices.schedule,
        timelines: devices.timelines.clone(),
        host_threads: threads,
        ..CudaConfig::default()
    };
    Ok(Arc::new(CudaBackend::new(&config)?))
}

/// The fake runtime has no device until somebody makes one: each prover that names none gets its own, and of
/// those that are named the first eight come to be.
#[cfg(feature = "host-check")]
fn named(gpus: Option<Vec<u32>>) -> Option<Vec<u32>> {
    use supraseal_c2::backend::fake_device;
    if let Some(largest) = gpus.iter().flatten().filter(|gpu| **gpu < 8).max() {
        while fake_device() < *largest {}
    }
    gpus.or_else(|| Some(vec![fake_device()]))
}

#[cfg(all(feature = "cuda", not(feature = "host-check")))]
fn named(gpus: Option<Vec<u32>>) -> Option<Vec<u32>> {
    gpus
}

#[cfg(not(any(feature = "cuda", feature = "host-check")))]
fn cuda(_: &DeviceOptions, _: Option<usize>) -> Result<Arc<dyn Backend>> {
    Err(groth16_core::Error::Backend {
        backend: "cuda",
        stage: "choice of a device",
        source: Box::new(NotBuilt),
    })
}
