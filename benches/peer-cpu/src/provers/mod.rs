//! The provers, each with its key and circuit loaded and ready.

mod arkworks;
mod bell;
mod ours;

use crate::Result;
use bls_fields::Fr;
use clap::ValueEnum;
use groth16_core::R1cs;
use std::path::Path;

/// Who proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Name {
    /// `groth16-core`'s CPU backend
    Ours,
    /// bellperson 0.26, its native CPU path
    Bellperson,
    /// ark-groth16 0.6
    Ark,
    /// bellman 0.14 over blstrs
    Bellman,
}

impl Name {
    pub const ALL: [Name; 4] = [Name::Ours, Name::Bellperson, Name::Ark, Name::Bellman];

    /// As it stands in the records and on the command line.
    pub fn text(self) -> &'static str {
        match self {
            Name::Ours => "ours",
            Name::Bellperson => "bellperson",
            Name::Ark => "ark",
            Name::Bellman => "bellman",
        }
    }
}

/// A prover at work. What it holds before a proof is circuit, witness and key; all else is working memory.
pub trait Prover {
    /// Makes one proof from circuit and witness, as a user of the library would: synthesis or evaluation
    /// included. It is not verified here.
    fn prove(&mut self, r: Fr, s: Fr) -> Result<[u8; 192]>;
}

/// Loads the key at `params` for a prover.
pub fn load(name: Name, r1cs: R1cs, witness: Vec<Fr>, params: &Path) -> Result<Box<dyn Prover>> {
    Ok(match name {
        Name::Ours => Box::new(ours::Ours::load(r1cs, witness, params)?),
        Name::Bellperson => Box::new(bell::Bellperson::load(r1cs, witness, params)?),
        Name::Bellman => Box::new(bell::Bellman::load(r1cs, witness, params)?),
        Name::Ark => Box::new(arkworks::Ark::load(&r1cs, &witness, params)?),
    })
}
