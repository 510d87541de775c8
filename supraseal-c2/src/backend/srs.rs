//! A key, and its points on a device.

use super::convert::DevicePoints;
use super::error::{at, NAME};
use super::gpu::Gpu;
use super::host_points::{HostCopies, HostPoints, PageLocking, PointSource, SendError};
use super::parts::Part;
use super::plan::Plan;
use super::upload::Uploader;
use groth16_core::params::KeyCounts;
use groth16_core::{Error, LoadedSrs, Result, Srs, VerifyingKey};
use parking_lot::Mutex;
use sppark_fork::{Device, DeviceBuf, Stream, G1, G2};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A key that this backend has loaded. Where its points are, the devices' tenancies say.
pub(super) struct CudaSrs {
    source: Srs,
    vk: VerifyingKey,
    places: Mutex<Vec<(u32, Arc<Place>)>>,
    g1: HostCopies<G1>,
    g2: HostCopies<G2>,
    locking: PageLocking,
    /// a proof would have been divided if an idle device had it
    was_missed: AtomicBool,
}

/// A key's place on one device: its points while they are there.
#[derive(Default)]
pub(super) struct Place {
    state: Mutex<PlaceState>,
    /// held while points are read for another device
    reading: Mutex<()>,
}

#[derive(Default)]
struct PlaceState {
    key: Option<Arc<DeviceSrs>>,
    /// the plan it was last loaded with
    rung: usize,
    last_used: u64,
}

/// The points of a key for one device, and the plan by which proofs with it are made.
pub(super) struct DeviceSrs {
    device: Arc<Device>,
    pub(super) plan: Plan,
    pub(super) n_h: usize,
    pub(super) h: Points<G1>,
    pub(super) l: Points<G1>,
    pub(super) a: Points<G1>,
    pub(super) b_g1: Points<G1>,
    pub(super) b_g2: Points<G2>,
}

/// A key on another device, as the source of one that is being loaded: its points need not be decoded again.
struct Twin {
    place: Arc<Place>,
    stream: Stream,
}

/// Asked at each block's end: whether a key is still to go to a device.
pub(super) type IsWanted<'a> = dyn Fn() -> bool + 'a;

/// Which points of a key, and how long.
struct PointsOf<'a, G: DevicePoints> {
    part: Part,
    on_device: fn(&DeviceSrs) -> &Points<G>,
    is_wanted: &'a IsWanted<'a>,
}

/// Points of one part.
pub(super) enum Points<G: DevicePoints> {
    Resident(DeviceBuf<G::Point>),
    Streamed(HostPoints<G>),
}

impl LoadedSrs for CudaSrs {
    fn vk(&self) -> &VerifyingKey {
        &self.vk
    }
    fn counts(&self) -> KeyCounts {
        self.source.counts()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CudaSrs {
    pub(super) fn new(source: &Srs, locking: PageLocking) -> Result<Self> {
        let vk = match source {
            Srs::Memory(parameters) => parameters.vk.clone(),
            Srs::Mapped(mapped, check) => mapped.verifying_key(*check)?,
        };
        Ok(CudaSrs {
            source: source.clone(),
            vk,
            places: Mutex::default(),
            g1: HostCopies::new(),
            g2: HostCopies::new(),
            locking,
            was_missed: AtomicBool::new(false),
        })
    }

    /// The handle behind a trait object, if this backend made it.
    pub(super) fn of(srs: &Arc<dyn LoadedSrs>) -> Result<&CudaSrs> {
        srs.as_any()
            .downcast_ref()
            .ok_or(Error::ForeignSrs { backend: NAME })
    }

    /// Its place on a device, empty at first.
    pub(super) fn place(&self, ordinal: u32) -> Arc<Place> {
        let mut places = self.places.lock();
        if let Some((_, place)) = places.iter().find(|(o, _)| *o == ordinal) {
            return place.clone();
        }
        let place = Arc::new(Place::default());
        places.push((ordinal, place.clone()));
        place
    }

    /// Whether the key is on a device, as far as can be told without waiting.
    pub(super) fn is_on(&self, ordinal: u32) -> bool {
        let places = self.places.try_lock();
        places.is_some_and(|places| {
            let place = places.iter().find(|(o, _)| *o == ordinal);
            place.is_some_and(|(_, place)| place.state.lock().key.is_some())
        })
    }

    /// Notes that a proof would be divided if an idle device had the key. Whether an earlier one was noted.
    pub(super) fn would_have_been_divided(&self) -> bool {
        self.was_missed.swap(true, Ordering::Relaxed)
    }

    /// Forgets what was on a device that is lost.
    pub(super) fn forget(&self, ordinal: u32) {
        self.places.lock().retain(|(o, _)| *o != ordinal);
    }

    /// One on a device other than this one, if there is any.
    fn twin(&self, ordinal: u32) -> Option<Twin> {
        let places = self.places.lock();
        let others = places.iter().filter(|(other, _)| *other != ordinal);
        let mut twins = others.filter_map(|(_, place)| {
            let device = place.state.lock().key.as_ref()?.device.clone();
            Some(Twin {
                place: place.clone(),
                stream: Stream::new(&device).ok()?,
            })
        });
        twins.next()
    }

    fn load<G: DevicePoints>(
        &self,
        uploader: &mut Uploader,
        gpu: &Gpu,
        plan: &Plan,
        copies: &HostCopies<G>,
        twin: Option<&Twin>,
        PointsOf {
            part,
            on_device,
            is_wanted,
        }: PointsOf<'_, G>,
    ) -> Result<Points<G>> {
        let source = PointSource {
            srs: self.source.clone(),
            part,
        };
        let n = super::sizes::Shape(self.counts()).n(part);
        if !plan.is_resident(part) {
            return copies
                .get(source, n, &self.locking, &gpu.host.pool)
                .map(Points::Streamed);
        }
        let mut buffer = DeviceBuf::alloc(&gpu.device, n).map_err(at("memory for the key"))?;
        // Into the page-locked blocks, from the twin or decoded by all cores, while earlier blocks cross the
        // bus.
        uploader
            .upload_blocks(&mut buffer, 0, n, |pool, first, block| {
                if !is_wanted() {
                    return Err(SendError::Core(not_wanted()));
                }
                match twin.is_some_and(|twin| twin.read(on_device, first, block)) {
                    true => Ok(()),
                    false => pool.install(|| source.read::<G>(first, block).map_err(SendError::Core)),
                }
            })
            .map_err(|error: SendError| error.of_stage("upload of the key"))?;
        Ok(Points::Resident(buffer))
    }
}

impl DeviceSrs {
    /// Puts a key where its plan says.
    pub(super) fn load(srs: &CudaSrs, gpu: &Gpu, plan: Plan, is_wanted: &IsWanted<'_>) -> Result<Self> {
        let mut uploader =
            Uploader::new(&gpu.device, gpu.staging_bytes, &gpu.host).map_err(at("upload of the key"))?;
        let twin = srs.twin(gpu.device.ordinal());
        let mut g1 = |part, on_device: fn(&DeviceSrs) -> &Points<G1>| {
            let points = PointsOf {
                part,
                on_device,
                is_wanted,
            };
            srs.load(&mut uploader, gpu, &plan, &srs.g1, twin.as_ref(), points)
        };
        let h = g1(Part::H, |key| &key.h)?;
        let l = g1(Part::L, |key| &key.l)?;
        let a = g1(Part::A, |key| &key.a)?;
        let b_g1 = g1(Part::BG1, |key| &key.b_g1)?;
        let of_g2 = PointsOf {
            part: Part::BG2,
            on_device: |key| &key.b_g2,
            is_wanted,
        };
        let b_g2 = srs.load(&mut uploader, gpu, &plan, &srs.g2, twin.as_ref(), of_g2)?;
        uploader.stream.synchronize().map_err(at("upload of the key"))?;
        Ok(DeviceSrs {
            device: gpu.device.clone(),
            n_h: srs.counts().h,
            plan,
            h,
            l,
            a,
            b_g1,
            b_g2,
        })
    }

    /// Whether points of a witness query are resident.
    pub(super) fn has_resident(&self, query: usize) -> bool {
        Part::STREAMED_FIRST
            .into_iter()
            .any(|part| part.query() == Some(query) && self.plan.is_resident(part))
    }
}

fn not_wanted() -> Error {
    Error::Backend {
        backend: NAME,
        stage: "upload of the key",
        source: "it is not wanted any more".into(),
    }
}

impl Twin {
    /// Copies points to page-locked memory of the host. If it cannot, since the key has gone, is streamed
    /// there or its device fails, that is no error of the device that is loaded.
    fn read<G: DevicePoints>(
        &self,
        on_device: fn(&DeviceSrs) -> &Points<G>,
        first: usize,
        out: &mut [G::Point],
    ) -> bool {
        let read = self.place.read(|key| match on_device(key) {
            Points::Resident(points) => points.download(&self.stream, first, out).is_ok(),
            Points::Streamed(_) => false,
        });
        let is_read = read.unwrap_or(false);
        if !is_read {
            // The block is about to be written by others.
            self.stream.settle();
        }
        is_read
    }
}

impl Place {
    /// Does `work` with the points, if they are there; they are not evicted meanwhile.
    fn read<T>(&self, work: impl FnOnce(&DeviceSrs) -> T) -> Option<T> {
        let _reading = self.reading.lock();
        let key = self.key()?;
        Some(work(&key))
    }

    /// The points, if they are there.
    pub(super) fn key(&self) -> Option<Arc<DeviceSrs>> {
        self.state.lock().key.clone()
    }

    pub(super) fn put(&self, key: Arc<DeviceSrs>) {
        self.state.lock().key = Some(key);
    }

    /// The rung of the ladder of plans that was last tried.
    pub(super) fn rung(&self) -> usize {
        self.state.lock().rung
    }

    pub(super) fn set_rung(&self, rung: usize) {
        self.state.lock().rung = rung;
    }

    pub(super) fn use_at(&self, time: u64) {
        self.state.lock().last_used = time;
    }

    /// When it was last used, if points are there that nobody uses now.
    pub(super) fn unused_since(&self) -> Option<u64> {
        // Whoever reads a block for another device is soon done with it.
        let _reading = self.reading.lock();
        let state = self.state.lock();
        let is_unused = state.key.as_ref().is_some_and(|key| Arc::strong_count(key) == 1);
        is_unused.then_some(state.last_used)
    }

    /// Frees the points.
    pub(super) fn evict(&self) {
        let key = self.state.lock().key.take();
        drop(key);
    }
}
