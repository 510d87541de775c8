use crate::circuit::{FilecoinCircuit, Tree};
use crate::sector::{porep_config, stage, Sector};
use crate::work::{Statement, Work};
use anyhow::Result;
use filecoin_hashers::Domain;
use filecoin_proofs::{
    encode_into, generate_empty_sector_update_proof, generate_partition_proofs,
    verify_empty_sector_update_proof, DefaultPieceDomain, EmptySectorUpdateEncoded, SectorUpdateConfig,
    SECTOR_SIZE_2_KIB,
};
use std::fs::{create_dir, File};
use std::path::{Path, PathBuf};
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_update::constants::TreeRDomain;
use storage_proofs_update::{EmptySectorUpdateCompound, PublicInputs, PublicParams};

/// A sealed sector into which other data were encoded.
pub struct UpdateProof {
    sector: Sector,
    /// the new replica and its trees
    replica: PathBuf,
    cache: PathBuf,
    encoded: EmptySectorUpdateEncoded,
}

impl UpdateProof {
    pub fn prepare(folder: &Path) -> Result<Self> {
        let sector = Sector::seal(folder, 1)?;
        let folder = folder.join("update");
        let (cache, replica) = (folder.join("cache"), folder.join("replica"));
        create_dir(&folder)?;
        create_dir(&cache)?;
        // The stack maps the new replica as long as it finds it.
        File::create(&replica)?.set_len(SECTOR_SIZE_2_KIB)?;
        let (staged, pieces) = stage(&folder, 2)?;
        let encoded = encode_into::<Tree>(
            &SectorUpdateConfig::from_porep_config(&porep_config()),
            &replica,
            &cache,
            &sector.replica,
            &sector.cache,
            &staged,
            &pieces,
        )?;
        Ok(UpdateProof {
            sector,
            replica,
            cache,
            encoded,
        })
    }
}

impl Work for UpdateProof {
    fn circuits(&self) -> Result<Vec<FilecoinCircuit>> {
        let config = SectorUpdateConfig::from_porep_config(&porep_config());
        let old = &self.sector;
        let vanilla = generate_partition_proofs::<Tree>(
            config,
            old.commitments.comm_r,
            self.encoded.comm_r_new,
            self.encoded.comm_d_new,
            &old.replica,
            &old.cache,
            &self.replica,
            &self.cache,
        )?;
        let public = PublicInputs {
            k: usize::from(config.update_partitions),
            comm_r_old: TreeRDomain::try_from_bytes(&old.commitments.comm_r)?,
            comm_d_new: DefaultPieceDomain::try_from_bytes(&self.encoded.comm_d_new)?,
            comm_r_new: TreeRDomain::try_from_bytes(&self.encoded.comm_r_new)?,
            h: config.h,
        };
        let params = PublicParams::from_sector_size(SECTOR_SIZE_2_KIB);
        let circuit = |(k, vanilla)| {
            let circuit = EmptySectorUpdateCompound::<Tree>::circuit(&public, (), vanilla, &params, Some(k))?;
            Ok(FilecoinCircuit::Update(circuit))
        };
        vanilla.iter().enumerate().map(circuit).collect()
    }

    fn prove(&self) -> Result<Vec<u8>> {
        let proof = generate_empty_sector_update_proof::<Tree>(
            &porep_config(),
            self.sector.commitments.comm_r,
            self.encoded.comm_r_new,
            self.encoded.comm_d_new,
            &self.sector.replica,
            &self.sector.cache,
            &self.replica,
            &self.cache,
        )?;
        Ok(proof.0)
    }

    fn verify(&self, proof: &[u8], statement: Statement) -> Result<bool> {
        let old = &self.sector.commitments;
        let comm_d = match statement {
            Statement::Own => self.encoded.comm_d_new,
            Statement::Other => old.comm_d,
        };
        verify_empty_sector_update_proof::<Tree>(
            &porep_config(),
            proof,
            old.comm_r,
            self.encoded.comm_r_new,
            comm_d,
        )
    }
}
