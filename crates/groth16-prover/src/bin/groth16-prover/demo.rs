use crate::failure::Failure;
use crate::prove::hex;
use crate::report::Report;
use bellpepper::gadgets::{multipack, sha256::sha256};
use bellpepper_core::boolean::{AllocatedBit, Boolean};
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use groth16_core::circuit::{assign_circuit, r1cs_of_circuit};
use groth16_prover::{Blinding, Fr, OsRng, Proof, Prover, ToxicWaste};
use sha2::{Digest, Sha256};

/// I know a message with this SHA-256.
struct Preimage<'a> {
    n_bytes: usize,
    message: Option<&'a [u8]>,
}

impl Circuit<Fr> for Preimage<'_> {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let bits = (0..self.n_bytes * 8)
            .map(|i| {
                // Big-endian within a byte, as the gadget wants its input.
                let bit = self.message.map(|m| m[i / 8] >> (7 - i % 8) & 1 == 1);
                let bit = AllocatedBit::alloc(cs.namespace(|| format!("message bit {i}")), bit)?;
                Ok(Boolean::from(bit))
            })
            .collect::<Result<Vec<_>, SynthesisError>>()?;
        let digest = sha256(cs.namespace(|| "sha256"), &bits)?;
        multipack::pack_into_inputs(cs.namespace(|| "digest"), &digest)
    }
}

pub(crate) fn run(args: &crate::args::Demo, prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    let message = args.message.as_bytes();
    let digest = Sha256::digest(message);
    let blank = Preimage {
        n_bytes: message.len(),
        message: None,
    };
    let known = Preimage {
        n_bytes: message.len(),
        message: Some(message),
    };

    report.line("I know a message with this SHA-256, and prove it without showing the message.\n");
    report.fact("sha256", "SHA-256", hex(&digest));
    report.fact("backend", "backend", prover.backend_info().name);
    let r1cs = report.stage("synthesize", "synthesize the circuit", || r1cs_of_circuit(blank))?;
    report.fact("constraints", "constraints", r1cs.n_constraints());
    report.fact("aux", "private wires", r1cs.n_aux());

    let waste = ToxicWaste::random(&mut OsRng);
    let parameters = report.stage("setup", "set up (single party)", || {
        prover.generate_parameters(&r1cs, &waste)
    })?;
    let key = prover.load(parameters)?;
    let assignment = report.stage("witness", "compute the witness", || assign_circuit(known))?;
    let blinding = Blinding::random(&mut OsRng);
    let proofs = report.stage("prove", "prove, and verify once", || {
        prover.prove_assignments(&key, &[assignment.as_assignment()], &[blinding])
    })?;
    let proof = proofs[0];
    report.fact("proof_bytes", "bytes of the proof", Proof::BYTES);
    report.field("proof", hex(&proof.to_bytes()));

    let public = digest_inputs(&digest);
    let verified = report.stage("verify", "verify", || key.verifier().verify(&proof, &public))?;
    let other = digest_inputs(&Sha256::digest(b"another message"));
    let fooled = key.verifier().verify(&proof, &other)?;
    report.fact("verified", "verified", verified);
    report.fact(
        "verified_for_another_digest",
        "verified for another digest",
        fooled,
    );
    match verified && !fooled {
        true => Ok(()),
        false => Err(Failure::Rejected),
    }
}

/// The digest's bits packed into field elements, as the circuit packs them.
fn digest_inputs(digest: &[u8]) -> Vec<Fr> {
    multipack::compute_multipacking(&multipack::bytes_to_bits(digest))
}
