//! Bounds on memory, read from the high-water mark of child processes. One test a process would be best; a
//! fork of one at a time is as good: each child's own `VmHWM` is asked for before it ends.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

/// Runs the program under `sh`, which prints the child's peak: the largest resident set of any child so far.
fn peak_kib(args: &[&str]) -> (i32, u64) {
    let script = r#"
        import resource, subprocess, sys
        code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    "#;
    let script: String = script.lines().map(|l| format!("{}\n", l.trim_start())).collect();
    let output = Command::new("python3")
        .args(["-c", &script, env!("CARGO_BIN_EXE_groth16-prover")])
        .args(args)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let (code, kib) = text
        .trim()
        .split_once(' ')
        .unwrap_or_else(|| panic!("{output:?}"));
    (code.parse().unwrap(), kib.parse().unwrap())
}

fn vector(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/cases")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

#[test]
fn b048_b060_bad_keys_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut lengths = std::fs::read(vector("mul.params")).unwrap();
    lengths[1060..1064].copy_from_slice(&[0xff; 4]);
    for (name, bytes) in [("empty", &[][..]), ("tiny", &[0][..]), ("lengths", &lengths)] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let out = folder.path().join("p");
        let (r1cs, wtns) = (vector("mul.r1cs"), vector("mul.wtns"));
        let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
        let (code, kib) = peak_kib(&[
            "prove",
            "--params",
            path,
            "--r1cs",
            &r1cs,
            "--witness",
            &wtns,
            "--out",
            out,
        ]);
        assert_eq!(code, 3, "{name}");
        assert!(kib < 50 << 10, "{name}: {kib} KiB");
        assert!(!Path::new(out).exists());
    }
}

#[test]
fn b077_memory_of_many_circuits_stays_within_the_stated_bound() {
    // What `inspect` states for this shape is for one circuit at a time, and circuits
    // of a call go one after another.
    let log_n = 14;
    let n = 1u64 << log_n;
    let (_, base) = peak_kib(&["bench", "--log-n", "6", "--runs", "1", "--threads", "2"]);
    for circuits in ["1", "2", "4"] {
        let (code, kib) = peak_kib(&[
            "bench",
            "--log-n",
            "14",
            "--full",
            "0.2",
            "--runs",
            "1",
            "--circuits",
            circuits,
            "--threads",
            "2",
        ]);
        assert_eq!(code, 0);
        // The key, the circuit with its coefficients, the rows and witness, a
        // proof's work; then the setup's table.
        let bound = n * (530 + 3 * 80 + 160 + 112 + 64) / 1024 + (64 << 10);
        assert!(
            kib.saturating_sub(base) < bound,
            "{circuits} circuits: {kib} KiB, of which {base} at rest; bound {bound}"
        );
    }
}

#[test]
fn b054_a_key_checked_whole_takes_one_copy_of_it() {
    use groth16_prover::{generate_parameters, ToxicWaste};
    let (r1cs, _) = bench_shapes::BenchShape::new(15, 0.2)
        .unwrap()
        .generate(1)
        .unwrap();
    let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.params");
    let mut bytes = Vec::new();
    key.write(&mut bytes).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let path = path.to_str().unwrap();
    let (_, base) = peak_kib(&["inspect", path]);
    let start = std::time::Instant::now();
    let (code, kib) = peak_kib(&["inspect", path, "--check"]);
    assert_eq!(code, 0);
    // Decoded points and the pages of the map: twice the file at most.
    let file_kib = bytes.len() as u64 >> 10;
    assert!(
        kib.saturating_sub(base) < 2 * file_kib,
        "{kib} KiB, of which {base} at rest, for a file of {file_kib} KiB"
    );
    // The report's key has twice as many points and 16 cores, and 20 seconds.
    assert!(start.elapsed().as_secs() < 60);
}
