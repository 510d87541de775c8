//! Streams.

use super::{Device, Event};
use crate::sys::{self, spf_stream};
use crate::Result;
use std::ptr::null_mut;
use std::sync::Arc;

/// A queue of work on a device, ordered with no other stream but through events.
#[derive(Debug)]
pub struct Stream {
    device: Arc<Device>,
    raw: *mut spf_stream,
}

// SAFETY: a CUDA stream may be used from any thread, and from several at once; what it owns
// is never written after creation.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Arc<Device>) -> Result<Stream> {
        Stream::create(device, false)
    }

    /// A new stream whose kernels' blocks go before those of [`Stream::new`]'s wherever a multiprocessor has room: for short work
    /// beside long.
    ///
    /// # Errors
    /// What the driver says.
    pub fn urgent(device: &Arc<Device>) -> Result<Stream> {
        Stream::create(device, true)
    }

    fn create(device: &Arc<Device>, is_urgent: bool) -> Result<Stream> {
        let mut raw = null_mut();
        device.call(|error| {
            // SAFETY: `raw` is a local that lives through the call.
            unsafe { sys::spf_stream_create(device.ordinal(), u32::from(is_urgent), &mut raw, error) }
        })?;
        Ok(Stream {
            device: device.clone(),
            raw,
        })
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The handle of the C ABI, valid while this value lives.
    #[doc(hidden)]
    pub fn raw(&self) -> *mut spf_stream {
        self.raw
    }

    /// Waits until everything enqueued here has run.
    ///
    /// # Errors
    /// What went wrong in it.
    pub fn synchronize(&self) -> Result<()> {
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives.
            unsafe { sys::spf_stream_synchronize(self.raw, error) }
        })
    }

    /// Waits as [`Stream::synchronize`] does, on a device that is lost too, and gives no
    /// error: for destructors, after which nothing may be under way. An error here is met
    /// by the next call on the device.
    pub fn settle(&self) {
        let _ = self.device.call_always(|error| {
            // SAFETY: the handle is valid while `self` lives.
            unsafe { sys::spf_stream_synchronize(self.raw, error) }
        });
    }

    /// Whether everything enqueued here has run.
    ///
    /// # Errors
    /// What went wrong in it.
    pub fn is_done(&self) -> Result<bool> {
        let mut done = 0;
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives, `done` through the call.
            unsafe { sys::spf_stream_query(self.raw, &mut done, error) }
        })?;
        Ok(done != 0)
    }

    /// What is enqueued here from now on waits for what `event` recorded. The calling thread does not wait.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        self.device.call(|error| {
            // SAFETY: both handles are valid while their owners live.
            unsafe { sys::spf_stream_wait_event_on(self.raw, event.raw(), error) }
        })
    }

    /// Keeps the stream busy for about `microseconds`. For tests of ordering.
    ///
    /// # Errors
    /// What the driver says; [`crate::CudaError::Invalid`] over ten seconds.
    pub fn delay_on(&self, microseconds: u64) -> Result<()> {
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives.
            unsafe { sys::spf_delay_on(self.raw, microseconds, error) }
        })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.device.release(|error| {
            // SAFETY: the handle came from `spf_stream_create` and is given back once.
            unsafe { sys::spf_stream_destroy(self.raw, error) }
        });
    }
}
