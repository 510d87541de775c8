use super::alike::Alike;
use super::checked::Checked;
use super::failure::{Failure, Reason};
use super::{Assignment, SRS};
use crate::raw;

/// Proves one circuit or many of the same densities: the call of bellperson 0.26.
///
/// The slices of pointers have one for each circuit; everything else is shared by all. Sizes, representation
/// and lifetimes are those of [`Assignment`]. `S` is an element of 32 bytes in Montgomery form, `D` a word of
/// 64 bits, `PR` a proof of 384 bytes: A, B, C, affine in Montgomery form. `proofs` may be uninitialised: it
/// is written, never read, and only after every proof is made. No circuits is no work.
///
/// # Panics
/// Once, with a text that names the circuit and both sizes, or the stage, where anything is amiss: lengths
/// that do not fit each other or the key, a null pointer, a density whose bits are not as many as said, a
/// witness that does not satisfy a row. `proofs` is then untouched.
///
/// # Safety
/// Not an `unsafe fn`, since the registry crate's is not one; it is as unsafe all the same. The caller
/// promises that each pointer is valid for its length.
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
    let circuits = Alike {
        a: ntt_a_scalars,
        b: ntt_b_scalars,
        c: ntt_c_scalars,
        n_rows: ntt_scalars_actual_size,
        inputs: input_assignments,
        aux: aux_assignments,
        n_inputs: input_assignments_size,
        n_aux: aux_assignments_size,
        a_aux_density: a_aux_density_bv,
        b_input_density: b_g1_input_density_bv,
        b_aux_density: b_g1_aux_density_bv,
        popcounts: [
            a_aux_total_density,
            b_g1_input_total_density,
            b_g1_aux_total_density,
        ],
        n_circuits: num_circuits,
    };
    let assignments = circuits.assignments().map_err(Failure::from);
    let done = assignments.and_then(|provers| prove(&provers, r_s, s_s, proofs, srs, None));
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
    if let Err(failure) = prove(provers, r_s, s_s, proofs, srs, None) {
        panic!("supraseal-c2, generate_groth16_proofs: {failure}");
    }
}

/// Everything is checked, then everything is computed, then everything is written.
pub(super) fn prove<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    device: Option<usize>,
) -> Result<(), Failure> {
    let mut out = raw::ProofsOut::new(proofs, provers.len())?;
    // SAFETY: the caller of the public function promises that its pointers are valid for
    // their lengths during the call.
    // The views do not outlive `provers`, which is borrowed for the call.
    let checked = unsafe { Checked::new(provers, r_s, s_s, srs, device) }?;
    let made = checked
        .backend
        .prove_scoped(checked.srs, &checked.circuits, &checked.blindings)
        .map_err(Reason::Proof)?;
    raw::check_count("proofs made", made.len(), provers.len())?;
    out.write(&made);
    Ok(())
}
