//! A rank-1 constraint system in compressed sparse rows.
//!
//! Wires are numbered ONE, public inputs, private wires, as in a `.r1cs` file. bellman's input-consistency
//! rows (input · 0 = 0, one an input, ONE among them) are not stored: evaluation, densities and setup add
//! them after the constraints.

use crate::density::DensityBits;
use crate::params::KeyCounts;
use crate::{Backend, Error, HostBuf, OwnedAssignment, Result};
use bls_fields::Fr;
use ff::Field;
use rayon::prelude::*;
use std::sync::Arc;

/// One of the three matrices, row by row: `terms` of row i are `row_ends[i - 1]..row_ends[i]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseMatrix {
    row_ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<Fr>,
}

impl SparseMatrix {
    /// No rows yet, with room for some.
    pub fn with_capacity(n_rows: usize, n_terms: usize) -> Self {
        SparseMatrix {
            row_ends: Vec::with_capacity(n_rows),
            columns: Vec::with_capacity(n_terms),
            values: Vec::with_capacity(n_terms),
        }
    }

    /// Appends a row. Terms of the same wire are added up, and those that come to zero are left out: a wire
    /// whose coefficients cancel does not occur in the row, for the key as for the prover.
    pub fn push_row(&mut self, terms: impl IntoIterator<Item = (u32, Fr)>) {
        let start = self.columns.len();
        for (column, value) in terms {
            self.columns.push(column);
            self.values.push(value);
        }
        let ascending = self.columns[start..].windows(2).all(|w| w[0] < w[1]);
        if !ascending || self.values[start..].iter().any(|v| v.is_zero_vartime()) {
            self.simplify_row(start);
        }
        self.row_ends.push(self.columns.len());
    }

    fn simplify_row(&mut self, start: usize) {
        let mut row: Vec<(u32, Fr)> = self
            .columns
            .drain(start..)
            .zip(self.values.drain(start..))
            .collect();
        row.sort_by_key(|(column, _)| *column);
        for group in row.chunk_by(|x, y| x.0 == y.0) {
            let sum: Fr = group.iter().map(|(_, value)| value).sum();
            if !sum.is_zero_vartime() {
                self.columns.push(group[0].0);
                self.values.push(sum);
            }
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.row_ends.len()
    }

    /// Number of non-zero coefficients.
    pub fn n_terms(&self) -> usize {
        self.columns.len()
    }

    /// The (wire, coefficient) pairs of row `i`, by ascending wire.
    ///
    /// # Panics
    /// If there is no row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, &Fr)> + '_ {
        let start = if i == 0 { 0 } else { self.row_ends[i - 1] };
        let range = start..self.row_ends[i];
        self.columns[range.clone()]
            .iter()
            .copied()
            .zip(&self.values[range])
    }

    /// ⟨row i, witness⟩
    #[inline]
    fn evaluate_row(&self, i: usize, witness: &[Fr]) -> Fr {
        self.row(i).fold(Fr::ZERO, |sum, (wire, coefficient)| {
            // Most coefficients are one, and an addition is a fifth of a multiplication.
            let value = &witness[wire as usize];
            sum + if *coefficient == Fr::ONE {
                *value
            } else {
                coefficient * value
            }
        })
    }

    /// The first row that names a wire at or past `n_wires`.
    fn first_bad_wire(&self, n_wires: usize) -> Option<(usize, usize)> {
        let bad = self.columns.iter().position(|&wire| wire as usize >= n_wires)?;
        Some((
            self.row_ends.partition_point(|&end| end <= bad),
            self.columns[bad] as usize,
        ))
    }
}

/// A·w ∘ B·w = C·w over the wires w = (ONE, public inputs, private wires).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct R1cs {
    n_inputs: usize,
    n_aux: usize,
    a: SparseMatrix,
    b: SparseMatrix,
    c: SparseMatrix,
}

/// What a prover needs of a satisfied R1CS: the rows' values, without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluations {
    /// A·w, then the inputs (the input-consistency rows)
    pub a: Vec<Fr>,
    /// B·w, then zeros
    pub b: Vec<Fr>,
}

/// The densities of the three queries that are not full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Densities {
    /// private wires that occur in A
    pub a_aux: DensityBits,
    /// inputs that occur in B
    pub b_input: DensityBits,
    /// private wires that occur in B
    pub b_aux: DensityBits,
}

impl R1cs {
    /// Checks that the matrices have the same number of rows and that every wire exists.
    ///
    /// `n_inputs` counts ONE and the public inputs; `n_aux` the private wires.
    ///
    /// # Errors
    /// [`Error::InputLength`] for no inputs or matrices of different lengths, [`Error::TooManyWires`],
    /// [`Error::WireIndex`].
    pub fn new(
        n_inputs: usize,
        n_aux: usize,
        a: SparseMatrix,
        b: SparseMatrix,
        c: SparseMatrix,
    ) -> Result<Self> {
        if n_inputs == 0 {
            return Err(Error::InputLength {
                what: "inputs, ONE among them",
                have: 0,
                need: 1,
            });
        }
        let n_wires = n_inputs.saturating_add(n_aux);
        if n_wires as u64 > 1 << 32 {
            return Err(Error::TooManyWires { wires: n_wires });
        }
        for (matrix, m) in [("A", &a), ("B", &b), ("C", &c)] {
            if m.n_rows() != a.n_rows() {
                return Err(Error::InputLength {
                    what: "rows of a matrix",
                    have: m.n_rows(),
                    need: a.n_rows(),
                });
            }
            if let Some((constraint, wire)) = m.first_bad_wire(n_wires) {
                return Err(Error::WireIndex {
                    constraint,
                    matrix,
                    wire,
                    max: n_wires - 1,
                });
            }
        }
        Ok(R1cs {
            n_inputs,
            n_aux,
            a,
            b,
            c,
        })
    }

    /// Inputs, ONE among them.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Private wires.
    pub fn n_aux(&self) -> usize {
        self.n_aux
    }

    /// Constraints, without the input-consistency rows.
    pub fn n_constraints(&self) -> usize {
        self.a.n_rows()
    }

    /// Constraints and input-consistency rows: what the domain must hold.
    pub fn n_rows(&self) -> usize {
        self.n_constraints() + self.n_inputs
    }

    /// A, B and C.
    pub fn matrices(&self) -> [&SparseMatrix; 3] {
        [&self.a, &self.b, &self.c]
    }

    /// Whether a witness has a value for each wire and begins with 1.
    pub fn check_witness(&self, witness: &[Fr]) -> Result<()> {
        let n_wires = self.n_inputs + self.n_aux;
        if witness.len() != n_wires {
            return Err(Error::WitnessLength {
                have: witness.len(),
                need: n_wires,
            });
        }
        if witness[0] != Fr::ONE {
            return Err(Error::FirstWireNotOne);
        }
        Ok(())
    }

    /// Evaluates A and B in parallel and checks each constraint against C, which is
    /// not kept: on the domain c is a·b.
    pub fn evaluate(&self, witness: &[Fr]) -> Result<Evaluations> {
        self.check_witness(witness)?;
        let (mut a, mut b) = (self.rows(), self.rows());
        self.evaluate_into(witness, &mut a, &mut b)?;
        Ok(Evaluations { a, b })
    }

    /// Rows, with room for the domain, which the prover pads them to.
    fn rows(&self) -> Vec<Fr> {
        let mut rows = Vec::with_capacity(self.n_rows().next_power_of_two());
        rows.resize(self.n_rows(), Fr::ZERO);
        rows
    }

    /// [`R1cs::evaluate`] into rows that hold zeros, for a witness of the right length.
    fn evaluate_into(&self, witness: &[Fr], a: &mut [Fr], b: &mut [Fr]) -> Result<()> {
        let n_constraints = self.n_constraints();
        const CHUNK: usize = 1 << 10;
        let unsatisfied = a[..n_constraints]
            .par_chunks_mut(CHUNK)
            .zip(b[..n_constraints].par_chunks_mut(CHUNK))
            .enumerate()
            .filter_map(|(chunk, (a, b))| {
                let rows = chunk * CHUNK..;
                rows.zip(a.iter_mut().zip(b)).fold(None, |first, (row, (a, b))| {
                    *a = self.a.evaluate_row(row, witness);
                    *b = self.b.evaluate_row(row, witness);
                    let holds = *a * *b == self.c.evaluate_row(row, witness);
                    first.or((!holds).then_some(row))
                })
            })
            .min();
        if let Some(constraint) = unsatisfied {
            return Err(Error::Unsatisfied { constraint });
        }
        a[n_constraints..].copy_from_slice(&witness[..self.n_inputs]);
        Ok(())
    }

    /// Evaluates the rows of a satisfying witness into what a proof is made from.
    ///
    /// # Errors
    /// As [`R1cs::evaluate`].
    pub fn assign(&self, witness: &[Fr]) -> Result<OwnedAssignment> {
        self.assign_in(witness, HostBuf::zeros)
    }

    /// [`R1cs::assign`] into memory that `backend` reads soonest. Where it has none left, into memory of the
    /// heap: that is slower to read, and no reason to fail.
    ///
    /// # Errors
    /// As [`R1cs::evaluate`].
    pub fn assign_for(&self, backend: &dyn Backend, witness: &[Fr]) -> Result<OwnedAssignment> {
        self.assign_in(witness, |n| HostBuf::zeros_for(backend, n))
    }

    /// [`R1cs::assign`] into memory that `alloc` gives, as many zeros as it is asked for.
    fn assign_in(&self, witness: &[Fr], alloc: impl Fn(usize) -> HostBuf<Fr>) -> Result<OwnedAssignment> {
        self.check_witness(witness)?;
        // Rows with room for the domain, which the prover pads them to.
        let rows = || {
            let mut rows = alloc(self.n_rows().next_power_of_two());
            rows.truncate(self.n_rows());
            rows
        };
        let (mut a, mut b) = (rows(), rows());
        self.evaluate_into(witness, &mut a, &mut b)?;
        let (inputs, private) = witness.split_at(self.n_inputs);
        let mut aux = alloc(private.len());
        aux.copy_from_slice(private);
        Ok(OwnedAssignment {
            a,
            b,
            inputs: inputs.to_vec(),
            aux,
            densities: Arc::new(self.densities()),
        })
    }

    /// What a key of this circuit must count: compared with a file's counts before anything heavy is done.
    pub fn key_counts(&self) -> KeyCounts {
        let densities = self.densities();
        let n_b = densities.b_input.as_density().n_dense() + densities.b_aux.as_density().n_dense();
        KeyCounts {
            ic: self.n_inputs,
            h: self.n_rows().next_power_of_two() - 1,
            l: self.n_aux,
            a: self.n_inputs + densities.a_aux.as_density().n_dense(),
            b_g1: n_b,
            b_g2: n_b,
        }
    }

    /// Which wires occur in A and B. Inputs are dense in A, because of their consistency rows.
    pub fn densities(&self) -> Densities {
        let mut densities = Densities {
            a_aux: DensityBits::zeros(self.n_aux),
            b_input: DensityBits::zeros(self.n_inputs),
            b_aux: DensityBits::zeros(self.n_aux),
        };
        for &wire in &self.a.columns {
            if let Some(aux) = (wire as usize).checked_sub(self.n_inputs) {
                densities.a_aux.set(aux);
            }
        }
        for &wire in &self.b.columns {
            match (wire as usize).checked_sub(self.n_inputs) {
                Some(aux) => densities.b_aux.set(aux),
                None => densities.b_input.set(wire as usize),
            }
        }
        densities
    }

    /// The first private wire that no constraint uses.
    pub fn first_unconstrained_wire(&self) -> Option<usize> {
        let mut used = DensityBits::zeros(self.n_inputs + self.n_aux);
        self.matrices()
            .iter()
            .for_each(|m| m.columns.iter().for_each(|&wire| used.set(wire as usize)));
        let used = used.as_density();
        (self.n_inputs..used.len()).find(|&wire| !used.get(wire))
    }
}
