use crate::failure::Failure;
use crate::report::{millis, seconds, Report};
use groth16_prover::{Assignment, Blinding, OsRng, Prover, ToxicWaste};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The seed of every benchmark's circuit and key: results compare between runs.
const SEED: u64 = 1;

pub(crate) fn run(args: &crate::args::Bench, prover: &Prover, report: &mut Report) -> Result<(), Failure> {
    let (shape, name) = args.shape()?;
    let info = prover.backend_info();
    report.fact(
        "backend",
        "backend",
        format!("{}, {}", info.name, info.description),
    );
    if let Some(name) = name {
        report.fact("shape", "shape", name);
    }
    report.fact("log_n", "domain, log2", shape.domain_size().ilog2());
    report.fact("full", "share of full values", shape.full_share());
    let (r1cs, witness) = report.stage("circuit", "make the circuit", || shape.generate(SEED))?;
    report.fact("constraints", "constraints", r1cs.n_constraints());
    report.fact("aux", "private wires", r1cs.n_aux());
    // INSECURE, as every benchmark's key is: its secrets are those of the seed.
    let waste = ToxicWaste::insecure_from_seed(SEED);
    let parameters = report.stage("setup", "make the key", || {
        prover.generate_parameters(&r1cs, &waste)
    })?;
    let key = report.stage("load", "load the key", || prover.load(parameters))?;
    let assignment = report.stage("evaluate", "evaluate constraints", || {
        prover.assign(&r1cs, &witness)
    })?;
    drop((r1cs, witness));

    let circuits = vec![assignment.as_assignment(); args.circuits.into()];
    report.line(format_args!(
        "\n{:>4} {:>12} {:>14}  verified",
        "run", "seconds", "a proof"
    ));
    let mut walls = Vec::new();
    for run in 1..=args.runs {
        let wall = report.wait_for("prove and verify", || timed_run(prover, &key, &circuits))?;
        report.line(format_args!(
            "{run:>4} {} {}  yes",
            seconds(wall),
            seconds(wall / args.circuits.into())
        ));
        walls.push(wall);
    }
    report.field(
        "runs_ms",
        walls.iter().map(|w| millis(*w)).collect::<Vec<Value>>(),
    );
    walls.sort();
    let median = walls[walls.len() / 2] / args.circuits.into();
    report.field("seconds_a_proof", median.as_secs_f64());
    report.line(format_args!(
        "{:<28} {}",
        "median seconds a proof",
        seconds(median)
    ));
    Ok(())
}

/// The time of the proving call; verification is outside it, and fails the benchmark.
fn timed_run(
    prover: &Prover,
    key: &groth16_prover::ProvingKey,
    circuits: &[Assignment<'_>],
) -> Result<Duration, Failure> {
    let blindings: Vec<_> = circuits.iter().map(|_| Blinding::random(&mut OsRng)).collect();
    let start = Instant::now();
    let proofs = prover.prove_unverified(key, circuits, &blindings)?;
    let wall = start.elapsed();
    for (proof, circuit) in proofs.iter().zip(circuits) {
        if !key.verifier().verify(proof, &circuit.inputs[1..])? {
            return Err(Failure::Device(
                "a proof of the benchmark does not verify: please report it".into(),
            ));
        }
    }
    Ok(wall)
}
