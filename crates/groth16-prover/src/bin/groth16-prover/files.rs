//! Reading inputs without traps, writing outputs whole or not at all.

use crate::failure::Failure;
use circom_formats::{read_public_json, read_r1cs, read_wtns};
use groth16_prover::{r1cs_from_circom, read_proof_json, Fr, Proof, R1cs};
use std::fs;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The bytes of a regular file. A pipe or a directory is refused before it is opened.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_at_most(path, u64::MAX)
}

/// The first `n_bytes` of a regular file, or all if there are fewer.
///
/// Never more than the size that the file has at first: some files of the kernel look regular and of size 0,
/// and are without end, or wait.
pub(crate) fn read_at_most(path: &Path, n_bytes: u64) -> Result<Vec<u8>, Failure> {
    let io = |e: std::io::Error| Failure::io("open", path, &e);
    let metadata = fs::metadata(path).map_err(io)?;
    if !metadata.is_file() {
        return Err(Failure::Input(format!(
            "{} is not a regular file",
            path.display()
        )));
    }
    let n_bytes = n_bytes.min(metadata.len());
    let mut bytes = Vec::new();
    if n_bytes > 0 {
        let reserved = usize::try_from(n_bytes).map(|n_bytes| bytes.try_reserve_exact(n_bytes));
        if !matches!(reserved, Ok(Ok(()))) {
            return Err(Failure::io("read", path, &std::io::ErrorKind::OutOfMemory.into()));
        }
        let file = fs::File::open(path).map_err(io)?;
        file.take(n_bytes).read_to_end(&mut bytes).map_err(io)?;
    }
    Ok(bytes)
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

/// Where a result goes: a file that appears there whole or not at all.
///
/// Made before the work whose result it takes, so that a place that cannot be written is found out at once.
/// While the work goes on nothing stands in the folder, so a signal leaves nothing behind.
pub(crate) struct Output {
    path: PathBuf,
}

impl Output {
    /// `path` may be new, or a regular file, which is replaced, or a link to either, which stays a link.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let failure = |e: std::io::Error| Failure::Input(format!("write {}: {e}", path.display()));
        let target = follow_links(path).map_err(failure)?;
        // A rename onto a device or a pipe would put a file in its place.
        if fs::metadata(&target).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::Input(format!(
                "write {}: it is there and is not a regular file",
                path.display()
            )));
        }
        let output = Output { path: target };
        output.temporary().map_err(failure)?;
        Ok(output)
    }

    /// A file in the same folder, removed when it is dropped.
    fn temporary(&self) -> std::io::Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".groth16-prover-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What any new file gets; the umask takes its share. A temporary file
            // alone would be the owner's only.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder_of(&self.path))
    }

    /// Writes the content beside its place.
    pub(crate) fn write(
        self,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Written, Failure> {
        let failure = |e: std::io::Error| Failure::Device(format!("write {}: {e}", self.path.display()));
        let file = self.temporary().map_err(failure)?;
        let mut writer = BufWriter::with_capacity(1 << 20, file.as_file());
        content(&mut writer)
            .and_then(|()| writer.flush())
            .map_err(failure)?;
        drop(writer);
        file.as_file().sync_all().map_err(failure)?;
        Ok(Written {
            path: self.path,
            file,
        })
    }
}

/// A complete file that is not yet at its place; removed if it is dropped.
pub(crate) struct Written {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

impl Written {
    /// Moves the file to its place. Several outputs are all written before the first is moved.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let Written { path, file } = self;
        match file.persist(&path) {
            Ok(_) => Ok(()),
            Err(e) => Err(Failure::Device(format!("write {}: {}", path.display(), e.error))),
        }
    }
}

/// Refuses a command whose output would overwrite one of its inputs or another output.
/// Each path stands after its option.
pub(crate) fn check_distinct(
    outputs: &[(&str, Option<&Path>)],
    inputs: &[(&str, &Path)],
) -> Result<(), Failure> {
    let outputs = outputs
        .iter()
        .filter_map(|(option, path)| path.map(|path| (*option, place(path))));
    let mut seen: Vec<_> = inputs
        .iter()
        .map(|(option, path)| (*option, place(path)))
        .collect();
    for (option, place) in outputs {
        if let Some((other, _)) = seen.iter().find(|(_, seen)| *seen == place) {
            return Err(Failure::Usage(format!(
                "{option} and {other} are the same file, {}",
                place.display()
            )));
        }
        seen.push((option, place));
    }
    Ok(())
}

/// One path for one file, as far as the file system can tell before it exists.
fn place(path: &Path) -> PathBuf {
    let path = follow_links(path).unwrap_or_else(|_| path.to_owned());
    match (fs::canonicalize(folder_of(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Where a write through `path` ends up, whether or not that exists.
fn follow_links(path: &Path) -> std::io::Result<PathBuf> {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
