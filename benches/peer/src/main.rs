//! Our kernels and proofs against the predecessor's, in turns in one process on one card; see README.md.

mod msm;
mod ntt;
mod predecessor;
mod proofs;
mod random;
mod record;

use clap::{Parser, Subcommand};
use ours_c2::backend::{CudaBackend, CudaConfig};
use record::Task;
use sppark_fork::{Device, G1, G2};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Ours against the predecessor's registry crates on CUDA device 0.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
    /// Timed runs of each side at each size
    #[arg(long, global = true, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Also append the record to this file
    #[arg(long, global = true, value_name = "FILE")]
    csv: Option<PathBuf>,
}

#[derive(Subcommand)]
enum What {
    /// Multi-scalar multiplication
    Msm {
        /// Sizes in G1, as log2
        #[arg(long, value_delimiter = ',', default_value = "16,20,24")]
        g1: Vec<u32>,
        /// Sizes in G2, as log2
        #[arg(long, value_delimiter = ',', default_value = "20,22")]
        g2: Vec<u32>,
    },
    /// The number-theoretic transform
    Ntt {
        /// Sizes, as log2
        #[arg(long, value_delimiter = ',', default_value = "20,24,27")]
        log_n: Vec<u32>,
    },
    /// Whole proofs
    Proofs {
        /// Domains, as log2
        #[arg(long, value_delimiter = ',', default_value = "20,22,24")]
        log_n: Vec<u32>,
        /// Shares of private wires that are neither 0 nor 1
        #[arg(long, value_delimiter = ',', default_value = "0.01,0.2,0.98")]
        full: Vec<f64>,
        /// Where keys are written on the way to the predecessor
        #[arg(long, value_name = "FOLDER")]
        keys: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    // Ours first: it says in words that there is no device, where the predecessor would end the process.
    let device = Device::open(0)?;
    let runs = arguments.runs.into();
    let mut record = Record::new(arguments, &device)?;
    match &arguments.what {
        What::Msm { g1, g2 } => {
            for &log_n in g1 {
                record.add(msm::run::<G1>(&device, "msm g1", log_n, runs)?)?;
            }
            for &log_n in g2 {
                record.add(msm::run::<G2>(&device, "msm g2", log_n, runs)?)?;
            }
        }
        What::Ntt { log_n } => {
            for &log_n in log_n {
                record.add(ntt::run(&device, log_n, runs)?)?;
            }
        }
        What::Proofs { log_n, full, keys } => {
            let backend = CudaBackend::new(&CudaConfig {
                gpus: Some(vec![0]),
                ..CudaConfig::default()
            })?;
            let folder = keys.clone().unwrap_or_else(std::env::temp_dir);
            for &log_n in log_n {
                for &full in full {
                    record.add(proofs::run(&backend, log_n, full, runs, &folder)?)?;
                }
            }
        }
    }
    print!("\n{}", record::table(&record.tasks));
    Ok(())
}

/// What was measured so far, on standard output and in the file, line by line.
struct Record {
    tasks: Vec<Task>,
    file: Option<std::fs::File>,
}

impl Record {
    fn new(arguments: &Arguments, device: &Device) -> Result<Self> {
        let info = device.info();
        let head = format!(
            "# {}, {} multiprocessors, {} MHz",
            info.name, info.n_multiprocessors, info.clock_mhz
        );
        println!("{head}\n{}", record::HEADER);
        let mut file = None;
        if let Some(path) = &arguments.csv {
            let mut opened = OpenOptions::new().create(true).append(true).open(path)?;
            if opened.metadata()?.len() == 0 {
                writeln!(opened, "{head}\n{}", record::HEADER)?;
            }
            file = Some(opened);
        }
        Ok(Record {
            tasks: Vec::new(),
            file,
        })
    }

    fn add(&mut self, task: Task) -> Result<()> {
        let lines = task.csv();
        print!("{lines}");
        std::io::stdout().flush()?;
        if let Some(file) = &mut self.file {
            file.write_all(lines.as_bytes())?;
        }
        self.tasks.push(task);
        Ok(())
    }
}
