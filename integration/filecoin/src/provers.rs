//! One partition's circuit or several, by either prover, with the same r and s.

use crate::circuit::{FilecoinCircuit, SynthesisClock};
use crate::process;
use anyhow::Result;
use bellperson::groth16::{self as patched, SuprasealParameters};
use bellperson_native::groth16 as native;
use blstrs::{Bls12, Scalar};
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Serialize, Deserialize)]
pub struct Proved {
    /// A, B and C of each partition, compressed
    pub proof: Vec<u8>,
    /// what a process does once for a key; the native prover only maps the file, and reads points while it proves
    pub load_s: f64,
    /// circuits, side by side
    pub synthesis_s: f64,
    pub prove_s: f64,
    /// seconds of a core from synthesis on
    pub cpu_s: f64,
    pub peak_mib: u64,
}

/// bellperson 0.27 over this repository's supraseal-c2.
pub fn ours(params: PathBuf, circuits: Vec<FilecoinCircuit>) -> Result<Proved> {
    let start = Instant::now();
    let key = SuprasealParameters::<Bls12>::new(params)?;
    let (loaded, cpu_s) = (Instant::now(), process::cpu_s());
    let (r, s) = (blindings(3, circuits.len()), blindings(5, circuits.len()));
    let clock = SynthesisClock::start();
    let proofs = patched::create_proof_batch(clock.watch(circuits), &key, r, s)?;
    let (proved, cpu_s) = (Instant::now(), process::cpu_s() - cpu_s);
    let mut proof = Vec::new();
    proofs.iter().try_for_each(|one| one.write(&mut proof))?;
    Proved::new(proof, [start, loaded, clock.last(), proved], cpu_s)
}

/// bellperson 0.26 by itself.
pub fn natively(params: PathBuf, circuits: Vec<FilecoinCircuit>) -> Result<Proved> {
    let start = Instant::now();
    let key = native::Parameters::<Bls12>::build_mapped_parameters(params, false)?;
    let (loaded, cpu_s) = (Instant::now(), process::cpu_s());
    let (r, s) = (blindings(3, circuits.len()), blindings(5, circuits.len()));
    let clock = SynthesisClock::start();
    let proofs = native::create_proof_batch(clock.watch(circuits), &key, r, s)?;
    let (proved, cpu_s) = (Instant::now(), process::cpu_s() - cpu_s);
    let mut proof = Vec::new();
    proofs.iter().try_for_each(|one| one.write(&mut proof))?;
    Proved::new(proof, [start, loaded, clock.last(), proved], cpu_s)
}

impl Proved {
    fn new(proof: Vec<u8>, [start, loaded, synthesized, proved]: [Instant; 4], cpu_s: f64) -> Result<Self> {
        Ok(Proved {
            proof,
            load_s: (loaded - start).as_secs_f64(),
            synthesis_s: (synthesized - loaded).as_secs_f64(),
            prove_s: (proved - synthesized).as_secs_f64(),
            cpu_s,
            peak_mib: process::peak_mib()?,
        })
    }
}

/// A full-size element for each circuit.
fn blindings(seed: u64, n: usize) -> Vec<Scalar> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..n).map(|_| Scalar::random(&mut rng)).collect()
}
