//! The toy circuits of `vectors/cases`, as a caller's memory, and proofs of them by both entry points.

#![allow(dead_code, unreachable_pub)] // each test file uses its part

use blstrs::Scalar;
use ff::Field;
use groth16_core::{DensityBits, Proof, R1cs};
use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;
use supraseal_c2::{generate_groth16_proof, generate_groth16_proofs, Assignment, SRS};

/// One circuit's values and densities, as bellperson holds them.
#[derive(Clone)]
pub struct Witness {
    pub a: Vec<Scalar>,
    pub b: Vec<Scalar>,
    pub c: Vec<Scalar>,
    pub inputs: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub a_aux_density: Vec<usize>,
    pub b_inp_density: Vec<usize>,
    pub b_aux_density: Vec<usize>,
}

fn popcount(words: &[usize]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

fn scalars(values: &[u64]) -> Vec<Scalar> {
    values.iter().map(|value| Scalar::from(*value)).collect()
}

/// x·y = z with z public: wires ONE, z, x, y.
pub fn mul(x: u64, y: u64) -> Witness {
    Witness {
        a: scalars(&[x, 1, x * y]),
        b: scalars(&[y, 0, 0]),
        c: scalars(&[x * y, 0, 0]),
        inputs: scalars(&[1, x * y]),
        aux: scalars(&[x, y]),
        a_aux_density: vec![0b01],
        b_inp_density: vec![0b00],
        b_aux_density: vec![0b10],
    }
}

/// x·p1 = w and w·(3·p2 + 1) = 6·p1 for p1 = 2, p2 = 1, x = 3/2, w = 3: wires ONE, p1, p2, x, w.
pub fn binp() -> Witness {
    let x = Scalar::from(3) * Scalar::from(2).invert().unwrap();
    Witness {
        a: [vec![x], scalars(&[3, 1, 2, 1])].concat(),
        b: scalars(&[2, 4, 0, 0, 0]),
        c: scalars(&[3, 12, 0, 0, 0]),
        inputs: scalars(&[1, 2, 1]),
        aux: vec![x, Scalar::from(3)],
        a_aux_density: vec![0b11],
        b_inp_density: vec![0b111],
        b_aux_density: vec![0b00],
    }
}

/// A circuit of any size; `witness` has ONE, the public inputs and the private wires.
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
        a_aux_density: words(&densities.a_aux),
        b_inp_density: words(&densities.b_input),
        b_aux_density: words(&densities.b_aux),
    }
}

impl Witness {
    /// What bellperson 0.27 makes of it.
    pub fn assignment(&self) -> Assignment<Scalar> {
        Assignment {
            a_aux_density: self.a_aux_density.as_ptr(),
            a_aux_bit_len: self.aux.len(),
            a_aux_popcount: popcount(&self.a_aux_density),
            b_inp_density: self.b_inp_density.as_ptr(),
            b_inp_bit_len: self.inputs.len(),
            b_inp_popcount: popcount(&self.b_inp_density),
            b_aux_density: self.b_aux_density.as_ptr(),
            b_aux_bit_len: self.aux.len(),
            b_aux_popcount: popcount(&self.b_aux_density),
            a: self.a.as_ptr(),
            b: self.b.as_ptr(),
            c: self.c.as_ptr(),
            abc_size: self.a.len(),
            inp_assignment_data: self.inputs.as_ptr(),
            inp_assignment_size: self.inputs.len(),
            aux_assignment_data: self.aux.as_ptr(),
            aux_assignment_size: self.aux.len(),
        }
    }
}

/// By `generate_groth16_proofs`, into uninitialised memory.
pub fn prove_each(witnesses: &[Witness], r: &[u64], s: &[u64], srs: &SRS) -> Vec<Vec<u8>> {
    let provers: Vec<_> = witnesses.iter().map(Witness::assignment).collect();
    let mut proofs = uninitialised(witnesses.len());
    generate_groth16_proofs(&provers, &scalars(r), &scalars(s), &mut proofs, srs);
    encoded(proofs)
}

/// By `generate_groth16_proof`, the first circuit's densities for all, into uninitialised memory.
pub fn prove_alike(witnesses: &[Witness], r: &[u64], s: &[u64], srs: &SRS) -> Vec<Vec<u8>> {
    let mut proofs = uninitialised(witnesses.len());
    let pointers = |vector: fn(&Witness) -> &Vec<Scalar>| -> Vec<*const Scalar> {
        witnesses.iter().map(|w| vector(w).as_ptr()).collect()
    };
    let first = &witnesses[0];
    generate_groth16_proof(
        &pointers(|w| &w.a),
        &pointers(|w| &w.b),
        &pointers(|w| &w.c),
        first.a.len(),
        &pointers(|w| &w.inputs),
        &pointers(|w| &w.aux),
        first.inputs.len(),
        first.aux.len(),
        &first.a_aux_density,
        &first.b_inp_density,
        &first.b_aux_density,
        popcount(&first.a_aux_density),
        popcount(&first.b_inp_density),
        popcount(&first.b_aux_density),
        witnesses.len(),
        &scalars(r),
        &scalars(s),
        &mut proofs,
        srs,
    );
    encoded(proofs)
}

fn uninitialised(n: usize) -> Vec<MaybeUninit<Proof>> {
    (0..n).map(|_| MaybeUninit::uninit()).collect()
}

fn encoded(proofs: Vec<MaybeUninit<Proof>>) -> Vec<Vec<u8>> {
    // SAFETY: the call returned, so every proof was written.
    let proofs = proofs.iter().map(|proof| unsafe { proof.assume_init_ref() });
    proofs.map(|proof| proof.to_bytes().to_vec()).collect()
}

pub fn load(name: &str) -> SRS {
    SRS::try_new(vector_path(name), false).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[allow(unused_imports)] // each test file uses its part
pub use backend_tests::toy::{vector_hex, vector_path};

/// Runs `f`, which must panic, and returns the panic's text.
pub fn panic_text<T>(f: impl FnOnce() -> T) -> String {
    let payload: Box<dyn Any + Send> = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("no panic"),
        Err(payload) => payload,
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().unwrap().to_string(),
    }
}

/// Runs `f` on a thread and fails if it takes longer than two minutes, as a dead-lock does.
pub fn with_watchdog(f: impl FnOnce() + Send + 'static) {
    let (done, wait) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    match wait.recv_timeout(Duration::from_secs(120)) {
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("not done after 120 s"),
        // Done, or the sender went away in a panic, which joining shows.
        _ => thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}
