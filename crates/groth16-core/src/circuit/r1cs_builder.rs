use crate::r1cs::SparseMatrix;
use crate::{Error, R1cs, Result};
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls_fields::Fr;

/// A term before the number of inputs is known: private wires are numbered after the inputs only at the end.
type Term = (Index, Fr);

/// Collects constraints; values are not asked for.
#[derive(Default)]
pub(super) struct R1csBuilder {
    n_inputs: usize,
    n_aux: usize,
    /// A, B, C
    matrices: [Rows; 3],
}

#[derive(Default)]
struct Rows {
    terms: Vec<Term>,
    row_ends: Vec<usize>,
}

impl Rows {
    fn push(&mut self, row: &LinearCombination<Fr>) {
        self.terms.extend(
            row.iter()
                .map(|(variable, coefficient)| (variable.0, *coefficient)),
        );
        self.row_ends.push(self.terms.len());
    }

    fn number_wires(self, n_inputs: usize) -> SparseMatrix {
        let mut matrix = SparseMatrix::with_capacity(self.row_ends.len(), self.terms.len());
        let mut start = 0;
        for end in self.row_ends {
            matrix.push_row(self.terms[start..end].iter().map(|(index, coefficient)| {
                let wire = match index {
                    Index::Input(i) => *i,
                    Index::Aux(i) => n_inputs + i,
                };
                (wire as u32, *coefficient)
            }));
            start = end;
        }
        matrix
    }
}

impl R1csBuilder {
    pub(super) fn finish(self) -> Result<R1cs> {
        // Once inputs and private wires are numbered in one row, such an input
        // would be taken for a private wire.
        for (matrix, rows) in ["A", "B", "C"].into_iter().zip(&self.matrices) {
            let bad = |(index, _): &Term| matches!(index, Index::Input(i) if *i >= self.n_inputs);
            if let Some(term) = rows.terms.iter().position(bad) {
                return Err(Error::ForeignVariable {
                    constraint: rows.row_ends.partition_point(|&end| end <= term),
                    matrix,
                });
            }
        }
        let [a, b, c] = self.matrices.map(|rows| rows.number_wires(self.n_inputs));
        R1cs::new(self.n_inputs, self.n_aux, a, b, c)
    }
}

impl ConstraintSystem<Fr> for R1csBuilder {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.n_aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.n_aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.n_inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.n_inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
        self.matrices[0].push(&a(LinearCombination::zero()));
        self.matrices[1].push(&b(LinearCombination::zero()));
        self.matrices[2].push(&c(LinearCombination::zero()));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
