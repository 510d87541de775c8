//! One R1CS with its witness as the circuit type of each library.

use crate::convert::ark_fr;
use ark_relations::gr1cs::{self, ConstraintSynthesizer, ConstraintSystemRef};
use bls_fields::Fr;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::R1cs;

/// A circuit of bellperson (which has bellpepper's trait) and of bellman (which has its own).
#[derive(Clone, Copy)]
pub struct BellCircuit<'a> {
    pub r1cs: &'a R1cs,
    pub witness: &'a [Fr],
}

macro_rules! impl_circuit {
    ($library:ident) => {
        impl $library::Circuit<Fr> for BellCircuit<'_> {
            fn synthesize<CS: $library::ConstraintSystem<Fr>>(
                self,
                cs: &mut CS,
            ) -> Result<(), $library::SynthesisError> {
                let n_inputs = self.r1cs.n_inputs();
                let (inputs, aux) = self.witness.split_at(n_inputs);
                for value in &inputs[1..] {
                    cs.alloc_input(|| "", || Ok(*value))?;
                }
                for value in aux {
                    cs.alloc(|| "", || Ok(*value))?;
                }
                let variable = |wire: u32| {
                    let wire = wire as usize;
                    $library::Variable::new_unchecked(match wire.checked_sub(n_inputs) {
                        None => $library::Index::Input(wire),
                        Some(aux) => $library::Index::Aux(aux),
                    })
                };
                let [a, b, c] = self.r1cs.matrices();
                let row = |matrix: &SparseMatrix, i, zero| {
                    matrix.row(i).fold(
                        zero,
                        |sum: $library::LinearCombination<Fr>, (wire, value)| sum + (*value, variable(wire)),
                    )
                };
                for i in 0..a.n_rows() {
                    cs.enforce(
                        || "",
                        |lc| row(a, i, lc),
                        |lc| row(b, i, lc),
                        |lc| row(c, i, lc),
                    );
                }
                Ok(())
            }
        }
    };
}

impl_circuit!(bellpepper_core);
impl_circuit!(bellman);

type ArkRow = Vec<(ark_bls12_381::Fr, gr1cs::Variable)>;

/// The same for arkworks, in its own types: what is converted once is not part of a proof.
pub struct ArkCircuit {
    n_inputs: usize,
    witness: Vec<ark_bls12_381::Fr>,
    rows: Vec<[ArkRow; 3]>,
}

impl ArkCircuit {
    pub fn new(r1cs: &R1cs, witness: &[Fr]) -> Self {
        let n_inputs = r1cs.n_inputs();
        let variable = |wire: u32| {
            let wire = wire as usize;
            match wire.checked_sub(n_inputs) {
                None if wire == 0 => gr1cs::Variable::One,
                None => gr1cs::Variable::instance(wire),
                Some(aux) => gr1cs::Variable::witness(aux),
            }
        };
        let row = |matrix: &SparseMatrix, i| {
            let terms = matrix.row(i);
            terms
                .map(|(wire, value)| (ark_fr(value), variable(wire)))
                .collect()
        };
        ArkCircuit {
            n_inputs,
            witness: witness.iter().map(ark_fr).collect(),
            rows: (0..r1cs.n_constraints())
                .map(|i| r1cs.matrices().map(|matrix| row(matrix, i)))
                .collect(),
        }
    }
}

impl ConstraintSynthesizer<ark_bls12_381::Fr> for &ArkCircuit {
    fn generate_constraints(self, cs: ConstraintSystemRef<ark_bls12_381::Fr>) -> gr1cs::Result<()> {
        let (inputs, aux) = self.witness.split_at(self.n_inputs);
        for value in &inputs[1..] {
            let _ = cs.new_input_variable(|| Ok(*value))?;
        }
        for value in aux {
            let _ = cs.new_witness_variable(|| Ok(*value))?;
        }
        for [a, b, c] in &self.rows {
            let combination = |row: &ArkRow| gr1cs::LinearCombination(row.clone());
            cs.enforce_r1cs_constraint(|| combination(a), || combination(b), || combination(c))?;
        }
        Ok(())
    }
}
