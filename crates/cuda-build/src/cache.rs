//! Objects kept between builds, found by the content of what they were made from.
//!
//! A *manifest* stands under a key of the unit's path, the compiler and the flags; it lists the
//! files that the compiler read and a digest of each. If they all still have that content, the
//! object beside it is the one to link.

use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Objects of one unit kept (a few, so that switching between two branches or two
/// architecture lists stays free).
const KEPT_PER_UNIT: usize = 6;

/// An object that is still right.
pub(crate) struct Found {
    pub(crate) object: PathBuf,
    /// What the compiler said when it made it.
    pub(crate) said: String,
    /// What it was made from.
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(crate) fn at(folder: PathBuf) -> Result<Cache> {
        fs::create_dir_all(&folder).map_err(|source| Error::Io {
            path: folder.clone(),
            doing: "creating",
            source,
        })?;
        Ok(Cache { folder })
    }

    /// Where a unit's object goes while it is compiled.
    pub(crate) fn object(&self, unit: &Path, key: &str) -> PathBuf {
        self.folder.join(format!("{}-{key}.o", stem(unit)))
    }

    fn log(&self, unit: &Path, key: &str) -> PathBuf {
        self.folder.join(format!("{}-{key}.log", stem(unit)))
    }

    fn manifest(&self, unit: &Path, key: &str) -> PathBuf {
        self.folder.join(format!("{}-{key}.files", stem(unit)))
    }

    /// The object of `unit` under `key`, if every file it was made from still has the same content.
    pub(crate) fn look_up(&self, unit: &Path, key: &str) -> Option<Found> {
        let object = self.object(unit, key);
        let manifest = fs::read_to_string(self.manifest(unit, key)).ok()?;
        let mut files = Vec::new();
        for line in manifest.lines() {
            let (digest, path) = line.split_once(' ')?;
            let content = fs::read(path).ok()?;
            if digest_of(&[&content]) != digest {
                return None;
            }
            files.push(PathBuf::from(path));
        }
        let said = fs::read_to_string(self.log(unit, key)).ok()?;
        (object.is_file() && !files.is_empty()).then_some(Found { object, said, files })
    }

    /// Writes down what the object under `key` was made from. The manifest comes last:
    /// without it the object is unknown.
    pub(crate) fn record(&self, unit: &Path, key: &str, files: &[PathBuf], said: &str) -> Result<()> {
        let mut manifest = String::new();
        for path in files {
            let content = fs::read(path).map_err(|source| Error::Io {
                path: path.clone(),
                doing: "reading",
                source,
            })?;
            manifest.push_str(&format!("{} {}\n", digest_of(&[&content]), path.display()));
        }
        let log = self.log(unit, key);
        fs::write(&log, said).map_err(|source| Error::Io {
            path: log,
            doing: "writing",
            source,
        })?;
        let path = self.manifest(unit, key);
        fs::write(&path, manifest).map_err(|source| Error::Io {
            path,
            doing: "writing",
            source,
        })?;
        self.prune(unit);
        Ok(())
    }

    // Best effort: a cache that could not be pruned is only larger.
    fn prune(&self, unit: &Path) {
        let prefix = format!("{}-", stem(unit));
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut found: Vec<_> = entries
            .flatten()
            .filter(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.strip_prefix(&prefix)
                    .is_some_and(|rest| rest.ends_with(".files") && rest.len() == 38)
            })
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        found.sort();
        for (_, manifest) in found.iter().rev().skip(KEPT_PER_UNIT) {
            let _ = fs::remove_file(manifest);
            for extension in ["o", "d", "log"] {
                let _ = fs::remove_file(manifest.with_extension(extension));
            }
        }
    }
}

fn stem(unit: &Path) -> String {
    unit.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// 128-bit FNV-1a over the parts and their lengths. The cache guards against
/// change, not against an adversary.
pub(crate) fn digest_of(parts: &[&[u8]]) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut take = |byte: u8| {
        hash ^= u128::from(byte);
        hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    };
    for part in parts {
        (part.len() as u64).to_le_bytes().into_iter().for_each(&mut take);
        part.iter().copied().for_each(&mut take);
    }
    format!("{hash:032x}")
}

/// The prerequisites in a make rule, as `nvcc -MMD` writes it.
pub(crate) fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let Some((_, list)) = rule.split_once(':') else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut word = String::new();
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'\n') => {
                chars.next();
                flush(&mut word, &mut files);
            }
            '\\' if chars.peek() == Some(&' ') => word.extend(chars.next()),
            c if c.is_whitespace() => flush(&mut word, &mut files),
            c => word.push(c),
        }
    }
    flush(&mut word, &mut files);
    files.sort();
    files.dedup();
    files
}

fn flush(word: &mut String, files: &mut Vec<PathBuf>) {
    if !word.is_empty() {
        files.push(PathBuf::from(std::mem::take(word)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_make_rule_gives_its_prerequisites() {
        let rule = "a.o : src/a.cu \\\n    include/x.hpp include/with\\ space.hpp \\\n include/x.hpp\n";
        let expected = ["include/with space.hpp", "include/x.hpp", "src/a.cu"];
        assert_eq!(prerequisites(rule), expected.map(PathBuf::from));
    }

    #[test]
    fn digests_tell_parts_apart() {
        assert_ne!(digest_of(&[b"ab", b"c"]), digest_of(&[b"a", b"bc"]));
        assert_eq!(digest_of(&[b""]).len(), 32);
    }
}
