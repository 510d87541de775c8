//! The block of device memory that kernels work in.

use super::{Device, DeviceBuf};
use crate::Result;
use std::ffi::c_void;
use std::sync::Arc;

/// One block, sized by a plan's `*_workspace_bytes` and lent to one driver call at a time: the C++ side
/// carves it, and allocates nothing. One a worker.
#[derive(Debug)]
pub struct Workspace {
    memory: DeviceBuf<u8>,
}

impl Workspace {
    /// A workspace of so many bytes.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`].
    pub fn new(device: &Arc<Device>, n_bytes: u64) -> Result<Workspace> {
        let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
        Ok(Workspace {
            memory: DeviceBuf::alloc(device, n_bytes)?,
        })
    }

    /// Its size.
    pub fn n_bytes(&self) -> u64 {
        self.memory.n_bytes()
    }

    /// Grows it to at least `n_bytes`; the old block is freed first, so both need not fit at once.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`]; the workspace is then empty.
    pub fn reserve(&mut self, n_bytes: u64) -> Result<()> {
        if n_bytes <= self.n_bytes() {
            return Ok(());
        }
        let device = self.memory.device().clone();
        self.memory = DeviceBuf::alloc(&device, 0)?;
        *self = Workspace::new(&device, n_bytes)?;
        Ok(())
    }

    /// The address, for the C ABI.
    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr()
    }
}
