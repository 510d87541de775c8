use crate::{gpu_mutex, SRS};
use core::ffi::c_void;
use ours::split::{self, Alike};

/// Proves one circuit or many of the same densities, in one call.
///
/// As the function of the same name below, with two arguments more. `gpu_mtx`, which may be null, is checked and
/// chooses nothing: see [`alloc_gpu_mutex`](crate::alloc_gpu_mutex). `gpu_index` is the device that proves, or -1
/// for any.
///
/// # Panics
/// As [`ours::generate_groth16_proof`], and if `gpu_mtx` is neither null nor a live
/// handle or `gpu_index` is neither -1 nor that of a device.
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
    let done = gpu_mutex::device(gpu_mtx, gpu_index).and_then(|device| {
        // SAFETY: this function's caller promises that its pointers are valid for
        // their lengths until it returns.
        unsafe { split::prove(&circuits, r_s, s_s, proofs, srs, device) }
            .map_err(|failure| failure.to_string())
    });
    if let Err(text) = done {
        panic!("supraseal-c2, generate_groth16_proof: {text}");
    }
}
