//! A proof's turn on its device's kernels.

use super::compute::Compute;
use super::gpu::Gpu;
use super::slot::Slot;
use groth16_core::timeline::Stage;
use parking_lot::MutexGuard;
use std::ops::{Deref, DerefMut};

/// The device's lock. When it goes, nothing of the proof is under way.
pub(super) struct Turn<'g>(MutexGuard<'g, Compute>);

impl<'g> Turn<'g> {
    /// Waits for it.
    pub(super) fn wait(gpu: &'g Gpu, slot: &mut Slot) -> Self {
        slot.uploader.recorder.host(Stage::Lock);
        Turn(gpu.compute.lock())
    }

    /// At once, if no other proof has it.
    pub(super) fn now(gpu: &'g Gpu) -> Option<Self> {
        gpu.compute.try_lock().map(Turn)
    }
}

impl Deref for Turn<'_> {
    type Target = Compute;

    fn deref(&self) -> &Compute {
        &self.0
    }
}

impl DerefMut for Turn<'_> {
    fn deref_mut(&mut self) -> &mut Compute {
        &mut self.0
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
