//! Parameter generation: ours, bellperson's and arkworks'.

use crate::circuit::{ArkCircuit, BellCircuit};
use crate::convert::ark_fr;
use crate::measure::{load, time};
use crate::record::{append, Record};
use crate::Result;
use ark_bls12_381::Bls12_381;
use ark_ec::PrimeGroup;
use ark_groth16::Groth16;
use bench_shapes::BenchShape;
use bls_curves::{Bls12, G1Projective, G2Projective};
use bls_fields::Fr;
use ff::Field;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use group::Group;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use std::path::PathBuf;

/// What is to be measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// log₂ of the domain's size
    #[arg(long, value_delimiter = ',', default_value = "10")]
    pub log_n: Vec<u32>,
    /// percent of private wires that are neither 0 nor 1
    #[arg(long, default_value_t = 20.0)]
    pub full: f64,
    /// threads of each library
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// rounds; each library runs once a round
    #[arg(long, default_value_t = 1)]
    pub runs: usize,
    /// appends every measurement here
    #[arg(long)]
    pub csv: Option<PathBuf>,
}

/// Measures all that `options` asks for. From the same secrets, ours and bellperson's must be the same file.
pub fn run(options: &Options) -> Result<Vec<Record>> {
    for (name, value) in crate::proofs::thread_variables(options.threads) {
        std::env::set_var(name, value);
    }
    let mut records = Vec::new();
    for &log_n in &options.log_n {
        for _ in 0..options.runs {
            one_round(options, log_n, &mut records)?;
        }
    }
    Ok(records)
}

fn one_round(options: &Options, log_n: u32, records: &mut Vec<Record>) -> Result<()> {
    let (r1cs, witness) = BenchShape::new(log_n, options.full / 100.0)?.generate(1)?;
    let circuit = BellCircuit {
        r1cs: &r1cs,
        witness: &witness,
    };
    let ark_circuit = ArkCircuit::new(&r1cs, &witness);
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let secrets: [Fr; 5] = std::array::from_fn(|_| Fr::random(&mut rng));
    let [tau, alpha, beta, gamma, delta] = secrets;

    let mut record = |who: &str, load, took: crate::measure::Time| -> Result<()> {
        let record = Record {
            what: "setup".into(),
            log_n,
            full_percent: options.full,
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

    let before = load()?;
    let waste = ToxicWaste::insecure_from_elements(secrets);
    let (ours, took) = time(|| generate_parameters(&r1cs, &waste));
    record("ours", before, took)?;
    let mut our_bytes = Vec::new();
    ours?.write(&mut our_bytes)?;

    let before = load()?;
    let (key, took) = time(|| {
        bellperson::groth16::generate_parameters::<Bls12, _>(
            circuit,
            G1Projective::generator(),
            G2Projective::generator(),
            alpha,
            beta,
            gamma,
            delta,
            tau,
        )
    });
    record("bellperson", before, took)?;
    let mut bytes = Vec::new();
    key?.write(&mut bytes)?;
    if bytes != our_bytes {
        return Err(format!("setup 2^{log_n}: the file of bellperson differs").into());
    }

    let before = load()?;
    let (key, took) = time(|| {
        Groth16::<Bls12_381>::generate_parameters_with_qap(
            &ark_circuit,
            ark_fr(&alpha),
            ark_fr(&beta),
            ark_fr(&gamma),
            ark_fr(&delta),
            ark_bls12_381::G1Projective::generator(),
            ark_bls12_381::G2Projective::generator(),
            &mut ark_std::test_rng(),
        )
    });
    record("ark", before, took)?;
    key.map_err(|e| format!("arkworks: {e}"))?;
    Ok(())
}
