//! What was measured, as tables that can be put into a document.

use crate::kind::Kind;
use crate::plan::Row;
use crate::step::Soaked;
use sha2::{Digest, Sha256};

pub fn circuits(rows: &[Row]) {
    println!("\n| circuit | partitions | constraints | inputs | aux | domain | aux in A | inputs in B | aux in B | aux 0 | aux 1 |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for Row { kind, shape, .. } in rows {
        let share = |n: usize| 100.0 * n as f64 / shape.n_aux as f64;
        println!(
            "| {kind} | {} | {} | {} | {} | 2^{} | {} | {} | {} | {:.1} % | {:.1} % |",
            shape.n_partitions,
            shape.n_constraints,
            shape.n_inputs,
            shape.n_aux,
            shape.log_domain,
            shape.a_aux,
            shape.b_inputs,
            shape.b_aux,
            share(shape.n_zeros),
            share(shape.n_ones)
        );
    }
}

pub fn parameters(rows: &[Row]) {
    println!("\n| key | by | bytes | generate | write | peak |");
    println!("|---|---|---|---|---|---|");
    for Row { kind, made, .. } in rows {
        let Some(made) = made else { continue };
        println!(
            "| {} | {} | {} | {:.1} s | {:.1} s | {} MiB |",
            kind.key(),
            made.by,
            made.params_bytes,
            made.generate_s,
            made.write_s,
            made.peak_mib
        );
    }
}

pub fn proofs(rows: &[Row]) {
    println!("\n| proof | by | load | synthesize | prove | CPU | peak | SHA-256 of the proof |");
    println!("|---|---|---|---|---|---|---|---|");
    for row in rows {
        for (by, proved) in [("supraseal-c2", &row.ours), ("bellperson 0.26", &row.native)] {
            println!(
                "| {} | {by} | {:.2} s | {:.2} s | {:.2} s | {:.2} s | {} MiB | {} |",
                row.kind,
                proved.load_s,
                proved.synthesis_s,
                proved.prove_s,
                proved.cpu_s,
                proved.peak_mib,
                digest(&proved.proof)
            );
        }
    }
    println!("\n| filecoin-proofs' own call, verified by it | bytes | first | second | peak |");
    println!("|---|---|---|---|---|");
    for Row { kind, accepted, .. } in rows {
        println!(
            "| {kind} | {} | {:.2} s | {:.2} s | {} MiB |",
            accepted.proof_bytes, accepted.first_s, accepted.second_s, accepted.peak_mib
        );
    }
    println!();
    for Row { kind, accepted, .. } in rows {
        println!("supraseal-c2 proves {kind} on {}", accepted.proofs_run_on);
    }
}

pub fn soak(kind: Kind, soaked: &Soaked) {
    println!("\n| {kind} proof | time | allocated after it | resident | peak so far | threads | files |");
    println!("|---|---|---|---|---|---|---|");
    for (i, (seconds, held)) in soaked.proofs.iter().enumerate() {
        println!(
            "| {} | {seconds:.2} s | {:.1} MiB | {:.1} MiB | {:.1} MiB | {} | {} |",
            i + 1,
            held.heap_kib as f64 / 1024.0,
            held.anonymous_kib as f64 / 1024.0,
            held.peak_kib as f64 / 1024.0,
            held.threads,
            held.files
        );
    }
}

/// Enough of it to see that two machines made the same.
fn digest(proof: &[u8]) -> String {
    Sha256::digest(proof)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
