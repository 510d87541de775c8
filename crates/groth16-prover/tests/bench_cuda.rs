//! `bench` on the fake CUDA runtime: the trace, the table, and that every proof of them is right.
#![cfg(feature = "host-check")]

use bench_shapes::BenchShape;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Runs the program, which must succeed; returns what it said on standard output and on standard error.
#[track_caller]
fn bench(folder: &Path, line: &str) -> (Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_groth16-prover"))
        .args("bench --backend cuda --json --log-n 6 --full 0.3 --compare-cpu".split(' '))
        .args(line.split_whitespace())
        .env_remove("RUST_LOG")
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{line}\n{stderr}");
    (serde_json::from_slice(&output.stdout).unwrap(), stderr)
}

struct Event {
    name: String,
    begin_us: f64,
    end_us: f64,
}

/// The complete events of a trace by the names of their process and thread.
fn events_by_row(trace: &Value) -> BTreeMap<(String, String), Vec<Event>> {
    let mut names = BTreeMap::new();
    let mut rows: BTreeMap<(String, String), Vec<Event>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let (process, thread) = (event["pid"].as_u64().unwrap(), event["tid"].as_u64());
        match event["ph"].as_str().unwrap() {
            "M" if event["name"] == "thread_sort_index" => {}
            "M" => {
                let name = event["args"]["name"].as_str().unwrap();
                names.insert((process, thread), name.to_owned());
            }
            "X" => {
                let row = (names[&(process, None)].clone(), names[&(process, thread)].clone());
                let begin_us = event["ts"].as_f64().unwrap();
                rows.entry(row).or_default().push(Event {
                    name: event["name"].as_str().unwrap().to_owned(),
                    begin_us,
                    end_us: begin_us + event["dur"].as_f64().unwrap(),
                });
            }
            other => panic!("{other}"),
        }
    }
    rows
}

#[track_caller]
fn assert_apart<'a>(events: impl Iterator<Item = &'a Event>) {
    let mut events: Vec<_> = events.collect();
    events.sort_by(|a, b| a.begin_us.total_cmp(&b.begin_us));
    for pair in events.windows(2) {
        // A nanosecond is what the sum of begin and duration rounds to.
        assert!(
            pair[0].end_us <= pair[1].begin_us + 2e-3,
            "{} ends at {} and {} begins at {}",
            pair[0].name,
            pair[0].end_us,
            pair[1].name,
            pair[1].begin_us
        );
    }
}

#[test]
fn a_trace_shows_the_streams_of_both_workers_and_no_overlap_in_any() {
    let folder = tempfile::tempdir().unwrap();
    let (object, _) = bench(folder.path(), "--jobs 6 --runs 2 --trace t.json");
    let share = object["busy_share"].as_f64().unwrap();
    assert!(share > 0.0 && share <= 1.0, "{share}");
    let [wall, steady] =
        ["wall_seconds_a_proof", "seconds_a_proof"].map(|time| object[time].as_f64().unwrap());
    assert!(wall > 0.0 && steady > 0.0, "{wall} {steady}");
    let trace: Value = serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).unwrap()).unwrap();
    let rows = events_by_row(&trace);
    let threads: Vec<_> = rows.keys().map(|(_, thread)| thread.as_str()).collect();
    let of = |worker: u32| {
        ["copies", "host", "kernels", "kernels beside"].map(|what| format!("worker {worker}: {what}"))
    };
    assert_eq!(threads, [of(0), of(1)].concat());
    for ((_, thread), events) in &rows {
        if thread.ends_with("host") {
            // An event for the proof encloses those of its stages.
            assert_apart(events.iter().filter(|event| event.name.starts_with("proof")));
            assert_apart(events.iter().filter(|event| !event.name.starts_with("proof")));
        } else {
            assert_apart(events.iter());
        }
    }
    // Both workers' kernels go through the device's two streams.
    let of_stream = |stream| {
        rows.iter()
            .filter(move |((_, thread), _)| thread.ends_with(stream))
    };
    let kernels = || of_stream("kernels");
    for stream in ["kernels", "kernels beside"] {
        assert_apart(of_stream(stream).flat_map(|(_, events)| events));
    }
    let transforms = kernels()
        .flat_map(|(_, events)| events)
        .filter(|event| event.name == "ntt");
    // Of each proof, those of a, and the rest.
    assert_eq!(transforms.count(), 2 * 12);
}

#[test]
fn the_ablation_has_a_row_for_each_setting() {
    let folder = tempfile::tempdir().unwrap();
    let (object, _) = bench(folder.path(), "--ablate --jobs 3 --runs 1 --csv t.csv");
    let rows = object["ablation"].as_array().unwrap();
    let settings = [
        "default",
        "no-prestage",
        "one-stream",
        "per-batch",
        "one-worker",
        "seven-transforms",
        "streamed-key",
    ];
    assert_eq!(
        rows.iter().map(|row| &row["setting"]).collect::<Vec<_>>(),
        settings
    );
    let up = |row: usize| rows[row]["uploaded_bytes"].as_u64().unwrap();
    for row in rows {
        for time in ["alone_s", "together_s", "wall_s"] {
            assert!(row[time].as_f64().unwrap() > 0.0);
        }
        let share = row["busy_share"].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{share}");
    }
    assert_eq!([up(1), up(2), up(3), up(4)], [up(0); 4]);
    // Rows of C for the constraints, ONE and the public input: 62 and 2.
    assert_eq!(up(5), up(0) + 32 * 64);
    // All points of the key once a proof: H, L, A, and B in both groups.
    let (r1cs, _) = BenchShape::new(6, 0.3).unwrap().generate(1).unwrap();
    let densities = r1cs.densities();
    let n_a = r1cs.n_inputs() + densities.a_aux.as_density().n_dense();
    let n_b = densities.b_input.as_density().n_dense() + densities.b_aux.as_density().n_dense();
    let n_points = 63 + r1cs.n_aux() + n_a + 3 * n_b;
    assert_eq!(up(6), up(0) + 96 * n_points as u64);
    let csv = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let columns: Vec<_> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(columns, [16; 8], "{csv}");
    assert!(csv.lines().nth(1).unwrap().starts_with("default,bench,6,30."));
}

#[test]
fn one_device_is_compared_with_two() {
    let folder = tempfile::tempdir().unwrap();
    let (object, _) = bench(
        folder.path(),
        "--compare-devices --gpu 0,1 --jobs 4 --runs 1 --csv t.csv --trace t.json",
    );
    let rows = object["comparison"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| &row["devices"]).collect();
    assert_eq!(names, ["0", "0,1"]);
    for row in rows {
        for time in ["alone_s", "together_s", "wall_s"] {
            assert!(row[time].as_f64().unwrap() > 0.0, "{time}");
        }
        // It is too small to be divided.
        assert_eq!(row["devices_a_proof"], 1);
    }
    let csv = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let names: Vec<_> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, ["devices", "0", "0 1"]);
    let trace: Value = serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).unwrap()).unwrap();
    let rows = events_by_row(&trace);
    let devices: std::collections::BTreeSet<_> = rows.keys().map(|(process, _)| process).collect();
    assert_eq!(devices.len(), 2, "{devices:?}");
}

#[test]
fn a_device_that_is_not_there_or_named_twice_is_an_error() {
    for (list, words, status) in [
        ("0,1000", "device 1000 was asked for", 4),
        ("1,1", "device 1 is listed twice", 2),
        ("0", "name two or more", 2),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_groth16-prover"))
            .args("bench --backend cuda --log-n 6 --compare-devices --gpu".split(' '))
            .arg(list)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(words), "{list}: {stderr}");
        assert_eq!(output.status.code(), Some(status), "{list}: {stderr}");
    }
}

#[test]
fn a_setting_of_its_own_and_the_line_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let (_, stderr) = bench(folder.path(), "--setting no-prestage --runs 2 -vv");
    let lines: Vec<_> = stderr
        .lines()
        .filter(|line| line.contains("CUZK_TIMING: "))
        .collect();
    // One to compare with the CPU, two runs.
    assert_eq!(lines.len(), 3, "{stderr}");
    let line = lines[2];
    assert!(
        line.contains(" device=") && line.contains(" proof=2 ") && line.contains(" down_bytes="),
        "{line}"
    );
    let (_, stderr) = bench(folder.path(), "--runs 1 -v");
    assert!(!stderr.contains("CUZK_TIMING"), "{stderr}");
}
