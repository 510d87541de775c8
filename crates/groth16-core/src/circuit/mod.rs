//! From a [`bellpepper_core::Circuit`] to this crate's types: its R1CS for setup, its assignment for a proof.

mod r1cs_builder;
mod witness_builder;

use crate::{OwnedAssignment, R1cs, Result};
use bellpepper_core::{Circuit, ConstraintSystem};
use bls_fields::Fr;
use ff::Field;

/// The circuit's constraints, without values: its witness closures are not called.
pub fn r1cs_of_circuit(circuit: impl Circuit<Fr>) -> Result<R1cs> {
    let mut builder = r1cs_builder::R1csBuilder::default();
    builder.alloc_input(|| "ONE", || Ok(Fr::ONE))?;
    circuit.synthesize(&mut builder)?;
    builder.finish()
}

/// Synthesizes the circuit with its witness: rows are evaluated as they come, constraints are not kept.
///
/// # Errors
/// What the circuit's own closures return, and [`Error::Unsatisfied`](crate::Error::Unsatisfied) with the
/// first constraint that its values break.
pub fn assign_circuit(circuit: impl Circuit<Fr>) -> Result<OwnedAssignment> {
    let mut builder = witness_builder::WitnessBuilder::new();
    builder.alloc_input(|| "ONE", || Ok(Fr::ONE))?;
    circuit.synthesize(&mut builder)?;
    builder.finish()
}
