//! What a backend on a device did for one proof, and when.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One proof: its stages on the host and on the device, all on the host's monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeline {
    /// the device's ordinal
    pub device: u32,
    /// which of the device's workers made it, from 0 on
    pub worker: u32,
    /// the proof's number among those of its device, from 0 on
    pub proof: u64,
    /// In order within each lane, where none overlaps the next.
    pub spans: Vec<Span>,
    /// bytes from the host to the device
    pub uploaded_bytes: u64,
    /// bytes from the device to the host
    pub downloaded_bytes: u64,
}

/// A stage's time in one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// where
    pub lane: Lane,
    /// what
    pub stage: Stage,
    /// when it began
    pub begin: Instant,
    /// when it ended
    pub end: Instant,
}

/// Where time is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The thread that makes the proof.
    Host,
    /// The worker's copies: to the device, and then from it to a second one; each block is a span.
    Copy,
    /// The first of the device's two streams of kernels, which its workers take in turns.
    Compute,
    /// The second, for small sums of the witness: what runs there overlaps what runs in [`Lane::Compute`], and slows it down.
    Beside,
}

macro_rules! stages {
    ($($stage:ident $name:literal $what:literal)*) => {
        /// A part of a proof.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Stage {
            $(#[doc = $what] $stage,)*
        }

        impl Stage {
            /// Its name in logs and traces.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Stage::$stage => $name,)*
                }
            }
        }
    };
}

stages! {
    Key "key" "Host: until the key is on the device; nothing once it is."
    Wires "wires" "Host and copies: the values of the wires."
    A "a" "Host and copies: the rows of A."
    B "b" "Host and copies: the rows of B."
    C "c" "Host and copies: the rows of C, where they are uploaded."
    Coefficients "coefficients" "Host and copies: coefficients of the quotient on their way to a second device."
    Lock "lock" "Host: waiting for the device."
    Enqueue "enqueue" "Host: giving the device its work, while it works."
    Collect "collect" "Host: waiting for results, and the last additions of each."
    Assembly "assembly" "Host: the proof's three points from the sums."
    Split "split" "Kernels: sorting of the wires' values by kind."
    Quotient "ntt" "Kernels: the transforms."
    MsmH "msm_h" "Kernels: the sum over H."
    MsmL "msm_l" "Kernels: the sum over L."
    MsmA "msm_a" "Kernels: the sum over A."
    MsmBG1 "msm_b_g1" "Kernels: the sum over B in G1."
    MsmBG2 "msm_b_g2" "Kernels: the sum over B in G2."
}

impl Timeline {
    /// A timeline without spans.
    pub fn new(device: u32, worker: u32, proof: u64) -> Self {
        Timeline {
            device,
            worker,
            proof,
            spans: Vec::new(),
            uploaded_bytes: 0,
            downloaded_bytes: 0,
        }
    }

    /// The spans of a lane, in order.
    pub fn lane(&self, lane: Lane) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.lane == lane)
    }

    /// Time spent in a stage in one lane; zero if it did not occur.
    pub fn time_in(&self, lane: Lane, stage: Stage) -> Duration {
        self.lane(lane)
            .filter(|span| span.stage == stage)
            .map(Span::duration)
            .sum()
    }

    /// From the first begin to the last end.
    pub fn total(&self) -> Duration {
        let begin = self.spans.iter().map(|span| span.begin).min();
        let end = self.spans.iter().map(|span| span.end).max();
        begin.zip(end).map_or(Duration::ZERO, |(begin, end)| end - begin)
    }
}

impl Span {
    /// How long it took.
    pub fn duration(&self) -> Duration {
        self.end.saturating_duration_since(self.begin)
    }
}

/// One line: `CUZK_TIMING:` and `name=value` for each stage, in milliseconds. The names and their order stay.
impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            f,
            "CUZK_TIMING: device={} worker={} proof={} total_ms={:.3}",
            self.device,
            self.worker,
            self.proof,
            ms(self.total())
        )?;
        let host = |stages: &[Stage]| -> Duration {
            stages.iter().map(|stage| self.time_in(Lane::Host, *stage)).sum()
        };
        let copies: Duration = self.lane(Lane::Copy).map(Span::duration).sum();
        for (name, time) in [
            ("key", host(&[Stage::Key])),
            ("stage", host(&[Stage::Wires, Stage::A, Stage::B, Stage::C])),
            ("copy", copies),
            ("lock", host(&[Stage::Lock])),
            ("enqueue", host(&[Stage::Enqueue])),
            ("collect", host(&[Stage::Collect])),
            ("assembly", host(&[Stage::Assembly])),
        ] {
            write!(f, " {name}_ms={:.3}", ms(time))?;
        }
        for stage in [
            Stage::Split,
            Stage::Quotient,
            Stage::MsmH,
            Stage::MsmL,
            Stage::MsmA,
            Stage::MsmBG1,
            Stage::MsmBG2,
        ] {
            write!(
                f,
                " {}_ms={:.3}",
                stage.name(),
                ms(self.time_in(Lane::Compute, stage) + self.time_in(Lane::Beside, stage))
            )?;
        }
        write!(
            f,
            " up_bytes={} down_bytes={} coefficients_ms={:.3}",
            self.uploaded_bytes,
            self.downloaded_bytes,
            ms(host(&[Stage::Coefficients]))
        )
    }
}

/// Where a backend puts the timeline of each proof: called on the proof's thread before the proof is handed
/// out, so it should return soon. Without a sink nothing is measured.
///
/// ```
/// use groth16_core::timeline::TimelineSink;
/// let (sender, timelines) = std::sync::mpsc::channel();
/// let sink = TimelineSink::new(move |timeline| drop(sender.send(timeline)));
/// # drop(sink);
/// # assert_eq!(timelines.iter().count(), 0);
/// ```
#[derive(Clone)]
pub struct TimelineSink(Arc<dyn Fn(Timeline) + Send + Sync>);

impl TimelineSink {
    /// Calls `take` with each timeline, from any thread.
    pub fn new(take: impl Fn(Timeline) + Send + Sync + 'static) -> Self {
        TimelineSink(Arc::new(take))
    }

    /// Hands over a timeline.
    pub fn put(&self, timeline: Timeline) {
        (self.0)(timeline);
    }
}

impl fmt::Debug for TimelineSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TimelineSink")
    }
}

/// Two are equal if they are one.
impl PartialEq for TimelineSink {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for TimelineSink {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_each_stage_once_in_milliseconds() {
        let zero = Instant::now();
        let at = |us| zero + Duration::from_micros(us);
        let span = |lane, stage, begin, end| Span {
            lane,
            stage,
            begin: at(begin),
            end: at(end),
        };
        let timeline = Timeline {
            spans: vec![
                span(Lane::Host, Stage::Wires, 0, 1000),
                span(Lane::Host, Stage::A, 1000, 1500),
                span(Lane::Copy, Stage::Wires, 200, 300),
                span(Lane::Copy, Stage::A, 1200, 1700),
                span(Lane::Beside, Stage::MsmBG2, 2000, 4125),
            ],
            uploaded_bytes: 64,
            downloaded_bytes: 7,
            ..Timeline::new(2, 1, 9)
        };
        assert_eq!(
            timeline.to_string(),
            "CUZK_TIMING: device=2 worker=1 proof=9 total_ms=4.125 key_ms=0.000 stage_ms=1.500 copy_ms=0.600 \
             lock_ms=0.000 enqueue_ms=0.000 collect_ms=0.000 assembly_ms=0.000 split_ms=0.000 ntt_ms=0.000 \
             msm_h_ms=0.000 msm_l_ms=0.000 msm_a_ms=0.000 msm_b_g1_ms=0.000 msm_b_g2_ms=2.125 up_bytes=64 down_bytes=7 \
             coefficients_ms=0.000"
        );
    }

    #[test]
    fn a_sink_equals_itself_and_no_other() {
        let sink = TimelineSink::new(|_| ());
        assert_eq!(sink, sink.clone());
        assert_ne!(sink, TimelineSink::new(|_| ()));
    }
}
