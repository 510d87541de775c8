//! The CI sequence: a table of steps, run in order until one fails.

use std::time::{Duration, Instant};

use crate::metadata::Metadata;
use crate::tidy::{self, TEST_COMMAND};
use crate::util::{cargo, stream};
use crate::Result;

mod features;
mod nested;
mod old_cpus;
mod package;
mod readme;
mod symbols;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this step only; may be given several times
    #[arg(long, value_name = "STEP", value_parser = step_name)]
    only: Vec<String>,
    /// Leave this step out; may be given several times
    #[arg(long, value_name = "STEP", value_parser = step_name)]
    skip: Vec<String>,
    /// Print the steps and end
    #[arg(long)]
    list: bool,
}

/// What a step that did not fail came to.
pub(crate) enum Outcome {
    /// It ran and passed.
    Passed,
    /// It could not run here, and why that is all right.
    Skipped(String),
}

struct Step {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<Outcome>,
}

const STEPS: &[Step] = &[
    Step {
        name: "test",
        what: "the README's test command: unit, integration and doc tests",
        run: test,
    },
    Step {
        name: "xtask",
        what: "the tests of this program",
        run: test_xtask,
    },
    Step {
        name: "fmt",
        what: "rustfmt, checking only",
        run: fmt,
    },
    Step {
        name: "clippy",
        what: "clippy on every target, warnings denied",
        run: clippy,
    },
    Step {
        name: "doc",
        what: "the documentation builds without warnings",
        run: doc,
    },
    Step {
        name: "tidy",
        what: "arrows, licences, manifests, words, documents",
        run: tidy_step,
    },
    Step {
        name: "features",
        what: "every crate without defaults and with each feature",
        run: features::run,
    },
    Step {
        name: "host-tests",
        what: "the kernels' code on the host, on a fake CUDA runtime, under ASan and UBSan",
        run: host_tests,
    },
    Step {
        name: "codegen",
        what: "the bindings are what the C header gives",
        run: codegen,
    },
    Step {
        name: "cuda",
        what: "the kernels compile for sm_90 within their budget, link, and say that there is no device",
        run: cuda,
    },
    Step {
        name: "package",
        what: "the licence texts are inside each package",
        run: package::run,
    },
    Step {
        name: "symbols",
        what: "exported C symbols carry one prefix",
        run: symbols::run,
    },
    Step {
        name: "old-cpus",
        what: "the program gives the same bytes on old CPU models",
        run: old_cpus::run,
    },
    Step {
        name: "fuzz",
        what: "the fuzz targets build",
        run: nested::fuzz,
    },
    Step {
        name: "integration",
        what: "each integration/*/ci and benches/*/ci",
        run: nested::integrations,
    },
    Step {
        name: "readme",
        what: "the README's shell blocks run in a clean copy",
        run: readme::run,
    },
];

/// The line of the final table that belongs to one step.
struct Row {
    name: &'static str,
    outcome: String,
    elapsed: Duration,
}

pub(crate) fn run(args: Args) -> Result<()> {
    if args.list {
        for step in STEPS {
            println!("{:<12} {}", step.name, step.what);
        }
        return Ok(());
    }
    let chosen = |step: &&Step| {
        let named = |names: &[String]| names.iter().any(|name| name == step.name);
        (args.only.is_empty() || named(&args.only)) && !named(&args.skip)
    };
    let start = Instant::now();
    let mut rows = Vec::new();
    let mut failure = None;
    for step in STEPS.iter().filter(chosen) {
        if failure.is_some() {
            rows.push(Row {
                name: step.name,
                outcome: "not run".to_owned(),
                elapsed: Duration::ZERO,
            });
            continue;
        }
        println!("\n=== {}: {}", step.name, step.what);
        let step_start = Instant::now();
        let result = (step.run)();
        let elapsed = step_start.elapsed();
        let outcome = match result {
            Ok(Outcome::Passed) => "passed".to_owned(),
            Ok(Outcome::Skipped(reason)) => format!("skipped: {reason}"),
            Err(message) => {
                println!("{message}");
                failure = Some(format!("step `{}` failed: {message}", step.name));
                "FAILED".to_owned()
            }
        };
        println!(
            "=== {}: {outcome} after {:.1} s",
            step.name,
            elapsed.as_secs_f64()
        );
        rows.push(Row {
            name: step.name,
            outcome,
            elapsed,
        });
    }
    print!("\n{}", table(&rows, start.elapsed()));
    failure.map_or(Ok(()), Err)
}

fn table(rows: &[Row], total: Duration) -> String {
    let line = |name: &str, elapsed: Duration, outcome: &str| {
        format!("{name:<12} {:>8.1} s  {outcome}\n", elapsed.as_secs_f64())
    };
    let lines = rows.iter().map(|row| line(row.name, row.elapsed, &row.outcome));
    lines
        .chain([line("total", total, "")])
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn step_name(text: &str) -> Result<String> {
    match STEPS.iter().find(|step| step.name == text) {
        Some(step) => Ok(step.name.to_owned()),
        None => Err(format!(
            "no such step; the steps are {}",
            STEPS.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn test() -> Result<Outcome> {
    let arguments = TEST_COMMAND.split(' ').skip(1);
    stream(cargo().args(arguments).arg("--locked")).map(|()| Outcome::Passed)
}

fn test_xtask() -> Result<Outcome> {
    stream(cargo().args(["test", "--locked", "--profile", "xtask", "--package", "xtask"]))
        .map(|()| Outcome::Passed)
}

fn fmt() -> Result<Outcome> {
    stream(cargo().args(["fmt", "--all", "--", "--check"])).map(|()| Outcome::Passed)
}

/// Also holds the minimum Rust version: clippy's `incompatible_msrv` knows
/// since when each std item is stable.
fn clippy() -> Result<Outcome> {
    let deny = ["--", "-D", "warnings"];
    stream(
        cargo()
            .args(["clippy", "--locked", "--workspace", "--all-targets"])
            .args(deny),
    )?;
    // What only the feature `cuda` compiles; the kernels' build is left out, so no nvcc is needed.
    for package in Metadata::workspace()?
        .members()
        .filter(|package| package.features.contains_key("cuda"))
    {
        let options = [
            "clippy",
            "--locked",
            "--all-targets",
            "--features",
            "cuda",
            "--package",
            &package.name,
        ];
        stream(cargo().env(SKIP_KERNELS, "1").args(options).args(deny))?;
    }
    Ok(Outcome::Passed)
}

/// Tells the build scripts to leave the kernels out: code is checked, not linked.
const SKIP_KERNELS: &str = "SPF_SKIP_KERNELS";

fn host_tests() -> Result<Outcome> {
    crate::host_tests::run(crate::host_tests::Args::sanitized()).map(|()| Outcome::Passed)
}

fn codegen() -> Result<Outcome> {
    // Its tools come from package indexes; a machine that reaches none can still run the rest.
    match crate::codegen::prepare() {
        Err(why) => Ok(Outcome::Skipped(first_line(&why))),
        Ok(()) => crate::codegen::run(crate::codegen::Args::checking()).map(|()| Outcome::Passed),
    }
}

fn cuda() -> Result<Outcome> {
    match crate::cuda_check::prepare() {
        Err(why) => Ok(Outcome::Skipped(first_line(&why))),
        Ok(()) => crate::cuda_check::run(crate::cuda_check::Args::for_ci()).map(|()| Outcome::Passed),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn doc() -> Result<Outcome> {
    let options = ["doc", "--locked", "--no-deps", "--workspace"];
    stream(cargo().env("RUSTDOCFLAGS", "-D warnings").args(options)).map(|()| Outcome::Passed)
}

fn tidy_step() -> Result<Outcome> {
    tidy::run(tidy::Args::default()).map(|()| Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_command_comes_first() {
        assert_eq!(STEPS[0].name, "test");
        assert!(TEST_COMMAND.starts_with("cargo test"));
    }

    #[test]
    fn step_names_are_unique_and_checked() {
        for step in STEPS {
            assert_eq!(STEPS.iter().filter(|other| other.name == step.name).count(), 1);
            assert_eq!(step_name(step.name).as_deref(), Ok(step.name));
        }
        assert!(step_name("tests").is_err_and(|message| message.contains("fmt, clippy")));
    }

    #[test]
    fn the_table_has_a_line_a_step_and_the_total() {
        let rows = [
            Row {
                name: "fmt",
                outcome: "passed".to_owned(),
                elapsed: Duration::from_millis(1240),
            },
            Row {
                name: "doc",
                outcome: "FAILED".to_owned(),
                elapsed: Duration::from_secs(3),
            },
        ];
        let expected =
            "fmt               1.2 s  passed\ndoc               3.0 s  FAILED\ntotal             4.3 s\n";
        assert_eq!(table(&rows, Duration::from_millis(4300)), expected);
    }
}
