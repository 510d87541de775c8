//! Parameter generation: a proving key from an R1CS and five secrets.
//!
//! Whoever knows the secrets can forge proofs. A key for real use comes from a ceremony in which no single party
//! does; this generator is for development, tests and benchmarks, and for circuits whose users trust its runner.

use crate::domain::Domain;
use crate::fixed_base::FixedBase;
use crate::params::Parameters;
use crate::r1cs::{R1cs, SparseMatrix};
use crate::{Error, Result, VerifyingKey};
use bls_curves::{CurveGroup, G1Projective, G2Projective};
use bls_fields::{Fr, FrRepr};
use ff::{BatchInvert, Field};
use group::Group;
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

    // τⁱ·(τⁿ - 1)/δ
    let h_scalars = powers(domain.size() - 1, vanishing * delta_inverse, tau);
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
    let a_scalars = non_zero(at);
    let b_scalars = non_zero(bt);
    drop(ct);

    let n_g1 = h_scalars.len() + combined.len() + a_scalars.len() + b_scalars.len();
    let g1 = FixedBase::new(&G1Projective::generator(), n_g1);
    let ic_and_l = g1.mul_many(&combined);
    let h = g1.mul_many(&h_scalars);
    let a = g1.mul_many(&a_scalars);
    let b_g1 = g1.mul_many(&b_scalars);
    drop(g1);
    let g2 = FixedBase::new(&G2Projective::generator(), b_scalars.len());
    let b_g2 = g2.mul_many(&b_scalars);

    let (ic, l) = ic_and_l.split_at(n_inputs);
    let vk = VerifyingKey {
        alpha_g1: single::<G1Projective>(alpha),
        beta_g1: single::<G1Projective>(beta),
        beta_g2: single::<G2Projective>(beta),
        gamma_g2: single::<G2Projective>(gamma),
        delta_g1: single::<G1Projective>(delta),
        delta_g2: single::<G2Projective>(delta),
        ic: ic.to_vec(),
    };
    Ok(Parameters {
        vk,
        h,
        l: l.to_vec(),
        a,
        b_g1,
        b_g2,
    })
}

fn invert(secret: &Fr, what: &'static str) -> Result<Fr> {
    Option::from(secret.invert()).ok_or(Error::DegenerateSecret { what })
}

fn single<C: CurveGroup>(scalar: &Fr) -> C::Affine {
    (C::generator() * scalar).to_affine()
}

/// first, first·ratio, first·ratio², … as scalars
fn powers(n: usize, first: Fr, ratio: &Fr) -> Vec<FrRepr> {
    const CHUNK: usize = 1 << 12;
    let mut out = vec![FrRepr::default(); n];
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
fn lagrange_at(domain: &Domain, tau: &Fr, vanishing: &Fr) -> Result<Vec<Fr>> {
    const CHUNK: usize = 1 << 12;
    let omega = domain.omega();
    let scale = *vanishing * invert(&Fr::from(domain.size() as u64), "domain size")?;
    let mut out = vec![Fr::ZERO; domain.size()];
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

/// aᵢ(τ), bᵢ(τ), cᵢ(τ) for every wire; the input-consistency rows give each input one more term in A.
fn evaluate_at_tau(r1cs: &R1cs, lagrange: &[Fr]) -> [Vec<Fr>; 3] {
    let n_wires = r1cs.n_inputs() + r1cs.n_aux();
    let [a, b, c] = r1cs.matrices();
    // One thread a matrix: columns are scattered over all wires, and this is a hundredth of the setup's time.
    let mut columns = [a, b, c].map(|matrix| (matrix, vec![Fr::ZERO; n_wires]));
    columns
        .par_iter_mut()
        .for_each(|(matrix, sums)| add_columns(matrix, lagrange, sums));
    let mut sums = columns.map(|(_, sums)| sums);
    for (sum, row) in sums[0][..r1cs.n_inputs()]
        .iter_mut()
        .zip(&lagrange[r1cs.n_constraints()..])
    {
        *sum += row;
    }
    sums
}

fn add_columns(matrix: &SparseMatrix, lagrange: &[Fr], sums: &mut [Fr]) {
    for (row, lagrange) in (0..matrix.n_rows()).zip(lagrange) {
        for (wire, coefficient) in matrix.row(row) {
            sums[wire as usize] += if *coefficient == Fr::ONE {
                *lagrange
            } else {
                lagrange * coefficient
            };
        }
    }
}

/// The wires that occur, as scalars; those that do not are left out of a query.
fn non_zero(elements: Vec<Fr>) -> Vec<FrRepr> {
    elements
        .into_iter()
        .filter(|e| !e.is_zero_vartime())
        .map(FrRepr::from)
        .collect()
}
