use groth16_core::{Backend, CpuBackend};
use std::sync::Arc;

/// What computes the proofs of this process, and, where that is the CPU, why.
pub(super) fn backend() -> (Arc<dyn Backend>, Option<String>) {
    match cuda() {
        Ok(backend) => (backend, None),
        Err(reason) => (Arc::new(CpuBackend), Some(reason)),
    }
}

/// The devices are opened once, with the first key, and kept: the registry crate's API has no place to hold them.
#[cfg(feature = "cuda")]
fn cuda() -> Result<Arc<dyn Backend>, String> {
    use crate::backend::{CudaBackend, CudaConfig};
    use std::sync::OnceLock;
    static DEVICES: OnceLock<Result<Arc<dyn Backend>, String>> = OnceLock::new();
    let open = || match CudaBackend::new(&CudaConfig::default()) {
        Ok(backend) => Ok(Arc::new(backend) as Arc<dyn Backend>),
        Err(error) => Err(error.to_string()),
    };
    DEVICES.get_or_init(open).clone()
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Arc<dyn Backend>, String> {
    Err("this is supraseal-c2 built without its feature `cuda`, which its README says how to enable".into())
}
