use crate::args::ProofFormat;
use crate::failure::Failure;
use crate::files::{self, Output, Written};
use crate::report::Report;
use circom_formats::write_public_json;
use groth16_core::params::TrailingBytes;
use groth16_core::Srs;
use groth16_prover::{write_proof_json, MappedParams, ParamsCheck, Prover};
use sha2::{Digest, Sha256};
use std::sync::Arc;

pub(crate) fn run(args: &crate::args::Prove, prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    // Outputs first, then the small inputs, then what they say of each other: the key is decoded last.
    files::check_distinct(
        &[
            ("--out", Some(&args.out)),
            ("--public-out", args.public_out.as_deref()),
        ],
        &[
            ("--params", &args.params),
            ("--r1cs", &args.r1cs),
            ("--witness", &args.witness),
        ],
    )?;
    let out = Output::create(&args.out)?;
    let public_out = args.public_out.as_deref().map(Output::create).transpose()?;
    let params = MappedParams::open(&args.params, TrailingBytes::Refuse)?;
    let (r1cs, witness) = report.stage("read", "read circuit and witness", || {
        Ok::<_, Failure>((files::r1cs(&args.r1cs)?, files::witness(&args.witness)?))
    })?;
    r1cs.check_witness(&witness)
        .map_err(|e| Failure::core_in_file(&args.witness, e))?;
    params.index().counts().check_circuit(&r1cs.key_counts())?;
    let assignment = report
        .stage("evaluate", "evaluate constraints", || {
            prover.assign(&r1cs, &witness)
        })
        .map_err(|e| Failure::core_in_file(&args.witness, e))?;
    drop(r1cs);
    if let Some(expected) = &args.params_sha256 {
        let actual = report.stage("sha256", "hash parameters", || sha256_hex(params.bytes()));
        if actual != expected.0 {
            let path = args.params.display();
            return Err(Failure::Input(format!(
                "{path}: SHA-256 is {actual}, but --params-sha256 says {}",
                expected.0
            )));
        }
    }
    let check = if args.check {
        ParamsCheck::Subgroup
    } else {
        ParamsCheck::Curve
    };
    let key = report.stage("load", "load parameters", || {
        prover.load(Srs::Mapped(Arc::new(params), check))
    })?;

    let (circuits, blindings) = ([assignment.as_assignment()], [args.blinding()]);
    let proofs = if args.no_verify {
        report.stage("prove", "prove", || {
            prover.prove_unverified(&key, &circuits, &blindings)
        })?
    } else {
        report.stage("prove", "prove and verify", || {
            prover.prove_assignments(&key, &circuits, &blindings)
        })?
    };
    let proof = proofs[0];
    let n_public = key.verifying_key().n_public();
    let public_out = public_out
        .map(|out| out.write(|file| file.write_all(write_public_json(&witness[1..=n_public]).as_bytes())));
    let public_out = public_out.transpose()?;
    let out = out.write(|file| match args.format {
        ProofFormat::Bin => file.write_all(&proof.to_bytes()),
        ProofFormat::Snarkjs => file.write_all(write_proof_json(&proof).as_bytes()),
    })?;
    public_out.map_or(Ok(()), Written::commit)?;
    out.commit()?;
    report.field("proof", hex(&proof.to_bytes()));
    report.fact("verified", "verified", !args.no_verify);
    report.fact("out", "proof written to", args.out.display().to_string());
    Ok(())
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
