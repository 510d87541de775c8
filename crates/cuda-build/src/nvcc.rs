//! Asking `nvcc` who it is.

use crate::{Error, Result};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A CUDA release. Ordered as two integers: 12.10 is newer than 12.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after it.
    pub minor: u32,
}

/// The oldest compiler that knows C++17, `--list-gpu-arch`, and sm_90.
pub const MINIMUM_VERSION: Version = Version { major: 11, minor: 8 };

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Version {
    /// Reads the `release 12.4` of `nvcc --version`.
    pub fn parse(answer: &str) -> Option<Version> {
        let (_, rest) = answer.split_once("release ")?;
        let (major, rest) = rest.split_once('.')?;
        let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some(Version {
            major: major.trim().parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }
}

/// A compiler that answered: new enough, with the architectures it lists.
#[derive(Clone, Debug)]
pub struct Nvcc {
    /// The executable.
    pub path: PathBuf,
    /// Its release.
    pub version: Version,
    /// The whole answer to `--version`: part of the cache key, so that another build of
    /// one release is another compiler.
    pub identity: String,
    /// Compute capabilities without the dot, ascending.
    pub archs: Vec<u32>,
}

impl Nvcc {
    /// Asks `path` for its version, then, if that is new enough to know the question, for its architectures.
    pub fn probe(path: &Path) -> Result<Nvcc> {
        let identity = ask(path, "--version")?;
        let version = Version::parse(&identity).ok_or_else(|| Error::NoVersion {
            nvcc: path.to_owned(),
            answer: identity.chars().take(300).collect(),
        })?;
        if version < MINIMUM_VERSION {
            return Err(Error::TooOld {
                nvcc: path.to_owned(),
                found: version,
            });
        }
        let mut archs: Vec<u32> = ask(path, "--list-gpu-arch")?
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("compute_")?.parse().ok())
            .collect();
        archs.sort_unstable();
        archs.dedup();
        Ok(Nvcc {
            path: path.to_owned(),
            version,
            identity,
            archs,
        })
    }
}

fn ask(nvcc: &Path, question: &str) -> Result<String> {
    let failed = |reason: String| Error::NotRunnable {
        nvcc: nvcc.to_owned(),
        asked: question.to_owned(),
        reason,
    };
    let output = Command::new(nvcc)
        .arg(question)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!(
            "{}; it said: {}",
            output.status,
            said.trim().chars().take(300).collect::<String>()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s09_versions_are_ordered_as_integers() {
        let answer =
            "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.10, V12.10.1\n";
        let version = Version::parse(answer).unwrap();
        assert_eq!(version, Version { major: 12, minor: 10 });
        assert!(version > Version { major: 12, minor: 9 });
        assert!(Version { major: 13, minor: 0 } > version);
    }

    #[test]
    fn an_answer_without_a_release_is_no_version() {
        for answer in ["", "release", "release x.y", "release 12", "gcc 12.2.0"] {
            assert_eq!(Version::parse(answer), None, "{answer:?}");
        }
    }
}
