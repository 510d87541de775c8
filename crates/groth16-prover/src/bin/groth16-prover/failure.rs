use circom_formats::FormatError;
use groth16_prover::{Error, ErrorKind};
use std::path::Path;

/// Why a command did not do what it was asked, by exit status.
#[derive(Debug)]
pub(crate) enum Failure {
    /// 1: a proof was verified and is wrong.
    Rejected,
    /// 2: options that contradict each other.
    Usage(String),
    /// 3: a file, a witness, or a key that does not fit.
    Input(String),
    /// 4: a device, memory, or the system.
    Device(String),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Rejected => 1,
            Failure::Usage(_) => 2,
            Failure::Input(_) => 3,
            Failure::Device(_) => 4,
        }
    }

    /// The name that `--json` prints.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Failure::Rejected => "rejected",
            Failure::Usage(_) => "usage",
            Failure::Input(_) => "input",
            Failure::Device(_) => "device",
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Failure::Rejected => "the proof does not verify",
            Failure::Usage(text) | Failure::Input(text) | Failure::Device(text) => text,
        }
    }

    /// The system refused a file.
    pub(crate) fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        let text = format!("{what} {}: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::OutOfMemory => Failure::Device(text),
            _ => Failure::Input(text),
        }
    }

    /// A file whose content is refused.
    pub(crate) fn in_file(path: &Path, error: FormatError) -> Self {
        Failure::Input(format!("{}: {error}", path.display()))
    }

    /// The same, of the core's errors: those of parameters already name their file.
    pub(crate) fn core_in_file(path: &Path, error: Error) -> Self {
        match error {
            Error::Params { path: None, source } => Error::Params {
                path: Some(path.to_owned()),
                source,
            }
            .into(),
            Error::Io { .. } | Error::NotAFile { .. } | Error::Params { .. } => error.into(),
            other => Failure::Input(format!("{}: {other}", path.display())),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::Device => Failure::Device(error.to_string()),
            ErrorKind::Input => Failure::Input(error.to_string()),
        }
    }
}
