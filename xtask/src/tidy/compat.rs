//! The drop-in API is a leaf: nothing but its own tests imports it.

use std::path::Path;

use super::Tree;
use crate::util::read;
use crate::Result;

/// The root of the drop-in crate re-exports the old API, so only this module of it may be named elsewhere.
const ALLOWED_MODULE: &str = "backend";

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in tree
        .files
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "rs"))
    {
        // Clients of the old API live in workspaces of their own; this crate only names it.
        if ["integration", "benches/peer", "benches/peer-cpu", "xtask"]
            .iter()
            .any(|folder| file.starts_with(folder))
        {
            continue;
        }
        findings.extend(file_findings(file, &read(file)?));
    }
    Ok(findings)
}

fn file_findings(file: &Path, text: &str) -> Vec<String> {
    let inside = file.strip_prefix("supraseal-c2").ok();
    if inside.is_some_and(|file| file.starts_with("tests") || file.starts_with("examples")) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (i_line, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let found = match inside {
            // In the crate itself: its root re-exports the module, and that is all.
            Some(file) => {
                code.contains("compat::")
                    && file != Path::new("src/lib.rs")
                    && file != Path::new("src/compat.rs")
            }
            None => code.match_indices("supraseal_c2::").any(|(i, path)| {
                let rest = &code[i + path.len()..];
                let module: String = rest
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                module != ALLOWED_MODULE
            }),
        };
        if found {
            findings.push(format!(
                "{}:{}: imports the drop-in API; workspace code uses supraseal_c2::{ALLOWED_MODULE} only",
                file.display(),
                i_line + 1
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n_findings(file: &str, text: &str) -> usize {
        file_findings(Path::new(file), text).len()
    }

    #[test]
    fn only_the_backend_is_imported_from_outside() {
        let facade = "crates/groth16-prover/src/select.rs";
        assert_eq!(n_findings(facade, "use supraseal_c2::backend::CudaBackend;"), 0);
        assert_eq!(
            n_findings(facade, "// as supraseal_c2::generate_groth16_proof did"),
            0
        );
        assert_eq!(
            n_findings(facade, "use supraseal_c2::compat::SRS;\nuse supraseal_c2::SRS;"),
            2
        );
        assert_eq!(n_findings(facade, "use supraseal_c2::{backend, SRS};"), 1);
    }

    #[test]
    fn inside_the_crate_the_root_and_the_tests_may_name_it() {
        assert_eq!(n_findings("supraseal-c2/src/lib.rs", "pub use compat::*;"), 0);
        assert_eq!(
            n_findings("supraseal-c2/tests/api_shape.rs", "use supraseal_c2::SRS;"),
            0
        );
        assert_eq!(
            n_findings("supraseal-c2/src/backend/mod.rs", "use crate::compat::SRS;"),
            1
        );
    }
}
