//! circom's `.wtns`, version 2 of the container: section 1 is the header, 2 the values. As snarkjs writes it
//! (iden3/snarkjs, src/wtns_utils.js).

use crate::container::{section_head, Sections, MODULUS_LE};
use crate::{Format, FormatError};
use bls_fields::Fr;
use ff::PrimeField;
use std::io;

const MAGIC: [u8; 4] = *b"wtns";
const VERSION: u32 = 2;
/// Field size, prime, number of values.
const HEADER_BYTES: u64 = 4 + 32 + 4;

/// Reads a `.wtns` file over BLS12-381: the value of each wire, ONE first.
///
/// Whether the values fit a circuit is for [`R1cs::check_witness`](crate::R1cs::check_witness) to say.
///
/// Memory: the size of the file.
///
/// # Errors
/// [`FormatError`]: another kind of file, version or curve; sections that are missing, twice there or of
/// another length than the header says; a value not below r; bytes after the last section.
pub fn read_wtns(bytes: &[u8]) -> Result<Vec<Fr>, FormatError> {
    let sections = Sections::<2>::scan(bytes, Format::Wtns, MAGIC, VERSION)?;
    let mut header = sections.required(1)?;
    header.prime()?;
    sections.check_length(1, HEADER_BYTES)?;
    let n_values = header.u32()?;
    let mut content = sections.sized(2, 32 * u64::from(n_values))?;
    // The section's length was checked, so this is what the file holds already.
    let mut values = Vec::with_capacity(n_values as usize);
    for wire in 0..n_values {
        let offset = content.offset();
        let value = content.fr()?;
        values.push(value.ok_or(FormatError::WitnessValue { wire, offset })?);
    }
    Ok(values)
}

/// Writes a `.wtns` file over BLS12-381. Many small writes: give it a buffered writer.
///
/// # Errors
/// Of kind [`io::ErrorKind::InvalidInput`] when there are 2^32 values or more, otherwise those of the writer.
pub fn write_wtns(witness: &[Fr], mut out: impl io::Write) -> io::Result<()> {
    let n_values = u32::try_from(witness.len()).map_err(|_| {
        let reason = format!(
            "{} values, a .wtns file holds at most {}",
            witness.len(),
            u32::MAX
        );
        io::Error::new(io::ErrorKind::InvalidInput, reason)
    })?;
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&2u32.to_le_bytes())?;
    out.write_all(&section_head(1, HEADER_BYTES))?;
    out.write_all(&32u32.to_le_bytes())?;
    out.write_all(&MODULUS_LE)?;
    out.write_all(&n_values.to_le_bytes())?;
    out.write_all(&section_head(2, 32 * u64::from(n_values)))?;
    witness
        .iter()
        .try_for_each(|value| out.write_all(&value.to_repr()))
}
