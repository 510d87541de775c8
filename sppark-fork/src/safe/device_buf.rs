//! Device memory.

use super::{Device, Stream};
use crate::sys;
use crate::{CudaError, Result};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;

/// Types that are their bytes: any bytes are a value, and there is no padding.
///
/// # Safety
/// The implementor says exactly that. Copies to and from the device treat the type as bytes.
pub unsafe trait Pod: Copy + Send + Sync + 'static {}

// SAFETY: plain integers.
unsafe impl Pod for u8 {}
// SAFETY: plain integers.
unsafe impl Pod for u32 {}
// SAFETY: plain integers.
unsafe impl Pod for u64 {}
// SAFETY: an array of such values has no padding of its own.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// `len` values of `T` in the memory of a device, uninitialised until something writes them.
///
/// Allocating and freeing are slow and wait for the device; they belong to set-up. Dropping waits for all
/// pending work, so work that was enqueued with this buffer is never left with a dangling pointer.
#[derive(Debug)]
pub struct DeviceBuf<T: Pod> {
    device: Arc<Device>,
    memory: *mut c_void,
    len: usize,
    of: PhantomData<T>,
}

// SAFETY: the pointer is into device memory, which no thread of the host dereferences; the buffer owns it.
unsafe impl<T: Pod> Send for DeviceBuf<T> {}
// SAFETY: as above; what writes through it takes a stream, which orders the writes.
unsafe impl<T: Pod> Sync for DeviceBuf<T> {}

impl<T: Pod> DeviceBuf<T> {
    /// Room for `len` values.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] with the bytes asked for and free;
    /// [`CudaError::Invalid`] if the size overflows.
    pub fn alloc(device: &Arc<Device>, len: usize) -> Result<DeviceBuf<T>> {
        let n_bytes = len
            .checked_mul(size_of::<T>())
            .filter(|n_bytes| *n_bytes <= isize::MAX as usize)
            .ok_or_else(|| {
                CudaError::invalid(format!("a buffer of {len} values of {} bytes", size_of::<T>()))
            })?;
        let mut memory = null_mut();
        if n_bytes != 0 {
            device.call(|error| {
                // SAFETY: `memory` is a local that lives through the call.
                unsafe { sys::spf_device_alloc(device.ordinal(), n_bytes as u64, &mut memory, error) }
            })?;
            device.count_allocated(n_bytes as u64);
        }
        Ok(DeviceBuf {
            device: device.clone(),
            memory,
            len,
            of: PhantomData,
        })
    }

    /// A buffer with a copy of `values`; returns when it is there.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`], and what the copy says.
    pub fn from_slice(stream: &Stream, values: &[T]) -> Result<DeviceBuf<T>> {
        let mut buffer = DeviceBuf::alloc(stream.device(), values.len())?;
        buffer.upload(stream, 0, values)?;
        Ok(buffer)
    }

    /// Values in the buffer.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in the buffer.
    pub fn n_bytes(&self) -> u64 {
        (self.len * size_of::<T>()) as u64
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The device address, for the C ABI. Null if the buffer is empty.
    pub fn as_ptr(&self) -> *const c_void {
        self.memory
    }

    /// The device address, for the C ABI. Null if the buffer is empty.
    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.memory
    }

    /// Copies `values` to position `at` and waits until they are there.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if they do not fit; what the copy, and what stood
    /// before it in the stream, says.
    pub fn upload(&mut self, stream: &Stream, at: usize, values: &[T]) -> Result<()> {
        // SAFETY: the slice is borrowed until the wait below has ended.
        let enqueued = unsafe { self.upload_on(stream, at, values) };
        enqueued.and(stream.synchronize())
    }

    /// Enqueues a copy of `values` to position `at`.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if they do not fit; what the driver says.
    ///
    /// # Safety
    /// `values` must stay alive and unwritten until the stream has passed this point.
    pub unsafe fn upload_on(&mut self, stream: &Stream, at: usize, values: &[T]) -> Result<()> {
        let to = self.address(at, values.len())?;
        let n_bytes = size_of_val(values) as u64;
        let from = values.as_ptr().cast();
        self.device.call(|error| {
            // SAFETY: the range was checked; the caller keeps `values`, and `Drop` keeps the
            // buffer until the copy is done.
            unsafe { sys::spf_copy_to_device_on(stream.raw(), to, from, n_bytes, error) }
        })
    }

    /// Copies `values.len()` values from position `at` and waits for them.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] past the end; what the copy, and what stood before it in the stream, says.
    pub fn download(&self, stream: &Stream, at: usize, values: &mut [T]) -> Result<()> {
        // SAFETY: the slice is borrowed until the wait below has ended.
        let enqueued = unsafe { self.download_on(stream, at, values) };
        enqueued.and(stream.synchronize())
    }

    /// Enqueues a copy of `values.len()` values from position `at`.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] past the end; what the driver says.
    ///
    /// # Safety
    /// `values` must stay alive and untouched until the stream has passed this point.
    pub unsafe fn download_on(&self, stream: &Stream, at: usize, values: &mut [T]) -> Result<()> {
        let from = self.address(at, values.len())?;
        let n_bytes = size_of_val(values) as u64;
        let to = values.as_mut_ptr().cast();
        self.device.call(|error| {
            // SAFETY: the range was checked; the caller keeps `values`, and `Drop` keeps the
            // buffer until the copy is done.
            unsafe { sys::spf_copy_to_host_on(stream.raw(), to, from, n_bytes, error) }
        })
    }

    /// Enqueues a copy from another buffer of the same device and length.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the lengths differ; what the driver says.
    pub fn copy_from_on(&mut self, stream: &Stream, other: &DeviceBuf<T>) -> Result<()> {
        if self.len != other.len {
            return Err(CudaError::invalid(format!(
                "a copy of {} values into {}",
                other.len, self.len
            )));
        }
        let n_bytes = self.n_bytes();
        self.device.call(|error| {
            // SAFETY: both have that many bytes, and `Drop` keeps each until the copy is done.
            unsafe { sys::spf_copy_on_device_on(stream.raw(), self.memory, other.memory, n_bytes, error) }
        })
    }

    /// Enqueues filling every byte.
    ///
    /// # Errors
    /// What the driver says.
    pub fn fill_bytes_on(&mut self, stream: &Stream, byte: u8) -> Result<()> {
        let n_bytes = self.n_bytes();
        self.device.call(|error| {
            // SAFETY: the buffer has that many bytes, and `Drop` keeps it until the fill is done.
            unsafe { sys::spf_fill_bytes_on(stream.raw(), self.memory, u32::from(byte), n_bytes, error) }
        })
    }

    fn address(&self, at: usize, len: usize) -> Result<*mut c_void> {
        if at.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(CudaError::invalid(format!(
                "values {at}..{at}+{len} of a buffer of {}",
                self.len
            )));
        }
        Ok(self.memory.wrapping_byte_add(at * size_of::<T>()))
    }
}

impl<T: Pod> Drop for DeviceBuf<T> {
    fn drop(&mut self) {
        if self.memory.is_null() {
            return;
        }
        self.device.release(|error| {
            // SAFETY: the memory came from `spf_device_alloc` on this device and is given back once.
            unsafe { sys::spf_device_free(self.device.ordinal(), self.memory, error) }
        });
        self.device.count_freed(self.n_bytes());
    }
}
