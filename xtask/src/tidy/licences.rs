//! Licences of everything we can link, packages that come twice, and the Rust version each one asks for.

use std::collections::{BTreeMap, BTreeSet};

use super::{spdx, Tree};
use crate::metadata::Metadata;
use crate::util::read;
use crate::Result;

/// Licences whose terms a user of this repository already meets. `deny.toml` repeats the list for cargo-deny.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "MIT",
    "Unicode-3.0",
];

/// Packages that come in two incompatible versions, and why that is borne.
const DUPLICATES: &[(&str, &str)] = &[
    (
        "getrandom",
        "rand_core 0.6 (the ff family), rand 0.9 (proptest) and tempfile are a generation apart each",
    ),
    ("r-efi", "comes with getrandom, for UEFI targets only"),
    (
        "rand",
        "ff and blstrs speak rand_core 0.6, hence rand 0.8; proptest, in tests only, is on 0.9",
    ),
    ("rand_chacha", "as rand"),
    ("rand_core", "as rand"),
    ("rand_xorshift", "as rand"),
    ("syn", "derive macros: build time only"),
    (
        "thiserror",
        "bellpepper 0.2 derives its errors with version 1; ours use 2",
    ),
    ("thiserror-impl", "as thiserror"),
];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings = licence_findings(&tree.full)?;
    findings.extend(duplicate_findings(&tree.full));
    findings.extend(rust_version_findings(&tree.full));
    let in_deny = string_array(&read("deny.toml")?, "allow").ok_or("deny.toml has no `allow = [...]`")?;
    if in_deny != ALLOWED {
        findings.push(format!(
            "deny.toml allows {in_deny:?}, xtask/src/tidy/licences.rs {ALLOWED:?}: make them equal"
        ));
    }
    Ok(findings)
}

fn licence_findings(graph: &Metadata) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in &graph.packages {
        let label = format!("{} {}", package.name, package.version);
        match &package.license {
            None => findings.push(format!(
                "{label}: states no licence; replace it or ask its author"
            )),
            Some(licence) if !spdx::satisfied(licence, ALLOWED)? => {
                findings.push(format!(
                    "{label}: licence `{licence}` is not on the list in xtask/src/tidy/licences.rs"
                ));
            }
            Some(_) => {}
        }
    }
    Ok(findings)
}

fn duplicate_findings(graph: &Metadata) -> Vec<String> {
    let mut lines: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in &graph.packages {
        lines
            .entry(&package.name)
            .or_default()
            .insert(compatible_line(&package.version));
    }
    lines
        .iter()
        .filter(|(name, lines)| lines.len() > 1 && !DUPLICATES.iter().any(|(allowed, _)| allowed == *name))
        .map(|(name, lines)| {
            let lines = lines.iter().map(String::as_str).collect::<Vec<_>>().join(" and ");
            format!("{name}: comes as {lines}; unify them, or list it with a reason in xtask/src/tidy/licences.rs")
        })
        .collect()
}

/// The part of a version within which cargo takes one for the other: `1`, `0.6`, `0.0.3`.
fn compatible_line(version: &str) -> String {
    let mut line = String::new();
    for number in version.split(['.', '-', '+']).take(3) {
        line.push_str(number);
        if number != "0" {
            break;
        }
        line.push('.');
    }
    line
}

fn rust_version_findings(graph: &Metadata) -> Vec<String> {
    let ours = graph
        .members()
        .filter_map(|package| package.rust_version.as_deref())
        .map(numbers)
        .min();
    let Some(ours) = ours else {
        return vec!["no workspace crate states a rust-version".to_owned()];
    };
    graph
        .packages
        .iter()
        .filter_map(|package| Some((package, package.rust_version.as_deref()?)))
        .filter(|(_, wanted)| numbers(wanted) > ours)
        .map(|(package, wanted)| {
            format!(
                "{} {}: needs Rust {wanted}, above our rust-version; pin an older one",
                package.name, package.version
            )
        })
        .collect()
}

fn numbers(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The strings of `key = [ ... ]` in a TOML text; enough for files that we write ourselves.
fn string_array(text: &str, key: &str) -> Option<Vec<String>> {
    let line = text
        .lines()
        .find(|line| line.split('=').next().is_some_and(|name| name.trim() == key))?;
    let rest = &text[text.find(line)?..];
    let body = rest.split_once('[')?.1.split_once(']')?.0;
    Some(body.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compatible_lines_follow_cargo() {
        for (version, line) in [
            ("1.2.3", "1"),
            ("0.6.4", "0.6"),
            ("0.0.3", "0.0.3"),
            ("0.11.1+wasi-1", "0.11"),
        ] {
            assert_eq!(compatible_line(version), line);
        }
    }

    #[test]
    fn rust_versions_compare_as_numbers() {
        assert!(numbers("1.9") < numbers("1.85.1"));
        assert_eq!(numbers("1.85"), numbers("1.85.0"));
    }

    #[test]
    fn string_arrays_are_read_over_several_lines() {
        let text = "[licenses]\nallow-this = 1\nallow = [\n  \"MIT\", # plain\n  \"ISC\",\n]\n";
        assert_eq!(
            string_array(text, "allow"),
            Some(vec!["MIT".to_owned(), "ISC".to_owned()])
        );
        assert_eq!(string_array(text, "deny"), None);
    }

    #[test]
    fn an_unlisted_duplicate_is_reported() {
        let package = |name: &str, version: &str| {
            serde_json::json!({
                "id": format!("{name}{version}"), "name": name, "version": version, "license": "GPL-3.0",
                "description": null, "readme": null, "rust_version": "1.99", "publish": null,
                "manifest_path": "Cargo.toml", "dependencies": [], "features": {},
            })
        };
        let graph: Metadata = serde_json::from_value(serde_json::json!({
            "packages": [package("a", "1.0.0"), package("a", "1.4.0"), package("b", "0.1.0"), package("b", "0.2.0")],
            "workspace_members": [], "target_directory": "target",
        }))
        .expect("synthetic metadata has the fields that are read");
        let found = duplicate_findings(&graph);
        assert!(
            found.len() == 1 && found[0].starts_with("b: comes as 0.1 and 0.2"),
            "{found:?}"
        );
        assert_eq!(licence_findings(&graph).map(|found| found.len()), Ok(4));
    }
}
