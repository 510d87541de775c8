//! The forward transform in natural order: ours, and that of every library here, on the same elements.

use crate::convert::ark_fr;
use crate::measure::{load, time};
use crate::record::{append, Record};
use crate::Result;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use bellman::domain::Scalar;
use bls_fields::Fr;
use ff::Field;
use groth16_core::domain::Domain;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::path::PathBuf;

/// What is to be measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// log₂ of the number of elements
    #[arg(long, value_delimiter = ',', default_value = "12")]
    pub log_n: Vec<u32>,
    /// threads of each library: a power of two, because some count them so
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// rounds; each library runs once a round
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// appends every measurement here
    #[arg(long)]
    pub csv: Option<PathBuf>,
}

/// Measures all that `options` asks for. Every library must come to the same elements.
pub fn run(options: &Options) -> Result<Vec<Record>> {
    for (name, value) in crate::proofs::thread_variables(options.threads) {
        std::env::set_var(name, value);
    }
    let mut records = Vec::new();
    for &log_n in &options.log_n {
        records.extend(one_size(options, log_n)?);
    }
    Ok(records)
}

fn one_size(options: &Options, log_n: u32) -> Result<Vec<Record>> {
    let n = 1usize << log_n;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let input: Vec<Fr> = (0..n).map(|_| Fr::random(&mut rng)).collect();

    let domain = Domain::for_rows(n)?;
    let omega = domain.omega();
    let ark_domain =
        Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(n).ok_or("arkworks has no such domain")?;
    let bellman_worker = bellman::multicore::Worker::new();
    let worker = ec_gpu_gen::threadpool::Worker::new();
    let log_threads = options.threads.ilog2();

    // Each transforms its own elements again and again: after k rounds, all have the k-th transform.
    let mut ours = input.clone();
    let mut halo2 = input.clone();
    let mut ec_gpu = input.clone();
    let mut ark: Vec<_> = input.iter().map(ark_fr).collect();
    let scalars = input.iter().map(|e| Scalar(*e)).collect();
    let mut bell = bellman::domain::EvaluationDomain::from_coeffs(scalars)?;

    let mut records = Vec::new();
    for _ in 0..options.runs {
        let mut run = |who: &str, transform: &mut dyn FnMut()| -> Result<()> {
            let load = load()?;
            let ((), took) = time(transform);
            let record = Record {
                what: "fft".into(),
                log_n,
                full_percent: 0.0,
                threads: options.threads,
                who: who.into(),
                wall_s: took.wall_s,
                cpu_s: took.cpu_s,
                work_bytes: 0,
                load,
            };
            if let Some(csv) = &options.csv {
                append(csv, &record)?;
            }
            records.push(record);
            Ok(())
        };
        run("ours", &mut || {
            domain.ntt(&mut ours).expect("as many elements as the domain has")
        })?;
        run("halo2 best_fft", &mut || {
            halo2_proofs::arithmetic::best_fft(&mut halo2, omega, log_n)
        })?;
        run("ark-poly", &mut || ark_domain.fft_in_place(&mut ark))?;
        run("ec-gpu-gen (bellperson)", &mut || {
            if log_threads == 0 {
                ec_gpu_gen::fft_cpu::serial_fft(&mut ec_gpu, &omega, log_n)
            } else {
                ec_gpu_gen::fft_cpu::parallel_fft(&mut ec_gpu, &worker, &omega, log_n, log_threads)
            }
        })?;
        run("bellman", &mut || bell.fft(&bellman_worker))?;

        let same_as_ours = [
            ("halo2", halo2 == ours),
            ("ec-gpu-gen", ec_gpu == ours),
            ("ark-poly", ark.iter().zip(&ours).all(|(x, y)| *x == ark_fr(y))),
            ("bellman", bell.as_ref().iter().zip(&ours).all(|(x, y)| x.0 == *y)),
        ];
        if let Some((who, _)) = same_as_ours.iter().find(|(_, same)| !same) {
            return Err(format!("fft 2^{log_n}: the transform of {who} differs").into());
        }
    }
    Ok(records)
}
