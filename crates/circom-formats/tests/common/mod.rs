//! What the tests of this crate share; not every one uses all of it.
#![allow(dead_code)]

use std::path::PathBuf;

pub(crate) fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/cases")
}

pub(crate) fn vector(name: &str) -> Vec<u8> {
    std::fs::read(vectors().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A file of one of iden3's formats from its sections.
pub(crate) fn container(magic: &[u8; 4], version: u32, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut out = magic.to_vec();
    out.extend(version.to_le_bytes());
    out.extend((sections.len() as u32).to_le_bytes());
    for (section, content) in sections {
        out.extend(section.to_le_bytes());
        out.extend((content.len() as u64).to_le_bytes());
        out.extend(content);
    }
    out
}

/// The sections of a well-formed file, as (type, offset of the content, content).
pub(crate) fn sections(file: &[u8]) -> Vec<(u32, usize, Vec<u8>)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let mut at = 12;
    (0..word(8))
        .map(|_| {
            let (section, n_bytes, start) = (word(at), word(at + 4) as usize, at + 12);
            at = start + n_bytes;
            (section, start, file[start..at].to_vec())
        })
        .collect()
}

/// The file with its sections changed.
pub(crate) fn with_sections(file: &[u8], change: impl FnOnce(&mut Vec<(u32, Vec<u8>)>)) -> Vec<u8> {
    let mut parts = sections(file)
        .into_iter()
        .map(|(s, _, content)| (s, content))
        .collect();
    change(&mut parts);
    let version = u32::from_le_bytes(file[4..8].try_into().unwrap());
    container(file[..4].try_into().unwrap(), version, &parts)
}

/// The file with bytes replaced.
pub(crate) fn patched(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = file.to_vec();
    out[at..at + bytes.len()].copy_from_slice(bytes);
    out
}
