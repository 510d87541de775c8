//! The reference backend: every core of the machine, no device.

use crate::assemble::{assemble, MsmResults};
use crate::backend::{check_scoped, Backend, BackendInfo, Job, LoadedSrs, Pending, Srs};
use crate::domain::Domain;
use crate::params::{KeyCounts, Parameters};
use crate::{
    msm, quotient, spawn_pending, Assignment, Blinding, Error, HostBuf, OwnedAssignment, Proof, Result,
    VerifyingKey,
};
use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::{Fr, FrRepr};
use ff::Field;
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Computes proofs with rayon, in the pool of the caller.
///
/// Work memory of a proof, beyond its inputs and the key: two domain vectors for a and b and one for
/// c, 96 bytes a domain element, and half a vector of twiddles; then the scalars of one query and
/// the MSM's sort, less than that.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuBackend;

struct CpuSrs {
    parameters: Arc<Parameters>,
}

impl LoadedSrs for CpuSrs {
    fn vk(&self) -> &VerifyingKey {
        &self.parameters.vk
    }
    fn counts(&self) -> KeyCounts {
        self.parameters.counts()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CpuBackend {
    const NAME: &'static str = "cpu";

    fn parameters(srs: &Arc<dyn LoadedSrs>) -> Result<&Arc<Parameters>> {
        let srs = srs.as_any().downcast_ref::<CpuSrs>();
        srs.map(|srs| &srs.parameters)
            .ok_or(Error::ForeignSrs { backend: Self::NAME })
    }

    /// Bytes that a proof of `n_rows` rows allocates at its peak, beyond its inputs and the key.
    pub fn work_bytes(n_rows: usize) -> u64 {
        let n = n_rows.checked_next_power_of_two().map_or(u64::MAX, |n| n as u64);
        // a, b, c in the domain, and n/2 twiddles
        n.saturating_mul(3 * 32 + 16)
    }
}

impl Backend for CpuBackend {
    fn info(&self) -> BackendInfo {
        let description = match rayon::current_num_threads() {
            1 => "1 thread".to_owned(),
            n => format!("{n} threads"),
        };
        BackendInfo {
            name: Self::NAME,
            description,
        }
    }

    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>> {
        let parameters = match srs {
            Srs::Memory(parameters) => parameters.clone(),
            Srs::Mapped(mapped, check) => Arc::new(mapped.decode(*check)?),
        };
        Ok(Arc::new(CpuSrs { parameters }))
    }

    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>> {
        Ok(vec![Fr::ZERO; n].into())
    }

    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>> {
        let parameters = Self::parameters(srs)?.clone();
        job.check(&parameters.counts())?;
        spawn_pending(Self::NAME, move || prove_owned(&parameters, job))
    }

    fn prove(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Vec<Proof>> {
        let parameters = Self::parameters(srs)?;
        job.check(&parameters.counts())?;
        prove_owned(parameters, job)
    }

    fn prove_scoped(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        let parameters = Self::parameters(srs)?;
        check_scoped(&parameters.counts(), circuits, blindings)?;
        let prove = |(circuit, blinding): (&Assignment<'_>, &Blinding)| {
            let size = circuit.n_rows().next_power_of_two();
            let padded = |rows: &[Fr]| {
                let mut vec = Vec::with_capacity(size);
                vec.extend_from_slice(rows);
                vec
            };
            prove(
                parameters,
                (padded(circuit.a), padded(circuit.b)),
                circuit,
                blinding,
            )
        };
        circuits.iter().zip(blindings).map(prove).collect()
    }
}

/// The proofs of a job, whose rows are used up one circuit after another.
fn prove_owned(key: &Parameters, job: Job) -> Result<Vec<Proof>> {
    let prove = |(mut circuit, blinding): (OwnedAssignment, Blinding)| {
        let take = |rows: &mut HostBuf<Fr>| core::mem::replace(rows, vec![].into()).into_vec();
        let rows = (take(&mut circuit.a), take(&mut circuit.b));
        prove(key, rows, &circuit.as_assignment(), &blinding)
    };
    job.into_circuits().into_iter().map(prove).collect()
}

/// One proof. `rows` are a and b, which the quotient consumes; `assignment` gives the values and densities.
fn prove(
    key: &Parameters,
    rows: (Vec<Fr>, Vec<Fr>),
    assignment: &Assignment<'_>,
    blinding: &Blinding,
) -> Result<Proof> {
    let start = Instant::now();
    let stage = |name: &str| tracing::debug!(stage = name, ms = start.elapsed().as_millis() as u64, "done");

    let domain = Domain::for_rows(rows.0.len())?;
    let (a, b) = (domain.pad_to_domain(rows.0)?, domain.pad_to_domain(rows.1)?);
    let mut h = quotient::quotient(&domain, a, b)?;
    drop(domain);
    stage("quotient");
    // The quotient has degree n - 2: n - 1 coefficients, as many as the key has powers.
    h.truncate(key.h.len());
    let h = sum::<G1Projective>(&key.h, h.into_iter())?;
    stage("msm h");
    let l = sum::<G1Projective>(&key.l, assignment.aux.iter().copied())?;
    stage("msm l");
    let a = sum::<G1Projective>(&key.a, assignment.a_query())?;
    stage("msm a");
    let scalars: Vec<FrRepr> = assignment.b_query().map(FrRepr::from).collect();
    let b_g1 = msm::msm::<G1Projective>(&key.b_g1, &scalars)?;
    stage("msm b in G1");
    let b_g2 = msm::msm::<G2Projective>(&key.b_g2, &scalars)?;
    stage("msm b in G2");
    Ok(assemble(&key.vk, &MsmResults { h, l, a, b_g1, b_g2 }, blinding))
}

fn sum<C: CurveGroup>(bases: &[C::Affine], elements: impl Iterator<Item = Fr>) -> Result<C> {
    let scalars: Vec<FrRepr> = elements.map(FrRepr::from).collect();
    Ok(msm::msm::<C>(bases, &scalars)?)
}
