//! Proofs on CUDA devices.
//!
//! Circuits wait in one [`queue`]; the [`scheduler`] gives them to [`worker`]s, of which each device has two. A worker has a
//! [`slot`]: it puts a circuit's inputs there on a stream of its own; then it takes the device's compute lock for the
//! kernels ([`compute`]); then it lets go of it and the proof is put together on the host. So the inputs of one circuit go up
//! while another's kernels run, and the lock is held for kernels alone, or by a proof that found the device free. A proof that nothing waits behind may be divided
//! between two devices ([`division`]).
//!
//! What is where on a device, a [`plan`] says for each key: parts that are resident and parts that are [`streamed`], and
//! everything that kernels work in. A proof takes a lease of it ([`tenancy`]) before its inputs go up.

mod admission;
mod compute;
mod config;
mod convert;
mod devices;
mod division;
mod error;
mod gpu;
mod handover;
mod host;
mod host_points;
mod host_pool;
mod job;
mod locked_memory;
mod memory_plan;
mod msm_fit;
mod one_device;
mod parts;
mod plan;
mod query;
mod queue;
mod scheduler;
mod scratch;
mod setup;
mod sizes;
mod slot;
mod srs;
mod streamed;
mod sums;
mod tenancy;
mod timeline;
mod turn;
#[cfg(all(test, feature = "host-check"))]
mod two_fakes;
mod upload;
mod worker;

use admission::Admission;
use bls_fields::Fr;
pub use config::{CudaConfig, TwoDevices};
pub use error::is_for_want_of_devices;
use error::{at, is_device_lost, is_out_of_memory, NAME};
use gpu::Gpu;
use groth16_core::backend::check_scoped;
use groth16_core::setup::GeneratorMultiples;
use groth16_core::{
    Assignment, Backend, BackendInfo, Blinding, HostBuf, Job, LoadedSrs, OwnedAssignment, Pending, Priority,
    Proof, Result, Srs,
};
use host::Host;
use host_points::PageLocking;
use locked_memory::{Locked, LockedMemory};
pub use memory_plan::MemoryPlan;
use scheduler::{Request, Scheduler, Tried, Work};
use slot::Slot;
use sppark_fork::{PinnedPool, RegisteredVec, ScalarLimbs};
use srs::CudaSrs;
use std::sync::Arc;
use std::thread::JoinHandle;
use worker::{no_thread, Borrowed, Worker};

/// One computes while the other's inputs go up.
const WORKERS_A_DEVICE: usize = 2;
const CIRCUITS_A_DEVICE: usize = 32;

/// Proves on one CUDA device or several.
///
/// Dropping it waits for what was submitted; the proofs can still be had from what [`Backend::submit`] gave.
pub struct CudaBackend {
    gpus: Vec<Arc<Gpu>>,
    pinned: Arc<PinnedPool>,
    has_pinned_budget: bool,
    locked: Arc<LockedMemory>,
    admission: Arc<Admission>,
    workers: Workers,
}

/// The scheduler and its threads, which end when this is dropped.
struct Workers {
    scheduler: Arc<Scheduler>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.scheduler.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a proof's panic went to its waiter
        }
    }
}

impl Workers {
    fn start(gpus: &[Arc<Gpu>], pinned: &Arc<PinnedPool>, config: &CudaConfig) -> Result<Self> {
        let ordinals = gpus.iter().map(|gpu| gpu.device.ordinal()).collect();
        let mut workers = Workers {
            scheduler: Arc::new(Scheduler::new(ordinals, config.two_devices)),
            threads: Vec::new(),
        };
        for worker in 0..gpus[0].n_stages as u32 {
            for (device, gpu) in gpus.iter().enumerate() {
                let slot = Slot::new(gpu, pinned, worker).map_err(at("opening of the devices"))?;
                workers.start_one(device, gpu, slot)?;
            }
        }
        Ok(workers)
    }

    fn start_one(&mut self, device: usize, gpu: &Gpu, slot: Slot) -> Result<()> {
        let (number, requests) = self.scheduler.add_worker(device);
        let worker = Worker {
            scheduler: self.scheduler.clone(),
            number,
            device,
            requests,
            slot,
        };
        let thread = std::thread::Builder::new()
            .name(format!("groth16-{NAME}-{}", gpu.device.ordinal()))
            .spawn(|| worker.run())
            .map_err(no_thread)?;
        self.threads.push(thread);
        Ok(())
    }
}

impl CudaBackend {
    /// Opens the devices.
    ///
    /// # Errors
    /// [`Error::Backend`](groth16_core::Error::Backend) if there is no device, an index is out of range or listed twice, or a device cannot be set up.
    pub fn new(config: &CudaConfig) -> Result<Self> {
        let host = Host::new(config.host_threads)?;
        let gpus = devices::open(config, &host).map_err(at("opening of the devices"))?;
        let max_circuits = config.max_circuits.unwrap_or(CIRCUITS_A_DEVICE * gpus.len());
        let devices = gpus.iter().map(|gpu| gpu.device.clone()).collect();
        let pinned = PinnedPool::of_devices(devices, config.max_pinned_bytes.unwrap_or(u64::MAX));
        Ok(CudaBackend {
            has_pinned_budget: config.max_pinned_bytes.is_some(),
            locked: host.locked.clone(),
            admission: Admission::new(max_circuits, config.max_input_bytes.unwrap_or(u64::MAX)),
            workers: Workers::start(&gpus, &pinned, config)?,
            pinned,
            gpus,
        })
    }

    /// One line a device: index, name, memory in all and free.
    pub fn describe_devices(&self) -> Vec<String> {
        self.gpus.iter().map(|gpu| devices::describe(gpu)).collect()
    }

    /// The first device that is not lost, or the first.
    fn working_gpu(&self) -> &Arc<Gpu> {
        let mut gpus = self.gpus.iter();
        gpus.find(|gpu| !gpu.device.is_lost()).unwrap_or(&self.gpus[0])
    }

    fn page_locking(&self) -> PageLocking {
        PageLocking {
            pool: self.pinned.clone(),
            is_budgeted: self.has_pinned_budget,
            block_bytes: upload::block_bytes(self.gpus[0].staging_bytes),
        }
    }

    /// How a key and its proofs use the memory of each device that the key is on.
    ///
    /// # Errors
    /// [`Error::ForeignSrs`](groth16_core::Error::ForeignSrs) if another backend loaded the key.
    pub fn memory_plans(&self, srs: &Arc<dyn LoadedSrs>) -> Result<Vec<MemoryPlan>> {
        let srs = CudaSrs::of(srs)?;
        let ordinals = self.gpus.iter().map(|gpu| gpu.device.ordinal());
        let plans = ordinals.filter_map(|device| Some((device, srs.place(device).key()?)));
        Ok(plans
            .map(|(device, key)| MemoryPlan::of(device, &key.plan))
            .collect())
    }

    /// [`Backend::submit`], on the device that is asked for as long as it can, if one is.
    fn submit_on(
        &self,
        asked: Option<usize>,
        srs: &Arc<dyn LoadedSrs>,
        job: Job,
    ) -> Result<Box<dyn Pending>> {
        CudaSrs::of(srs)?;
        job.check(&srs.counts())?;
        let priority = job.priority();
        let bytes: Vec<u64> = job
            .circuits()
            .iter()
            .map(|(circuit, _)| n_bytes(circuit))
            .collect();
        let admitted = self.admission.enter(priority, &bytes);
        let (tasks, pending) = job::split(job, admitted);
        for task in tasks {
            let request = Request {
                srs: srs.clone(),
                priority,
                tried: Tried::none(asked),
                work: Work::Owned(Box::new(task)),
            };
            self.workers.scheduler.push(request);
        }
        Ok(Box::new(pending))
    }

    /// [`Backend::prove_scoped_with`], on the device that is asked for as long as it can, if one is.
    fn prove_on(
        &self,
        asked: Option<usize>,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
        priority: Priority,
    ) -> Result<Vec<Proof>> {
        CudaSrs::of(srs)?;
        check_scoped(&srs.counts(), circuits, blindings)?;
        let borrowed = Borrowed {
            scheduler: &self.workers.scheduler,
            srs,
            priority,
            asked,
        };
        borrowed.prove(circuits, blindings)
    }

    /// Loses the device at this place among the backend's, as a failure of its own would, for tests on real devices too.
    #[doc(hidden)]
    pub fn lose_device(&self, device: usize) {
        self.gpus[device].device.lose();
    }

    /// The most bytes that were allocated at once on each device.
    pub fn peak_device_bytes(&self) -> Vec<u64> {
        self.gpus
            .iter()
            .map(|gpu| gpu.device.memory().map_or(0, |m| m.peak_bytes))
            .collect()
    }
}

/// A new device of the fake runtime, whose work runs in shuffled order: for tests of what is made of this crate.
#[cfg(feature = "host-check")]
pub fn fake_device() -> u32 {
    sppark_fork::fake::FakeDevice::new(1 << 30, 2).ordinal
}

impl Backend for CudaBackend {
    fn info(&self) -> BackendInfo {
        BackendInfo {
            name: NAME,
            description: self.describe_devices().join("; "),
        }
    }

    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>> {
        let loaded = CudaSrs::new(srs, self.page_locking())?;
        // On the first device that can have it at once, so that a bad point or too little memory shows here; on others when they
        // need it.
        let load = || {
            let mut outcome = Ok(());
            for gpu in &self.gpus {
                outcome = gpu.with_lease(&loaded, |_| Ok(()));
                if !outcome
                    .as_ref()
                    .is_err_and(|e| is_device_lost(e) || is_out_of_memory(e))
                {
                    break;
                }
            }
            outcome
        };
        // On a thread that is of no rayon pool, as its loops run in the backend's.
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .spawn_scoped(scope, load)
                .map_err(no_thread)?;
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        Ok(Arc::new(loaded))
    }

    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>> {
        let buffer = self
            .pinned
            .get::<ScalarLimbs>(n)
            .map_err(at("page-locked memory"))?;
        Ok(HostBuf::from_backend(Box::new(Locked::new(buffer, &self.locked))))
    }

    fn register_host(&self, memory: Vec<Fr>) -> HostBuf<Fr> {
        match RegisteredVec::new(&self.working_gpu().device, memory) {
            Ok(registered) => HostBuf::from_backend(Box::new(Locked::new(registered, &self.locked))),
            Err((error, memory)) => {
                tracing::warn!(
                    "memory of a caller's could not be page-locked and is copied as it is: {error}"
                );
                memory.into()
            }
        }
    }

    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>> {
        self.submit_on(None, srs, job)
    }

    fn multiples(&self) -> &dyn GeneratorMultiples {
        self
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
        self.prove_on(None, srs, circuits, blindings, priority)
    }
}

/// What a circuit's inputs hold of the host's memory.
fn n_bytes(circuit: &OwnedAssignment) -> u64 {
    let elements = circuit.a.len() + circuit.b.len() + circuit.inputs.len() + circuit.aux.len();
    (elements * size_of::<Fr>()) as u64
}
