//! What timelines are made into: a trace to look at, and how busy the devices were.

use groth16_core::timeline::{Lane, Span, Timeline};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The rows of a worker, in the order in which they are shown.
const LANES: [(Lane, &str); 4] = [
    (Lane::Host, "host"),
    (Lane::Copy, "copies"),
    (Lane::Compute, "kernels"),
    (Lane::Beside, "kernels beside"),
];

/// Writes timelines of one backend as JSON in the trace event format, which
/// Perfetto and `chrome://tracing` show.
///
/// A device is a process; each of its workers has four threads: the host's, its stream of copies, and
/// its turns on the device's two streams of kernels. On the host's an event for the whole proof, with its
/// bytes, encloses those of the stages.
/// Times are microseconds since the first begin.
///
/// # Errors
/// The writer's.
pub fn write_chrome_trace(timelines: &[Timeline], writer: &mut dyn Write) -> io::Result<()> {
    let spans = timelines.iter().flat_map(|timeline| &timeline.spans);
    let Some(zero) = spans.map(|span| span.begin).min() else {
        return write_events(&[], writer);
    };
    let mut events = names(timelines);
    for timeline in timelines {
        let host = || timeline.lane(Lane::Host);
        let begin = host().map(|span| span.begin).min();
        let end = host().map(|span| span.end).max();
        if let Some((begin, end)) = begin.zip(end) {
            let name = format!("proof {}", timeline.proof);
            let mut event = complete(&name, "proof", timeline, Lane::Host, (begin, end), zero);
            event["args"]["uploaded_bytes"] = timeline.uploaded_bytes.into();
            event["args"]["downloaded_bytes"] = timeline.downloaded_bytes.into();
            events.push(event);
        }
        for span in &timeline.spans {
            let category = LANES[lane_number(span.lane)].1;
            let times = (span.begin, span.end);
            events.push(complete(
                span.stage.name(),
                category,
                timeline,
                span.lane,
                times,
                zero,
            ));
        }
    }
    write_events(&events, writer)
}

/// The share of the time between the first and the last kernel in which the devices ran kernels of these
/// proofs: of each device its own time. `None` if there was no kernel.
pub fn busy_share(timelines: &[Timeline]) -> Option<f64> {
    let mut devices: BTreeMap<u32, Vec<&Span>> = BTreeMap::new();
    for timeline in timelines {
        let spans = devices.entry(timeline.device).or_default();
        spans.extend(timeline.lane(Lane::Compute).chain(timeline.lane(Lane::Beside)));
    }
    let (mut busy, mut all) = (Duration::ZERO, Duration::ZERO);
    for spans in devices.values_mut() {
        spans.sort_by_key(|span| span.begin);
        let Some(first) = spans.first() else { continue };
        let (begin, mut covered) = (first.begin, first.begin);
        for span in spans {
            busy += span.end.saturating_duration_since(span.begin.max(covered));
            covered = covered.max(span.end);
        }
        all += covered - begin;
    }
    (!all.is_zero()).then(|| busy.as_secs_f64() / all.as_secs_f64())
}

fn lane_number(lane: Lane) -> usize {
    LANES.iter().position(|(l, _)| *l == lane).unwrap_or_default()
}

fn thread_number(timeline: &Timeline, lane: usize) -> usize {
    timeline.worker as usize * LANES.len() + lane
}

/// Metadata events: what processes and threads are called, and their order.
fn names(timelines: &[Timeline]) -> Vec<Value> {
    let mut processes = BTreeMap::new();
    let mut threads = BTreeMap::new();
    for timeline in timelines {
        processes.insert(timeline.device, format!("device {}", timeline.device));
        for (lane, (_, what)) in LANES.iter().enumerate() {
            let thread = (timeline.device, thread_number(timeline, lane));
            threads.insert(thread, format!("worker {}: {what}", timeline.worker));
        }
    }
    let mut events = Vec::new();
    for (device, name) in processes {
        events.push(json!({ "ph": "M", "name": "process_name", "pid": device, "args": { "name": name } }));
    }
    for ((device, thread), name) in threads {
        for (what, args) in [
            ("thread_name", json!({ "name": name })),
            ("thread_sort_index", json!({ "sort_index": thread })),
        ] {
            events.push(json!({ "ph": "M", "name": what, "pid": device, "tid": thread, "args": args }));
        }
    }
    events
}

fn complete(
    name: &str,
    category: &str,
    timeline: &Timeline,
    lane: Lane,
    (begin, end): (Instant, Instant),
    zero: Instant,
) -> Value {
    let microseconds = |time: Duration| time.as_nanos() as f64 / 1e3;
    json!({
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": timeline.device,
        "tid": thread_number(timeline, lane_number(lane)),
        "ts": microseconds(begin - zero),
        "dur": microseconds(end.saturating_duration_since(begin)),
        "args": { "proof": timeline.proof },
    })
}

/// One event a line, so that a trace can be compared and cut by tools for lines.
fn write_events(events: &[Value], writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    for (i, event) in events.iter().enumerate() {
        let comma = if i + 1 < events.len() { "," } else { "" };
        writeln!(writer, "{event}{comma}")?;
    }
    writeln!(writer, "]}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use groth16_core::timeline::Stage;

    fn timeline(device: u32, worker: u32, zero: Instant, spans: &[(Lane, Stage, u64, u64)]) -> Timeline {
        let at = |ms| zero + Duration::from_millis(ms);
        let mut timeline = Timeline::new(device, worker, 4);
        timeline.spans = spans
            .iter()
            .map(|&(lane, stage, begin, end)| Span {
                lane,
                stage,
                begin: at(begin),
                end: at(end),
            })
            .collect();
        timeline
    }

    #[test]
    fn the_busy_share_is_of_the_time_from_the_first_kernel_to_the_last() {
        use Lane::{Compute, Copy};
        let zero = Instant::now();
        let kernels = |device, spans: &[(u64, u64)]| {
            let spans: Vec<_> = spans
                .iter()
                .map(|(b, e)| (Compute, Stage::MsmH, *b, *e))
                .collect();
            timeline(device, 0, zero, &spans)
        };
        let assert_share = |timelines: &[Timeline], expected: f64| {
            let share = busy_share(timelines).unwrap();
            assert!((share - expected).abs() < 1e-9, "{share}");
        };
        assert_eq!(busy_share(&[]), None);
        assert_eq!(
            busy_share(&[timeline(0, 0, zero, &[(Copy, Stage::A, 0, 9)])]),
            None
        );
        assert_share(&[kernels(0, &[(10, 20)])], 1.0);
        // 10 to 20 and 30 to 40, the second twice: 20 of 30
        let both = [kernels(0, &[(30, 40)]), kernels(0, &[(10, 20), (30, 40)])];
        assert_share(&both, 20.0 / 30.0);
        // and on another device 10 of 10
        let [first, second] = both;
        assert_share(&[first, second, kernels(1, &[(0, 10)])], 30.0 / 40.0);
    }

    #[test]
    fn a_trace_has_names_and_microseconds() {
        let zero = Instant::now();
        let spans = [
            (Lane::Host, Stage::Wires, 5, 7),
            (Lane::Copy, Stage::Wires, 6, 8),
            (Lane::Compute, Stage::Quotient, 8, 11),
        ];
        let mut json = Vec::new();
        write_chrome_trace(&[timeline(3, 1, zero, &spans)], &mut json).unwrap();
        let trace: Value = serde_json::from_slice(&json).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let find = |name: &str| events.iter().find(|e| e["name"] == name).unwrap();
        let ntt = find("ntt");
        assert_eq!(
            (&ntt["ph"], &ntt["pid"], &ntt["tid"]),
            (&"X".into(), &3.into(), &6.into())
        );
        assert_eq!(
            (ntt["ts"].as_f64(), ntt["dur"].as_f64()),
            (Some(3000.0), Some(3000.0))
        );
        assert_eq!(find("process_name")["args"]["name"], "device 3");
        let names = events.iter().filter(|e| e["name"] == "thread_name");
        let names: Vec<_> = names.map(|e| e["args"]["name"].as_str().unwrap()).collect();
        let what = ["host", "copies", "kernels", "kernels beside"];
        assert_eq!(names, what.map(|what| format!("worker 1: {what}")));
        assert_eq!(find("proof 4")["args"]["uploaded_bytes"], 0);
    }

    #[test]
    fn no_timelines_make_an_empty_trace() {
        let mut json = Vec::new();
        write_chrome_trace(&[], &mut json).unwrap();
        let trace: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(trace["traceEvents"], Value::Array(Vec::new()));
    }
}
