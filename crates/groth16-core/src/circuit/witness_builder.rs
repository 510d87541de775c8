use crate::{Densities, Error, OwnedAssignment, Result};
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls_fields::Fr;
use ff::Field;
use std::sync::Arc;

/// Collects values and the rows' evaluations. Extensible, so that circuits that synthesize parts of
/// themselves in parallel can do so here as they do in bellperson.
pub(super) struct WitnessBuilder {
    a: Vec<Fr>,
    b: Vec<Fr>,
    inputs: Vec<Fr>,
    aux: Vec<Fr>,
    densities: Densities,
    first_unsatisfied: Option<usize>,
    /// The first constraint, and the matrix, with a variable that was not allocated here before it.
    first_foreign: Option<(usize, &'static str)>,
}

impl WitnessBuilder {
    /// Adds the input-consistency rows and hands the assignment over.
    pub(super) fn finish(mut self) -> Result<OwnedAssignment> {
        if let Some((constraint, matrix)) = self.first_foreign {
            return Err(Error::ForeignVariable { constraint, matrix });
        }
        if let Some(constraint) = self.first_unsatisfied {
            return Err(Error::Unsatisfied { constraint });
        }
        self.a.extend_from_slice(&self.inputs);
        self.b.resize(self.a.len(), Fr::ZERO);
        Ok(OwnedAssignment {
            a: self.a.into(),
            b: self.b.into(),
            inputs: self.inputs,
            aux: self.aux.into(),
            densities: Arc::new(self.densities),
        })
    }

    fn value(&self, index: Index) -> Option<Fr> {
        match index {
            Index::Input(i) => self.inputs.get(i).copied(),
            Index::Aux(i) => self.aux.get(i).copied(),
        }
    }

    /// ⟨row, values⟩, or `None` if the row has a variable without a value. `occurs` is told of each wire
    /// whose coefficient is not zero.
    fn evaluate(&self, row: &LinearCombination<Fr>, mut occurs: impl FnMut(Index)) -> Option<Fr> {
        row.iter().try_fold(Fr::ZERO, |sum, (variable, coefficient)| {
            if coefficient.is_zero_vartime() {
                return Some(sum);
            }
            let value = self.value(variable.0)?;
            occurs(variable.0);
            Some(
                sum + if *coefficient == Fr::ONE {
                    value
                } else {
                    value * coefficient
                },
            )
        })
    }
}

impl ConstraintSystem<Fr> for WitnessBuilder {
    type Root = Self;

    fn new() -> Self {
        WitnessBuilder {
            a: Vec::new(),
            b: Vec::new(),
            inputs: Vec::new(),
            aux: Vec::new(),
            densities: Densities::default(),
            first_unsatisfied: None,
            first_foreign: None,
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        self.densities.a_aux.push();
        self.densities.b_aux.push();
        Ok(Variable::new_unchecked(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        self.densities.b_input.push();
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
        // The densities are taken out for the two evaluations, which read the rest of self.
        let mut densities = core::mem::take(&mut self.densities);
        let a = self.evaluate(&a(LinearCombination::zero()), |index| match index {
            Index::Input(_) => {} // dense in A, because of its consistency row
            Index::Aux(i) => densities.a_aux.set(i),
        });
        let b = self.evaluate(&b(LinearCombination::zero()), |index| match index {
            Index::Input(i) => densities.b_input.set(i),
            Index::Aux(i) => densities.b_aux.set(i),
        });
        let c = self.evaluate(&c(LinearCombination::zero()), |_| {});
        self.densities = densities;
        let row = self.a.len();
        for (value, matrix) in [(a, "A"), (b, "B"), (c, "C")] {
            if value.is_none() {
                self.first_foreign.get_or_insert((row, matrix));
            }
        }
        let [a, b, c] = [a, b, c].map(Option::unwrap_or_default);
        if a * b != c && self.first_unsatisfied.is_none() {
            self.first_unsatisfied = Some(row);
        }
        self.a.push(a);
        self.b.push(b);
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

    fn is_extensible() -> bool {
        true
    }

    /// Appends what another builder collected. The other's first input is a stand-in for ONE and is left out.
    fn extend(&mut self, other: &Self) {
        if self.first_unsatisfied.is_none() {
            self.first_unsatisfied = other.first_unsatisfied.map(|row| self.a.len() + row);
        }
        if self.first_foreign.is_none() {
            self.first_foreign = other
                .first_foreign
                .map(|(row, matrix)| (self.a.len() + row, matrix));
        }
        self.a.extend_from_slice(&other.a);
        self.b.extend_from_slice(&other.b);
        self.inputs
            .extend_from_slice(other.inputs.get(1..).unwrap_or_default());
        self.aux.extend_from_slice(&other.aux);
        self.densities.a_aux.extend(&other.densities.a_aux, 0);
        self.densities.b_aux.extend(&other.densities.b_aux, 0);
        // ONE is one wire: its bit in the other is its bit here.
        if !other.inputs.is_empty() && other.densities.b_input.as_density().get(0) {
            self.densities.b_input.set(0);
        }
        self.densities.b_input.extend(&other.densities.b_input, 1);
    }
}
