use super::Prover;
use crate::circuit::ArkCircuit;
use crate::convert::{ark_fr, ark_key};
use crate::Result;
use ark_bls12_381::Bls12_381;
use ark_groth16::{Groth16, ProvingKey};
use ark_serialize::CanonicalSerialize;
use bls_fields::Fr;
use groth16_core::{Parameters, ParamsCheck, R1cs};
use std::path::Path;

pub(super) struct Ark {
    circuit: ArkCircuit,
    key: ProvingKey<Bls12_381>,
}

impl Ark {
    pub(super) fn load(r1cs: &R1cs, witness: &[Fr], params: &Path) -> Result<Self> {
        let key = Parameters::read(params, ParamsCheck::Lengths)?;
        Ok(Ark {
            circuit: ArkCircuit::new(r1cs, witness),
            key: ark_key(&key, &r1cs.densities()),
        })
    }
}

impl Prover for Ark {
    fn prove(&mut self, r: Fr, s: Fr) -> Result<[u8; 192]> {
        let [r, s] = [&r, &s].map(ark_fr);
        let proof = Groth16::<Bls12_381>::create_proof_with_reduction(&self.circuit, &self.key, r, s)
            .map_err(|e| format!("arkworks: {e}"))?;
        let mut bytes = [0; 192];
        proof.serialize_compressed(&mut bytes[..])?;
        Ok(bytes)
    }
}
