//! Sets `cfg(ifma)` where the vector kernels of the NTT and of the batched additions can be compiled: x86-64,
//! and a compiler whose AVX-512 intrinsics are stable (Rust 1.89). Older compilers leave them out; whether
//! the processor has the instructions is asked at run time.

use std::process::Command;

const MINOR_WITH_AVX512: u32 = 89;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(ifma)");
    let x86_64 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if x86_64 && rustc_minor().is_some_and(|minor| minor >= MINOR_WITH_AVX512) {
        println!("cargo:rustc-cfg=ifma");
    }
}

/// The x of "rustc 1.x.y".
fn rustc_minor() -> Option<u32> {
    let output = Command::new(std::env::var_os("RUSTC")?)
        .arg("--version")
        .output()
        .ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split_whitespace().nth(1)?.split('.').nth(1)?.parse().ok()
}
