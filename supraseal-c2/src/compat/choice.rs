use groth16_core::{Backend, CpuBackend};
use std::sync::Arc;

/// What computes the proofs of this process, and, where that is the CPU, why.
pub(super) fn backend() -> (Arc<dyn Backend>, Option<String>) {
    match cuda() {
        Ok(backend) => (backend, None),
        Err(reason) => (Arc::new(CpuBackend), Some(reason)),
    }
}

/// The devices are opened once, with the first key, and kept: the registry crate's
/// API has no place to hold them.
#[cfg(feature = "cuda")]
fn cuda() -> Result<Arc<dyn Backend>, String> {
    use crate::backend::{CudaBackend, CudaConfig};
    use parking_lot::Mutex;
    static DEVICES: Mutex<Option<Arc<dyn Backend>>> = Mutex::new(None);
    let mut devices = DEVICES.lock();
    if let Some(opened) = &*devices {
        return Ok(opened.clone());
    }
    // A failure is not kept: a device that is full or busy now may not be with the next key.
    let opened: Arc<dyn Backend> =
        Arc::new(CudaBackend::new(&CudaConfig::default()).map_err(|error| error.to_string())?);
    *devices = Some(opened.clone());
    Ok(opened)
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Arc<dyn Backend>, String> {
    Err("this is supraseal-c2 built without its feature `cuda`, which its README says how to enable".into())
}
