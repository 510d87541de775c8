//! Every crate compiles without its defaults, with its defaults, and with each choice of its features (B114).

use std::collections::{BTreeMap, BTreeSet};

use super::{Outcome, SKIP_KERNELS};
use crate::metadata::Metadata;
use crate::util::{cargo, stream};
use crate::Result;

/// Up to this many features every subset is tried; with more, each alone and all together.
const MAX_POWERSET: usize = 3;

pub(super) fn run() -> Result<Outcome> {
    for package in Metadata::workspace()?.members() {
        let check = ["check", "--locked", "--quiet", "--package", &package.name];
        // Without features there is one build: the first choice below.
        if !package.features.is_empty() {
            stream(cargo().args(check))?;
        }
        let named: Vec<&str> = package
            .features
            .keys()
            .map(String::as_str)
            .filter(|name| *name != "default")
            .collect();
        for choice in choices(&named) {
            if EXCLUSIVE
                .iter()
                .any(|pair| pair.iter().all(|feature| choice.contains(feature)))
            {
                continue;
            }
            let mut command = cargo();
            command.args(check).arg("--no-default-features");
            if !choice.is_empty() {
                command.args(["--features", &choice.join(",")]);
            }
            // What is checked here is Rust; kernels have a step of their own.
            if choice
                .iter()
                .any(|feature| brings_cuda(feature, &package.features))
            {
                command.env(SKIP_KERNELS, "1");
            }
            stream(&mut command)?;
        }
    }
    Ok(Outcome::Passed)
}

/// The sets of features to build with, the empty one first.
fn choices<'a>(features: &[&'a str]) -> Vec<Vec<&'a str>> {
    if features.len() <= MAX_POWERSET {
        let subset = |mask: usize| {
            features
                .iter()
                .enumerate()
                .filter(move |(i, _)| mask >> i & 1 == 1)
                .map(|(_, f)| *f)
        };
        return (0..1 << features.len())
            .map(|mask| subset(mask).collect())
            .collect();
    }
    let alone = features.iter().map(|feature| vec![*feature]);
    [vec![]]
        .into_iter()
        .chain(alone)
        .chain([features.to_vec()])
        .collect()
}

/// Features that refuse each other with a sentence of `compile_error!`, as both define the same C symbols.
const EXCLUSIVE: &[[&str; 2]] = &[["cuda", "host-check"]];

/// Whether a feature turns on a feature called `cuda`, here or in a dependency, directly or through others.
fn brings_cuda(feature: &str, table: &BTreeMap<String, Vec<String>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut queue = vec![feature];
    while let Some(feature) = queue.pop() {
        if feature == "cuda" || feature.ends_with("/cuda") {
            return true;
        }
        if seen.insert(feature) {
            queue.extend(table.get(feature).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_features_make_every_subset() {
        assert_eq!(choices(&[]), [[""; 0]]);
        assert_eq!(
            choices(&["a", "b"]),
            [vec![], vec!["a"], vec!["b"], vec!["a", "b"]]
        );
        assert_eq!(choices(&["a", "b", "c"]).len(), 8);
    }

    #[test]
    fn many_features_stand_alone_and_together() {
        let all = ["a", "b", "c", "d"];
        assert_eq!(
            choices(&all),
            [vec![], vec!["a"], vec!["b"], vec!["c"], vec!["d"], all.to_vec()]
        );
    }

    #[test]
    fn cuda_is_found_through_other_features() {
        let table: BTreeMap<String, Vec<String>> = [
            ("gpu", vec!["fast"]),
            ("fast", vec!["gpu", "dep:supraseal-c2", "supraseal-c2/cuda"]),
            ("portable", vec!["blst/portable"]),
            ("cuda", vec![]),
        ]
        .into_iter()
        .map(|(name, on)| (name.to_owned(), on.into_iter().map(str::to_owned).collect()))
        .collect();
        assert!(brings_cuda("gpu", &table) && brings_cuda("fast", &table) && brings_cuda("cuda", &table));
        assert!(!brings_cuda("portable", &table) && !brings_cuda("unknown", &table));
    }
}
