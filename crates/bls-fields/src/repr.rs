use crate::Fr;
use core::fmt;
use ff::PrimeField;

/// A canonical integer below r: the only type in this workspace that is called a *scalar*.
///
/// Four 64-bit limbs, least significant first, not in Montgomery form. Made only from an element or by a
/// checked conversion, so it is always below r.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct FrRepr([u64; 4]);

/// The integer is not below r, so it is no scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonCanonical;

impl fmt::Display for NonCanonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a canonical integer below r of BLS12-381")
    }
}
impl std::error::Error for NonCanonical {}

impl FrRepr {
    /// From 32 little-endian bytes; an error if the integer is not below r.
    pub fn from_le_bytes(bytes: &[u8; 32]) -> Result<Self, NonCanonical> {
        Fr::from_repr_vartime(*bytes).map(Self::from).ok_or(NonCanonical)
    }

    /// The limbs, least significant first.
    pub const fn limbs(&self) -> &[u64; 4] {
        &self.0
    }

    /// Whether this is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Whether this is 1.
    #[inline]
    pub fn is_one(&self) -> bool {
        self.0 == [1, 0, 0, 0]
    }

    /// The `count` bits (at most 57) that begin at bit `start`; bits past the 256th read as zero.
    #[inline]
    pub fn bits(&self, start: u32, count: u32) -> u64 {
        debug_assert!(count <= 57);
        let limb = (start / 64) as usize;
        if limb >= 4 {
            return 0;
        }
        let shift = start % 64;
        let mut bits = self.0[limb] >> shift;
        if shift + count > 64 && limb + 1 < 4 {
            bits |= self.0[limb + 1] << (64 - shift);
        }
        bits & ((1 << count) - 1)
    }
}

impl From<Fr> for FrRepr {
    #[inline]
    fn from(fr: Fr) -> Self {
        let mut limbs = [0u64; 4];
        // SAFETY: Fr is repr(transparent) over blst_fr (size asserted in lib.rs);
        // blst reads one and writes 4 limbs.
        unsafe { blst::blst_uint64_from_fr(limbs.as_mut_ptr(), core::ptr::from_ref(&fr).cast()) };
        FrRepr(limbs)
    }
}

impl From<FrRepr> for Fr {
    #[inline]
    fn from(repr: FrRepr) -> Self {
        let mut fr = blst::blst_fr::default();
        // SAFETY: blst reads 4 limbs and writes one blst_fr; the integer is below r by this type's invariant.
        unsafe { blst::blst_fr_from_uint64(&mut fr, repr.0.as_ptr()) };
        Fr::from(fr)
    }
}

impl From<u64> for FrRepr {
    fn from(value: u64) -> Self {
        FrRepr([value, 0, 0, 0])
    }
}

impl fmt::Debug for FrRepr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "0x{:016x}{:016x}{:016x}{:016x}",
            self.0[3], self.0[2], self.0[1], self.0[0]
        )
    }
}

/// Reads a big-endian hexadecimal integer below r, with or without `0x`, of 1 to 64 digits.
pub fn fr_from_hex(text: &str) -> Result<Fr, NonCanonical> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(NonCanonical);
    }
    let mut bytes = [0u8; 32];
    for (i, digit) in digits.bytes().rev().enumerate() {
        let value = (digit as char).to_digit(16).ok_or(NonCanonical)? as u8;
        bytes[i / 2] |= value << (4 * (i % 2));
    }
    Fr::from_repr_vartime(bytes).ok_or(NonCanonical)
}

/// The canonical integer as 64 big-endian hexadecimal digits after `0x`.
pub fn fr_to_hex(fr: &Fr) -> String {
    format!("{:?}", FrRepr::from(*fr))
}
