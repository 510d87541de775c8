//! Owned circuits on their way through the workers, and who waits for them.

use super::admission::Admitted;
use super::error::NAME;
use crossbeam_channel::{bounded, Receiver, Sender};
use groth16_core::{Blinding, Error, Job, OwnedAssignment, Pending, Proof, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A circuit's proof, or what its proving panicked with.
pub(super) type Outcome = std::thread::Result<Result<Proof>>;

/// What a worker reports: the circuit's number, and what became of it.
type Report = (usize, Outcome);

/// One circuit of a job. Its inputs, and its share of what may wait, go before its word to the waiter.
pub(super) struct Task {
    pub(super) assignment: OwnedAssignment,
    pub(super) blinding: Blinding,
    number: usize,
    _admitted: Admitted,
    given_up: Arc<AtomicBool>,
    reports: Sender<Report>,
}

impl Task {
    /// Whether nobody wants the proof any more.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Tells whoever waits. A panic continues there.
    pub(super) fn report(self, outcome: Outcome) {
        if !matches!(outcome, Ok(Ok(_))) {
            self.given_up.store(true, Ordering::Relaxed); // the job's others need not begin
        }
        let Task {
            assignment,
            number,
            _admitted,
            reports,
            ..
        } = self;
        drop((assignment, _admitted));
        // There is room for a report of each circuit.
        let _ = reports.send((number, outcome));
    }
}

/// A job's circuits, and the means to wait for them.
pub(super) fn split(job: Job, admitted: Vec<Admitted>) -> (Vec<Task>, JobPending) {
    let circuits = job.into_circuits();
    let n_circuits = circuits.len();
    let (sender, reports) = bounded(n_circuits);
    let given_up = Arc::new(AtomicBool::new(false));
    let tasks = circuits
        .into_iter()
        .zip(admitted)
        .enumerate()
        .map(|(number, ((assignment, blinding), admitted))| Task {
            assignment,
            blinding,
            number,
            _admitted: admitted,
            given_up: given_up.clone(),
            reports: sender.clone(),
        })
        .collect();
    let pending = JobPending {
        reports,
        given_up,
        n_circuits,
    };
    (tasks, pending)
}

/// A job under way. The channel ends when no circuit of it is left anywhere.
pub(super) struct JobPending {
    reports: Receiver<Report>,
    given_up: Arc<AtomicBool>,
    n_circuits: usize,
}

impl Pending for JobPending {
    fn wait(self: Box<Self>) -> Result<Vec<Proof>> {
        let mut proofs = vec![None; self.n_circuits];
        let mut failure = None;
        for (number, outcome) in &self.reports {
            match outcome {
                Ok(Ok(proof)) => proofs[number] = Some(proof),
                Ok(Err(error)) => failure = failure.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let lost = || Error::Backend {
            backend: NAME,
            stage: "end of a job",
            source: "a worker ended before its circuit was proved; please report it".into(),
        };
        match failure {
            Some(error) => Err(error),
            None => proofs.into_iter().map(|proof| proof.ok_or_else(lost)).collect(),
        }
    }
}

impl Drop for JobPending {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::Relaxed);
        self.reports.iter().for_each(drop);
    }
}
