use super::compute::Compute;
use super::host::Host;
use super::timeline::Timing;
use super::CudaConfig;
use groth16_core::schedule::Schedule;
use parking_lot::Mutex;
use sppark_fork::{CudaError, Device, DeviceBuf, Pod, Result};
use std::sync::Arc;

/// Three blocks of 16 MiB: each is a third of a millisecond on the bus.
const DEFAULT_STAGING_BYTES: usize = 48 << 20;

/// One device: what of it is shared by the jobs that run there.
pub(super) struct Gpu {
    pub(super) device: Arc<Device>,
    /// the most bytes to allocate
    limit_bytes: Option<u64>,
    /// page-locked bytes of a slot's ring
    pub(super) staging_bytes: usize,
    pub(super) schedule: Schedule,
    pub(super) timing: Timing,
    /// shared by the backend's devices
    pub(super) host: Arc<Host>,
    /// Held for kernels alone: never for an upload, for work of the host, or while waiting for either.
    pub(super) compute: Mutex<Compute>,
}

impl Gpu {
    pub(super) fn open(ordinal: u32, config: &CudaConfig, host: &Arc<Host>) -> Result<Arc<Self>> {
        let device = Device::open(ordinal)?;
        let compute = Mutex::new(Compute::new(&device)?);
        Ok(Arc::new(Gpu {
            device,
            limit_bytes: config.max_device_bytes,
            staging_bytes: config.staging_bytes.unwrap_or(DEFAULT_STAGING_BYTES),
            schedule: config.schedule,
            timing: Timing::new(config.timelines.clone()),
            host: host.clone(),
            compute,
        }))
    }

    /// Device memory within the limit.
    pub(super) fn alloc<T: Pod>(&self, len: usize) -> Result<DeviceBuf<T>> {
        self.check_room((len * size_of::<T>()) as u64)?;
        DeviceBuf::alloc(&self.device, len)
    }

    /// Whether so many bytes more stay within the limit.
    pub(super) fn check_room(&self, need_bytes: u64) -> Result<()> {
        let Some(limit) = self.limit_bytes else {
            return Ok(());
        };
        let allocated = self.device.memory()?.allocated_bytes;
        if allocated + need_bytes <= limit {
            return Ok(());
        }
        let free = limit.saturating_sub(allocated);
        Err(CudaError::OutOfMemory {
            need_bytes,
            free_bytes: Some(free),
            what: format!("{need_bytes} bytes needed, and {free} of the limit of {limit} are left"),
        })
    }

    /// Makes room for `len` values, if there is not as much; what stood there is lost.
    pub(super) fn reserve<T: Pod>(&self, buffer: &mut DeviceBuf<T>, len: usize) -> Result<()> {
        if buffer.len() < len {
            *buffer = DeviceBuf::alloc(&self.device, 0)?;
            *buffer = self.alloc(len)?;
        }
        Ok(())
    }
}
