//! The same proofs in two calls, or on a device of the caller's choice, for packages that put an extended API over this one. No part of the registry
//! crate's API, and no promise to anybody but `integration/curio`.

pub use super::alike::Alike;
use super::checked::Checked;
pub use super::failure::Failure;
use super::failure::Reason;
use super::{generate, SRS};
use crate::raw;
use groth16_core::{Assignment, Densities, Job, OwnedAssignment, Pending};
use std::sync::Arc;

/// Proves in one call, on one of the devices that are used, if one is asked for: as long as that one can,
/// then on the others. Where the CPU proves, the wish has no meaning.
///
/// # Errors
/// [`Failure`]; `proofs` is untouched then.
///
/// # Safety
/// Each pointer is valid for its length, and what it points at is not written, until this returns.
pub unsafe fn prove<S, D, PR>(
    circuits: &Alike<'_, S, D>,
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    device: Option<usize>,
) -> Result<(), Failure> {
    let provers = circuits.assignments()?;
    generate::prove(&provers, r_s, s_s, proofs, srs, device)
}

/// Proofs under way. It holds the key and a copy of its inputs, so neither need
/// outlive the call that started it.
///
/// Dropping it waits until nothing of it runs any more.
pub struct Started {
    n_circuits: usize,
    pending: Box<dyn Pending>,
}

impl Started {
    /// Checks everything, copies it, and starts the proofs on a thread of their own.
    ///
    /// Copied, since a pointer gives no ownership, and the callers free a, b and c as soon as this returns:
    /// 64 bytes a row and 32 a wire. c is checked and not kept. `device` as for [`prove`].
    ///
    /// # Errors
    /// [`Failure`]; nothing is started then.
    ///
    /// # Safety
    /// Each pointer is valid for its length, and what it points at is not written, until this returns.
    pub unsafe fn new<S, D>(
        circuits: &Alike<'_, S, D>,
        r_s: &[S],
        s_s: &[S],
        srs: &SRS,
        device: Option<usize>,
    ) -> Result<Self, Failure> {
        let provers = circuits.assignments()?;
        // SAFETY: the caller's promise; the views end with this function.
        let checked = unsafe { Checked::new(&provers, r_s, s_s, srs, device) }?;
        let owned: Vec<_> = checked.circuits.iter().map(copied).collect();
        let n_circuits = owned.len();
        let job = Job::new(&**checked.srs, owned.into_iter().zip(checked.blindings).collect());
        let pending = job.and_then(|job| checked.backend.submit(checked.srs, job));
        Ok(Started {
            n_circuits,
            pending: pending.map_err(Reason::Proof)?,
        })
    }

    /// Waits, and writes the proofs, which may be uninitialised memory: all of them, or none.
    ///
    /// # Errors
    /// [`Failure`], where there is not a place for each proof, or one could not be made. Nothing runs any
    /// more then either.
    pub fn finish<PR>(self, proofs: &mut [PR]) -> Result<(), Failure> {
        let mut out = raw::ProofsOut::new(proofs, self.n_circuits)?;
        let made = self.pending.wait().map_err(Reason::Proof)?;
        raw::check_count("proofs made", made.len(), self.n_circuits)?;
        out.write(&made);
        Ok(())
    }
}

fn copied(circuit: &Assignment<'_>) -> OwnedAssignment {
    // With room for the padding, so that the CPU backend need not copy them once more.
    let rows = |rows: &[_]| {
        let mut copy = Vec::with_capacity(rows.len().next_power_of_two());
        copy.extend_from_slice(rows);
        copy.into()
    };
    let densities = Densities {
        a_aux: circuit.a_aux_density.to_bits(),
        b_input: circuit.b_input_density.to_bits(),
        b_aux: circuit.b_aux_density.to_bits(),
    };
    OwnedAssignment {
        a: rows(circuit.a),
        b: rows(circuit.b),
        inputs: circuit.inputs.to_vec(),
        aux: circuit.aux.to_vec().into(),
        densities: Arc::new(densities),
    }
}
