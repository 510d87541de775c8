//! Decimal text to and from the 32 and 48-byte integers of the two fields. Big-endian bytes, because those
//! compare and cross to `Fp` as they are.

/// Why a JSON value is no canonical field element in decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecimalError {
    /// A JSON number, or anything else that is not in quotes.
    #[error("not a string: write the integer in quotes, numbers lose digits in many JSON readers")]
    NotAString,
    /// `""`
    #[error("an empty string where a decimal integer is needed")]
    Empty,
    /// A minus sign.
    #[error("negative: write the integer that is congruent to it and not below 0")]
    Negative,
    /// A byte that is no digit: a plus sign, a point, an exponent, hexadecimal, white space, an escape.
    #[error("byte {position} of the string is no decimal digit: only 0 to 9 are read, no sign, point, exponent, 0x or space")]
    NotDecimal {
        /// counts from 0, within the quotes
        position: usize,
    },
    /// `"007"`: one integer has one text.
    #[error("leading zero: write the integer without it")]
    LeadingZero,
    /// Not below the modulus.
    #[error("not below {modulus}: the value is reduced or made for another curve")]
    TooLarge {
        /// `"r"` or `"p"`
        modulus: &'static str,
    },
}

/// Digits that are converted at once: 10^9 times a byte, and a carry, fit a u64 with room to spare.
const CHUNK_DIGITS: usize = 9;

/// Parses the raw text of a JSON value, quotes included, as a decimal integer of `N` big-endian bytes.
///
/// The caller compares with the modulus; `TooLarge` here means that `N` bytes do not suffice.
pub(crate) fn parse<const N: usize>(json: &str, modulus: &'static str) -> Result<[u8; N], DecimalError> {
    let text = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .ok_or(DecimalError::NotAString)?;
    if text.is_empty() {
        return Err(DecimalError::Empty);
    }
    if text.starts_with('-') {
        return Err(DecimalError::Negative);
    }
    if let Some(position) = text.bytes().position(|b| !b.is_ascii_digit()) {
        return Err(DecimalError::NotDecimal { position });
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(DecimalError::LeadingZero);
    }
    let too_large = DecimalError::TooLarge { modulus };
    // 10^(3N) is above 2^(8N): a longer text has no chance, and the work is bounded.
    if text.len() > 3 * N {
        return Err(too_large);
    }
    let mut out = [0u8; N];
    for chunk in text.as_bytes().chunks(CHUNK_DIGITS) {
        let scale = 10u64.pow(chunk.len() as u32);
        // out = out · 10^digits + chunk, byte by byte from the least significant; the carry is at most 10^9.
        let mut carry = chunk.iter().fold(0, |n, digit| 10 * n + u64::from(digit - b'0'));
        for byte in out.iter_mut().rev() {
            carry += u64::from(*byte) * scale;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry != 0 {
            return Err(too_large);
        }
    }
    Ok(out)
}

/// The integer of `N` big-endian bytes in decimal, without leading zeros.
pub(crate) fn format<const N: usize>(mut be: [u8; N]) -> String {
    let mut digits = Vec::with_capacity(3 * N);
    while be.iter().any(|&byte| byte != 0) {
        let mut remainder = 0u64;
        for byte in &mut be {
            let n = remainder << 8 | u64::from(*byte);
            // remainder < 10^9, so the quotient is below 2^8
            *byte = (n / 10u64.pow(CHUNK_DIGITS as u32)) as u8;
            remainder = n % 10u64.pow(CHUNK_DIGITS as u32);
        }
        for _ in 0..CHUNK_DIGITS {
            digits.push(b'0' + (remainder % 10) as u8);
            remainder /= 10;
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    if digits.is_empty() {
        digits.push(b'0');
    }
    digits.iter().rev().map(|&digit| char::from(digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_their_neighbours() {
        // Python: str(2**256 - 1), str(2**64)
        let all = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(format([0xff; 32]), all);
        assert_eq!(parse::<32>(&format!("\"{all}\""), "r"), Ok([0xff; 32]));
        let over = "\"115792089237316195423570985008687907853269984665640564039457584007913129639936\"";
        assert_eq!(
            parse::<32>(over, "r"),
            Err(DecimalError::TooLarge { modulus: "r" })
        );
        assert_eq!(format([1, 0, 0, 0, 0, 0, 0, 0, 0]), "18446744073709551616");
        assert_eq!(format([0; 48]), "0");
        for n in [1u64, 9, 10, 999_999_999, 1_000_000_000, 10_000_000_000, u64::MAX] {
            assert_eq!(format(n.to_be_bytes()), n.to_string());
            assert_eq!(parse::<8>(&format!("\"{n}\""), "r"), Ok(n.to_be_bytes()));
        }
    }
}
