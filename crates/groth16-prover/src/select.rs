//! Which backend computes.

use groth16_core::{Backend, CpuBackend};
use std::sync::Arc;

/// The caller's wish. Made into a backend once, when a prover is built; never changed in the middle of a proof.
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

/// The wished backend is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// This build has no CUDA backend.
    #[error("no CUDA device: this build has no CUDA backend; use the CPU backend, or automatic choice")]
    NotBuilt,
}

impl BackendChoice {
    pub(crate) fn select(self) -> Result<Arc<dyn Backend>, SelectError> {
        match self {
            BackendChoice::Cpu => Ok(Arc::new(CpuBackend)),
            BackendChoice::Auto => {
                tracing::info!("backend cpu, chosen automatically: this build has no CUDA backend");
                Ok(Arc::new(CpuBackend))
            }
            BackendChoice::Cuda => Err(SelectError::NotBuilt),
        }
    }
}
