//! Compiles CUDA units from a build script.
//!
//! A build script names its units and include folders; this crate finds `nvcc`, asks it for its version and
//! architectures, compiles the units side by side, keeps the objects in a cache keyed by content, and
//! prints the link lines. Every failure is a sentence with a remedy, never a panic: build scripts are
//! where users meet a toolchain first.
//!
//! ```no_run
//! let built = cuda_build::KernelBuild::new("spf_kernels")
//!     .unit("src/abi_ntt.cu")
//!     .include("include")
//!     .compile()?;
//! println!("{} units compiled, {} reused", built.compiled.len(), built.reused.len());
//! # Ok::<(), cuda_build::Error>(())
//! ```
//!
//! Environment (each is tracked, so that changing it rebuilds): `NVCC` names the compiler, `CUDA_HOME`
//! and `CUDA_PATH` its toolkit, `CUDA_ARCHS` the architectures (`90` or `80,90`), `NUM_JOBS` (set by
//! cargo) how many units compile at once. `SPF_SKIP_KERNELS=1` compiles none, for linters and
//! documentation: nothing can be linked then.

mod arch;
mod build;
mod cache;
mod error;
mod nvcc;
mod toolkit;

pub use arch::{ArchPlan, PREFERRED_ARCHS};
pub use build::{Built, KernelBuild};
pub use error::Error;
pub use nvcc::{Nvcc, Version, MINIMUM_VERSION};
pub use toolkit::{Search, Toolkit};

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
