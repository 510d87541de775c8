/// One circuit's inputs to a proof, as pointers into the caller's memory.
///
/// The registry crate's fields, in its order: bellperson builds it by name. Elements are in Montgomery form.
/// Densities are bits, least significant first in 64-bit words, as `BitVec<usize, Lsb0>` has them. All of it
/// must stay valid and unchanged until the call that is given this returns; nothing is kept longer.
#[repr(C)]
pub struct Assignment<Scalar> {
    /// which private wires occur in A
    pub a_aux_density: *const usize,
    /// bits of `a_aux_density`: the number of private wires
    pub a_aux_bit_len: usize,
    /// bits set in `a_aux_density`
    pub a_aux_popcount: usize,

    /// which inputs occur in B
    pub b_inp_density: *const usize,
    /// bits of `b_inp_density`: the number of inputs
    pub b_inp_bit_len: usize,
    /// bits set in `b_inp_density`
    pub b_inp_popcount: usize,

    /// which private wires occur in B
    pub b_aux_density: *const usize,
    /// bits of `b_aux_density`: the number of private wires
    pub b_aux_bit_len: usize,
    /// bits set in `b_aux_density`
    pub b_aux_popcount: usize,

    /// A·w for each row: the constraints, then one row for each input
    pub a: *const Scalar,
    /// B·w for each row
    pub b: *const Scalar,
    /// C·w for each row
    pub c: *const Scalar,
    /// rows in each of `a`, `b` and `c`; not padded
    pub abc_size: usize,

    /// ONE and the public inputs
    pub inp_assignment_data: *const Scalar,
    /// elements of `inp_assignment_data`
    pub inp_assignment_size: usize,

    /// the private wires
    pub aux_assignment_data: *const Scalar,
    /// elements of `aux_assignment_data`
    pub aux_assignment_size: usize,
}
