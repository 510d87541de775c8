//! Circuits as a caller's memory, and the calls on them.

#![allow(dead_code, unreachable_pub)] // each test file uses its part

use backend_tests::toy;
use blstrs::Scalar;
use core::ffi::c_void;
use core::ptr::null_mut;
use groth16_core::{DensityBits, Proof, R1cs};
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};
use supraseal_c2::{finish_groth16_proof, generate_groth16_proof, start_groth16_proof, SRS};

#[allow(unused_imports)] // each test file uses its part
pub use backend_tests::toy::{vector_hex, vector_path};

/// One circuit's values and densities, as bellperson holds them.
#[derive(Clone)]
pub struct Witness {
    pub a: Vec<Scalar>,
    pub b: Vec<Scalar>,
    pub c: Vec<Scalar>,
    pub inputs: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    /// private wires in A, inputs in B, private wires in B
    pub densities: [Vec<usize>; 3],
}

/// `witness` has ONE, the public inputs and the private wires.
pub fn of_r1cs(r1cs: &R1cs, witness: &[Scalar]) -> Witness {
    let rows = r1cs.evaluate(witness).unwrap();
    let c = rows.a.iter().zip(&rows.b).map(|(a, b)| a * b).collect();
    let (inputs, aux) = witness.split_at(r1cs.n_inputs());
    let densities = r1cs.densities();
    let words = |bits: &DensityBits| bits.as_density().words().iter().map(|w| *w as usize).collect();
    Witness {
        a: rows.a,
        b: rows.b,
        c,
        inputs: inputs.to_vec(),
        aux: aux.to_vec(),
        densities: [&densities.a_aux, &densities.b_input, &densities.b_aux].map(words),
    }
}

/// x·y = z with z public.
pub fn mul(x: u64, y: u64) -> Witness {
    of_r1cs(&toy::mul(), &toy::elements(&[1, x * y, x, y]))
}

pub fn load(name: &str) -> SRS {
    SRS::try_new(vector_path(name), false).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The arguments that a call gets besides circuits and key.
#[derive(Clone, Copy)]
pub struct Gpu {
    pub mutex: *mut c_void,
    pub index: i32,
}

/// As callers say that they have no wishes.
pub const ANY: Gpu = Gpu {
    mutex: null_mut(),
    index: -1,
};

macro_rules! call {
    ($function:ident, $witnesses:expr, $r:expr, $s:expr, [$($proofs:expr)?], $srs:expr, $gpu:expr) => {{
        let pointers = |vector: fn(&Witness) -> &Vec<Scalar>| -> Vec<*const Scalar> {
            $witnesses.iter().map(|w| vector(w).as_ptr()).collect()
        };
        let first = &$witnesses[0];
        let popcount =
            |i: usize| first.densities[i].iter().map(|word| word.count_ones() as usize).sum::<usize>();
        $function(
            &pointers(|w| &w.a),
            &pointers(|w| &w.b),
            &pointers(|w| &w.c),
            first.a.len(),
            &pointers(|w| &w.inputs),
            &pointers(|w| &w.aux),
            first.inputs.len(),
            first.aux.len(),
            &first.densities[0],
            &first.densities[1],
            &first.densities[2],
            popcount(0),
            popcount(1),
            popcount(2),
            $witnesses.len(),
            &toy::elements($r),
            &toy::elements($s),
            $($proofs,)?
            $srs,
            $gpu.mutex,
            $gpu.index,
        )
    }};
}

pub fn start(witnesses: &[Witness], r: &[u64], s: &[u64], srs: &SRS, gpu: Gpu) -> *mut c_void {
    call!(start_groth16_proof, witnesses, r, s, [], srs, gpu)
}

/// In one call, into uninitialised memory.
pub fn prove(witnesses: &[Witness], r: &[u64], s: &[u64], srs: &SRS, gpu: Gpu) -> Vec<Vec<u8>> {
    let mut proofs = uninitialised(witnesses.len());
    call!(generate_groth16_proof, witnesses, r, s, [&mut proofs], srs, gpu);
    encoded(proofs)
}

/// Into uninitialised memory.
pub fn finish(handle: *mut c_void, n_proofs: usize) -> Vec<Vec<u8>> {
    let mut proofs = uninitialised(n_proofs);
    finish_groth16_proof(handle, &mut proofs);
    encoded(proofs)
}

/// What `drop_pending_proof` asks no more than its own promise for.
pub fn give_up(handle: *mut c_void) {
    // SAFETY: the function's own note says that no argument can break anything.
    unsafe { supraseal_c2::drop_pending_proof(handle) }
}

pub fn free_mutex(handle: *mut c_void) {
    // SAFETY: the function's own note says that no argument can break anything.
    unsafe { supraseal_c2::free_gpu_mutex(handle) }
}

fn uninitialised(n: usize) -> Vec<MaybeUninit<Proof>> {
    (0..n).map(|_| MaybeUninit::uninit()).collect()
}

fn encoded(proofs: Vec<MaybeUninit<Proof>>) -> Vec<Vec<u8>> {
    // SAFETY: the call returned, so every proof was written.
    let proofs = proofs.iter().map(|proof| unsafe { proof.assume_init_ref() });
    proofs.map(|proof| proof.to_bytes().to_vec()).collect()
}

/// Runs `f`, which must panic, and returns the panic's text.
pub fn panic_text<T>(f: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("no panic"),
        Err(payload) => *payload.downcast::<String>().unwrap(),
    }
}

/// A handle that may go to another thread, as Curio's wrapper of it may.
#[derive(Clone, Copy)]
pub struct Sendable(pub *mut c_void);
// SAFETY: a handle is an opaque number, and the functions that take it may be called on any thread.
unsafe impl Send for Sendable {}
// SAFETY: as above.
unsafe impl Sync for Sendable {}

impl Sendable {
    /// A method, so that closures capture the whole.
    pub fn get(self) -> *mut c_void {
        self.0
    }
}
