//! What a backend's devices share of the host.

use super::host_pool::HostPool;
use super::locked_memory::LockedMemory;
use groth16_core::Result;
use std::sync::Arc;

/// Threads for copies, and which memory is page-locked.
pub(super) struct Host {
    pub(super) pool: HostPool,
    pub(super) locked: Arc<LockedMemory>,
}

impl Host {
    /// With so many threads, or one for each core.
    pub(super) fn new(n_threads: Option<usize>) -> Result<Arc<Self>> {
        Ok(Arc::new(Host {
            pool: HostPool::new(n_threads)?,
            locked: Arc::default(),
        }))
    }
}
