//! Which memory of the host is page-locked, so that a device may copy from it directly.

use super::convert::{elements, elements_mut};
use bls_fields::Fr;
use groth16_core::HostMemory;
use parking_lot::Mutex;
use sppark_fork::{PinnedBuf, RegisteredVec, ScalarLimbs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The page-locked blocks that a backend has handed out and not got back, by address.
///
/// By address, and not by a flag of the buffer, since what is borrowed for a proof is a slice.
#[derive(Default)]
pub(super) struct LockedMemory {
    end_by_start: Mutex<BTreeMap<usize, usize>>,
}

impl LockedMemory {
    /// Whether all of a slice lies in one block. It then stays page-locked as long as the slice is borrowed, since the
    /// block's owner is.
    pub(super) fn contains<T>(&self, slice: &[T]) -> bool {
        let (start, end) = range(slice);
        let blocks = self.end_by_start.lock();
        blocks
            .range(..=start)
            .next_back()
            .is_some_and(|(_, block_end)| end <= *block_end)
    }
}

fn range<T>(slice: &[T]) -> (usize, usize) {
    let start = slice.as_ptr().addr();
    (start, start + size_of_val(slice))
}

/// A page-locked block as the core's memory; known to [`LockedMemory`] while it lives.
pub(super) struct Locked<M: LockedBlock> {
    block: M,
    known_to: Arc<LockedMemory>,
}

/// The two kinds of blocks.
pub(super) trait LockedBlock: Send + Sync {
    /// The elements.
    fn elements(&self) -> &[Fr];
    /// The elements, to be filled.
    fn elements_mut(&mut self) -> &mut [Fr];
}

impl LockedBlock for PinnedBuf<ScalarLimbs> {
    fn elements(&self) -> &[Fr] {
        elements(self)
    }
    fn elements_mut(&mut self) -> &mut [Fr] {
        elements_mut(self)
    }
}

impl LockedBlock for RegisteredVec<Fr> {
    fn elements(&self) -> &[Fr] {
        self
    }
    fn elements_mut(&mut self) -> &mut [Fr] {
        self
    }
}

impl<M: LockedBlock> Locked<M> {
    pub(super) fn new(block: M, known_to: &Arc<LockedMemory>) -> Self {
        let (start, end) = range(block.elements());
        if start < end {
            known_to.end_by_start.lock().insert(start, end);
        }
        Locked {
            block,
            known_to: known_to.clone(),
        }
    }
}

impl<M: LockedBlock> Drop for Locked<M> {
    fn drop(&mut self) {
        let (start, end) = range(self.block.elements());
        if start < end {
            self.known_to.end_by_start.lock().remove(&start);
        }
    }
}

impl<M: LockedBlock> HostMemory<Fr> for Locked<M> {
    fn as_slice(&self) -> &[Fr] {
        self.block.elements()
    }
    fn as_mut_slice(&mut self) -> &mut [Fr] {
        self.block.elements_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Heap(Vec<Fr>);
    impl LockedBlock for Heap {
        fn elements(&self) -> &[Fr] {
            &self.0
        }
        fn elements_mut(&mut self) -> &mut [Fr] {
            &mut self.0
        }
    }

    #[test]
    fn a_slice_is_locked_while_its_block_lives_and_only_as_a_whole() {
        let known = Arc::new(LockedMemory::default());
        let elsewhere = [Fr::from(1); 4];
        let block = Locked::new(Heap(vec![Fr::from(0); 100]), &known);
        let empty = Locked::new(Heap(Vec::new()), &known);
        let all = block.as_slice();
        assert!(known.contains(all) && known.contains(&all[1..]) && known.contains(&all[99..]));
        assert!(!known.contains(&elsewhere));
        let shorter = Arc::new(LockedMemory::default());
        let (start, end) = range(&all[..50]);
        shorter.end_by_start.lock().insert(start, end);
        assert!(
            shorter.contains(&all[..50]) && !shorter.contains(&all[..51]) && !shorter.contains(&all[50..])
        );
        drop((block, empty));
        assert!(known.end_by_start.lock().is_empty());
    }
}
