//! Proofs of the benchmark circuit, timed, each verified.

mod ablation;
mod rig;
mod setting;
mod spread;
mod subject;
mod table;

use crate::args::{Bench, Common};
use crate::failure::Failure;
use crate::files::Output;
use crate::report::{millis, seconds, Report};
use groth16_prover::timeline::{Timeline, TimelineSink};
use groth16_prover::{busy_share, write_chrome_trace, DeviceOptions, Prover};
use rig::{median, Rig, Run};
use serde_json::Value;
pub(crate) use setting::Setting;
use std::sync::mpsc::{channel, Receiver};
use subject::Subject;

pub(crate) fn run(args: &Bench, common: &Common, report: &mut Report) -> Result<(), Failure> {
    common.start_threads()?;
    match (args.ablate, args.compare_devices) {
        (true, _) => ablation::run(args, common, report),
        (_, true) => spread::run(args, common, report),
        _ => series(args, common, report),
    }
}

/// Whether proofs are to have timelines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Nothing,
    Timelines,
}

/// A prover, and its timelines. `option` asked for what CUDA alone has; empty if nothing did.
fn prover_of(
    common: &Common,
    options: DeviceOptions,
    wants: Wants,
    option: &str,
) -> Result<(Prover, Receiver<Timeline>), Failure> {
    let (sender, timelines) = channel();
    let sink = TimelineSink::new(move |timeline| drop(sender.send(timeline)));
    let prover = common.prover_with(DeviceOptions {
        timelines: (wants == Wants::Timelines).then_some(sink),
        ..options
    })?;
    let name = prover.backend_info().name;
    if !option.is_empty() && name != "cuda" {
        return Err(Failure::Usage(format!(
            "{option} is about the schedule of a CUDA device, and the backend is {name}"
        )));
    }
    Ok((prover, timelines))
}

fn name_backend(prover: &Prover, report: &mut Report) {
    let info = prover.backend_info();
    report.fact(
        "backend",
        "backend",
        format!("{}, {}", info.name, info.description),
    );
}

/// Runs of one setting.
fn series(args: &Bench, common: &Common, report: &mut Report) -> Result<(), Failure> {
    let trace = args.trace.as_deref().map(Output::create).transpose()?;
    let option = match (&trace, args.setting) {
        (Some(_), _) => "--trace",
        (None, Setting::Default) => "",
        (None, _) => "--setting",
    };
    let wants = match trace.is_some() || args.jobs.is_some() {
        true => Wants::Timelines,
        false => Wants::Nothing,
    };
    let (prover, timelines) = prover_of(common, args.setting.options(), wants, option)?;
    name_backend(&prover, report);
    let subject = Subject::make(args, &prover, report)?;
    let rig = Rig::new(&subject, prover, timelines, report)?;
    if args.compare_cpu {
        report.stage("compare", "compare with the CPU", || rig.compare_with_cpu())?;
    }
    report.line(format_args!(
        "\n{:>4} {:>12} {:>14}  verified{}",
        "run",
        "seconds",
        "a proof",
        if args.jobs.is_some() {
            "        steady  kernels busy"
        } else {
            ""
        }
    ));
    let mut runs: Vec<Run> = Vec::new();
    for number in 1..=args.runs {
        let run = report.wait_for("prove and verify", || match args.jobs {
            Some(n_jobs) => rig.calls_together(n_jobs),
            None => rig.one_call(args.circuits),
        })?;
        let steady = match args.jobs {
            Some(_) => format!("       {}", seconds(run.a_proof)),
            None => String::new(),
        };
        let busy = busy_share(&run.timelines).filter(|_| args.jobs.is_some());
        report.line(format_args!(
            "{number:>4} {} {}  yes{steady}{}",
            seconds(run.wall),
            seconds(run.wall_a_proof),
            busy.map_or_else(String::new, |share| format!(" {:>12.1}%", 100.0 * share))
        ));
        runs.push(run);
    }
    report.field(
        "runs_ms",
        runs.iter().map(|run| millis(run.wall)).collect::<Vec<Value>>(),
    );
    let a_proof = median(runs.iter().map(|run| run.a_proof)).unwrap_or_default();
    report.field("seconds_a_proof", a_proof.as_secs_f64());
    report.line(format_args!(
        "{:<28} {}",
        "median seconds a proof",
        seconds(a_proof)
    ));
    if args.jobs.is_some() {
        let wall = median(runs.iter().map(|run| run.wall_a_proof)).unwrap_or_default();
        report.field("wall_seconds_a_proof", wall.as_secs_f64());
        report.line(format_args!("{:<28} {}", "the same by the wall", seconds(wall)));
    }
    if let Some(share) = median(runs.iter().filter_map(|run| busy_share(&run.timelines))) {
        report.fact("busy_share", "kernels busy, share", (share * 1e4).round() / 1e4);
    }
    if let Some(trace) = trace {
        let timelines: Vec<_> = runs.into_iter().flat_map(|run| run.timelines).collect();
        trace.write(|out| write_chrome_trace(&timelines, out))?.commit()?;
    }
    Ok(())
}
