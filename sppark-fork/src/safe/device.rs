//! A device: what it is, what it has free, and what went wrong on it.

use crate::result::{call, text};
use crate::sys::{self, spf_device_info};
use crate::{CudaError, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One CUDA device. Streams, events and buffers hold an `Arc` of it, so it outlives them all.
///
/// A device that failed while it worked ([`CudaError::Device`]) is *poisoned*: every later call on it returns
/// that error, whoever makes it. CUDA may report such a failure on the process's other devices, too; each
/// is poisoned when it does.
#[derive(Debug)]
pub struct Device {
    ordinal: u32,
    info: DeviceInfo,
    faults: Mutex<Faults>,
    allocated_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct Faults {
    sticky: Option<CudaError>,
    dropped: Option<CudaError>,
}

/// What a device says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The vendor's name for it.
    pub name: String,
    /// Compute capability: major, minor.
    pub capability: (u32, u32),
    /// Streaming multiprocessors.
    pub n_multiprocessors: u32,
    /// Its memory.
    pub total_bytes: u64,
    /// Its second-level cache.
    pub l2_bytes: u64,
    /// Shared memory that one block can have at most.
    pub shared_bytes_per_block: u64,
    /// Clock in MHz; 0 where the driver does not say.
    pub clock_mhz: u32,
}

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Free now, for every process together.
    pub free_bytes: u64,
    /// The device's own total.
    pub total_bytes: u64,
    /// Allocated through this [`Device`] and not yet freed.
    pub allocated_bytes: u64,
    /// The most that was ever allocated at once through this [`Device`] since [`Device::reset_peak`].
    pub peak_bytes: u64,
}

impl Device {
    /// How many devices there are.
    ///
    /// # Errors
    /// [`CudaError::NoDevice`] if there is none, or no driver.
    pub fn count() -> Result<u32> {
        let mut count = 0;
        // SAFETY: both pointers are to locals that live through the call.
        call(|error| unsafe { sys::spf_device_count(&mut count, error) })?;
        Ok(count)
    }

    /// Opens device `ordinal`.
    ///
    /// # Errors
    /// [`CudaError::NoDevice`] if it is not there.
    pub fn open(ordinal: u32) -> Result<Arc<Device>> {
        let mut raw = spf_device_info {
            size: size_of::<spf_device_info>() as u64,
            ..Default::default()
        };
        // SAFETY: `raw` says its size and lives through the call.
        call(|error| unsafe { sys::spf_device_get_info(ordinal, &mut raw, error) })?;
        let info = DeviceInfo {
            name: text(&raw.name),
            capability: (raw.major, raw.minor),
            n_multiprocessors: raw.n_multiprocessors,
            total_bytes: raw.total_bytes,
            l2_bytes: raw.l2_bytes,
            shared_bytes_per_block: raw.shared_bytes_per_block,
            clock_mhz: raw.clock_mhz,
        };
        Ok(Arc::new(Device {
            ordinal,
            info,
            faults: Mutex::default(),
            allocated_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
        }))
    }

    /// Its number among the devices of the machine.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// What it is.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What it has free, and what was allocated through this value.
    ///
    /// # Errors
    /// Whatever the driver says.
    pub fn memory(&self) -> Result<MemoryInfo> {
        let (mut free_bytes, mut total_bytes) = (0, 0);
        self.call(|error| {
            // SAFETY: the pointers are to locals that live through the call.
            unsafe { sys::spf_device_memory(self.ordinal, &mut free_bytes, &mut total_bytes, error) }
        })?;
        Ok(MemoryInfo {
            free_bytes,
            total_bytes,
            allocated_bytes: self.allocated_bytes.load(Ordering::Relaxed),
            peak_bytes: self.peak_bytes.load(Ordering::Relaxed),
        })
    }

    /// Starts the peak anew from what is allocated now.
    pub fn reset_peak(&self) {
        self.peak_bytes
            .store(self.allocated_bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Waits for all that was enqueued on the device.
    ///
    /// # Errors
    /// What went wrong in it.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: takes a plain number.
        self.call(|error| unsafe { sys::spf_device_synchronize(self.ordinal, error) })
    }

    /// Poisons the device as a failure of its own would, for tests: a real one may take every device of the process with it. What
    /// is enqueued goes on.
    #[doc(hidden)]
    pub fn lose(&self) {
        let what = "lost on purpose".into();
        let _ = self.note(Err(CudaError::Device { code: 0, what }));
    }

    /// Whether it is poisoned.
    pub fn is_lost(&self) -> bool {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.sticky.is_some()
    }

    /// The first error that a `Drop` met since this was last asked. It is worth a
    /// log line: something was leaked.
    pub fn take_dropped_error(&self) -> Option<CudaError> {
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .dropped
            .take()
    }

    /// A C call on this device: refused if the device is poisoned, and poisoning it if the device failed.
    ///
    /// For crates that add kernels of their own.
    #[doc(hidden)]
    pub fn call(&self, f: impl FnOnce(*mut sys::spf_error) -> i32) -> Result<()> {
        if let Some(error) = self
            .faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .sticky
            .clone()
        {
            return Err(error);
        }
        self.note(call(f))
    }

    /// A C call that is made on a poisoned device too.
    pub(crate) fn call_always(&self, f: impl FnOnce(*mut sys::spf_error) -> i32) -> Result<()> {
        self.note(call(f))
    }

    /// A C call that frees something: made on a poisoned device too, and its
    /// failure is recorded, not returned.
    pub(crate) fn release(&self, f: impl FnOnce(*mut sys::spf_error) -> i32) {
        if let Err(error) = self.note(call(f)) {
            self.record_dropped(error);
        }
    }

    pub(crate) fn record_dropped(&self, error: CudaError) {
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .dropped
            .get_or_insert(error);
    }

    fn note(&self, result: Result<()>) -> Result<()> {
        if let Err(error) = &result {
            if error.is_sticky() {
                let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
                faults.sticky.get_or_insert_with(|| error.clone());
            }
        }
        result
    }

    pub(crate) fn count_allocated(&self, n_bytes: u64) {
        let now = self.allocated_bytes.fetch_add(n_bytes, Ordering::Relaxed) + n_bytes;
        self.peak_bytes.fetch_max(now, Ordering::Relaxed);
    }

    pub(crate) fn count_freed(&self, n_bytes: u64) {
        self.allocated_bytes.fetch_sub(n_bytes, Ordering::Relaxed);
    }
}

/// For tests that need a card: device 0, or `None` after printing why the test is skipped.
///
/// # Panics
/// If there is no device although `G16_REQUIRE_GPU=1`: on a machine that must have one,
/// a skipped test is a failed one.
pub fn require_gpu() -> Option<Arc<Device>> {
    match Device::open(0) {
        Ok(device) => Some(device),
        Err(error) if std::env::var_os("G16_REQUIRE_GPU").is_some_and(|value| value == "1") => {
            panic!("G16_REQUIRE_GPU=1 and {error}")
        }
        Err(_) => {
            eprintln!("skipped: no CUDA device");
            None
        }
    }
}
