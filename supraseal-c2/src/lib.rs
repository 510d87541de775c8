//! The API of the registry crate `supraseal-c2` 0.1.2, item for item, over this workspace's prover.
//!
//! A Filecoin stack gets here by `[patch.crates-io]`; the README of this crate has the lines, and what
//! differs. [`SRS`] is a loaded key, [`generate_groth16_proof`] and [`generate_groth16_proofs`] prove with
//! it, once with arrays of pointers for each part and once with an [`Assignment`] for each circuit. They may
//! be called from any number of threads. On the CPU they compute in the caller's rayon pool and hold no lock;
//! on CUDA devices their circuits wait in one queue, which threads of the backend's own serve.
//!
//! The old functions return nothing, so every failure of theirs is one panic with a text that says what,
//! where and how many. Whoever wants a `Result` uses the facade crate.

/// The CUDA backend, for the facade.
#[cfg(any(feature = "cuda", feature = "host-check"))]
#[doc(hidden)]
pub mod backend;
mod compat;
mod raw;

pub use compat::*;
