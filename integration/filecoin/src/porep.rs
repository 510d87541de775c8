use crate::circuit::{FilecoinCircuit, Tree};
use crate::sector::{porep_config, Sector, PROVER_ID, TICKET};
use crate::work::{Statement, Work};
use anyhow::Result;
use filecoin_hashers::Domain;
use filecoin_proofs::parameters::public_params;
use filecoin_proofs::{
    as_safe_commitment, seal_commit_phase1, seal_commit_phase2, verify_seal, DefaultPieceDomain,
    DefaultPieceHasher, SealCommitPhase1Output,
};
use std::path::Path;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, Tau};

const SEED: [u8; 32] = [2; 32];
const OTHER_SEED: [u8; 32] = [3; 32];

/// A sealed sector after the first phase of commit; the proof is the second.
pub struct SealProof {
    sector: Sector,
    phase1: SealCommitPhase1Output<Tree>,
}

impl SealProof {
    pub fn prepare(folder: &Path) -> Result<Self> {
        let sector = Sector::seal(folder, 1)?;
        let phase1 = seal_commit_phase1::<_, Tree>(
            &porep_config(),
            &sector.cache,
            &sector.replica,
            PROVER_ID,
            sector.id.into(),
            TICKET,
            SEED,
            sector.commitments.clone(),
            &sector.pieces,
        )?;
        Ok(SealProof { sector, phase1 })
    }
}

impl Work for SealProof {
    fn circuits(&self) -> Result<Vec<FilecoinCircuit>> {
        let public = PublicInputs {
            replica_id: self.phase1.replica_id,
            tau: Some(Tau {
                comm_d: DefaultPieceDomain::try_from_bytes(&self.phase1.comm_d)?,
                comm_r: as_safe_commitment(&self.phase1.comm_r, "comm_r")?,
            }),
            k: None,
            seed: Some(self.phase1.seed),
        };
        let params = public_params::<Tree>(&porep_config())?;
        let circuit = |(k, vanilla)| {
            let circuit =
                StackedCompound::<Tree, DefaultPieceHasher>::circuit(&public, (), vanilla, &params, Some(k))?;
            Ok(FilecoinCircuit::Porep(circuit))
        };
        self.phase1
            .vanilla_proofs
            .iter()
            .enumerate()
            .map(circuit)
            .collect()
    }

    fn prove(&self) -> Result<Vec<u8>> {
        // By hand: its own `Clone` asks the same of the tree's type, which has none.
        let phase1 = SealCommitPhase1Output {
            vanilla_proofs: self.phase1.vanilla_proofs.clone(),
            ..self.phase1
        };
        Ok(seal_commit_phase2(&porep_config(), phase1, PROVER_ID, self.sector.id.into())?.proof)
    }

    fn verify(&self, proof: &[u8], statement: Statement) -> Result<bool> {
        let seed = match statement {
            Statement::Own => SEED,
            Statement::Other => OTHER_SEED,
        };
        verify_seal::<Tree>(
            &porep_config(),
            self.phase1.comm_r,
            self.phase1.comm_d,
            PROVER_ID,
            self.sector.id.into(),
            TICKET,
            seed,
            proof,
        )
    }
}
