//! A backend's proofs on one of its devices: for callers that divide their work themselves.

use super::CudaBackend;
use bls_fields::Fr;
use groth16_core::setup::GeneratorMultiples;
use groth16_core::{
    Assignment, Backend, BackendInfo, Blinding, HostBuf, Job, LoadedSrs, Pending, Priority, Proof, Result,
    Srs,
};
use std::sync::Arc;

/// Proves on one device as long as that one can; then on the backend's others, as a proof that is late is
/// worth more than none. Queue, keys and memory are the backend's.
struct OneDevice {
    backend: Arc<CudaBackend>,
    /// its place among the backend's
    device: usize,
}

impl CudaBackend {
    /// For each of its devices, in their order, a backend that proves there.
    pub fn each_device(self: &Arc<Self>) -> Vec<Arc<dyn Backend>> {
        let one = |device| -> Arc<dyn Backend> {
            Arc::new(OneDevice {
                backend: self.clone(),
                device,
            })
        };
        (0..self.gpus.len()).map(one).collect()
    }
}

impl Backend for OneDevice {
    fn info(&self) -> BackendInfo {
        BackendInfo {
            description: self.backend.describe_devices().swap_remove(self.device),
            ..self.backend.info()
        }
    }

    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>> {
        self.backend.load_srs(srs)
    }

    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>> {
        self.backend.alloc_host(n)
    }

    fn register_host(&self, memory: Vec<Fr>) -> HostBuf<Fr> {
        self.backend.register_host(memory)
    }

    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>> {
        self.backend.submit_on(Some(self.device), srs, job)
    }

    fn multiples(&self) -> &dyn GeneratorMultiples {
        self.backend.multiples()
    }

    fn prove_scoped(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        self.prove_scoped_with(srs, circuits, blindings, Priority::default())
    }

    fn prove_scoped_with(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
        priority: Priority,
    ) -> Result<Vec<Proof>> {
        self.backend
            .prove_on(Some(self.device), srs, circuits, blindings, priority)
    }
}
