use crate::failure::Failure;
use crate::report::Report;
use groth16_prover::Prover;
use serde_json::json;

pub(crate) fn run(prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    let info = prover.backend_info();
    report.line(format_args!("{:<8} {}", info.name, info.description));
    report.line("cuda     not in this build");
    report.field(
        "backends",
        json!([{ "name": info.name, "description": info.description }]),
    );
    report.field("cuda_devices", json!([]));
    report.field("chosen", info.name);
    Ok(())
}
