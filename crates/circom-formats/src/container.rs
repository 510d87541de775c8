//! The container that iden3's binary formats share: magic, version, number of sections, then sections of a
//! 32-bit type, a 64-bit length and as many bytes, in any order. All integers are little-endian.

use crate::{Format, FormatError};
use bls_fields::Fr;
use ff::PrimeField;

pub(crate) const BLS12_381: &str = "bls12-381";

/// r, little-endian, as both headers hold it.
pub(crate) const MODULUS_LE: [u8; 32] = [
    0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0x02, 0xa4, 0xbd, 0x53, 0x05,
    0xd8, 0xa1, 0x09, 0x08, 0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73,
];

/// The other fields that circom compiles for, big-endian, by the curve whose scalar field they are.
const OTHER_MODULI: [(&str, &str); 7] = [
    (
        "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001",
        "bn254",
    ),
    (
        "12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001",
        "bls12-377",
    ),
    (
        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
        "grumpkin",
    ),
    (
        "40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001",
        "pallas",
    ),
    (
        "40000000000000000000000000000000224698fc094cf91b992d30ed00000001",
        "vesta",
    ),
    (
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "secq256r1",
    ),
    ("ffffffff00000001", "goldilocks"),
];

/// Bytes with their place in the file. Every read is checked against what is left.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    format: Format,
    section: Option<u32>,
    bytes: &'a [u8],
    offset: u64,
}

impl<'a> Cursor<'a> {
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn remaining(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// An error if fewer than `need` bytes are left; to be called before memory for them is taken.
    pub(crate) fn require(&self, need: u64) -> Result<(), FormatError> {
        if self.remaining() < need {
            return Err(FormatError::Truncated {
                format: self.format,
                section: self.section,
                offset: self.offset,
                have: self.remaining(),
                need,
            });
        }
        Ok(())
    }

    pub(crate) fn take(&mut self, n_bytes: u64) -> Result<&'a [u8], FormatError> {
        self.require(n_bytes)?;
        // Not above the length of a slice, so it fits.
        let (head, tail) = self.bytes.split_at(n_bytes as usize);
        self.bytes = tail;
        self.offset += n_bytes;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N as u64)?);
        Ok(out)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, FormatError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, FormatError> {
        self.array().map(u64::from_le_bytes)
    }

    /// 32 bytes as an element; `None` when they are not below r.
    pub(crate) fn fr(&mut self) -> Result<Option<Fr>, FormatError> {
        self.array().map(Fr::from_repr_vartime)
    }

    /// Reads field size and prime, which both headers begin with, and refuses every field but Fr.
    pub(crate) fn prime(&mut self) -> Result<(), FormatError> {
        let field_bytes = self.u32()?;
        let prime = self.take(field_bytes.into())?;
        if prime == MODULUS_LE {
            return Ok(());
        }
        Err(FormatError::CurveMismatch {
            format: self.format,
            got: curve_name(prime),
            want: BLS12_381,
        })
    }
}

fn curve_name(prime_le: &[u8]) -> String {
    let n_bytes = prime_le.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    if n_bytes > 64 {
        return format!("an unknown field with a modulus of {n_bytes} bytes");
    }
    let hex: String = prime_le[..n_bytes]
        .iter()
        .rev()
        .map(|b| format!("{b:02x}"))
        .collect();
    match OTHER_MODULI.iter().find(|(modulus, _)| *modulus == hex) {
        Some((_, name)) => (*name).to_string(),
        None => format!("the unknown field modulo 0x{hex}"),
    }
}

/// The sections of a file by their type, as far as the format knows them.
pub(crate) struct Sections<'a, const N: usize> {
    format: Format,
    found: [Option<Cursor<'a>>; N],
}

impl<'a, const N: usize> Sections<'a, N> {
    /// Finds sections 1 to `N`. Sections of other types are skipped, as the format asks.
    pub(crate) fn scan(
        bytes: &'a [u8],
        format: Format,
        magic: [u8; 4],
        version: u32,
    ) -> Result<Self, FormatError> {
        let mut cursor = Cursor {
            format,
            section: None,
            bytes,
            offset: 0,
        };
        let have = cursor.array()?;
        if have != magic {
            return Err(FormatError::BadMagic {
                format,
                have,
                want: magic,
            });
        }
        let have = cursor.u32()?;
        if have != version {
            return Err(FormatError::BadVersion {
                format,
                have,
                want: version,
            });
        }
        let mut found = [const { None }; N];
        for _ in 0..cursor.u32()? {
            let section = cursor.u32()?;
            let n_bytes = cursor.u64()?;
            let mut content = cursor.clone();
            content.section = Some(section);
            content.require(n_bytes)?;
            content.bytes = cursor.take(n_bytes)?;
            let slot = (section as usize).checked_sub(1).and_then(|i| found.get_mut(i));
            if let Some(slot) = slot {
                let offset = content.offset;
                if slot.replace(content).is_some() {
                    return Err(FormatError::DuplicateSection {
                        format,
                        section,
                        offset,
                    });
                }
            }
        }
        if cursor.remaining() != 0 {
            return Err(FormatError::TrailingBytes {
                format,
                offset: cursor.offset,
                have: cursor.remaining(),
            });
        }
        Ok(Sections { format, found })
    }

    /// A section that may be missing. `section` is between 1 and `N`.
    pub(crate) fn optional(&self, section: usize) -> Option<Cursor<'a>> {
        self.found[section - 1].clone()
    }

    /// A section that must be there.
    pub(crate) fn required(&self, section: usize) -> Result<Cursor<'a>, FormatError> {
        self.optional(section).ok_or(FormatError::MissingSection {
            format: self.format,
            section: section as u32,
        })
    }

    /// A section that must be there and have exactly `need` bytes.
    pub(crate) fn sized(&self, section: usize, need: u64) -> Result<Cursor<'a>, FormatError> {
        let cursor = self.required(section)?;
        self.check_length(section, need).map(|()| cursor)
    }

    /// Checks that `section`, if it is there, has exactly `need` bytes.
    pub(crate) fn check_length(&self, section: usize, need: u64) -> Result<(), FormatError> {
        match &self.found[section - 1] {
            Some(content) if content.remaining() != need => Err(FormatError::BadSectionLength {
                format: self.format,
                section: section as u32,
                offset: content.offset,
                have: content.remaining(),
                need,
            }),
            _ => Ok(()),
        }
    }
}

/// A section's type and length, as they stand before its content.
pub(crate) fn section_head(section: u32, n_bytes: u64) -> [u8; 12] {
    let mut head = [0; 12];
    head[..4].copy_from_slice(&section.to_le_bytes());
    head[4..].copy_from_slice(&n_bytes.to_le_bytes());
    head
}
