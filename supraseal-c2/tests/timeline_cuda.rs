//! Timelines of the CUDA backend on the fake runtime.
#![cfg(feature = "host-check")]

use bench_shapes::BenchShape;
use groth16_core::schedule::*;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::timeline::{Lane, Span, Stage, Timeline, TimelineSink};
use groth16_core::*;
use sppark_fork::fake::FakeDevice;
use std::sync::mpsc::channel;
use std::time::Instant;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

const N_CIRCUITS: usize = 6;

struct Run {
    fake: FakeDevice,
    timelines: Vec<Timeline>,
    rows: usize,
    wires: usize,
    /// around the proving call
    call: (Instant, Instant),
    /// objects alive before the backend went
    alive: u64,
}

/// Six proofs in one call, on a fresh device, with or without a sink.
fn run(seed: u64, workers: usize, schedule: Schedule, with_sink: bool) -> Run {
    let (sender, receiver) = channel();
    let sink = TimelineSink::new(move |timeline| drop(sender.send(timeline)));
    let fake = FakeDevice::new(512 << 20, seed);
    let config = CudaConfig {
        gpus: Some(vec![fake.ordinal]),
        staging_bytes: Some(3 * 4096),
        workers: Some(workers),
        schedule,
        timelines: with_sink.then_some(sink),
        ..CudaConfig::default()
    };
    let (r1cs, witness) = BenchShape::new(7, 0.3).unwrap().generate(4).unwrap();
    let waste = ToxicWaste::insecure_from_seed(6);
    let backend = CudaBackend::new(&config).unwrap();
    let srs = backend
        .load_srs(&generate_parameters(&r1cs, &waste).unwrap().into())
        .unwrap();
    let assignment = r1cs.assign(&witness).unwrap();
    let blinding = Blinding {
        r: 3.into(),
        s: 5.into(),
    };
    let circuits = [assignment.as_assignment(); N_CIRCUITS];
    let begin = Instant::now();
    backend
        .prove_scoped(&srs, &circuits, &[blinding; N_CIRCUITS])
        .unwrap();
    let call = (begin, Instant::now());
    let alive = fake.alive();
    drop((backend, srs, config));
    assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    Run {
        fake,
        timelines: receiver.iter().collect(),
        rows: assignment.a.len(),
        wires: witness.len(),
        call,
        alive,
    }
}

#[track_caller]
fn assert_in_order<'a>(spans: impl IntoIterator<Item = &'a Span>) {
    let mut spans: Vec<_> = spans.into_iter().collect();
    spans.sort_by_key(|span| (span.begin, span.end));
    for span in &spans {
        assert!(span.begin <= span.end, "{span:?}");
    }
    for pair in spans.windows(2) {
        assert!(pair[0].end <= pair[1].begin, "{pair:?} overlap");
    }
}

#[test]
fn every_proof_has_each_stage_and_no_stream_does_two_at_once() {
    for seed in 0..3 {
        let run = run(seed, 2, Schedule::default(), true);
        let timelines = &run.timelines;
        let mut numbers: Vec<_> = timelines.iter().map(|t| t.proof).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..N_CIRCUITS as u64).collect::<Vec<_>>());
        for timeline in timelines {
            assert_eq!(timeline.device, run.fake.ordinal);
            let stages = |lane| timeline.lane(lane).map(|span| span.stage).collect::<Vec<_>>();
            use Stage::*;
            // Of L and A there are more terms than go beside others.
            assert_eq!(stages(Lane::Compute), [Quotient, Quotient, MsmH, MsmL, MsmA]);
            assert_eq!(stages(Lane::Beside), [Split, MsmBG1, MsmBG2]);
            let mut copies = stages(Lane::Copy);
            copies.dedup();
            assert_eq!(copies, [A, B, Wires]);
            let mut host = stages(Lane::Host);
            host.sort_by_key(|stage| *stage as u32);
            host.retain(|stage| *stage != Lock); // where the device was free, nobody waited for it
            assert_eq!(host, [Key, Wires, A, B, Enqueue, Collect, Assembly]);
            // The wires' kernels come after their copies, the transforms after those of the rows.
            let end = |stage| {
                timeline
                    .lane(Lane::Copy)
                    .filter(|s| s.stage == stage)
                    .map(|s| s.end)
                    .max()
            };
            let begin = |lane, stage| timeline.lane(lane).find(|s| s.stage == stage).map(|s| s.begin);
            let transforms = begin(Lane::Compute, Quotient);
            assert!(end(Wires) <= begin(Lane::Beside, Split) && end(A) <= transforms);
            let rest = timeline.lane(Lane::Compute).nth(1).map(|s| s.begin);
            assert!(end(B) <= rest);
        }
        for lane in [Lane::Compute, Lane::Beside] {
            assert_in_order(timelines.iter().flat_map(|t| t.lane(lane)));
        }
        for worker in 0..2 {
            for lane in [Lane::Host, Lane::Copy] {
                let own = timelines.iter().filter(|t| t.worker == worker);
                let spans: Vec<_> = own.flat_map(|t| t.lane(lane)).collect();
                assert!(!spans.is_empty(), "worker {worker} did nothing");
                assert_in_order(spans);
            }
        }
    }
}

#[test]
fn device_times_are_on_the_hosts_clock() {
    let run = run(1, 2, Schedule::default(), true);
    for span in run.timelines.iter().flat_map(|t| &t.spans) {
        assert!(run.call.0 <= span.begin && span.end <= run.call.1, "{span:?}");
    }
}

#[test]
fn bytes_over_the_bus_are_those_of_the_inputs() {
    let with_c = Schedule {
        c_rows: CRows::Uploaded,
        ..Schedule::default()
    };
    let (six, seven) = (run(0, 2, Schedule::default(), true), run(0, 2, with_c, true));
    let rows = six.rows as u64;
    let vectors = 32 * (2 * six.rows + six.wires) as u64;
    for (six, seven) in six.timelines.iter().zip(&seven.timelines) {
        // Beside the vectors: bits of the A and B queries and what they count, at
        // most 8 bytes for 32 wires each.
        let bits = six.uploaded_bytes - vectors;
        assert!(bits <= 16 * 5, "{bits}");
        assert_eq!(seven.uploaded_bytes - six.uploaded_bytes, 32 * rows);
        // Numbers of the kinds of three queries, and the sums' windows, G1's in 192 bytes and G2's in 384.
        let windows = six.downloaded_bytes - 24;
        assert!(windows > 5 * 192 && windows % 192 == 0, "{windows}");
        assert_eq!(seven.downloaded_bytes, six.downloaded_bytes);
    }
}

#[test]
fn one_worker_and_inputs_under_the_lock_show() {
    let schedule = Schedule {
        staging: Staging::UnderLock,
        ..Schedule::default()
    };
    let run = run(0, 1, schedule, true);
    assert!(run.timelines.iter().all(|t| t.worker == 0));
    for timeline in &run.timelines {
        let host: Vec<_> = timeline.lane(Lane::Host).map(|span| span.stage).collect();
        assert_eq!(host[..3], [Stage::Key, Stage::Lock, Stage::A]);
    }
    // All that the device does for one proof is done before the next one's inputs go up.
    for pair in run.timelines.windows(2) {
        let device = |t: &Timeline| {
            t.spans
                .iter()
                .filter(|s| s.lane != Lane::Host)
                .copied()
                .collect::<Vec<_>>()
        };
        let end = device(&pair[0]).iter().map(|span| span.end).max();
        let begin = device(&pair[1]).iter().map(|span| span.begin).min();
        assert!(end.is_some() && end <= begin);
    }
}

#[test]
fn without_a_sink_nothing_is_recorded() {
    let (with, without) = (
        run(1, 2, Schedule::default(), true),
        run(1, 2, Schedule::default(), false),
    );
    assert!(without.timelines.is_empty());
    // A proof here has eight kernels' spans and more than three copies': two events each, and the reference.
    assert!(
        with.alive > without.alive + 20,
        "{} and {}",
        with.alive,
        without.alive
    );
}
