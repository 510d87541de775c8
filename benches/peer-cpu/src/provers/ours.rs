use super::Prover;
use crate::Result;
use bls_fields::Fr;
use groth16_core::{
    Backend, Blinding, CpuBackend, Job, LoadedSrs, OwnedAssignment, Parameters, ParamsCheck, R1cs,
};
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
        let rows = self.r1cs.evaluate(&self.witness)?;
        let (inputs, aux) = self.witness.split_at(self.r1cs.n_inputs());
        let assignment = OwnedAssignment {
            a: rows.a.into(),
            b: rows.b.into(),
            inputs: inputs.to_vec(),
            aux: aux.to_vec().into(),
            // Once a circuit would do; the others find them anew in each proof.
            densities: Arc::new(self.r1cs.densities()),
        };
        let job = Job::new(&*self.srs, vec![(assignment, Blinding { r, s })])?;
        let proofs = CpuBackend.submit(&self.srs, job)?.wait()?;
        Ok(proofs[0].to_bytes())
    }
}
