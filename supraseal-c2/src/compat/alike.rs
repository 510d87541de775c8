use super::Assignment;
use crate::raw::{self, ArgumentError};

/// Circuits of the same sizes and densities, in the form of bellperson 0.26's call: an array of pointers for
/// each part, with one a circuit, and everything else once for all.
pub struct Alike<'a, S, D> {
    /// A·w for each row, by circuit
    pub a: &'a [*const S],
    /// B·w for each row, by circuit
    pub b: &'a [*const S],
    /// C·w for each row, by circuit
    pub c: &'a [*const S],
    /// rows behind each pointer of `a`, `b` and `c`
    pub n_rows: usize,
    /// ONE and the public inputs, by circuit
    pub inputs: &'a [*const S],
    /// the private wires, by circuit
    pub aux: &'a [*const S],
    /// elements behind each pointer of `inputs`
    pub n_inputs: usize,
    /// elements behind each pointer of `aux`
    pub n_aux: usize,
    /// which private wires occur in A
    pub a_aux_density: &'a [D],
    /// which inputs occur in B
    pub b_input_density: &'a [D],
    /// which private wires occur in B
    pub b_aux_density: &'a [D],
    /// bits set in each of the three densities, in their order
    pub popcounts: [usize; 3],
    /// the number of circuits
    pub n_circuits: usize,
}

impl<S, D> Alike<'_, S, D> {
    /// The same, circuit by circuit. Nothing is read through the pointers.
    pub(super) fn assignments(&self) -> Result<Vec<Assignment<S>>, ArgumentError> {
        let per_circuit = [
            ("ntt_a_scalars", self.a),
            ("ntt_b_scalars", self.b),
            ("ntt_c_scalars", self.c),
            ("input_assignments", self.inputs),
            ("aux_assignments", self.aux),
        ];
        for (what, pointers) in per_circuit {
            raw::check_count(what, pointers.len(), self.n_circuits)?;
        }
        let (n_inputs, n_aux) = (self.n_inputs, self.n_aux);
        let a_aux_density = raw::density_words("a_aux_density_bv", self.a_aux_density, n_aux)?;
        let b_inp_density = raw::density_words("b_g1_input_density_bv", self.b_input_density, n_inputs)?;
        let b_aux_density = raw::density_words("b_g1_aux_density_bv", self.b_aux_density, n_aux)?;
        let [a_aux_popcount, b_inp_popcount, b_aux_popcount] = self.popcounts;
        let assignment = |circuit: usize| Assignment {
            a_aux_density,
            a_aux_bit_len: n_aux,
            a_aux_popcount,
            b_inp_density,
            b_inp_bit_len: n_inputs,
            b_inp_popcount,
            b_aux_density,
            b_aux_bit_len: n_aux,
            b_aux_popcount,
            a: self.a[circuit],
            b: self.b[circuit],
            c: self.c[circuit],
            abc_size: self.n_rows,
            inp_assignment_data: self.inputs[circuit],
            inp_assignment_size: n_inputs,
            aux_assignment_data: self.aux[circuit],
            aux_assignment_size: n_aux,
        };
        Ok((0..self.n_circuits).map(assignment).collect())
    }
}
