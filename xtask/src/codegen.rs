//! `cargo xtask codegen`: the Rust declarations of the C ABI, written by bindgen and committed.
//!
//! They are committed so that a build needs no libclang; `--check` in CI keeps them what the
//! header says. bindgen and what it needs live in a workspace of their own, `xtask/codegen`, so
//! that this program stays light.

use crate::{cuda_toolkit, util, Result};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail if the committed bindings are not what the header gives
    #[arg(long)]
    check: bool,
}

/// libclang from its wheel: few machines have it, and its version decides what bindgen writes.
const LIBCLANG: &str = "libclang==18.1.1";

impl Args {
    /// Compares, and changes nothing.
    pub(crate) fn checking() -> Args {
        Args { check: true }
    }
}

/// Installs what bindgen needs.
pub(crate) fn prepare() -> Result<()> {
    libclang().map(|_| ())
}

pub(crate) fn run(args: Args) -> Result<()> {
    let mut codegen = util::cargo();
    codegen.args([
        "run",
        "--quiet",
        "--locked",
        "--manifest-path",
        "xtask/codegen/Cargo.toml",
        "--",
    ]);
    codegen.arg(util::root());
    if args.check {
        codegen.arg("--check");
    }
    codegen.env("LIBCLANG_PATH", libclang()?);
    codegen.env("CARGO_TARGET_DIR", cuda_toolkit::target().join("codegen"));
    util::stream(&mut codegen)
}

fn libclang() -> Result<PathBuf> {
    let root = cuda_toolkit::target().join("libclang");
    let folder = root.join("clang/native");
    if !folder.join("libclang.so").is_file() {
        cuda_toolkit::install_wheels(&[LIBCLANG], &root)?;
    }
    Ok(folder)
}
