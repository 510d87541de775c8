//! The command line: see `groth16-prover --help`.

mod args;
mod bench;
mod demo;
mod devices;
mod failure;
mod files;
mod inspect;
mod prove;
mod report;
mod setup;
mod verify;

use args::{Cli, Command};
use clap::Parser;
use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_log(cli.common.verbose);
    let mut report = Report::new(cli.common.json);
    let outcome = cli.common.prover().and_then(|prover| match &cli.command {
        Command::Demo(args) => demo::run(args, &prover, &mut report),
        Command::Setup(args) => setup::run(args, &prover, &mut report),
        Command::Prove(args) => prove::run(args, &prover, &mut report),
        Command::Verify(args) => verify::run(args, &prover, &mut report),
        Command::Inspect(args) => inspect::run(args, &prover, &mut report),
        Command::Bench(args) => bench::run(args, &prover, &mut report),
        Command::Devices => devices::run(&prover, &mut report),
    });
    report.finish(&outcome);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.exit_code()),
    }
}

/// To standard error: warnings, and with each `-v` one level more. `RUST_LOG` overrides.
fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| level.into());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
}
