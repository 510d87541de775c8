use super::failure::{Failure, Reason};
use super::{Assignment, SRS};
use crate::raw;
use groth16_core::{Backend, Blinding, LoadedSrs};
use std::sync::Arc;

/// A call's arguments, found good: against each other, against the key, and the witness against its rows.
pub(super) struct Checked<'a> {
    pub(super) backend: &'a dyn Backend,
    pub(super) srs: &'a Arc<dyn LoadedSrs>,
    pub(super) circuits: Vec<groth16_core::Assignment<'a>>,
    pub(super) blindings: Vec<Blinding>,
}

impl<'a> Checked<'a> {
    /// `device`: the one that is asked for, if one is.
    ///
    /// # Safety
    /// The pointers of `provers` are valid for their lengths, and what they point at is
    /// not written, for as long as `'a`.
    pub(super) unsafe fn new<S>(
        provers: &'a [Assignment<S>],
        r_s: &[S],
        s_s: &[S],
        srs: &'a SRS,
        device: Option<usize>,
    ) -> Result<Self, Failure> {
        raw::check_count("r_s", r_s.len(), provers.len())?;
        raw::check_count("s_s", s_s.len(), provers.len())?;
        let (backend, srs) = srs.get(device)?;

        let counts = srs.counts();
        let mut circuits = Vec::with_capacity(provers.len());
        for (circuit, prover) in provers.iter().enumerate() {
            // SAFETY: this function's caller promises it.
            let (assignment, c) = unsafe { raw::view(circuit, prover) }?;
            let in_circuit = |source| Reason::Circuit { circuit, source };
            assignment.check(&counts).map_err(in_circuit)?;
            // The backends have no other use for c, and a proof of such rows would
            // be wrong without a sign of it.
            assignment.check_c(c).map_err(in_circuit)?;
            circuits.push(assignment);
        }
        let r_s = raw::elements("r_s", r_s)?;
        let s_s = raw::elements("s_s", s_s)?;
        let blindings = r_s.zip(s_s).map(|(r, s)| Blinding { r, s }).collect();
        Ok(Checked {
            backend,
            srs,
            circuits,
            blindings,
        })
    }
}
