//! Every setting in turn: what each part of the schedule is worth.

use super::rig::{median, Rig, Run};
use super::setting::Setting;
use super::subject::Subject;
use super::{prover_of, Wants};
use crate::args::{Bench, Common};
use crate::failure::Failure;
use crate::files::Output;
use crate::report::Report;
use groth16_prover::busy_share;
use serde_json::json;
use std::io::Write;

/// Calls made together unless the user says how many.
const DEFAULT_JOBS: u16 = 10;

/// What was measured of one setting.
struct Row {
    setting: Setting,
    /// seconds a proof, one at a time
    alone_s: f64,
    /// seconds a proof with several under way, in the steady state
    together_s: f64,
    /// of the time in which several were under way
    busy_share: f64,
    uploaded_bytes: u64,
    downloaded_bytes: u64,
}

pub(super) fn run(args: &Bench, common: &Common, report: &mut Report) -> Result<(), Failure> {
    let csv = args.csv.as_deref().map(Output::create).transpose()?;
    let n_jobs = args.jobs.unwrap_or(DEFAULT_JOBS);
    let mut subject = None;
    let mut rows: Vec<Row> = Vec::new();
    for setting in Setting::ALL {
        let (prover, timelines) = prover_of(common, setting, Wants::Timelines, "--ablate")?;
        let subject = match &subject {
            Some(subject) => subject,
            None => {
                super::name_backend(&prover, report);
                report.fact("jobs", "proofs together", n_jobs);
                subject.insert(Subject::make(args, &prover, report)?)
            }
        };
        report.line(format_args!("\n{}", setting.name()));
        let rig = Rig::new(subject, prover, timelines, report)?;
        rows.push(measure(&rig, setting, args, n_jobs, report)?);
    }
    print(&rows, report);
    if let (Some(csv), Some(subject)) = (csv, &subject) {
        csv.write(|out| write_csv(&rows, subject, args, n_jobs, out))?
            .commit()?;
    }
    Ok(())
}

fn measure(
    rig: &Rig<'_>,
    setting: Setting,
    args: &Bench,
    n_jobs: u16,
    report: &mut Report,
) -> Result<Row, Failure> {
    // The first proof makes tables and room.
    report.stage("first", "first proof", || rig.one_call(1))?;
    if args.compare_cpu {
        report.stage("compare", "compare with the CPU", || rig.compare_with_cpu())?;
    }
    let runs =
        |one: &dyn Fn() -> Result<Run, Failure>| (0..args.runs).map(|_| one()).collect::<Result<Vec<_>, _>>();
    let alone = report.stage("alone", "one at a time", || runs(&|| rig.one_call(1)))?;
    let together = report.stage("together", "together", || runs(&|| rig.calls_together(n_jobs)))?;
    let seconds = |runs: &[Run]| median(runs.iter().map(|run| run.a_proof.as_secs_f64())).unwrap_or_default();
    let of_each = |bytes: fn(&groth16_prover::timeline::Timeline) -> u64| {
        median(together.iter().flat_map(|run| &run.timelines).map(bytes)).unwrap_or_default()
    };
    Ok(Row {
        setting,
        alone_s: seconds(&alone),
        together_s: seconds(&together),
        busy_share: median(together.iter().filter_map(|run| busy_share(&run.timelines))).unwrap_or_default(),
        uploaded_bytes: of_each(|timeline| timeline.uploaded_bytes),
        downloaded_bytes: of_each(|timeline| timeline.downloaded_bytes),
    })
}

fn print(rows: &[Row], report: &mut Report) {
    report.line(format_args!(
        "\n{:<18} {:>12} {:>6} {:>12} {:>6} {:>6} {:>12} {:>12}",
        "setting", "alone, s", "ratio", "together, s", "ratio", "busy", "MB up", "MB down"
    ));
    for row in rows {
        let [alone, together] = row.ratios(&rows[0]);
        report.line(format_args!(
            "{:<18} {:>12.4} {:>6.2} {:>12.4} {:>6.2} {:>5.1}% {:>12.3} {:>12.3}",
            row.setting.name(),
            row.alone_s,
            alone,
            row.together_s,
            together,
            100.0 * row.busy_share,
            row.uploaded_bytes as f64 / 1e6,
            row.downloaded_bytes as f64 / 1e6,
        ));
    }
    let rows = rows.iter().map(|row| {
        json!({
            "setting": row.setting.name(),
            "alone_s": row.alone_s,
            "together_s": row.together_s,
            "busy_share": row.busy_share,
            "uploaded_bytes": row.uploaded_bytes,
            "downloaded_bytes": row.downloaded_bytes,
        })
    });
    report.field("ablation", rows.collect::<Vec<_>>());
}

impl Row {
    /// Against the default: alone and together.
    fn ratios(&self, default: &Row) -> [f64; 2] {
        [
            self.alone_s / default.alone_s,
            self.together_s / default.together_s,
        ]
    }
}

fn write_csv(
    rows: &[Row],
    subject: &Subject,
    args: &Bench,
    n_jobs: u16,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(
        out,
        "setting,shape,log_n,full_percent,runs,jobs,alone_s,alone_ratio,together_s,together_ratio,busy_share,\
         uploaded_bytes,downloaded_bytes"
    )?;
    for row in rows {
        let [alone, together] = row.ratios(&rows[0]);
        writeln!(
            out,
            "{},{},{},{:.2},{},{n_jobs},{:.6},{alone:.4},{:.6},{together:.4},{:.4},{},{}",
            row.setting.name(),
            subject.name.as_deref().unwrap_or("bench").replace(", ", " "),
            subject.log_n,
            100.0 * subject.full_share,
            args.runs,
            row.alone_s,
            row.together_s,
            row.busy_share,
            row.uploaded_bytes,
            row.downloaded_bytes,
        )?;
    }
    Ok(())
}
