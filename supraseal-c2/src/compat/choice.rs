use groth16_core::{Backend, CpuBackend};
use std::sync::Arc;

/// What computes the proofs of this process.
#[derive(Clone)]
pub(super) struct Chosen {
    pub(super) backend: Arc<dyn Backend>,
    /// the same for each of its devices; none on the CPU
    pub(super) devices: Arc<[Arc<dyn Backend>]>,
}

/// What computes, and, where that is the CPU, why.
pub(super) fn backend() -> (Chosen, Option<String>) {
    match cuda() {
        Ok(chosen) => (chosen, None),
        Err(reason) => {
            let cpu = Chosen {
                backend: Arc::new(CpuBackend),
                devices: Arc::new([]),
            };
            (cpu, Some(reason))
        }
    }
}

/// The devices are opened once, with the first key, and kept: the registry crate's
/// API has no place to hold them.
#[cfg(feature = "cuda")]
fn cuda() -> Result<Chosen, String> {
    use crate::backend::{CudaBackend, CudaConfig};
    use parking_lot::Mutex;
    static DEVICES: Mutex<Option<Chosen>> = Mutex::new(None);
    let mut devices = DEVICES.lock();
    if let Some(opened) = &*devices {
        return Ok(opened.clone());
    }
    // A failure is not kept: a device that is full or busy now may not be with the next key.
    let backend = Arc::new(CudaBackend::new(&CudaConfig::default()).map_err(|error| error.to_string())?);
    let opened = Chosen {
        devices: backend.each_device().into(),
        backend,
    };
    *devices = Some(opened.clone());
    Ok(opened)
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Chosen, String> {
    Err("this is supraseal-c2 built without its feature `cuda`, which its README says how to enable".into())
}
