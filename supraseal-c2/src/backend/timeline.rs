//! The timeline of a proof under way: when its stages began and ended, on the host and on its streams.
//!
//! Unless somebody wants it, nothing is recorded: no event, no allocation. And it never costs a proof: where it fails, the proof
//! goes on without.

use groth16_core::timeline::{Lane, Span, Stage, Timeline, TimelineSink};
use parking_lot::Mutex;
use sppark_fork::{CudaError, Event, MsmContext, Result, Stream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The target of the line that each timeline is at debug level.
const TARGET: &str = "supraseal_c2::timing";
/// Elapsed times come as 32-bit floats of milliseconds, which so long after the reference still tell microseconds apart.
const REFERENCE_LIFE: Duration = Duration::from_secs(8);
/// Of so many tries the reference is the one that the host knows the time of best.
const REFERENCE_TRIES: u32 = 3;

/// What the timelines of a device have in common.
pub(super) struct Timing {
    sink: Option<TimelineSink>,
    n_proofs: AtomicU64,
    reference: Mutex<Option<Arc<Reference>>>,
    /// end of the last kernels so far, of each of the two streams
    kernels_end: Mutex<[Option<Instant>; 2]>,
}

/// A moment that is known on both clocks.
struct Reference {
    event: Event,
    at: Instant,
}

impl Timing {
    pub(super) fn new(sink: Option<TimelineSink>) -> Self {
        Timing {
            sink,
            n_proofs: AtomicU64::new(0),
            reference: Mutex::default(),
            kernels_end: Mutex::default(),
        }
    }

    fn is_wanted(&self) -> bool {
        self.sink.is_some()
            || tracing::enabled!(target: TARGET, tracing::Level::DEBUG)
            || log::log_enabled!(target: TARGET, log::Level::Debug)
    }

    /// The reference, taken anew on an idle stream where it is old.
    fn reference(&self, idle: &Stream) -> Result<Arc<Reference>> {
        let mut current = self.reference.lock();
        match &*current {
            Some(reference) if reference.at.elapsed() < REFERENCE_LIFE => Ok(reference.clone()),
            _ => Ok(current.insert(Arc::new(Reference::take(idle)?)).clone()),
        }
    }

    /// Gives a timeline to the log and to whoever wants it.
    fn deliver(&self, timeline: Timeline) {
        tracing::debug!(target: TARGET, "{timeline}");
        if let Some(sink) = &self.sink {
            sink.put(timeline);
        }
    }
}

impl Reference {
    /// The event passes between its recording and the host's waking, as nothing is before it.
    fn take(idle: &Stream) -> Result<Self> {
        let try_once = || {
            let event = Event::with_timing(idle.device())?;
            let before = Instant::now();
            event.record_on(idle)?;
            event.synchronize()?;
            let uncertainty = before.elapsed();
            let at = before + uncertainty / 2;
            Ok((uncertainty, Reference { event, at }))
        };
        let (mut uncertainty, mut best) = try_once()?;
        for _ in 1..REFERENCE_TRIES {
            let (this, reference) = try_once()?;
            if this < uncertainty {
                (uncertainty, best) = (this, reference);
            }
        }
        Ok(best)
    }

    /// When an event passed, on the host's clock.
    fn time_of(&self, event: &Event) -> Result<Instant> {
        let elapsed_ms = event.elapsed_ms_since(&self.event)?;
        Ok(self.at + Duration::from_secs_f64(f64::from(elapsed_ms.max(0.0)) / 1e3))
    }
}

/// The marks of one worker's proof. Off, each call is one comparison.
#[derive(Default)]
pub(super) struct Recorder {
    /// with timing, kept from proof to proof
    events: Vec<Event>,
    proof: Option<Recording>,
}

struct Recording {
    timeline: Timeline,
    reference: Arc<Reference>,
    n_events: usize,
    /// what the host does now, and since when
    host: Option<(Stage, Instant)>,
    marks: Vec<Mark>,
}

/// A span on a stream, by the numbers of its events.
struct Mark {
    lane: Lane,
    stage: Stage,
    begin: usize,
    end: Option<usize>,
}

impl Recorder {
    /// Begins a proof's timeline, if somebody wants it. `idle` is a stream with nothing under way.
    pub(super) fn start(&mut self, timing: &Timing, worker: u32, idle: &Stream) {
        self.proof = None;
        if !timing.is_wanted() {
            return;
        }
        match timing.reference(idle) {
            Ok(reference) => {
                let number = timing.n_proofs.fetch_add(1, Ordering::Relaxed);
                self.proof = Some(Recording {
                    timeline: Timeline::new(idle.device().ordinal(), worker, number),
                    reference,
                    n_events: 0,
                    host: None,
                    marks: Vec::new(),
                });
            }
            Err(error) => self.give_up(&error),
        }
    }

    /// The host begins a stage, and with it ends the one before.
    pub(super) fn host(&mut self, stage: Stage) {
        if let Some(proof) = &mut self.proof {
            proof.end_host();
            proof.host = Some((stage, Instant::now()));
        }
    }

    /// What is enqueued from here to [`Recorder::end_on`] is a copy of the stage that the host is in.
    pub(super) fn begin_copy_on(&mut self, stream: &Stream) {
        if let Some((stage, _)) = self.proof.as_ref().and_then(|proof| proof.host) {
            self.begin_on(Lane::Copy, stage, stream);
        }
    }

    /// What is enqueued from here to [`Recorder::end_on`] is of this stage.
    pub(super) fn begin_on(&mut self, lane: Lane, stage: Stage, stream: &Stream) {
        let Some(begin) = self.stamp(stream) else { return };
        if let Some(proof) = &mut self.proof {
            proof.marks.push(Mark {
                lane,
                stage,
                begin,
                end: None,
            });
        }
    }

    /// Ends what was begun last.
    pub(super) fn end_on(&mut self, stream: &Stream) {
        let begun = self.proof.as_ref().and_then(|proof| proof.marks.last());
        if begun.is_none_or(|mark| mark.end.is_some()) {
            return;
        }
        let end = self.stamp(stream);
        if let Some(mark) = self.proof.as_mut().and_then(|proof| proof.marks.last_mut()) {
            mark.end = end;
        }
    }

    /// Counts bytes that cross the bus.
    pub(super) fn moved(&mut self, up_bytes: u64, down_bytes: u64) {
        if let Some(Recording { timeline, .. }) = &mut self.proof {
            timeline.uploaded_bytes += up_bytes;
            timeline.downloaded_bytes += down_bytes;
        }
    }

    /// Counts what a sum moved.
    pub(super) fn moved_by(&mut self, context: &MsmContext) {
        if self.proof.is_some() {
            match context.moved_bytes() {
                Ok((up_bytes, down_bytes)) => self.moved(up_bytes, down_bytes),
                Err(error) => self.give_up(&error),
            }
        }
    }

    /// Turns marks into spans. All that was marked has passed; and no other proof's kernels have begun, so that those of one
    /// device are in order.
    pub(super) fn resolve(&mut self, timing: &Timing) {
        let Some(proof) = &mut self.proof else { return };
        if let Err(error) = proof.resolve(&self.events, timing) {
            self.give_up(&error);
        }
    }

    /// Ends the timeline of a proof that is there, and hands it over.
    pub(super) fn finish(&mut self, timing: &Timing) {
        if let Some(mut proof) = self.proof.take() {
            proof.end_host();
            timing.deliver(proof.timeline);
        }
    }

    /// Records the next event; gives its number.
    fn stamp(&mut self, stream: &Stream) -> Option<usize> {
        let number = self.proof.as_ref()?.n_events;
        match self.record(number, stream) {
            Ok(()) => {
                self.proof.as_mut()?.n_events += 1;
                Some(number)
            }
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn record(&mut self, number: usize, stream: &Stream) -> Result<()> {
        if number == self.events.len() {
            self.events.push(Event::with_timing(stream.device())?);
        }
        self.events[number].record_on(stream)
    }

    fn give_up(&mut self, error: &CudaError) {
        tracing::warn!(target: TARGET, "a proof goes on without its timeline: {error}");
        self.proof = None;
    }
}

impl Recording {
    fn end_host(&mut self) {
        if let Some((stage, begin)) = self.host.take() {
            self.timeline.spans.push(Span {
                lane: Lane::Host,
                stage,
                begin,
                end: Instant::now(),
            });
        }
    }

    fn resolve(&mut self, events: &[Event], timing: &Timing) -> Result<()> {
        let mut kernels_end = timing.kernels_end.lock();
        let [compute_end, beside_end] = &mut *kernels_end;
        let mut copies_end = None;
        for mark in self.marks.drain(..) {
            let Some(end) = mark.end else { continue };
            let mut begin = self.reference.time_of(&events[mark.begin])?;
            let mut end = self.reference.time_of(&events[end])?;
            let last = match mark.lane {
                Lane::Compute => &mut *compute_end,
                Lane::Beside => &mut *beside_end,
                Lane::Host | Lane::Copy => &mut copies_end,
            };
            // A stream does one thing after another; rounding, and a new reference, may say otherwise by microseconds.
            begin = last.map_or(begin, |last: Instant| last.max(begin));
            end = end.max(begin);
            *last = Some(end);
            let (lane, stage) = (mark.lane, mark.stage);
            self.timeline.spans.push(Span {
                lane,
                stage,
                begin,
                end,
            });
        }
        Ok(())
    }
}
