//! Says whether the compiler has the AVX-512 intrinsics: stable from Rust 1.89, which is newer than this crate asks for.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(avx512_intrinsics)");
    let is_x86_64 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if is_x86_64 && rustc_minor().is_some_and(|minor| minor >= 89) {
        println!("cargo:rustc-cfg=avx512_intrinsics");
    }
}

/// The 95 of "rustc 1.95.0 (...)".
fn rustc_minor() -> Option<u32> {
    let output = Command::new(std::env::var_os("RUSTC")?)
        .arg("--version")
        .output()
        .ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}
