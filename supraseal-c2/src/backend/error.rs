use super::tenancy::PLANNING;
use groth16_core::Error;
use sppark_fork::CudaError;

/// The name that errors and [`BackendInfo`](groth16_core::BackendInfo) use.
pub(super) const NAME: &str = "cuda";

/// Says in which stage a CUDA call failed.
pub(super) fn at(stage: &'static str) -> impl Fn(CudaError) -> Error {
    move |source| Error::Backend {
        backend: NAME,
        stage,
        source: Box::new(source),
    }
}

/// The CUDA error behind this one, if there is one.
fn cuda(error: &Error) -> Option<&CudaError> {
    match error {
        Error::Backend { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

/// Whether the device that gave this error answers nothing any more.
pub(super) fn is_device_lost(error: &Error) -> bool {
    cuda(error).is_some_and(CudaError::is_sticky)
}

/// Whether it is a device's, rather than that of a key or of a circuit.
pub(super) fn is_of_device(error: &Error) -> bool {
    cuda(error).is_some()
}

/// Whether [`CudaBackend::new`](super::CudaBackend::new) failed because the machine has no CUDA device or no driver.
pub fn is_for_want_of_devices(error: &Error) -> bool {
    matches!(cuda(error), Some(CudaError::NoDevice { .. }))
}

/// Whether a device has too little memory: another may have more.
pub(super) fn is_out_of_memory(error: &Error) -> bool {
    matches!(cuda(error), Some(CudaError::OutOfMemory { .. }))
}

/// Whether memory ran out although it was planned for: what is freed then may help.
pub(super) fn ran_out_of_memory(error: &Error) -> bool {
    let is_planned = !matches!(error, Error::Backend { stage, .. } if *stage == PLANNING);
    is_planned && is_out_of_memory(error)
}
