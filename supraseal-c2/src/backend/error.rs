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

/// Whether the device that gave this error answers nothing any more.
pub(super) fn is_device_lost(error: &Error) -> bool {
    match error {
        Error::Backend { source, .. } => source
            .downcast_ref::<CudaError>()
            .is_some_and(|cuda| cuda.is_sticky()),
        _ => false,
    }
}

/// Whether [`CudaBackend::new`](super::CudaBackend::new) failed because the machine has no CUDA device or no driver.
pub fn is_for_want_of_devices(error: &Error) -> bool {
    match error {
        Error::Backend { source, .. } => {
            matches!(source.downcast_ref(), Some(CudaError::NoDevice { .. }))
        }
        _ => false,
    }
}

/// Whether memory ran out although it was planned for: what is freed then may help.
pub(super) fn ran_out_of_memory(error: &Error) -> bool {
    match error {
        Error::Backend { source, stage, .. } => {
            *stage != PLANNING && matches!(source.downcast_ref(), Some(CudaError::OutOfMemory { .. }))
        }
        _ => false,
    }
}
