//! Points of a key on the host: where a device gets those from that it has no room for.

use super::convert::DevicePoints;
use super::error::{at, ran_out_of_memory};
use super::host_pool::HostPool;
use super::parts::Part;
use super::upload::Uploader;
use groth16_core::{Error, Result, Srs};
use parking_lot::Mutex;
use rayon::prelude::*;
use sppark_fork::{CudaError, DeviceBuf, PinnedBuf, PinnedPool};
use std::sync::Arc;

/// Points that one core copies at a time.
const COPY_POINTS: usize = 2048;

/// The points of a part, as the user gave them.
#[derive(Clone)]
pub(super) struct PointSource {
    pub(super) srs: Srs,
    pub(super) part: Part,
}

/// Points in page-locked blocks, decoded once.
pub(super) struct PageLocked<G: DevicePoints> {
    blocks: Vec<PinnedBuf<G::Point>>,
    block_len: usize,
}

/// The points of a part that is streamed.
pub(super) enum HostPoints<G: DevicePoints> {
    PageLocked(Arc<PageLocked<G>>),
    /// copied or decoded through a ring of page-locked blocks at each use
    EachTime(PointSource),
}

/// The page-locked parts of a key in one group. All devices share them.
pub(super) struct HostCopies<G: DevicePoints> {
    parts: Mutex<Vec<(Part, Arc<PageLocked<G>>)>>,
}

/// How much of the host may be page-locked for keys, and in what pieces.
pub(super) struct PageLocking {
    pub(super) pool: Arc<PinnedPool>,
    /// whether the pool's budget was chosen; if not, copies take at most half of what the machine has available
    pub(super) is_budgeted: bool,
    pub(super) block_bytes: usize,
}

/// A CUDA call or a point of the file.
pub(super) enum SendError {
    Cuda(CudaError),
    Core(Error),
}

impl From<CudaError> for SendError {
    fn from(error: CudaError) -> Self {
        SendError::Cuda(error)
    }
}

impl SendError {
    pub(super) fn of_stage(self, stage: &'static str) -> Error {
        match self {
            SendError::Cuda(error) => at(stage)(error),
            SendError::Core(error) => error,
        }
    }
}

impl PointSource {
    /// Reads `out.len()` points from number `first` on, by all cores.
    pub(super) fn read<G: DevicePoints>(&self, first: usize, out: &mut [G::Point]) -> Result<()> {
        match &self.srs {
            Srs::Memory(parameters) => {
                let points = &G::device(G::points(parameters, self.part))[first..first + out.len()];
                out.par_chunks_mut(COPY_POINTS)
                    .zip(points.par_chunks(COPY_POINTS))
                    .for_each(|(to, from)| to.copy_from_slice(from));
                Ok(())
            }
            Srs::Mapped(mapped, check) => G::section(mapped.index(), self.part)
                .decode_into::<G::Curve>(mapped.bytes(), check.point_check(), first, G::affine_mut(out))
                .map_err(|source| Error::Params {
                    path: Some(mapped.path().to_owned()),
                    source,
                }),
        }
    }

    /// Copies `n` points from number `first` on to the start of a buffer. The last copies may be in flight when it returns.
    pub(super) fn send<G: DevicePoints>(
        &self,
        uploader: &mut Uploader,
        to: &mut DeviceBuf<G::Point>,
        first: usize,
        n: usize,
        stage: &'static str,
    ) -> Result<()> {
        uploader
            .upload_with(to, 0, n, |at, block| {
                self.read::<G>(first + at, block).map_err(SendError::Core)
            })
            .map_err(|error: SendError| error.of_stage(stage))
    }
}

impl<G: DevicePoints> HostPoints<G> {
    /// As [`PointSource::send`]. The points must be kept until the uploader's stream has passed this point.
    pub(super) fn send(
        &self,
        uploader: &mut Uploader,
        to: &mut DeviceBuf<G::Point>,
        first: usize,
        n: usize,
    ) -> Result<()> {
        const STAGE: &str = "streaming of the key";
        match self {
            HostPoints::EachTime(source) => source.send::<G>(uploader, to, first, n, STAGE),
            HostPoints::PageLocked(points) => points.send(uploader, to, first, n).map_err(at(STAGE)),
        }
    }
}

impl<G: DevicePoints> PageLocked<G> {
    fn new(source: &PointSource, n: usize, locking: &PageLocking, pool: &HostPool) -> Result<Self> {
        let block_len = (locking.block_bytes / size_of::<G::Point>()).max(1);
        let mut blocks = Vec::new();
        for first in (0..n).step_by(block_len) {
            let mut block = locking
                .pool
                .get(block_len.min(n - first))
                .map_err(at("page-locked memory for the key"))?;
            pool.install(|| source.read::<G>(first, &mut block))?;
            blocks.push(block);
        }
        Ok(PageLocked { blocks, block_len })
    }

    fn send(
        &self,
        uploader: &Uploader,
        to: &mut DeviceBuf<G::Point>,
        first: usize,
        n: usize,
    ) -> std::result::Result<(), CudaError> {
        let mut at = 0;
        while at < n {
            let (block, offset) = ((first + at) / self.block_len, (first + at) % self.block_len);
            let points = &self.blocks[block][offset..];
            let points = &points[..points.len().min(n - at)];
            // SAFETY: the blocks are never written again, and whoever streams keeps them until the copies are done: a sum
            // returns after its kernels, which wait for them, and after a failure the stream is waited for.
            unsafe { to.upload_on(&uploader.stream, at, points) }?;
            at += points.len();
        }
        Ok(())
    }
}

impl<G: DevicePoints> HostCopies<G> {
    pub(super) fn new() -> Self {
        HostCopies {
            parts: Mutex::default(),
        }
    }

    /// The points of a part for streaming: in page-locked memory, if they fit its budget, or to be read each time. Either way each has
    /// been decoded once when this returns, so that a bad one shows here.
    pub(super) fn get(
        &self,
        source: PointSource,
        n: usize,
        locking: &PageLocking,
        pool: &HostPool,
    ) -> Result<HostPoints<G>> {
        let mut parts = self.parts.lock();
        if let Some((_, points)) = parts.iter().find(|(part, _)| *part == source.part) {
            return Ok(HostPoints::PageLocked(points.clone()));
        }
        let n_bytes = (n * size_of::<G::Point>()) as u64;
        if locking.may_take(n_bytes) {
            match PageLocked::new(&source, n, locking, pool) {
                Ok(points) => {
                    let points = Arc::new(points);
                    parts.push((source.part, points.clone()));
                    return Ok(HostPoints::PageLocked(points));
                }
                Err(error) if ran_out_of_memory(&error) => {}
                Err(error) => return Err(error),
            }
        }
        tracing::debug!(
            part = source.part.name(),
            n_bytes,
            "no page-locked memory for the part: read at each proof"
        );
        if matches!(source.srs, Srs::Mapped(..)) {
            let mut points = vec![G::Point::default(); n.min(64 * COPY_POINTS)];
            for first in (0..n).step_by(points.len().max(1)) {
                let end = points.len().min(n - first);
                pool.install(|| source.read::<G>(first, &mut points[..end]))?;
            }
        }
        Ok(HostPoints::EachTime(source))
    }
}

impl PageLocking {
    fn may_take(&self, n_bytes: u64) -> bool {
        self.is_budgeted || available_host_bytes().is_some_and(|available| n_bytes <= available / 2)
    }
}

/// What the machine says that programs may still take; `None` where it does not say.
fn available_host_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
