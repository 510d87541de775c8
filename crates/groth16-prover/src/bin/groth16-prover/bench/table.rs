//! A table that compares provers, a row each: seconds a proof, one at a time and together.

use super::rig::{median, Rig, Run};
use super::subject::Subject;
use crate::args::Bench;
use crate::failure::Failure;
use crate::report::Report;
use groth16_prover::busy_share;
use groth16_prover::timeline::Timeline;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

/// Calls made together unless the user says how many.
const DEFAULT_JOBS: u16 = 10;

/// Calls made together.
pub(super) fn n_jobs(args: &Bench) -> u16 {
    args.jobs.unwrap_or(DEFAULT_JOBS)
}

/// What was measured of one prover.
pub(super) struct Row {
    name: String,
    /// seconds a proof, one at a time
    alone_s: f64,
    /// seconds a proof with several under way, in the steady state
    together_s: f64,
    /// their wall's share
    wall_s: f64,
    /// of the time in which several were under way
    busy_share: f64,
    uploaded_bytes: u64,
    downloaded_bytes: u64,
    /// that made the last proof that was alone
    devices_a_proof: usize,
}

/// The row, and the timelines of what it is made of.
pub(super) fn measure(
    rig: &Rig<'_>,
    name: String,
    args: &Bench,
    report: &mut Report,
) -> Result<(Row, Vec<Timeline>), Failure> {
    // The first proof makes tables and room.
    report.stage("first", "first proof", || rig.one_call(1))?;
    if args.compare_cpu {
        report.stage("compare", "compare with the CPU", || rig.compare_with_cpu())?;
    }
    let runs =
        |one: &dyn Fn() -> Result<Run, Failure>| (0..args.runs).map(|_| one()).collect::<Result<Vec<_>, _>>();
    // In this order, so that each device has the key when a proof alone may have several.
    let together = report.stage("together", "together", || {
        runs(&|| rig.calls_together(n_jobs(args)))
    })?;
    let alone = report.stage("alone", "one at a time", || runs(&|| rig.one_call(1)))?;
    let seconds = |runs: &[Run], of: fn(&Run) -> Duration| {
        median(runs.iter().map(|run| of(run).as_secs_f64())).unwrap_or_default()
    };
    let of_each = |bytes: fn(&Timeline) -> u64| {
        median(together.iter().flat_map(|run| &run.timelines).map(bytes)).unwrap_or_default()
    };
    let last = alone.last().map_or(&[][..], |run| &run.timelines);
    let devices: BTreeSet<u32> = last.iter().map(|timeline| timeline.device).collect();
    let row = Row {
        name,
        alone_s: seconds(&alone, |run| run.a_proof),
        together_s: seconds(&together, |run| run.a_proof),
        wall_s: seconds(&together, |run| run.wall_a_proof),
        busy_share: median(together.iter().filter_map(|run| busy_share(&run.timelines))).unwrap_or_default(),
        uploaded_bytes: of_each(|timeline| timeline.uploaded_bytes),
        downloaded_bytes: of_each(|timeline| timeline.downloaded_bytes),
        devices_a_proof: devices.len(),
    };
    let runs = together.into_iter().chain(alone);
    Ok((row, runs.flat_map(|run| run.timelines).collect()))
}

/// Prints rows of `what` against the first, and gives them the field `field`.
pub(super) fn print(rows: &[Row], what: &str, field: &'static str, report: &mut Report) {
    report.line(format_args!(
        "\n{:<18} {:>12} {:>6} {:>12} {:>6} {:>12} {:>6} {:>6} {:>12} {:>12} {:>8}",
        what,
        "alone, s",
        "ratio",
        "steady, s",
        "ratio",
        "wall, s",
        "ratio",
        "busy",
        "MB up",
        "MB down",
        "devices"
    ));
    for row in rows {
        let [alone, together, wall] = row.ratios(&rows[0]);
        report.line(format_args!(
            "{:<18} {:>12.4} {:>6.2} {:>12.4} {:>6.2} {:>12.4} {:>6.2} {:>5.1}% {:>12.3} {:>12.3} {:>8}",
            row.name,
            row.alone_s,
            alone,
            row.together_s,
            together,
            row.wall_s,
            wall,
            100.0 * row.busy_share,
            row.uploaded_bytes as f64 / 1e6,
            row.downloaded_bytes as f64 / 1e6,
            row.devices_a_proof,
        ));
    }
    let rows = rows.iter().map(|row| {
        json!({
            what: row.name,
            "alone_s": row.alone_s,
            "together_s": row.together_s,
            "wall_s": row.wall_s,
            "busy_share": row.busy_share,
            "uploaded_bytes": row.uploaded_bytes,
            "downloaded_bytes": row.downloaded_bytes,
            "devices_a_proof": row.devices_a_proof,
        })
    });
    report.field(field, rows.collect::<Vec<_>>());
}

impl Row {
    /// Against another: alone, and together, steady and by the wall.
    fn ratios(&self, other: &Row) -> [f64; 3] {
        [
            self.alone_s / other.alone_s,
            self.together_s / other.together_s,
            self.wall_s / other.wall_s,
        ]
    }
}

pub(super) fn write_csv(
    rows: &[Row],
    what: &str,
    subject: &Subject,
    args: &Bench,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(
        out,
        "{what},shape,log_n,full_percent,runs,jobs,alone_s,alone_ratio,together_s,together_ratio,wall_s,wall_ratio,\
         busy_share,uploaded_bytes,downloaded_bytes,devices_a_proof"
    )?;
    for row in rows {
        let [alone, together, wall] = row.ratios(&rows[0]);
        writeln!(
            out,
            "{},{},{},{:.2},{},{},{:.6},{alone:.4},{:.6},{together:.4},{:.6},{wall:.4},{:.4},{},{},{}",
            row.name.replace(',', " "),
            subject.name.as_deref().unwrap_or("bench").replace(", ", " "),
            subject.log_n,
            100.0 * subject.full_share,
            args.runs,
            n_jobs(args),
            row.alone_s,
            row.together_s,
            row.wall_s,
            row.busy_share,
            row.uploaded_bytes,
            row.downloaded_bytes,
            row.devices_a_proof,
        )?;
    }
    Ok(())
}
