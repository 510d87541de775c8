use crate::circuit::FilecoinCircuit;
use anyhow::Result;

/// Something sealed that is to be proved.
pub trait Work: Send + Sync {
    /// A circuit with its witness for each partition, as the stack hands them to bellperson.
    fn circuits(&self) -> Result<Vec<FilecoinCircuit>>;

    /// The stack's own call, vanilla proofs and all. It chooses r and s.
    fn prove(&self) -> Result<Vec<u8>>;

    /// The stack's own verifier.
    fn verify(&self, proof: &[u8], statement: Statement) -> Result<bool>;
}

/// What a proof is held against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    /// what was proved
    Own,
    /// the same with another seed, other randomness, or the commitments of the old data
    Other,
}
