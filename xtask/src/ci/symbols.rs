//! Our C symbols can share a program with anybody's (B102): each exported one carries one of our prefixes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Outcome;
use crate::metadata::Metadata;
use crate::util::{capture, which};
use crate::Result;

const PREFIXES: &[&str] = &["spf_"];

/// Crates with C++ sources, whose build scripts leave archives behind.
const CRATES: &[&str] = &["sppark-fork", "supraseal-c2"];

pub(super) fn run() -> Result<Outcome> {
    let archives = archives(&Metadata::workspace()?.target_directory);
    if archives.is_empty() {
        return Ok(Outcome::Skipped("no C archive was built".to_owned()));
    }
    if which("readelf").is_none() {
        return Err("readelf is missing; install binutils".to_owned());
    }
    for archive in &archives {
        let listing = capture(Command::new("readelf").args(["--wide", "--symbols"]).arg(archive))?;
        let strays = unprefixed(&listing);
        if !strays.is_empty() {
            let strays = strays.join(", ");
            return Err(format!(
                "{} exports {strays}: give them a prefix or hide them",
                archive.display()
            ));
        }
        println!(
            "{}: every exported symbol starts with one of {PREFIXES:?}",
            archive.display()
        );
    }
    Ok(Outcome::Passed)
}

/// The archives under `<target>/{debug,release}/build/<crate>-<hash>/out`.
fn archives(target: &Path) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
    };
    let is_ours = |folder: &PathBuf| {
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or("");
        CRATES.iter().any(|name_of_crate| {
            name.strip_prefix(name_of_crate)
                .is_some_and(|hash| hash.starts_with('-'))
        })
    };
    ["debug", "release"]
        .iter()
        .flat_map(|profile| entries(target.join(profile).join("build")))
        .filter(is_ours)
        .flat_map(|folder| entries(folder.join("out")))
        .filter(|file| file.extension().is_some_and(|ending| ending == "a"))
        .collect()
}

/// Strong symbols that `readelf --symbols` shows as defined and visible outside
/// their library, without our prefix.
/// Weak ones (inline functions of the C++ library) merge instead of clashing.
fn unprefixed(listing: &str) -> Vec<&str> {
    let mut strays: Vec<&str> = listing
        .lines()
        .filter_map(|line| {
            // Num: Value Size Type Bind Vis Ndx Name
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [_, _, _, _, "GLOBAL", "DEFAULT" | "PROTECTED", section, name, ..] = columns[..] else {
                return None;
            };
            (section != "UND" && !PREFIXES.iter().any(|prefix| name.starts_with(prefix))).then_some(name)
        })
        .collect();
    strays.sort_unstable();
    strays.dedup();
    strays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_defined_visible_strong_symbols_without_a_prefix_are_strays() {
        let listing = "File: lib.a(x.o)\n   Num:    Value          Size Type    Bind   Vis      Ndx Name\n\
            1: 0000000000000000    10 FUNC    GLOBAL DEFAULT    1 spf_ntt_run\n\
            2: 0000000000000000    10 FUNC    GLOBAL DEFAULT    1 mul_mont_384\n\
            3: 0000000000000000    10 FUNC    GLOBAL HIDDEN     1 helper\n\
            4: 0000000000000000    10 FUNC    LOCAL  DEFAULT    1 inner\n\
            5: 0000000000000000    10 FUNC    WEAK   DEFAULT    1 _ZNSt6vectorIiE4sizeEv\n\
            6: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND malloc\n";
        assert_eq!(unprefixed(listing), ["mul_mont_384"]);
    }
}
