//! Words that have no place in the repository: hosts of package registries, and paths of somebody's machine.

use std::path::Path;

use super::Tree;
use crate::util::root;
use crate::Result;

/// Builds and documents work behind any mirror, so no registry is named. Written
/// in halves to pass its own check.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("deb.", "debian.org"),
    concat!("developer.download", ".nvidia.com"),
];

/// A path that starts with one of these lies on one machine only.
const FOLDERS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !is_lock_file(file)) {
        // A link's text is checked where it lies; bytes that are not text hold no words.
        let Ok(text) = std::fs::read_to_string(root().join(file)) else {
            continue;
        };
        for (i_line, line) in text.lines().enumerate() {
            if let Some(word) = forbidden(line) {
                findings.push(format!(
                    "{}:{}: `{word}` does not belong here",
                    file.display(),
                    i_line + 1
                ));
            }
        }
    }
    Ok(findings)
}

/// Lock files name the registry; cargo and npm write them.
fn is_lock_file(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name == "Cargo.lock" || name == "package-lock.json")
}

fn forbidden(line: &str) -> Option<&'static str> {
    let line = line.to_ascii_lowercase();
    let host = HOSTS.iter().find(|host| line.contains(**host));
    host.or_else(|| {
        FOLDERS.iter().find(|folder| {
            line.match_indices(**folder)
                .any(|(i, _)| starts_a_path(&line[..i]))
        })
    })
    .copied()
}

/// An absolute path starts a line or follows a space, a quote or another mark; in a URL or
/// longer path a name precedes it.
fn starts_a_path(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "._-~}>)*".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_absolute_paths_are_found() {
        assert!(forbidden(concat!("see https://Crates", ".io/foo")).is_some());
        assert!(forbidden(concat!("open(\"/ho", "me/me/x\")")).is_some());
        assert!(forbidden(concat!("/tm", "p/x")).is_some());
        assert!(forbidden(concat!("OUT=/wo", "rk/x")).is_some());
    }

    #[test]
    fn patch_tables_urls_and_relative_paths_are_not() {
        assert_eq!(forbidden("[patch.crates-io]"), None);
        assert_eq!(forbidden(concat!("https://example.org/ho", "me/x")), None);
        assert_eq!(forbidden(concat!("target/tm", "p/x and $HOME/tm", "p/x")), None);
    }
}
