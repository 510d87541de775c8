//! The command line as a script uses it: exit status, files, JSON; and the cases of
//! public reports that show there.

use backend_tests::toy::vector_text;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn vector(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors/cases")
        .join(name);
    path.to_str().unwrap().to_owned()
}

/// Runs the program; `{name}` in an argument stands for that vector, `@name` for a file in `folder`.
fn run(folder: &Path, line: &str) -> Output {
    let args = line
        .split_whitespace()
        .map(|arg| match (arg.strip_prefix('{'), arg.strip_prefix('@')) {
            (Some(name), _) => vector(name.trim_end_matches('}')),
            (_, Some(name)) => folder.join(name).to_str().unwrap().to_owned(),
            _ => arg.to_owned(),
        });
    Command::new(env!("CARGO_BIN_EXE_groth16-prover"))
        .args(args)
        .env_remove("RUST_LOG")
        .output()
        .unwrap()
}

fn status(output: &Output) -> i32 {
    output
        .status
        .code()
        .unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

/// Fails unless the run ended with this status; returns what it said on standard error.
#[track_caller]
fn expect(folder: &Path, line: &str, expected: i32) -> String {
    let output = run(folder, line);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(status(&output), expected, "{line}\n{stderr}");
    stderr
}

fn json(folder: &Path, line: &str) -> Value {
    let output = run(folder, &format!("{line} --json"));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        stdout.trim_end().lines().count(),
        1,
        "one object and nothing else: {stdout:?}"
    );
    serde_json::from_str(&stdout).unwrap()
}

fn temp() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

const MUL: &str = "prove --params {mul.params} --r1cs {mul.r1cs} --out @proof.bin";

#[test]
fn toy_proofs_have_the_published_bytes_in_both_formats() {
    for (name, row, witness) in [
        ("mul", "mul", "mul"),
        ("zero", "mul", "mul"),
        ("binp", "binp", "binp"),
    ] {
        for (r, s) in [("0", "0"), ("3", "0x5")] {
            let t = temp();
            let prove = format!(
                "prove --params {{{name}.params}} --r1cs {{{name}.r1cs}} --witness {{{witness}.wtns}} --r {r} --s {s} \
                 --public-out @public.json"
            );
            let object = json(t.path(), &format!("{prove} --out @proof.bin"));
            let expected = vector_text(&format!("P-{row}-{r}-{}", s.trim_start_matches("0x")));
            assert_eq!(object["proof"], expected.as_str());
            assert_eq!(object["verified"], true);
            assert_eq!(object["ok"], true);
            let bytes = std::fs::read(t.path().join("proof.bin")).unwrap();
            assert_eq!(
                bytes.iter().map(|b| format!("{b:02x}")).collect::<String>(),
                expected
            );
            expect(
                t.path(),
                &format!("{prove} --out @proof.json --format snarkjs --check"),
                0,
            );
            for proof in ["proof.bin", "proof.json"] {
                let verify =
                    format!("verify --params {{{name}.params}} --proof @{proof} --public @public.json");
                expect(t.path(), &verify, 0);
            }
            assert_eq!(names(t.path()), ["proof.bin", "proof.json", "public.json"]);
        }
    }
}

#[test]
fn setup_prove_verify_from_files_alone() {
    let t = temp();
    expect(t.path(), "setup --r1cs {binp.r1cs} --out @k.params --vk @k.vk", 0);
    expect(
        t.path(),
        "prove --params @k.params --r1cs {binp.r1cs} --witness {binp.wtns} --out @p --public-out @pub --check",
        0,
    );
    expect(t.path(), "verify --vk @k.vk --proof @p --public @pub", 0);
    write(t.path(), "other", r#"["1","2"]"#);
    expect(t.path(), "verify --vk @k.vk --proof @p --public @other", 1);
    let object = json(t.path(), "verify --vk @k.vk --proof @p --public @other");
    assert_eq!(
        (&object["verified"], &object["ok"], &object["error_kind"]),
        (&false.into(), &false.into(), &"rejected".into())
    );
    // Two setups draw different secrets; a seed repeats them and says that it is insecure.
    expect(t.path(), "setup --r1cs {binp.r1cs} --out @k2.params", 0);
    let read = |name: &str| std::fs::read(t.path().join(name)).unwrap();
    assert_ne!(read("k.params"), read("k2.params"));
    for name in ["s1", "s2"] {
        let stderr = expect(
            t.path(),
            &format!("setup --r1cs {{binp.r1cs}} --out @{name} --insecure-seed 7"),
            0,
        );
        assert!(stderr.contains("INSECURE"), "{stderr}");
    }
    assert_eq!(read("s1"), read("s2"));
}

#[test]
fn usage_errors_end_with_two() {
    let t = temp();
    let witness = format!("{MUL} --witness {{mul.wtns}}");
    for line in [
        "",
        "prove",
        "nonsense",
        "bench --log-n 99",
        "bench --log-n 8 --full 1.5",
        "bench",
        "bench --log-n 8 --shape porep-2k",
        "bench --log-n 8 --scale 1/2",
        "bench --shape porep-2k --full 0.2",
        "bench --shape porep-2k --scale 16",
        "bench --shape porep-2k --scale 1/1000000",
        "bench --log-n 8 --jobs 2 --circuits 2",
        "bench --log-n 8 --csv @t.csv",
        "bench --log-n 8 --ablate --setting default --backend cpu",
        "bench --log-n 8 --ablate --backend cpu",
        "bench --log-n 8 --trace @t.json --backend cpu",
        "bench --log-n 8 --setting one-worker --backend cpu",
        "devices --gpu 0,0",
        "devices --backend cpu --gpu 0",
        "devices --backend cpu --max-key-vram 0",
        "devices --threads 0",
        "devices --backend gpu",
        "verify --proof a --public b",
        "verify --vk a --params b --proof a --public b",
        &format!("{witness} --r 1"),
        &format!("{witness} --r 1 --s 73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
        &format!("{witness} --r zz --s 0"),
        &format!("{witness} --params-sha256 00"),
    ] {
        expect(t.path(), line, 2);
    }
    assert!(names(t.path()).is_empty());
}

#[test]
fn nothing_is_left_at_the_output_on_failure() {
    let t = temp();
    write(t.path(), "proof.bin", "what was here before");
    expect(t.path(), &format!("{MUL} --witness {{mul_wrong.wtns}}"), 3);
    assert_eq!(
        std::fs::read(t.path().join("proof.bin")).unwrap(),
        b"what was here before"
    );
    assert_eq!(names(t.path()), ["proof.bin"]);
    let missing =
        "prove --params {mul.params} --r1cs {mul.r1cs} --witness {mul.wtns} --out @no/such/folder/p";
    expect(t.path(), missing, 3);
    std::fs::create_dir(t.path().join("folder")).unwrap();
    expect(t.path(), "setup --r1cs {mul.r1cs} --out @folder", 3);
}

#[test]
fn keys_of_another_circuit_do_not_match() {
    let t = temp();
    // Same shape, other signs: found when the proof does not verify and the CPU finds the same bytes again.
    let line = "prove --params {mul.params} --r1cs {mul_circom.r1cs} --witness {mul.wtns} --out @p";
    let stderr = expect(t.path(), line, 3);
    assert!(stderr.contains("key and circuit do not match"), "{stderr}");
    assert!(names(t.path()).is_empty());
    expect(t.path(), &format!("{line} --no-verify"), 0);
    write(t.path(), "pub", r#"["33"]"#);
    expect(
        t.path(),
        "verify --params {mul.params} --proof @p --public @pub",
        1,
    );
    // Another shape: found before anything is computed.
    let line = "prove --params {binp.params} --r1cs {mul.r1cs} --witness {mul.wtns} --out @q";
    let stderr = expect(t.path(), line, 3);
    assert!(
        stderr.contains("is 3 in the key and 2 in the circuit"),
        "{stderr}"
    );
}

#[test]
fn b032_a_zkey_is_an_unsupported_format() {
    let t = temp();
    write(t.path(), "c.zkey", [&b"zkey"[..], &[0; 2000]].concat());
    let stderr = expect(
        t.path(),
        "prove --params @c.zkey --r1cs {mul.r1cs} --witness {mul.wtns} --out @p",
        3,
    );
    assert!(
        stderr.contains(".zkey") && stderr.contains("not supported"),
        "{stderr}"
    );
    expect(t.path(), "inspect @c.zkey", 3);
}

#[test]
fn b050_a_wrong_digest_is_named_with_both() {
    let t = temp();
    let mut bytes = std::fs::read(vector("mul.params")).unwrap();
    let good = "234c178d3d06a55baa6e117a091ef33231cabfd9ad9949729b5345b2fb076641";
    expect(
        t.path(),
        &format!("{MUL} --witness {{mul.wtns}} --params-sha256 {good}"),
        0,
    );
    bytes[1100] ^= 1;
    write(t.path(), "bad.params", &bytes);
    let line = "prove --params @bad.params --r1cs {mul.r1cs} --witness {mul.wtns} --out @q";
    let stderr = expect(t.path(), &format!("{line} --params-sha256 {good}"), 3);
    assert!(
        stderr.contains(good) && stderr.contains("bad.params") && stderr.matches("SHA-256").count() == 1,
        "{stderr}"
    );
    let stderr = expect(t.path(), line, 3);
    assert!(stderr.contains("section h, point 0"), "{stderr}");
    assert_eq!(names(t.path()), ["bad.params", "proof.bin"]);
}

#[test]
fn b066_files_of_another_curve_are_refused() {
    let t = temp();
    for line in [
        "prove --params {mul.params} --r1cs {mul_bn254.r1cs} --witness {mul.wtns} --out @p",
        "prove --params {mul.params} --r1cs {mul.r1cs} --witness {mul_bn254.wtns} --out @p",
    ] {
        let stderr = expect(t.path(), line, 3);
        assert!(
            stderr.contains("bn254") && stderr.contains("bls12-381"),
            "{stderr}"
        );
    }
    assert!(names(t.path()).is_empty());
}

#[test]
fn b068_witnesses_of_the_wrong_length() {
    let t = temp();
    for (witness, have) in [("mul_short", 3), ("mul_long", 5)] {
        let stderr = expect(t.path(), &format!("{MUL} --witness {{{witness}.wtns}}"), 3);
        assert!(
            stderr.contains(&format!("has {have} values")) && stderr.contains("has 4 wires"),
            "{stderr}"
        );
    }
}

/// Writes a circuit without constraints and its witness.
fn without_constraints(folder: &Path, n_public: u32) {
    let none = circom_formats::SparseRows::default;
    let r1cs = circom_formats::R1cs {
        n_wires: 1 + n_public,
        n_public_outputs: 0,
        n_public_inputs: n_public,
        n_private_inputs: 0,
        a: none(),
        b: none(),
        c: none(),
    };
    let mut bytes = Vec::new();
    circom_formats::write_r1cs(&r1cs, &mut bytes).unwrap();
    write(folder, "c.r1cs", &bytes);
    let mut bytes = Vec::new();
    let values: Vec<bls_fields::Fr> = (0..=u64::from(n_public)).map(|i| (1 + i).into()).collect();
    circom_formats::write_wtns(&values, &mut bytes).unwrap();
    write(folder, "w.wtns", &bytes);
}

#[test]
fn b070_circuits_without_constraints_prove_and_verify() {
    for n_public in [1, 0] {
        let t = temp();
        without_constraints(t.path(), n_public);
        expect(t.path(), "setup --r1cs @c.r1cs --out @k.params", 0);
        let object = json(t.path(), "inspect @k.params");
        assert_eq!(object["domain"], 1 + n_public);
        let prove =
            "prove --params @k.params --r1cs @c.r1cs --witness @w.wtns --out @p --public-out @pub --check";
        expect(t.path(), prove, 0);
        expect(t.path(), "verify --params @k.params --proof @p --public @pub", 0);
    }
}

#[test]
fn b072_wires_that_do_not_exist() {
    let t = temp();
    let stderr = expect(t.path(), "setup --r1cs {mul_badwire.r1cs} --out @k", 3);
    assert!(
        stderr.contains("constraint 0") && stderr.contains("wire 4"),
        "{stderr}"
    );
    assert!(names(t.path()).is_empty());
}

#[test]
fn a_private_wire_in_no_constraint_is_named() {
    let t = temp();
    let mut file = circom_formats::read_r1cs(&std::fs::read(vector("mul.r1cs")).unwrap()).unwrap();
    file.n_wires += 1;
    let mut bytes = Vec::new();
    circom_formats::write_r1cs(&file, &mut bytes).unwrap();
    write(t.path(), "c.r1cs", bytes);
    let stderr = expect(t.path(), "setup --r1cs @c.r1cs --out @k", 3);
    assert!(
        stderr.contains("private wire 4 occurs in no constraint"),
        "{stderr}"
    );
    assert_eq!(json(t.path(), "inspect @c.r1cs")["unconstrained_wire"], 4);
}

/// With the fake runtime there is a device.
#[cfg(not(feature = "host-check"))]
#[test]
fn b079_without_a_device_cuda_is_an_error_and_auto_is_the_cpu() {
    let t = temp();
    let witness = format!("{MUL} --witness {{mul.wtns}}");
    let stderr = expect(t.path(), &format!("{witness} --backend cuda"), 4);
    assert!(stderr.contains("no CUDA device"), "{stderr}");
    assert!(names(t.path()).is_empty());
    let stderr = expect(t.path(), &format!("{witness} --backend auto -v"), 0);
    assert_eq!(stderr.matches("backend cpu").count(), 1, "{stderr}");
    expect(t.path(), &format!("{witness} --backend cpu"), 0);
    // These need no backend, so they ask for no device.
    expect(t.path(), &format!("{witness} --public-out @pub"), 0);
    let verify = "verify --params {mul.params} --proof @proof.bin --public @pub --backend cuda";
    expect(t.path(), verify, 0);
    expect(
        t.path(),
        "inspect {mul.params} --check --threads 1 --backend cuda",
        0,
    );
}

#[test]
fn b083_no_switch_in_the_environment_changes_the_backend() {
    // There are no on/off variables: what a run does is in its arguments alone.
    let reference = run(Path::new("."), "devices --json");
    for name in ["BELLMAN_NO_GPU", "GROTH16_NO_GPU", "G16_BACKEND"] {
        for value in ["", "0", "1", "false", "true", "yes"] {
            let output = Command::new(env!("CARGO_BIN_EXE_groth16-prover"))
                .args(["devices", "--json"])
                .env(name, value)
                .output()
                .unwrap();
            assert_eq!(output.stdout, reference.stdout, "{name}={value}");
        }
    }
}

#[test]
fn b123_public_inputs_from_json_are_counted_and_canonical() {
    let t = temp();
    write(
        t.path(),
        "p",
        (0..192)
            .map(|i| u8::from_str_radix(&vector_text("P-mul-0-0")[2 * i..2 * i + 2], 16).unwrap())
            .collect::<Vec<u8>>(),
    );
    let r = "52435875175126190479447740508185965837690552500527637822603658699938581184513";
    for (public, expected) in [
        (r#"["33"]"#.to_owned(), 0),
        (r#"["34"]"#.to_owned(), 1),
        ("[]".to_owned(), 3),
        (r#"["33","0"]"#.to_owned(), 3),
        (r#"["1","33"]"#.to_owned(), 3),
        (r#"["-1"]"#.to_owned(), 3),
        (format!(r#"["{r}"]"#), 3),
        ("33".to_owned(), 3),
        (String::new(), 3),
    ] {
        write(t.path(), "pub", &public);
        let stderr = expect(
            t.path(),
            "verify --params {mul.params} --proof @p --public @pub",
            expected,
        );
        if public.len() > 9 && expected == 3 && !public.contains(r) {
            assert!(
                stderr.contains("2 public inputs given, but the key has 1"),
                "{stderr}"
            );
        }
    }
}

#[test]
fn b125_wrong_witnesses_are_named() {
    let t = temp();
    let stderr = expect(t.path(), &format!("{MUL} --witness {{mul_wrong.wtns}}"), 3);
    assert!(stderr.contains("constraint 0"), "{stderr}");
    let stderr = expect(t.path(), &format!("{MUL} --witness {{mul_one2.wtns}}"), 3);
    assert!(stderr.contains("is not 1"), "{stderr}");
    let mut zeros = Vec::new();
    circom_formats::write_wtns(&[bls_fields::Fr::from(0); 4], &mut zeros).unwrap();
    write(t.path(), "zeros.wtns", zeros);
    expect(t.path(), &format!("{MUL} --witness @zeros.wtns"), 3);
    assert_eq!(names(t.path()), ["zeros.wtns"]);
}

#[test]
fn b127_a_damaged_proof_is_refused_or_does_not_verify() {
    let t = temp();
    write(t.path(), "pub", r#"["33"]"#);
    expect(t.path(), &format!("{MUL} --witness {{mul.wtns}}"), 0);
    let good = std::fs::read(t.path().join("proof.bin")).unwrap();
    for at in [0, 10, 60, 150, 191] {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        write(t.path(), "bad", &bad);
        let code = status(&run(
            t.path(),
            "verify --params {mul.params} --proof @bad --public @pub",
        ));
        assert!(code == 1 || code == 3, "byte {at}: {code}");
    }
    write(t.path(), "bad", &good[..191]);
    expect(
        t.path(),
        "verify --params {mul.params} --proof @bad --public @pub",
        3,
    );
}

#[cfg(unix)]
#[test]
fn s07_pipes_and_folders_do_not_hang() {
    let t = temp();
    assert!(Command::new("mkfifo")
        .arg(t.path().join("fifo"))
        .status()
        .unwrap()
        .success());
    std::fs::create_dir(t.path().join("folder")).unwrap();
    for bad in ["@fifo", "@folder", "@missing"] {
        for line in [
            format!("prove --params {bad} --r1cs {{mul.r1cs}} --witness {{mul.wtns}} --out @p"),
            format!("prove --params {{mul.params}} --r1cs {bad} --witness {{mul.wtns}} --out @p"),
            format!("prove --params {{mul.params}} --r1cs {{mul.r1cs}} --witness {bad} --out @p"),
            format!("verify --vk {bad} --proof @p --public @p"),
            format!("inspect {bad}"),
        ] {
            expect(t.path(), &line, 3);
        }
    }
}

#[test]
fn inspect_tells_every_kind_of_file() {
    let t = temp();
    expect(t.path(), "setup --r1cs {binp.r1cs} --out @k.params --vk @k.vk", 0);
    let prove = "prove --params @k.params --r1cs {binp.r1cs} --witness {binp.wtns}";
    expect(t.path(), &format!("{prove} --out @p.bin"), 0);
    expect(t.path(), &format!("{prove} --out @p.json --format snarkjs"), 0);
    for (file, kind, fields) in [
        (
            "@k.params",
            "params",
            vec![
                ("domain", 8),
                ("h", 7),
                ("ic", 3),
                ("b_g2", 3),
                ("public_inputs", 2),
            ],
        ),
        ("@k.vk", "vk", vec![("public_inputs", 2)]),
        (
            "{binp.r1cs}",
            "r1cs",
            vec![("constraints", 2), ("aux", 2), ("domain", 8)],
        ),
        ("{binp.wtns}", "wtns", vec![("values", 5)]),
        ("@p.bin", "proof", vec![("bytes", 192)]),
        ("@p.json", "proof", vec![]),
    ] {
        let object = json(t.path(), &format!("inspect {file} --check"));
        assert_eq!(object["kind"], kind, "{object}");
        for (field, value) in fields {
            assert_eq!(object[field], value, "{file} {field}");
        }
    }
    let object = json(t.path(), "inspect @k.params");
    assert!(object["proof_memory_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn an_unknown_shape_is_told_which_there_are() {
    let text = expect(temp().path(), "bench --shape porep-16g", 2);
    for name in ["porep-2k", "update-32g", "window-64g"] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn demo_and_bench_verify_what_they_prove() {
    let t = temp();
    let object = json(t.path(), "demo --message hello");
    assert_eq!(
        object["sha256"],
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    );
    assert_eq!(
        (&object["verified"], &object["verified_for_another_digest"]),
        (&true.into(), &false.into())
    );
    assert!(object["constraints"].as_u64().unwrap() > 20_000);
    let object = json(
        t.path(),
        "bench --log-n 8 --full 0.2 --circuits 2 --runs 2 --threads 2 --compare-cpu",
    );
    assert_eq!(object["runs_ms"].as_array().unwrap().len(), 2);
    let object = json(
        t.path(),
        "bench --shape window-2k --scale 1/64 --runs 1 --threads 2",
    );
    assert_eq!(object["shape"], "window-2k, 1/64");
    // 21,866 and 22,128 over 64
    assert_eq!(
        (&object["constraints"], &object["aux"]),
        (&342.into(), &346.into())
    );
    assert_eq!((&object["log_n"], &object["full"]), (&9.into(), &0.9769.into()));
    // Proofs that are made together on the CPU, which has no timelines.
    let object = json(t.path(), "bench --log-n 8 --jobs 3 --runs 1 --backend cpu");
    assert!(object["seconds_a_proof"].as_f64().unwrap() > 0.0);
    assert_eq!(object.get("busy_share"), None);
    expect(t.path(), &format!("demo --message {}", "x".repeat(1025)), 2);
}
