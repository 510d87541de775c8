//! Arrows between C++ headers, and what a file's ending promises.
//!
//! `core <- field <- curve <- {ntt, msm, poly} <- c2`; `runtime` is for drivers. `.hpp` compiles with plain
//! g++, `.cuh` needs the CUDA headers, `.cu` is a unit, `.h` is C.

use std::path::{Component, Path, PathBuf};

use super::Tree;
use crate::util::read;
use crate::Result;

/// A layer, a folder of `spf/` or `c2`, and the layers that its headers may include.
const LAYERS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("field", &["core"]),
    ("curve", &["core", "field"]),
    ("ntt", &["core", "field", "curve"]),
    ("msm", &["core", "field", "curve"]),
    ("poly", &["core", "field", "curve"]),
    ("runtime", &["core"]),
    ("c2", &["core", "field", "curve", "ntt", "msm", "poly", "runtime"]),
];

/// The one header that is NVIDIA's runtime under nvcc and the fake one under
/// g++, so it names files for either.
const SEAM: &str = "spf/runtime/api.hpp";

const SOURCES: &[&str] = &["h", "hpp", "cuh", "cu", "cpp", "inc"];

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| SOURCES.contains(&ending(file))) {
        findings.extend(file_findings(file, &read(file)?));
    }
    Ok(findings)
}

fn file_findings(file: &Path, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (i_line, line) in text.lines().enumerate() {
        let Some(included) = included(line) else { continue };
        if let Some(problem) = include_problem(file, Path::new(included)) {
            findings.push(format!(
                "{}:{}: includes {included}: {problem}",
                file.display(),
                i_line + 1
            ));
        }
    }
    findings
}

fn include_problem(file: &Path, included: &Path) -> Option<String> {
    let (from, to) = (ending(file), ending(included));
    let name = included.file_name()?.to_str()?;
    if name.starts_with("blst") {
        return Some("blst is a Rust dependency; no C++ file includes it".to_owned());
    }
    if from == "hpp" && to == "cuh" && !file.ends_with(SEAM) {
        return Some("a .hpp compiles with plain g++, a .cuh does not".to_owned());
    }
    if from == "h" && ["hpp", "cuh", "cu"].contains(&to) {
        return Some("a .h is C".to_owned());
    }
    let (from_layer, to_layer) = (layer(file)?, layer(&resolve(file, included))?);
    if from_layer == to_layer {
        return None;
    }
    if to_layer == "runtime" && from == "hpp" {
        return Some("the runtime is for drivers (.cuh, .cu), not for a .hpp".to_owned());
    }
    // A driver of any layer that has drivers may use the runtime.
    if to_layer == "runtime" && ["ntt", "msm", "poly"].contains(&from_layer) {
        return None;
    }
    let (_, below) = LAYERS.iter().find(|(name, _)| *name == from_layer)?;
    (!below.contains(&to_layer)).then(|| format!("{from_layer} may not know {to_layer}"))
}

/// The path between the quotes or brackets of an `#include` line.
fn included(line: &str) -> Option<&str> {
    let rest = line
        .trim_start()
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("include")?
        .trim_start();
    let close = match rest.chars().next()? {
        '"' => '"',
        '<' => '>',
        _ => return None,
    };
    rest[1..].split_once(close).map(|(path, _)| path)
}

/// A quoted path may be relative to the file that includes it; one that starts at `spf/` stands for itself.
fn resolve(file: &Path, included: &Path) -> PathBuf {
    if included.starts_with("spf") || included.starts_with("c2") {
        return included.to_path_buf();
    }
    let mut path = file.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in included.components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

/// `field` of `.../spf/field/mont.hpp`, `c2` of `.../c2/split.hpp`; `None` outside
/// the layers (ABI units, tests).
fn layer(path: &Path) -> Option<&'static str> {
    let folders: Vec<&str> = path
        .parent()?
        .components()
        .filter_map(|part| part.as_os_str().to_str())
        .collect();
    let name = match folders.iter().position(|folder| *folder == "spf") {
        Some(i) => folders.get(i + 1)?,
        None => folders.last().filter(|folder| **folder == "c2")?,
    };
    LAYERS.iter().map(|(layer, _)| *layer).find(|layer| layer == name)
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(file: &str, included: &str) -> Option<String> {
        include_problem(Path::new(file), Path::new(included))
    }

    #[test]
    fn include_lines_are_read_as_the_preprocessor_does() {
        assert_eq!(
            included("#include \"spf/core/carry.hpp\" // why"),
            Some("spf/core/carry.hpp")
        );
        assert_eq!(included("  # include <cstdint>"), Some("cstdint"));
        assert_eq!(included("// #include <x>"), None);
        assert_eq!(included("#include MACRO"), None);
    }

    #[test]
    fn includes_that_point_down_pass() {
        const SPF: &str = "sppark-fork/include/spf/";
        for (file, to) in [
            ("field/mont.hpp", "spf/core/carry.hpp"),
            ("field/mont.hpp", "../core/carry.hpp"),
            ("field/fp2.hpp", "mont.hpp"),
            ("curve/g1.hpp", "spf/field/mont.hpp"),
            ("msm/pippenger.cuh", "spf/runtime/stream.hpp"),
            ("core/target.hpp", "cstdint"),
            ("runtime/launch.cuh", "api.hpp"),
            ("runtime/api.hpp", "spf/runtime/launch.cuh"),
        ] {
            assert_eq!(problem(&format!("{SPF}{file}"), to), None, "{file} includes {to}");
        }
        assert_eq!(
            problem("supraseal-c2/cuda/c2/engine.cuh", "spf/msm/pippenger.cuh"),
            None
        );
        assert_eq!(problem("sppark-fork/src/abi_ntt.cu", "spf/ntt/ntt.cuh"), None);
    }

    #[test]
    fn includes_that_point_up_or_break_an_ending_do_not() {
        const SPF: &str = "sppark-fork/include/spf/";
        for (file, to) in [
            ("core/carry.hpp", "spf/field/mont.hpp"),
            ("field/mont.hpp", "../curve/g1.hpp"),
            ("ntt/plan.hpp", "spf/msm/plan.hpp"),
            ("msm/plan.hpp", "spf/msm/pippenger.cuh"),
            ("msm/plan.hpp", "spf/runtime/stream.hpp"),
            ("runtime/stream.hpp", "launch.cuh"),
            ("curve/g1.cuh", "spf/runtime/stream.hpp"),
            ("field/mont.hpp", "blst.h"),
            ("poly/coset.hpp", "c2/split.hpp"),
        ] {
            assert!(
                problem(&format!("{SPF}{file}"), to).is_some(),
                "{file} includes {to}"
            );
        }
        assert!(problem("sppark-fork/include/sppark_fork.h", "spf/core/span.hpp").is_some());
    }
}
