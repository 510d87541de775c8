//! The buffers that a device's kernels work in: exactly those of a [`ScratchSizes`].

use super::sizes::{ChunkSizes, ScratchSizes, SortSizes};
use sppark_fork::{
    Device, DeviceBuf, G1Point, G2Point, NttTable, Pod, Result, ScalarLimbs, ScalarSplit, Stream, Workspace,
};
use std::sync::Arc;

/// Used by one proof at a time.
pub(super) struct Scratch {
    device: Arc<Device>,
    sizes: ScratchSizes,
    pub(super) table: Option<Arc<NttTable>>,
    c: DeviceBuf<ScalarLimbs>,
    pub(super) sorts: [Sort; 3],
    pub(super) chunks: [Chunk; 2],
    pub(super) workspace: Workspace,
    /// of the stream for the sums of the witness
    pub(super) beside: Workspace,
}

/// Room for one query: which wires it is of, and those by kind.
pub(super) struct Sort {
    pub(super) split: Option<ScalarSplit>,
    pub(super) indices: DeviceBuf<u32>,
}

/// Room for points that pass through, and their terms by kind.
pub(super) struct Chunk {
    pub(super) split: Option<ScalarSplit>,
    pub(super) g1: DeviceBuf<G1Point>,
    pub(super) g2: DeviceBuf<G2Point>,
}

impl Scratch {
    /// No room at all. Allocates nothing.
    pub(super) fn empty(device: &Arc<Device>) -> Result<Self> {
        let sort = || -> Result<Sort> {
            Ok(Sort {
                split: None,
                indices: DeviceBuf::alloc(device, 0)?,
            })
        };
        let chunk = || -> Result<Chunk> {
            Ok(Chunk {
                split: None,
                g1: DeviceBuf::alloc(device, 0)?,
                g2: DeviceBuf::alloc(device, 0)?,
            })
        };
        Ok(Scratch {
            sizes: ScratchSizes::default(),
            table: None,
            c: DeviceBuf::alloc(device, 0)?,
            sorts: [sort()?, sort()?, sort()?],
            chunks: [chunk()?, chunk()?],
            workspace: Workspace::new(device, 0)?,
            beside: Workspace::new(device, 0)?,
            device: device.clone(),
        })
    }

    /// Makes the buffers those of `sizes`. What is to go goes before anything comes, so that both need not fit at once. Waits
    /// for the device; what stood in the buffers is lost.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`]; there is no room at all then.
    pub(super) fn resize(&mut self, stream: &Stream, sizes: &ScratchSizes) -> Result<()> {
        if self.sizes == *sizes {
            return Ok(());
        }
        let result = self.free_others(sizes).and_then(|()| self.fill(stream, sizes));
        match result {
            Ok(()) => self.sizes = *sizes,
            Err(_) => *self = Scratch::empty(&self.device)?,
        }
        result
    }

    fn free_others(&mut self, sizes: &ScratchSizes) -> Result<()> {
        if self.sizes.domain != sizes.domain {
            self.table = None;
        }
        free_unless(self.sizes.c == sizes.c, &mut self.c)?;
        for k in 0..3 {
            let (old, new, sort) = (&self.sizes.sorts[k], &sizes.sorts[k], &mut self.sorts[k]);
            if (old.terms, old.scalars) != (new.terms, new.scalars) {
                sort.split = None;
            }
            free_unless(old.indices == new.indices, &mut sort.indices)?;
        }
        let (old, new) = (&self.sizes.chunks, &sizes.chunks);
        for chunk in &mut self.chunks {
            if old.terms != new.terms {
                chunk.split = None;
            }
            free_unless(old.g1_points == new.g1_points, &mut chunk.g1)?;
            free_unless(old.g2_points == new.g2_points, &mut chunk.g2)?;
        }
        if self.sizes.workspace_bytes != sizes.workspace_bytes {
            self.workspace = Workspace::new(&self.device, 0)?;
        }
        if self.sizes.beside_bytes != sizes.beside_bytes {
            self.beside = Workspace::new(&self.device, 0)?;
        }
        Ok(())
    }

    fn fill(&mut self, stream: &Stream, sizes: &ScratchSizes) -> Result<()> {
        let device = &self.device;
        if self.table.is_none() && sizes.domain > 1 {
            self.table = Some(NttTable::new(stream, sizes.domain.ilog2())?);
        }
        alloc_if_none(device, &mut self.c, sizes.c)?;
        for (sort, sizes) in self.sorts.iter_mut().zip(&sizes.sorts) {
            sort.fill(device, sizes)?;
        }
        for chunk in &mut self.chunks {
            chunk.fill(device, &sizes.chunks)?;
        }
        self.workspace.reserve(sizes.workspace_bytes)?;
        self.beside.reserve(sizes.beside_bytes)
    }

    /// The table and a third vector for a quotient: the one that is there for it, or the scalars of the first sort; `None`
    /// where there is no table.
    pub(super) fn quotient(&mut self, domain: usize) -> Option<(&NttTable, &mut DeviceBuf<ScalarLimbs>)> {
        let c = match &mut self.sorts[0].split {
            Some(split) if self.c.len() < domain => &mut split.tail_scalars,
            _ => &mut self.c,
        };
        Some((self.table.as_deref()?, c))
    }
}

impl Sort {
    fn fill(&mut self, device: &Arc<Device>, sizes: &SortSizes) -> Result<()> {
        if self.split.is_none() && !sizes.has_no_split() {
            self.split = Some(ScalarSplit::with_scalars(device, sizes.terms, sizes.scalars)?);
        }
        alloc_if_none(device, &mut self.indices, sizes.indices)
    }
}

impl Chunk {
    fn fill(&mut self, device: &Arc<Device>, sizes: &ChunkSizes) -> Result<()> {
        if self.split.is_none() && sizes.terms > 0 {
            self.split = Some(ScalarSplit::new(device, sizes.terms)?);
        }
        alloc_if_none(device, &mut self.g1, sizes.g1_points)?;
        alloc_if_none(device, &mut self.g2, sizes.g2_points)
    }
}

fn free_unless<T: Pod>(is_kept: bool, buffer: &mut DeviceBuf<T>) -> Result<()> {
    if !is_kept {
        *buffer = DeviceBuf::alloc(&buffer.device().clone(), 0)?;
    }
    Ok(())
}

fn alloc_if_none<T: Pod>(device: &Arc<Device>, buffer: &mut DeviceBuf<T>, len: usize) -> Result<()> {
    if buffer.is_empty() {
        *buffer = DeviceBuf::alloc(device, len)?;
    }
    Ok(())
}
