//! A key in device memory.

use super::convert::DevicePoints;
use super::error::{at, NAME};
use super::gpu::Gpu;
use super::upload::Uploader;
use groth16_core::params::{KeyCounts, Section};
use groth16_core::{Error, LoadedSrs, Result, Srs, VerifyingKey};
use parking_lot::Mutex;
use sppark_fork::{CudaError, DeviceBuf, G1Point, G2Point, G1, G2};
use std::any::Any;
use std::sync::Arc;

/// A key that this backend has loaded: on each device that has proved with it, once.
pub(super) struct CudaSrs {
    source: Srs,
    vk: VerifyingKey,
    devices: Mutex<Vec<(u32, Arc<DeviceSrs>)>>,
}

/// The points of a key in the memory of one device.
pub(super) struct DeviceSrs {
    pub(super) h: DeviceBuf<G1Point>,
    pub(super) l: DeviceBuf<G1Point>,
    pub(super) a: DeviceBuf<G1Point>,
    pub(super) b_g1: DeviceBuf<G1Point>,
    pub(super) b_g2: DeviceBuf<G2Point>,
}

impl LoadedSrs for CudaSrs {
    fn vk(&self) -> &VerifyingKey {
        &self.vk
    }
    fn counts(&self) -> KeyCounts {
        self.source.counts()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CudaSrs {
    pub(super) fn new(source: &Srs) -> Result<Self> {
        let vk = match source {
            Srs::Memory(parameters) => parameters.vk.clone(),
            Srs::Mapped(mapped, check) => mapped.verifying_key(*check)?,
        };
        Ok(CudaSrs {
            source: source.clone(),
            vk,
            devices: Mutex::default(),
        })
    }

    /// The handle behind a trait object, if this backend made it.
    pub(super) fn of(srs: &Arc<dyn LoadedSrs>) -> Result<&CudaSrs> {
        srs.as_any()
            .downcast_ref()
            .ok_or(Error::ForeignSrs { backend: NAME })
    }

    /// The key on this device, uploaded if it is not there yet. Two jobs that need it at once wait for one upload.
    pub(super) fn on(&self, gpu: &Gpu) -> Result<Arc<DeviceSrs>> {
        let mut devices = self.devices.lock();
        let ordinal = gpu.device.ordinal();
        if let Some((_, resident)) = devices.iter().find(|(o, _)| *o == ordinal) {
            return Ok(resident.clone());
        }
        let resident = Arc::new(DeviceSrs::upload(&self.source, gpu)?);
        devices.push((ordinal, resident.clone()));
        Ok(resident)
    }

    /// Whether the key is on a device, as far as can be told without waiting: while it is being uploaded somewhere it is
    /// nowhere.
    pub(super) fn is_on(&self, ordinal: u32) -> bool {
        let devices = self.devices.try_lock();
        devices.is_some_and(|devices| devices.iter().any(|(o, _)| *o == ordinal))
    }

    /// Forgets what was on a device that is lost.
    pub(super) fn forget(&self, ordinal: u32) {
        self.devices.lock().retain(|(o, _)| *o != ordinal);
    }
}

/// A CUDA call or a point of the file.
enum UploadError {
    Cuda(CudaError),
    Core(Error),
}

impl From<CudaError> for UploadError {
    fn from(error: CudaError) -> Self {
        UploadError::Cuda(error)
    }
}

impl From<UploadError> for Error {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Cuda(error) => at("upload of the key")(error),
            UploadError::Core(error) => error,
        }
    }
}

impl DeviceSrs {
    fn upload(source: &Srs, gpu: &Gpu) -> Result<Self> {
        let mut uploader =
            Uploader::new(&gpu.device, gpu.staging_bytes, &gpu.host).map_err(at("upload of the key"))?;
        let resident = match source {
            Srs::Memory(p) => DeviceSrs {
                h: from_memory::<G1>(&mut uploader, gpu, &p.h)?,
                l: from_memory::<G1>(&mut uploader, gpu, &p.l)?,
                a: from_memory::<G1>(&mut uploader, gpu, &p.a)?,
                b_g1: from_memory::<G1>(&mut uploader, gpu, &p.b_g1)?,
                b_g2: from_memory::<G2>(&mut uploader, gpu, &p.b_g2)?,
            },
            Srs::Mapped(mapped, check) => {
                let (bytes, index, check) = (mapped.bytes(), mapped.index(), check.point_check());
                // Decoded into the page-locked blocks by all cores while earlier blocks cross the bus.
                let mut g1 = |section: &Section| decoded::<G1>(&mut uploader, gpu, section, bytes, check);
                let (h, l, a, b_g1) = (g1(&index.h)?, g1(&index.l)?, g1(&index.a)?, g1(&index.b_g1)?);
                let b_g2 = decoded::<G2>(&mut uploader, gpu, &index.b_g2, bytes, check)?;
                DeviceSrs { h, l, a, b_g1, b_g2 }
            }
        };
        uploader.stream.synchronize().map_err(at("upload of the key"))?;
        Ok(resident)
    }
}

fn from_memory<G: DevicePoints>(
    uploader: &mut Uploader,
    gpu: &Gpu,
    points: &[<G::Curve as group::prime::PrimeCurve>::Affine],
) -> Result<DeviceBuf<G::Point>> {
    let points = G::device(points);
    let mut buffer = gpu.alloc(points.len()).map_err(at("memory for the key"))?;
    uploader
        .upload(&mut buffer, 0, points)
        .map_err(at("upload of the key"))?;
    Ok(buffer)
}

fn decoded<G: DevicePoints>(
    uploader: &mut Uploader,
    gpu: &Gpu,
    section: &Section,
    bytes: &[u8],
    check: bls_curves::PointCheck,
) -> Result<DeviceBuf<G::Point>> {
    let mut buffer = gpu.alloc(section.n_points).map_err(at("memory for the key"))?;
    uploader.upload_with(&mut buffer, 0, section.n_points, |first, block| {
        let points = G::affine_mut(block);
        section
            .decode_into::<G::Curve>(bytes, check, first, points)
            .map_err(|source| UploadError::Core(Error::Params { path: None, source }))
    })?;
    Ok(buffer)
}
