//! A sector of 2 KiB, sealed. Nothing in it is random: a run can be repeated byte for byte, on another machine too.

use crate::circuit::Tree;
use anyhow::Result;
use filecoin_proofs::{
    add_piece, seal_pre_commit_phase1, seal_pre_commit_phase2, PieceInfo, PoRepConfig, SealPreCommitOutput,
    SECTOR_SIZE_2_KIB,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};
use std::fs::{create_dir, File};
use std::path::{Path, PathBuf};
use storage_proofs_core::api_version::ApiVersion;

/// A field element, as everything that is hashed has to be.
pub const PROVER_ID: [u8; 32] = [9; 32];
pub const TICKET: [u8; 32] = [1; 32];

const POREP_ID: [u8; 32] = [5; 32];

pub fn porep_config() -> PoRepConfig {
    PoRepConfig::new_groth16(SECTOR_SIZE_2_KIB, POREP_ID, ApiVersion::V1_2_0)
}

pub struct Sector {
    pub id: u64,
    /// labels, trees and what else the phases leave for each other
    pub cache: PathBuf,
    pub replica: PathBuf,
    pub pieces: Vec<PieceInfo>,
    pub commitments: SealPreCommitOutput,
}

impl Sector {
    /// Both phases of precommit, over data that follow from `id`.
    pub fn seal(folder: &Path, id: u64) -> Result<Self> {
        let folder = folder.join(format!("sector-{id}"));
        let (cache, replica) = (folder.join("cache"), folder.join("replica"));
        create_dir(&folder)?;
        create_dir(&cache)?;
        File::create(&replica)?;
        let (staged, pieces) = stage(&folder, id)?;
        let config = porep_config();
        let labels = seal_pre_commit_phase1::<_, _, _, Tree>(
            &config,
            &cache,
            &staged,
            &replica,
            PROVER_ID,
            id.into(),
            TICKET,
            &pieces,
        )?;
        let commitments = seal_pre_commit_phase2(&config, labels, &cache, &replica)?;
        Ok(Sector {
            id,
            cache,
            replica,
            pieces,
            commitments,
        })
    }
}

/// One piece that fills a sector, padded as sectors are.
pub fn stage(folder: &Path, seed: u64) -> Result<(PathBuf, Vec<PieceInfo>)> {
    let size = porep_config().unpadded_bytes_amount();
    let mut data = vec![0; u64::from(size) as usize];
    ChaCha20Rng::seed_from_u64(seed).fill_bytes(&mut data);
    let staged = folder.join("staged");
    let (piece, _) = add_piece(data.as_slice(), File::create(&staged)?, size, &[])?;
    Ok((staged, vec![piece]))
}
