//! `cargo xtask host-tests`: the kernels' templates and drivers, compiled by g++ on the fake
//! CUDA runtime, under sanitizers.

use crate::{util, Result};

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
    // Documentation is compiled by rustdoc, which knows nothing of the sanitizers.
    let targets: &[_] = if args.plain { &[] } else { &["--lib", "--tests"] };
    test(&drivers, features, targets, &args)?;
    // What the command line says of the backend.
    let program = ["--package", "groth16-prover"];
    test(
        &program,
        "groth16-prover/host-check",
        &["--test", "bench_cuda"],
        &args,
    )
}

fn test(packages: &[&str], features: &str, targets: &[&str], args: &Args) -> Result<()> {
    let mut test = util::cargo();
    test.arg("test").args(packages).args(["--features", features]);
    if !args.plain {
        test.env("SPF_SANITIZE", "address,undefined");
        // The sanitizer's library comes after Rust's own in the link; it need not be first,
        // as nothing here replaces malloc.
        // The fake runtime lists what leaks itself.
        test.env("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0");
        test.env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1");
    }
    test.args(targets);
    if let Some(filter) = &args.filter {
        test.args(["--", filter]);
    }
    util::stream(&mut test)
}
