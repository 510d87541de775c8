use crate::{DecimalError, Matrix};
use bls_curves::PointError;
use core::fmt;

/// A file format of this crate, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// circom's constraint system
    R1cs,
    /// circom's witness
    Wtns,
    /// snarkjs' proof
    ProofJson,
    /// snarkjs' public inputs
    PublicJson,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::R1cs => ".r1cs",
            Format::Wtns => ".wtns",
            Format::ProofJson => "proof.json",
            Format::PublicJson => "public.json",
        })
    }
}

/// Why a file is refused, where in it, and what to do.
///
/// Offsets are in bytes from the start of the file, constraints and wires count from 0. The text is always
/// below 1 KB, whatever the file holds. The path of the file is the caller's to add.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The first four bytes are not the format's.
    #[error("{format}: the file begins with {have:02x?} instead of {want:02x?}: it is of another kind")]
    BadMagic {
        /// the format that was asked for
        format: Format,
        /// the first four bytes
        have: [u8; 4],
        /// what they should be
        want: [u8; 4],
    },
    /// A version of the format that this crate does not read.
    #[error("{format}: version {have} at offset 4, only version {want} is supported: write the file with a current circom or snarkjs")]
    BadVersion {
        /// the format
        format: Format,
        /// version of the file
        have: u32,
        /// version that is read
        want: u32,
    },
    /// The file, or a section, ends before what its counts and lengths promise.
    #[error("{format}: {} at offset {offset}: {need} bytes needed, {have} left: the file is cut short or a length in it is wrong", place(*format, *section))]
    Truncated {
        /// the format
        format: Format,
        /// the section, or `None` in the file header and the table of sections
        section: Option<u32>,
        /// where the missing bytes should begin
        offset: u64,
        /// bytes left there
        have: u64,
        /// bytes needed there
        need: u64,
    },
    /// A section that must be there is not.
    #[error("{format}: {} is missing: write the file again, it is not whole", place(*format, Some(*section)))]
    MissingSection {
        /// the format
        format: Format,
        /// the section
        section: u32,
    },
    /// A section occurs twice.
    #[error("{format}: {} at offset {offset} occurs a second time: one of the two must go", place(*format, Some(*section)))]
    DuplicateSection {
        /// the format
        format: Format,
        /// the section
        section: u32,
        /// where the content of the second one begins
        offset: u64,
    },
    /// The length of a section differs from what the counts of the header ask for.
    #[error("{format}: {} at offset {offset} has {have} bytes where the header asks for {need}{}", place(*format, Some(*section)), length_hint(*format, *section))]
    BadSectionLength {
        /// the format
        format: Format,
        /// the section
        section: u32,
        /// where the content of the section begins
        offset: u64,
        /// its length in bytes
        have: u64,
        /// the right length in bytes
        need: u64,
    },
    /// Bytes after the last section.
    #[error("{format}: {have} bytes after the last section, at offset {offset}: the number of sections is wrong or something was appended")]
    TrailingBytes {
        /// the format
        format: Format,
        /// where they begin
        offset: u64,
        /// how many
        have: u64,
    },
    /// The file is over another field.
    #[error(
        "{format}: made for {got}, but this prover needs {want}: compile with `circom --prime bls12381`"
    )]
    CurveMismatch {
        /// the format
        format: Format,
        /// name of the curve, or its modulus when it is none that circom knows
        got: String,
        /// always `"bls12-381"`
        want: &'static str,
    },
    /// The header declares more inputs than wires, or no wire at all.
    #[error(".r1cs: {n_wires} wires cannot hold wire 0 (ONE) and {n_inputs} inputs and outputs: the header is corrupt")]
    HeaderCounts {
        /// wires, ONE included
        n_wires: u32,
        /// public outputs, public inputs and private inputs together
        n_inputs: u64,
    },
    /// The circuit uses custom gates, which are no rank-one constraints.
    #[error(".r1cs: {} holds {count} entries: Groth16 has no custom gates, compile the circuit without them", place(Format::R1cs, Some(*section)))]
    CustomGates {
        /// 4 (the list) or 5 (the uses)
        section: u32,
        /// how many
        count: u32,
    },
    /// A constraint names a wire that does not exist.
    #[error(".r1cs: constraint {constraint} names wire {wire} in {matrix}, the last wire is {max}: the file is corrupt or was written for other counts")]
    WireIndex {
        /// the constraint
        constraint: u32,
        /// which of its three linear combinations
        matrix: Matrix,
        /// the wire
        wire: u32,
        /// the largest wire that exists
        max: u32,
    },
    /// A coefficient is not below r.
    #[error(".r1cs: the coefficient of wire {wire} in {matrix} of constraint {constraint}, at offset {offset}, is not below r: the file is corrupt")]
    Coefficient {
        /// the constraint
        constraint: u32,
        /// which of its three linear combinations
        matrix: Matrix,
        /// the wire
        wire: u32,
        /// where the coefficient stands
        offset: u64,
    },
    /// The rows of a matrix that is to be written do not fit together.
    #[error("R1CS: {matrix} has {rows} rows with {columns} columns and {values} values that do not fit together or to the other matrices: each row end must be at least the one before, the last one equal to the number of columns and of values, and all three matrices need one row a constraint")]
    Rows {
        /// the matrix
        matrix: Matrix,
        /// its number of rows
        rows: usize,
        /// entries of `columns`
        columns: usize,
        /// entries of `values`
        values: usize,
    },
    /// A witness value is not below r.
    #[error(".wtns: the value of wire {wire}, at offset {offset}, is not below r: the file is corrupt")]
    WitnessValue {
        /// the wire
        wire: u32,
        /// where the value stands
        offset: u64,
    },
    /// The witness is of another circuit.
    #[error("the witness has {have} values, the circuit {need} wires: it was made for another circuit")]
    WitnessLength {
        /// values of the witness
        have: usize,
        /// wires of the circuit
        need: usize,
    },
    /// Wire 0 is the constant ONE.
    #[error("wire 0 of the witness is not 1: the witness is corrupt or its wires are in another order")]
    FirstWireNotOne,
    /// The text is no JSON, or JSON of another shape.
    #[error("{format}: line {line}, column {column}: {reason}")]
    Json {
        /// the format
        format: Format,
        /// counts from 1
        line: usize,
        /// counts from 1; 0 at the start of a line
        column: usize,
        /// at most 200 characters
        reason: String,
    },
    /// An element of `public.json` is no canonical integer below r.
    #[error("public.json: element {index}: {reason}")]
    PublicInput {
        /// which element, from 0
        index: usize,
        /// what is wrong with it
        reason: DecimalError,
    },
    /// A coordinate in `proof.json` is no canonical integer below p.
    #[error("proof.json: {place}: {reason}")]
    Coordinate {
        /// for example `pi_b[1][0]`
        place: &'static str,
        /// what is wrong with it
        reason: DecimalError,
    },
    /// The last coordinate of a point says that it is not affine.
    #[error(
        "proof.json: the last coordinate of {point} must be {want}: snarkjs writes points in affine form"
    )]
    NotAffine {
        /// `pi_a`, `pi_b` or `pi_c`
        point: &'static str,
        /// `"1"`, or `["1","0"]` in G2
        want: &'static str,
    },
    /// A point of the proof is not in its group.
    #[error("proof.json: {point}: {source}")]
    Point {
        /// `pi_a`, `pi_b` or `pi_c`
        point: &'static str,
        /// why
        source: PointError,
    },
    /// The proof is of another proof system.
    #[error("proof.json: the protocol is {got:?}, only \"groth16\" is supported")]
    Protocol {
        /// at most 200 characters of it
        got: String,
    },
}

/// Cuts what a file says to a length that can be printed.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(200).collect()
}

fn place(format: Format, section: Option<u32>) -> impl fmt::Display {
    struct Place(Format, Option<u32>);
    impl fmt::Display for Place {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let Some(section) = self.1 else {
                return f.write_str("table of sections");
            };
            let name = match (self.0, section) {
                (_, 1) => " (header)",
                (Format::R1cs, 2) => " (constraints)",
                (Format::R1cs, 3) => " (wire map)",
                (Format::R1cs, 4) => " (custom gates)",
                (Format::R1cs, 5) => " (uses of custom gates)",
                (Format::Wtns, 2) => " (values)",
                _ => "",
            };
            write!(f, "section {section}{name}")
        }
    }
    Place(format, section)
}

fn length_hint(format: Format, section: u32) -> &'static str {
    match (format, section) {
        (Format::R1cs, 3) => ": the map has one 64-bit label a wire",
        _ => ": the file is corrupt",
    }
}
