//! The kernels of one proof, on two streams, under the device's compute lock. No memory of the device is allocated here: the buffers
//! are those of the key's plan.

use super::convert::DevicePoints;
use super::division::Share;
use super::error::at;
use super::handover::{Division, Outgoing};
use super::host::Host;
use super::msm_fit::MOST_TERMS_BESIDE;
use super::parts::Part;
use super::plan::Sorting;
use super::scratch::Scratch;
use super::sizes::ScratchSizes;
use super::slot::{Inputs, Slot, Staged};
use super::srs::{DeviceSrs, Points};
use super::streamed::{Streaming, Terms};
use super::sums::{Bench, Counts, Sums};
use super::upload::Uploader;
use groth16_core::assemble::MsmResults;
use groth16_core::schedule::{Batches, CRows};
use groth16_core::timeline::{Lane, Stage};
use groth16_core::Result;
use sppark_fork::{
    expand_bits_on, Device, Event, PinnedBuf, PinnedPool, PippengerSchedule, QuotientInput, QuotientSteps,
    Source, Stream, G1, G2,
};
use std::ops::Range;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// What the kernels of a device work with. Used by one proof at a time.
pub(super) struct Compute {
    device: Arc<Device>,
    streams: Streams,
    /// of the quotient's [`STEPS`] so many are under way
    n_steps: usize,
    staging_bytes: usize,
    host: Arc<Host>,
    scratch: Scratch,
    flight: Flight,
    /// a failure left something half done
    is_stale: bool,
}

/// The stage that errors of a quotient name.
const TRANSFORMS: &str = "transforms";

/// The steps of a quotient in order: from a, and from all rows.
pub(super) const STEPS: [QuotientSteps; 2] = [QuotientSteps::OfA, QuotientSteps::Rest];
/// So many of them need a alone.
pub(super) const STEPS_OF_A: usize = 1;

struct Streams {
    /// the quotient, H, and large sums of the witness
    compute: Stream,
    /// Sorting of the witness and small sums of it. Its short kernels go first wherever there is room, else they would wait for all blocks of a large one.
    beside: Stream,
}

impl Streams {
    fn new(device: &Arc<Device>) -> sppark_fork::Result<Self> {
        Ok(Streams {
            compute: Stream::new(device)?,
            beside: Stream::urgent(device)?,
        })
    }

    fn of(&self, lane: Lane) -> &Stream {
        match lane {
            Lane::Beside => &self.beside,
            _ => &self.compute,
        }
    }

    fn settle(&self) {
        self.compute.settle();
        self.beside.settle();
    }
}

/// What is in flight for a proof.
struct Flight {
    /// by the order of [`Part::STREAMED_FIRST`]
    sums: [Sums; 5],
    /// a query's counts are on the host
    counted: [Event; 3],
    counts: PinnedBuf<u32>,
    streaming: Option<Streaming>,
    /// brings the points that are streamed
    feed: Option<Uploader>,
}

impl Flight {
    fn new(device: &Arc<Device>) -> sppark_fork::Result<Self> {
        let sums = || Sums::new(device);
        let event = || Event::new(device);
        Ok(Flight {
            sums: [sums()?, sums()?, sums()?, sums()?, sums()?],
            counted: [event()?, event()?, event()?],
            counts: PinnedPool::new(device, 4096).get(6)?,
            streaming: None,
            feed: None,
        })
    }
}

/// One proof's inputs and key on the device.
struct Job<'a> {
    key: &'a DeviceSrs,
    slot: &'a mut Slot,
    inputs: &'a mut Inputs,
    staged: &'a Staged,
    share: Share,
    /// coefficients that a second device waits for
    outgoing: Option<&'a mut Outgoing>,
}

impl Job<'_> {
    /// Where the witness is sorted.
    fn sorting_lane(&self) -> Lane {
        match self.key.plan.sorting {
            Sorting::Beside => Lane::Beside,
            Sorting::Apart | Sorting::InTurn | Sorting::InTurnInC => Lane::Compute,
        }
    }

    /// Where a part is summed.
    fn lane(&self, part: Part, counts: Counts) -> Lane {
        match part.query() {
            Some(_) if counts.tail <= MOST_TERMS_BESIDE => self.sorting_lane(),
            _ => Lane::Compute,
        }
    }
}

/// A part's sum: in flight, or there.
enum Sum<C> {
    InFlight(Counts),
    Done(C),
}

impl Compute {
    /// With no room yet.
    pub(super) fn new(
        device: &Arc<Device>,
        staging_bytes: usize,
        host: &Arc<Host>,
    ) -> sppark_fork::Result<Self> {
        Ok(Compute {
            streams: Streams::new(device)?,
            n_steps: 0,
            scratch: Scratch::empty(device)?,
            flight: Flight::new(device)?,
            staging_bytes,
            host: host.clone(),
            is_stale: false,
            device: device.clone(),
        })
    }

    /// Makes the room that of `sizes`.
    pub(super) fn resize(&mut self, sizes: &ScratchSizes) -> sppark_fork::Result<()> {
        self.scratch.resize(&self.streams.compute, sizes)
    }

    /// Enqueues the first `n_steps` of a quotient's steps, if they are not yet: their rows are on their way. The proof whose they are
    /// [runs](Compute::run) or is [abandoned](Compute::abandon) next.
    pub(super) fn begin_quotient(
        &mut self,
        slot: &mut Slot,
        inputs: &mut Inputs,
        domain: usize,
        n_steps: usize,
    ) -> Result<()> {
        self.execute_ntts_prestaged(slot, inputs, domain, n_steps)
            .map_err(at(TRANSFORMS))
    }

    /// Waits for what was begun of a proof that has not run to its end.
    pub(super) fn abandon(&mut self) {
        if std::mem::take(&mut self.n_steps) > 0 {
            self.streams.settle();
        }
    }

    /// All kernels of a share of one proof; the sums of the other share are zero. A second device's
    /// coefficients are sent as soon as they are there. Returns when the device is done with the inputs and
    /// the key.
    pub(super) fn run(
        &mut self,
        key: &DeviceSrs,
        slot: &mut Slot,
        inputs: &mut Inputs,
        staged: &Staged,
        division: &mut Division,
    ) -> Result<MsmResults> {
        if self.is_stale {
            self.flight = Flight::new(&self.device).map_err(at("set-up of the device"))?;
            self.is_stale = false;
        }
        let mut job = Job {
            key,
            slot,
            inputs,
            staged,
            share: division.share,
            outgoing: division.outgoing.as_mut(),
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run_stages(&mut job)));
        self.n_steps = 0;
        if !matches!(outcome, Ok(Ok(_))) {
            // Nothing may be left in flight that reads the inputs or the key.
            // The feed waits for its copies when it goes.
            self.flight.feed = None;
            self.streams.settle();
            if let Some(outgoing) = &job.outgoing {
                outgoing.settle();
            }
            self.is_stale = true;
        }
        outcome.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn run_stages(&mut self, job: &mut Job<'_>) -> Result<MsmResults> {
        const SORTING: &str = "sorting of the witness";
        job.slot.uploader.recorder.host(Stage::Enqueue);
        match job.share.has_quotient() {
            true => {
                self.begin_quotient(job.slot, job.inputs, job.staged.domain, STEPS.len())?;
                self.hand_over(job)
                    .map_err(at("coefficients for the second device"))?;
            }
            false => self
                .streams
                .compute
                .wait_for(&job.slot.a_ready)
                .map_err(at(TRANSFORMS))?,
        }
        // Not earlier: the wires come last, and where they are sorted may be the quotient's room.
        let sorting = self.streams.of(job.sorting_lane());
        sorting.wait_for(&job.slot.wires_ready).map_err(at(SORTING))?;
        let is_apart = matches!(job.key.plan.sorting, Sorting::Beside | Sorting::Apart);
        let sorted_at_once = if is_apart { 0..3 } else { 0..1 };
        self.sort(job, sorted_at_once).map_err(at(SORTING))?;
        let h = self.start::<G1>(job, Part::H, &job.key.h)?;
        let l = self.start::<G1>(job, Part::L, &job.key.l)?;
        if !is_apart {
            self.sort(job, 1..2).map_err(at(SORTING))?;
        }
        let a = self.start::<G1>(job, Part::A, &job.key.a)?;
        if !is_apart {
            self.sort(job, 2..3).map_err(at(SORTING))?;
        }
        let b_g1 = self.start::<G1>(job, Part::BG1, &job.key.b_g1)?;
        let b_g2 = self.start::<G2>(job, Part::BG2, &job.key.b_g2)?;
        job.slot.uploader.recorder.host(Stage::Collect);
        let results = MsmResults {
            h: self.finish::<G1>(job, Part::H, h)?,
            l: self.finish::<G1>(job, Part::L, l)?,
            a: self.finish::<G1>(job, Part::A, a)?,
            b_g1: self.finish::<G1>(job, Part::BG1, b_g1)?,
            b_g2: self.finish::<G2>(job, Part::BG2, b_g2)?,
        };
        for stream in [&self.streams.compute, &self.streams.beside] {
            stream.synchronize().map_err(at("end of the proof"))?;
        }
        if let Some(outgoing) = &job.outgoing {
            outgoing.settle();
        }
        let gpu = job.slot.gpu.clone();
        job.slot.uploader.recorder.resolve(&gpu.timing);
        Ok(results)
    }

    /// Where a query is sorted: one room for all, unless they are sorted apart.
    fn room_of(job: &Job<'_>, query: usize) -> usize {
        match job.key.plan.sorting {
            Sorting::Beside | Sorting::Apart => query,
            Sorting::InTurn | Sorting::InTurnInC => 0,
        }
    }

    fn sort(&mut self, job: &mut Job<'_>, mut queries: Range<usize>) -> sppark_fork::Result<()> {
        if !job.share.has_queries() {
            return Ok(());
        }
        let lane = job.sorting_lane();
        let recorder = &mut job.slot.uploader.recorder;
        recorder.begin_on(lane, Stage::Split, self.streams.of(lane));
        queries.try_for_each(|query| match job.share.has_query(query) {
            true => self.sort_one(job, query),
            false => Ok(()),
        })?;
        job.slot.uploader.recorder.end_on(self.streams.of(lane));
        Ok(())
    }

    /// Enqueues what lists a query's wires, and, where points of it are resident, what finds zeros, ones and others among them,
    /// and the copy of their numbers.
    fn sort_one(&mut self, job: &mut Job<'_>, query: usize) -> sppark_fork::Result<()> {
        let stream = self.streams.of(job.sorting_lane());
        let room = &mut self.scratch.sorts[Self::room_of(job, query)];
        let terms = job.staged.query(query);
        let bits = job.inputs.bits(job.staged, query);
        if let Some(bits) = bits {
            let n_words = job.staged.n_wires().div_ceil(32);
            let (words, ranks) = (&bits.words, &bits.ranks);
            expand_bits_on(stream, words, ranks, n_words, terms.n, &mut room.indices)?;
        }
        let Some(split) = room.split.as_mut().filter(|_| job.key.has_resident(query)) else {
            return Ok(());
        };
        let indices = bits.map(|_| (&room.indices, 0));
        // SAFETY: the indices are those of bits, of which there is one for each of the wires.
        unsafe { split.split_on(stream, &job.inputs.wires, terms.first, indices, terms.n) }?;
        let out = &mut self.flight.counts[2 * query..][..2];
        // SAFETY: the counts are read after `counted`, and live as long as this does.
        unsafe { split.counts.download_on(stream, 0, out) }?;
        job.slot.uploader.recorder.moved(0, size_of_val(out) as u64);
        self.flight.counted[query].record_on(stream)
    }

    fn read_counts(&self, query: usize) -> sppark_fork::Result<Counts> {
        self.flight.counted[query].synchronize()?;
        Ok(Counts {
            tail: self.flight.counts[2 * query] as usize,
            ones: self.flight.counts[2 * query + 1] as usize,
        })
    }

    /// The quotient from a and b where they were staged; its coefficients end up in a. The transforms of a run while b may still
    /// be on its way.
    fn execute_ntts_prestaged(
        &mut self,
        slot: &mut Slot,
        inputs: &mut Inputs,
        domain: usize,
        n_steps: usize,
    ) -> sppark_fork::Result<()> {
        let c_from = match slot.gpu.schedule.c_rows {
            CRows::Product => QuotientInput::ProductOfAB,
            CRows::Uploaded => QuotientInput::Given,
        };
        let stream = &self.streams.compute;
        while self.n_steps < n_steps {
            let steps = STEPS[self.n_steps];
            self.n_steps += 1;
            match steps {
                QuotientSteps::OfA => stream.wait_for(&slot.a_ready)?,
                _ => {
                    stream.wait_for(&slot.b_ready)?;
                    if c_from == QuotientInput::Given {
                        stream.wait_for(&slot.c_ready)?;
                    }
                }
            }
            let Some((table, c)) = self.scratch.quotient(domain).filter(|_| domain > 1) else {
                continue; // one row has no quotient
            };
            let Inputs { a, b, c: given, .. } = &mut *inputs;
            let c = match c_from {
                QuotientInput::Given => given,
                QuotientInput::ProductOfAB => c,
            };
            let recorder = &mut slot.uploader.recorder;
            recorder.begin_on(Lane::Compute, Stage::Quotient, stream);
            table.quotient_of_on(stream, domain.ilog2(), [a, b, c], c_from, steps)?;
            recorder.end_on(stream);
        }
        Ok(())
    }

    /// Sends the coefficients that a second device is to sum.
    fn hand_over(&mut self, job: &mut Job<'_>) -> sppark_fork::Result<()> {
        let Some(outgoing) = &mut job.outgoing else {
            return Ok(());
        };
        let first = job.share.terms_of_h(job.key.n_h).end;
        let recorder = &mut job.slot.uploader.recorder;
        recorder.host(Stage::Coefficients);
        outgoing.send(&self.streams.compute, &job.inputs.a, first..job.key.n_h, recorder)?;
        // The second device waits for them: sums of this one's would hold up the quotient.
        outgoing.let_pass(&self.streams.beside)?;
        recorder.host(Stage::Enqueue);
        Ok(())
    }

    /// Enqueues a part's sum; of a part that is streamed, computes it.
    fn start<G: DevicePoints>(
        &mut self,
        job: &mut Job<'_>,
        part: Part,
        points: &Points<G>,
    ) -> Result<Sum<G::Curve>> {
        if !job.share.has(part) {
            return Ok(Sum::InFlight(Counts::default()));
        }
        let points = match points {
            Points::Resident(points) => points,
            Points::Streamed(points) => return self.stream_sum(job, part, points).map(Sum::Done),
        };
        let of_h = job.share.terms_of_h(job.key.n_h);
        if points.is_empty() || (part == Part::H && of_h.is_empty()) {
            return Ok(Sum::InFlight(Counts::default()));
        }
        let cuda = at(part.stage());
        let counts = match part.query() {
            Some(query) => self.read_counts(query).map_err(&cuda)?,
            // The quotient has one coefficient fewer than the domain has elements.
            None => Counts {
                tail: of_h.len(),
                ones: 0,
            },
        };
        // What was sorted on another stream is there: its counts are.
        let lane = job.lane(part, counts);
        let stream = self.streams.of(lane);
        let mut bench = Bench {
            stream,
            workspace: match lane {
                Lane::Beside => &mut self.scratch.beside,
                _ => &mut self.scratch.workspace,
            },
            schedule: schedule_of(job),
        };
        let sums = &mut self.flight.sums[part.index()];
        job.slot.uploader.recorder.begin_on(lane, part.kernels(), stream);
        match part.query() {
            None => {
                let points = Source::DeviceFrom(points, of_h.start);
                let scalars = Source::DeviceFrom(&job.inputs.a, of_h.start);
                sums.start_msm::<G>(&mut bench, part, points, scalars, None, counts.tail)
            }
            Some(query) => match &self.scratch.sorts[Self::room_of(job, query)].split {
                Some(split) => sums.start::<G>(&mut bench, part, points, split, counts),
                None => Ok(()), // no terms
            },
        }
        .map_err(&cuda)?;
        job.slot.uploader.recorder.end_on(stream);
        Ok(Sum::InFlight(counts))
    }

    fn stream_sum<G: DevicePoints>(
        &mut self,
        job: &mut Job<'_>,
        part: Part,
        points: &super::host_points::HostPoints<G>,
    ) -> Result<G::Curve> {
        if self.flight.streaming.is_none() {
            let streaming = Streaming::new(&self.device);
            self.flight.streaming = Some(streaming.map_err(at("set-up of streaming"))?);
        }
        if self.flight.feed.is_none() {
            let feed = Uploader::new(&self.device, self.staging_bytes, &self.host);
            self.flight.feed = Some(feed.map_err(at("set-up of streaming"))?);
        }
        let (Some(streaming), Some(feed)) = (&mut self.flight.streaming, &mut self.flight.feed) else {
            unreachable!("made above")
        };
        let scratch = &mut self.scratch;
        let terms = match part.query() {
            None => {
                let of_h = job.share.terms_of_h(job.key.n_h);
                Terms {
                    first_point: of_h.start,
                    elements: &job.inputs.a,
                    first: of_h.start,
                    indices: None,
                    n: of_h.len(),
                }
            }
            Some(query) => {
                let terms = job.staged.query(query);
                let room = &scratch.sorts[Self::room_of(job, query)];
                Terms {
                    first_point: 0,
                    elements: &job.inputs.wires,
                    first: terms.first,
                    indices: job.inputs.bits(job.staged, query).map(|_| &room.indices),
                    n: terms.n,
                }
            }
        };
        let mut bench = Bench {
            stream: &self.streams.compute,
            workspace: &mut scratch.workspace,
            schedule: schedule_of(job),
        };
        let recorder = &mut job.slot.uploader.recorder;
        recorder.begin_on(Lane::Compute, part.kernels(), bench.stream);
        let sum = streaming.sum(&mut bench, feed, &mut scratch.chunks, part, points, &terms)?;
        recorder.end_on(&self.streams.compute);
        recorder.moved(part.point_bytes() * terms.n as u64, 0);
        Ok(sum)
    }

    fn finish<G: DevicePoints>(
        &mut self,
        job: &mut Job<'_>,
        part: Part,
        sum: Sum<G::Curve>,
    ) -> Result<G::Curve> {
        match sum {
            Sum::Done(sum) => Ok(sum),
            Sum::InFlight(counts) => {
                let sums = &mut self.flight.sums[part.index()];
                let sum = sums.finish::<G>(counts).map_err(at(part.stage()))?;
                let recorder = &mut job.slot.uploader.recorder;
                sums.used(counts).for_each(|context| recorder.moved_by(context));
                Ok(sum)
            }
        }
    }
}

fn schedule_of(job: &Job<'_>) -> PippengerSchedule {
    match job.slot.gpu.schedule.batches {
        Batches::Deferred => PippengerSchedule::Deferred,
        Batches::PerBatch => PippengerSchedule::PerBatch,
    }
}
