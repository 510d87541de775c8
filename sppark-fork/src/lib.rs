//! GPU primitives for BLS12-381: a safe CUDA runtime, number-theoretic
//! transforms, multi-scalar multiplication.
//!
//! The crate knows fields and curves, not Groth16. Its kernels are C++ (`include/spf`), behind a C ABI
//! (`include/sppark_fork.h`); this side owns the memory, the streams and the errors.
//!
//! | feature | what it gives |
//! |---|---|
//! | none | the error type, so that a build without CUDA can name it |
//! | `cuda` | the kernels, compiled by nvcc |
//! | `host-check` | the same drivers compiled by g++ on a fake CUDA runtime, for tests on any machine |
//!
//! Elements are 32 bytes, Montgomery form, little-endian limbs: the memory layout of `blst_fr`. Functions
//! whose name ends in `_on` enqueue on the stream they are given and return. What they use must stay
//! alive until the stream has passed that point: buffers wait for the device when they are dropped, so a
//! buffer of this crate always does.

#[cfg(all(feature = "cuda", feature = "host-check"))]
compile_error!(
    "the features `cuda` and `host-check` of sppark-fork both define its C ABI: \
     choose `cuda` to run on a card, `host-check` to test without one"
);

mod error;

pub use error::{CudaError, Result};

/// Declarations of the C ABI. For crates that add kernels of their own; everybody else has [`Device`].
#[cfg(any(feature = "cuda", feature = "host-check"))]
#[doc(hidden)]
pub mod sys;

#[cfg(any(feature = "cuda", feature = "host-check"))]
mod result;

#[cfg(any(feature = "cuda", feature = "host-check"))]
mod safe;

#[cfg(any(feature = "cuda", feature = "host-check"))]
pub use safe::*;

/// Controls of the fake CUDA runtime.
#[cfg(feature = "host-check")]
pub mod fake;
