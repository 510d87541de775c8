//! From pageable memory to the device at the bus's speed: through a ring of page-locked blocks.

use rayon::prelude::*;
use sppark_fork::{Device, DeviceBuf, PinnedBuf, PinnedPool, Pod, Result, Stream};
use std::sync::Arc;

/// Bytes of one block. A block is copied by all cores while the ones before it cross the bus.
const BLOCK_BYTES: usize = 16 << 20;
const BLOCKS: usize = 3;
/// Bytes that one core copies at a time.
const COPY_BYTES: usize = 256 << 10;

/// A ring of page-locked blocks with a stream of its own for copies.
pub(super) struct Uploader {
    pub(super) stream: Stream,
    pool: Arc<PinnedPool>,
}

impl Uploader {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        let budget = (BLOCKS * BLOCK_BYTES) as u64;
        Ok(Uploader {
            stream: Stream::new(device)?,
            pool: PinnedPool::new(device, budget),
        })
    }

    /// Copies `values` to `to[at..]`; returns when the last block is enqueued, so `values` may go then.
    pub(super) fn upload<T: Pod>(&mut self, to: &mut DeviceBuf<T>, at: usize, values: &[T]) -> Result<()> {
        self.upload_with(to, at, values.len(), |first, block| {
            let stride = (COPY_BYTES / size_of::<T>()).max(1);
            let source = &values[first..first + block.len()];
            block
                .par_chunks_mut(stride)
                .zip(source.par_chunks(stride))
                .for_each(|(to, from)| to.copy_from_slice(from));
            Ok(())
        })
    }

    /// Fills blocks with `fill(index of the block's first value, block)` and copies them to `to[at..at + n]`.
    pub(super) fn upload_with<T: Pod, E: From<sppark_fork::CudaError>>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        n: usize,
        mut fill: impl FnMut(usize, &mut [T]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let block_len = BLOCK_BYTES / size_of::<T>();
        for first in (0..n).step_by(block_len) {
            let mut block = self.block::<T>(block_len)?;
            let len = block_len.min(n - first);
            fill(first, &mut block[..len])?;
            // SAFETY: the block's last use is recorded right after, and it goes back into the ring only when that has
            // passed; the buffer waits for the device before it goes.
            unsafe { to.upload_on(&self.stream, at + first, &block[..len]) }?;
            block.record_last_use(&self.stream)?;
        }
        Ok(())
    }

    /// A block that no copy uses any more.
    fn block<T: Pod>(&self, len: usize) -> Result<PinnedBuf<T>> {
        match self.pool.get(len) {
            Err(sppark_fork::CudaError::OutOfMemory {
                free_bytes: Some(_), ..
            }) => {
                // All blocks are under way: the oldest is done when the stream is.
                self.stream.synchronize()?;
                self.pool.get(len)
            }
            other => other,
        }
    }
}
