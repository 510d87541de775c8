//! Chores of this repository, run as `cargo xtask <command>`.
//!
//! This crate imports no workspace crate, so that it builds in seconds and works
//! on a tree that does not compile.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod ci;
mod codegen;
mod cuda_check;
mod cuda_toolkit;
mod gpu_bundle;
mod host_tests;
mod metadata;
mod rebuild_cuda;
mod tidy;
mod util;

/// What a chore says when it can't do its job: one message for people, already complete.
pub(crate) type Result<T, E = String> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of this repository")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// A command is a module with an `Args` and a `run(Args)`: a line here, a line in `main`.
#[derive(Subcommand)]
enum Command {
    /// Everything a change must pass, in order, with the seconds of each step
    Ci(ci::Args),
    /// Write sppark-fork's bindings from its C header, or check that they are up to date
    Codegen(codegen::Args),
    /// Compile the kernels without a GPU, hold their registers against the budget,
    /// link, and run the no-device path
    CudaCheck(cuda_check::Args),
    /// Install the pinned CUDA compiler into target/cuda-toolkit
    CudaToolkit(cuda_toolkit::Args),
    /// Build tests, benches and the program for a machine that has a GPU but no
    /// Rust, into target/gpu-bundle.tar.xz
    GpuBundle(gpu_bundle::Args),
    /// Run the kernels' code on the host, on a fake CUDA runtime, under ASan and UBSan
    HostTests(host_tests::Args),
    /// Compile every kernel again, with the seconds each unit takes
    RebuildCuda(rebuild_cuda::Args),
    /// Check what the compiler does not: arrows between crates, licences, manifests, words, documents
    Tidy(tidy::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Ci(args) => ci::run(args),
        Command::Codegen(args) => codegen::run(args),
        Command::CudaCheck(args) => cuda_check::run(args),
        Command::CudaToolkit(args) => cuda_toolkit::run(args),
        Command::GpuBundle(args) => gpu_bundle::run(args),
        Command::HostTests(args) => host_tests::run(args),
        Command::RebuildCuda(args) => rebuild_cuda::run(args),
        Command::Tidy(args) => tidy::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
