//! `cargo xtask host-tests`: the kernels' templates and drivers, compiled by g++ on the fake CUDA runtime, under sanitizers.

use crate::{cuda_toolkit, util, Result};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Without AddressSanitizer and UndefinedBehaviorSanitizer
    #[arg(long)]
    plain: bool,
    /// Only tests whose name contains this
    filter: Option<String>,
}

const SANITIZERS: &str = "address,undefined";

pub(crate) fn run(args: Args) -> Result<()> {
    let mut test = util::cargo();
    test.args(["test", "--package", "sppark-fork", "--features", "host-check"]);
    if !args.plain {
        // Flags of its own, so a target folder of its own: the plain builds stay.
        test.env("CARGO_TARGET_DIR", cuda_toolkit::target().join("host-tests"));
        test.env("SPF_SANITIZE", SANITIZERS);
        test.env("RUSTFLAGS", format!("-Clink-arg=-fsanitize={SANITIZERS}"));
        // The doc tests' binaries are linked without these flags.
        test.args(["--lib", "--tests"]);
        test.env("UBSAN_OPTIONS", "halt_on_error=1:print_stacktrace=1");
    }
    if let Some(filter) = &args.filter {
        test.args(["--", filter]);
    }
    util::stream(&mut test)
}
