//! What is proved.

use crate::args::Bench;
use crate::failure::Failure;
use crate::report::Report;
use groth16_prover::{OwnedAssignment, Parameters, Prover, ToxicWaste};
use std::sync::Arc;

/// The seed of every benchmark's circuit and key: results compare between runs.
const SEED: u64 = 1;

/// A circuit with its witness, and its key.
pub(super) struct Subject {
    /// that of a recorded shape
    pub(super) name: Option<String>,
    pub(super) log_n: u32,
    pub(super) full_share: f64,
    pub(super) parameters: Arc<Parameters>,
    /// on the heap; each rig has a copy in its prover's memory
    pub(super) assignment: OwnedAssignment,
}

impl Subject {
    pub(super) fn make(args: &Bench, prover: &Prover, report: &mut Report) -> Result<Self, Failure> {
        let (shape, name) = args.shape()?;
        if let Some(name) = &name {
            report.fact("shape", "shape", name.as_str());
        }
        let (log_n, full_share) = (shape.domain_size().ilog2(), shape.full_share());
        report.fact("log_n", "domain, log2", log_n);
        report.fact("full", "share of full values", full_share);
        let (r1cs, witness) = report.stage("circuit", "make the circuit", || shape.generate(SEED))?;
        report.fact("constraints", "constraints", r1cs.n_constraints());
        report.fact("aux", "private wires", r1cs.n_aux());
        // INSECURE, as every benchmark's key is: its secrets are those of the seed.
        let waste = ToxicWaste::insecure_from_seed(SEED);
        let parameters = report.stage("setup", "make the key", || {
            prover.generate_parameters(&r1cs, &waste)
        })?;
        let assignment = report.stage("evaluate", "evaluate constraints", || {
            prover.in_pool(|| r1cs.assign(&witness))
        })?;
        Ok(Subject {
            name,
            log_n,
            full_share,
            parameters: Arc::new(parameters),
            assignment,
        })
    }
}
