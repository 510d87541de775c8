//! `cargo xtask codegen`: the Rust declarations of the C ABI, written by bindgen and committed.
//!
//! They are committed so that a build needs no libclang; `--check` in CI keeps them what the header says.

#[cfg(not(feature = "codegen"))]
use crate::Result;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail if the committed bindings are not what the header gives
    #[arg(long)]
    check: bool,
}

#[cfg(not(feature = "codegen"))]
pub(crate) fn run(args: Args) -> Result<()> {
    // One command line for all: a second cargo builds this crate with bindgen and runs the real thing.
    let mut cargo = crate::util::cargo();
    cargo.args([
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--features",
        "codegen",
        "--",
        "codegen",
    ]);
    if args.check {
        cargo.arg("--check");
    }
    crate::util::stream(&mut cargo)
}

#[cfg(feature = "codegen")]
pub(crate) use with_bindgen::run;

#[cfg(feature = "codegen")]
mod with_bindgen {
    use super::Args;
    use crate::{cuda_toolkit, util, Result};
    use std::fs;
    use std::path::PathBuf;
    use std::process::Command;

    /// libclang from its wheel: few machines have it, and its version decides what bindgen writes.
    const LIBCLANG: &str = "libclang==18.1.1";

    const HEADER: &str = "sppark-fork/include/sppark_fork.h";
    const BINDINGS: &str = "sppark-fork/src/sys.rs";

    pub(crate) fn run(args: Args) -> Result<()> {
        let folder = libclang()?;
        // SAFETY: this program has one thread; libclang is loaded after this, by bindgen.
        unsafe { std::env::set_var("LIBCLANG_PATH", &folder) };
        // The wheel brings no headers of its own: stdint.h comes from the system's compiler.
        let include = util::capture(Command::new("gcc").arg("-print-file-name=include"))?;
        let text = bindgen::Builder::default()
            .header(util::root().join(HEADER).to_string_lossy())
            .clang_arg(format!("-I{}", include.trim()))
            .allowlist_item("(spf|SPF)_.*")
            .blocklist_item("SPF_NOEXCEPT|SPF_API")
            .default_macro_constant_type(bindgen::MacroTypeVariation::Signed)
            .use_core()
            .layout_tests(true)
            .derive_default(true)
            .rust_target(bindgen::RustTarget::stable(85, 0).map_err(|error| error.to_string())?)
            .rust_edition(bindgen::RustEdition::Edition2021)
            .generate_comments(false)
            .disable_header_comment()
            .raw_line("//! Declarations of the C ABI, written by `cargo xtask codegen` from include/sppark_fork.h. Do not edit.")
            .raw_line("#![allow(missing_docs, non_camel_case_types, dead_code, unreachable_pub, clippy::all)]")
            .generate()
            .map_err(|error| format!("bindgen: {error}"))?
            .to_string();
        let path = util::root().join(BINDINGS);
        let committed = fs::read_to_string(&path).unwrap_or_default();
        let same = words(&committed) == words(&text);
        if args.check {
            return if same {
                println!("{BINDINGS} is what {HEADER} gives");
                Ok(())
            } else {
                Err(format!(
                    "{BINDINGS} is not what {HEADER} gives: run `cargo xtask codegen` and commit the result"
                ))
            };
        }
        if !same {
            fs::write(&path, text).map_err(|error| format!("writing {BINDINGS}: {error}"))?;
            util::stream(Command::new("rustfmt").arg("--edition").arg("2021").arg(&path))?;
        }
        println!("{BINDINGS}: {}", if same { "unchanged" } else { "written" });
        Ok(())
    }

    // rustfmt moves white space and trailing commas only.
    fn words(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
    }

    fn libclang() -> Result<PathBuf> {
        let root = cuda_toolkit::target().join("libclang");
        let folder = root.join("clang/native");
        if !folder.join("libclang.so").is_file() {
            cuda_toolkit::install_wheels(&[LIBCLANG], &root)?;
        }
        Ok(folder)
    }
}
