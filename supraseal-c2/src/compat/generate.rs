use super::{Assignment, SRS};
use crate::raw::{self, ArgumentError};
use groth16_core::{Blinding, Error as CoreError};

/// Why no proof was made.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error("the SRS is the default one, which holds no parameters: load some with SRS::try_new")]
    EmptySrs,
    #[error("circuit {circuit}: {source}")]
    Circuit { circuit: usize, source: CoreError },
    #[error("{0}")]
    Proof(CoreError),
}

/// Proves one circuit or many of the same densities: the call of bellperson 0.26.
///
/// The slices of pointers have one for each circuit; everything else is shared by all. Sizes, representation and
/// lifetimes are those of [`Assignment`]. `S` is an element of 32 bytes in Montgomery form, `D` a word of 64 bits, `PR`
/// a proof of 384 bytes: A, B, C, affine in Montgomery form. `proofs` may be uninitialised: it is written, never
/// read, and only after every proof is made. No circuits is no work.
///
/// # Panics
/// Once, with a text that names the circuit and both sizes, or the stage, where anything is amiss: lengths that do not
/// fit each other or the key, a null pointer, a density whose bits are not as many as said, a witness that does not
/// satisfy a row. `proofs` is then untouched.
///
/// # Safety
/// Not an `unsafe fn`, since the registry crate's is not one; it is as unsafe all the same. The caller promises that each
/// pointer is valid for its length.
#[allow(clippy::too_many_arguments)]
#[track_caller]
pub fn generate_groth16_proof<S, D, PR>(
    ntt_a_scalars: &[*const S],
    ntt_b_scalars: &[*const S],
    ntt_c_scalars: &[*const S],
    ntt_scalars_actual_size: usize,
    input_assignments: &[*const S],
    aux_assignments: &[*const S],
    input_assignments_size: usize,
    aux_assignments_size: usize,
    a_aux_density_bv: &[D],
    b_g1_input_density_bv: &[D],
    b_g1_aux_density_bv: &[D],
    a_aux_total_density: usize,
    b_g1_input_total_density: usize,
    b_g1_aux_total_density: usize,
    num_circuits: usize,
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
) {
    let per_circuit = [
        ("ntt_a_scalars", ntt_a_scalars),
        ("ntt_b_scalars", ntt_b_scalars),
        ("ntt_c_scalars", ntt_c_scalars),
        ("input_assignments", input_assignments),
        ("aux_assignments", aux_assignments),
    ];
    let assignments = || {
        for (what, pointers) in per_circuit {
            raw::check_count(what, pointers.len(), num_circuits)?;
        }
        let (n_inputs, n_aux) = (input_assignments_size, aux_assignments_size);
        let a_aux_density = raw::density_words("a_aux_density_bv", a_aux_density_bv, n_aux)?;
        let b_inp_density = raw::density_words("b_g1_input_density_bv", b_g1_input_density_bv, n_inputs)?;
        let b_aux_density = raw::density_words("b_g1_aux_density_bv", b_g1_aux_density_bv, n_aux)?;
        let assignment = |circuit: usize| Assignment {
            a_aux_density,
            a_aux_bit_len: n_aux,
            a_aux_popcount: a_aux_total_density,
            b_inp_density,
            b_inp_bit_len: n_inputs,
            b_inp_popcount: b_g1_input_total_density,
            b_aux_density,
            b_aux_bit_len: n_aux,
            b_aux_popcount: b_g1_aux_total_density,
            a: ntt_a_scalars[circuit],
            b: ntt_b_scalars[circuit],
            c: ntt_c_scalars[circuit],
            abc_size: ntt_scalars_actual_size,
            inp_assignment_data: input_assignments[circuit],
            inp_assignment_size: n_inputs,
            aux_assignment_data: aux_assignments[circuit],
            aux_assignment_size: n_aux,
        };
        Ok((0..num_circuits).map(assignment).collect::<Vec<_>>())
    };
    let done = assignments().and_then(|provers| prove(&provers, r_s, s_s, proofs, srs));
    if let Err(failure) = done {
        panic!("supraseal-c2, generate_groth16_proof: {failure}");
    }
}

/// Proves circuits of one key, each with its own densities: the call of bellperson 0.27.
///
/// As [`generate_groth16_proof`] in all else.
///
/// # Panics
/// As [`generate_groth16_proof`].
///
/// # Safety
/// As [`generate_groth16_proof`].
#[track_caller]
pub fn generate_groth16_proofs<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
) {
    if let Err(failure) = prove(provers, r_s, s_s, proofs, srs) {
        panic!("supraseal-c2, generate_groth16_proofs: {failure}");
    }
}

/// Everything is checked, then everything is computed, then everything is written.
fn prove<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
) -> Result<(), Failure> {
    raw::check_count("r_s", r_s.len(), provers.len())?;
    raw::check_count("s_s", s_s.len(), provers.len())?;
    let mut out = raw::ProofsOut::new(proofs, provers.len())?;
    let (backend, srs) = srs.get().ok_or(Failure::EmptySrs)?;

    let counts = srs.counts();
    let mut circuits = Vec::with_capacity(provers.len());
    for (circuit, prover) in provers.iter().enumerate() {
        // SAFETY: the caller of the public function promises that its pointers are valid for their lengths during the
        // call. The views do not outlive `provers`, which is borrowed for the call.
        let (assignment, c) = unsafe { raw::view(circuit, prover) }?;
        let in_circuit = |source| Failure::Circuit { circuit, source };
        assignment.check(&counts).map_err(in_circuit)?;
        // The backends have no other use for c, and a proof of such rows would be wrong without a sign of it.
        assignment.check_c(c).map_err(in_circuit)?;
        circuits.push(assignment);
    }
    let r_s = raw::elements("r_s", r_s)?;
    let s_s = raw::elements("s_s", s_s)?;
    let blindings: Vec<_> = r_s.zip(s_s).map(|(r, s)| Blinding { r, s }).collect();

    let made = backend
        .prove_scoped(srs, &circuits, &blindings)
        .map_err(Failure::Proof)?;
    raw::check_count("proofs made", made.len(), provers.len())?;
    out.write(&made);
    Ok(())
}
