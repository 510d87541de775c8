//! Which steps are run, and what is compared between them.

use crate::kind::Kind;
use crate::parameters::Made;
use crate::provers::Proved;
use crate::step::{Accepted, Shape, Soaked, Step};
use crate::table;
use anyhow::{ensure, Result};
use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

/// All that was measured of one kind.
pub struct Row {
    pub kind: Kind,
    pub shape: Shape,
    /// `None` where a kind before it has the same key
    pub made: Option<Made>,
    pub accepted: Accepted,
    pub ours: Proved,
    pub native: Proved,
}

/// Makes each kind's key and proofs, has them verified and compares them with the native prover's.
pub fn prove(state: &Path, kinds: &[Kind]) -> Result<()> {
    let state = folder(state)?;
    let mut rows: Vec<Row> = Vec::new();
    for &kind in kinds {
        let made = match rows.iter().any(|row| row.kind.key() == kind.key()) {
            true => None,
            false => Some(Step::Parameters.in_child(&state, kind)?),
        };
        let row = Row {
            kind,
            made,
            shape: Step::Shape.in_child(&state, kind)?,
            accepted: Step::Accept.in_child(&state, kind)?,
            ours: Step::Ours.in_child(&state, kind)?,
            native: Step::Native.in_child(&state, kind)?,
        };
        ensure!(
            row.ours.proof == row.native.proof,
            "{kind}: for the same r and s our proof is not bellperson's"
        );
        rows.push(row);
    }
    table::circuits(&rows);
    table::parameters(&rows);
    table::proofs(&rows);
    Ok(())
}

/// What is the same for every kind, on the cheapest ones: after [`prove`] of `winning` and `window-1`, in the same folder.
pub fn behave(state: &Path) -> Result<()> {
    let state = folder(state)?;
    let (one, two) = (Kind::Window { partitions: 1 }, Kind::Window { partitions: 2 });
    let () = Step::BrokenCache.in_child(&state, one)?;
    let n_winning: usize = Step::Priority.in_child(&state, two)?;
    println!("\n{two}, without priority, proved beside winning proofs with priority: {n_winning} of these meanwhile.");
    soaked(&state, two, 10)
}

/// So many proofs of one kind in one process.
pub fn soak(state: &Path, kind: Kind, n_proofs: usize) -> Result<()> {
    let state = folder(state)?;
    let _: Made = Step::Parameters.in_child(&state, kind)?;
    soaked(&state, kind, n_proofs)
}

fn soaked(state: &Path, kind: Kind, n_proofs: usize) -> Result<()> {
    let soaked: Soaked = Step::Soak { n_proofs }.in_child(state, kind)?;
    table::soak(kind, &soaked);
    soaked.check()
}

/// The stack changes folders, so the path has to be whole.
fn folder(state: &Path) -> Result<PathBuf> {
    create_dir_all(state)?;
    Ok(state.canonicalize()?)
}
