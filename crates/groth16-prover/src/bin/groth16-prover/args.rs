use crate::bench::Setting;
use crate::failure::Failure;
use bench_shapes::{BenchShape, RecordedShape};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use groth16_prover::{BackendChoice, Blinding, DeviceOptions, Fr, Prover};
use std::num::NonZeroU32;
use std::path::PathBuf;

#[derive(Parser)]
#[command(version, about = "Groth16 proofs over BLS12-381", after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str =
    "Exit status: 0 done; 1 verification says no; 2 usage; 3 bad input, unsatisfied witness, \
                          or key and circuit that do not match; 4 device or memory.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Set up, prove and verify a SHA-256 preimage circuit, with a table of times
    Demo(Demo),
    /// Make a proving key from a circuit (single-party: for development and tests)
    Setup(Setup),
    /// Make a proof from a key, a circuit and a witness; it is verified before it is written
    Prove(Prove),
    /// Verify a proof against public inputs
    Verify(Verify),
    /// Describe a .params, .vk, .r1cs, .wtns or proof file: counts, sizes, domain, memory a proof will need
    Inspect(Inspect),
    /// Time proofs of a synthetic circuit, each verified
    Bench(Bench),
    /// List the backends and devices of this machine
    Devices,
}

#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Common {
    /// Which backend computes
    #[arg(long, global = true, value_enum, default_value = "auto")]
    backend: BackendArg,
    /// CUDA devices to use, by index, such as 0,1
    #[arg(long, global = true, value_name = "LIST", value_parser = parse_gpu_list)]
    gpu: Option<GpuList>,
    /// Device memory to use at most; a number of bytes, or with KiB, MiB, GiB. With
    /// less of it a proof takes longer
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_bytes)]
    max_vram: Option<u64>,
    /// Of it, the most for keys; what is over that is streamed from the host in each proof. 0 streams all
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_bytes)]
    max_key_vram: Option<u64>,
    /// CPU threads, 1024 at most [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on standard error; repeat for more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl Common {
    /// Starts the threads and builds the prover that the options ask for.
    pub(crate) fn prover(&self) -> Result<Prover, Failure> {
        self.start_threads()?;
        self.prover_with(DeviceOptions::default())
    }

    /// Before anything else uses rayon, whose own first use would panic where threads cannot be had.
    pub(crate) fn start_threads(&self) -> Result<(), Failure> {
        match self.threads {
            None => start_global_pool(None),
            Some(_) => Ok(()), // the prover gets a pool of its own
        }
    }

    /// The threads alone, for a command that proves nothing: it opens no device, and all
    /// threads are rayon's global pool's.
    pub(crate) fn start_threads_without_prover(&self) -> Result<(), Failure> {
        self.check_device_options()?;
        start_global_pool(self.threads.map(usize::from))
    }

    /// Of the options that only devices heed, one that was given.
    fn device_option(&self) -> Option<&'static str> {
        let options = [
            ("--gpu", self.gpu.is_some()),
            ("--max-vram", self.max_vram.is_some()),
            ("--max-key-vram", self.max_key_vram.is_some()),
        ];
        options
            .into_iter()
            .find_map(|(option, given)| given.then_some(option))
    }

    fn check_device_options(&self) -> Result<(), Failure> {
        match (self.backend, self.device_option()) {
            (BackendArg::Cpu, Some(option)) => Err(Failure::Usage(format!(
                "{option} has no meaning with --backend cpu"
            ))),
            _ => Ok(()),
        }
    }

    /// The devices that the user names.
    pub(crate) fn gpus(&self) -> Option<&[u32]> {
        self.gpu.as_ref().map(|list| &list.0[..])
    }

    /// Builds the prover that the options ask for, with more of them set: devices too, which go before the
    /// user's.
    pub(crate) fn prover_with(&self, more: DeviceOptions) -> Result<Prover, Failure> {
        self.check_device_options()?;
        let backend = match self.backend {
            BackendArg::Auto => BackendChoice::Auto,
            BackendArg::Cpu => BackendChoice::Cpu,
            BackendArg::Cuda => BackendChoice::Cuda,
        };
        let devices = DeviceOptions {
            gpus: more.gpus.or_else(|| self.gpus().map(<[u32]>::to_vec)),
            max_device_bytes: self.max_vram,
            max_key_bytes: more.max_key_bytes.or(self.max_key_vram),
            ..more
        };
        let mut builder = Prover::builder().backend(backend).devices(devices);
        if let Some(threads) = self.threads {
            builder = builder.threads(threads.into());
        }
        let prover = builder.build()?;
        if let Some(option) = self
            .device_option()
            .filter(|_| prover.backend_info().name == "cpu")
        {
            tracing::warn!("{option} has no effect: the CPU computes");
        }
        Ok(prover)
    }
}

/// `None`: as many threads as there are cores.
fn start_global_pool(threads: Option<usize>) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0));
    pool.build_global()
        .map_err(|e| Failure::Device(format!("start threads: {e}")))
}

#[derive(Clone, Copy, ValueEnum)]
enum BackendArg {
    /// CUDA if this build and machine have it, else the CPU
    Auto,
    /// the CPU
    Cpu,
    /// a CUDA device, or an error
    Cuda,
}

#[derive(Args)]
pub(crate) struct Demo {
    /// The message whose hash the proof is about (1,024 bytes at most)
    #[arg(long, value_name = "TEXT", default_value = "Groth16 over BLS12-381", value_parser = parse_message)]
    pub(crate) message: String,
}

#[derive(Args)]
pub(crate) struct Setup {
    /// The circuit, as circom writes it
    #[arg(long, value_name = "C.r1cs")]
    pub(crate) r1cs: PathBuf,
    /// Where the proving key goes
    #[arg(long, value_name = "P.params")]
    pub(crate) out: PathBuf,
    /// Where the verifying key goes as well
    #[arg(long, value_name = "V.vk")]
    pub(crate) vk: Option<PathBuf>,
    /// INSECURE, for tests: secrets from this seed, so that anyone can forge proofs
    #[arg(long, value_name = "N")]
    pub(crate) insecure_seed: Option<u64>,
}

#[derive(Args)]
pub(crate) struct Prove {
    /// The proving key
    #[arg(long, value_name = "P.params")]
    pub(crate) params: PathBuf,
    /// The circuit
    #[arg(long, value_name = "C.r1cs")]
    pub(crate) r1cs: PathBuf,
    /// The witness
    #[arg(long, value_name = "W.wtns")]
    pub(crate) witness: PathBuf,
    /// Where the proof goes; nothing is left there on failure
    #[arg(long, value_name = "proof.bin")]
    pub(crate) out: PathBuf,
    /// 192 bytes as bellperson writes them, or snarkjs's JSON
    #[arg(long, value_enum, default_value = "bin")]
    pub(crate) format: ProofFormat,
    /// Where the public inputs go as well, as snarkjs's JSON
    #[arg(long, value_name = "public.json")]
    pub(crate) public_out: Option<PathBuf>,
    /// INSECURE, for tests: the first blinding element, a big-endian hexadecimal integer below r
    #[arg(long, value_name = "HEX", requires = "s", value_parser = parse_element)]
    r: Option<Fr>,
    /// INSECURE, for tests: the second blinding element
    #[arg(long, value_name = "HEX", requires = "r", value_parser = parse_element)]
    s: Option<Fr>,
    /// Write the proof without verifying it first
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Check that every point of the key is in the subgroup of order r, too
    #[arg(long)]
    pub(crate) check: bool,
    /// The SHA-256 that the key file must have
    #[arg(long, value_name = "HEX", value_parser = parse_sha256)]
    pub(crate) params_sha256: Option<Sha256Hex>,
}

impl Prove {
    /// The blinding: given, or from the operating system.
    pub(crate) fn blinding(&self) -> Blinding {
        match (self.r, self.s) {
            (Some(r), Some(s)) => {
                tracing::warn!("--r and --s are INSECURE: a proof with known blinding hides nothing");
                Blinding { r, s }
            }
            _ => Blinding::random(&mut groth16_prover::OsRng),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ProofFormat {
    /// A, B, C compressed, 192 bytes
    Bin,
    /// proof.json
    Snarkjs,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("key").required(true).multiple(false))]
pub(crate) struct Verify {
    /// The verifying key
    #[arg(long, value_name = "V.vk", group = "key")]
    pub(crate) vk: Option<PathBuf>,
    /// A proving key, whose head is the verifying key
    #[arg(long, value_name = "P.params", group = "key")]
    pub(crate) params: Option<PathBuf>,
    /// The proof, binary or JSON
    #[arg(long, value_name = "proof.bin|proof.json")]
    pub(crate) proof: PathBuf,
    /// The public inputs: decimal strings, without ONE
    #[arg(long, value_name = "public.json")]
    pub(crate) public: PathBuf,
}

#[derive(Args)]
pub(crate) struct Inspect {
    /// The file; its kind is told from its content
    pub(crate) file: PathBuf,
    /// Check every point, too: encodings, curve and subgroup
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("size").required(true).multiple(false))]
pub(crate) struct Bench {
    /// Domain of 2^K
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(6..=28), group = "size")]
    log_n: Option<u32>,
    /// With --log-n: share of private values that are neither 0 nor 1 [default: 0.01]
    #[arg(long, value_name = "SHARE", conflicts_with = "shape", value_parser = parse_share)]
    full: Option<f64>,
    /// The sizes, densities and values of a circuit of a Filecoin stack
    #[arg(long, value_name = "NAME", value_parser = shape_parser(), group = "size")]
    shape: Option<&'static RecordedShape>,
    /// With --shape: divide its counts by N, such as 1/16; a power of two divides the domain too
    #[arg(long, value_name = "1/N", conflicts_with = "log_n", value_parser = parse_scale)]
    scale: Option<NonZeroU32>,
    /// Circuits proved in one call
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) circuits: u16,
    /// Calls of one circuit each that are made together, as for the partitions of a sector
    #[arg(long, value_name = "N", conflicts_with = "circuits", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) jobs: Option<u16>,
    /// Timed runs
    #[arg(long, value_name = "R", default_value = "3", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) runs: u16,
    /// CUDA: how a proof's work is ordered, for measurements
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) setting: Setting,
    /// CUDA: every setting in turn, one proof at a time and `--jobs` (10 unless given) together
    #[arg(long, conflicts_with_all = ["setting", "circuits", "trace"], group = "table")]
    pub(crate) ablate: bool,
    /// CUDA: the first device of --gpu, then all of them, one proof at a time and `--jobs` (10 unless given)
    /// together, and that both give the same bytes
    #[arg(long, conflicts_with_all = ["setting", "circuits"], group = "table")]
    pub(crate) compare_devices: bool,
    /// Where the table of --ablate or of --compare-devices goes as well
    #[arg(long, value_name = "T.csv", requires = "table")]
    pub(crate) csv: Option<PathBuf>,
    /// CUDA: where a trace of the runs goes, for Perfetto or chrome://tracing
    #[arg(long, value_name = "T.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Compare a proof with the CPU's for the same r and s, byte for byte
    #[arg(long)]
    pub(crate) compare_cpu: bool,
}

impl Bench {
    /// The circuit's shape, and the name and scale that it was asked for by, if it was.
    pub(crate) fn shape(&self) -> Result<(BenchShape, Option<String>), Failure> {
        let usage = |error: bench_shapes::ShapeError| Failure::Usage(error.to_string());
        if let Some(recorded) = self.shape {
            let divisor = self.scale.unwrap_or(NonZeroU32::MIN);
            let shape = recorded.shape().scaled(divisor).map_err(usage)?;
            let name = match divisor.get() {
                1 => recorded.name.to_owned(),
                n => format!("{}, 1/{n}", recorded.name),
            };
            return Ok((shape, Some(name)));
        }
        let log_n = self.log_n.unwrap_or_default();
        let shape = BenchShape::new(log_n, self.full.unwrap_or(0.01)).map_err(usage)?;
        Ok((shape, None))
    }
}

/// Device indices, none twice.
#[derive(Clone)]
struct GpuList(Vec<u32>);

fn parse_gpu_list(text: &str) -> Result<GpuList, String> {
    let mut list = Vec::new();
    for part in text.split(',') {
        let index: u32 = part
            .trim()
            .parse()
            .map_err(|_| format!("{part:?} is not a device index"))?;
        if list.contains(&index) {
            return Err(format!("device {index} is listed twice"));
        }
        list.push(index);
    }
    Ok(GpuList(list))
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        unit => return Err(format!("unit {unit:?} is none of KiB, MiB, GiB, TiB")),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("{digits:?} is not a whole number"))?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "more bytes than 64 bits can count".to_owned())
}

fn parse_element(text: &str) -> Result<Fr, String> {
    bls_fields::fr_from_hex(text).map_err(|_| "not a hexadecimal integer below r".to_owned())
}

/// 64 lower-case hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sha256Hex(pub(crate) String);

fn parse_sha256(text: &str) -> Result<Sha256Hex, String> {
    let digest = text.to_ascii_lowercase();
    match digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()) {
        true => Ok(Sha256Hex(digest)),
        false => Err("a SHA-256 has 64 hexadecimal digits".to_owned()),
    }
}

/// A name of a recorded shape; the help lists them.
fn shape_parser() -> impl TypedValueParser<Value = &'static RecordedShape> {
    let names = RecordedShape::all()
        .iter()
        .map(|shape| PossibleValue::new(shape.name).help(shape.circuit));
    PossibleValuesParser::new(names).try_map(|name| RecordedShape::by_name(&name))
}

/// `1/N`; the 1 alone for the whole.
fn parse_scale(text: &str) -> Result<NonZeroU32, String> {
    let divisor = match text.strip_prefix('1') {
        Some("") => "1",
        Some(rest) => rest.strip_prefix('/').unwrap_or_default(),
        None => "",
    };
    divisor
        .parse()
        .map_err(|_| "a scale is 1/N with a whole number N, such as 1/16".to_owned())
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
}

fn parse_message(text: &str) -> Result<String, String> {
    match text.len() {
        0..=1024 => Ok(text.to_owned()),
        bytes => Err(format!("{bytes} bytes, where 1,024 are the most")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn byte_counts_have_binary_units() {
        assert_eq!(parse_bytes("17"), Ok(17));
        assert_eq!(parse_bytes("8GiB"), Ok(8 << 30));
        for bad in ["", "GiB", "8GB", "-1", "99999999TiB", "1.5GiB"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_scale_is_a_part_of_one() {
        let n = |text| parse_scale(text).map(NonZeroU32::get);
        assert_eq!([n("1"), n("1/1"), n("1/16")], [Ok(1), Ok(1), Ok(16)]);
        for bad in [
            "",
            "2",
            "16",
            "1/",
            "1/0",
            "2/16",
            "1/-4",
            "11/16",
            "0.5",
            "1/4294967296",
        ] {
            assert!(n(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_device_listed_twice_is_refused() {
        assert_eq!(parse_gpu_list("0,1").map(|l| l.0), Ok(vec![0, 1]));
        for bad in ["", "0,0", "a", "0,", "-1"] {
            assert!(parse_gpu_list(bad).is_err(), "{bad}");
        }
    }
}
