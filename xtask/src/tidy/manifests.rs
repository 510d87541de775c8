//! Every package states its licence, its minimum Rust, that it is not published, and what it is.

use std::path::Path;

use super::Tree;
use crate::metadata::{Metadata, Package};
use crate::util::{read, root};
use crate::Result;

/// What `license = ...` must say in each manifest.
const LICENCE: &str = "MIT OR Apache-2.0";

/// The licence texts: real files at the root, links to them beside each manifest,
/// so that a package carries them.
pub(crate) const LICENCE_FILES: &[&str] = &["LICENSE-MIT", "LICENSE-APACHE"];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in tree.workspace.members() {
        let manifest = package.folder().join("Cargo.toml");
        let text = read(&manifest)?;
        findings.extend(
            package_findings(package, &text)
                .iter()
                .map(|what| format!("{}: {what}", manifest.display())),
        );
        for file in LICENCE_FILES {
            let link = package.folder().join(file);
            if !root().join(&link).is_file() {
                findings.push(format!(
                    "{} is missing; `cargo xtask tidy --fix` links it",
                    link.display()
                ));
            } else if read(&link)? != read(file)? {
                findings.push(format!("{} differs from the root's {file}", link.display()));
            }
        }
    }
    Ok(findings)
}

fn package_findings(package: &Package, manifest: &str) -> Vec<String> {
    let mut findings = Vec::new();
    if package.license.as_deref() != Some(LICENCE) {
        findings.push(format!(
            "`license` is {:?}, not \"{LICENCE}\"; write `license.workspace = true`",
            package.license
        ));
    }
    if package.rust_version.is_none() {
        findings.push("no `rust-version`; write `rust-version.workspace = true`".to_owned());
    }
    if package
        .publish
        .as_ref()
        .is_none_or(|registries| !registries.is_empty())
    {
        findings.push("`publish` is not false; write `publish.workspace = true`".to_owned());
    }
    if package.description.is_none() && package.readme.is_none() {
        findings.push("neither a `description` nor a README".to_owned());
    }
    if !inherits_lints(manifest) {
        findings
            .push("does not take the workspace's lints; add `[lints]` with `workspace = true`".to_owned());
    }
    findings
}

/// Whether the manifest has `[lints]` with `workspace = true`; cargo metadata does not tell.
fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "[lints]")
        .skip(1);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.replace(' ', "") == "workspace=true")
}

/// Links the root's licence texts into each package that lacks them.
pub(super) fn link_licences(workspace: &Metadata) -> Result<()> {
    for package in workspace.members() {
        let folder = package.folder();
        let up: std::path::PathBuf = folder.components().map(|_| "..").collect();
        for file in LICENCE_FILES {
            let link = root().join(&folder).join(file);
            if link.symlink_metadata().is_err() {
                symlink(&up.join(file), &link)
                    .map_err(|error| format!("cannot link {}: {error}", folder.join(file).display()))?;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(to: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

#[cfg(not(unix))]
fn symlink(to: &Path, link: &Path) -> std::io::Result<()> {
    let target = link.parent().unwrap_or(Path::new("")).join(to);
    std::fs::copy(target, link).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherited_lints_are_seen() {
        assert!(inherits_lints("[package]\n[lints]\nworkspace = true\n"));
        assert!(inherits_lints("[lints]\n# why\nworkspace=true\n[features]\n"));
        assert!(!inherits_lints("[dependencies]\nworkspace = true\n"));
        assert!(!inherits_lints("[lints]\n[features]\nworkspace = true\n"));
    }

    #[test]
    fn a_bare_manifest_has_every_finding() {
        let package: Package = serde_json::from_value(serde_json::json!({
            "id": "a", "name": "a", "version": "0.1.0", "license": "GPL-3.0", "description": null, "readme": null,
            "rust_version": null, "publish": null, "manifest_path": "Cargo.toml", "dependencies": [], "features": {},
        }))
        .expect("synthetic metadata has the fields that are read");
        assert_eq!(package_findings(&package, "[package]").len(), 5);
    }
}
