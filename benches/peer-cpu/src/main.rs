//! The command line of the comparison; see README.md.

use clap::{Parser, Subcommand};
use peer_cpu::record::Record;
use peer_cpu::{fft, msm, proofs, record, setup, Result};
use std::path::PathBuf;

/// Our CPU path against bellperson, bellman, arkworks and the libraries under them.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Whole proofs: time, CPU time and working memory of each prover
    Proofs(proofs::Options),
    /// Multi-scalar multiplication
    Msm(msm::Options),
    /// The number-theoretic transform
    Fft(fft::Options),
    /// Parameter generation
    Setup(setup::Options),
    /// Prints the tables of a record
    Report {
        /// what `--csv` wrote
        csv: PathBuf,
    },
    /// One prover's process, for `proofs`
    #[command(hide = true)]
    Worker(proofs::WorkerOptions),
}

fn main() -> Result<()> {
    let show = |records: Vec<Record>| print!("{}", record::tables(&records));
    match Arguments::parse().task {
        Task::Proofs(options) => show(proofs::run(&options)?),
        Task::Msm(options) => show(msm::run(&options)?),
        Task::Fft(options) => show(fft::run(&options)?),
        Task::Setup(options) => show(setup::run(&options)?),
        Task::Report { csv } => show(record::read(&csv)?),
        Task::Worker(options) => proofs::work(&options)?,
    }
    Ok(())
}
