use crate::domain::DomainError;
use crate::params::ParamsError;
use bls_curves::PointError;
use std::path::PathBuf;

/// What went wrong, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("{what} {}: {source}", path.display())]
    Io {
        /// what was being done, such as `"open"`
        what: &'static str,
        /// the file
        path: PathBuf,
        /// the system's reason
        source: std::io::Error,
    },
    /// A directory, pipe or device where a regular file is needed.
    #[error("{} is not a regular file", path.display())]
    NotAFile {
        /// the path given
        path: PathBuf,
    },
    /// The bytes are not valid parameters or not a valid verifying key.
    #[error("{}{source}", path.as_ref().map(|p| format!("{}: ", p.display())).unwrap_or_default())]
    Params {
        /// the file, where the bytes came from one
        path: Option<PathBuf>,
        /// section, index and byte offset
        source: ParamsError,
    },
    /// A proof's bytes are not three points.
    #[error("proof part {part}: {source}")]
    ProofEncoding {
        /// `"A"`, `"B"` or `"C"`, or `"length"`
        part: &'static str,
        /// the reason
        source: PointError,
    },
    /// The key was made for another circuit: a count differs.
    #[error("key and circuit do not match: {what} is {key} in the key and {circuit} in the circuit")]
    ShapeMismatch {
        /// which count
        what: &'static str,
        /// the key's
        key: usize,
        /// the circuit's
        circuit: usize,
    },
    /// Inputs of one circuit contradict each other.
    #[error("{what}: {have} given where {need} are needed")]
    InputLength {
        /// which vector
        what: &'static str,
        /// its length
        have: usize,
        /// the length that fits the others
        need: usize,
    },
    /// The witness does not have a value for each wire.
    #[error("witness has {have} values, but the circuit has {need} wires")]
    WitnessLength {
        /// values given
        have: usize,
        /// wires of the circuit, ONE among them
        need: usize,
    },
    /// The first wire of a witness is the constant ONE.
    #[error("the first value of the witness is not 1")]
    FirstWireNotOne,
    /// The witness does not satisfy the circuit.
    #[error("the witness does not satisfy constraint {constraint} (counted from 0)")]
    Unsatisfied {
        /// the first row with a·b ≠ c
        constraint: usize,
    },
    /// A constraint names a wire that does not exist.
    #[error("constraint {constraint}: wire {wire} in {matrix}, but the last wire is {max}")]
    WireIndex {
        /// the row
        constraint: usize,
        /// `"A"`, `"B"` or `"C"`
        matrix: &'static str,
        /// the wire named
        wire: usize,
        /// the highest wire there is
        max: usize,
    },
    /// A circuit's constraint has a variable that the circuit did not allocate before it.
    #[error("constraint {constraint}: a variable in {matrix} was not allocated by this circuit before it (does it come from another one?)")]
    ForeignVariable {
        /// the row
        constraint: usize,
        /// `"A"`, `"B"` or `"C"`
        matrix: &'static str,
    },
    /// A private wire occurs in no constraint, so its value could be anything and
    /// its L point would be infinity.
    #[error("private wire {wire} occurs in no constraint (wire 0 is ONE, then public, then private)")]
    UnconstrainedWire {
        /// counted from 0, ONE first
        wire: usize,
    },
    /// More rows than Fr has roots of unity for.
    #[error("{rows} rows (constraints and inputs) do not fit the largest domain, 2^32")]
    TooManyRows {
        /// constraints and inputs
        rows: usize,
    },
    /// More wires than 32 bits number.
    #[error("{wires} wires, where 2^32 are the most")]
    TooManyWires {
        /// inputs and private wires
        wires: usize,
    },
    /// A verifier was given another number of public inputs than the key has.
    #[error("{have} public inputs given, but the key has {need} (ONE not counted)")]
    PublicInputCount {
        /// given
        have: usize,
        /// needed
        need: usize,
    },
    /// The circuit could not be synthesized.
    #[error("synthesis: {0}")]
    Synthesis(#[from] bellpepper_core::SynthesisError),
    /// A setup secret that makes the key degenerate: zero, or τ in the domain.
    #[error("setup secret {what} is degenerate; draw another")]
    DegenerateSecret {
        /// which one
        what: &'static str,
    },
    /// Bases and scalars of a multi-scalar multiplication differ in number.
    #[error(transparent)]
    LengthMismatch(#[from] crate::msm::LengthMismatch),
    /// A vector does not have the length of its domain.
    #[error(transparent)]
    BadSize(#[from] crate::domain::BadSize),
    /// A domain that cannot be made: no memory for it, or no root of unity.
    #[error(transparent)]
    Domain(DomainError),
    /// A finished proof does not verify, and computing it again gives the same bytes:
    /// the key is of another circuit.
    #[error("the proof does not verify, and a second computation gives the same one: key and circuit do not match")]
    KeyCircuitMismatch,
    /// A finished proof does not verify, and computing it again gives another one.
    #[error("the proof of backend {backend} does not verify and the CPU computes another one: a device fault, or a defect of that backend; please report it")]
    ProofSelfCheckFailed {
        /// the backend that made it
        backend: String,
    },
    /// A backend's own failure: no device, too little memory, a fault.
    #[error("backend {backend}, {stage}: {source}")]
    Backend {
        /// `"cpu"`, `"cuda"`
        backend: &'static str,
        /// what it was doing
        stage: &'static str,
        /// its own error
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The SRS handle was loaded by another backend than the one it was given to.
    #[error("this SRS was not loaded by backend {backend}")]
    ForeignSrs {
        /// the backend asked
        backend: &'static str,
    },
}

/// Coarse classes of [`Error`], for exit codes and for callers that decide whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Bad input: a file, a witness, or a key that does not fit. The same input fails again.
    Input,
    /// A device, its memory, or the operating system's resources.
    Device,
}

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whose fault it is, coarsely.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Backend { .. }
            | Error::ProofSelfCheckFailed { .. }
            | Error::Domain(DomainError::OutOfMemory { .. }) => ErrorKind::Device,
            // A map, or a vector for a file, that does not fit the process.
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::OutOfMemory => ErrorKind::Device,
            _ => ErrorKind::Input,
        }
    }
}
