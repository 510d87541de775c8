//! `cargo xtask rebuild-cuda`: every kernel through the compiler again, and how long each unit took.

use crate::{util, Result};
use std::fs;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Architectures, as in CUDA_ARCHS: 90 or 80,90
    #[arg(long, value_name = "LIST")]
    arch: Option<String>,
    /// Show ptxas' registers, spills and shared memory of each kernel
    #[arg(long)]
    verbose_ptxas: bool,
    /// Build with the release profile
    #[arg(long)]
    release: bool,
}

/// The packages whose build scripts compile kernels.
const PACKAGES: [&str; 2] = ["sppark-fork", "supraseal-c2"];

pub(crate) fn run(args: Args) -> Result<()> {
    // Exactly what nvcc made: the objects, and the packages that link them.
    let cache = crate::cuda_toolkit::target().join("cuda-cache");
    if cache.is_dir() {
        fs::remove_dir_all(&cache).map_err(|error| format!("removing {}: {error}", cache.display()))?;
    }
    let metadata = crate::metadata::Metadata::workspace()?;
    let present: Vec<&str> = PACKAGES
        .into_iter()
        .filter(|name| metadata.packages.iter().any(|package| package.name == *name))
        .collect();
    let mut clean = util::cargo();
    clean.arg("clean");
    for package in &present {
        clean.args(["--package", package]);
    }
    util::stream(&mut clean)?;

    let mut build = util::cargo();
    // -vv shows what build scripts say: the units and their seconds.
    build.args(["build", "-vv", "--features", "cuda"]);
    for package in &present {
        build.args(["--package", package]);
    }
    if args.release {
        build.arg("--release");
    }
    if let Some(arch) = &args.arch {
        build.env("CUDA_ARCHS", arch);
    }
    if args.verbose_ptxas {
        build.env("NVCC_APPEND_FLAGS", "-Xptxas=-v");
    }
    println!("$ {}", util::shell_line(&build));
    let output = build
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    if !output.status.success() {
        return Err(format!("the build ended with {}\n{said}", output.status));
    }
    for line in said.lines() {
        // cargo puts the package's name in brackets before what its build script says.
        let line = line.split_once("] ").map_or(line, |(_, rest)| rest);
        let about_units = ["nvcc ", "compiled ", "reused "]
            .iter()
            .any(|start| line.starts_with(start));
        if about_units || (args.verbose_ptxas && line.starts_with("ptxas")) {
            println!("{line}");
        }
    }
    Ok(())
}
