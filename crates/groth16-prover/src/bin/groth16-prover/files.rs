//! Reading inputs without traps, writing outputs whole or not at all.

use crate::failure::Failure;
use circom_formats::{read_public_json, read_r1cs, read_wtns};
use groth16_prover::{r1cs_from_circom, read_proof_json, Fr, Proof, R1cs};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The bytes of a regular file. A pipe or a directory is refused before it is opened.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let io = |e: std::io::Error| Failure::Input(format!("open {}: {e}", path.display()));
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(Failure::Input(format!(
            "{} is not a regular file",
            path.display()
        )));
    }
    fs::read(path).map_err(io)
}

pub(crate) fn r1cs(path: &Path) -> Result<R1cs, Failure> {
    let file = read_r1cs(&read(path)?).map_err(|e| Failure::in_file(path, e))?;
    r1cs_from_circom(&file).map_err(|e| Failure::core_in_file(path, e))
}

pub(crate) fn witness(path: &Path) -> Result<Vec<Fr>, Failure> {
    read_wtns(&read(path)?).map_err(|e| Failure::in_file(path, e))
}

pub(crate) fn public_inputs(path: &Path) -> Result<Vec<Fr>, Failure> {
    read_public_json(&read(path)?).map_err(|e| Failure::in_file(path, e))
}

/// A proof in either format; JSON begins with a brace, which no compressed point does.
pub(crate) fn proof(path: &Path) -> Result<Proof, Failure> {
    let bytes = read(path)?;
    if is_json(&bytes) {
        read_proof_json(&bytes).map_err(|e| Failure::in_file(path, e))
    } else {
        Proof::from_bytes(&bytes).map_err(|e| Failure::core_in_file(path, e))
    }
}

pub(crate) fn is_json(bytes: &[u8]) -> bool {
    bytes.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
}

/// A file that appears at its place only when it is complete.
///
/// Made before the work whose result it takes, so that a place that cannot be written is found out at once. The
/// temporary file stands in the same folder and is removed when this is dropped.
pub(crate) struct Output {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

impl Output {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let failure = |e: std::io::Error| Failure::Input(format!("write {}: {e}", path.display()));
        if path.is_dir() {
            return Err(Failure::Input(format!(
                "write {}: it is a directory",
                path.display()
            )));
        }
        let folder = path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".groth16-prover-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the umask takes its share. A temporary file alone would be the owner's only.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(failure)?;
        Ok(Output {
            path: path.to_owned(),
            file,
        })
    }

    /// Writes the content and moves the file to its place.
    pub(crate) fn commit(
        self,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let failure = |e: std::io::Error| Failure::Device(format!("write {}: {e}", self.path.display()));
        let mut writer = BufWriter::with_capacity(1 << 20, self.file.as_file());
        content(&mut writer)
            .and_then(|()| writer.flush())
            .map_err(failure)?;
        drop(writer);
        self.file.as_file().sync_all().map_err(failure)?;
        self.file
            .persist(&self.path)
            .map(|_| ())
            .map_err(|e| failure(e.error))
    }
}
