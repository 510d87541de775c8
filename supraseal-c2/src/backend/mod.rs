//! Proofs on CUDA devices.
//!
//! A job takes a [`slot`] of a device, of which each has two, and puts its inputs there on a stream of its own; then it takes
//! the device's compute lock for the kernels ([`compute`]); then it lets go of both and the proof is put together on the
//! host. So the inputs of one job go up while another's kernels run, and the lock is held for kernels alone. Keys are
//! resident ([`srs`]).

mod compute;
mod config;
mod convert;
mod error;
mod gpu;
mod query;
mod setup;
mod slot;
mod srs;
mod timeline;
mod upload;

use bls_fields::Fr;
pub use config::CudaConfig;
use convert::{elements, elements_mut};
use error::{at, is_device_lost, NAME};
use gpu::Gpu;
use groth16_core::assemble::{assemble, MsmResults};
use groth16_core::backend::check_scoped;
use groth16_core::schedule::Staging;
use groth16_core::setup::GeneratorMultiples;
use groth16_core::timeline::Stage;
use groth16_core::{
    spawn_pending, Assignment, Backend, BackendInfo, Blinding, Error, HostBuf, HostMemory, Job, LoadedSrs,
    OwnedAssignment, Pending, Proof, Result, Srs,
};
use parking_lot::{Condvar, Mutex};
use slot::Slot;
use sppark_fork::{CudaError, Device, PinnedBuf, PinnedPool, ScalarLimbs};
use srs::CudaSrs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// One computes while the other's inputs go up.
const WORKERS_A_DEVICE: usize = 2;

/// Proves on one CUDA device or several.
pub struct CudaBackend {
    shared: Arc<Shared>,
    pinned: Arc<PinnedPool>,
}

/// What jobs under way share with the backend that they were given to.
struct Shared {
    gpus: Vec<Arc<Gpu>>,
    slots: Mutex<Vec<Slot>>,
    slot_returned: Condvar,
    /// slots of devices that are not lost
    live_slots: AtomicUsize,
}

impl CudaBackend {
    /// Opens the devices.
    ///
    /// # Errors
    /// [`Error::Backend`] if there is no device, an index is out of range or listed twice, or a device cannot be set up.
    pub fn new(config: &CudaConfig) -> Result<Self> {
        let open = at("opening of the devices");
        let n_devices = Device::count().map_err(&open)?;
        let ordinals = match &config.gpus {
            Some(list) => list.clone(),
            None => (0..n_devices).collect(),
        };
        check_ordinals(&ordinals, n_devices).map_err(&open)?;
        let gpus: Vec<_> = ordinals
            .iter()
            .map(|ordinal| Gpu::open(*ordinal, config))
            .collect::<std::result::Result<_, _>>()
            .map_err(&open)?;
        let mut slots = Vec::new();
        // Popped from the end: the first slot of the first device is taken first, and each device's second last.
        let n_workers = config.workers.unwrap_or(WORKERS_A_DEVICE).max(1);
        for worker in (0..n_workers as u32).rev() {
            for gpu in gpus.iter().rev() {
                slots.push(Slot::new(gpu, worker).map_err(&open)?);
            }
        }
        let pinned = PinnedPool::new(&gpus[0].device, config.max_pinned_bytes.unwrap_or(u64::MAX));
        let shared = Shared {
            gpus,
            live_slots: AtomicUsize::new(slots.len()),
            slots: Mutex::new(slots),
            slot_returned: Condvar::new(),
        };
        Ok(CudaBackend {
            shared: Arc::new(shared),
            pinned,
        })
    }

    /// One line a device: index, name, memory in all and free.
    pub fn describe_devices(&self) -> Vec<String> {
        let describe = |gpu: &Arc<Gpu>| {
            let info = gpu.device.info();
            let free = gpu
                .device
                .memory()
                .map_or_else(|e| e.to_string(), |m| format!("{} MiB free", m.free_bytes >> 20));
            format!(
                "{}: {}, {} MiB, {free}",
                gpu.device.ordinal(),
                info.name,
                info.total_bytes >> 20
            )
        };
        self.shared.gpus.iter().map(describe).collect()
    }

    /// The most bytes that were allocated at once on each device.
    pub fn peak_device_bytes(&self) -> Vec<u64> {
        self.shared
            .gpus
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

fn check_ordinals(ordinals: &[u32], n_devices: u32) -> std::result::Result<(), CudaError> {
    if ordinals.is_empty() {
        return Err(CudaError::NoDevice {
            what: "the list of devices is empty".into(),
        });
    }
    for (i, ordinal) in ordinals.iter().enumerate() {
        if *ordinal >= n_devices {
            let what = format!("device {ordinal} was asked for, and there are {n_devices}, from 0 on");
            return Err(CudaError::NoDevice { what });
        }
        if ordinals[..i].contains(ordinal) {
            return Err(CudaError::invalid(format!("device {ordinal} is listed twice")));
        }
    }
    Ok(())
}

impl Shared {
    /// A slot of a device that has one free, waiting for it if need be.
    fn take_slot(&self) -> Result<Slot> {
        let mut slots = self.slots.lock();
        loop {
            if let Some(slot) = slots.pop() {
                return Ok(slot);
            }
            if self.live_slots.load(Ordering::Acquire) == 0 {
                let what = "every device has failed; start the program again".into();
                return Err(at("choice of a device")(CudaError::NoDevice { what }));
            }
            self.slot_returned.wait(&mut slots);
        }
    }

    /// Gives a slot back, or takes it out of use with its lost device.
    fn return_slot(&self, slot: Slot, lost: bool) {
        if lost {
            // The device's other slot too, if it is free: a job that were tried there would only blur where it failed.
            let mut slots = self.slots.lock();
            let n_before = slots.len();
            slots.retain(|other| !Arc::ptr_eq(&other.gpu, &slot.gpu));
            let n_lost = 1 + n_before - slots.len();
            drop(slots);
            self.live_slots.fetch_sub(n_lost, Ordering::AcqRel);
            drop(slot);
        } else {
            self.slots.lock().push(slot);
        }
        self.slot_returned.notify_all();
    }

    /// One proof, on whichever device is free. A device that is lost in the middle is reported once, and the proof is made
    /// on another.
    fn prove(&self, srs: &CudaSrs, circuit: &Assignment<'_>, blinding: &Blinding) -> Result<Proof> {
        loop {
            let mut slot = self.take_slot()?;
            let outcome = prove(srs, &mut slot, circuit, blinding);
            match self.hand_back(srs, slot, outcome) {
                Ok(proof) => return Ok(proof),
                Err(error) if is_device_lost(&error) && self.live_slots.load(Ordering::Acquire) > 0 => {
                    continue
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn hand_back<T>(&self, srs: &CudaSrs, slot: Slot, outcome: Result<T>) -> Result<T> {
        let lost = outcome.as_ref().err().is_some_and(is_device_lost);
        if let Err(error) = &outcome {
            slot.settle();
            if lost {
                let ordinal = slot.gpu.device.ordinal();
                tracing::error!(device = ordinal, "{error}; the device is not used any more");
                srs.forget(ordinal);
            }
        }
        self.return_slot(slot, lost);
        outcome
    }

    /// Many circuits: as many at a time as there are slots, in order of their numbers.
    fn prove_many(
        &self,
        srs: &CudaSrs,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut proofs = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(circuit) = circuits.get(i) else {
                    return Ok(proofs);
                };
                match self.prove(srs, circuit, &blindings[i]) {
                    Ok(proof) => proofs.push((i, proof)),
                    Err(error) => {
                        next.store(circuits.len(), Ordering::Relaxed); // the others need not begin
                        return Err(error);
                    }
                }
            }
        };
        let n_workers = self.live_slots.load(Ordering::Acquire).min(circuits.len());
        let outcomes: Vec<Result<Vec<(usize, Proof)>>> = if n_workers <= 1 {
            vec![work()]
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
                workers.into_iter().map(join).collect()
            })
        };
        let mut proofs = outcomes.into_iter().collect::<Result<Vec<_>>>()?.concat();
        proofs.sort_by_key(|(i, _)| *i);
        Ok(proofs.into_iter().map(|(_, proof)| proof).collect())
    }
}

/// One proof in a slot.
fn prove(srs: &CudaSrs, slot: &mut Slot, circuit: &Assignment<'_>, blinding: &Blinding) -> Result<Proof> {
    slot.start_timeline();
    let sums = sum(srs, slot, circuit)?;
    slot.uploader.recorder.host(Stage::Assembly);
    let proof = assemble(srs.vk(), &sums, blinding);
    slot.uploader.recorder.finish(&slot.gpu.timing);
    Ok(proof)
}

fn sum(srs: &CudaSrs, slot: &mut Slot, circuit: &Assignment<'_>) -> Result<MsmResults> {
    let gpu = slot.gpu.clone();
    let staged = match gpu.schedule.staging {
        Staging::Ahead => Some(slot.stage(circuit)?),
        Staging::UnderLock => None,
    };
    slot.uploader.recorder.host(Stage::Key);
    let resident = srs.on(&gpu)?;
    slot.uploader.recorder.host(Stage::Lock);
    let mut compute = gpu.compute.lock();
    let staged = match staged {
        Some(staged) => staged,
        None => slot.stage(circuit)?,
    };
    compute.run(&resident, slot, &staged)
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl Backend for CudaBackend {
    fn info(&self) -> BackendInfo {
        BackendInfo {
            name: NAME,
            description: self.describe_devices().join("; "),
        }
    }

    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>> {
        let loaded = CudaSrs::new(srs)?;
        // On the first device at once, so that a bad point or too little memory shows here; on others when they need it.
        loaded
            .on(&self.shared.gpus[0])
            .map_err(|error| match (error, srs) {
                (Error::Params { path: None, source }, Srs::Mapped(mapped, _)) => Error::Params {
                    path: Some(mapped.path().to_owned()),
                    source,
                },
                (other, _) => other,
            })?;
        Ok(Arc::new(loaded))
    }

    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>> {
        let buffer = self
            .pinned
            .get::<ScalarLimbs>(n)
            .map_err(at("page-locked memory"))?;
        Ok(HostBuf::from_backend(Box::new(Pinned(buffer))))
    }

    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>> {
        CudaSrs::of(srs)?;
        job.check(&srs.counts())?;
        let (shared, srs) = (self.shared.clone(), srs.clone());
        let (owned, blindings): (Vec<_>, Vec<_>) = job.into_circuits().into_iter().unzip();
        spawn_pending(NAME, move || {
            let circuits: Vec<_> = owned.iter().map(OwnedAssignment::as_assignment).collect();
            shared.prove_many(CudaSrs::of(&srs)?, &circuits, &blindings)
        })
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
        let cuda_srs = CudaSrs::of(srs)?;
        check_scoped(&srs.counts(), circuits, blindings)?;
        self.shared.prove_many(cuda_srs, circuits, blindings)
    }
}

/// Page-locked memory as the core's.
struct Pinned(PinnedBuf<ScalarLimbs>);

impl HostMemory<Fr> for Pinned {
    fn as_slice(&self) -> &[Fr] {
        elements(&self.0)
    }
    fn as_mut_slice(&mut self) -> &mut [Fr] {
        elements_mut(&mut self.0)
    }
    fn is_page_locked(&self) -> bool {
        true
    }
}
