//! The released program on CPUs older than the build machine (B098, B100), by user-mode emulation: never
//! SIGILL, and the same bytes everywhere.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Outcome;
use crate::metadata::Metadata;
use crate::util::{capture, cargo, root, stream, which};
use crate::Result;

const PROGRAM: &str = "groth16-prover";
const QEMU: &str = "qemu-x86_64";

/// From no SSSE3 (phenom) over no AVX, no BMI2, no ADX, to a CPU with all of them.
const MODELS: &[&str] = &["phenom", "Nehalem", "SandyBridge", "Haswell", "Broadwell", "EPYC"];

const VECTORS: &str = "vectors/cases";

/// A circuit of the vectors, its public inputs as snarkjs writes them, and the blinding of the proof to make.
struct Case {
    circuit: &'static str,
    public: &'static str,
    r: &'static str,
    s: &'static str,
}

const CASES: &[Case] = &[
    Case {
        circuit: "mul",
        public: "[\"33\"]",
        r: "3",
        s: "5",
    },
    Case {
        circuit: "binp",
        public: "[\"2\",\"1\"]",
        r: "3",
        s: "5",
    },
];

pub(super) fn run() -> Result<Outcome> {
    let workspace = Metadata::workspace()?;
    let skip = |reason: &str| Ok(Outcome::Skipped(reason.to_owned()));
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return skip("the emulator runs x86-64 Linux programs on their own kind");
    }
    if !workspace.members().any(|package| package.name == PROGRAM) {
        return skip("there is no program yet");
    }
    if which(QEMU).is_none() {
        return skip("qemu-x86_64 is missing; Debian's package qemu-user has it");
    }
    stream(cargo().args(["build", "--locked", "--release", "--package", PROGRAM]))?;
    let program = workspace.target_directory.join("release").join(PROGRAM);
    let scratch = workspace.target_directory.join("old-cpus");
    fs::create_dir_all(&scratch).map_err(|error| format!("cannot create {}: {error}", scratch.display()))?;

    let native = prove_and_verify(|| Command::new(&program), &scratch)?;
    for model in MODELS {
        let emulated = || {
            let mut command = Command::new(QEMU);
            command.args(["-cpu", model]).arg(&program);
            command
        };
        let proofs = prove_and_verify(emulated, &scratch)
            .map_err(|message| format!("CPU model {model}: {message}"))?;
        if let Some(i) = (0..CASES.len()).find(|&i| proofs[i] != native[i]) {
            return Err(format!(
                "CPU model {model}: the proof for {} differs from this machine's",
                CASES[i].circuit
            ));
        }
        println!("CPU model {model}: {} proofs, the same bytes", proofs.len());
    }
    Ok(Outcome::Passed)
}

/// Makes and verifies the proof of each case with a program that `start` begins; returns the proofs' bytes.
fn prove_and_verify(start: impl Fn() -> Command, scratch: &Path) -> Result<Vec<Vec<u8>>> {
    capture(start().arg("--version"))?;
    CASES
        .iter()
        .map(|case| prove_and_verify_one(&start, case, scratch))
        .collect()
}

fn prove_and_verify_one(start: impl Fn() -> Command, case: &Case, scratch: &Path) -> Result<Vec<u8>> {
    let vector = |ending: &str| root().join(VECTORS).join(case.circuit).with_extension(ending);
    let (params, proof, public) = (
        vector("params"),
        scratch.join("proof.bin"),
        scratch.join("public.json"),
    );
    capture(
        start()
            .arg("prove")
            .arg("--params")
            .arg(&params)
            .arg("--r1cs")
            .arg(vector("r1cs"))
            .arg("--witness")
            .arg(vector("wtns"))
            .arg("--out")
            .arg(&proof)
            .args(["--r", case.r, "--s", case.s]),
    )?;
    fs::write(&public, case.public).map_err(|error| format!("cannot write {}: {error}", public.display()))?;
    capture(
        start()
            .arg("verify")
            .arg("--params")
            .arg(&params)
            .arg("--proof")
            .arg(&proof)
            .arg("--public")
            .arg(&public),
    )?;
    fs::read(&proof).map_err(|error| format!("cannot read {}: {error}", proof.display()))
}
