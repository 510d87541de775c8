//! Whole proofs: a process for each prover and number of threads, which prove in turns.

use crate::measure::{load, peak_resident_bytes, reset_peak, resident_bytes, time};
use crate::provers::{self, Name};
use crate::record::{append, Record};
use crate::Result;
use bench_shapes::BenchShape;
use bls_fields::{fr_from_hex, Fr};
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::{Parameters, ParamsCheck, PreparedVerifyingKey, Proof};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Seed of the circuit and of the (insecure) key.
const SEED: u64 = 1;
const R_HEX: &str = "1f0c7a5532d9a4bb8e6f43217700aa1155cc66dd88ee99ff0123456789abcdef";
const S_HEX: &str = "2e1d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978879605f4e3d2c1b0a9";

/// What is to be proved, and by whom.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// log₂ of the domain's size
    #[arg(long, value_delimiter = ',', default_value = "12")]
    pub log_n: Vec<u32>,
    /// percent of private wires that are neither 0 nor 1
    #[arg(long, value_delimiter = ',', default_value = "1,20,98")]
    pub full: Vec<f64>,
    /// threads of each prover
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    pub threads: Vec<usize>,
    /// rounds; in each, every prover makes one proof
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// who proves
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Name::ALL)]
    pub provers: Vec<Name>,
    /// a folder for keys, kept for the next call; without it keys go to a temporary one
    #[arg(long)]
    pub keys: Option<PathBuf>,
    /// appends every measurement here
    #[arg(long)]
    pub csv: Option<PathBuf>,
}

/// Proves all that `options` asks for. Every proof must have the same bytes as ours and verify.
pub fn run(options: &Options) -> Result<Vec<Record>> {
    let temporary = tempfile::tempdir()?;
    let keys = options.keys.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(keys)?;
    let mut records = Vec::new();
    for &log_n in &options.log_n {
        for &full in &options.full {
            records.extend(one_shape(options, keys, log_n, full)?);
        }
    }
    Ok(records)
}

fn one_shape(options: &Options, keys: &Path, log_n: u32, full: f64) -> Result<Vec<Record>> {
    let shape = BenchShape::new(log_n, full / 100.0)?;
    let params = keys.join(format!("bench-{log_n}-{full}.params"));
    let verifier = make_key(&shape, &params)?;

    let mut children = Vec::new();
    for &threads in &options.threads {
        for &prover in &options.provers {
            children.push(Worker::start(prover, threads, log_n, full, &params)?);
        }
    }
    let mut records = Vec::new();
    let mut expected = None;
    for _ in 0..options.runs {
        for worker in &mut children {
            let load = load()?;
            let made = worker.prove()?;
            let who = worker.prover.text();
            if *expected.get_or_insert_with(|| made.proof.clone()) != made.proof {
                return Err(format!("2^{log_n}, {full} % full: the proof of {who} differs").into());
            }
            let record = Record {
                what: "proof".into(),
                log_n,
                full_percent: full,
                threads: worker.threads,
                who: who.into(),
                wall_s: made.wall_s,
                cpu_s: made.cpu_s,
                work_bytes: made.work_bytes,
                load,
            };
            if let Some(csv) = &options.csv {
                append(csv, &record)?;
            }
            eprintln!("{}", record.line());
            records.push(record);
        }
    }
    if let Some(proof) = expected {
        verifier.check(&proof)?;
    }
    Ok(records)
}

/// What is left of a circuit once its key is written.
struct Verifier {
    vk: PreparedVerifyingKey,
    public: Vec<Fr>,
}

impl Verifier {
    fn check(&self, proof: &[u8]) -> Result<()> {
        let proof = Proof::from_bytes(proof)?;
        match self.vk.verify(&proof, &self.public)? {
            true => Ok(()),
            false => Err("the proofs, all of the same bytes, do not verify".into()),
        }
    }
}

fn make_key(shape: &BenchShape, params: &Path) -> Result<Verifier> {
    let (r1cs, witness) = shape.generate(SEED)?;
    if !params.exists() {
        let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(SEED))?;
        // Under another name until it is whole, so that a call that was stopped leaves no half a key.
        let partial = params.with_extension("partial");
        let mut file = BufWriter::new(File::create(&partial)?);
        key.write(&mut file)?;
        file.flush()?;
        std::fs::rename(&partial, params)?;
    }
    let key = Parameters::read(params, ParamsCheck::Lengths)?;
    Ok(Verifier {
        vk: PreparedVerifyingKey::from(&key.vk),
        public: witness[1..r1cs.n_inputs()].to_vec(),
    })
}

/// One proof, as a worker process reports it.
#[derive(Serialize, Deserialize)]
struct Made {
    wall_s: f64,
    cpu_s: f64,
    work_bytes: u64,
    proof: Vec<u8>,
}

/// A prover's process, seen from the one that measures. It ends when its standard input does.
struct Worker {
    prover: Name,
    threads: usize,
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Worker {
    fn start(prover: Name, threads: usize, log_n: u32, full: f64, params: &Path) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("worker")
            .args(["--prover", prover.text()])
            .args(["--log-n", &log_n.to_string(), "--full", &full.to_string()])
            .arg("--params")
            .arg(params)
            .envs(thread_variables(threads))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = process.stdin.take();
        let stdout = process.stdout.take().ok_or("the worker has no output")?;
        let mut worker = Worker {
            prover,
            threads,
            process,
            stdin,
            stdout: BufReader::new(stdout),
        };
        // Loading is over before anyone is measured.
        worker.line()?;
        Ok(worker)
    }

    fn prove(&mut self) -> Result<Made> {
        let stdin = self.stdin.as_mut().ok_or("the worker has no input")?;
        writeln!(stdin, "prove")?;
        Ok(serde_json::from_str(&self.line()?)?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line)? {
            0 => Err(format!("the process of {} ended early", self.prover.text()).into()),
            _ => Ok(line),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.process.wait();
    }
}

/// What tells rayon, and bellperson's own pool, how many threads to have.
pub fn thread_variables(threads: usize) -> [(&'static str, String); 2] {
    ["RAYON_NUM_THREADS", "EC_GPU_NUM_THREADS"].map(|name| (name, threads.to_string()))
}

/// What a worker is told.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerOptions {
    #[arg(long, value_enum)]
    prover: Name,
    #[arg(long)]
    log_n: u32,
    #[arg(long)]
    full: f64,
    #[arg(long)]
    params: PathBuf,
}

/// A worker's life: a line when loaded, then a proof for each line that comes in.
pub fn work(options: &WorkerOptions) -> Result<()> {
    let (r1cs, witness) = BenchShape::new(options.log_n, options.full / 100.0)?.generate(SEED)?;
    let mut prover = provers::load(options.prover, r1cs, witness, &options.params)?;
    let [r, s] = [R_HEX, S_HEX].map(|hex| fr_from_hex(hex).expect("a scalar below r"));
    println!("loaded");
    for line in std::io::stdin().lines() {
        line?;
        let before = resident_bytes()?;
        reset_peak()?;
        let (proof, took) = time(|| prover.prove(r, s));
        let made = Made {
            wall_s: took.wall_s,
            cpu_s: took.cpu_s,
            work_bytes: peak_resident_bytes()?.saturating_sub(before),
            proof: proof?.to_vec(),
        };
        println!("{}", serde_json::to_string(&made)?);
    }
    Ok(())
}
