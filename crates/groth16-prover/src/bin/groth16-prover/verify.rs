use crate::failure::Failure;
use crate::files;
use crate::report::Report;
use groth16_core::params::TrailingBytes;
use groth16_prover::{MappedParams, ParamsCheck, PreparedVerifyingKey, VerifyingKey};

pub(crate) fn run(args: &crate::args::Verify, report: &mut Report) -> Result<(), Failure> {
    // A verifier trusts nobody: the key's points are checked whole.
    let vk = match (&args.vk, &args.params) {
        (Some(path), _) => VerifyingKey::from_bytes(&files::read(path)?, ParamsCheck::Subgroup.point_check())
            .map_err(|e| Failure::core_in_file(path, e))?,
        (None, Some(path)) => {
            MappedParams::open(path, TrailingBytes::Refuse)?.verifying_key(ParamsCheck::Subgroup)?
        }
        (None, None) => return Err(Failure::Usage("one of --vk and --params is needed".into())),
    };
    let proof = files::proof(&args.proof)?;
    let public = files::public_inputs(&args.public)?;
    let prepared = PreparedVerifyingKey::from(&vk);
    let verified = report
        .stage("verify", "verify", || prepared.verify(&proof, &public))
        .map_err(|e| Failure::core_in_file(&args.public, e))?;
    report.fact("verified", "verified", verified);
    match verified {
        true => Ok(()),
        false => Err(Failure::Rejected),
    }
}
