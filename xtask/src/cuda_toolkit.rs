//! `cargo xtask cuda-toolkit`: NVIDIA's compiler from its Python wheels, no root and no installer needed.
//!
//! The versions are pinned: those of one release that goes with the driver of the machines we measure on.
//! What lands in `target/cuda-toolkit` has the layout of a CUDA folder, and `cuda-build` looks there last.

use crate::{util, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One release, and exactly it: a newer runtime wants a newer driver.
const WHEELS: [&str; 5] = [
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install again, even if the pinned versions are there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let folder = folder();
    if !args.force && installed() {
        println!("{} is there already", nvcc().display());
        return Ok(());
    }
    // Beside the final place, so that the last step is a rename and a half-done
    // download is never taken for a toolkit.
    let staging = folder.with_extension("partial");
    remove(&staging)?;
    install_wheels(&WHEELS, &staging)?;
    remove(&folder)?;
    let inside = staging.join("nvidia/cu13");
    fs::write(inside.join("wheels.txt"), WHEELS.join("\n"))
        .map_err(|error| format!("writing wheels.txt: {error}"))?;
    fs::rename(&inside, &folder)
        .map_err(|error| format!("moving the toolkit to {}: {error}", folder.display()))?;
    remove(&staging)?;
    println!("installed {}", nvcc().display());
    Ok(())
}

/// The folder of build results, where tools of this kind go too.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| util::root().join("target"), |folder| util::root().join(folder))
}

/// Where the toolkit is or would be.
pub(crate) fn folder() -> PathBuf {
    target().join("cuda-toolkit")
}

pub(crate) fn nvcc() -> PathBuf {
    folder().join("bin/nvcc")
}

/// Whether the pinned wheels, and not others, are installed.
pub(crate) fn installed() -> bool {
    nvcc().is_file()
        && fs::read_to_string(folder().join("wheels.txt")).is_ok_and(|text| text == WHEELS.join("\n"))
}

/// Unpacks wheels into a folder with the machine's own pip.
pub(crate) fn install_wheels(wheels: &[&str], folder: &Path) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-compile",
    ]);
    pip.args(["--only-binary", ":all:", "--target"])
        .arg(folder)
        .args(wheels);
    util::stream(&mut pip).map_err(|error| {
        format!("{error}\nThe wheels are installed with `python3 -m pip`: is Python there, and its package index reachable?")
    })
}

/// Removes a folder, if it is there.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("removing {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// What the command does without flags.
pub(crate) fn run_default() -> Result<()> {
    run(Args { force: false })
}
