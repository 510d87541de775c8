use super::cache::CACHE;
use super::choice::{self, Chosen};
use super::failure::Reason;
use super::Error;
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
    chosen: Chosen,
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

    /// What proves with this key, and the key. A device may be asked for, by its place among those that are used; where the CPU
    /// proves there are none, and the wish has no meaning.
    pub(super) fn get(&self, device: Option<usize>) -> Result<(&dyn Backend, &Arc<dyn LoadedSrs>), Reason> {
        let loaded = self.loaded.as_ref().ok_or(Reason::EmptySrs)?;
        let Chosen { backend, devices } = &loaded.chosen;
        let backend = match device.filter(|_| !devices.is_empty()) {
            None => backend,
            Some(device) => devices.get(device).ok_or(Reason::NoSuchDevice {
                device,
                n_devices: devices.len(),
            })?,
        };
        Ok((&**backend, &loaded.srs))
    }
}

impl Loaded {
    fn load(path: &Path) -> Result<Self, Error> {
        let (chosen, why_cpu) = choice::backend();
        let mapped = MappedParams::open(path, TrailingBytes::Warn)?;
        let srs = chosen
            .backend
            .load_srs(&Srs::Mapped(Arc::new(mapped), ParamsCheck::Curve))?;
        let (file, info) = (path.display(), chosen.backend.info());
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
            chosen,
            srs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backend_tests::toy::vector_path;
    use groth16_core::CpuBackend;

    fn loaded(n_devices: usize) -> SRS {
        let path = vector_path("mul.params");
        let mapped = MappedParams::open(&path, TrailingBytes::Warn).unwrap();
        let key = Srs::Mapped(Arc::new(mapped), ParamsCheck::Curve);
        let srs = CpuBackend.load_srs(&key).unwrap();
        let device = |_| -> Arc<dyn Backend> { Arc::new(CpuBackend) };
        let chosen = Chosen {
            backend: device(0),
            devices: (0..n_devices).map(device).collect(),
        };
        SRS {
            loaded: Some(Arc::new(Loaded { path, chosen, srs })),
        }
    }

    #[test]
    fn a_device_is_asked_for_by_its_place_and_has_to_be_there() {
        let of = |srs: &SRS, device| {
            srs.get(device)
                .map(|(backend, _)| std::ptr::from_ref(backend).addr())
        };
        let srs = loaded(2);
        let backends = [None, Some(0), Some(1)].map(|device| of(&srs, device).unwrap());
        let Chosen { backend, devices } = &srs.loaded.as_ref().unwrap().chosen;
        let expected = [backend, &devices[0], &devices[1]].map(|backend| Arc::as_ptr(backend).addr());
        assert_eq!(backends, expected);
        let error = of(&srs, Some(2)).unwrap_err().to_string();
        assert!(
            error.contains("gpu_index is 2, and 2 devices are used"),
            "{error}"
        );
        // On the CPU there is none to choose.
        let srs = loaded(0);
        assert_eq!(of(&srs, Some(7)).unwrap(), of(&srs, None).unwrap());
    }
}
