use crate::failure::Failure;
use crate::report::Report;
use groth16_prover::{BackendChoice, Prover};
use serde_json::json;

pub(crate) fn run(prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    let chosen = prover.backend_info();
    // What there is, whichever was chosen.
    let cpu = Prover::builder()
        .backend(BackendChoice::Cpu)
        .build()?
        .backend_info();
    let cuda = match chosen.name {
        "cuda" => Ok(chosen.clone()),
        _ => Prover::builder()
            .backend(BackendChoice::Cuda)
            .build()
            .map(|p| p.backend_info()),
    };
    let mut backends = vec![json!({ "name": cpu.name, "description": cpu.description })];
    report.line(format_args!("{:<8} {}", cpu.name, cpu.description));
    match &cuda {
        Ok(info) => {
            report.line(format_args!("{:<8} {}", info.name, info.description));
            backends.push(json!({ "name": info.name, "description": info.description }));
        }
        Err(reason) => {
            report.line(format_args!("{:<8} not to be had: {reason}", "cuda"));
            report.field("cuda_error", reason.to_string());
        }
    }
    report.field("backends", backends);
    report.fact("chosen", "chosen", chosen.name);
    Ok(())
}
