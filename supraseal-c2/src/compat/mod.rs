//! The registry crate's API, item for item. Nothing in the workspace imports this but its tests.

mod alike;
mod assignment;
mod cache;
mod checked;
mod choice;
mod error;
mod failure;
mod generate;
#[doc(hidden)]
pub mod split;
mod srs;

pub use assignment::Assignment;
pub use error::Error;
pub use generate::{generate_groth16_proof, generate_groth16_proofs};
pub use srs::SRS;
