//! What can go wrong, in words that end with the remedy.

use crate::nvcc::{Version, MINIMUM_VERSION};
use std::fmt;
use std::path::PathBuf;

/// A failed build, each with its remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No `nvcc` in any of the places searched.
    NotFound {
        /// The places, in the order of the search.
        searched: Vec<String>,
    },
    /// `nvcc` is there and could not be run, or failed when asked a question.
    NotRunnable {
        /// The compiler.
        nvcc: PathBuf,
        /// The arguments it was given.
        asked: String,
        /// What the system or the compiler said.
        reason: String,
    },
    /// `nvcc --version` said something without a version.
    NoVersion {
        /// The compiler.
        nvcc: PathBuf,
        /// Its answer, shortened.
        answer: String,
    },
    /// The compiler is older than [`MINIMUM_VERSION`].
    TooOld {
        /// The compiler.
        nvcc: PathBuf,
        /// Its version.
        found: Version,
    },
    /// `CUDA_ARCHS` does not parse.
    BadArchs {
        /// The whole value.
        value: String,
        /// The part that is wrong.
        part: String,
    },
    /// An architecture that this compiler does not know.
    UnknownArch {
        /// The one asked for.
        arch: u32,
        /// Those that the compiler lists.
        known: Vec<u32>,
    },
    /// The compiler knows none of the architectures that the kernels are built for.
    NoCommonArch {
        /// Those that the compiler lists.
        known: Vec<u32>,
    },
    /// `nvcc` rejected a unit.
    Compile {
        /// The unit.
        unit: PathBuf,
        /// The whole command line.
        command: String,
        /// What the compiler said.
        output: String,
    },
    /// The static CUDA runtime was not found beside the compiler.
    NoCudart {
        /// The folders searched.
        searched: Vec<PathBuf>,
    },
    /// The platform has no CUDA build here.
    Unsupported {
        /// The target's operating system.
        os: String,
    },
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A variable that cargo gives to build scripts is missing.
    NotInBuildScript {
        /// The variable.
        variable: &'static str,
    },
    /// The objects could not be put into an archive.
    Archive {
        /// What the archiver said.
        reason: String,
    },
}

const REMEDY: &str = "Remedy: install CUDA and set NVCC=/path/to/nvcc or CUDA_HOME=/path/to/cuda,\n\
    or run `cargo xtask cuda-toolkit`, which puts a pinned compiler into target/cuda-toolkit.\n\
    Without a GPU build, leave the feature `cuda` off: nothing else needs nvcc.";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { searched } => {
                writeln!(f, "nvcc was not found. Searched, in this order:")?;
                for place in searched {
                    writeln!(f, "  {place}")?;
                }
                f.write_str(REMEDY)
            }
            Error::NotRunnable { nvcc, asked, reason } => {
                write!(f, "`{} {asked}` failed: {reason}\n{REMEDY}", nvcc.display())
            }
            Error::NoVersion { nvcc, answer } => write!(
                f,
                "`{} --version` names no CUDA release. It said: {answer}\n{REMEDY}",
                nvcc.display()
            ),
            Error::TooOld { nvcc, found } => write!(
                f,
                "CUDA {found} found ({}), {MINIMUM_VERSION} or newer is needed.\n{REMEDY}",
                nvcc.display()
            ),
            Error::BadArchs { value, part } => write!(
                f,
                "CUDA_ARCHS=\"{value}\": \"{part}\" is no architecture. Write compute capabilities without the dot, \
                 separated by commas: CUDA_ARCHS=90 or CUDA_ARCHS=80,90"
            ),
            Error::UnknownArch { arch, known } => write!(
                f,
                "CUDA_ARCHS asks for {arch}, which this nvcc does not know. It knows: {}",
                list(known)
            ),
            Error::NoCommonArch { known } => write!(
                f,
                "this nvcc knows none of the architectures that the kernels are built for ({}). It knows: {}. \
                 Choose with CUDA_ARCHS.",
                list(&crate::PREFERRED_ARCHS),
                list(known)
            ),
            Error::Compile { unit, command, output } => {
                write!(f, "nvcc could not compile {}\n  {command}\n{output}", unit.display())
            }
            Error::NoCudart { searched } => {
                writeln!(f, "libcudart_static.a was not found. Searched:")?;
                for place in searched {
                    writeln!(f, "  {}", place.display())?;
                }
                f.write_str("Remedy: install the CUDA runtime's development files beside nvcc, or set CUDA_HOME.")
            }
            Error::Unsupported { os } => write!(
                f,
                "the feature `cuda` is not supported on {os}: it builds on Linux. \
                 Leave the feature off for the CPU backend."
            ),
            Error::Io { path, doing, source } => write!(f, "{doing} {}: {source}", path.display()),
            Error::NotInBuildScript { variable } => {
                write!(f, "{variable} is not set: this runs in a build script, under cargo")
            }
            Error::Archive { reason } => write!(f, "the objects could not be archived: {reason}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

fn list(archs: &[u32]) -> String {
    archs.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
