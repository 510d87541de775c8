//! CUDA devices: one where there is one, and always where it is required.

use crate::log;
use anyhow::{ensure, Result};
use groth16_core::Backend;

/// What the repository's tests take `G16_REQUIRE_GPU=1` for.
fn is_required() -> bool {
    std::env::var_os("G16_REQUIRE_GPU").is_some_and(|value| value == "1")
}

/// What makes keys. Which backend proves, supraseal-c2 chooses by itself.
#[cfg(feature = "cuda")]
pub fn backend() -> Result<Box<dyn Backend>> {
    use supraseal_c2::backend::{CudaBackend, CudaConfig};
    match CudaBackend::new(&CudaConfig::default()) {
        Ok(backend) => Ok(Box::new(backend)),
        Err(reason) if is_required() => Err(reason.into()),
        Err(_) => Ok(Box::new(groth16_core::CpuBackend)),
    }
}

/// What makes keys.
#[cfg(not(feature = "cuda"))]
pub fn backend() -> Result<Box<dyn Backend>> {
    ensure!(
        !is_required(),
        "G16_REQUIRE_GPU=1, and this is built without `cuda`"
    );
    Ok(Box::new(groth16_core::CpuBackend))
}

/// An error where a device is required and supraseal-c2 said that proofs run on the CPU.
pub fn check() -> Result<()> {
    if let Some(on) = log::proofs_run_on().filter(|_| is_required()) {
        ensure!(
            !on.starts_with("the CPU"),
            "G16_REQUIRE_GPU=1, and proofs run on {on}"
        );
    }
    Ok(())
}
