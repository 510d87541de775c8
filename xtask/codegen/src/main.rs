//! `codegen ROOT [--check]`: bindings of `sppark-fork`, with libclang from `LIBCLANG_PATH`.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

const HEADER: &str = "sppark-fork/include/sppark_fork.h";
const BINDINGS: &str = "sppark-fork/src/sys.rs";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let check = arguments.iter().any(|argument| argument == "--check");
    let outcome = match arguments.first() {
        Some(root) => run(Path::new(root), check),
        None => Err("usage: codegen ROOT [--check]".to_owned()),
    };
    match outcome {
        Ok(what) => {
            println!("{BINDINGS}: {what}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("codegen: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path, check: bool) -> Result<&'static str, String> {
    let text = generate(&root.join(HEADER))?;
    let path = root.join(BINDINGS);
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if words(&committed) == words(&text) {
        return Ok("is what the header gives");
    }
    if check {
        return Err(format!(
            "{BINDINGS} is not what {HEADER} gives: run `cargo xtask codegen` and commit the result"
        ));
    }
    fs::write(&path, text).map_err(|error| format!("writing {BINDINGS}: {error}"))?;
    let status = Command::new("rustfmt")
        .args(["--edition", "2021"])
        .arg(&path)
        .current_dir(root)
        .status();
    match status {
        Ok(status) if status.success() => Ok("written"),
        Ok(status) => Err(format!("rustfmt ended with {status}")),
        Err(error) => Err(format!("cannot start rustfmt: {error}")),
    }
}

fn generate(header: &Path) -> Result<String, String> {
    // The wheel brings no headers of its own: stdint.h comes from the system's compiler.
    let include = Command::new("gcc").arg("-print-file-name=include").output();
    let include = include
        .map_err(|error| format!("cannot start gcc: {error}"))?
        .stdout;
    let rust = bindgen::RustTarget::stable(85, 0).map_err(|error| error.to_string())?;
    bindgen::Builder::default()
        .header(header.to_string_lossy())
        .clang_arg(format!("-I{}", String::from_utf8_lossy(&include).trim()))
        .allowlist_item("(spf|SPF)_.*")
        .blocklist_item("SPF_NOEXCEPT|SPF_API")
        .default_macro_constant_type(bindgen::MacroTypeVariation::Signed)
        .use_core()
        .layout_tests(true)
        .derive_default(true)
        .rust_target(rust)
        .rust_edition(bindgen::RustEdition::Edition2021)
        .generate_comments(false)
        .disable_header_comment()
        .raw_line(
            "//! Declarations of the C ABI, written by `cargo xtask codegen` from include/sppark_fork.h. Do not edit.",
        )
        .raw_line(
            "#![allow(missing_docs, non_camel_case_types, dead_code, unreachable_pub, clippy::all, \
             clippy::undocumented_unsafe_blocks)]",
        )
        .generate()
        .map(|bindings| bindings.to_string())
        .map_err(|error| format!("bindgen: {error}"))
}

// rustfmt moves white space and trailing commas only.
fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect()
}
