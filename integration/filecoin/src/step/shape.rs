use crate::work::Work;
use anyhow::Result;
use blstrs::Scalar;
use ff::Field;
use groth16_core::circuit::assign_circuit;
use groth16_core::domain::Domain;
use serde::{Deserialize, Serialize};

/// The counts of one partition's circuit.
#[derive(Serialize, Deserialize)]
pub struct Shape {
    pub n_partitions: usize,
    /// without the rows that bind the inputs
    pub n_constraints: usize,
    /// ONE among them
    pub n_inputs: usize,
    pub n_aux: usize,
    pub log_domain: u32,
    /// private wires that occur in A
    pub a_aux: usize,
    /// inputs that occur in B
    pub b_inputs: usize,
    /// private wires that occur in B
    pub b_aux: usize,
    /// private wires with the value 0, and with the value 1
    pub n_zeros: usize,
    pub n_ones: usize,
}

pub(super) fn run(work: &dyn Work) -> Result<Shape> {
    let mut circuits = work.circuits()?;
    let n_partitions = circuits.len();
    let owned = assign_circuit(circuits.swap_remove(0))?;
    let assignment = owned.as_assignment();
    let with_value = |value: Scalar| assignment.aux.iter().filter(|wire| **wire == value).count();
    Ok(Shape {
        n_partitions,
        n_constraints: assignment.n_rows() - assignment.inputs.len(),
        n_inputs: assignment.inputs.len(),
        n_aux: assignment.aux.len(),
        log_domain: Domain::for_rows(assignment.n_rows())?.log_n(),
        a_aux: assignment.a_aux_density.n_dense(),
        b_inputs: assignment.b_input_density.n_dense(),
        b_aux: assignment.b_aux_density.n_dense(),
        n_zeros: with_value(Scalar::ZERO),
        n_ones: with_value(Scalar::ONE),
    })
}
