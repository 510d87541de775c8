//! The polynomials of a key at τ.

use super::invert;
use crate::domain::Domain;
use crate::Result;
use bls_fields::{Fr, FrRepr};
use ff::{BatchInvert, Field};
use rayon::prelude::*;

/// Elements that one thread computes from one power.
const CHUNK: usize = 1 << 12;

/// first, first·ratio, first·ratio², … as scalars
pub(super) fn powers(n: usize, first: Fr, ratio: &Fr) -> Vec<FrRepr> {
    let mut out = filled(FrRepr::default(), n);
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        let mut power = first * ratio.pow_vartime([(chunk * CHUNK) as u64]);
        for out in out {
            *out = power.into();
            power *= ratio;
        }
    });
    out
}

/// Lᵢ(τ) = ωⁱ·(τⁿ - 1)/(n·(τ - ωⁱ)), the Lagrange polynomials of the domain at τ.
pub(super) fn lagrange_at(domain: &Domain, tau: &Fr, vanishing: &Fr) -> Result<Vec<Fr>> {
    let omega = domain.omega();
    let scale = *vanishing * invert(&Fr::from(domain.size() as u64), "domain size")?;
    let mut out = filled(Fr::ZERO, domain.size());
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        let first = omega.pow_vartime([(chunk * CHUNK) as u64]);
        let mut root = first;
        for out in &mut *out {
            *out = *tau - root;
            root *= omega;
        }
        // τ is not in the domain (the vanishing polynomial is not zero there), so nothing here is zero.
        out.iter_mut().batch_invert();
        let mut factor = first * scale;
        for out in out {
            *out *= factor;
            factor *= omega;
        }
    });
    Ok(out)
}

/// n copies, written by all threads: the first write to a page of gigabytes of
/// fresh memory is what takes time.
pub(super) fn filled<T: Copy + Send + Sync>(value: T, n: usize) -> Vec<T> {
    (0..n)
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|_| value)
        .collect()
}
