use crate::log;
use crate::work::{Statement, Work};
use anyhow::{ensure, Context, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

#[derive(Serialize, Deserialize)]
pub struct Accepted {
    /// in words, as supraseal-c2 logged it
    pub proofs_run_on: String,
    pub proof_bytes: usize,
    /// the stack's call, the first in its process: it loads the key, and checks what it made
    pub first_s: f64,
    /// the call again, the key in memory
    pub second_s: f64,
    pub peak_mib: u64,
}

pub(super) fn run(work: &dyn Work) -> Result<Accepted> {
    let start = Instant::now();
    let first = work.prove()?;
    let made_first = Instant::now();
    let second = work.prove()?;
    let made_second = Instant::now();
    let peak_mib = crate::process::peak_mib()?;
    check(work, &first)?;
    check(work, &second)?;
    // r and s are drawn for each proof.
    ensure!(first != second, "two proofs have the same bytes");
    Ok(Accepted {
        proofs_run_on: log::proofs_run_on().context("supraseal-c2 did not say what proves")?,
        proof_bytes: first.len(),
        first_s: (made_first - start).as_secs_f64(),
        second_s: (made_second - made_first).as_secs_f64(),
        peak_mib,
    })
}

/// The stack's verifier accepts the proof, and neither accepts it for anything else nor a damaged one.
pub(super) fn check(work: &dyn Work, proof: &[u8]) -> Result<()> {
    ensure!(
        work.verify(proof, Statement::Own)?,
        "filecoin-proofs does not accept the proof"
    );
    ensure!(
        !work.verify(proof, Statement::Other)?,
        "filecoin-proofs accepts the proof for another statement"
    );
    // The sign of the last partition's A: still a point of the group, so the pairing has to find it.
    let mut damaged = proof.to_vec();
    let last = damaged.len() - 192;
    damaged[last] ^= 0x20;
    ensure!(
        !work.verify(&damaged, Statement::Own)?,
        "filecoin-proofs accepts a proof with A negated"
    );
    Ok(())
}
