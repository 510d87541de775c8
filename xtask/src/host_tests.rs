//! `cargo xtask host-tests`: the kernels' templates and drivers, compiled by g++ on the fake
//! CUDA runtime, under sanitizers.

use std::path::{Path, PathBuf};

use crate::util::{self, tracked_files};
use crate::Result;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Without AddressSanitizer and UndefinedBehaviorSanitizer
    #[arg(long)]
    plain: bool,
    /// Only tests whose name contains this
    filter: Option<String>,
}

impl Args {
    /// Every test, with the sanitizers.
    pub(crate) fn sanitized() -> Args {
        Args {
            plain: false,
            filter: None,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<()> {
    // The drivers, and the backend that is made of them.
    let drivers = ["--package", "sppark-fork", "--package", "supraseal-c2"];
    let features = "sppark-fork/host-check,supraseal-c2/host-check";
    let targets = if args.plain {
        Vec::new()
    } else {
        sanitized_targets(&tracked_files()?, |file| util::read(file))?
    };
    test(&drivers, features, &targets, &args)?;
    // What the command line says of the backend.
    let program = ["--package", "groth16-prover"];
    let targets = ["--test", "bench_cuda"].map(str::to_owned);
    test(&program, "groth16-prover/host-check", &targets, &args)
}

/// Unit tests, and the test files that name the feature: the others are the same with and without it, and CI's
/// step `test` runs them. Nor are examples in documentation among these: rustdoc, which compiles them,
/// knows nothing of the sanitizers.
fn sanitized_targets(files: &[PathBuf], read: impl Fn(&Path) -> Result<String>) -> Result<Vec<String>> {
    let mut targets = vec!["--lib".to_owned()];
    for file in files {
        let is_test = ["sppark-fork/tests", "supraseal-c2/tests"]
            .map(Path::new)
            .contains(&file.parent().unwrap_or(file));
        if is_test && read(file)?.contains("host-check") {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            targets.extend(["--test".to_owned(), name.into_owned()]);
        }
    }
    Ok(targets)
}

fn test(packages: &[&str], features: &str, targets: &[String], args: &Args) -> Result<()> {
    let mut test = util::cargo();
    test.arg("test").args(packages).args(["--features", features]);
    if !args.plain {
        test.env("SPF_SANITIZE", "address,undefined");
        // The sanitizer's library comes after Rust's own in the link; it need not be first,
        // as nothing here replaces malloc.
        // The fake runtime lists what leaks itself.
        test.env("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0");
        test.env("UBSAN_OPTIONS", "print_stacktrace=1");
    }
    test.args(targets);
    if let Some(filter) = &args.filter {
        test.args(["--", filter]);
    }
    util::stream(&mut test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_that_name_the_feature_run_under_the_sanitizers() {
        let files = [
            "supraseal-c2/tests/a.rs",
            "sppark-fork/tests/b.rs",
            "supraseal-c2/tests/c/mod.rs",
            "src/d.rs",
        ];
        let text = |file: &Path| {
            Ok(if file.ends_with("a.rs") {
                ""
            } else {
                "feature = \"host-check\""
            }
            .to_owned())
        };
        let targets = sanitized_targets(&files.map(PathBuf::from), text);
        assert_eq!(targets.unwrap(), ["--lib", "--test", "b"]);
    }
}
