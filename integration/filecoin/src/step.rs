//! What is done in a process of its own, and what it reports.

mod accept;
mod broken_cache;
mod priority;
mod shape;
mod soak;

use crate::kind::Kind;
use crate::provers;
use crate::{device, log, parameters};
use anyhow::{ensure, Context, Result};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::fmt;
use std::fs::{create_dir_all, remove_dir_all};
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

pub use accept::Accepted;
pub use shape::Shape;
pub use soak::Soaked;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// synthesizes and counts
    Shape,
    /// makes the key
    Parameters,
    /// an unfinished download among the parameters, then the right file
    BrokenCache,
    /// the stack proves through us and verifies
    Accept,
    /// our proof for fixed r and s
    Ours,
    /// the native prover's for the same
    Native,
    /// beside proofs with priority that keep coming
    Priority,
    /// so many proofs, one after the other
    Soak { n_proofs: usize },
}

/// But for [`Step::Soak`], whose name ends with its number.
const NAMES: [(&str, Step); 7] = [
    ("shape", Step::Shape),
    ("parameters", Step::Parameters),
    ("broken-cache", Step::BrokenCache),
    ("accept", Step::Accept),
    ("ours", Step::Ours),
    ("native", Step::Native),
    ("priority", Step::Priority),
];

impl Step {
    /// Runs the step in a process of its own, within `state`.
    pub fn in_child<T: DeserializeOwned>(self, state: &Path, kind: Kind) -> Result<T> {
        eprintln!("{kind}: {self}");
        let temporary = state.join("tmp");
        create_dir_all(&temporary)?;
        let parameters = match self {
            Step::BrokenCache => state.join("broken-parameters"),
            _ => state.join("parameters"),
        };
        let mut command = Command::new(std::env::current_exe()?);
        // The stack's settings, and those of whoever runs this must not reach it. It reads a file in its folder too.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FIL_PROOFS_") {
                command.env_remove(name);
            }
        }
        command
            .env("FIL_PROOFS_PARAMETER_CACHE", parameters)
            .env("FIL_PROOFS_PARENT_CACHE", state.join("parents"))
            .env("FIL_PROOFS_CACHE_DIR", state)
            .env("TMPDIR", temporary)
            .current_dir(state)
            .arg(state)
            .args(["step", &self.to_string(), &kind.to_string()])
            .stdout(Stdio::piped());
        if let Step::Soak { .. } = self {
            // A thread's stack and lists of free memory fill over many proofs, those of 32 threads over hundreds. What each
            // proof leaves behind is to be seen.
            command.env("RAYON_NUM_THREADS", "2");
        }
        let output = command.spawn()?.wait_with_output()?;
        ensure!(output.status.success(), "{kind}, {self}: {}", output.status);
        serde_json::from_slice(&output.stdout).with_context(|| format!("what {kind}, {self} printed"))
    }

    /// Runs the step in this process and prints its record.
    pub fn run(self, state: &Path, kind: Kind) -> Result<()> {
        log::listen();
        let folder = state.join(format!("{kind}-{self}"));
        if folder.exists() {
            // Of a run that failed.
            remove_dir_all(&folder)?;
        }
        create_dir_all(&folder)?;
        match self {
            Step::Shape => print(&shape::run(&*kind.prepare(&folder)?)?)?,
            Step::Parameters => print(&parameters::make(kind)?)?,
            Step::BrokenCache => print(&broken_cache::run(state, kind, &*kind.prepare(&folder)?)?)?,
            Step::Accept => print(&accept::run(&*kind.prepare(&folder)?)?)?,
            Step::Ours => {
                let work = kind.prepare(&folder)?;
                let proved = provers::ours(parameters::params_path(kind)?, work.circuits()?)?;
                accept::check(&*work, &proved.proof)?;
                print(&proved)?
            }
            Step::Native => {
                let work = kind.prepare(&folder)?;
                print(&provers::natively(
                    parameters::params_path(kind)?,
                    work.circuits()?,
                )?)?
            }
            Step::Priority => print(&priority::run(&folder, kind)?)?,
            Step::Soak { n_proofs } => print(&soak::run(kind, &*kind.prepare(&folder)?, n_proofs)?)?,
        }
        device::check()?;
        Ok(remove_dir_all(folder)?)
    }
}

fn print(record: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(record)?);
    Ok(())
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Soak { n_proofs } => write!(f, "soak-{n_proofs}"),
            step => {
                let (name, _) = NAMES
                    .iter()
                    .find(|(_, of)| of == step)
                    .expect("every other step has a name");
                f.write_str(name)
            }
        }
    }
}

impl FromStr for Step {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(n) = text.strip_prefix("soak-") {
            return Ok(Step::Soak { n_proofs: n.parse()? });
        }
        let found = NAMES.iter().find(|(name, _)| *name == text);
        Ok(found.with_context(|| format!("no step is called {text:?}"))?.1)
    }
}
