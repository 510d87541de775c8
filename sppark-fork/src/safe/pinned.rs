//! Pinned host memory: what the card reads and writes at the bus's full speed.

use super::{Device, Event, Pod, Stream};
use crate::sys;
use crate::{CudaError, Result};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

/// A budgeted stock of pinned blocks. Pinning costs about half a second a GiB,
/// so blocks are reused, not freed.
///
/// A block comes back to the stock with the event of its last use and is given out again only when that has
/// passed. The blocks in use and in stock together stay under the budget.
#[derive(Debug)]
pub struct PinnedPool {
    devices: Vec<Arc<Device>>,
    budget_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pinned_bytes: u64,
    stock: BTreeMap<u64, Vec<Returned>>,
}

#[derive(Debug)]
struct Returned {
    memory: Block,
    last_use: Option<Event>,
}

#[derive(Debug)]
struct Block {
    device: Arc<Device>,
    address: *mut c_void,
    n_bytes: u64,
}

// SAFETY: the address is of memory that whoever holds the block owns alone.
unsafe impl Send for Block {}

impl PinnedPool {
    /// A pool that never pins more than `budget_bytes`.
    pub fn new(device: &Arc<Device>, budget_bytes: u64) -> Arc<PinnedPool> {
        PinnedPool::of_devices(vec![device.clone()], budget_bytes)
    }

    /// The same for several devices, of which any may copy from and to any block: one is asked for memory as long as it
    /// is not lost, then the next.
    pub fn of_devices(devices: Vec<Arc<Device>>, budget_bytes: u64) -> Arc<PinnedPool> {
        Arc::new(PinnedPool {
            devices,
            budget_bytes,
            state: Mutex::default(),
        })
    }

    /// Bytes pinned, in use and in stock.
    pub fn pinned_bytes(&self) -> u64 {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pinned_bytes
    }

    /// A buffer of `len` zeroed values, from the stock if a block of the size is
    /// there and its last use has passed.
    ///
    /// Sizes are rounded up to a power of two of at least 4 KiB, so that blocks fit again.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] if the budget does not allow it, with the bytes that it still allows, or if
    /// the machine has none to pin.
    pub fn get<T: Pod>(self: &Arc<PinnedPool>, len: usize) -> Result<PinnedBuf<T>> {
        let n_bytes = len
            .checked_mul(size_of::<T>())
            .and_then(|n_bytes| n_bytes.max(4096).checked_next_power_of_two())
            .filter(|n_bytes| *n_bytes <= isize::MAX as usize)
            .ok_or_else(|| {
                CudaError::invalid(format!("a buffer of {len} values of {} bytes", size_of::<T>()))
            })? as u64;
        let block = self.take(n_bytes)?;
        // SAFETY: the block has at least `len` values' bytes, and nobody else has it.
        unsafe { std::ptr::write_bytes(block.address.cast::<u8>(), 0, len * size_of::<T>()) };
        Ok(PinnedBuf {
            pool: self.clone(),
            block: Some(block),
            len,
            last_use: None,
            of: std::marker::PhantomData,
        })
    }

    fn take(&self, n_bytes: u64) -> Result<Block> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(returned) = state.stock.get_mut(&n_bytes) {
            for i in 0..returned.len() {
                let free = match &returned[i].last_use {
                    None => true,
                    // That of a lost device nobody can tell; others need not suffer for it.
                    Some(event) => event.is_done().unwrap_or(false),
                };
                if free {
                    return Ok(returned.swap_remove(i).memory);
                }
            }
        }
        // A larger stock than the budget allows with this one: blocks of other sizes
        // make room, those at rest first.
        while state.pinned_bytes + n_bytes > self.budget_bytes {
            let Some(returned) = state.stock.values_mut().find_map(Vec::pop) else {
                return Err(CudaError::OutOfMemory {
                    need_bytes: n_bytes,
                    free_bytes: Some(self.budget_bytes - state.pinned_bytes),
                    what: format!(
                        "{n_bytes} bytes of pinned memory, {} of the budget of {} are in use",
                        state.pinned_bytes, self.budget_bytes
                    ),
                });
            };
            state.pinned_bytes -= returned.memory.n_bytes;
            PinnedPool::free(returned);
        }
        let mut devices = self.devices.iter();
        let device = devices.find(|device| !device.is_lost());
        let device = device
            .or(self.devices.first())
            .ok_or_else(|| CudaError::NoDevice {
                what: "memory is to be pinned for none".into(),
            })?;
        let mut address = null_mut();
        device.call(|error| {
            // SAFETY: `address` is a local that lives through the call.
            unsafe { sys::spf_pinned_alloc(device.ordinal(), n_bytes, &mut address, error) }
        })?;
        state.pinned_bytes += n_bytes;
        Ok(Block {
            device: device.clone(),
            address,
            n_bytes,
        })
    }

    fn free(Returned { memory, last_use }: Returned) {
        let device = &memory.device;
        if let Some(event) = &last_use {
            // A copy may still use the memory. Freeing waits for the device too, if this cannot.
            if let Err(error) = event.synchronize() {
                device.record_dropped(error);
            }
        }
        // SAFETY: the block came from `spf_pinned_alloc` on this device, its last use
        // has passed, and it is freed once.
        device.release(|error| unsafe { sys::spf_pinned_free(device.ordinal(), memory.address, error) });
    }
}

impl Drop for PinnedPool {
    fn drop(&mut self) {
        let state = std::mem::take(self.state.get_mut().unwrap_or_else(PoisonError::into_inner));
        state.stock.into_values().flatten().for_each(PinnedPool::free);
    }
}

/// `len` values in pinned host memory, as a slice. Goes back to its pool when dropped.
#[derive(Debug)]
pub struct PinnedBuf<T: Pod> {
    pool: Arc<PinnedPool>,
    block: Option<Block>,
    len: usize,
    last_use: Option<Event>,
    of: std::marker::PhantomData<T>,
}

// SAFETY: the buffer owns its memory, and `T` is plain data.
unsafe impl<T: Pod> Sync for PinnedBuf<T> {}

impl<T: Pod> PinnedBuf<T> {
    /// Says that `stream`, up to here, uses the buffer: it goes back into use only after that.
    ///
    /// Every asynchronous copy from or to the buffer must be followed by this before the buffer is dropped.
    ///
    /// # Errors
    /// What the driver says.
    pub fn record_last_use(&mut self, stream: &Stream) -> Result<()> {
        let event = match self.last_use.take() {
            Some(event) => {
                // One event stands for all uses: the stream waits for the earlier one first.
                stream.wait_for(&event)?;
                event
            }
            None => Event::new(stream.device())?,
        };
        event.record_on(stream)?;
        self.last_use = Some(event);
        Ok(())
    }
}

impl<T: Pod> Deref for PinnedBuf<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let address = self.block.as_ref().map_or(null_mut(), |block| block.address);
        // SAFETY: the block is there until `drop`, holds `len` initialised values, and is page-aligned.
        unsafe { std::slice::from_raw_parts(address.cast(), self.len) }
    }
}

impl<T: Pod> DerefMut for PinnedBuf<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let address = self.block.as_ref().map_or(null_mut(), |block| block.address);
        // SAFETY: as above, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(address.cast(), self.len) }
    }
}

impl<T: Pod> Drop for PinnedBuf<T> {
    fn drop(&mut self) {
        if let Some(memory) = self.block.take() {
            let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
            let returned = Returned {
                memory,
                last_use: self.last_use.take(),
            };
            state
                .stock
                .entry(returned.memory.n_bytes)
                .or_default()
                .push(returned);
        }
    }
}
