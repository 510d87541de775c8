use crate::circuit::{FilecoinCircuit, Tree};
use crate::sector::{Sector, PROVER_ID};
use crate::work::{Statement, Work};
use anyhow::Result;
use filecoin_proofs::parameters::{window_post_public_params, winning_post_public_params};
use filecoin_proofs::{
    as_safe_commitment, generate_fallback_sector_challenges, generate_single_vanilla_proof,
    generate_window_post, generate_winning_post, get_num_partition_for_fallback_post,
    partition_vanilla_proofs, verify_window_post, verify_winning_post, PoStConfig, PoStType,
    PrivateReplicaInfo, PublicReplicaInfo, SECTOR_SIZE_2_KIB, WINDOW_POST_CHALLENGE_COUNT,
    WINDOW_POST_SECTOR_COUNT, WINNING_POST_CHALLENGE_COUNT, WINNING_POST_SECTOR_COUNT,
};
use std::collections::BTreeMap;
use std::path::Path;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::sector::SectorId;
use storage_proofs_post::fallback::{FallbackPoStCompound, PublicInputs, PublicParams, PublicSector};

const RANDOMNESS: [u8; 32] = [4; 32];
const OTHER_RANDOMNESS: [u8; 32] = [6; 32];

/// With priority, as miners make them: a block waits for this proof. The version is one that the stack tests this kind
/// with; under 1.2 a proof over given vanilla proofs is not about the challenges that its verifier derives.
pub fn winning_config() -> PoStConfig {
    PoStConfig {
        sector_size: SECTOR_SIZE_2_KIB.into(),
        challenge_count: WINNING_POST_CHALLENGE_COUNT,
        sector_count: WINNING_POST_SECTOR_COUNT,
        typ: PoStType::Winning,
        priority: true,
        api_version: ApiVersion::V1_0_0,
    }
}

pub fn window_config() -> PoStConfig {
    PoStConfig {
        sector_size: SECTOR_SIZE_2_KIB.into(),
        challenge_count: WINDOW_POST_CHALLENGE_COUNT,
        sector_count: WINDOW_POST_SECTOR_COUNT.read().unwrap()[&SECTOR_SIZE_2_KIB],
        typ: PoStType::Window,
        priority: false,
        api_version: ApiVersion::V1_2_0,
    }
}

pub fn post_public_params(config: &PoStConfig) -> Result<PublicParams> {
    match config.typ {
        PoStType::Winning => winning_post_public_params::<Tree>(config),
        PoStType::Window => window_post_public_params::<Tree>(config),
    }
}

/// Sealed sectors, to be proved as still there.
pub struct PostProof {
    config: PoStConfig,
    private: BTreeMap<SectorId, PrivateReplicaInfo<Tree>>,
    public: BTreeMap<SectorId, PublicReplicaInfo>,
}

impl PostProof {
    pub fn prepare(folder: &Path, config: PoStConfig, n_sectors: usize) -> Result<Self> {
        let (mut private, mut public) = (BTreeMap::new(), BTreeMap::new());
        for id in 1..=n_sectors as u64 {
            let sector = Sector::seal(folder, id)?;
            let comm_r = sector.commitments.comm_r;
            private.insert(
                id.into(),
                PrivateReplicaInfo::new(sector.replica, comm_r, sector.cache)?,
            );
            public.insert(id.into(), PublicReplicaInfo::new(comm_r)?);
        }
        Ok(PostProof {
            config,
            private,
            public,
        })
    }
}

impl Work for PostProof {
    fn circuits(&self) -> Result<Vec<FilecoinCircuit>> {
        let ids: Vec<SectorId> = self.private.keys().copied().collect();
        let challenges =
            generate_fallback_sector_challenges::<Tree>(&self.config, &RANDOMNESS, &ids, PROVER_ID)?;
        let vanilla = (self.private.iter())
            .map(|(id, replica)| generate_single_vanilla_proof(&self.config, *id, replica, &challenges[id]))
            .collect::<Result<Vec<_>>>()?;
        let sector = |(id, replica): (&SectorId, &PublicReplicaInfo)| {
            Ok(PublicSector {
                id: *id,
                comm_r: replica.safe_comm_r()?,
            })
        };
        let public = PublicInputs {
            randomness: as_safe_commitment(&RANDOMNESS, "randomness")?,
            prover_id: as_safe_commitment(&PROVER_ID, "prover_id")?,
            sectors: self.public.iter().map(sector).collect::<Result<_>>()?,
            k: None,
        };
        let params = post_public_params(&self.config)?;
        let n_partitions = get_num_partition_for_fallback_post(&self.config, ids.len());
        let partitions =
            partition_vanilla_proofs::<Tree>(&self.config, &params, &public, n_partitions, &vanilla)?;
        let circuit = |(k, vanilla)| {
            let nothing = Default::default();
            let circuit = FallbackPoStCompound::<Tree>::circuit(&public, nothing, vanilla, &params, Some(k))?;
            Ok(FilecoinCircuit::Post(circuit))
        };
        partitions.iter().enumerate().map(circuit).collect()
    }

    fn prove(&self) -> Result<Vec<u8>> {
        match self.config.typ {
            PoStType::Winning => {
                let replicas: Vec<_> = self.private.clone().into_iter().collect();
                generate_winning_post(&self.config, &RANDOMNESS, &replicas, PROVER_ID)
            }
            PoStType::Window => generate_window_post(&self.config, &RANDOMNESS, &self.private, PROVER_ID),
        }
    }

    fn verify(&self, proof: &[u8], statement: Statement) -> Result<bool> {
        let randomness = match statement {
            Statement::Own => &RANDOMNESS,
            Statement::Other => &OTHER_RANDOMNESS,
        };
        match self.config.typ {
            PoStType::Winning => {
                let replicas: Vec<_> = self.public.clone().into_iter().collect();
                verify_winning_post::<Tree>(&self.config, randomness, &replicas, PROVER_ID, proof)
            }
            PoStType::Window => {
                verify_window_post::<Tree>(&self.config, randomness, &self.public, PROVER_ID, proof)
            }
        }
    }
}
