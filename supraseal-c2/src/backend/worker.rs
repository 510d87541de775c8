//! The threads that prove: each has a slot of a device.

use super::division::{divide, Share};
use super::error::NAME;
use super::handover::{handover, Division, Inbox, Outbox};
use super::job::{Outcome, Task};
use super::scheduler::{Lease, Request, Scheduler, Tried, Verdict, Work};
use super::slot::{domain, Inputs, Rows, Slot, Staged};
use super::srs::{CudaSrs, DeviceSrs};
use super::tenancy;
use super::turn::Turn;
use crossbeam_channel::{bounded, Receiver};
use groth16_core::assemble::{assemble, MsmResults};
use groth16_core::schedule::Staging;
use groth16_core::timeline::Stage;
use groth16_core::{Assignment, Blinding, Error, LoadedSrs, Priority, Proof, Result};
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;

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
            let Request {
                srs,
                priority,
                mut tried,
                work,
            } = request;
            match work {
                Work::Owned(task) => {
                    let place = Place {
                        scheduler: &scheduler,
                        device,
                        slot: &mut slot,
                    };
                    // Idle before the waiter hears of it, so that what it asks for next finds the same worker free.
                    match attempt(place, &srs, &mut tried, &task) {
                        Attempt::Done(outcome) => {
                            drop(srs); // whoever hears of it may count on the key's memory
                            scheduler.now_idle(number);
                            task.report(*outcome);
                        }
                        Attempt::GivenUp => scheduler.now_idle(number),
                        Attempt::Again => {
                            let again = Request {
                                srs,
                                priority,
                                tried,
                                work: Work::Owned(task),
                            };
                            scheduler.push(again);
                            scheduler.now_idle(number);
                        }
                    }
                }
                Work::Fetch => {
                    fetch(&scheduler, device, &slot, &srs);
                    drop(srs);
                    scheduler.now_idle(number);
                }
                Work::Lend(to) => {
                    drop(srs);
                    let (lease, returned) = Lease::new(&scheduler, number, device, slot);
                    // Where nobody takes the lease, it gives the slot back when it is dropped: with what `send` refuses, or with
                    // the channel, whose last end `to` then is.
                    let refused = to.send(lease);
                    drop((refused, to));
                    match returned.recv() {
                        Ok(back) => slot = back,
                        Err(_) => return,
                    }
                }
            }
        }
    }
}

/// Puts a key on a device, for proofs to come: unless the backend closes meanwhile, or nobody else has the key any more. Where that
/// fails, nobody waits for it; but the device may be lost.
fn fetch(scheduler: &Scheduler, device: usize, slot: &Slot, srs: &Arc<dyn LoadedSrs>) {
    let is_wanted = || !scheduler.is_closed() && Arc::strong_count(srs) > 1;
    let Ok(srs) = CudaSrs::of(srs) else { return };
    let ordinal = slot.gpu.device.ordinal();
    match slot.gpu.fetch(srs, &is_wanted) {
        Ok(true) => {}
        Ok(false) => tracing::debug!(
            device = ordinal,
            "no room for the key beside others: no proof is divided"
        ),
        Err(error) => {
            tracing::debug!(device = ordinal, "{error}; no proof is divided");
            scheduler.judge(device, error, srs, &mut Tried::default());
        }
    }
}

/// What became of an owned circuit.
enum Attempt {
    Done(Box<Outcome>),
    /// Another device may do it.
    Again,
    /// Nobody wants it any more.
    GivenUp,
}

/// One circuit from inputs of its own.
fn attempt(place: Place<'_>, srs: &Arc<dyn LoadedSrs>, tried: &mut Tried, task: &Task) -> Attempt {
    if task.is_given_up() {
        return Attempt::GivenUp;
    }
    // A panic is a defect; it surfaces in whoever waits for the proof, and the worker lives on.
    let prove = || place.prove(srs, &task.assignment.as_assignment(), &task.blinding, tried);
    match catch_unwind(AssertUnwindSafe(prove)) {
        Ok(Ok(None)) => Attempt::Again,
        Ok(Ok(Some(proof))) => Attempt::Done(Box::new(Ok(Ok(proof)))),
        Ok(Err(error)) => Attempt::Done(Box::new(Ok(Err(error)))),
        Err(panic) => Attempt::Done(Box::new(Err(panic))),
    }
}

/// Where a proof is made: a slot of a device.
struct Place<'a> {
    scheduler: &'a Scheduler,
    device: usize,
    slot: &'a mut Slot,
}

impl Place<'_> {
    /// One proof, or `None` where another device may make it, which `tried` then knows.
    fn prove(
        self,
        srs: &Arc<dyn LoadedSrs>,
        circuit: &Assignment<'_>,
        blinding: &Blinding,
        tried: &mut Tried,
    ) -> Result<Option<Proof>> {
        let key = CudaSrs::of(srs)?;
        let is_again = std::mem::replace(&mut tried.is_begun, true);
        let (scheduler, untried) = (self.scheduler, &*tried);
        let (own, helped) = std::thread::scope(|scope| {
            let mut helped = None;
            let start_helper = || {
                if is_again {
                    return None;
                }
                let can_help = scheduler.idle_beside(srs, untried)?;
                let share = divide(circuit, scheduler.two_devices)?;
                if !can_help && !key.would_have_been_divided() {
                    return None;
                }
                let (offer, decision) = bounded(1);
                let help = move || {
                    // Where the key is to be fetched, the first device need not wait for that.
                    let offer = can_help.then_some(offer);
                    let mut lease = scheduler.enlist(srs, untried)?;
                    let (outbox, inbox) = handover();
                    offer?.send((share.rest(), outbox)).ok()?;
                    let slot = lease.slot();
                    let sums = second_sums(slot, key, circuit, share, inbox);
                    if let Ok(Some(_)) = sums {
                        slot.uploader.recorder.finish(&slot.gpu.timing);
                    }
                    Some((lease.device, sums))
                };
                // No thread to be had: the proof is made here alone.
                helped = Some(std::thread::Builder::new().spawn_scoped(scope, help).ok()?);
                Some(decision)
            };
            let own = first_sums(self.slot, key, circuit, start_helper);
            (own, helped.and_then(join))
        });
        // Each device is judged by its own error; then the whole proof is to be made again.
        let helped = match helped {
            Some((device, Err(error))) => scheduler.excuse(device, error, key, tried).map(|()| None),
            Some((_, Ok(sums))) => Ok(sums),
            None => Ok(None),
        };
        let sums = match own {
            Err(error) => {
                return match scheduler.judge(self.device, error, key, tried) {
                    Verdict::Retry => Ok(None),
                    Verdict::GiveUp(error) => Err(error),
                }
            }
            Ok(Own::All(sums)) => sums,
            Ok(Own::Share(own)) => match helped? {
                Some(helped) => add(&own, &helped),
                None => return Ok(None),
            },
        };
        self.slot.uploader.recorder.host(Stage::Assembly);
        let proof = assemble(key.vk(), &sums, blinding);
        self.slot.uploader.recorder.finish(&self.slot.gpu.timing);
        Ok(Some(proof))
    }
}

/// What the first device has summed.
enum Own {
    All(MsmResults),
    /// What is not the second device's.
    Share(MsmResults),
}

/// Where the first device hears what is left to it, and where its coefficients are wanted; nothing, if all is.
type Decision = Receiver<(Share, Outbox)>;

/// The first device's sums, in a slot: all, or, if `start_helper` finds a second device, its share. The
/// devices' locks are held for kernels alone, unless a device was free, or the schedule has the inputs go up under them.
///
/// The second device is sought when this one has its lease, while the rows go up, which are this one's in any case. It never waits
/// for the other's work, but for the decision alone: whoever holds something of one device waits for nothing but work of the other
/// that is under way.
fn first_sums(
    slot: &mut Slot,
    srs: &CudaSrs,
    circuit: &Assignment<'_>,
    start_helper: impl FnOnce() -> Option<Decision>,
) -> Result<Own> {
    let gpu = slot.gpu.clone();
    let mut start_helper = Some(start_helper);
    slot.start_timeline();
    gpu.with_lease(srs, |lease| {
        let decision = match start_helper.take() {
            Some(start_helper) => start_helper(),
            // The second attempt, with less memory, is at the whole proof: the second device has been told.
            None => {
                slot.start_timeline();
                None
            }
        };
        let n_h = srs.counts().h;
        let decide = |slot: &mut Slot| match decision.and_then(|decision| decision.recv().ok()) {
            Some((share, outbox)) => Division::of_first(slot, share, n_h, outbox),
            None => Division::alone(Share::ALL),
        };
        in_slot(
            slot,
            lease,
            circuit,
            Rows::Needed,
            decide,
            |slot, key, inputs, staged, mut compute, mut division| {
                let sums = compute.run(key, slot, inputs, staged, &mut division)?;
                drop(compute);
                let is_all = division.share == Share::ALL;
                division.keep_memory(&gpu);
                Ok(if is_all { Own::All(sums) } else { Own::Share(sums) })
            },
        )
    })
}

/// The second device's share: what is of the witness, then, under another lock, its terms of H, when their
/// coefficients have come. `None` if they have not, since the first device has failed or makes the whole
/// proof.
fn second_sums(
    slot: &mut Slot,
    srs: &CudaSrs,
    circuit: &Assignment<'_>,
    share: Share,
    mut inbox: Inbox,
) -> Result<Option<MsmResults>> {
    let gpu = slot.gpu.clone();
    let mut is_second = false;
    slot.start_timeline();
    gpu.with_lease(srs, |lease| {
        if std::mem::replace(&mut is_second, true) {
            slot.start_timeline();
        }
        let witness = Division::alone(share.without_h());
        let inbox = &mut inbox;
        in_slot(
            slot,
            lease,
            circuit,
            Rows::NotNeeded,
            |_| witness,
            |slot, key, inputs, staged, mut compute, mut witness| {
                let mut sums = compute.run(key, slot, inputs, staged, &mut witness)?;
                drop(compute);
                let of_h = share.terms_of_h(key.n_h);
                if of_h.is_empty() {
                    return Ok(Some(sums));
                }
                slot.uploader.recorder.host(Stage::Coefficients);
                let Some(coefficients) = inbox.wait() else {
                    return Ok(None);
                };
                if let Some(parcel) = coefficients {
                    // SAFETY: the inbox keeps the parcel until after `in_slot`, which ends with a wait for
                    // the uploader's stream.
                    if !unsafe { slot.receive(inputs, of_h.start, parcel) }? {
                        return Ok(None);
                    }
                    let mut of_h = Division::alone(share.only_h());
                    sums.h = Turn::wait(&gpu, slot)
                        .run(key, slot, inputs, staged, &mut of_h)?
                        .h;
                }
                Ok(Some(sums))
            },
        )
    })
}

/// Uploads the inputs of a share, which is decided while the rows go up, and does `work` with them and in the device's turn.
///
/// Where no other proof has the device, its turn begins as soon as a is on its way, so that the host's copying of what is not
/// page-locked overlaps the transforms.
fn in_slot<T>(
    slot: &mut Slot,
    lease: &mut tenancy::Lease,
    circuit: &Assignment<'_>,
    rows: Rows,
    decide: impl FnOnce(&mut Slot) -> Division,
    work: impl FnOnce(&mut Slot, &DeviceSrs, &mut Inputs, &Staged, Turn<'_>, Division) -> Result<T>,
) -> Result<T> {
    let gpu = slot.gpu.clone();
    let (key, inputs) = lease.parts();
    let turn = Cell::new(match gpu.schedule.staging {
        Staging::Ahead => None,
        Staging::UnderLock => Some(Turn::wait(&gpu, slot)),
    });
    let rows_come = |slot: &mut Slot, inputs: &mut Inputs, n_steps| {
        let mut now = turn.take().or_else(|| Turn::now(&gpu));
        if let Some(compute) = &mut now {
            compute.begin_quotient(slot, inputs, domain(circuit), n_steps)?;
        }
        turn.set(now);
        Ok(())
    };
    slot.with_inputs(
        inputs,
        circuit,
        rows,
        rows_come,
        decide,
        |slot, inputs, staged, division| {
            let compute = turn.take().unwrap_or_else(|| Turn::wait(&gpu, slot));
            work(slot, key, inputs, staged, compute, division)
        },
    )
}

/// Shares together: a device's sums that are not its own are zero.
fn add(x: &MsmResults, y: &MsmResults) -> MsmResults {
    MsmResults {
        h: x.h + y.h,
        l: x.l + y.l,
        a: x.a + y.a,
        b_g1: x.b_g1 + y.b_g1,
        b_g2: x.b_g2 + y.b_g2,
    }
}

/// Circuits that a caller has lent, to be proved before the call returns.
pub(super) struct Borrowed<'a> {
    pub(super) scheduler: &'a Scheduler,
    pub(super) srs: &'a Arc<dyn LoadedSrs>,
    pub(super) priority: Priority,
    /// the device that is to prove as long as it can, if one was asked for
    pub(super) asked: Option<usize>,
}

impl Borrowed<'_> {
    /// Threads of this call prove the circuits, as many at a time as there are workers, each when its turn in the queue has
    /// come. They are threads of their own, as the caller may be one of a rayon pool (see
    /// [`HostPool`](super::host_pool::HostPool)).
    pub(super) fn prove(&self, circuits: &[Assignment<'_>], blindings: &[Blinding]) -> Result<Vec<Proof>> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut proofs = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(circuit) = circuits.get(i) else {
                    return Ok(proofs);
                };
                match self.prove_one(circuit, &blindings[i]) {
                    Ok(proof) => proofs.push((i, proof)),
                    Err(error) => {
                        next.store(circuits.len(), Ordering::Relaxed); // the others need not begin
                        return Err(error);
                    }
                }
            }
        };
        let n_threads = self.scheduler.n_workers().max(1).min(circuits.len());
        let outcomes: Vec<Result<Vec<(usize, Proof)>>> = std::thread::scope(|scope| {
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, work);
            let (mut threads, mut refusal) = (Vec::new(), None);
            for started in (0..n_threads).map(start) {
                match started {
                    Ok(thread) => threads.push(thread),
                    Err(error) => refusal = Some(no_thread(error)),
                }
            }
            // Fewer will do.
            match refusal.filter(|_| threads.is_empty()) {
                Some(error) => vec![Err(error)],
                None => threads.into_iter().map(join).collect(),
            }
        });
        let mut proofs = outcomes.into_iter().collect::<Result<Vec<_>>>()?.concat();
        proofs.sort_by_key(|(i, _)| *i);
        Ok(proofs.into_iter().map(|(_, proof)| proof).collect())
    }

    fn prove_one(&self, circuit: &Assignment<'_>, blinding: &Blinding) -> Result<Proof> {
        let mut tried = Tried::none(self.asked);
        loop {
            let Some(mut lease) = self.scheduler.borrow_slot(self.srs, self.priority, &tried) else {
                return Err(tried.into_error());
            };
            let place = Place {
                scheduler: self.scheduler,
                device: lease.device,
                slot: lease.slot(),
            };
            if let Some(proof) = place.prove(self.srs, circuit, blinding, &mut tried)? {
                return Ok(proof);
            }
        }
    }
}

/// The system has no thread to give.
pub(super) fn no_thread(source: std::io::Error) -> Error {
    Error::Backend {
        backend: NAME,
        stage: "start of a thread",
        source: source.into(),
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
