//! A few seconds of mutated files for each reader: no panic, memory bounded by the
//! size of the file, typed errors.

#[path = "common/bounded_fuzz.rs"]
mod bounded_fuzz;
mod common;

use bls_curves::{G1Affine, G1Projective, G2Affine, G2Projective};
use bls_fields::Fr;
use bounded_fuzz::{alone, CountingAllocator, Outcome, Run, Seed};
use circom_formats::*;
use common::{sections, vector};
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The number of sections, their types and lengths, and the counts that `inside` adds.
fn seed(name: &str, inside: impl Fn(u32, usize, &[u8]) -> Vec<usize>) -> Seed {
    let bytes = vector(name);
    let mut words = vec![4..8, 8..12];
    for (section, start, content) in sections(&bytes) {
        words.extend([start - 12..start - 8, start - 8..start]);
        words.extend(inside(section, start, &content).iter().map(|&at| at..at + 4));
    }
    Seed { bytes, words }
}

fn r1cs_counts(section: u32, start: usize, content: &[u8]) -> Vec<usize> {
    match section {
        // field size, four counts, number of constraints
        1 => [0, 36, 40, 44, 48, 60].map(|at| start + at).to_vec(),
        // the number of terms of each linear combination, and the first wire after it
        2 => {
            let (mut at, mut out) = (0, Vec::new());
            while at < content.len() {
                out.extend([start + at, start + at + 4]);
                let n = u32::from_le_bytes(content[at..at + 4].try_into().unwrap());
                at += 4 + 36 * n as usize;
            }
            out
        }
        _ => Vec::new(),
    }
}

fn wtns_counts(section: u32, start: usize, _: &[u8]) -> Vec<usize> {
    match section {
        1 => vec![start, start + 36],
        _ => Vec::new(),
    }
}

fn json_seed(text: String) -> Seed {
    Seed {
        bytes: text.into_bytes(),
        words: Vec::new(),
    }
}

fn check<E>(name: &str, outcome: &Outcome<E>, kinds: usize) {
    println!(
        "{name}: {} inputs, {} accepted, {} kinds of errors",
        outcome.n_inputs,
        outcome.n_accepted,
        outcome.kinds.len()
    );
    // A run that reaches nothing proves nothing.
    assert!(
        outcome.n_accepted > 0 && outcome.n_accepted < outcome.n_inputs,
        "{name}"
    );
    assert!(
        outcome.kinds.len() >= kinds,
        "{name}: {} kinds",
        outcome.kinds.len()
    );
}

const TIME: Duration = Duration::from_secs(2);

#[test]
fn r1cs() {
    let alone = alone();
    let run = Run {
        name: ".r1cs",
        seeds: ["mul.r1cs", "zero.r1cs", "binp.r1cs", "mul_circom.r1cs"]
            .map(|name| seed(name, r1cs_counts))
            .into(),
        // An empty section of custom gates, one with an entry, an unknown section.
        dictionary: &[
            b"\x04\0\0\0\0\0\0\0\0\0\0\0",
            b"\x05\0\0\0\x04\0\0\0\0\0\0\0\x01\0\0\0",
            b"\x09\0\0\0\0\0\0\0\0\0\0\0",
        ],
        time: TIME,
        memory_factor: 2,
        memory_slack_bytes: 1024,
    };
    let outcome = run.go(&alone, read_r1cs, |r1cs| {
        let mut written = Vec::new();
        write_r1cs(&r1cs, &mut written).unwrap();
        assert_eq!(read_r1cs(&written).unwrap(), r1cs);
    });
    // All but CustomGates, for which the dictionary has to meet the number of sections.
    check(".r1cs", &outcome, 11);
}

#[test]
fn wtns() {
    let alone = alone();
    let run = Run {
        name: ".wtns",
        seeds: ["mul.wtns", "binp.wtns", "mul_short.wtns", "mul_long.wtns"]
            .map(|name| seed(name, wtns_counts))
            .into(),
        dictionary: &[b"\x09\0\0\0\0\0\0\0\0\0\0\0"],
        time: TIME,
        memory_factor: 1,
        memory_slack_bytes: 1024,
    };
    let outcome = run.go(&alone, read_wtns, |witness| {
        let mut written = Vec::new();
        write_wtns(&witness, &mut written).unwrap();
        assert_eq!(read_wtns(&written).unwrap(), witness);
    });
    check(".wtns", &outcome, 9);
}

const JSON_PIECES: &[&[u8]] = &[
    b"\"",
    b"[",
    b"]",
    b",",
    b"-",
    b"+",
    b"0",
    b"1e9",
    b"\\u0033",
    b"{",
    b"}",
    b"null",
    b"\"1\",",
    b"[[[[[[[[",
    b"\xff",
];

#[test]
fn public_json() {
    let alone = alone();
    let values = [Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(1 << 32)];
    let run = Run {
        name: "public.json",
        seeds: vec![
            json_seed(write_public_json(&values)),
            json_seed(write_public_json(&values[..1])),
            json_seed(write_public_json(&[])),
        ],
        dictionary: JSON_PIECES,
        time: TIME,
        memory_factor: 24,
        memory_slack_bytes: 2048,
    };
    let outcome = run.go(&alone, read_public_json, |values| {
        assert_eq!(
            read_public_json(write_public_json(&values).as_bytes()).unwrap(),
            values
        );
    });
    check("public.json", &outcome, 2);
}

#[test]
fn proof_json() {
    let alone = alone();
    let proof = |k: u64| ProofPoints {
        a: (G1Affine::generator() * Fr::from(k)).to_affine(),
        b: (G2Projective::from(G2Affine::generator()) * Fr::from(k + 1)).to_affine(),
        c: (G1Projective::from(G1Affine::generator()) * Fr::from(k + 2)).to_affine(),
    };
    let run = Run {
        name: "proof.json",
        seeds: vec![
            json_seed(write_proof_json(&proof(1))),
            json_seed(write_proof_json(&proof(77))),
        ],
        dictionary: JSON_PIECES,
        time: TIME,
        memory_factor: 8,
        memory_slack_bytes: 8192,
    };
    let outcome = run.go(&alone, read_proof_json, |proof| {
        assert_eq!(
            read_proof_json(write_proof_json(&proof).as_bytes()).unwrap(),
            proof
        );
    });
    check("proof.json", &outcome, 5);
}

/// On files of a hundred kilobytes and more the slack of the other tests no longer counts.
#[test]
fn memory_of_large_files() {
    let alone = alone();
    // What takes the most memory for its bytes: constraints without terms, elements of one digit.
    let mut r1cs = R1cs {
        n_wires: 1,
        ..R1cs::default()
    };
    for _ in 0..10_000 {
        r1cs.a.push_row([]);
        r1cs.b.push_row([]);
        r1cs.c.push_row([]);
    }
    let mut r1cs_bytes = Vec::new();
    write_r1cs(&r1cs, &mut r1cs_bytes).unwrap();
    let mut wtns_bytes = Vec::new();
    write_wtns(&vec![-Fr::ONE; 4_000], &mut wtns_bytes).unwrap();
    // Just over a power of two, where a vector that grows has just doubled.
    let mut terms = R1cs {
        n_wires: 1,
        ..R1cs::default()
    };
    terms.a.push_row([(0, Fr::ONE); (1 << 12) + 1]);
    terms.b.push_row([]);
    terms.c.push_row([]);
    let mut terms_bytes = Vec::new();
    write_r1cs(&terms, &mut terms_bytes).unwrap();
    let run = |name, bytes: Vec<u8>, words, memory_factor| Run {
        name,
        seeds: vec![Seed { bytes, words }],
        dictionary: &[],
        time: Duration::from_millis(300),
        memory_factor,
        memory_slack_bytes: 1024,
    };
    let outcome = run(".r1cs", r1cs_bytes, vec![60..64, 84..88, 92..100], 2).go(&alone, read_r1cs, drop);
    check("large .r1cs", &outcome, 2);
    let outcome = run(".r1cs", terms_bytes, vec![60..64, 84..88, 92..100], 1).go(&alone, read_r1cs, drop);
    check("large .r1cs with terms", &outcome, 2);
    let outcome = run(".wtns", wtns_bytes, vec![60..64, 68..76], 1).go(&alone, read_wtns, drop);
    check("large .wtns", &outcome, 2);
    let strings = format!("[{}\"0\"]", "\"0\",".repeat(1 << 15)).into_bytes();
    let outcome = run("public.json", strings, vec![], 24).go(&alone, read_public_json, drop);
    check("large public.json", &outcome, 1);
    let numbers = format!("[{}0]", "0,".repeat(1 << 15)).into_bytes();
    let outcome = run("public.json", numbers, vec![], 24).go(&alone, read_public_json, drop);
    assert!(outcome.n_inputs > 0 && outcome.n_accepted == 0);
}
