//! `cargo xtask gpu-bundle`: all that a machine with a GPU has to run, in one
//! archive that needs no Rust there.
//!
//! Rented machines have a driver, seldom Rust, and their hours are dear: tests, benches and the program are
//! built here, where no GPU is needed, and `run` there runs groups of them.

use crate::{cuda_check, cuda_toolkit, util, Result};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Architectures to build for, as in CUDA_ARCHS: 90 or 80,90
    #[arg(long, value_name = "LIST", default_value = "90")]
    arch: String,
    /// Also build benches/peer, the comparison with the predecessor (sm_90 only)
    #[arg(long)]
    peer: bool,
    /// Also build integration/filecoin and the tests of integration/bellperson: other people's stacks over our prover
    #[arg(long)]
    filecoin: bool,
}

/// The script that runs there.
const RUN: &str = include_str!("../gpu-bundle/run");

/// Over this an upload to a rented machine takes longer than most of what runs there.
const MOST_BYTES: u64 = 60 << 20;

/// What cargo builds: arguments, and the folder of the bundle that the programs go to.
type Builds<'a> = &'a [(&'a str, &'a str)];

const BUILDS: Builds<'_> = &[
    ("test --no-run --release --package sppark-fork --features cuda", "tests"),
    (
        "test --no-run --release --package supraseal-c2 --features cuda --lib --test suite_cuda --test large_cuda \
         --test two_cards --test cases --test compat_cpu",
        "tests",
    ),
    (
        "bench --no-run --package sppark-fork --features cuda --bench device_msm --bench device_ntt",
        "benches",
    ),
    ("build --release --package groth16-prover --features cuda --bin groth16-prover", "."),
];

/// In workspaces of their own; but for their target folder, which is ours, so that kernels are compiled once.
const FILECOIN_BUILDS: Builds<'_> = &[
    (
        "build --release --manifest-path integration/filecoin/Cargo.toml --features cuda",
        ".",
    ),
    // One at a time, as the features of one would reach the other.
    (
        "test --no-run --release --manifest-path integration/bellperson/Cargo.toml --package ours26 --features cuda \
         --test proofs",
        "bellperson",
    ),
    (
        "test --no-run --release --manifest-path integration/bellperson/Cargo.toml --package ours27 --features cuda \
         --test proofs",
        "bellperson",
    ),
];

/// A program that cargo has built.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    path: PathBuf,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let nvcc = cuda_check::compiler()?;
    let folder = cuda_toolkit::target().join("gpu-bundle");
    cuda_toolkit::remove(&folder)?;
    build(BUILDS, &nvcc, &args.arch, &folder)?;
    if args.filecoin {
        let mut prepare = Command::new(util::root().join("integration/filecoin/run"));
        util::stream(prepare.arg("--prepare"))?;
        build(FILECOIN_BUILDS, &nvcc, &args.arch, &folder)?;
    }
    if args.peer {
        let mut build = Command::new(util::root().join("benches/peer/build"));
        util::stream(build.env("NVCC", &nvcc).env("CARGO_TARGET_DIR", peer_target()))?;
        place(&peer_target().join("release/peer"), &folder.join("bin/peer"))?;
    }
    copy_vectors(&folder.join("vectors/cases"))?;
    write(&folder.join("about.txt"), &about(&args.arch)?)?;
    write(&folder.join("run"), RUN)?;
    let mut chmod = Command::new("chmod");
    util::stream(chmod.arg("+x").arg(folder.join("run")))?;
    pack(&folder)
}

fn build(builds: Builds<'_>, nvcc: &Path, archs: &str, folder: &Path) -> Result<()> {
    for &(arguments, to) in builds {
        let mut cargo = util::cargo();
        cargo
            .args(arguments.split_whitespace())
            .args(["--locked", "--message-format=json-render-diagnostics"])
            .env("CARGO_TARGET_DIR", cuda_toolkit::target())
            .env("NVCC", nvcc)
            .env("CUDA_ARCHS", archs);
        println!("$ {}", util::shell_line(&cargo));
        let with_package = ["tests", "bellperson"].contains(&to);
        for program in programs(&util::capture(&mut cargo)?, with_package)? {
            place(&program.path, &folder.join("bin").join(to).join(&program.name))?;
        }
    }
    Ok(())
}

fn peer_target() -> PathBuf {
    cuda_toolkit::target().join("peer")
}

/// The programs among cargo's messages. A test's name has its package before it: several
/// packages may have one of a name.
fn programs(messages: &str, with_package: bool) -> Result<Vec<Program>> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
        manifest_path: Option<PathBuf>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
        kind: Vec<String>,
    }
    let mut found = Vec::new();
    for line in messages.lines() {
        let message: Message =
            serde_json::from_str(line).map_err(|error| format!("a message of cargo: {error}: {line}"))?;
        let (Some(path), Some(manifest), Some(target)) =
            (message.executable, message.manifest_path, message.target)
        else {
            continue;
        };
        let package = manifest
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let name = match (with_package, target.kind.iter().any(|kind| kind == "lib")) {
            (true, true) => format!("{package}-lib"),
            (true, false) => format!("{package}-{}", target.name),
            (false, _) => target.name,
        };
        found.push(Program { name, path });
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err("cargo built no program".to_owned()),
    }
}

/// A program without its symbols: they are nine tenths of it.
fn place(from: &Path, to: &Path) -> Result<()> {
    make_folder_of(to)?;
    util::stream(Command::new("strip").arg("-o").arg(to).arg(from))
}

fn copy_vectors(to: &Path) -> Result<()> {
    let files = util::tracked_files()?;
    let vectors = files.iter().filter_map(|file| {
        let name = file.strip_prefix("vectors/cases").ok()?;
        Some((util::root().join(file), to.join(name)))
    });
    for (from, to) in vectors {
        make_folder_of(&to)?;
        fs::copy(&from, &to).map_err(|error| format!("copying {}: {error}", from.display()))?;
    }
    Ok(())
}

/// What the bundle was built from and what it asks of the machine.
fn about(archs: &str) -> Result<String> {
    let commit = util::capture(Command::new("git").current_dir(util::root()).args([
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
    ]))?;
    let libc = util::capture(Command::new("ldd").arg("--version"))?;
    Ok(format!(
        "commit {}\narchitectures {archs}\nbuilt with, and no older one will do: {}\n",
        commit.trim(),
        libc.lines().next().unwrap_or_default()
    ))
}

fn pack(folder: &Path) -> Result<()> {
    let archive = folder.with_extension("tar.xz");
    let parent = folder.parent().expect("the bundle lies in the target folder");
    let mut tar = Command::new("tar");
    tar.arg("-cf").arg("-").arg("-C").arg(parent).arg("gpu-bundle");
    println!("$ {} | xz", util::shell_line(&tar));
    let mut tar = tar
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start tar: {error}"))?;
    let file = fs::File::create(&archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    let contents = tar.stdout.take().ok_or("tar has no output")?;
    // The programs hold the same kernels: with a window over all of them, these are stored once.
    let packed = Command::new("xz")
        .args(["--threads=1", "--lzma2=preset=6,dict=256MiB", "-c"])
        .stdin(contents)
        .stdout(file)
        .status()
        .map_err(|error| format!("cannot start xz: {error}"))?;
    let listed = tar.wait().map_err(|error| format!("waiting for tar: {error}"))?;
    if !packed.success() || !listed.success() {
        return Err(format!(
            "packing {}: tar {listed}, xz {packed}",
            archive.display()
        ));
    }
    let n_bytes = fs::metadata(&archive)
        .map_err(|error| format!("{}: {error}", archive.display()))?
        .len();
    println!(
        "{}: {:.1} MiB",
        archive.display(),
        n_bytes as f64 / f64::from(1 << 20)
    );
    if n_bytes > MOST_BYTES {
        return Err(format!(
            "the bundle has {n_bytes} bytes, {MOST_BYTES} are the most: build for fewer architectures"
        ));
    }
    println!("there: tar -xf gpu-bundle.tar.xz && gpu-bundle/run tests");
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| format!("writing {}: {error}", path.display()))
}

fn make_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().expect("a path in the bundle");
    fs::create_dir_all(folder).map_err(|error| format!("making {}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_among_cargos_messages() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"a/sppark-fork/Cargo.toml","target":{"kind":["lib"],"name":"sppark_fork"},"executable":null}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"a/sppark-fork/Cargo.toml","target":{"kind":["lib"],"name":"sppark_fork"},"executable":"t/x-1"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"a/sppark-fork/Cargo.toml","target":{"kind":["test"],"name":"msm"},"executable":"t/msm-2"}"#,
            r#"{"reason":"build-finished","success":true}"#,
        ]
        .join("\n");
        let named = |name: &str, path: &str| Program {
            name: name.into(),
            path: path.into(),
        };
        assert_eq!(
            programs(&messages, true).unwrap(),
            [
                named("sppark-fork-lib", "t/x-1"),
                named("sppark-fork-msm", "t/msm-2")
            ]
        );
        assert_eq!(programs(&messages, false).unwrap()[1], named("msm", "t/msm-2"));
        assert!(programs(r#"{"reason":"build-finished","success":true}"#, true).is_err());
    }

    #[test]
    fn the_script_is_valid_shell_and_names_its_groups() {
        let script = util::root().join("xtask/gpu-bundle/run");
        let checked = Command::new("bash").arg("-n").arg(&script).status().unwrap();
        assert!(checked.success());
        // An unknown group, or none, is refused before anything runs.
        for arguments in [&[][..], &["nonsense"]] {
            let output = Command::new("bash")
                .arg(&script)
                .args(arguments)
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            let said = [output.stdout, output.stderr].concat();
            assert!(String::from_utf8_lossy(&said).contains("bench-msm"));
        }
    }
}
