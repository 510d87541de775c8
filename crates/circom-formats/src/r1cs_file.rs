//! circom's `.r1cs`, version 1 of the container: section 1 is the header, 2 the constraints, 3 the map from
//! wires to labels, 4 and 5 custom gates. Specified in iden3/r1csfile, doc/r1cs_bin_format.md.

use crate::container::{section_head, Cursor, Sections, MODULUS_LE};
use crate::{Format, FormatError, Matrix, R1cs, SparseRows};
use ff::PrimeField;
use std::io;

const MAGIC: [u8; 4] = *b"r1cs";
const VERSION: u32 = 1;
/// Field size, prime, four counts, the number of labels, the number of constraints.
const HEADER_BYTES: u64 = 4 + 32 + 4 * 4 + 8 + 4;
/// A wire and its coefficient.
const TERM_BYTES: u64 = 4 + 32;
/// A constraint has at least the lengths of its three linear combinations.
const MIN_CONSTRAINT_BYTES: u64 = 3 * 4;

/// Reads a `.r1cs` file over BLS12-381.
///
/// Sections may stand in any order; those of unknown type are skipped, and so are the labels of the wire map.
/// The map itself must be there: it is what bounds the number of wires by the size of the file. Custom gate
/// sections are refused unless they are empty. Terms are kept as they stand, duplicates and zeros included.
///
/// Memory: at most twice the size of the file, and nothing before the lengths that ask for it were checked.
///
/// # Errors
/// [`FormatError`]: another kind of file, version or curve; sections that are missing, twice there, too long
/// or too short; more inputs than wires; a wire that does not exist; a coefficient not below r; custom gates;
/// bytes after the last section.
pub fn read_r1cs(bytes: &[u8]) -> Result<R1cs, FormatError> {
    let sections = Sections::<5>::scan(bytes, Format::R1cs, MAGIC, VERSION)?;

    let mut header = sections.required(1)?;
    header.prime()?;
    sections.check_length(1, HEADER_BYTES)?;
    let mut r1cs = R1cs {
        n_wires: header.u32()?,
        n_public_outputs: header.u32()?,
        n_public_inputs: header.u32()?,
        n_private_inputs: header.u32()?,
        ..R1cs::default()
    };
    let _n_labels = header.u64()?;
    let n_constraints = header.u32()?;
    r1cs.check_counts()?;

    for section in [4, 5] {
        refuse_custom_gates(section as u32, sections.optional(section))?;
    }
    sections.sized(3, 8 * u64::from(r1cs.n_wires))?;

    let constraints = sections.required(2)?;
    let n_terms = count_terms(&sections, constraints.clone(), n_constraints)?;
    let mut matrices = n_terms.map(|n| SparseRows::with_capacity(n_constraints as usize, n));
    read_constraints(&r1cs, constraints, n_constraints, &mut matrices)?;
    [r1cs.a, r1cs.b, r1cs.c] = matrices;
    Ok(r1cs)
}

fn refuse_custom_gates(section: u32, content: Option<Cursor<'_>>) -> Result<(), FormatError> {
    let Some(mut content) = content.filter(|c| c.remaining() != 0) else {
        return Ok(());
    };
    match content.u32()? {
        0 => Ok(()),
        count => Err(FormatError::CustomGates { section, count }),
    }
}

/// Walks over the constraints section without reading a term: the number of terms of each matrix, so that
/// each takes exactly the memory it needs.
fn count_terms(
    sections: &Sections<'_, 5>,
    mut content: Cursor<'_>,
    n_constraints: u32,
) -> Result<[usize; 3], FormatError> {
    content.require(u64::from(n_constraints) * MIN_CONSTRAINT_BYTES)?;
    let start = content.offset();
    let mut n_terms = [0; 3];
    for _ in 0..n_constraints {
        for n in &mut n_terms {
            let row_terms = content.u32()?;
            content.take(u64::from(row_terms) * TERM_BYTES)?;
            *n += row_terms as usize;
        }
    }
    sections.check_length(2, content.offset() - start)?;
    Ok(n_terms)
}

fn read_constraints(
    r1cs: &R1cs,
    mut content: Cursor<'_>,
    n_constraints: u32,
    matrices: &mut [SparseRows; 3],
) -> Result<(), FormatError> {
    for constraint in 0..n_constraints {
        for (matrix, rows) in [Matrix::A, Matrix::B, Matrix::C]
            .into_iter()
            .zip(matrices.iter_mut())
        {
            for _ in 0..content.u32()? {
                let wire = content.u32()?;
                r1cs.check_wire(constraint, matrix, wire)?;
                let offset = content.offset();
                let value = content.fr()?.ok_or(FormatError::Coefficient {
                    constraint,
                    matrix,
                    wire,
                    offset,
                })?;
                rows.columns.push(wire);
                rows.values.push(value);
            }
            rows.row_ends.push(rows.columns.len());
        }
    }
    Ok(())
}

/// Writes a `.r1cs` file over BLS12-381: header, constraints and a wire map that gives each wire its own
/// number as label. Many small writes: give it a buffered writer.
///
/// # Errors
/// Of kind [`io::ErrorKind::InvalidInput`] with a [`FormatError`] inside when the counts, rows or wires of
/// `r1cs` do not fit together (nothing is written then), otherwise those of the writer.
pub fn write_r1cs(r1cs: &R1cs, mut out: impl io::Write) -> io::Result<()> {
    r1cs.check()
        .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;

    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&3u32.to_le_bytes())?;

    out.write_all(&section_head(1, HEADER_BYTES))?;
    out.write_all(&32u32.to_le_bytes())?;
    out.write_all(&MODULUS_LE)?;
    for count in [
        r1cs.n_wires,
        r1cs.n_public_outputs,
        r1cs.n_public_inputs,
        r1cs.n_private_inputs,
    ] {
        out.write_all(&count.to_le_bytes())?;
    }
    out.write_all(&u64::from(r1cs.n_wires).to_le_bytes())?;
    out.write_all(&(r1cs.n_constraints() as u32).to_le_bytes())?;

    let n_terms: usize = r1cs.matrices().iter().map(|(_, rows)| rows.n_terms()).sum();
    let n_bytes = r1cs.n_constraints() as u64 * MIN_CONSTRAINT_BYTES + n_terms as u64 * TERM_BYTES;
    out.write_all(&section_head(2, n_bytes))?;
    for ((a, b), c) in r1cs.a.rows().zip(r1cs.b.rows()).zip(r1cs.c.rows()) {
        for (columns, values) in [a, b, c] {
            out.write_all(&(columns.len() as u32).to_le_bytes())?;
            for (wire, value) in columns.iter().zip(values) {
                out.write_all(&wire.to_le_bytes())?;
                out.write_all(&value.to_repr())?;
            }
        }
    }

    out.write_all(&section_head(3, 8 * u64::from(r1cs.n_wires)))?;
    for wire in 0..u64::from(r1cs.n_wires) {
        out.write_all(&wire.to_le_bytes())?;
    }
    Ok(())
}
