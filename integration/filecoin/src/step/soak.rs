use super::accept::check;
use crate::kind::Kind;
use crate::parameters::params_path;
use crate::process::Held;
use crate::work::Work;
use anyhow::{ensure, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::time::Instant;

#[derive(Serialize, Deserialize)]
pub struct Soaked {
    /// seconds of each proof, and what the process held after it
    pub proofs: Vec<(f64, Held)>,
    /// the values of all private wires of one proof
    pub witness_kib: u64,
}

/// What the allocator may keep for itself of freed memory, in pieces too small to give back.
const FRAGMENTS_KIB: u64 = 16 * 1024;

/// Proofs one after the other in one process, each verified.
pub(super) fn run(kind: Kind, work: &dyn Work, n_proofs: usize) -> Result<Soaked> {
    let shape = super::shape::run(work)?;
    let witness_kib = (shape.n_partitions * shape.n_aux * 32 / 1024) as u64;
    let path = params_path(kind)?;
    let hidden = path.with_extension("hidden");
    let mut proofs = Vec::with_capacity(n_proofs);
    for i in 0..n_proofs {
        let start = Instant::now();
        let proof = work.prove()?;
        let seconds = start.elapsed().as_secs_f64();
        check(work, &proof)?;
        drop(proof);
        eprintln!("{kind}: proof {} of {n_proofs}", i + 1);
        proofs.push((seconds, Held::now()?));
        if i == 0 {
            // The stack keeps the key in memory, and we keep it there whatever becomes of its file.
            fs::rename(&path, &hidden)?;
        }
    }
    fs::rename(&hidden, &path)?;
    Ok(Soaked { proofs, witness_kib })
}

impl Soaked {
    /// The first two proofs may set up what stays: the key, pools, the stack's own caches. From then on threads and files
    /// are as many, and memory grows by less than one witness, however many proofs are made.
    pub fn check(&self) -> Result<()> {
        ensure!(self.proofs.len() > 2, "growth shows from the third proof on");
        let (_, before) = self.proofs[1];
        for (i, (_, after)) in self.proofs.iter().enumerate().skip(2) {
            ensure!(
                (after.threads, after.files) == (before.threads, before.files),
                "after proof {}: {} threads and {} files, {} and {} after proof 2",
                i + 1,
                after.threads,
                after.files,
                before.threads,
                before.files
            );
        }
        let (_, last) = self.proofs[self.proofs.len() - 1];
        for (what, before_kib, last_kib, allowed_kib) in [
            ("allocated", before.heap_kib, last.heap_kib, self.witness_kib),
            (
                "resident",
                before.anonymous_kib,
                last.anonymous_kib,
                self.witness_kib + FRAGMENTS_KIB,
            ),
        ] {
            ensure!(
                last_kib < before_kib + allowed_kib,
                "{last_kib} KiB {what} after proof {}, {before_kib} KiB after proof 2; {allowed_kib} KiB more would pass",
                self.proofs.len()
            );
        }
        Ok(())
    }
}
