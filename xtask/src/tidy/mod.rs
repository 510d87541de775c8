//! Checks of what the compiler does not see. Each returns its findings; one run prints them all.

use std::path::PathBuf;

use crate::metadata::Metadata;
use crate::util::tracked_files;
use crate::Result;

mod arrows;
mod compat;
mod documents;
mod includes;
mod licences;
mod manifests;
mod spdx;
mod words;

pub(crate) use documents::TEST_COMMAND;
pub(crate) use manifests::LICENCE_FILES;

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Repair what can be repaired by a machine: missing links to the licence texts
    #[arg(long)]
    fix: bool,
}

/// What the checks look at, read once.
pub(crate) struct Tree {
    /// The workspace's packages without their dependencies.
    pub(crate) workspace: Metadata,
    /// The whole dependency graph.
    pub(crate) full: Metadata,
    /// Files of the repository, relative to its root.
    pub(crate) files: Vec<PathBuf>,
}

/// A check's name and how to run it. A finding is one line that says what, where and what to do.
type Check = (&'static str, fn(&Tree) -> Result<Vec<String>>);

const CHECKS: &[Check] = &[
    ("arrows between crates", arrows::check),
    ("arrows between headers", includes::check),
    ("nothing imports the drop-in API", compat::check),
    ("manifests", manifests::check),
    ("licences, duplicates, minimum Rust", licences::check),
    ("words", words::check),
    ("documents", documents::check),
];

pub(crate) fn run(args: Args) -> Result<()> {
    let tree = Tree {
        workspace: Metadata::workspace()?,
        full: Metadata::full()?,
        files: tracked_files()?,
    };
    if args.fix {
        manifests::link_licences(&tree.workspace)?;
    }
    let mut n_findings = 0;
    for (name, check) in CHECKS {
        let findings = check(&tree)?;
        println!(
            "tidy: {name}: {}",
            if findings.is_empty() { "ok" } else { "not ok" }
        );
        for finding in &findings {
            println!("  {finding}");
        }
        n_findings += findings.len();
    }
    match n_findings {
        0 => Ok(()),
        n => Err(format!("tidy has {n} findings")),
    }
}
