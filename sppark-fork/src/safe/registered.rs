//! Memory of the caller's that the driver was asked to pin.

use super::Device;
use crate::{sys, CudaError};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A vector whose memory is registered with the driver, so that the card reads it at the bus's full speed.
///
/// Registering costs about what pinning does, half a second a GiB: worth it for memory
/// that is copied from several times.
/// The length is fixed.
#[derive(Debug)]
pub struct RegisteredVec<T: Copy + Send + Sync + 'static> {
    device: Arc<Device>,
    values: Vec<T>,
}

impl<T: Copy + Send + Sync + 'static> RegisteredVec<T> {
    /// Registers a vector; an empty one needs nothing.
    ///
    /// # Errors
    /// What the driver says, with the vector as it was.
    pub fn new(device: &Arc<Device>, mut values: Vec<T>) -> Result<RegisteredVec<T>, (CudaError, Vec<T>)> {
        if size_of_val(&*values) != 0 {
            let (memory, n_bytes) = (values.as_mut_ptr().cast(), size_of_val(&*values) as u64);
            let registered = device.call(|error| {
                // SAFETY: the memory is the vector's, which is neither freed nor
                // moved before `drop` unregisters it.
                unsafe { sys::spf_host_register(device.ordinal(), memory, n_bytes, error) }
            });
            if let Err(error) = registered {
                return Err((error, values));
            }
        }
        Ok(RegisteredVec {
            device: device.clone(),
            values,
        })
    }
}

impl<T: Copy + Send + Sync + 'static> Deref for RegisteredVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Copy + Send + Sync + 'static> DerefMut for RegisteredVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<T: Copy + Send + Sync + 'static> Drop for RegisteredVec<T> {
    fn drop(&mut self) {
        if size_of_val(&*self.values) == 0 {
            return;
        }
        self.device.release(|error| {
            // SAFETY: registered in `new`, unregistered once, and the memory is freed after this.
            unsafe { sys::spf_host_unregister(self.device.ordinal(), self.values.as_mut_ptr().cast(), error) }
        });
    }
}
