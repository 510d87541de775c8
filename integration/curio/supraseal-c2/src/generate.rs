use crate::{gpu_mutex, SRS};
use core::ffi::c_void;

/// Proves one circuit or many of the same densities, in one call.
///
/// As the function of the same name below, with two arguments more, which are checked and choose nothing: see
/// [`alloc_gpu_mutex`](crate::alloc_gpu_mutex) for `gpu_mtx`, which may be null,
/// and the README for `gpu_index`.
///
/// # Panics
/// As [`ours::generate_groth16_proof`], and if `gpu_mtx` is neither null nor a live
/// handle or `gpu_index` is below -1.
///
/// # Safety
/// As [`ours::generate_groth16_proof`]: the pointers to scalars are valid for their lengths.
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
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) {
    if let Err(text) = gpu_mutex::check(gpu_mtx, gpu_index) {
        panic!("supraseal-c2, generate_groth16_proof: {text}");
    }
    ours::generate_groth16_proof(
        ntt_a_scalars,
        ntt_b_scalars,
        ntt_c_scalars,
        ntt_scalars_actual_size,
        input_assignments,
        aux_assignments,
        input_assignments_size,
        aux_assignments_size,
        a_aux_density_bv,
        b_g1_input_density_bv,
        b_g1_aux_density_bv,
        a_aux_total_density,
        b_g1_input_total_density,
        b_g1_aux_total_density,
        num_circuits,
        r_s,
        s_s,
        proofs,
        srs,
    );
}
