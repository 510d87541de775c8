//! Parameters where the stack looks for them, under its names, made by this project's generator. Their secrets are
//! known to whoever reads this, which is right for a test and for nothing else.

use crate::circuit::{FilecoinCircuit, Tree};
use crate::device;
use crate::kind::Kind;
use crate::post::{post_public_params, window_config, winning_config};
use crate::sector::porep_config;
use anyhow::{Context, Result};
use bellpepper_core::Circuit;
use blstrs::Scalar;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs::{DefaultPieceHasher, SECTOR_SIZE_2_KIB};
use groth16_core::circuit::r1cs_of_circuit;
use groth16_core::setup::{generate_parameters_with, ToxicWaste};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;
use storage_proofs_core::compound_proof::{CircuitComponent, CompoundProof};
use storage_proofs_core::parameter_cache::{
    parameter_cache_metadata_path, parameter_cache_params_path, parameter_cache_verifying_key_path,
    CacheEntryMetadata, ParameterSetMetadata,
};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_porep::stacked::StackedCompound;
use storage_proofs_post::fallback::FallbackPoStCompound;
use storage_proofs_update::{EmptySectorUpdateCompound, PublicParams};

/// So that a run can be repeated.
const INSECURE_SEED: u64 = 2048;

/// What making a key took.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// the backend
    pub by: String,
    pub params_bytes: u64,
    pub generate_s: f64,
    pub write_s: f64,
    pub peak_mib: u64,
}

/// What the stack needs to know of a circuit before it has a witness.
struct Blank {
    circuit: FilecoinCircuit,
    cache_id: String,
    meta: CacheEntryMetadata,
}

impl Blank {
    fn of_kind(kind: Kind) -> Result<Self> {
        Ok(match kind {
            Kind::Porep => Blank::new::<_, _, StackedCompound<Tree, DefaultPieceHasher>>(
                &public_params(&porep_config())?,
                FilecoinCircuit::Porep,
            ),
            Kind::Update => Blank::new::<_, _, EmptySectorUpdateCompound<Tree>>(
                &PublicParams::from_sector_size(SECTOR_SIZE_2_KIB),
                FilecoinCircuit::Update,
            ),
            Kind::Winning => Blank::new::<_, _, FallbackPoStCompound<Tree>>(
                &post_public_params(&winning_config())?,
                FilecoinCircuit::Post,
            ),
            Kind::Window { .. } => Blank::new::<_, _, FallbackPoStCompound<Tree>>(
                &post_public_params(&window_config())?,
                FilecoinCircuit::Post,
            ),
        })
    }

    fn new<'a, S, C, X>(params: &S::PublicParams, circuit: fn(C) -> FilecoinCircuit) -> Self
    where
        X: CompoundProof<'a, S, C>,
        C: Circuit<Scalar> + CircuitComponent + Send,
        S: ProofScheme<'a>,
        S::Proof: Sync + Send,
        S::PublicParams: ParameterSetMetadata + Sync + Send,
        S::PublicInputs: Clone + Sync,
    {
        Blank {
            circuit: circuit(X::blank_circuit(params)),
            cache_id: X::cache_identifier(params),
            meta: X::cache_meta(params),
        }
    }
}

/// The `.params` file of a kind.
pub fn params_path(kind: Kind) -> Result<PathBuf> {
    Ok(parameter_cache_params_path(&Blank::of_kind(kind)?.cache_id))
}

/// Makes the `.params`, `.vk` and `.meta` of a kind.
pub fn make(kind: Kind) -> Result<Made> {
    let blank = Blank::of_kind(kind)?;
    let start = Instant::now();
    let r1cs = r1cs_of_circuit(blank.circuit)?;
    let backend = device::backend()?;
    let secrets = ToxicWaste::insecure_from_seed(INSECURE_SEED);
    let parameters = generate_parameters_with(&r1cs, &secrets, backend.multiples())?;
    let generated = Instant::now();

    let path = parameter_cache_params_path(&blank.cache_id);
    fs::create_dir_all(path.parent().context("the parameter cache is a folder")?)?;
    let mut out = BufWriter::new(File::create(&path)?);
    parameters.write(&mut out)?;
    out.flush()?;
    fs::write(
        parameter_cache_verifying_key_path(&blank.cache_id),
        parameters.vk.to_bytes(),
    )?;
    fs::write(
        parameter_cache_metadata_path(&blank.cache_id),
        serde_json::to_vec(&blank.meta)?,
    )?;
    Ok(Made {
        by: backend.info().name.to_owned(),
        params_bytes: fs::metadata(&path)?.len(),
        generate_s: (generated - start).as_secs_f64(),
        write_s: generated.elapsed().as_secs_f64(),
        peak_mib: crate::process::peak_mib()?,
    })
}
