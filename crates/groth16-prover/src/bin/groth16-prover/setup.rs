use crate::failure::Failure;
use crate::files::{self, Output, Written};
use crate::report::Report;
use groth16_prover::{OsRng, Prover, ToxicWaste};

pub(crate) fn run(args: &crate::args::Setup, prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    files::check_distinct(
        &[("--out", Some(&args.out)), ("--vk", args.vk.as_deref())],
        &[("--r1cs", &args.r1cs)],
    )?;
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
        prover.generate_parameters(&r1cs, &waste)
    })?;
    report.stage("write", "write parameters", || {
        let vk_out = vk_out.map(|out| out.write(|file| file.write_all(&parameters.vk.to_bytes())));
        let vk_out = vk_out.transpose()?;
        out.write(|file| parameters.write(file))?.commit()?;
        vk_out.map_or(Ok(()), Written::commit)
    })?;
    report.fact("params_bytes", "bytes of parameters", parameters.encoded_bytes());
    Ok(())
}
