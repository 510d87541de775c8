//! bellperson and bellman: one family, one file format, two sets of types.

use super::Prover;
use crate::circuit::BellCircuit;
use crate::Result;
use bls_curves::Bls12;
use bls_fields::Fr;
use groth16_core::R1cs;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

macro_rules! bell_prover {
    ($type:ident, $library:ident, $key:ident => $source:expr) => {
        pub(super) struct $type {
            r1cs: R1cs,
            witness: Vec<Fr>,
            key: $library::groth16::Parameters<Bls12>,
        }

        impl $type {
            pub(super) fn load(r1cs: R1cs, witness: Vec<Fr>, params: &Path) -> Result<Self> {
                let file = BufReader::with_capacity(1 << 20, File::open(params)?);
                let key = $library::groth16::Parameters::read(file, false)?;
                Ok($type { r1cs, witness, key })
            }
        }

        impl Prover for $type {
            fn prove(&mut self, r: Fr, s: Fr) -> Result<[u8; 192]> {
                let circuit = BellCircuit {
                    r1cs: &self.r1cs,
                    witness: &self.witness,
                };
                let $key = &self.key;
                let proof = $library::groth16::create_proof(circuit, $source, r, s)?;
                let mut bytes = [0; 192];
                proof.write(&mut bytes[..])?;
                Ok(bytes)
            }
        }
    };
}

bell_prover!(Bellperson, bellperson, key => key);
bell_prover!(Bellman, bellman, key => key);
