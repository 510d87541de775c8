//! A proof under way as a value, in the manner of a caller that wraps the raw handle: the proof's inputs are
//! gone when it exists, it may go to another thread, and it is dropped on whatever path its owner takes.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::null_mut;
use supraseal_c2::{alloc_gpu_mutex, drop_pending_proof, finish_groth16_proof, free_gpu_mutex};
use supraseal_c2::{start_groth16_proof, SRS};

/// What workers that share a device share.
pub struct GpuMutex(*mut c_void);

// SAFETY: the handle is opaque, and the functions that take it may be called on any thread.
unsafe impl Send for GpuMutex {}
// SAFETY: as above.
unsafe impl Sync for GpuMutex {}

impl GpuMutex {
    #[allow(clippy::new_without_default, missing_docs)]
    pub fn new() -> Self {
        GpuMutex(alloc_gpu_mutex())
    }
}

impl Drop for GpuMutex {
    fn drop(&mut self) {
        // SAFETY: the handle is of `alloc_gpu_mutex` and is freed here alone.
        unsafe { free_gpu_mutex(self.0) }
    }
}

/// One circuit, given away.
pub struct Circuit<S> {
    /// A·w, B·w, C·w
    pub rows: [Vec<S>; 3],
    /// ONE and the public inputs
    pub inputs: Vec<S>,
    /// the private wires
    pub aux: Vec<S>,
    /// private wires in A, inputs in B, private wires in B, each with its number of bits set
    pub densities: [(Vec<usize>, usize); 3],
}

/// A proof under way.
pub struct Pending(*mut c_void);

// SAFETY: as for `GpuMutex`.
unsafe impl Send for Pending {}

impl Pending {
    /// Starts the proof and frees its inputs.
    ///
    /// # Panics
    /// If the rows are not of one length, as the call has one length for all three;
    /// and as [`start_groth16_proof`].
    pub fn start<S>(circuit: Circuit<S>, r: S, s: S, srs: &SRS, mutex: &GpuMutex, gpu: i32) -> Self {
        let [a, b, c] = &circuit.rows;
        let lens = circuit.rows.each_ref().map(Vec::len);
        assert!(
            lens.iter().all(|len| *len == a.len()),
            "rows of A, B, C: {lens:?}"
        );
        let [a_aux, b_input, b_aux] = &circuit.densities;
        Pending(start_groth16_proof(
            &[a.as_ptr()],
            &[b.as_ptr()],
            &[c.as_ptr()],
            a.len(),
            &[circuit.inputs.as_ptr()],
            &[circuit.aux.as_ptr()],
            circuit.inputs.len(),
            circuit.aux.len(),
            &a_aux.0,
            &b_input.0,
            &b_aux.0,
            a_aux.1,
            b_input.1,
            b_aux.1,
            1,
            &[r],
            &[s],
            srs,
            mutex.0,
            gpu,
        ))
    }

    /// Waits for the proof. Its destructor runs whether this returns or panics.
    ///
    /// # Safety
    /// `PR` is a proof as the library lays it out.
    pub unsafe fn finish<PR>(mut self) -> PR {
        let mut proof = [MaybeUninit::<PR>::uninit()];
        finish_groth16_proof(self.0, &mut proof);
        self.0 = null_mut();
        let [proof] = proof;
        // SAFETY: the call returned, so it was written, as what the caller says it is.
        unsafe { proof.assume_init() }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // SAFETY: the handle is null, of `start_groth16_proof`, or has ended, each
        // of which the library lets pass.
        unsafe { drop_pending_proof(self.0) }
    }
}
