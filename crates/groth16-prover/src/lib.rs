//! A Groth16 prover over BLS12-381.
//!
//! Proofs are made from a `bellpepper_core::Circuit`, from circom's R1CS and witness, or from rows and values
//! that are already there. Each is verified before it is handed out, unless that is switched off.
//!
//! ```
//! use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
//! use groth16_prover::{setup_circuit, Blinding, Fr, OsRng, Prover, ToxicWaste};
//!
//! /// I know x with x² = y.
//! struct Square { x: Option<Fr> }
//!
//! impl Circuit<Fr> for Square {
//!     fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//!         let missing = SynthesisError::AssignmentMissing;
//!         let y = cs.alloc_input(|| "y", || self.x.map(|x| x * x).ok_or(missing))?;
//!         let x = cs.alloc(|| "x", || self.x.ok_or(SynthesisError::AssignmentMissing))?;
//!         cs.enforce(|| "x² = y", |lc| lc + x, |lc| lc + x, |lc| lc + y);
//!         Ok(())
//!     }
//! }
//!
//! let prover = Prover::builder().build()?;
//! let parameters = setup_circuit(Square { x: None }, &ToxicWaste::random(&mut OsRng))?;
//! let key = prover.load(parameters)?;
//! let circuit = Square { x: Some(Fr::from(3)) };
//! let proof = prover.prove_circuit(&key, circuit, Blinding::random(&mut OsRng))?;
//! assert!(key.verifier().verify(&proof, &[Fr::from(9)])?);
//! # Ok::<(), groth16_prover::Error>(())
//! ```
//!
//! Setup by one party is for development and tests: see [`groth16_core::setup`].

#![forbid(unsafe_code)]

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod circom;
mod prover;
mod select;
mod trace;

pub use bls_fields::Fr;
pub use circom::{r1cs_from_circom, read_proof_json, write_proof_json};
pub use groth16_core::setup::{generate_parameters, ToxicWaste};
pub use groth16_core::{schedule, timeline};
pub use groth16_core::{
    Assignment, Backend, BackendInfo, Blinding, Error, ErrorKind, MappedParams, OwnedAssignment, Parameters,
    ParamsCheck, PreparedVerifyingKey, Priority, Proof, R1cs, Result, VerifyingKey,
};
pub use prover::{setup_circuit, Prover, ProverBuilder, ProvingKey};
pub use rand_core::OsRng;
pub use select::{BackendChoice, DeviceOptions, NotBuilt};
pub use trace::{busy_share, write_chrome_trace};
