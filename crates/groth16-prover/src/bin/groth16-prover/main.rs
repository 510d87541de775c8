//! The command line: see `groth16-prover --help`.

mod args;
mod bench;
mod demo;
mod devices;
mod failure;
mod files;
mod inspect;
mod memory;
mod prove;
mod report;
mod setup;
mod verify;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use report::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return explain_usage(&error),
    };
    start_log(cli.common.verbose);
    memory::tell_as_json(cli.common.json);
    let mut report = Report::new(cli.common.json);
    let outcome = run(&cli, &mut report);
    ExitCode::from(report.finish(outcome))
}

fn run(cli: &Cli, report: &mut Report) -> Result<(), Failure> {
    let prover = || cli.common.prover();
    match &cli.command {
        Command::Demo(args) => demo::run(args, &prover()?, report),
        Command::Setup(args) => setup::run(args, &prover()?, report),
        Command::Prove(args) => prove::run(args, &prover()?, report),
        Command::Verify(args) => {
            cli.common.start_threads_without_prover()?;
            verify::run(args, report)
        }
        Command::Inspect(args) => {
            cli.common.start_threads_without_prover()?;
            inspect::run(args, report)
        }
        Command::Bench(args) => bench::run(args, &cli.common, report), // with provers of its own
        Command::Devices => devices::run(&prover()?, report),
    }
}

/// Help and version are what was asked for; anything else is a failure, for programs too.
fn explain_usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    // Nothing was parsed, so the arguments are looked through as they are.
    let json = std::env::args_os().any(|arg| arg == "--json");
    let text = error.render().to_string();
    let first_line = text.lines().next().unwrap_or_default();
    let failure = Failure::Usage(first_line.trim_start_matches("error: ").to_owned());
    ExitCode::from(Report::new(json).finish_silently(failure))
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
