//! Arrows between the workspace's crates point one way.

use std::collections::BTreeSet;

use super::Tree;
use crate::metadata::{Kind, Metadata, Package};
use crate::Result;

/// What a crate may import. A new edge is a commit of its own, with a line in ARCHITECTURE.md.
struct Rule {
    name: &'static str,
    /// Workspace crates among the normal dependencies.
    normal: &'static [&'static str],
    /// Those of them that must be optional: they bring CUDA.
    optional: &'static [&'static str],
    build: &'static [&'static str],
    /// Beyond what `normal` allows, and `backend-tests`, which any crate's tests may use.
    dev: &'static [&'static str],
}

const CUDA_BUILD: &[&str] = &["cuda-build"];
const CORE: &[&str] = &["bls-fields", "bls-curves", "groth16-core"];
const CORE_AND_SHAPES: &[&str] = &["bls-fields", "bls-curves", "groth16-core", "bench-shapes"];

const RULES: &[Rule] = &[
    Rule {
        name: "bls-fields",
        normal: &[],
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "bls-curves",
        normal: &["bls-fields"],
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "groth16-core",
        normal: &["bls-fields", "bls-curves"],
        optional: &[],
        build: &[],
        dev: &["circom-formats"],
    },
    Rule {
        name: "circom-formats",
        normal: CORE,
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "bench-shapes",
        normal: CORE,
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "backend-tests",
        normal: CORE_AND_SHAPES,
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "cuda-build",
        normal: &[],
        optional: &[],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "sppark-fork",
        normal: &[],
        optional: &[],
        build: CUDA_BUILD,
        dev: CORE,
    },
    Rule {
        name: "supraseal-c2",
        normal: &["bls-fields", "bls-curves", "groth16-core", "sppark-fork"],
        optional: &["sppark-fork"],
        build: CUDA_BUILD,
        dev: &["circom-formats", "bench-shapes"],
    },
    Rule {
        name: "groth16-prover",
        normal: &[
            "bls-fields",
            "bls-curves",
            "groth16-core",
            "circom-formats",
            "bench-shapes",
            "supraseal-c2",
        ],
        optional: &["supraseal-c2"],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "benches",
        normal: &[
            "bls-fields",
            "bls-curves",
            "groth16-core",
            "circom-formats",
            "bench-shapes",
            "groth16-prover",
            "supraseal-c2",
            "sppark-fork",
        ],
        optional: &["supraseal-c2", "sppark-fork"],
        build: &[],
        dev: &[],
    },
    Rule {
        name: "xtask",
        normal: &[],
        optional: &[],
        build: &[],
        dev: &[],
    },
];

/// Crates that may not name CUDA in their features.
const BELOW_CUDA: &[&str] = &[
    "bls-fields",
    "bls-curves",
    "groth16-core",
    "circom-formats",
    "bench-shapes",
    "backend-tests",
];

/// Usable from tests only.
const TEST_SUPPORT: &str = "backend-tests";

pub(super) fn check(tree: &Tree) -> Result<Vec<String>> {
    Ok(findings(&tree.workspace))
}

fn findings(workspace: &Metadata) -> Vec<String> {
    let members: BTreeSet<&str> = workspace.members().map(|package| package.name.as_str()).collect();
    workspace
        .members()
        .flat_map(|package| package_findings(package, &members))
        .collect()
}

fn package_findings(package: &Package, members: &BTreeSet<&str>) -> Vec<String> {
    let name = &package.name;
    let Some(rule) = RULES.iter().find(|rule| rule.name == *name) else {
        return vec![format!(
            "{name}: no rule says what it may import; add one to xtask/src/tidy/arrows.rs"
        )];
    };
    let mut findings = Vec::new();
    for dependency in package
        .dependencies
        .iter()
        .filter(|d| members.contains(d.name.as_str()))
    {
        let to = dependency.name.as_str();
        let allowed = match dependency.kind {
            None => rule.normal.contains(&to),
            Some(Kind::Build) => rule.build.contains(&to),
            Some(Kind::Dev) => to == TEST_SUPPORT || rule.normal.contains(&to) || rule.dev.contains(&to),
        };
        if !allowed {
            let kind = match dependency.kind {
                None => "",
                Some(Kind::Build) => "build-",
                Some(Kind::Dev) => "dev-",
            };
            findings.push(format!(
                "{name}: {kind}depends on {to}, against the arrows of ARCHITECTURE.md"
            ));
        } else if dependency.kind.is_none() && rule.optional.contains(&to) && !dependency.optional {
            findings.push(format!(
                "{name}: depends on {to} always; only the feature `cuda` may bring it in"
            ));
        }
    }
    if BELOW_CUDA.contains(&name.as_str()) {
        findings.extend(
            package
                .features
                .keys()
                .filter(|feature| feature.contains("cuda"))
                .map(|feature| {
                    format!("{name}: has a feature `{feature}`; nothing below supraseal-c2 may know of CUDA")
                }),
        );
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate of a synthetic workspace: its name, its edges, its features.
    type Spec<'a> = (&'a str, &'a [Edge<'a>], &'a [&'a str]);
    /// Name, kind (`None` is normal), whether it is optional.
    type Edge<'a> = (&'a str, Option<&'a str>, bool);

    fn spec<'a>(name: &'a str, edges: &'a [Edge<'a>], features: &'a [&'a str]) -> Spec<'a> {
        (name, edges, features)
    }

    fn workspace(specs: &[Spec]) -> Metadata {
        let packages: Vec<_> = specs
            .iter()
            .map(|(name, edges, features)| {
                let edges: Vec<_> = edges
                    .iter()
                    .map(|(name, kind, optional)| serde_json::json!({ "name": name, "kind": kind, "optional": optional }))
                    .collect();
                let features: serde_json::Map<_, _> =
                    features.iter().map(|feature| (feature.to_string(), serde_json::json!([]))).collect();
                serde_json::json!({
                    "id": name, "name": name, "version": "0.1.0", "license": null, "description": null,
                    "readme": null, "rust_version": null, "publish": [], "manifest_path": "Cargo.toml",
                    "dependencies": edges, "features": features,
                })
            })
            .collect();
        let ids: Vec<_> = specs.iter().map(|(name, ..)| name).collect();
        serde_json::from_value(serde_json::json!({
            "packages": packages, "workspace_members": ids, "target_directory": "target",
        }))
        .expect("synthetic metadata has the fields that are read")
    }

    #[test]
    fn arrows_that_point_down_pass() {
        let tree = workspace(&[
            spec("bls-fields", &[("blst", None, false)], &[]),
            spec("bls-curves", &[("bls-fields", None, false)], &[]),
            spec("backend-tests", &[], &[]),
            spec(
                "groth16-core",
                &[("bls-curves", None, false), ("backend-tests", Some("dev"), false)],
                &[],
            ),
            spec("cuda-build", &[], &[]),
            spec(
                "sppark-fork",
                &[
                    ("cuda-build", Some("build"), false),
                    ("bls-curves", Some("dev"), false),
                ],
                &["cuda"],
            ),
            spec(
                "supraseal-c2",
                &[("sppark-fork", None, true), ("groth16-core", None, false)],
                &["cuda"],
            ),
        ]);
        assert_eq!(findings(&tree), Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_wrong_arrow_is_named() {
        let cases = [
            (
                spec("bls-fields", &[("bls-curves", None, false)], &[]),
                "bls-fields: depends on bls-curves",
            ),
            (
                spec("sppark-fork", &[("bls-fields", None, false)], &[]),
                "sppark-fork: depends on bls-fields",
            ),
            (
                spec("supraseal-c2", &[("sppark-fork", None, false)], &[]),
                "depends on sppark-fork always",
            ),
            (
                spec("groth16-core", &[("backend-tests", None, false)], &[]),
                "groth16-core: depends on backend-tests",
            ),
            (
                spec("groth16-core", &[("cuda-build", Some("build"), false)], &[]),
                "build-depends on cuda-build",
            ),
            (
                spec("xtask", &[("bls-fields", Some("dev"), false)], &[]),
                "xtask: dev-depends on bls-fields",
            ),
            (
                spec("groth16-core", &[], &["cuda"]),
                "groth16-core: has a feature `cuda`",
            ),
            (spec("newcomer", &[], &[]), "newcomer: no rule"),
        ];
        for (wrong, expected) in cases {
            let others = wrong.1.iter().map(|(name, ..)| spec(name, &[], &[]));
            let tree: Vec<_> = [wrong].into_iter().chain(others).collect();
            let found = findings(&workspace(&tree));
            assert!(
                found.len() == 1 && found[0].contains(expected),
                "expected {expected:?}, found {found:?}"
            );
        }
    }
}
