//! Who has which memory of a device: keys, the inputs of jobs, and what kernels work in.
//!
//! A job takes a [`Lease`] before its inputs go up. Leases are given one at a time, in order: if the key is not on the device, it is
//! planned and loaded, and keys that were used longest ago make room; if what kernels work in is too small, it is
//! laid out anew when the device is idle. Where both were done before, a lease costs two uncontended locks and allocates nothing.

use super::error::{at, ran_out_of_memory};
use super::gpu::Gpu;
use super::plan::{Plan, Room};
use super::sizes::{Layout, Shape};
use super::slot::Inputs;
use super::srs::{CudaSrs, DeviceSrs, IsWanted, Place};
use groth16_core::schedule::{CRows, WitnessSums};
use groth16_core::{LoadedSrs, Result};
use parking_lot::{Condvar, Mutex};
use sppark_fork::CudaError;
use std::sync::{Arc, Weak};

/// The stage that errors of a plan name: what does not fit in any way will not fit when it is tried again.
pub(super) const PLANNING: &str = "plan of the device's memory";
const LAYING_OUT: &str = "memory for proofs";
const ASKING: &str = "question for free memory";

/// What of a device's memory belongs to whom.
#[derive(Default)]
pub(super) struct Tenancy {
    /// held by whoever is being given a lease, through planning and loading
    books: Mutex<Books>,
    yard: Mutex<Yard>,
    returned: Condvar,
}

#[derive(Default)]
struct Books {
    /// keys that were ever here
    places: Vec<Weak<Place>>,
    /// what is allocated beside keys
    layout: Layout,
    time: u64,
}

#[derive(Default)]
struct Yard {
    n_leased: usize,
    idle: Vec<Inputs>,
}

/// A key on the device and room for the inputs of one job. Given back when it is dropped.
pub(super) struct Lease {
    gpu: Arc<Gpu>,
    /// there until the lease is dropped
    held: Option<(Arc<DeviceSrs>, Inputs)>,
}

impl Lease {
    pub(super) fn parts(&mut self) -> (&DeviceSrs, &mut Inputs) {
        match &mut self.held {
            Some((key, inputs)) => (key, inputs),
            None => unreachable!("taken by drop alone"),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some((key, inputs)) = self.held.take() else {
            return;
        };
        // First, so that whoever waits for an idle device finds the key unused.
        drop(key);
        let mut yard = self.gpu.tenancy.yard.lock();
        yard.idle.push(inputs);
        yard.n_leased -= 1;
        self.gpu.tenancy.returned.notify_all();
    }
}

impl Gpu {
    /// Does a job's work with a lease. If the device's memory runs out although it was planned for, everything is freed that can be, and
    /// the work is done once more, from its beginning, by a more frugal plan.
    pub(super) fn with_lease<T>(
        self: &Arc<Self>,
        srs: &CudaSrs,
        mut work: impl FnMut(&mut Lease) -> Result<T>,
    ) -> Result<T> {
        let mut attempt = |is_second| work(&mut self.lease(srs, is_second)?);
        match attempt(false) {
            Err(error) if ran_out_of_memory(&error) => {
                tracing::warn!(
                    device = self.device.ordinal(),
                    "{error}; once more with less memory"
                );
                self.release_all()?;
                attempt(true)
            }
            outcome => outcome,
        }
    }

    /// Does work that allocates by itself. Where that does not fit beside keys and what proofs work in, those make room, and it is
    /// done once more.
    pub(super) fn with_room<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        match work() {
            Err(error) if ran_out_of_memory(&error) => {
                self.release_all()?;
                work()
            }
            outcome => outcome,
        }
    }

    fn lease(self: &Arc<Self>, srs: &CudaSrs, is_second: bool) -> Result<Lease> {
        let mut books = self.tenancy.books.lock();
        let place = srs.place(self.device.ordinal());
        books.note(&place);
        let key = match place.key() {
            Some(key) => key,
            None => self.load(&mut books, srs, &place, is_second)?,
        };
        if !books.layout.covers(&key.plan.layout) {
            let room = self.room().map_err(at(ASKING))?;
            self.make_room(&mut books, &key.plan, 0, &room)?;
        }
        let mut yard = self.tenancy.yard.lock();
        let inputs = loop {
            match yard.idle.pop() {
                Some(inputs) => break inputs,
                None => self.tenancy.returned.wait(&mut yard),
            }
        };
        yard.n_leased += 1;
        Ok(Lease {
            gpu: self.clone(),
            held: Some((key, inputs)),
        })
    }

    /// Puts a key on the device for proofs to come, if it fits beside the keys that are there: nobody waits for it, and at a block's
    /// end it may turn out not to be wanted any more. Whether it is there.
    pub(super) fn fetch(&self, srs: &CudaSrs, is_wanted: &IsWanted<'_>) -> Result<bool> {
        let mut books = self.tenancy.books.lock();
        let place = srs.place(self.device.ordinal());
        if place.key().is_some() {
            return Ok(true);
        }
        let room = self.room().map_err(at(ASKING))?;
        let plan = Plan::new(&Shape(srs.counts()), &room, 0).map_err(at(PLANNING))?;
        let layout = books.layout.max(&plan.layout);
        if !self.fits(&books, &layout, plan.key_bytes, &room)? {
            return Ok(false);
        }
        books.note(&place);
        self.load_by(&mut books, srs, &place, plan, &room, is_wanted)?;
        Ok(true)
    }

    fn load(
        &self,
        books: &mut Books,
        srs: &CudaSrs,
        place: &Place,
        is_second: bool,
    ) -> Result<Arc<DeviceSrs>> {
        let room = self.room().map_err(at(ASKING))?;
        let from = if is_second { place.rung() + 1 } else { 0 };
        let plan = Plan::new(&Shape(srs.counts()), &room, from).map_err(at(PLANNING))?;
        self.load_by(books, srs, place, plan, &room, &|| true)
    }

    fn load_by(
        &self,
        books: &mut Books,
        srs: &CudaSrs,
        place: &Place,
        plan: Plan,
        room: &Room,
        is_wanted: &IsWanted<'_>,
    ) -> Result<Arc<DeviceSrs>> {
        tracing::debug!(device = self.device.ordinal(), "{plan}");
        place.set_rung(plan.rung);
        self.make_room(books, &plan, plan.key_bytes, room)?;
        let key = Arc::new(DeviceSrs::load(srs, self, plan, is_wanted)?);
        place.put(key.clone());
        Ok(key)
    }

    /// What there is now for one key and its proofs: all that is not other programs', less the reserve.
    fn room(&self) -> sppark_fork::Result<Room> {
        let memory = self.device.memory()?;
        let n_multiprocessors = self.device.info().n_multiprocessors;
        let reserve = super::gpu::reserve_bytes(memory.total_bytes, n_multiprocessors);
        let mine = memory.allocated_bytes + memory.free_bytes.saturating_sub(reserve);
        Ok(Room {
            device_bytes: self.limit_bytes.map_or(mine, |limit| limit.min(mine)),
            key_bytes: self.max_key_bytes.unwrap_or(u64::MAX),
            n_stages: self.n_stages,
            c_is_uploaded: self.schedule.c_rows == CRows::Uploaded,
            is_one_stream: self.schedule.witness_sums == WitnessSums::AfterH,
            n_multiprocessors,
        })
    }

    /// Makes room for `key_bytes` of a key, and lays out what its proofs work in.
    fn make_room(&self, books: &mut Books, plan: &Plan, key_bytes: u64, room: &Room) -> Result<()> {
        let mut target = books.layout.max(&plan.layout);
        let mut fits = self.evict_until(books, &target, key_bytes, room)?;
        if !fits || target != books.layout {
            self.wait_until_idle();
        }
        if !fits {
            // Keys that were in use are not any more; and what larger circuits left can go.
            fits = self.evict_until(books, &target, key_bytes, room)?;
        }
        if !fits {
            target = plan.layout;
            if !self.evict_until(books, &target, key_bytes, room)? {
                return Err(at(LAYING_OUT)(self.held_by_others(plan, room)?));
            }
        }
        self.lay_out(books, &target)
    }

    /// A plan fits the device, but for what is allocated beside all plans: a key is being made.
    fn held_by_others(&self, plan: &Plan, room: &Room) -> Result<CudaError> {
        let allocated = self.device.memory().map_err(at(ASKING))?.allocated_bytes;
        let (need_bytes, free_bytes) = (plan.peak_bytes, room.device_bytes.saturating_sub(allocated));
        Ok(CudaError::OutOfMemory {
            need_bytes,
            free_bytes: Some(free_bytes),
            what: format!(
                "a proof needs {need_bytes} bytes, and {free_bytes} are left beside a key that is being made"
            ),
        })
    }

    /// Frees keys that nobody uses, those used longest ago first, until so many bytes more fit, or none is left.
    fn evict_until(&self, books: &mut Books, layout: &Layout, key_bytes: u64, room: &Room) -> Result<bool> {
        while !self.fits(books, layout, key_bytes, room)? {
            if !books.evict_one() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether so many bytes more of keys fit with a layout that takes the place of the one there is.
    fn fits(&self, books: &Books, layout: &Layout, key_bytes: u64, room: &Room) -> Result<bool> {
        let bytes = |layout: &Layout| layout.bytes().map_err(at(PLANNING));
        let (now, then) = (bytes(&books.layout)?, bytes(layout)?);
        let allocated = self.device.memory().map_err(at(ASKING))?.allocated_bytes;
        let keys = allocated.saturating_sub(now) + key_bytes;
        Ok(keys <= room.key_bytes && keys + then <= room.device_bytes)
    }

    /// Allocates what proofs work in, all of it now. The device is idle, unless nothing changes.
    fn lay_out(&self, books: &mut Books, target: &Layout) -> Result<()> {
        if books.layout == *target {
            return Ok(());
        }
        let old = std::mem::take(&mut books.layout);
        let mut yard = self.tenancy.yard.lock();
        if old.stage != target.stage || old.n_stages > target.n_stages {
            yard.idle.clear();
        }
        let allocate = |idle: &mut Vec<Inputs>| {
            self.compute.lock().resize(&target.scratch)?;
            while idle.len() < target.n_stages {
                idle.push(Inputs::new(&self.device, &target.stage)?);
            }
            Ok(())
        };
        match allocate(&mut yard.idle) {
            Ok(()) => books.layout = *target,
            Err(error) => {
                yard.idle.clear();
                let mut compute = self.compute.lock();
                compute
                    .resize(&Layout::default().scratch)
                    .map_err(at(LAYING_OUT))?;
                return Err(at(LAYING_OUT)(error));
            }
        }
        Ok(())
    }

    fn wait_until_idle(&self) {
        let mut yard = self.tenancy.yard.lock();
        while yard.n_leased > 0 {
            self.tenancy.returned.wait(&mut yard);
        }
    }

    /// Frees all that jobs under way do not use, once there are none.
    fn release_all(&self) -> Result<()> {
        let mut books = self.tenancy.books.lock();
        self.wait_until_idle();
        while books.evict_one() {}
        self.lay_out(&mut books, &Layout::default())
    }
}

impl Books {
    /// Marks a key as just used, and forgets those whose handles are gone.
    fn note(&mut self, place: &Arc<Place>) {
        self.time += 1;
        place.use_at(self.time);
        let this = Arc::downgrade(place);
        if !self.places.iter().any(|other| other.ptr_eq(&this)) {
            self.places.retain(|other| other.strong_count() > 0);
            self.places.push(this);
        }
    }

    fn evict_one(&mut self) -> bool {
        let places = self.places.iter().filter_map(Weak::upgrade);
        let unused = places.filter_map(|place| Some((place.unused_since()?, place)));
        let Some((_, place)) = unused.min_by_key(|(since, _)| *since) else {
            return false;
        };
        place.evict();
        true
    }
}

#[cfg(all(test, feature = "host-check"))]
mod tests {
    use super::super::{two_fakes, CudaConfig};
    use super::*;
    use backend_tests::toy::{mul, toy_waste};
    use groth16_core::setup::generate_parameters;
    use groth16_core::Backend;
    use std::cell::Cell;

    #[test]
    fn a_key_that_is_not_wanted_any_more_is_left_where_it_was() {
        let (fakes, backend) = two_fakes::open(CudaConfig::default());
        let key = generate_parameters(&mul(), &toy_waste()).unwrap();
        let srs = backend.load_srs(&key.into()).unwrap();
        let srs_here = CudaSrs::of(&srs).unwrap();
        let mut n_blocks = 0u32;
        loop {
            let left = Cell::new(n_blocks);
            let is_wanted = || left.replace(left.get().saturating_sub(1)) > 0;
            let outcome = backend.gpus[1].fetch(srs_here, &is_wanted);
            assert_eq!(srs_here.is_on(fakes[1].ordinal), outcome.is_ok(), "{n_blocks}");
            match outcome {
                Ok(is_there) => break assert!(is_there),
                Err(error) => assert!(error.to_string().contains("not wanted any more"), "{error}"),
            }
            n_blocks += 1;
        }
        // It was asked for each of the five parts at least.
        assert!(n_blocks >= 5, "{n_blocks}");
        drop((srs, backend));
        for fake in fakes {
            assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
        }
    }
}
