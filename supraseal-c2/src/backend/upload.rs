//! From host memory to the device at the bus's speed: as it is if it is page-locked, else through a ring of blocks that are.

use super::host::Host;
use super::host_pool::HostPool;
use super::timeline::Recorder;
use rayon::prelude::*;
use sppark_fork::{CudaError, Device, DeviceBuf, Event, PinnedBuf, PinnedPool, Pod, Stream};
use std::sync::Arc;

/// Blocks of a ring. One is filled by all cores while the ones before it cross the bus.
const BLOCKS: usize = 3;
/// Bytes that one core copies at a time.
const COPY_BYTES: usize = 256 << 10;

/// A ring of page-locked blocks with a stream of its own for copies.
pub(super) struct Uploader {
    pub(super) stream: Stream,
    /// of the proof whose inputs these are
    pub(super) recorder: Recorder,
    blocks: Vec<Block>,
    /// the block that was used longest ago
    next: usize,
    block_bytes: usize,
    host: Arc<Host>,
}

struct Block {
    memory: PinnedBuf<u64>,
    /// recorded after the last copy from the block
    copied: Event,
    in_flight: bool,
}

/// Bytes of a block: a power of two, as the pool rounds to, so that every value's size but 96 and 192 fills it.
pub(super) fn block_bytes(staging_bytes: usize) -> usize {
    1 << (staging_bytes / BLOCKS).max(4096).ilog2()
}

impl Uploader {
    /// A ring of `staging_bytes` in all, and at least three pages.
    pub(super) fn new(
        device: &Arc<Device>,
        staging_bytes: usize,
        host: &Arc<Host>,
    ) -> Result<Self, CudaError> {
        let block_bytes = block_bytes(staging_bytes);
        let pool = PinnedPool::new(device, (BLOCKS * block_bytes) as u64);
        let block = |_| {
            Ok(Block {
                memory: pool.get(block_bytes / 8)?,
                copied: Event::new(device)?,
                in_flight: false,
            })
        };
        Ok(Uploader {
            stream: Stream::new(device)?,
            recorder: Recorder::default(),
            blocks: (0..BLOCKS).map(block).collect::<Result<_, CudaError>>()?,
            next: 0,
            block_bytes,
            host: host.clone(),
        })
    }

    /// Copies `values` to `to[at..]`; returns when the last block is enqueued, so `values` may go then.
    pub(super) fn upload<T: Pod>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        values: &[T],
    ) -> Result<(), CudaError> {
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

    /// Copies `values` to `to[at..]`, directly if the backend has pinned or registered their memory; returns when the last
    /// copy is enqueued.
    ///
    /// # Safety
    /// `values` must stay alive and unwritten until the stream has passed this point.
    pub(super) unsafe fn upload_kept<T: Pod>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        values: &[T],
    ) -> Result<(), CudaError> {
        if self.host.locked.contains(values) {
            // SAFETY: the caller's promise.
            return unsafe { self.upload_locked(to, at, values) };
        }
        self.upload(to, at, values)
    }

    /// The same to the buffer's beginning, with zeros behind.
    ///
    /// # Safety
    /// As [`Uploader::upload_kept`].
    pub(super) unsafe fn upload_padded<T: Pod>(
        &mut self,
        to: &mut DeviceBuf<T>,
        values: &[T],
    ) -> Result<(), CudaError> {
        to.fill_bytes_on(&self.stream, 0)?;
        // SAFETY: the caller's promise.
        unsafe { self.upload_kept(to, 0, values) }
    }

    /// Copies page-locked `values` to `to[at..]`; returns when the copy is enqueued.
    ///
    /// # Safety
    /// As [`Uploader::upload_kept`].
    pub(super) unsafe fn upload_locked<T: Pod>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        values: &[T],
    ) -> Result<(), CudaError> {
        self.recorder.begin_copy_on(&self.stream);
        // SAFETY: the caller's promise; the buffer waits for the device before it goes.
        unsafe { to.upload_on(&self.stream, at, values) }?;
        self.recorder.end_on(&self.stream);
        self.recorder.moved(size_of_val(values) as u64, 0);
        Ok(())
    }

    /// Fills blocks with `fill(index of the block's first value, block)`, in the pool, and copies them to `to[at..at + n]`. What
    /// stands in a block before is of no meaning.
    pub(super) fn upload_with<T: Pod, E: From<CudaError> + Send>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        n: usize,
        mut fill: impl FnMut(usize, &mut [T]) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        self.upload_blocks(to, at, n, |pool, first, block| {
            pool.install(|| fill(first, block))
        })
    }

    /// The same, on the calling thread: for what may wait, which nothing in the pool may.
    pub(super) fn upload_blocks<T: Pod, E: From<CudaError>>(
        &mut self,
        to: &mut DeviceBuf<T>,
        at: usize,
        n: usize,
        mut fill: impl FnMut(&HostPool, usize, &mut [T]) -> Result<(), E>,
    ) -> Result<(), E> {
        let block_len = self.block_bytes / size_of::<T>();
        for first in (0..n).step_by(block_len) {
            let block = &mut self.blocks[self.next];
            self.next = (self.next + 1) % BLOCKS;
            if block.in_flight {
                block.copied.synchronize()?;
                block.in_flight = false;
            }
            let values = view(&mut block.memory, block_len.min(n - first));
            fill(&self.host.pool, first, values)?;
            self.recorder.begin_copy_on(&self.stream);
            // SAFETY: the block is not written again before `copied` has passed, nor freed before the stream is done (see
            // `drop`); the buffer waits for the device before it goes.
            unsafe { to.upload_on(&self.stream, at + first, values) }?;
            self.recorder.end_on(&self.stream);
            self.recorder.moved(size_of_val(values) as u64, 0);
            block.in_flight = true;
            block.copied.record_on(&self.stream)?;
        }
        Ok(())
    }
}

impl Drop for Uploader {
    fn drop(&mut self) {
        // The blocks are page-locked memory that copies may still read. An error here was or will be met elsewhere.
        self.stream.settle();
    }
}

/// The block's first bytes as values.
fn view<T: Pod>(memory: &mut [u64], len: usize) -> &mut [T] {
    assert!(len * size_of::<T>() <= size_of_val(memory) && align_of::<T>() <= 8);
    // SAFETY: the bytes are there and initialised, aligned as asserted, and any bytes are a value of a Pod type.
    unsafe { core::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), len) }
}

#[cfg(all(test, feature = "host-check"))]
mod tests {
    use super::super::convert::limbs;
    use super::super::locked_memory::Locked;
    use super::*;
    use bls_fields::Fr;
    use groth16_core::HostMemory;
    use sppark_fork::fake::FakeDevice;
    use sppark_fork::RegisteredVec;

    fn host() -> Arc<Host> {
        Host::new(Some(2)).unwrap()
    }

    #[test]
    fn page_locked_memory_is_copied_from_where_it_is() {
        for seed in 0..3 {
            let fake = FakeDevice::new(1 << 20, seed);
            let device = Device::open(fake.ordinal).unwrap();
            let host = host();
            let mut up = Uploader::new(&device, 3 * 4096, &host).unwrap();
            let values: Vec<Fr> = (0..1000).map(Fr::from).collect();
            let registered = RegisteredVec::new(&device, values.clone()).unwrap();
            let registered = Locked::new(registered, &host.locked);
            let mut buffer = DeviceBuf::alloc(&device, 1000).unwrap();
            let calls = |up: &mut Uploader, buffer: &mut DeviceBuf<_>, values: &[Fr]| {
                let before = fake.calls();
                // SAFETY: the stream is waited for below, before the values go.
                unsafe { up.upload_kept(buffer, 0, limbs(values)) }.unwrap();
                fake.calls() - before
            };
            assert_eq!(calls(&mut up, &mut buffer, registered.as_slice()), 1);
            assert!(
                calls(&mut up, &mut buffer, &values) > 8,
                "blocks of 128, and an event each"
            );
            assert_eq!(calls(&mut up, &mut buffer, &registered.as_slice()[..300]), 1);
            up.stream.synchronize().unwrap();
            let mut back = vec![Default::default(); 1000];
            buffer.download(&up.stream, 0, &mut back).unwrap();
            assert!(back == limbs(&values));
            drop((up, buffer, registered));
            assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
        }
    }

    #[test]
    fn blocks_are_not_filled_while_they_are_copied_from() {
        for seed in 0..6 {
            let fake = FakeDevice::new(1 << 20, seed);
            let device = Device::open(fake.ordinal).unwrap();
            let mut up = Uploader::new(&device, 3 * 4096, &host()).unwrap();
            // 128 values a block: ten blocks and a bit, from the middle of the buffer on.
            let values: Vec<[u64; 4]> = (0..1300).map(|i| [i, !i, i * i, seed]).collect();
            let mut buffer = DeviceBuf::<[u64; 4]>::alloc(&device, 1400).unwrap();
            up.upload(&mut buffer, 50, &values).unwrap();
            up.upload(&mut buffer, 0, &values[..50]).unwrap();
            up.stream.synchronize().unwrap();
            let mut back = vec![[0; 4]; 1350];
            buffer.download(&up.stream, 0, &mut back).unwrap();
            assert_eq!(back[50..], values);
            assert_eq!(back[..50], values[..50]);
            drop((up, buffer));
            assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
        }
    }
}
