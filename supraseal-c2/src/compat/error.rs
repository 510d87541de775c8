use core::fmt;
use groth16_core::{Error as CoreError, ErrorKind};

/// Why [`SRS::try_new`](crate::SRS::try_new) failed: a code for programs, and a text that names the file, the
/// section, the index of the point and its byte offset where there are such.
///
/// | code | meaning |
/// |---|---|
/// | 1 and up | the operating system's `errno`, such as 2 (`ENOENT`) for a missing file |
/// | 5 (`EIO`) | the operating system failed without a code, or a device did |
/// | 21 (`EISDIR`) | the path is a directory |
/// | 22 (`EINVAL`) | the path is otherwise not that of a regular file, or the file is not valid parameters |
///
/// Never 0, and never negative: the registry crate keeps negative codes for CUDA's own.
pub struct Error {
    /// see the table above
    pub code: i32,
    source: CoreError,
}

const EIO: i32 = 5;
const EISDIR: i32 = 21;
const EINVAL: i32 = 22;

impl From<CoreError> for Error {
    fn from(source: CoreError) -> Self {
        let code = match &source {
            CoreError::Io { source, .. } => match source.raw_os_error() {
                Some(errno) if errno > 0 => errno,
                // Refused before the system was asked, as a path with a NUL in it is.
                _ if source.kind() == std::io::ErrorKind::InvalidInput => EINVAL,
                _ => EIO,
            },
            CoreError::NotAFile { path } if path.is_dir() => EISDIR,
            other if other.kind() == ErrorKind::Device => EIO,
            _ => EINVAL,
        };
        Error { code, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

// By hand: `{:?}` is what `unwrap` prints, so it holds the text that people need
// and not the shape of the enum.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.source, self.code)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.source)
    }
}

impl From<&Error> for String {
    fn from(error: &Error) -> Self {
        error.to_string()
    }
}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}
