//! Events.

use super::{Device, Stream};
use crate::sys::{self, spf_event};
use crate::Result;
use std::ptr::null_mut;
use std::sync::Arc;

/// A point in a stream that others, and the host, can wait for. Never recorded, it counts as passed.
#[derive(Debug)]
pub struct Event {
    device: Arc<Device>,
    raw: *mut spf_event,
}

// SAFETY: a CUDA event may be used from any thread; what it owns is never written after creation.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event for ordering, without a time stamp.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(device: &Arc<Device>) -> Result<Event> {
        Event::create(device, false)
    }

    /// An event that also notes the time.
    ///
    /// # Errors
    /// What the driver says.
    pub fn with_timing(device: &Arc<Device>) -> Result<Event> {
        Event::create(device, true)
    }

    fn create(device: &Arc<Device>, timing: bool) -> Result<Event> {
        let mut raw = null_mut();
        // SAFETY: `raw` is a local that lives through the call.
        device.call(|error| unsafe {
            sys::spf_event_create(device.ordinal(), u32::from(timing), &mut raw, error)
        })?;
        Ok(Event {
            device: device.clone(),
            raw,
        })
    }

    pub(crate) fn raw(&self) -> *mut spf_event {
        self.raw
    }

    /// Marks the point that `stream` has been filled to.
    ///
    /// # Errors
    /// [`crate::CudaError::Invalid`] if the stream is another device's; what the driver says.
    pub fn record_on(&self, stream: &Stream) -> Result<()> {
        self.device.call(|error| {
            // SAFETY: both handles are valid while their owners live.
            unsafe { sys::spf_event_record_on(self.raw, stream.raw(), error) }
        })
    }

    /// Waits until the recorded point has been passed.
    ///
    /// # Errors
    /// What went wrong before it.
    pub fn synchronize(&self) -> Result<()> {
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives.
            unsafe { sys::spf_event_synchronize(self.raw, error) }
        })
    }

    /// Whether the recorded point has been passed.
    ///
    /// # Errors
    /// What went wrong before it.
    pub fn is_done(&self) -> Result<bool> {
        let mut done = 0;
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives, `done` through the call.
            unsafe { sys::spf_event_query(self.raw, &mut done, error) }
        })?;
        Ok(done != 0)
    }

    /// Milliseconds from `start` to this event. Both must have been made with timing, recorded, and passed.
    ///
    /// # Errors
    /// What the driver says.
    pub fn elapsed_ms_since(&self, start: &Event) -> Result<f32> {
        let mut elapsed_ms = 0.0;
        self.device.call(|error| {
            // SAFETY: both handles are valid while their owners live, the result through the call.
            unsafe { sys::spf_event_elapsed_ms(start.raw, self.raw, &mut elapsed_ms, error) }
        })?;
        Ok(elapsed_ms)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.device.release(|error| {
            // SAFETY: the handle came from `spf_event_create` and is given back once.
            unsafe { sys::spf_event_destroy(self.raw, error) }
        });
    }
}
