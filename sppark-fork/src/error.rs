//! What a card, or the lack of one, can say.

/// Result of this crate.
pub type Result<T> = std::result::Result<T, CudaError>;

/// A failed call. The text of each is the C++ side's, with the device, the bytes or the argument in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// No driver, no device, or not the one asked for.
    #[error("no CUDA device: {what}")]
    NoDevice {
        /// What the runtime said.
        what: String,
    },
    /// Device or pinned memory ran out. Nothing was enqueued; the caller may free something and try again.
    #[error("out of device memory: {what}")]
    OutOfMemory {
        /// Bytes asked for.
        need_bytes: u64,
        /// Bytes free on the device when it was asked; `None` for host memory.
        free_bytes: Option<u64>,
        /// What the runtime said.
        what: String,
    },
    /// A kernel could not start: its configuration, or no code for this device in the program.
    #[error("a kernel could not start: {what}")]
    Launch {
        /// The CUDA runtime's code.
        code: i32,
        /// What the runtime said.
        what: String,
    },
    /// The device failed while it worked. Its context is lost: every later call on
    /// this `Device` returns this error.
    #[error("the device failed and is lost to this process: {what}")]
    Device {
        /// The CUDA runtime's code.
        code: i32,
        /// What the runtime said.
        what: String,
    },
    /// An argument is wrong; nothing was enqueued.
    #[error("invalid argument: {what}")]
    Invalid {
        /// Which, and what it should be.
        what: String,
    },
    /// Anything else.
    #[error("CUDA runtime error {code}: {what}")]
    Internal {
        /// The CUDA runtime's code, 0 if it is ours.
        code: i32,
        /// What the runtime said.
        what: String,
    },
}

impl CudaError {
    /// An [`CudaError::Invalid`] made on this side of the boundary.
    pub fn invalid(what: impl Into<String>) -> CudaError {
        CudaError::Invalid { what: what.into() }
    }

    /// Whether the device answers nothing after this.
    pub fn is_sticky(&self) -> bool {
        matches!(self, CudaError::Device { .. })
    }
}
