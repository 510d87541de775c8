//! Parameter generation: a proving key from an R1CS and five secrets.
//!
//! Whoever knows the secrets can forge proofs. A key for real use comes from a ceremony in which
//! no single party does; this generator is for development, tests and benchmarks, and for
//! circuits whose users trust its runner.

mod columns;
mod lagrange;
mod multiples;

use crate::domain::Domain;
use crate::params::Parameters;
use crate::r1cs::R1cs;
use crate::{Error, Result, VerifyingKey};
use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::{Fr, FrRepr};
use columns::evaluate_at_tau;
use ff::Field;
use lagrange::{lagrange_at, powers};
pub use multiples::{CpuMultiples, GeneratorMultiples};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};
use rayon::prelude::*;

/// The five secrets of a key. Has no `Debug` and is not kept by anything that is returned.
pub struct ToxicWaste {
    tau: Fr,
    alpha: Fr,
    beta: Fr,
    gamma: Fr,
    delta: Fr,
}

impl ToxicWaste {
    /// Five elements from `rng`, which must be fit for secrets, such as the operating system's.
    pub fn random(rng: &mut impl RngCore) -> Self {
        let mut draw = || Fr::random(&mut *rng);
        ToxicWaste {
            tau: draw(),
            alpha: draw(),
            beta: draw(),
            gamma: draw(),
            delta: draw(),
        }
    }

    /// INSECURE: the same secrets for the same seed, which anyone can repeat. For tests and benchmarks.
    pub fn insecure_from_seed(seed: u64) -> Self {
        Self::random(&mut ChaCha20Rng::seed_from_u64(seed))
    }

    /// INSECURE: chosen secrets, in the order τ, α, β, γ, δ. For test vectors.
    pub fn insecure_from_elements([tau, alpha, beta, gamma, delta]: [Fr; 5]) -> Self {
        ToxicWaste {
            tau,
            alpha,
            beta,
            gamma,
            delta,
        }
    }
}

/// Makes the key of a circuit, on all cores.
///
/// # Errors
/// [`Error::UnconstrainedWire`] if a private wire occurs in no constraint, [`Error::TooManyRows`],
/// [`Error::DegenerateSecret`].
pub fn generate_parameters(r1cs: &R1cs, waste: &ToxicWaste) -> Result<Parameters> {
    generate_parameters_with(r1cs, waste, &CpuMultiples)
}

/// [`generate_parameters`] with the generators' multiples computed elsewhere, such as
/// [`Backend::multiples`](crate::Backend::multiples); the scalars are computed
/// here. The same key, byte for byte.
///
/// # Errors
/// As there, and those of `multiples`.
pub fn generate_parameters_with(
    r1cs: &R1cs,
    waste: &ToxicWaste,
    multiples: &dyn GeneratorMultiples,
) -> Result<Parameters> {
    if let Some(wire) = r1cs.first_unconstrained_wire() {
        return Err(Error::UnconstrainedWire { wire });
    }
    let domain = Domain::for_rows(r1cs.n_rows())?;
    let ToxicWaste {
        tau,
        alpha,
        beta,
        gamma,
        delta,
    } = waste;
    let gamma_inverse = invert(gamma, "gamma")?;
    let delta_inverse = invert(delta, "delta")?;
    for (what, secret) in [("alpha", alpha), ("beta", beta), ("tau", tau)] {
        invert(secret, what)?;
    }
    let vanishing = tau.pow_vartime([domain.size() as u64]) - Fr::ONE;
    if vanishing.is_zero_vartime() {
        return Err(Error::DegenerateSecret { what: "tau" });
    }

    let [at, bt, ct] = evaluate_at_tau(r1cs, &lagrange_at(&domain, tau, &vanishing)?);

    let n_inputs = r1cs.n_inputs();
    let combined: Vec<FrRepr> = (at.par_iter().zip(&bt).zip(&ct).enumerate())
        .map(|(wire, ((a, b), c))| {
            let divisor = if wire < n_inputs {
                gamma_inverse
            } else {
                delta_inverse
            };
            ((*a * beta + *b * alpha + c) * divisor).into()
        })
        .collect();
    drop(ct);
    let a_scalars = non_zero(at);
    let b_scalars = non_zero(bt);
    // τⁱ·(τⁿ - 1)/δ
    let h_scalars = powers(domain.size() - 1, vanishing * delta_inverse, tau);

    let (ic_scalars, l_scalars) = combined.split_at(n_inputs);
    let g1 = multiples.g1(&[ic_scalars, l_scalars, &h_scalars, &a_scalars, &b_scalars])?;
    let [ic, l, h, a, b_g1] = lists(g1)?;
    drop((combined, h_scalars, a_scalars));
    let [b_g2] = lists(multiples.g2(&[&b_scalars])?)?;

    let vk = VerifyingKey {
        alpha_g1: single::<G1Projective>(alpha),
        beta_g1: single::<G1Projective>(beta),
        beta_g2: single::<G2Projective>(beta),
        gamma_g2: single::<G2Projective>(gamma),
        delta_g1: single::<G1Projective>(delta),
        delta_g2: single::<G2Projective>(delta),
        ic,
    };
    Ok(Parameters {
        vk,
        h,
        l,
        a,
        b_g1,
        b_g2,
    })
}

/// As many lists as were asked for.
fn lists<T, const N: usize>(lists: Vec<Vec<T>>) -> Result<[Vec<T>; N]> {
    lists.try_into().map_err(|lists: Vec<_>| Error::InputLength {
        what: "lists of a generator's multiples",
        have: lists.len(),
        need: N,
    })
}

fn invert(secret: &Fr, what: &'static str) -> Result<Fr> {
    Option::from(secret.invert()).ok_or(Error::DegenerateSecret { what })
}

fn single<C: CurveGroup>(scalar: &Fr) -> C::Affine {
    (C::generator() * scalar).to_affine()
}

/// The wires that occur, as scalars; those that do not are left out of a query.
fn non_zero(elements: Vec<Fr>) -> Vec<FrRepr> {
    elements
        .into_par_iter()
        .filter(|e| !e.is_zero_vartime())
        .map(FrRepr::from)
        .collect()
}
