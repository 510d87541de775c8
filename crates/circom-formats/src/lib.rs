#![doc = include_str!("../README.md")]

mod container;
mod decimal;
mod error;
mod proof_json;
mod public_json;
mod r1cs;
mod r1cs_file;
mod wtns;

pub use decimal::DecimalError;
pub use error::{Format, FormatError};
pub use proof_json::{read_proof_json, write_proof_json, ProofPoints};
pub use public_json::{read_public_json, write_public_json};
pub use r1cs::{Matrix, R1cs, SparseRows};
pub use r1cs_file::{read_r1cs, write_r1cs};
pub use wtns::{read_wtns, write_wtns};
