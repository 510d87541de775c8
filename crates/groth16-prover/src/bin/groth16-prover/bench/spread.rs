//! One device, then several: what the others are worth, and that a proof has the same bytes.

use super::rig::Rig;
use super::setting::Setting;
use super::subject::Subject;
use super::{prover_of, table, Wants};
use crate::args::{Bench, Common};
use crate::failure::Failure;
use crate::files::Output;
use crate::report::Report;
use groth16_prover::{write_chrome_trace, DeviceOptions};

const WHAT: &str = "devices";

pub(super) fn run(args: &Bench, common: &Common, report: &mut Report) -> Result<(), Failure> {
    let csv = args.csv.as_deref().map(Output::create).transpose()?;
    let trace = args.trace.as_deref().map(Output::create).transpose()?;
    let gpus = match common.gpus() {
        Some(gpus) if gpus.len() > 1 => gpus,
        _ => {
            return Err(Failure::Usage(
                "--compare-devices compares the first device of --gpu with all of them: name two or more"
                    .into(),
            ))
        }
    };
    let mut subject = None;
    let (mut rows, mut proofs, mut last) = (Vec::new(), Vec::new(), Vec::new());
    for gpus in [&gpus[..1], gpus] {
        let options = DeviceOptions {
            gpus: Some(gpus.to_vec()),
            ..Setting::Default.options()
        };
        let (prover, timelines) = prover_of(common, options, Wants::Timelines, "--compare-devices")?;
        super::name_backend(&prover, report);
        let subject = match &subject {
            Some(subject) => subject,
            None => {
                report.fact("jobs", "proofs together", table::n_jobs(args));
                subject.insert(Subject::make(args, &prover, report)?)
            }
        };
        let rig = Rig::new(subject, prover, timelines, report)?;
        let names: Vec<String> = gpus.iter().map(u32::to_string).collect();
        let (row, timelines) = table::measure(&rig, names.join(","), args, report)?;
        rows.push(row);
        // Now each device has the key, so that it is one that they make together, if they ever do.
        proofs.push(rig.fixed_proof()?);
        last = timelines;
    }
    table::print(&rows, WHAT, "comparison", report);
    if proofs[0] != proofs[1] {
        return Err(Failure::Device(
            "a proof on several devices differs from one device's for the same r and s: please report it"
                .into(),
        ));
    }
    report.line(format_args!("the same bytes"));
    if let (Some(csv), Some(subject)) = (csv, &subject) {
        csv.write(|out| table::write_csv(&rows, WHAT, subject, args, out))?
            .commit()?;
    }
    if let Some(trace) = trace {
        trace.write(|out| write_chrome_trace(&last, out))?.commit()?;
    }
    Ok(())
}
