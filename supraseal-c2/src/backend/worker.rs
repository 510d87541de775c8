//! The threads that prove: each has a slot of a device.

use super::job::Task;
use super::scheduler::{Lease, Request, Scheduler, Tried, Verdict, Work};
use super::slot::Slot;
use super::srs::CudaSrs;
use crossbeam_channel::Receiver;
use groth16_core::assemble::assemble;
use groth16_core::{Assignment, Blinding, LoadedSrs, Priority, Proof, Result};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// One worker.
pub(super) struct Worker {
    pub(super) scheduler: Arc<Scheduler>,
    pub(super) number: usize,
    pub(super) device: usize,
    pub(super) requests: Receiver<Request>,
    pub(super) slot: Slot,
}

/// Says that a worker has ended, however it does.
struct Presence {
    scheduler: Arc<Scheduler>,
    worker: usize,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.scheduler.ended(self.worker);
    }
}

impl Worker {
    /// Serves requests until the scheduler lets go of it.
    pub(super) fn run(self) {
        let Worker {
            scheduler,
            number,
            device,
            requests,
            mut slot,
        } = self;
        let _presence = Presence {
            scheduler: scheduler.clone(),
            worker: number,
        };
        for request in requests {
            match request.work {
                Work::Owned(task) => {
                    let Request {
                        srs, priority, tried, ..
                    } = request;
                    let again = prove_owned(&scheduler, device, &mut slot, &srs, tried, task);
                    if let Some((tried, task)) = again {
                        let work = Work::Owned(task);
                        let request = Request {
                            srs,
                            priority,
                            tried,
                            work,
                        };
                        scheduler.push(request, true);
                    }
                }
                Work::Lend(to) => {
                    let (lease, returned) = Lease::new(device, slot);
                    drop(to.send(lease)); // refused, the lease gives the slot back at once
                    match returned.recv() {
                        Ok(back) => slot = back,
                        Err(_) => return,
                    }
                }
            }
            scheduler.now_idle(number);
        }
    }
}

/// One circuit from inputs of its own. Gives it back where another device may do it.
fn prove_owned(
    scheduler: &Scheduler,
    device: usize,
    slot: &mut Slot,
    srs: &Arc<dyn LoadedSrs>,
    mut tried: Tried,
    task: Box<Task>,
) -> Option<(Tried, Box<Task>)> {
    if task.is_given_up() {
        return None;
    }
    // A panic is a defect; it surfaces in whoever waits for the proof, and the worker lives on.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let srs = CudaSrs::of(srs)?;
        let circuit = task.assignment.as_assignment();
        match prove(slot, srs, &circuit, &task.blinding) {
            Ok(proof) => Ok(Some(proof)),
            Err(error) => match scheduler.judge(device, error, srs, &mut tried) {
                Verdict::Retry => Ok(None),
                Verdict::GiveUp(error) => Err(error),
            },
        }
    }));
    match outcome {
        Ok(Ok(Some(proof))) => task.finish(Ok(proof)),
        Ok(Ok(None)) => return Some((tried, task)),
        Ok(Err(error)) => task.finish(Err(error)),
        Err(panic) => task.panicked(panic),
    }
    None
}

/// One proof in a slot. The device's lock is held for kernels alone.
fn prove(slot: &mut Slot, srs: &CudaSrs, circuit: &Assignment<'_>, blinding: &Blinding) -> Result<Proof> {
    let gpu = slot.gpu.clone();
    let sums = slot.with_inputs(circuit, |slot, staged| {
        let resident = srs.on(&gpu)?;
        let mut compute = gpu.compute.lock();
        compute.run(&resident, slot, staged)
    })?;
    Ok(assemble(srs.vk(), &sums, blinding))
}

/// Borrowed circuits: threads of this call prove them, as many at a time as there are workers, each when its turn in the
/// queue has come. They are threads of their own, as the caller may be one of a rayon pool (see
/// [`HostPool`](super::host_pool::HostPool)).
pub(super) fn prove_borrowed(
    scheduler: &Scheduler,
    srs: &Arc<dyn LoadedSrs>,
    circuits: &[Assignment<'_>],
    blindings: &[Blinding],
    priority: Priority,
) -> Result<Vec<Proof>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut proofs = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(circuit) = circuits.get(i) else {
                return Ok(proofs);
            };
            match prove_when_its_turn(scheduler, srs, circuit, &blindings[i], priority) {
                Ok(proof) => proofs.push((i, proof)),
                Err(error) => {
                    next.store(circuits.len(), Ordering::Relaxed); // the others need not begin
                    return Err(error);
                }
            }
        }
    };
    let n_threads = scheduler.n_workers().clamp(1, circuits.len().max(1));
    let outcomes: Vec<Result<Vec<(usize, Proof)>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join();
        threads
            .into_iter()
            .map(|thread| join(thread).unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut proofs = outcomes.into_iter().collect::<Result<Vec<_>>>()?.concat();
    proofs.sort_by_key(|(i, _)| *i);
    Ok(proofs.into_iter().map(|(_, proof)| proof).collect())
}

fn prove_when_its_turn(
    scheduler: &Scheduler,
    srs: &Arc<dyn LoadedSrs>,
    circuit: &Assignment<'_>,
    blinding: &Blinding,
    priority: Priority,
) -> Result<Proof> {
    let mut tried = Tried::default();
    loop {
        let Some(mut lease) = scheduler.borrow_slot(srs, priority, &mut tried) else {
            return Err(tried.into_error());
        };
        let device = lease.device;
        let srs = CudaSrs::of(srs)?;
        match prove(lease.slot(), srs, circuit, blinding) {
            Ok(proof) => return Ok(proof),
            Err(error) => match scheduler.judge(device, error, srs, &mut tried) {
                Verdict::Retry => {}
                Verdict::GiveUp(error) => return Err(error),
            },
        }
    }
}
