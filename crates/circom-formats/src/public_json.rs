//! snarkjs' `public.json`: an array of decimal strings, the public outputs and inputs without ONE.

use crate::error::excerpt;
use crate::{decimal, DecimalError, Format, FormatError};
use bls_fields::Fr;
use ff::PrimeField;
use serde_json::value::RawValue;

/// Reads `public.json`: the public wires in order, without ONE.
///
/// Strict: each element is a string of decimal digits without leading zeros, of an integer below r. Numbers
/// without quotes are refused, since a reader in between may have rounded them, and so are negative integers.
///
/// Memory: at most 24 times the size of the text.
///
/// # Errors
/// [`FormatError::PublicInput`] with the index, or [`FormatError::Json`] with line and column.
pub fn read_public_json(text: &[u8]) -> Result<Vec<Fr>, FormatError> {
    let elements: Vec<&RawValue> =
        serde_json::from_slice(text).map_err(|e| json_error(Format::PublicJson, &e))?;
    // An element that will be accepted has at least two quotes, a digit and a comma or bracket.
    let mut values = Vec::with_capacity(elements.len().min(text.len() / 4));
    for (index, element) in elements.iter().enumerate() {
        values.push(parse_fr(element.get()).map_err(|reason| FormatError::PublicInput { index, reason })?);
    }
    Ok(values)
}

/// Writes `public.json` as snarkjs does: one decimal string a line.
pub fn write_public_json(public_inputs: &[Fr]) -> String {
    let texts: Vec<String> = public_inputs.iter().map(format_fr).collect();
    to_json(&texts)
}

fn parse_fr(json: &str) -> Result<Fr, DecimalError> {
    let mut bytes: [u8; 32] = decimal::parse(json, "r")?;
    bytes.reverse();
    Fr::from_repr_vartime(bytes).ok_or(DecimalError::TooLarge { modulus: "r" })
}

fn format_fr(fr: &Fr) -> String {
    let mut bytes = fr.to_repr();
    bytes.reverse();
    decimal::format(bytes)
}

pub(crate) fn json_error(format: Format, error: &serde_json::Error) -> FormatError {
    FormatError::Json {
        format,
        line: error.line(),
        column: error.column(),
        reason: excerpt(&error.to_string()),
    }
}

/// With snarkjs' indentation of one space.
pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value
        .serialize(&mut serializer)
        .expect("strings and lists of strings have a JSON form and a Vec takes all bytes");
    String::from_utf8(out).expect("JSON of ASCII digits and names is ASCII")
}
