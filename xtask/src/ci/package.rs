//! What `cargo package` would ship holds the licence texts (B116).

use super::Outcome;
use crate::metadata::Metadata;
use crate::tidy::LICENCE_FILES;
use crate::util::{capture, cargo};
use crate::Result;

pub(super) fn run() -> Result<Outcome> {
    for package in Metadata::workspace()?.members() {
        // `--allow-dirty`: a change is checked before it is committed.
        let list = [
            "package",
            "--list",
            "--quiet",
            "--allow-dirty",
            "--package",
            &package.name,
        ];
        let listing = capture(cargo().args(list))?;
        for file in LICENCE_FILES {
            if !listing.lines().any(|line| line == *file) {
                return Err(format!(
                    "the package {} lacks {file}; `cargo xtask tidy --fix` links it",
                    package.name
                ));
            }
        }
        println!(
            "{}: {} files, licence texts among them",
            package.name,
            listing.lines().count()
        );
    }
    Ok(Outcome::Passed)
}
