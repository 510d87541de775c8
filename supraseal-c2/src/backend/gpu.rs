use super::compute::Compute;
use super::handover::Parcel;
use super::host::Host;
use super::tenancy::Tenancy;
use super::timeline::Timing;
use super::{CudaConfig, WORKERS_A_DEVICE};
use groth16_core::schedule::Schedule;
use parking_lot::Mutex;
use sppark_fork::{CudaError, Device, DeviceBuf, Pod, Result};
use std::sync::Arc;

/// Three blocks of 16 MiB: each is a third of a millisecond on the bus.
const DEFAULT_STAGING_BYTES: usize = 48 << 20;
/// What is left of a device for its runtime: code of kernels, contexts; and for each multiprocessor, the stacks of its 2048 threads,
/// which the largest of our kernels makes 2.5 KiB. On an H200 it was 560 MiB for stacks and code.
const RESERVE_BYTES: u64 = 128 << 20;
const RESERVE_BYTES_A_MULTIPROCESSOR: u64 = 5 << 20;

/// One device: what of it is shared by the jobs that run there.
pub(super) struct Gpu {
    pub(super) device: Arc<Device>,
    /// the most bytes to allocate
    pub(super) limit_bytes: Option<u64>,
    /// of these, for keys
    pub(super) max_key_bytes: Option<u64>,
    /// jobs whose inputs may be there at once
    pub(super) n_stages: usize,
    /// page-locked bytes of a slot's ring
    pub(super) staging_bytes: usize,
    pub(super) schedule: Schedule,
    pub(super) timing: Timing,
    /// shared by the backend's devices
    pub(super) host: Arc<Host>,
    /// Held for kernels alone, not for an upload, for work of the host, or while waiting for either: but by a proof that found the
    /// device free while its inputs were on their way (see [`turn`](super::turn)).
    pub(super) compute: Mutex<Compute>,
    pub(super) tenancy: Tenancy,
    /// of the last proof that was divided, for the next
    pub(super) parcel: Mutex<Option<Arc<Parcel>>>,
}

impl Gpu {
    pub(super) fn open(ordinal: u32, config: &CudaConfig, host: &Arc<Host>) -> Result<Arc<Self>> {
        let device = Device::open(ordinal)?;
        let staging_bytes = config.staging_bytes.unwrap_or(DEFAULT_STAGING_BYTES);
        let compute = Mutex::new(Compute::new(&device, staging_bytes, host)?);
        Ok(Arc::new(Gpu {
            device,
            limit_bytes: config.max_device_bytes,
            max_key_bytes: config.max_key_bytes,
            n_stages: config.workers.unwrap_or(WORKERS_A_DEVICE).max(1),
            staging_bytes,
            schedule: config.schedule,
            timing: Timing::new(config.timelines.clone()),
            host: host.clone(),
            compute,
            tenancy: Tenancy::default(),
            parcel: Mutex::default(),
        }))
    }

    /// Device memory that no plan knows of, within the limit.
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
}

/// Bytes of a device that no plan counts on.
pub(super) fn reserve_bytes(total_bytes: u64, n_multiprocessors: u32) -> u64 {
    let reserve = RESERVE_BYTES + RESERVE_BYTES_A_MULTIPROCESSOR * u64::from(n_multiprocessors);
    reserve.min(total_bytes / 16)
}
