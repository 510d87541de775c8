//! A few seconds of mutated keys and proofs: no panic, memory bounded by the size of the file, typed errors.

#[path = "../../circom-formats/tests/common/bounded_fuzz.rs"]
mod bounded_fuzz;
use backend_tests::toy::{vector_bytes, vector_hex};
use bounded_fuzz::{alone, CountingAllocator, Outcome, Run, Seed};
use groth16_core::params::ParamsIndex;
use groth16_core::{Parameters, ParamsCheck, Proof};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const TIME: Duration = Duration::from_secs(2);

/// A key and where its counts stand.
fn key(name: &str) -> Seed {
    let bytes = vector_bytes(name);
    let index = ParamsIndex::parse(&bytes).unwrap();
    let sections = [index.ic, index.h, index.l, index.a, index.b_g1, index.b_g2];
    Seed {
        words: sections.map(|s| s.offset - 4..s.offset).into(),
        bytes,
    }
}

fn check<E>(name: &str, outcome: &Outcome<E>, kinds: usize) {
    let (inputs, accepted, n_kinds) = (outcome.n_inputs, outcome.n_accepted, outcome.kinds.len());
    println!("{name}: {inputs} inputs, {accepted} accepted, {n_kinds} kinds of errors");
    // A run that reaches nothing proves nothing.
    assert!(
        accepted > 0 && accepted < inputs && n_kinds >= kinds,
        "{name}: {n_kinds} kinds"
    );
}

#[test]
fn params() {
    let alone = alone();
    let run = Run {
        name: ".params",
        seeds: ["mul.params", "binp.params"].map(key).into(),
        dictionary: &[b"zkey", b"\x40", b"\x1f\xff\xff\xff\xff\xff\xff\xff"],
        time: TIME,
        memory_factor: 2,
        // what rayon's tasks and the error's text take
        memory_slack_bytes: 64 << 10,
    };
    let outcome = run.go(
        &alone,
        |bytes| Parameters::from_bytes(bytes, ParamsCheck::Curve),
        |parameters| {
            let mut written = Vec::new();
            parameters.write(&mut written).unwrap();
            let read = Parameters::from_bytes(&written, ParamsCheck::Curve).unwrap();
            assert_eq!(read, parameters);
        },
    );
    check(".params", &outcome, 1);
}

#[test]
fn proof() {
    let alone = alone();
    let run = Run {
        name: "proof",
        seeds: ["P-mul-0-0", "P-binp-3-5"]
            .map(|id| Seed {
                bytes: vector_hex(id),
                words: vec![],
            })
            .into(),
        dictionary: &[b"\xc0", b"\x80\0\0\0\0\0\0\0"],
        time: TIME,
        memory_factor: 1,
        memory_slack_bytes: 4 << 10,
    };
    let outcome = run.go(&alone, Proof::from_bytes, |proof| {
        assert_eq!(Proof::from_bytes(&proof.to_bytes()).unwrap(), proof);
    });
    check("proof", &outcome, 1);
}
