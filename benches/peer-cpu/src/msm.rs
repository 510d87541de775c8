//! Multi-scalar multiplication: ours, and that of every library here, on the same points and scalars.

use crate::convert::{ark_g1, ark_g2};
use crate::measure::{load, time};
use crate::record::{append, Record};
use crate::Result;
use ark_ec::{CurveGroup as _, VariableBaseMSM};
use ark_ff::BigInt;
use ark_serialize::CanonicalSerialize;
use bls_curves::{CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck};
use bls_fields::{Fr, FrRepr};
use blst::MultiPoint;
use clap::ValueEnum;
use ff::{Field, PrimeField};
use group::prime::PrimeCurveAffine;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::path::PathBuf;
use std::sync::Arc;

/// Which of the two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Group {
    G1,
    G2,
}

/// What is to be measured.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// log₂ of the number of points
    #[arg(long, value_delimiter = ',', default_value = "12")]
    pub log_n: Vec<u32>,
    /// groups
    #[arg(long, value_enum, value_delimiter = ',', default_value = "g1,g2")]
    pub groups: Vec<Group>,
    /// threads of each library but blst's own pool, which has one for each core
    #[arg(long, default_value_t = 2)]
    pub threads: usize,
    /// rounds; each library runs once a round
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// libraries to leave out
    #[arg(long, value_delimiter = ',')]
    pub without: Vec<String>,
    /// appends every measurement here
    #[arg(long)]
    pub csv: Option<PathBuf>,
}

/// Measures all that `options` asks for. Every library must find the same sum.
pub fn run(options: &Options) -> Result<Vec<Record>> {
    for (name, value) in crate::proofs::thread_variables(options.threads) {
        std::env::set_var(name, value);
    }
    let mut records = Vec::new();
    for &group in &options.groups {
        for &log_n in &options.log_n {
            records.extend(match group {
                Group::G1 => one_size::<G1Projective>(options, log_n)?,
                Group::G2 => one_size::<G2Projective>(options, log_n)?,
            });
        }
    }
    Ok(records)
}

fn one_size<C: Peers>(options: &Options, log_n: u32) -> Result<Vec<Record>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let n = 1usize << log_n;
    let bases = distinct_points::<C>(n, &mut rng);
    let full: Vec<Fr> = (0..n).map(|_| Fr::random(&mut rng)).collect();
    // 80 % zeros and ones, half each.
    let mixed: Vec<Fr> = full
        .iter()
        .map(|value| match rng.next_u32() % 10 {
            0..=3 => Fr::ZERO,
            4..=7 => Fr::ONE,
            _ => *value,
        })
        .collect();
    let mut records = one_task::<C>(options, log_n, "full", &bases, full)?;
    records.extend(one_task::<C>(options, log_n, "mix80", &bases, mixed)?);
    Ok(records)
}

/// P + i·D for random P and D: as good as random points, for no algorithm here looks for such a relation.
fn distinct_points<C: CurveGroup>(n: usize, rng: &mut impl RngCore) -> Vec<C::Affine> {
    let (first, step) = (C::random(&mut *rng), C::random(rng).to_affine());
    let points: Vec<C> = std::iter::successors(Some(first), |point| Some(*point + step))
        .take(n)
        .collect();
    let mut affine = vec![C::Affine::identity(); n];
    C::batch_normalize(&points, &mut affine);
    affine
}

fn one_task<C: Peers>(
    options: &Options,
    log_n: u32,
    kind: &str,
    bases: &[C::Affine],
    scalars: Vec<Fr>,
) -> Result<Vec<Record>> {
    let what = format!("msm-{}-{kind}", C::NAME.to_lowercase());
    let mut libraries = libraries::<C>(bases, scalars);
    libraries.retain(|(who, _)| options.without.iter().all(|out| out != who));
    let mut records = Vec::new();
    let mut expected = None;
    for _ in 0..options.runs {
        for (who, sum) in &mut libraries {
            let load = load()?;
            let (result, took) = time(sum);
            let result = result?;
            if *expected.get_or_insert(result) != result {
                return Err(format!("{what}, 2^{log_n}: the sum of {who} differs").into());
            }
            let record = Record {
                what: what.clone(),
                log_n,
                full_percent: 0.0,
                threads: options.threads,
                who: who.to_string(),
                wall_s: took.wall_s,
                cpu_s: took.cpu_s,
                work_bytes: 0,
                load,
            };
            if let Some(csv) = &options.csv {
                append(csv, &record)?;
            }
            records.push(record);
        }
    }
    Ok(records)
}

type Library<'a, C> = (&'static str, Box<dyn FnMut() -> Result<C> + 'a>);

/// Each library with its inputs in the form that it wants, as far as a prover would have them in that form.
fn libraries<C: Peers>(bases: &[C::Affine], elements: Vec<Fr>) -> Vec<Library<'_, C>> {
    let scalars: Vec<FrRepr> = elements.iter().map(|e| FrRepr::from(*e)).collect();
    let bytes: Vec<[u8; 32]> = elements.iter().map(|e| e.to_repr()).collect();
    let flat = bytes.concat();
    let exponents = Arc::new(bytes);
    let bellman_exponents = Arc::new(
        elements
            .iter()
            .map(bellman::multiexp::Exponent::from)
            .collect::<Vec<_>>(),
    );
    let shared_bases = Arc::new(bases.to_vec());
    let bellman_bases = shared_bases.clone();
    let projective: Vec<C> = bases.iter().map(|base| base.to_curve()).collect();
    let ark_bases: Vec<_> = bases.iter().map(C::ark_point).collect();
    let ark_scalars: Vec<BigInt<4>> = scalars.iter().map(|s| BigInt(*s.limbs())).collect();
    vec![
        (
            "ours",
            Box::new(move || Ok(groth16_core::msm::msm::<C>(bases, &scalars)?)),
        ),
        ("blst", Box::new(move || C::blst(bases, &flat))),
        (
            "blstrs multi_exp",
            Box::new(move || Ok(C::blstrs(&projective, &elements))),
        ),
        (
            "ark-ec",
            Box::new(move || C::from_ark(C::Ark::msm_bigint(&ark_bases, &ark_scalars))),
        ),
        (
            "ec-gpu-gen (bellperson)",
            Box::new(move || {
                let worker = ec_gpu_gen::threadpool::Worker::new();
                let bases = (shared_bases.clone(), 0);
                let density = ec_gpu_gen::multiexp_cpu::FullDensity;
                let sum = ec_gpu_gen::multiexp_cpu::multiexp_cpu(&worker, bases, density, exponents.clone());
                Ok(sum.wait()?)
            }),
        ),
        (
            "bellman",
            Box::new(move || {
                let worker = bellman::multicore::Worker::new();
                let bases = (bellman_bases.clone(), 0);
                let density = bellman::multiexp::FullDensity;
                let sum = bellman::multiexp::multiexp(&worker, bases, density, bellman_exponents.clone());
                Ok(sum.wait()?)
            }),
        ),
    ]
}

/// A group with what each library calls it.
trait Peers: CurveGroup {
    type Ark: VariableBaseMSM<ScalarField = ark_bls12_381::Fr> + ark_ec::CurveGroup;
    fn ark_point(point: &Self::Affine) -> <Self::Ark as ark_ec::CurveGroup>::Affine;
    fn blst(points: &[Self::Affine], scalars: &[u8]) -> Result<Self>;
    fn blstrs(points: &[Self], scalars: &[Fr]) -> Self;

    fn from_ark(sum: Self::Ark) -> Result<Self> {
        let mut bytes = Vec::new();
        sum.into_affine().serialize_uncompressed(&mut bytes)?;
        Ok(Self::decode_uncompressed(&bytes, PointCheck::Encoding)?.to_curve())
    }
}

macro_rules! impl_peers {
    ($curve:ty, $affine:ty, $ark:ty, $ark_point:path, $blst_affine:ty, $serialize:path, $bytes:literal) => {
        impl Peers for $curve {
            type Ark = $ark;

            fn ark_point(point: &$affine) -> <$ark as ark_ec::CurveGroup>::Affine {
                $ark_point(point)
            }

            fn blst(points: &[$affine], scalars: &[u8]) -> Result<Self> {
                // SAFETY: blstrs' affine point is repr(transparent) over blst's.
                let points: &[$blst_affine] =
                    unsafe { std::slice::from_raw_parts(points.as_ptr().cast(), points.len()) };
                let sum = points.mult(scalars, 255);
                let mut bytes = [0; $bytes];
                // SAFETY: blst writes as many bytes as the array has.
                unsafe { $serialize(bytes.as_mut_ptr(), &sum) };
                Ok(Self::decode_uncompressed(&bytes, PointCheck::Encoding)?.to_curve())
            }

            fn blstrs(points: &[Self], scalars: &[Fr]) -> Self {
                <$curve>::multi_exp(points, scalars)
            }
        }
    };
}

impl_peers!(
    G1Projective,
    G1Affine,
    ark_bls12_381::G1Projective,
    ark_g1,
    blst::blst_p1_affine,
    blst::blst_p1_serialize,
    96
);
impl_peers!(
    G2Projective,
    G2Affine,
    ark_bls12_381::G2Projective,
    ark_g2,
    blst::blst_p2_affine,
    blst::blst_p2_serialize,
    192
);
