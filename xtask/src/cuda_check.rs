//! `cargo xtask cuda-check`: what can be known about the kernels without a GPU.
//!
//! Builds them (objects that are still right are reused, so a second run takes seconds), holds registers,
//! spills and shared memory against `sppark-fork/cuda-budget.toml`, links the tests, and runs the ones that
//! need no device: the first call into the driver must answer "no device" in words.

use crate::{cuda_toolkit, util, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One architecture, or `all` for every one that the release is built for
    #[arg(long, default_value = "90")]
    arch: String,
    /// Write the measured numbers into the budget file instead of checking them
    #[arg(long)]
    update_budget: bool,
    /// Skip linking and running the tests
    #[arg(long)]
    compile_only: bool,
}

const ALL: [u32; 6] = [80, 86, 89, 90, 100, 120];
const BUDGET: &str = "sppark-fork/cuda-budget.toml";

/// What ptxas says of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    registers: u32,
    spill_bytes: u32,
    stack_bytes: u32,
}

impl Args {
    /// One architecture, everything checked.
    pub(crate) fn for_ci() -> Args {
        Args {
            arch: "90".to_owned(),
            update_budget: false,
            compile_only: false,
        }
    }
}

/// Finds or installs the compiler.
pub(crate) fn prepare() -> Result<()> {
    compiler().map(|_| ())
}

pub(crate) fn run(args: Args) -> Result<()> {
    let archs: Vec<u32> = match args.arch.as_str() {
        "all" => ALL.to_vec(),
        one => vec![one
            .parse()
            .map_err(|_| format!("--arch {one}: give a number such as 90, or `all`"))?],
    };
    let nvcc = compiler()?;
    let mut cargo = Vec::new();
    for what in ["build", "test"] {
        let mut command = util::cargo();
        command.args([what, "--package", "sppark-fork", "--features", "cuda"]);
        command.env("NVCC", &nvcc);
        command.env(
            "CUDA_ARCHS",
            archs.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        );
        cargo.push(command);
    }
    util::stream(&mut cargo[0])?;
    let measured = read_report()?;
    print_usage(&measured);
    let path = util::root().join(BUDGET);
    if args.update_budget {
        // Other architectures' lines stay.
        let mut budget = read_budget(&fs::read_to_string(&path).unwrap_or_default())?;
        let measured_archs: Vec<String> = archs.iter().map(|arch| format!("sm_{arch}/")).collect();
        budget.retain(|kernel, _| {
            !measured_archs
                .iter()
                .any(|arch| kernel.starts_with(arch.as_str()))
        });
        budget.extend(measured);
        fs::write(&path, write_budget(&budget)).map_err(|error| format!("writing {BUDGET}: {error}"))?;
        println!("{BUDGET}: written, {} kernels", budget.len());
    } else {
        let text = fs::read_to_string(&path).map_err(|error| format!("reading {BUDGET}: {error}"))?;
        compare(&measured, &read_budget(&text)?)?;
        println!("{} kernels are within {BUDGET}", measured.len());
    }
    if args.compile_only {
        return Ok(());
    }
    // Link, and run what needs no device.
    util::stream(&mut cargo[1])
}

/// What ptxas said of every kernel of sppark-fork in the last build.
pub(crate) fn read_report() -> Result<BTreeMap<String, Usage>> {
    let report = cuda_toolkit::target().join("cuda-cache/sppark_fork.report");
    let said =
        fs::read_to_string(&report).map_err(|error| format!("reading {}: {error}", report.display()))?;
    Ok(parse(&said))
}

pub(crate) fn print_usage(kernels: &BTreeMap<String, Usage>) {
    for (kernel, usage) in kernels {
        let Usage {
            registers,
            spill_bytes,
            stack_bytes,
        } = usage;
        println!(
            "{kernel:70} {registers:3} registers, {spill_bytes:3} spill bytes, {stack_bytes:3} stack bytes"
        );
    }
}

/// The compiler that a build would find, or the pinned one, installed on the way.
pub(crate) fn compiler() -> Result<PathBuf> {
    if let Some(nvcc) = std::env::var_os("NVCC") {
        return Ok(nvcc.into());
    }
    if !cuda_toolkit::installed() {
        cuda_toolkit::run_default()?;
    }
    Ok(cuda_toolkit::nvcc())
}

/// Reads the report: "## unit", then of each kernel "Compiling entry function 'x' for
/// 'sm_90'", "n bytes stack frame, n bytes spill stores, n bytes spill loads", "Used n
/// registers". A kernel is `sm_90/unit/name`.
fn parse(said: &str) -> BTreeMap<String, Usage> {
    let mut found = BTreeMap::new();
    let (mut unit, mut kernel) = (String::new(), String::new());
    let number_before = |line: &str, what: &str| -> Option<u32> {
        let (before, _) = line.split_once(what)?;
        before
            .rsplit(|c: char| !c.is_ascii_digit())
            .find(|word| !word.is_empty())?
            .parse()
            .ok()
    };
    for line in said.lines() {
        if let Some(path) = line.strip_prefix("## ") {
            unit = Path::new(path)
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
        }
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let mut quoted = rest.split('\'');
            let name = readable(quoted.next().unwrap_or_default());
            let arch = quoted.nth(1).unwrap_or_default();
            kernel = format!("{arch}/{unit}/{name}");
            // The toolkit's own sorting kernels are not ours to bound.
            if !name.starts_with("cub.") {
                found.insert(kernel.clone(), Usage::default());
            }
        }
        let Some(usage) = found.get_mut(&kernel) else {
            continue;
        };
        if let Some(bytes) = number_before(line, " bytes stack frame") {
            usage.stack_bytes = bytes;
            usage.spill_bytes = number_before(line, " bytes spill stores").unwrap_or(0);
        }
        if let Some(registers) = number_before(line, " registers") {
            usage.registers = registers;
        }
    }
    found
}

/// A mangled kernel's name with what matters of it: the identifiers and the
/// numbers of its template arguments.
fn readable(mangled: &str) -> String {
    let bytes = mangled.as_bytes();
    let mut words = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'L'
            && i + 2 < bytes.len()
            && bytes[i + 1].is_ascii_lowercase()
            && bytes[i + 2].is_ascii_digit()
        {
            // A literal argument: Lj9E is unsigned 9.
            let end = mangled[i + 2..].find('E').map_or(mangled.len(), |at| i + 2 + at);
            words.push(mangled[i + 2..end].to_owned());
            i = end;
        } else if bytes[i].is_ascii_digit() {
            let digits = mangled[i..].chars().take_while(char::is_ascii_digit).count();
            let length: usize = mangled[i..i + digits].parse().unwrap_or(0);
            let word = mangled.get(i + digits..i + digits + length).unwrap_or_default();
            if !["spf", "detail", "body_kernel", "params", ""].contains(&word)
                && !word.starts_with("_GLOBAL_")
            {
                words.push(word.to_owned());
            }
            i += digits + length;
        } else {
            i += 1;
        }
    }
    // The body's name comes twice, for the parameter's type too.
    words.dedup();
    words.join(".")
}

fn compare(measured: &BTreeMap<String, Usage>, budget: &BTreeMap<String, Usage>) -> Result<()> {
    let mut faults = Vec::new();
    for (kernel, usage) in measured {
        match budget.get(kernel) {
            // An architecture that nobody has measured has no budget; it only has to compile.
            None if !budget
                .keys()
                .any(|known| architecture(known) == architecture(kernel)) => {}
            None => faults.push(format!("{kernel}: not in the budget")),
            Some(allowed) => {
                for (what, is, most) in [
                    ("registers", usage.registers, allowed.registers),
                    ("spill bytes", usage.spill_bytes, allowed.spill_bytes),
                    ("stack bytes", usage.stack_bytes, allowed.stack_bytes),
                ] {
                    if is > most {
                        faults.push(format!("{kernel}: {is} {what}, {most} allowed"));
                    }
                }
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nIf that is meant, run `cargo xtask cuda-check --update-budget` and say in the commit what it buys.",
        faults.join("\n")
    ))
}

fn architecture(kernel: &str) -> &str {
    kernel.split('/').next().unwrap_or_default()
}

// One line a kernel: `"sm_90/unit/kernel" = [registers, spill bytes, stack bytes]`.
fn read_budget(text: &str) -> Result<BTreeMap<String, Usage>> {
    let mut budget = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with('[') {
            continue;
        }
        let parsed = line.split_once(" = ").and_then(|(name, list)| {
            let numbers: Vec<u32> = list
                .trim_matches(['[', ']'])
                .split(',')
                .map(|number| number.trim().parse())
                .collect::<Result<_, _>>()
                .ok()?;
            let [registers, spill_bytes, stack_bytes] = numbers[..] else {
                return None;
            };
            Some((
                name.trim_matches('"').to_owned(),
                Usage {
                    registers,
                    spill_bytes,
                    stack_bytes,
                },
            ))
        });
        let (kernel, usage) = parsed.ok_or_else(|| format!("{BUDGET}, line {}: {line}", i + 1))?;
        budget.insert(kernel, usage);
    }
    Ok(budget)
}

fn write_budget(budget: &BTreeMap<String, Usage>) -> String {
    let mut text = String::from(
        "# What each kernel may use, by architecture: registers a thread, spill bytes, stack bytes.\n\
         # `cargo xtask cuda-check` fails on more; `--update-budget` writes what the compiler says now.\n\n[kernels]\n",
    );
    for (kernel, usage) in budget {
        let Usage {
            registers,
            spill_bytes,
            stack_bytes,
        } = usage;
        text.push_str(&format!(
            "\"{kernel}\" = [{registers}, {spill_bytes}, {stack_bytes}]\n"
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "## src/abi_ntt.cu\n\
        ptxas info    : Compiling entry function '_ZN3spf6detail11body_kernelINS_8ntt_passILj9ELb1EEEEEvNT_6paramsE' for 'sm_90'\n\
        ptxas info    : Function properties for _ZN3spf\n    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
        ptxas info    : Used 96 registers, used 1 barriers, 400 bytes cmem[0]\n";

    #[test]
    fn ptxas_is_read() {
        let usage = Usage {
            registers: 96,
            spill_bytes: 8,
            stack_bytes: 16,
        };
        assert_eq!(
            parse(SAID),
            BTreeMap::from([("sm_90/abi_ntt/ntt_pass.9.1".to_owned(), usage)])
        );
    }

    #[test]
    fn a_kernel_over_its_budget_or_without_one_is_a_fault() {
        let usage = Usage {
            registers: 96,
            spill_bytes: 0,
            stack_bytes: 0,
        };
        let measured = BTreeMap::from([("sm_90/u/k".to_owned(), usage)]);
        let round_trip = read_budget(&write_budget(&measured)).unwrap();
        assert_eq!(round_trip, measured);
        assert!(compare(&measured, &round_trip).is_ok());
        let tighter = BTreeMap::from([(
            "sm_90/u/k".to_owned(),
            Usage {
                registers: 95,
                ..usage
            },
        )]);
        assert!(compare(&measured, &tighter)
            .unwrap_err()
            .contains("96 registers, 95 allowed"));
        let another = BTreeMap::from([("sm_90/u/other".to_owned(), usage)]);
        assert!(compare(&measured, &another)
            .unwrap_err()
            .contains("not in the budget"));
        assert!(
            compare(&measured, &BTreeMap::new()).is_ok(),
            "an architecture without a budget"
        );
        assert!(read_budget("nonsense").is_err());
    }
}
