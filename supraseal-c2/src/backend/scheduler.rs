//! Which worker does what: one queue for all devices.

use super::division::TwoDevices;
use super::error::{is_device_lost, is_of_device, is_out_of_memory};
use super::job::Task;
use super::queue::Queue;
use super::slot::Slot;
use super::srs::CudaSrs;
use crossbeam_channel::{bounded, Receiver, Sender};
use groth16_core::{Error, LoadedSrs, Priority, Result};
use parking_lot::{Condvar, Mutex, MutexGuard};
use sppark_fork::CudaError;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an idle device is left to requests that may follow: callers that ask together do so within a millisecond or two. The
/// first device's inputs go up meanwhile.
pub(super) const GRACE: Duration = Duration::from_millis(3);

/// One circuit that waits for a slot of a device.
pub(super) struct Request {
    pub(super) srs: Arc<dyn LoadedSrs>,
    pub(super) priority: Priority,
    pub(super) tried: Tried,
    pub(super) work: Work,
}

/// Who proves.
pub(super) enum Work {
    /// The worker, from inputs that are its own.
    Owned(Box<Task>),
    /// A thread that has borrowed the inputs and waits here for the worker's slot.
    Lend(Sender<Lease>),
    /// Nobody: the key is put on the device, for a proof that will be divided.
    Fetch,
}

/// Devices on which a circuit did not fit, and the last one's error.
#[derive(Default)]
pub(super) struct Tried {
    /// the device that was asked for: no other is to be tried as long as it can
    asked: Option<usize>,
    /// once at least: it goes before others, and is not divided
    pub(super) is_begun: bool,
    devices: Vec<usize>,
    pub(super) error: Option<Error>,
}

/// A worker's slot in other hands. Dropped, it goes back, and the worker is idle: at once, so that whoever had it and asks for the
/// next finds the same one free.
pub(super) struct Lease {
    scheduler: Arc<Scheduler>,
    worker: usize,
    pub(super) device: usize,
    slot: Option<Slot>,
    back: Sender<Slot>,
}

impl Lease {
    /// A lease of a slot, and where the slot comes back.
    pub(super) fn new(
        scheduler: &Arc<Scheduler>,
        worker: usize,
        device: usize,
        slot: Slot,
    ) -> (Self, Receiver<Slot>) {
        let (back, returned) = bounded(1);
        let lease = Lease {
            scheduler: scheduler.clone(),
            worker,
            device,
            slot: Some(slot),
            back,
        };
        (lease, returned)
    }

    /// The slot.
    pub(super) fn slot(&mut self) -> &mut Slot {
        self.slot
            .as_mut()
            .expect("the slot is there until the lease is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            // The worker waits for it; without one the slot is freed here.
            let _ = self.back.send(slot);
            self.scheduler.now_idle(self.worker);
        }
    }
}

/// What is to be done about a failure.
pub(super) enum Verdict {
    /// Another device may do it.
    Retry,
    /// This is the outcome.
    GiveUp(Error),
}

/// The queue and the workers. The lock is held for bookkeeping alone.
pub(super) struct Scheduler {
    ordinals: Vec<u32>,
    pub(super) two_devices: TwoDevices,
    state: Mutex<State>,
    /// a request has come, or a worker is idle
    changed: Condvar,
}

struct State {
    queue: Queue<Request>,
    workers: Vec<WorkerState>,
    lost: Vec<bool>,
    closed: bool,
}

/// One worker, as the scheduler sees it.
struct WorkerState {
    device: usize,
    idle: bool,
    /// takes one request at a time, when idle; gone when the worker is to end
    to: Option<Sender<Request>>,
}

impl Scheduler {
    /// Without workers yet; devices by their ordinals.
    pub(super) fn new(ordinals: Vec<u32>, two_devices: TwoDevices) -> Self {
        let lost = vec![false; ordinals.len()];
        Scheduler {
            ordinals,
            two_devices,
            changed: Condvar::new(),
            state: Mutex::new(State {
                queue: Queue::new(),
                workers: Vec::new(),
                lost,
                closed: false,
            }),
        }
    }

    /// A place for a worker of a device: its number, and where its requests come from.
    pub(super) fn add_worker(&self, device: usize) -> (usize, Receiver<Request>) {
        let (to, requests) = bounded(1);
        let mut state = self.state.lock();
        state.workers.push(WorkerState {
            device,
            idle: true,
            to: Some(to),
        });
        (state.workers.len() - 1, requests)
    }

    /// Workers of devices that are not lost.
    pub(super) fn n_workers(&self) -> usize {
        let state = self.state.lock();
        state.workers.iter().filter(|w| !state.lost[w.device]).count()
    }

    /// Puts a request into the queue, or before all of its priority if it was begun before. Where no device is left for it, it
    /// fails.
    pub(super) fn push(&self, request: Request) {
        let mut state = self.state.lock();
        if !state.is_servable(&request) {
            drop(state);
            return request.fail();
        }
        match request.tried.is_begun {
            false => state.queue.push(request.priority, request),
            true => state.queue.push_first(request.priority, request),
        }
        self.dispatch(state);
    }

    /// A slot for a thread that proves by itself, when its turn has come; `None`: no device is left.
    pub(super) fn borrow_slot(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        priority: Priority,
        tried: &Tried,
    ) -> Option<Lease> {
        let (to, lease) = bounded(1);
        self.push(Request {
            srs: srs.clone(),
            priority,
            tried: tried.without_error(),
            work: Work::Lend(to),
        });
        lease.recv().ok()
    }

    /// A worker has nothing to do any more, or will have as soon as it has its slot back.
    pub(super) fn now_idle(&self, worker: usize) {
        let mut state = self.state.lock();
        state.workers[worker].idle = true;
        if state.lost[state.workers[worker].device] {
            state.workers[worker].to = None;
        }
        self.dispatch(state);
    }

    /// What is to be done about a circuit that failed on a device. A device that is lost is reported, once, and not used any
    /// more; where a circuit did not fit, another device may have more memory.
    pub(super) fn judge(&self, device: usize, error: Error, srs: &CudaSrs, tried: &mut Tried) -> Verdict {
        let lost = self.lose_if_lost(device, &error, srs);
        if !lost && !is_out_of_memory(&error) {
            return Verdict::GiveUp(error);
        }
        tried.devices.push(device);
        match self.state.lock().is_any_left(tried) {
            true => {
                tried.error = (!lost).then_some(error);
                Verdict::Retry
            }
            false => Verdict::GiveUp(error),
        }
    }

    /// A second device has failed, in whatever way: the whole proof is to be made again without it. An error that is no device's is
    /// the proof's.
    pub(super) fn excuse(&self, device: usize, error: Error, srs: &CudaSrs, tried: &mut Tried) -> Result<()> {
        if !is_of_device(&error) {
            return Err(error);
        }
        if !self.lose_if_lost(device, &error, srs) {
            let ordinal = self.ordinals[device];
            tracing::warn!(device = ordinal, "{error}; the proof is made on one device");
        }
        tried.devices.push(device);
        Ok(())
    }

    /// Whether it is.
    fn lose_if_lost(&self, device: usize, error: &Error, srs: &CudaSrs) -> bool {
        let lost = is_device_lost(error);
        if lost {
            self.lose(device, error);
            srs.forget(self.ordinals[device]);
        }
        lost
    }

    fn lose(&self, device: usize, error: &Error) {
        let mut state = self.state.lock();
        if state.lost[device] {
            return;
        }
        let stranded = state.lose(device);
        drop(state);
        let ordinal = self.ordinals[device];
        tracing::error!(device = ordinal, "{error}; the device is not used any more");
        stranded.into_iter().for_each(Request::fail);
    }

    /// A worker has ended. Only a panic outside of a proof could end one that was not let go of.
    pub(super) fn ended(&self, worker: usize) {
        let mut state = self.state.lock();
        let device = state.workers[worker].device;
        state.workers[worker].idle = true;
        state.workers[worker].to = None;
        let gone = |w: &WorkerState| w.device != device || w.to.is_none();
        let stranded = match state.workers.iter().all(gone) {
            true => state.lose(device),
            false => Vec::new(),
        };
        // What had asked for this device others may do now.
        self.dispatch(state);
        stranded.into_iter().for_each(Request::fail);
    }

    /// Lets the workers end once they have done what waits.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        self.dispatch(state);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Hands requests to idle workers while there are both.
    fn dispatch(&self, mut guard: MutexGuard<'_, State>) {
        let state = &mut *guard;
        let State {
            queue, workers, lost, ..
        } = state;
        let mut refused = Vec::new();
        while let Some((request, worker)) =
            queue.take(|request| self.best_worker(workers, lost, &request.srs, &request.tried))
        {
            refused.extend(workers[worker].assign(request));
        }
        if state.closed && state.queue.is_empty() && state.workers.iter().all(|w| w.idle) {
            state.workers.iter_mut().for_each(|w| w.to = None);
        }
        self.changed.notify_all();
        // A lease that is dropped asks for the lock.
        drop(guard);
        drop(refused);
    }

    /// Whether a device has nothing to do while nothing waits, and if so, whether it can take a share of a proof at once.
    pub(super) fn idle_beside(&self, srs: &Arc<dyn LoadedSrs>, tried: &Tried) -> Option<bool> {
        let state = self.state.lock();
        let worker = self.idle_worker(&state, srs, tried)?;
        Some(self.can_help(srs, state.workers[worker].device))
    }

    /// A second device's slot for a proof that has one: after a [`GRACE`] in which nobody has asked for that device. If it has not
    /// the key, it gets it, and helps with the next.
    pub(super) fn enlist(&self, srs: &Arc<dyn LoadedSrs>, tried: &Tried) -> Option<Lease> {
        let until = Instant::now() + GRACE;
        let mut state = self.state.lock();
        let mut worker = self.idle_worker(&state, srs, tried)?;
        while !self.changed.wait_until(&mut state, until).timed_out() {
            worker = self.idle_worker(&state, srs, tried)?;
        }
        // An upload of the key may take as long as this proof: it is for the next.
        let (work, lease) = match self.can_help(srs, state.workers[worker].device) {
            true => {
                let (to, lease) = bounded(1);
                (Work::Lend(to), Some(lease))
            }
            false => (Work::Fetch, None),
        };
        let request = Request {
            srs: srs.clone(),
            priority: Priority::default(),
            tried: Tried::default(),
            work,
        };
        let refused = state.workers[worker].assign(request);
        // A lease that is dropped asks for the lock.
        drop(state);
        drop(refused);
        lease?.recv().ok()
    }

    fn can_help(&self, srs: &Arc<dyn LoadedSrs>, device: usize) -> bool {
        let has_key = |srs: &CudaSrs| srs.is_on(self.ordinals[device]);
        self.two_devices == TwoDevices::Always || CudaSrs::of(srs).is_ok_and(has_key)
    }

    /// A worker of a device that has nothing to do, unless something waits.
    fn idle_worker(&self, state: &State, srs: &Arc<dyn LoadedSrs>, tried: &Tried) -> Option<usize> {
        let State {
            queue, workers, lost, ..
        } = state;
        let worker = self
            .best_worker(workers, lost, srs, tried)
            .filter(|_| queue.is_empty())?;
        let device = workers[worker].device;
        let is_idle = workers.iter().all(|w| w.device != device || w.idle);
        is_idle.then_some(worker)
    }

    /// The worker for a request, among the idle ones of devices where it was not tried: of the device that has least to do;
    /// of such, of one that has the key; of such, of the first.
    fn best_worker(
        &self,
        workers: &[WorkerState],
        lost: &[bool],
        srs: &Arc<dyn LoadedSrs>,
        tried: &Tried,
    ) -> Option<usize> {
        let srs = CudaSrs::of(srs).ok()?;
        let has_key = |device: usize| srs.is_on(self.ordinals[device]);
        best(workers, |device| tried.allows(device, lost), has_key)
    }
}

impl WorkerState {
    /// The channel of an idle worker is empty. One that is just ending refuses: the request is to be dropped, and whoever waits
    /// for it sees that.
    fn assign(&mut self, request: Request) -> Option<Request> {
        self.idle = false;
        match &self.to {
            Some(to) => to.send(request).err().map(|refused| refused.into_inner()),
            None => Some(request),
        }
    }
}

fn best(
    workers: &[WorkerState],
    allows: impl Fn(usize) -> bool,
    has_key: impl Fn(usize) -> bool,
) -> Option<usize> {
    let may = |w: &WorkerState| w.idle && w.to.is_some() && allows(w.device);
    let n_busy = |device| workers.iter().filter(|w| w.device == device && !w.idle).count();
    (0..workers.len())
        .filter(|w| may(&workers[*w]))
        .min_by_key(|w| (n_busy(workers[*w].device), !has_key(workers[*w].device), *w))
}

fn is_any_left(lost: &[bool], tried: &Tried) -> bool {
    (0..lost.len()).any(|device| tried.leaves(device, lost))
}

impl State {
    /// Takes a device out of use; gives the requests that no device is left for.
    fn lose(&mut self, device: usize) -> Vec<Request> {
        let State {
            queue, workers, lost, ..
        } = self;
        lost[device] = true;
        for worker in workers {
            if worker.device == device && worker.idle {
                worker.to = None;
            }
        }
        queue.remove_unless(|request| is_any_left(lost, &request.tried))
    }

    fn is_any_left(&self, tried: &Tried) -> bool {
        is_any_left(&self.lost, tried)
    }

    fn is_servable(&self, request: &Request) -> bool {
        self.is_any_left(&request.tried)
    }
}

impl Request {
    /// Tells whoever waits that no device is left.
    fn fail(self) {
        match self.work {
            Work::Owned(task) => task.report(Ok(Err(self.tried.into_error()))),
            Work::Lend(_) => {} // its receiver sees that the sender is gone
            Work::Fetch => {}
        }
    }
}

impl Tried {
    /// No device yet; one may be asked for.
    pub(super) fn none(asked: Option<usize>) -> Self {
        Tried {
            asked,
            ..Tried::default()
        }
    }

    /// The same devices.
    fn without_error(&self) -> Self {
        Tried {
            devices: self.devices.clone(),
            is_begun: self.is_begun,
            ..Tried::none(self.asked)
        }
    }

    /// Whether a device works and was not tried.
    fn leaves(&self, device: usize, lost: &[bool]) -> bool {
        !lost[device] && !self.devices.contains(&device)
    }

    /// Whether a device is to be tried next: the one that was asked for, as long as it is left, else any that is.
    fn allows(&self, device: usize, lost: &[bool]) -> bool {
        let is_meant = |asked| asked == device || !self.leaves(asked, lost);
        self.leaves(device, lost) && self.asked.is_none_or(is_meant)
    }

    /// Why the circuit cannot be proved, when no device is left for it.
    pub(super) fn into_error(self) -> Error {
        self.error.unwrap_or_else(|| {
            let what = "every device has failed; start the program again".into();
            super::error::at("choice of a device")(CudaError::NoDevice { what })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two workers on each of two devices; a letter each: idle or busy.
    fn workers(states: &str) -> (Vec<WorkerState>, Vec<Receiver<Request>>) {
        let worker = |(i, state): (usize, char)| {
            let (to, requests) = bounded(1);
            let worker = WorkerState {
                device: i % 2,
                idle: state == 'i',
                to: Some(to),
            };
            (worker, requests)
        };
        states.chars().enumerate().map(worker).unzip()
    }

    #[test]
    fn the_free_device_is_preferred_then_the_one_with_the_key() {
        let nowhere = |_: usize| false;
        let on_second = |device: usize| device == 1;
        let none = Tried::default();
        let choose = |states: &str, tried: &Tried, has_key: &dyn Fn(usize) -> bool| {
            let (workers, _requests) = workers(states);
            let allows = |device| tried.allows(device, &[false; 2]);
            best(&workers, allows, has_key).map(|w| workers[w].device)
        };
        assert_eq!(choose("iiii", &none, &nowhere), Some(0));
        assert_eq!(choose("iiii", &none, &on_second), Some(1));
        assert_eq!(choose("ibii", &none, &on_second), Some(0));
        assert_eq!(choose("biii", &none, &nowhere), Some(1));
        assert_eq!(choose("bbii", &none, &on_second), Some(1));
        assert_eq!(choose("bbbb", &none, &nowhere), None);
        let tried = Tried {
            devices: vec![1],
            ..Tried::default()
        };
        assert_eq!(choose("bbii", &tried, &on_second), Some(0));
        assert_eq!(choose("bibi", &tried, &on_second), None);
        // The one that was asked for, busy as it is, and nobody where it has no worker free.
        let asked = Tried::none(Some(0));
        assert_eq!(choose("biii", &asked, &on_second), Some(0));
        assert_eq!(choose("bibi", &asked, &on_second), None);
    }

    #[test]
    fn the_device_that_was_asked_for_is_alone_until_it_cannot() {
        let allowed =
            |tried: &Tried, lost: &[bool; 3]| (0..3).filter(|d| tried.allows(*d, lost)).collect::<Vec<_>>();
        let mut tried = Tried::none(Some(1));
        assert_eq!(allowed(&tried, &[false; 3]), [1]);
        assert_eq!(allowed(&tried, &[true, false, false]), [1]);
        assert_eq!(allowed(&tried, &[false, true, false]), [0, 2]);
        tried.devices.push(1);
        assert_eq!(allowed(&tried, &[true, false, false]), [2]);
        assert_eq!(allowed(&Tried::none(None), &[false; 3]), [0, 1, 2]);
    }

    #[cfg(feature = "host-check")]
    #[track_caller]
    fn soon(mut is_so: impl FnMut() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < until, "not within a minute");
            std::thread::yield_now();
        }
    }

    #[cfg(feature = "host-check")]
    #[test]
    fn an_idle_device_is_left_for_a_while_to_whoever_comes_next() {
        use super::super::{two_fakes, CudaConfig};
        use backend_tests::toy::{mul, toy_waste};
        use groth16_core::setup::generate_parameters;
        use groth16_core::Backend;
        use sppark_fork::fake::FakeDevice;

        let (fakes, backend) = two_fakes::open(CudaConfig {
            two_devices: TwoDevices::Always,
            ..CudaConfig::default()
        });
        let key = generate_parameters(&mul(), &toy_waste()).unwrap();
        let srs = backend.load_srs(&key.into()).unwrap();
        let scheduler = &backend.workers.scheduler;
        let borrow = || {
            scheduler
                .borrow_slot(&srs, Priority::default(), &Tried::none(None))
                .unwrap()
        };
        let first = borrow();
        let begin = Instant::now();
        assert_eq!(scheduler.enlist(&srs, &Tried::none(None)).unwrap().device, 1);
        assert!(begin.elapsed() >= GRACE);
        // Where this thread is not held up, it comes in time.
        soon(|| {
            std::thread::scope(|scope| {
                let second = scope.spawn(|| scheduler.enlist(&srs, &Tried::none(None)).is_some());
                std::thread::sleep(GRACE / 3);
                let next = borrow();
                let is_divided = second.join().unwrap();
                assert!(is_divided || next.device == 1);
                !is_divided
            })
        });
        drop((first, srs, backend));
        assert_eq!(fakes.map(FakeDevice::alive), [0, 0]);
    }

    /// The first proof that could be divided sees to it that the next one is.
    #[cfg(feature = "host-check")]
    #[test]
    fn an_idle_device_without_the_key_gets_it_and_then_helps() {
        use super::super::{two_fakes, CudaConfig};
        use backend_tests::toy::{mul, toy_waste};
        use groth16_core::setup::generate_parameters;
        use groth16_core::Backend;
        use sppark_fork::fake::FakeDevice;

        let (fakes, backend) = two_fakes::open(CudaConfig::default());
        let key = generate_parameters(&mul(), &toy_waste()).unwrap();
        let srs = backend.load_srs(&key.into()).unwrap();
        let is_on = |fake: FakeDevice| CudaSrs::of(&srs).unwrap().is_on(fake.ordinal);
        assert_eq!(fakes.map(is_on), [true, false]);
        let scheduler = &backend.workers.scheduler;
        let enlist = || {
            let first = scheduler.borrow_slot(&srs, Priority::default(), &Tried::default());
            assert_eq!(first.as_ref().map(|lease| lease.device), Some(0));
            scheduler.enlist(&srs, &Tried::default())
        };
        assert!(enlist().is_none());
        soon(|| is_on(fakes[1]));
        // The second device's worker may still have to say that it is idle.
        soon(|| enlist().is_some_and(|second| second.device == 1));
        drop((srs, backend));
        assert_eq!(fakes.map(FakeDevice::alive), [0, 0]);
    }

    /// Else two keys in turn would drive each other from the devices that have them.
    #[cfg(feature = "host-check")]
    #[test]
    fn no_other_key_goes_for_one_that_an_idle_device_might_need() {
        use super::super::{two_fakes, CudaConfig};
        use backend_tests::toy::{mul, toy_waste};
        use groth16_core::setup::generate_parameters;
        use groth16_core::Backend;
        use sppark_fork::fake::FakeDevice;

        let key = generate_parameters(&mul(), &toy_waste()).unwrap();
        let opened = |max_key_bytes| {
            two_fakes::open(CudaConfig {
                workers: Some(1),
                max_key_bytes,
                ..CudaConfig::default()
            })
        };
        let key_bytes = {
            let (fakes, backend) = opened(None);
            let srs = backend.load_srs(&key.clone().into()).unwrap();
            let place = CudaSrs::of(&srs).unwrap().place(fakes[0].ordinal);
            place.key().unwrap().plan.key_bytes
        };
        for (n_keys, comes) in [(1, false), (2, true)] {
            let (fakes, backend) = opened(Some(n_keys * key_bytes));
            let [other, srs] = [0, 1].map(|_| backend.load_srs(&key.clone().into()).unwrap());
            let is_on = |srs, fake: FakeDevice| CudaSrs::of(srs).unwrap().is_on(fake.ordinal);
            backend.gpus[1]
                .with_lease(CudaSrs::of(&other).unwrap(), |_| Ok(()))
                .unwrap();
            let scheduler = &backend.workers.scheduler;
            let borrow = |tried| scheduler.borrow_slot(&srs, Priority::default(), &tried).unwrap();
            let first = borrow(Tried::none(None));
            assert!(scheduler.enlist(&srs, &Tried::none(None)).is_none());
            // The second device's worker is free again when it is done with the key.
            drop((first, borrow(Tried::none(Some(1)))));
            assert_eq!([is_on(&other, fakes[1]), is_on(&srs, fakes[1])], [true, comes]);
            drop((other, srs, backend));
            assert_eq!(fakes.map(FakeDevice::alive), [0, 0]);
        }
    }
}
