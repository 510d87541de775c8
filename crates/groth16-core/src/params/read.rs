use super::{Parameters, ParamsError, ParamsIndex};
use crate::{Error, Result, VerifyingKey};
use bls_curves::{G1Projective, G2Projective, PointCheck};
use std::fs::File;
use std::path::{Path, PathBuf};

/// How much of a key is checked when it is loaded. Infinity is refused at every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParamsCheck {
    /// Section lengths, flags, and that coordinates are below p: what decoding cannot do without.
    Lengths,
    /// And that each point is on its curve.
    Curve,
    /// And in the subgroup of order r: for a key from a source that is not trusted.
    Subgroup,
}

impl ParamsCheck {
    /// The same level for one point.
    pub fn point_check(self) -> PointCheck {
        match self {
            ParamsCheck::Lengths => PointCheck::Encoding,
            ParamsCheck::Curve => PointCheck::OnCurve,
            ParamsCheck::Subgroup => PointCheck::Subgroup,
        }
    }
}

/// What to do about bytes after the last section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrailingBytes {
    /// An error.
    Refuse,
    /// One warning, as the predecessor's loader lets them pass.
    Warn,
}

impl Parameters {
    /// Reads parameters from memory.
    pub fn from_bytes(bytes: &[u8], check: ParamsCheck) -> Result<Self> {
        let index = index_of(bytes, TrailingBytes::Refuse, None)?;
        decode(bytes, &index, check)
    }

    /// Maps and reads a `.params` file, all cores decoding; the map is gone when this returns.
    pub fn read(path: impl AsRef<Path>, check: ParamsCheck) -> Result<Self> {
        MappedParams::open(path, TrailingBytes::Refuse)?.decode(check)
    }
}

/// A `.params` file in memory by map: sections found and bounds checked, points not yet decoded.
#[derive(Debug)]
pub struct MappedParams {
    path: PathBuf,
    map: memmap2::Mmap,
    index: ParamsIndex,
}

impl MappedParams {
    /// Opens and maps a regular file and finds its sections.
    pub fn open(path: impl AsRef<Path>, trailing: TrailingBytes) -> Result<Self> {
        let path = path.as_ref();
        let map = map_file(path)?;
        let index = index_of(&map, trailing, Some(path))?;
        Ok(MappedParams {
            path: path.to_owned(),
            map,
            index,
        })
    }

    /// Where the sections are.
    pub fn index(&self) -> &ParamsIndex {
        &self.index
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Decodes every section in parallel.
    pub fn decode(&self, check: ParamsCheck) -> Result<Parameters> {
        decode(&self.map, &self.index, check).map_err(|e| e.in_file(&self.path))
    }

    /// Decodes the verifying key alone.
    pub fn verifying_key(&self, check: ParamsCheck) -> Result<VerifyingKey> {
        VerifyingKey::read_head(&self.map, check.point_check()).map_err(|e| e.in_file(&self.path))
    }
}

/// Maps a regular file read-only.
fn map_file(path: &Path) -> Result<memmap2::Mmap> {
    let io = |what| {
        move |source| Error::Io {
            what,
            path: path.to_owned(),
            source,
        }
    };
    // Asked before the open, which would wait for ever on a pipe without a writer.
    if !std::fs::metadata(path).map_err(io("open"))?.is_file() {
        return Err(Error::NotAFile {
            path: path.to_owned(),
        });
    }
    let file = File::open(path).map_err(io("open"))?;
    if file.metadata().map_err(io("stat"))?.len() == 0 {
        // An empty file cannot be mapped, and is truncated all the same.
        let need = ParamsIndex::VK_HEAD_BYTES as u64 + 4;
        let source = ParamsError::Truncated {
            section: "vk",
            offset: 0,
            need,
            have: 0,
        };
        return Err(Error::params(source).in_file(path));
    }
    // SAFETY: the map is read-only and private to us. Nothing can keep another process from changing the
    // file under it; all reads are of plain bytes whose every value is handled, and a file that is cut
    // short while it is loaded ends the process with SIGBUS, which the documentation says: parameters are
    // replaced by rename, not in place.
    unsafe { memmap2::Mmap::map(&file) }.map_err(io("map"))
}

fn index_of(bytes: &[u8], trailing: TrailingBytes, path: Option<&Path>) -> Result<ParamsIndex> {
    let with_path = |source| Error::Params {
        path: path.map(Path::to_owned),
        source,
    };
    let index = ParamsIndex::parse(bytes).map_err(with_path)?;
    let extra = bytes.len() - index.end();
    if extra > 0 {
        let source = ParamsError::TrailingBytes {
            offset: index.end(),
            extra,
            last: "b_g2",
        };
        match trailing {
            TrailingBytes::Refuse => return Err(with_path(source)),
            TrailingBytes::Warn => tracing::warn!("{}", with_path(source)),
        }
    }
    Ok(index)
}

fn decode(bytes: &[u8], index: &ParamsIndex, check: ParamsCheck) -> Result<Parameters> {
    let point_check = check.point_check();
    let g1 = |section: &super::Section| {
        section
            .decode::<G1Projective>(bytes, point_check)
            .map_err(Error::params)
    };
    Ok(Parameters {
        vk: VerifyingKey::read_head(bytes, point_check)?,
        h: g1(&index.h)?,
        l: g1(&index.l)?,
        a: g1(&index.a)?,
        b_g1: g1(&index.b_g1)?,
        b_g2: index
            .b_g2
            .decode::<G2Projective>(bytes, point_check)
            .map_err(Error::params)?,
    })
}

impl Error {
    pub(crate) fn params(source: ParamsError) -> Self {
        Error::Params { path: None, source }
    }

    /// Names the file that the bytes came from.
    pub(crate) fn in_file(self, file: &Path) -> Self {
        match self {
            Error::Params { path: None, source } => Error::Params {
                path: Some(file.to_owned()),
                source,
            },
            other => other,
        }
    }
}
