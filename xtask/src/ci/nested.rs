//! Workspaces of their own, kept out of the main one: fuzz targets, and programs
//! that use us through `[patch]`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Outcome;
use crate::util::{cargo, root, stream, tracked_files};
use crate::Result;

/// Checks each `fuzz/Cargo.toml`. Fuzzing needs a nightly compiler, compiling the targets does not.
pub(super) fn fuzz() -> Result<Outcome> {
    let manifests = files(|file| file.ends_with("fuzz/Cargo.toml"))?;
    for manifest in &manifests {
        stream(
            cargo()
                .args(["check", "--quiet", "--manifest-path"])
                .arg(manifest),
        )?;
    }
    Ok(outcome(&manifests, "no fuzz/Cargo.toml yet"))
}

/// Runs the script `ci` of each such workspace (`integration/*/ci`, `benches/*/ci`) in its own folder.
pub(super) fn integrations() -> Result<Outcome> {
    let scripts =
        files(|file| file.file_name().is_some_and(|name| name == "ci") && file.components().count() == 3)?;
    for script in &scripts {
        let script = root().join(script);
        let folder = script.parent().expect("a script lies in a folder");
        stream(Command::new(&script).current_dir(folder))?;
    }
    Ok(outcome(&scripts, "no script `ci` in any of them"))
}

fn files(wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    Ok(tracked_files()?.into_iter().filter(|file| wanted(file)).collect())
}

fn outcome(done: &[PathBuf], none: &str) -> Outcome {
    if done.is_empty() {
        Outcome::Skipped(none.to_owned())
    } else {
        Outcome::Passed
    }
}
