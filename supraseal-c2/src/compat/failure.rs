use crate::raw::ArgumentError;
use groth16_core::Error as CoreError;

/// Why no proof was made: the text of the one panic in which a call that returns nothing ends.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Failure(Reason);

#[derive(Debug, thiserror::Error)]
pub(super) enum Reason {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("the SRS is the default one, which holds no parameters: load some with SRS::try_new")]
    EmptySrs,
    #[error(
        "gpu_index is {device}, and {n_devices} devices are used: count from 0, or pass -1 for any of them"
    )]
    NoSuchDevice { device: usize, n_devices: usize },
    #[error("circuit {circuit}: {source}")]
    Circuit { circuit: usize, source: CoreError },
    #[error("{0}")]
    Proof(CoreError),
}

impl<R: Into<Reason>> From<R> for Failure {
    fn from(reason: R) -> Self {
        Failure(reason.into())
    }
}
