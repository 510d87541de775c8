//! Every setting in turn: what each part of the schedule is worth.

use super::rig::Rig;
use super::setting::Setting;
use super::subject::Subject;
use super::{prover_of, table, Wants};
use crate::args::{Bench, Common};
use crate::failure::Failure;
use crate::files::Output;
use crate::report::Report;

const WHAT: &str = "setting";

pub(super) fn run(args: &Bench, common: &Common, report: &mut Report) -> Result<(), Failure> {
    let csv = args.csv.as_deref().map(Output::create).transpose()?;
    let mut subject = None;
    let mut rows = Vec::new();
    for setting in Setting::ALL {
        let (prover, timelines) = prover_of(common, setting.options(), Wants::Timelines, "--ablate")?;
        let subject = match &subject {
            Some(subject) => subject,
            None => {
                super::name_backend(&prover, report);
                report.fact("jobs", "proofs together", table::n_jobs(args));
                subject.insert(Subject::make(args, &prover, report)?)
            }
        };
        report.line(format_args!("\n{}", setting.name()));
        let rig = Rig::new(subject, prover, timelines, report)?;
        let (row, _) = table::measure(&rig, setting.name().to_owned(), args, report)?;
        rows.push(row);
    }
    table::print(&rows, WHAT, "ablation", report);
    if let (Some(csv), Some(subject)) = (csv, &subject) {
        csv.write(|out| table::write_csv(&rows, WHAT, subject, args, out))?
            .commit()?;
    }
    Ok(())
}
