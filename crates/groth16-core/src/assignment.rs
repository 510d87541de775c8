//! What a prover is given: one circuit's rows, values and densities, and the two blinding elements.

use crate::density::Density;
use crate::params::KeyCounts;
use crate::quotient::check_satisfied;
use crate::{Backend, Densities, Error, HostBuf, Result};
use bls_fields::Fr;
use ff::Field;
use rand_core::RngCore;
use std::sync::Arc;

/// One circuit's inputs to a proof, borrowed. Elements in Montgomery form.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    /// A·w for each row, constraints and then input-consistency rows; not padded
    pub a: &'a [Fr],
    /// B·w for each row
    pub b: &'a [Fr],
    /// ONE and the public inputs
    pub inputs: &'a [Fr],
    /// the private wires
    pub aux: &'a [Fr],
    /// which private wires occur in A (all inputs do)
    pub a_aux_density: Density<'a>,
    /// which inputs occur in B
    pub b_input_density: Density<'a>,
    /// which private wires occur in B
    pub b_aux_density: Density<'a>,
}

impl Assignment<'_> {
    /// Rows: constraints and input-consistency rows.
    pub fn n_rows(&self) -> usize {
        self.a.len()
    }

    /// Checks the parts against each other and against a key. Backends rely on
    /// this and check no lengths again.
    ///
    /// # Errors
    /// [`Error::InputLength`] where parts contradict each other, [`Error::FirstWireNotOne`],
    /// [`Error::ShapeMismatch`] where the key is of another circuit.
    pub fn check(&self, key: &KeyCounts) -> Result<()> {
        let lengths = [
            ("rows of b", self.b.len(), self.a.len()),
            (
                "bits of the A density over private wires",
                self.a_aux_density.len(),
                self.aux.len(),
            ),
            (
                "bits of the B density over inputs",
                self.b_input_density.len(),
                self.inputs.len(),
            ),
            (
                "bits of the B density over private wires",
                self.b_aux_density.len(),
                self.aux.len(),
            ),
        ];
        for (what, have, need) in lengths {
            if have != need {
                return Err(Error::InputLength { what, have, need });
            }
        }
        if self.inputs.first() != Some(&Fr::ONE) {
            return Err(Error::FirstWireNotOne);
        }
        if self.n_rows() as u64 > 1 << 32 {
            return Err(Error::TooManyRows { rows: self.n_rows() });
        }
        let n_b = self.b_input_density.n_dense() + self.b_aux_density.n_dense();
        let counts = [
            ("number of inputs (ic)", key.ic, self.inputs.len()),
            ("number of private wires (l)", key.l, self.aux.len()),
            (
                "domain size (h + 1)",
                key.h + 1,
                self.n_rows().next_power_of_two(),
            ),
            (
                "size of the A query (a)",
                key.a,
                self.inputs.len() + self.a_aux_density.n_dense(),
            ),
            ("size of the B query (b_g1)", key.b_g1, n_b),
            ("size of the B query (b_g2)", key.b_g2, n_b),
        ];
        match counts.into_iter().find(|(_, key, circuit)| key != circuit) {
            Some((what, key, circuit)) => Err(Error::ShapeMismatch { what, key, circuit }),
            None => Ok(()),
        }
    }

    /// Checks that a·b = c in every row, in parallel: for callers that have C·w. The proof itself needs no c,
    /// since on the domain it is a·b; so rows that are not satisfied give a proof that does not verify.
    ///
    /// # Errors
    /// [`Error::InputLength`], or [`Error::Unsatisfied`] with the first row.
    pub fn check_c(&self, c: &[Fr]) -> Result<()> {
        let (have, need) = (c.len(), self.n_rows());
        if have != need {
            return Err(Error::InputLength {
                what: "rows of c",
                have,
                need,
            });
        }
        match check_satisfied(self.a, self.b, c) {
            Some(constraint) => Err(Error::Unsatisfied { constraint }),
            None => Ok(()),
        }
    }

    /// Scalars of the A query: all inputs, then the dense private wires.
    pub fn a_query(&self) -> impl Iterator<Item = Fr> + '_ {
        self.inputs
            .iter()
            .copied()
            .chain(self.a_aux_density.select(self.aux))
    }

    /// Scalars of the B queries: the dense inputs, then the dense private wires.
    pub fn b_query(&self) -> impl Iterator<Item = Fr> + '_ {
        self.b_input_density
            .select(self.inputs)
            .chain(self.b_aux_density.select(self.aux))
    }
}

/// One circuit's inputs to a proof, owned: what [`Backend::submit`](crate::Backend::submit) takes.
pub struct OwnedAssignment {
    /// as in [`Assignment::a`]
    pub a: HostBuf<Fr>,
    /// as in [`Assignment::b`]
    pub b: HostBuf<Fr>,
    /// as in [`Assignment::inputs`]
    pub inputs: Vec<Fr>,
    /// as in [`Assignment::aux`]
    pub aux: HostBuf<Fr>,
    /// the three densities, shared by all proofs of a circuit
    pub densities: Arc<Densities>,
}

impl OwnedAssignment {
    /// The borrowed form.
    pub fn as_assignment(&self) -> Assignment<'_> {
        Assignment {
            a: &self.a,
            b: &self.b,
            inputs: &self.inputs,
            aux: &self.aux,
            a_aux_density: self.densities.a_aux.as_density(),
            b_input_density: self.densities.b_input.as_density(),
            b_aux_density: self.densities.b_aux.as_density(),
        }
    }

    /// A copy in the memory from which the backend takes inputs soonest; on the heap where it has none to give.
    pub fn copy_for(&self, backend: &dyn Backend) -> OwnedAssignment {
        let copy = |values: &[Fr]| {
            let mut memory = HostBuf::zeros_for(backend, values.len());
            memory.copy_from_slice(values);
            memory
        };
        OwnedAssignment {
            a: copy(&self.a),
            b: copy(&self.b),
            inputs: self.inputs.clone(),
            aux: copy(&self.aux),
            densities: self.densities.clone(),
        }
    }
}

/// The two elements that make a proof zero-knowledge. Has no `Debug`: they are as secret as the witness.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Blinding {
    /// blinds A
    pub r: Fr,
    /// blinds B
    pub s: Fr,
}

impl Blinding {
    /// Fresh elements. `rng` must be fit for secrets, such as the operating system's.
    pub fn random(rng: &mut impl RngCore) -> Self {
        Blinding {
            r: Fr::random(&mut *rng),
            s: Fr::random(&mut *rng),
        }
    }
}
