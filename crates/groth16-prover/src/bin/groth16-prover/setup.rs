use crate::failure::Failure;
use crate::files::{self, Output};
use crate::report::Report;
use groth16_prover::{generate_parameters, OsRng, Prover, ToxicWaste};

pub(crate) fn run(args: &crate::args::Setup, prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    let out = Output::create(&args.out)?;
    let vk_out = args.vk.as_deref().map(Output::create).transpose()?;
    let r1cs = report.stage("read", "read circuit", || files::r1cs(&args.r1cs))?;
    report.fact("constraints", "constraints", r1cs.n_constraints());
    report.fact("inputs", "inputs (with ONE)", r1cs.n_inputs());
    report.fact("aux", "private wires", r1cs.n_aux());

    let waste = match args.insecure_seed {
        None => ToxicWaste::random(&mut OsRng),
        Some(seed) => {
            tracing::warn!("--insecure-seed makes an INSECURE key: anyone can forge proofs for it");
            report.field("insecure", true);
            ToxicWaste::insecure_from_seed(seed)
        }
    };
    let parameters = report.stage("setup", "make parameters", || {
        prover.in_pool(|| generate_parameters(&r1cs, &waste))
    })?;
    report.stage("write", "write parameters", || {
        out.commit(|file| parameters.write(file))
    })?;
    if let Some(vk_out) = vk_out {
        vk_out.commit(|file| file.write_all(&parameters.vk.to_bytes()))?;
    }
    report.fact("params_bytes", "bytes of parameters", parameters.encoded_bytes());
    Ok(())
}
