//! What documents promise and a program can check.

use super::Tree;
use crate::util::{read, root};
use crate::Result;

/// The one command that runs every test. CI runs it first, and the README must name it.
pub(crate) const TEST_COMMAND: &str = "cargo test --release";

/// Files that a visitor looks for.
const EXPECTED: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "clippy.toml",
    "deny.toml",
    "docs/testing.md",
    "rustfmt.toml",
];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings: Vec<String> = EXPECTED
        .iter()
        .filter(|file| !root().join(file).is_file())
        .map(|file| format!("{file} is missing"))
        .collect();
    let readme = read("README.md")?;
    if !readme.lines().any(|line| line.trim() == TEST_COMMAND) {
        findings.push(format!(
            "README.md: no line of its own says `{TEST_COMMAND}`, the command that CI runs first"
        ));
    }
    let architecture = read("ARCHITECTURE.md")?;
    for package in tree.workspace.members() {
        if !architecture.contains(&format!("`{}`", package.name)) {
            findings.push(format!(
                "ARCHITECTURE.md: the code map does not mention `{}`",
                package.name
            ));
        }
    }
    for file in tree
        .files
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "md"))
    {
        for target in link_targets(&read(file)?) {
            let path = target.split('#').next().unwrap_or("");
            let folder = root().join(file.parent().unwrap_or(file));
            if !path.is_empty()
                && !path.contains("://")
                && !path.starts_with("mailto:")
                && !folder.join(path).exists()
            {
                findings.push(format!(
                    "{}: links to {target}, which is not there",
                    file.display()
                ));
            }
        }
    }
    Ok(findings)
}

/// The targets of `[text](target)`, code blocks left out.
fn link_targets(markdown: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if !in_code {
            let starts = line.match_indices("](").map(|(i, _)| &line[i + 2..]);
            targets.extend(
                starts
                    .filter_map(|rest| rest.split_once(')'))
                    .map(|(target, _)| target),
            );
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_code_are_found() {
        let text = "see [a](x.md) and [b](y.md#z)\n```text\n[c](no.md)\n```\n[d](w)";
        assert_eq!(link_targets(text), ["x.md", "y.md#z", "w"]);
    }
}
