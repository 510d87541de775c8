//! A prover with a subject's key: proofs of it, timed, each verified.

use super::subject::Subject;
use crate::failure::Failure;
use crate::report::Report;
use groth16_prover::timeline::Timeline;
use groth16_prover::{BackendChoice, Blinding, OsRng, OwnedAssignment, Proof, Prover, ProvingKey};
use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

pub(super) struct Rig<'a> {
    subject: &'a Subject,
    prover: Prover,
    key: ProvingKey,
    /// the subject's, where this prover takes inputs from soonest
    assignment: OwnedAssignment,
    /// of the prover's proofs; none where nobody asked for them
    timelines: Receiver<Timeline>,
}

/// One timed run.
pub(super) struct Run {
    /// from the first call to the last proof
    pub(super) wall: Duration,
    /// the wall's share of each proof
    pub(super) wall_a_proof: Duration,
    /// For each proof, in the steady state (see [`steady`]); the wall's share where they were made in one call.
    pub(super) a_proof: Duration,
    pub(super) timelines: Vec<Timeline>,
}

impl<'a> Rig<'a> {
    pub(super) fn new(
        subject: &'a Subject,
        prover: Prover,
        timelines: Receiver<Timeline>,
        report: &mut Report,
    ) -> Result<Self, Failure> {
        let parameters = subject.parameters.clone();
        let key = report.stage("load", "load the key", || prover.load(parameters))?;
        Ok(Rig {
            subject,
            assignment: prover.copy_of(&subject.assignment),
            prover,
            key,
            timelines,
        })
    }

    /// So many circuits in one call.
    pub(super) fn one_call(&self, n_circuits: u16) -> Result<Run, Failure> {
        let circuits = vec![self.assignment.as_assignment(); n_circuits.into()];
        let blindings: Vec<_> = circuits.iter().map(|_| Blinding::random(&mut OsRng)).collect();
        let begin = Instant::now();
        let proofs = self.prover.prove_unverified(&self.key, &circuits, &blindings)?;
        let wall = begin.elapsed();
        self.verify(&proofs)?;
        let a_proof = wall / u32::from(n_circuits);
        Ok(Run {
            wall,
            wall_a_proof: a_proof,
            a_proof,
            timelines: self.timelines.try_iter().collect(),
        })
    }

    /// So many calls of one circuit each, all made at once.
    pub(super) fn calls_together(&self, n_calls: u16) -> Result<Run, Failure> {
        let (prover, key, circuit) = (&self.prover, &self.key, self.assignment.as_assignment());
        let prove = || -> groth16_prover::Result<(Proof, Instant)> {
            let blinding = Blinding::random(&mut OsRng);
            let proof = prover.prove_unverified(key, &[circuit], &[blinding])?[0];
            Ok((proof, Instant::now()))
        };
        let begin = Instant::now();
        let outcomes = std::thread::scope(|scope| {
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, prove);
            let threads: Vec<_> = (0..n_calls).map(start).collect();
            let mut outcomes = Vec::new();
            for thread in threads {
                let thread = thread.map_err(|error| Failure::Device(format!("start threads: {error}")))?;
                let outcome = thread.join();
                outcomes.push(outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, Failure>(outcomes)
        })?;
        let (proofs, ends): (Vec<_>, Vec<_>) = outcomes.into_iter().map(|(p, end)| (p, end - begin)).unzip();
        self.verify(&proofs)?;
        let wall = ends.iter().max().copied().unwrap_or_default();
        let timelines: Vec<_> = self.timelines.try_iter().collect();
        let devices: BTreeSet<u32> = timelines.iter().map(|timeline| timeline.device).collect();
        Ok(Run {
            wall,
            wall_a_proof: wall / u32::from(n_calls),
            a_proof: steady(ends, devices.len().max(1)),
            timelines,
        })
    }

    /// A proof of fixed r and s, to be compared with another's.
    pub(super) fn fixed_proof(&self) -> Result<Proof, Failure> {
        let circuit = [self.assignment.as_assignment()];
        let proof = self
            .prover
            .prove_unverified(&self.key, &circuit, &[fixed_blinding()])?[0];
        self.timelines.try_iter().for_each(drop);
        Ok(proof)
    }

    /// Whether fixed r and s give the bytes that the CPU gives.
    pub(super) fn compare_with_cpu(&self) -> Result<(), Failure> {
        let circuit = [self.assignment.as_assignment()];
        let cpu = Prover::builder().backend(BackendChoice::Cpu).build()?;
        // The pool of this prover, which may have been limited.
        let expected = self.prover.in_pool(|| {
            let key = cpu.load(self.subject.parameters.clone())?;
            cpu.prove_unverified(&key, &circuit, &[fixed_blinding()])
        })?;
        match expected[0] == self.fixed_proof()? {
            true => Ok(()),
            false => Err(Failure::Device(
                "a proof of the benchmark differs from the CPU's for the same r and s: please report it"
                    .into(),
            )),
        }
    }

    fn verify(&self, proofs: &[Proof]) -> Result<(), Failure> {
        let inputs = &self.assignment.inputs[1..];
        for proof in proofs {
            if !self.key.verifier().verify(proof, inputs)? {
                return Err(Failure::Device(
                    "a proof of the benchmark does not verify: please report it".into(),
                ));
            }
        }
        Ok(())
    }
}

/// Seconds a proof without the beginning, in which each device fills up: between the end that makes as many as there are devices,
/// and the last, over the number of proofs that ended then. Several devices end together, so the time from the first end on would
/// have one proof too many for each device but one. Where there are no more proofs than devices, the wall's share.
fn steady(mut ends: Vec<Duration>, n_devices: usize) -> Duration {
    ends.sort_unstable();
    let n = ends.len();
    let Some(last) = ends.last() else {
        return Duration::ZERO;
    };
    match n > n_devices {
        true => (*last - ends[n_devices - 1]) / (n - n_devices) as u32,
        false => *last / n as u32,
    }
}

fn fixed_blinding() -> Blinding {
    Blinding {
        r: 17.into(),
        s: 23.into(),
    }
}

/// The middle one, or the later of two.
pub(super) fn median<T: PartialOrd + Copy>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steady_time_of_a_proof_counts_whole_rounds() {
        // Rounds of 100 ms, the first of 250 ms, on one device and on two.
        let ends = |n: usize, n_devices: usize| -> Vec<Duration> {
            let round = |i| (i / n_devices) as u64;
            (0..n)
                .rev()
                .map(|i| Duration::from_millis(250 + 100 * round(i)))
                .collect()
        };
        let ms = |n, n_devices| steady(ends(n, n_devices), n_devices).as_millis();
        assert_eq!([ms(10, 1), ms(10, 2), ms(12, 4)], [100, 50, 25]);
        assert_eq!([ms(1, 1), ms(2, 2), ms(2, 4), ms(0, 1)], [250, 125, 125, 0]);
    }
}
