use super::cache::CACHE;
use super::{choice, Error};
use groth16_core::params::TrailingBytes;
use groth16_core::{Backend, LoadedSrs, MappedParams, ParamsCheck, Srs};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Proving parameters, loaded. A handle of one pointer: clones share the same points,
/// which are freed with the last.
///
/// The default handle holds nothing; proving with it panics with a message.
#[derive(Clone, Default)]
#[repr(transparent)]
pub struct SRS {
    loaded: Option<Arc<Loaded>>,
}

/// What a handle points at.
pub(super) struct Loaded {
    path: PathBuf,
    backend: Arc<dyn Backend>,
    srs: Arc<dyn LoadedSrs>,
}

// A loaded key is never changed, so a panic cannot leave it half changed. The registry crate's handle has
// these too, and callers that catch panics rely on them.
impl UnwindSafe for SRS {}
impl RefUnwindSafe for SRS {}

impl SRS {
    /// Loads a `.params` file: every point is decoded before this returns, so the file may vanish afterwards.
    ///
    /// Points are checked to be on their curve and not infinity, but not to be in the subgroup of order r:
    /// parameters come from a trusted setup. Bytes after the last section are let pass with one warning.
    /// Another warning says so where proofs will run on the CPU.
    ///
    /// With `cache`, the last four keys so loaded are kept, and the same path gives the same key again as
    /// long as its file has the same length and time of change, or is gone.
    ///
    /// # Errors
    /// [`Error`], whose code and text say why.
    pub fn try_new(srs_path: PathBuf, cache: bool) -> Result<Self, Error> {
        let loaded = if cache {
            CACHE.get_or_load(&srs_path, Loaded::load)?
        } else {
            Arc::new(Loaded::load(&srs_path)?)
        };
        Ok(SRS { loaded: Some(loaded) })
    }

    /// Removes the key from those that `cache` keeps. This handle and its clones stay good.
    pub fn evict(&self) {
        if let Some(loaded) = &self.loaded {
            CACHE.evict(&loaded.path);
        }
    }

    /// What proves with this key, and the key; `None` for the default handle.
    pub(super) fn get(&self) -> Option<(&dyn Backend, &Arc<dyn LoadedSrs>)> {
        self.loaded.as_ref().map(|loaded| (&*loaded.backend, &loaded.srs))
    }
}

impl Loaded {
    fn load(path: &Path) -> Result<Self, Error> {
        let (backend, why_cpu) = choice::backend();
        let mapped = MappedParams::open(path, TrailingBytes::Warn)?;
        let srs = backend.load_srs(&Srs::Mapped(Arc::new(mapped), ParamsCheck::Curve))?;
        let (file, info) = (path.display(), backend.info());
        match why_cpu {
            None => tracing::info!(target: "supraseal_c2", "proofs with {file} run on {}", info.description),
            Some(reason) => tracing::warn!(
                target: "supraseal_c2",
                "proofs with {file} run on the CPU ({}): {reason}",
                info.description
            ),
        }
        Ok(Loaded {
            path: path.to_owned(),
            backend,
            srs,
        })
    }
}
