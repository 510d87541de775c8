//! The command line in a hostile place: outputs that are inputs, links and pipes; readers that leave;
//! signals; little memory; files that look regular and are not.
#![cfg(target_os = "linux")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/cases")
        .join(name)
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_groth16-prover"));
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// `prove` for the circuit mul, without its outputs.
fn prove_mul(params: &Path) -> Command {
    let mut command = program();
    command.arg("prove").arg("--params").arg(params);
    command.arg("--r1cs").arg(vector("mul.r1cs"));
    command.arg("--witness").arg(vector("mul.wtns"));
    command
}

#[track_caller]
fn expect(command: &mut Command, status: i32) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn object(output: &Output) -> Value {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text:?}");
    serde_json::from_str(text).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A circuit of `n` squarings, large enough for its proof to be interrupted.
/// On the CPU, which logs each stage as it ends. With `host-check` the choice would be an emulated device: no such
/// line, and minutes for this size.
fn large_circuit(folder: &Path, n: u32) -> Command {
    let (mut a, mut c) = (
        circom_formats::SparseRows::default(),
        circom_formats::SparseRows::default(),
    );
    let one = bls_fields::Fr::from(1);
    let mut witness = vec![one, bls_fields::Fr::from(3)];
    for wire in 1..=n {
        a.push_row([(wire, one)]);
        c.push_row([(wire + 1, one)]);
        let last = witness[wire as usize];
        witness.push(last * last);
    }
    let r1cs = circom_formats::R1cs {
        n_wires: n + 2,
        n_public_outputs: 0,
        n_public_inputs: 1,
        n_private_inputs: 0,
        b: a.clone(),
        a,
        c,
    };
    let (mut r1cs_bytes, mut witness_bytes) = (Vec::new(), Vec::new());
    circom_formats::write_r1cs(&r1cs, &mut r1cs_bytes).unwrap();
    circom_formats::write_wtns(&witness, &mut witness_bytes).unwrap();
    let [r1cs, witness, params] = ["c.r1cs", "w.wtns", "k.params"].map(|name| folder.join(name));
    std::fs::write(&r1cs, r1cs_bytes).unwrap();
    std::fs::write(&witness, witness_bytes).unwrap();
    let mut setup = program();
    setup
        .arg("setup")
        .args(["--backend", "cpu"])
        .arg("--r1cs")
        .arg(&r1cs)
        .arg("--out")
        .arg(&params);
    expect(&mut setup, 0);
    let mut prove = program();
    prove
        .arg("prove")
        .args(["--backend", "cpu"])
        .arg("--params")
        .arg(params)
        .arg("--r1cs")
        .arg(r1cs);
    prove.arg("--witness").arg(witness);
    prove
}

#[test]
fn an_output_never_replaces_an_input_or_another_output() {
    let t = tempfile::tempdir().unwrap();
    let key = t.path().join("k.params");
    std::fs::copy(vector("mul.params"), &key).unwrap();
    let link = t.path().join("link");
    std::os::unix::fs::symlink("k.params", &link).unwrap();
    std::fs::create_dir(t.path().join("d")).unwrap();
    for out in [&key, &link, &t.path().join("d/../k.params")] {
        let output = expect(prove_mul(&key).arg("--out").arg(out), 2);
        assert!(
            stderr(&output).contains("--out and --params are the same file"),
            "{output:?}"
        );
    }
    let out = t.path().join("p");
    let output = expect(
        prove_mul(&key)
            .arg("--out")
            .arg(&out)
            .arg("--public-out")
            .arg(&out),
        2,
    );
    assert!(stderr(&output).contains("--public-out and --out"), "{output:?}");
    let r1cs = t.path().join("c.r1cs");
    std::fs::copy(vector("mul.r1cs"), &r1cs).unwrap();
    for (out, vk) in [(&out, &out), (&r1cs, &out), (&out, &r1cs)] {
        let mut setup = program();
        setup.arg("setup").arg("--r1cs").arg(&r1cs);
        expect(setup.arg("--out").arg(out).arg("--vk").arg(vk), 2);
    }
    assert_eq!(
        std::fs::read(&key).unwrap(),
        std::fs::read(vector("mul.params")).unwrap()
    );
    assert_eq!(
        std::fs::read(&r1cs).unwrap(),
        std::fs::read(vector("mul.r1cs")).unwrap()
    );
    assert_eq!(names(t.path()), ["c.r1cs", "d", "k.params", "link"]);
}

#[test]
fn a_pipe_or_device_at_the_output_is_not_replaced_by_a_file() {
    use std::os::unix::fs::FileTypeExt;
    let t = tempfile::tempdir().unwrap();
    let fifo = t.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let link = t.path().join("link");
    std::os::unix::fs::symlink(&fifo, &link).unwrap();
    for out in [&fifo, &link] {
        let output = expect(prove_mul(&vector("mul.params")).arg("--out").arg(out), 3);
        assert!(stderr(&output).contains("is not a regular file"), "{output:?}");
        let output = prove_mul(&vector("mul.params"))
            .arg("--out")
            .arg(t.path().join("p"))
            .arg("--public-out")
            .arg(out)
            .output();
        assert_eq!(output.unwrap().status.code(), Some(3));
    }
    assert!(std::fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(names(t.path()), ["fifo", "link"]);
}

#[test]
fn an_output_through_a_link_goes_where_the_link_leads() {
    let t = tempfile::tempdir().unwrap();
    std::fs::create_dir(t.path().join("d")).unwrap();
    let (link, target) = (t.path().join("link"), t.path().join("d/p"));
    std::os::unix::fs::symlink("d/p", &link).unwrap();
    // Once where the target is new, once where it is replaced.
    for _ in 0..2 {
        expect(prove_mul(&vector("mul.params")).arg("--out").arg(&link), 0);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::metadata(&target).unwrap().len(), 192);
        assert_eq!(names(&t.path().join("d")), ["p"]);
    }
}

#[test]
fn a_signal_in_the_middle_of_a_proof_leaves_nothing() {
    let t = tempfile::tempdir().unwrap();
    let mut prove = large_circuit(t.path(), 1 << 15);
    let folder = t.path().join("out");
    std::fs::create_dir(&folder).unwrap();
    prove
        .arg("--out")
        .arg(folder.join("p"))
        .arg("--public-out")
        .arg(folder.join("pub"));
    prove
        .arg("--threads")
        .arg("1")
        .arg("-vv")
        .stderr(Stdio::piped())
        .stdout(Stdio::null());
    // A shell's background job, such as a test run can be, is deaf to SIGINT and so are its children.
    // SAFETY: signal(2) may be called between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(&mut prove, || {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // Should the proof be done before the signal gets there, then once more.
        let interrupted = (0..20).any(|_| {
            let mut child = prove.spawn().unwrap();
            let log = std::io::BufReader::new(child.stderr.take().unwrap());
            let mut log = std::io::BufRead::lines(log);
            // Until the first stage of the proof is done, several more to come.
            assert!(log.any(|line| line.unwrap().contains("quotient")));
            // SAFETY: a plain system call; the child has not been waited for, so the number is still its own.
            assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
            let interrupted = !child.wait().unwrap().success();
            if !interrupted {
                std::fs::remove_file(folder.join("p")).unwrap();
                std::fs::remove_file(folder.join("pub")).unwrap();
            }
            interrupted
        });
        assert!(interrupted, "twenty proofs were done before their signals came");
        assert!(names(&folder).is_empty(), "{signal}: {:?}", names(&folder));
    }
}

#[test]
fn a_reader_that_leaves_does_not_stop_the_work() {
    let t = tempfile::tempdir().unwrap();
    let out = t.path().join("p");
    let mut prove = prove_mul(&vector("mul.params"));
    let mut child = prove
        .arg("--out")
        .arg(&out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(std::fs::metadata(&out).unwrap().len(), 192);
    assert!(output.stderr.is_empty(), "{output:?}");
    // A result that is lost is a failure.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for json in [&[][..], &["--json"]] {
        let mut command = program();
        let output = command
            .arg("devices")
            .args(json)
            .stdout(full.try_clone().unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(stderr(&output).contains("standard output"), "{output:?}");
    }
    // Standard error that is lost changes nothing.
    let mut command = program();
    let status = command
        .arg("inspect")
        .arg(t.path().join("missing"))
        .stderr(full)
        .status();
    assert_eq!(status.unwrap().code(), Some(3));
}

#[test]
fn usage_errors_are_an_object_as_well() {
    for line in [
        "",
        "prove",
        "nonsense",
        "bench --log-n 99",
        "devices --threads 65535",
    ] {
        let output = expect(program().args(line.split_whitespace()).arg("--json"), 2);
        let object = object(&output);
        assert_eq!(
            (&object["ok"], &object["error_kind"]),
            (&false.into(), &"usage".into()),
            "{line}"
        );
        assert!(!object["error"].as_str().unwrap().is_empty());
        assert!(!output.stderr.is_empty());
        let output = expect(&mut program(), 2);
        assert!(output.stdout.is_empty());
    }
    expect(program().args(["--help", "--json"]), 0);
}

#[test]
fn too_little_memory_ends_with_four_at_any_place() {
    let t = tempfile::tempdir().unwrap();
    let mut prove = large_circuit(t.path(), 1 << 15);
    prove
        .arg("--out")
        .arg(t.path().join("p"))
        .args(["--threads", "1", "--json"]);
    let words: Vec<_> = prove
        .get_args()
        .map(|arg| arg.to_str().unwrap().to_owned())
        .collect();
    let mut failed = 0;
    for mib in [16, 24, 32, 40, 48, 56, 64, 4096] {
        let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", mib << 10);
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script, env!("CARGO_BIN_EXE_groth16-prover")])
            .args(&words);
        let output = shell.env_remove("RUST_LOG").output().unwrap();
        let code = output.status.code();
        assert!(code == Some(4) || code == Some(0), "{mib} MiB: {output:?}");
        assert_eq!(object(&output)["ok"], code == Some(0), "{mib} MiB: {output:?}");
        failed += usize::from(code == Some(4));
    }
    assert!((3..8).contains(&failed), "{failed}");
}

#[test]
fn files_of_the_kernel_that_wait_are_not_read() {
    // Regular, of size 0, and a read of it waits for the kernel's next message (or is not permitted).
    let file = Path::new("/proc/kmsg");
    if !file.exists() {
        return;
    }
    for mut command in [
        {
            let mut c = program();
            c.arg("inspect").arg(file);
            c
        },
        {
            let mut c = prove_mul(file);
            c.args(["--out", "/nowhere/p"]);
            c
        },
        {
            let mut c = program();
            c.args(["setup", "--out", "/nowhere/p", "--r1cs"]).arg(file);
            c
        },
        {
            let mut c = program();
            c.arg("verify")
                .arg("--vk")
                .arg(vector("mul.params"))
                .arg("--proof")
                .arg(file)
                .arg("--public")
                .arg(file);
            c
        },
    ] {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{command:?} waits");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(3), "{command:?}");
    }
}

#[test]
fn inspect_knows_a_verifying_key_of_any_size_and_damage() {
    let t = tempfile::tempdir().unwrap();
    let key = std::fs::read(vector("mul.params")).unwrap();
    let (head, ic) = (&key[..864], &key[868..964]);
    // Above a mebibyte.
    let n_points = 11_000u32;
    let large = [head, &n_points.to_be_bytes(), &ic.repeat(n_points as usize)].concat();
    let mut damaged = key[..1060].to_vec();
    damaged[950] ^= 1;
    for (name, bytes) in [("large", &large), ("damaged", &damaged)] {
        std::fs::write(t.path().join(name), bytes).unwrap();
    }
    let output = expect(
        program()
            .arg("inspect")
            .arg(t.path().join("large"))
            .args(["--json", "--check"]),
        0,
    );
    assert_eq!(
        (&object(&output)["kind"], &object(&output)["public_inputs"]),
        (&"vk".into(), &10_999.into())
    );
    let output = expect(
        program()
            .arg("inspect")
            .arg(t.path().join("damaged"))
            .arg("--check"),
        3,
    );
    assert!(stderr(&output).contains("section ic, point 0"), "{output:?}");
    // One given for the other is named.
    std::fs::write(t.path().join("vk"), &key[..1060]).unwrap();
    let output = expect(
        prove_mul(&t.path().join("vk"))
            .arg("--out")
            .arg(t.path().join("p")),
        3,
    );
    assert!(stderr(&output).contains("a verifying key alone"), "{output:?}");
}

/// What the program writes to a terminal, standard error included.
fn on_a_terminal(line: &str) -> String {
    let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let mut python = Command::new("python3");
    python
        .args(["-c", script, env!("CARGO_BIN_EXE_groth16-prover")])
        .args(line.split_whitespace());
    let output = expect(python.stdin(Stdio::null()).env_remove("RUST_LOG"), 0);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn what_takes_over_a_second_shows_on_a_terminal_and_there_alone() {
    const CLEAR_LINE: &str = "\u{1b}[2K";
    let quick = on_a_terminal("bench --log-n 6 --runs 1");
    assert!(
        quick.contains("median") && !quick.contains(CLEAR_LINE),
        "{quick:?}"
    );
    let long = "bench --log-n 14 --circuits 24 --runs 1 --threads 1";
    let shown = on_a_terminal(long);
    assert!(
        shown.contains("prove and verify 1s") && shown.contains(CLEAR_LINE),
        "{shown:?}"
    );
    let json = on_a_terminal(&format!("{long} --json"));
    assert!(
        !json.contains(CLEAR_LINE) && json.trim().lines().count() == 1,
        "{json:?}"
    );
}
