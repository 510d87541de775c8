use super::Prover;
use crate::Result;
use bls_fields::Fr;
use groth16_core::{Backend, Blinding, CpuBackend, Job, LoadedSrs, Parameters, ParamsCheck, R1cs};
use std::path::Path;
use std::sync::Arc;

pub(super) struct Ours {
    r1cs: R1cs,
    witness: Vec<Fr>,
    srs: Arc<dyn LoadedSrs>,
}

impl Ours {
    pub(super) fn load(r1cs: R1cs, witness: Vec<Fr>, params: &Path) -> Result<Self> {
        let key = Parameters::read(params, ParamsCheck::Lengths)?;
        let srs = CpuBackend.load_srs(&key.into())?;
        Ok(Ours { r1cs, witness, srs })
    }
}

impl Prover for Ours {
    fn prove(&mut self, r: Fr, s: Fr) -> Result<[u8; 192]> {
        // Densities included: once a circuit would do, but the others find them anew in each proof.
        let assignment = self.r1cs.assign(&self.witness)?;
        let job = Job::new(&*self.srs, vec![(assignment, Blinding { r, s })])?;
        let proofs = CpuBackend.submit(&self.srs, job)?.wait()?;
        Ok(proofs[0].to_bytes())
    }
}
