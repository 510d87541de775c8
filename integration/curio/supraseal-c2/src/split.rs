//! A proof in two calls.

use crate::handles::Handles;
use crate::{gpu_mutex, SRS};
use core::ffi::c_void;
use ours::split::{Alike, Started};

static PENDING: Handles<Started> = Handles::new();

/// Starts the proofs of one circuit or many, and returns a handle while they are computed.
///
/// When this returns, everything is checked and copied: the caller's vectors and its handle of the key may
/// go, whatever becomes of the proofs. The copy is 64 bytes a row and 32 a wire, and goes with the proof. The
/// proofs run on a thread of their own, on the CPU in rayon's global pool. Give the handle, once, to
/// [`finish_groth16_proof`] or [`drop_pending_proof`], on any thread.
///
/// # Panics
/// As [`generate_groth16_proof`](crate::generate_groth16_proof), for all that is wrong with the arguments.
/// Nothing is started then, and there is no handle to drop.
///
/// # Safety
/// Not an `unsafe fn`, since the fork's is not one. The caller promises that each pointer to scalars is valid
/// for its length until this returns.
#[allow(clippy::too_many_arguments)]
#[track_caller]
pub fn start_groth16_proof<S, D>(
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
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> *mut c_void {
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
    let started = gpu_mutex::device(gpu_mtx, gpu_index).and_then(|device| {
        // SAFETY: this function's caller promises that its pointers are valid for
        // their lengths until it returns.
        unsafe { Started::new(&circuits, r_s, s_s, srs, device) }.map_err(|failure| failure.to_string())
    });
    match started {
        Ok(started) => PENDING.give(started),
        Err(text) => panic!("supraseal-c2, start_groth16_proof: {text}"),
    }
}

/// Waits for the proofs of a handle and writes them, which ends the handle, whether that succeeds or panics.
///
/// `PR` is a proof of 384 bytes, as in `generate_groth16_proof`; `proofs` may be uninitialised, and is
/// written only after every proof is made.
///
/// # Panics
/// If the handle is null, of another kind, or ended already; if there is not exactly one place for each
/// proof; if a proof could not be made.
#[track_caller]
pub fn finish_groth16_proof<PR>(handle: *mut c_void, proofs: &mut [PR]) {
    let Some(started) = PENDING.take(handle) else {
        panic!(
            "supraseal-c2, finish_groth16_proof: {handle:?} is no pending proof: start_groth16_proof never gave it, \
             or it is finished or dropped already"
        );
    };
    if let Err(failure) = started.finish(proofs) {
        panic!("supraseal-c2, finish_groth16_proof: {failure}");
    }
}

/// Gives up the proofs of a handle: returns when nothing of them runs any more.
///
/// A handle that has ended is let pass, as is null: the fork's callers drop a handle in a destructor that
/// also runs when [`finish_groth16_proof`] has panicked.
///
/// # Safety
/// `unsafe` as the fork's is. There is nothing that a caller could break.
pub unsafe fn drop_pending_proof(handle: *mut c_void) {
    drop(PENDING.take(handle));
}
