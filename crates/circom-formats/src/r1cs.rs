use crate::FormatError;
use bls_fields::Fr;
use core::fmt;
use ff::Field;

/// One of the three matrices of a constraint system `A·w ∘ B·w = C·w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// the left factor
    A,
    /// the right factor
    B,
    /// the product
    C,
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A sparse matrix by rows: row `i` is the terms from `row_ends[i - 1]` (0 for the
/// first row) up to `row_ends[i]`.
///
/// A column may occur more than once in a row; its values then add up. Terms stay in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseRows {
    /// where each row ends in `columns` and `values`
    pub row_ends: Vec<usize>,
    /// the column (the wire) of each term
    pub columns: Vec<u32>,
    /// the coefficient of each term
    pub values: Vec<Fr>,
}

impl SparseRows {
    pub(crate) fn with_capacity(n_rows: usize, n_terms: usize) -> Self {
        SparseRows {
            row_ends: Vec::with_capacity(n_rows),
            columns: Vec::with_capacity(n_terms),
            values: Vec::with_capacity(n_terms),
        }
    }

    /// Appends a row of (column, coefficient) terms.
    pub fn push_row(&mut self, terms: impl IntoIterator<Item = (u32, Fr)>) {
        for (column, value) in terms {
            self.columns.push(column);
            self.values.push(value);
        }
        self.row_ends.push(self.columns.len());
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.row_ends.len()
    }

    /// The number of terms in all rows.
    pub fn n_terms(&self) -> usize {
        self.columns.len()
    }

    /// The rows in order, each as its columns and coefficients.
    ///
    /// # Panics
    /// If the row ends were changed by hand so that they do not fit; what [`read_r1cs`](crate::read_r1cs) and
    /// [`push_row`](Self::push_row) make always fits.
    pub fn rows(&self) -> impl Iterator<Item = (&[u32], &[Fr])> {
        let starts = core::iter::once(0).chain(self.row_ends.iter().copied());
        starts
            .zip(&self.row_ends)
            .map(|(start, &end)| (&self.columns[start..end], &self.values[start..end]))
    }

    fn fits(&self) -> bool {
        self.row_ends.is_sorted()
            && self.row_ends.last().copied().unwrap_or(0) == self.columns.len()
            && self.columns.len() == self.values.len()
    }
}

/// A rank-one constraint system as circom writes it: constraint `i` is `(A·w)[i] · (B·w)[i] = (C·w)[i]` for
/// the witness `w`.
///
/// Wires are in circom's order: wire 0 is the constant ONE, then the public outputs, the public inputs, the
/// private inputs and the wires between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct R1cs {
    /// wires, ONE included
    pub n_wires: u32,
    /// public outputs: wires from 1 on
    pub n_public_outputs: u32,
    /// public inputs: the wires after the public outputs
    pub n_public_inputs: u32,
    /// private inputs: the wires after the public inputs
    pub n_private_inputs: u32,
    /// one row a constraint, one column a wire
    pub a: SparseRows,
    /// one row a constraint, one column a wire
    pub b: SparseRows,
    /// one row a constraint, one column a wire
    pub c: SparseRows,
}

impl R1cs {
    /// The number of constraints.
    pub fn n_constraints(&self) -> usize {
        self.a.n_rows()
    }

    /// Public wires without ONE: outputs and inputs. They are wires 1 to `n_public()`.
    pub fn n_public(&self) -> usize {
        self.n_public_outputs as usize + self.n_public_inputs as usize
    }

    /// The three matrices with their names.
    pub fn matrices(&self) -> [(Matrix, &SparseRows); 3] {
        [(Matrix::A, &self.a), (Matrix::B, &self.b), (Matrix::C, &self.c)]
    }

    /// Checks that `witness` has one value a wire and begins with ONE; whether it satisfies the constraints
    /// is not checked.
    ///
    /// # Errors
    /// [`FormatError::WitnessLength`], [`FormatError::FirstWireNotOne`].
    pub fn check_witness(&self, witness: &[Fr]) -> Result<(), FormatError> {
        if witness.len() != self.n_wires as usize {
            return Err(FormatError::WitnessLength {
                have: witness.len(),
                need: self.n_wires as usize,
            });
        }
        match witness.first() {
            Some(one) if *one == Fr::ONE => Ok(()),
            _ => Err(FormatError::FirstWireNotOne),
        }
    }

    /// The wires must hold ONE and all that the header declares.
    pub(crate) fn check_counts(&self) -> Result<(), FormatError> {
        let declared = [self.n_public_outputs, self.n_public_inputs, self.n_private_inputs];
        let n_inputs: u64 = declared.iter().map(|&n| u64::from(n)).sum();
        if n_inputs >= u64::from(self.n_wires) {
            return Err(FormatError::HeaderCounts {
                n_wires: self.n_wires,
                n_inputs,
            });
        }
        Ok(())
    }

    /// Everything that [`read_r1cs`](crate::read_r1cs) promises of its result.
    pub(crate) fn check(&self) -> Result<(), FormatError> {
        self.check_counts()?;
        for (matrix, rows) in self.matrices() {
            let n_rows = rows.n_rows();
            if !rows.fits() || n_rows != self.n_constraints() || u32::try_from(n_rows).is_err() {
                return Err(FormatError::Rows {
                    matrix,
                    rows: n_rows,
                    columns: rows.columns.len(),
                    values: rows.values.len(),
                });
            }
            for (constraint, (columns, _)) in rows.rows().enumerate() {
                for &wire in columns {
                    self.check_wire(constraint as u32, matrix, wire)?;
                }
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn check_wire(&self, constraint: u32, matrix: Matrix, wire: u32) -> Result<(), FormatError> {
        if wire >= self.n_wires {
            return Err(FormatError::WireIndex {
                constraint,
                matrix,
                wire,
                // At least one wire exists: the counts were checked.
                max: self.n_wires.saturating_sub(1),
            });
        }
        Ok(())
    }
}
