//! The registry crate's API, item for item. Nothing in the workspace imports this but its tests.

mod assignment;
mod cache;
mod choice;
mod error;
mod generate;
mod srs;

pub use assignment::Assignment;
pub use error::Error;
pub use generate::{generate_groth16_proof, generate_groth16_proofs};
pub use srs::SRS;
