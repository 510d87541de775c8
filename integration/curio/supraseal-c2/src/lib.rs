//! The API of Curio's fork of `supraseal-c2`: that of the registry crate 0.1.2, with two arguments more on
//! one function and five functions more, over this repository's `supraseal-c2`.
//!
//! A proof can be made in two calls. [`start_groth16_proof`] copies its inputs and returns a handle while the
//! proof is computed; [`finish_groth16_proof`] waits and writes it; [`drop_pending_proof`] gives it up.
//! Handles are opaque: they are looked up in a table and never followed, so one that is null, foreign, or
//! used twice is noticed. The README has what differs from the fork.

mod generate;
mod gpu_mutex;
mod handles;
mod split;

pub use generate::generate_groth16_proof;
pub use gpu_mutex::{alloc_gpu_mutex, free_gpu_mutex};
pub use ours::{generate_groth16_proofs, Assignment, Error, SRS};
pub use split::{drop_pending_proof, finish_groth16_proof, start_groth16_proof};
