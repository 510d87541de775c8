//! The quotient h = (a·b - c) / (xⁿ - 1) of a constraint system's rows, as coefficients: the scalars of the H query.

use crate::domain::{BadSize, Domain};
use crate::ntt::{coset_generator_inverse, reverse_bits, ReversedPowers};
use bls_fields::lazy::LazyFr;
use bls_fields::{coset_generator, Fr};
use ff::Field;
use rayon::prelude::*;

/// Elements that one task of a pointwise step takes.
const CHUNK: usize = 1 << 12;

/// How [`quotient_with`] finds the quotient. Both forms give the same coefficients when every row is satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotientForm {
    /// With c = a∘b on the domain, which a satisfied system implies, so that c is never evaluated.
    ///
    /// On the coset, where a·b = c + (xⁿ - 1)·h has the values a∘b and xⁿ - 1 = 7ⁿ - 1 is constant, interpolation gives
    /// p = c + (7ⁿ - 1)·h: so h = (p - c) / (7ⁿ - 1) coefficient by coefficient, and c needs no coset transform.
    SixNtts,
    /// With the rows' values of c: a, b and c all go to the coset, and (a∘b - c) / (7ⁿ - 1) comes back.
    SevenNtts {
        /// The values of c on the domain.
        c: Vec<Fr>,
    },
}

/// The coefficients h_0..h_{n-2} of (a·b - c) / (xⁿ - 1), in natural order, where `a` and `b` are values on the domain
/// in natural order and c has the values a∘b: [`QuotientForm::SixNtts`].
///
/// The division is exact whatever `a` and `b` are. Whether the rows are satisfied is [`check_satisfied`]'s question.
///
/// Memory: one vector of n elements beyond the two given, which are used up.
///
/// # Errors
/// [`BadSize`] if a vector has not exactly n elements.
pub fn quotient(domain: &Domain, a: Vec<Fr>, b: Vec<Fr>) -> Result<Vec<Fr>, BadSize> {
    quotient_with(domain, a, b, QuotientForm::SixNtts)
}

/// [`quotient`] in the given form. If the rows are not satisfied, [`QuotientForm::SevenNtts`] divides with a remainder
/// and its result is of no use.
pub fn quotient_with(
    domain: &Domain,
    mut a: Vec<Fr>,
    mut b: Vec<Fr>,
    form: QuotientForm,
) -> Result<Vec<Fr>, BadSize> {
    domain.check_len(&a)?;
    domain.check_len(&b)?;
    let c = match form {
        QuotientForm::SixNtts => None,
        QuotientForm::SevenNtts { c } => Some(c),
    };
    if let Some(c) = &c {
        domain.check_len(c)?;
    }
    let inverse_size = domain.size_inverse();
    // 7ⁿ - 1 is not zero: 7 has order r - 1, which is above n.
    let inverse_vanishing = domain.vanishing_on_coset().invert().unwrap_or(Fr::ZERO);
    let to_coset = ReversedPowers::new(coset_generator(), inverse_size, domain.log_n());
    let from_coset = ReversedPowers::new(
        coset_generator_inverse(),
        inverse_size * inverse_vanishing,
        domain.log_n(),
    );

    let mut h = match c {
        None => {
            let mut c: Vec<Fr> = product(&a, &b);
            let lazy_a = LazyFr::view_mut(&mut a);
            domain.values_to_coset_values(lazy_a, &to_coset);
            let lazy_b = LazyFr::view_mut(&mut b);
            domain.values_to_coset_values(lazy_b, &to_coset);
            zip_chunks(lazy_a, lazy_b, |a, b| *a = a.mul(&b.reduced()));
            domain.values_to_scaled_coefficients(lazy_a);
            let lazy_c = LazyFr::view_mut(&mut c);
            domain.values_to_scaled_coefficients(lazy_c);
            let c_factor = LazyFr::new(&(inverse_size * inverse_vanishing));
            gather_reversed(&mut b, &from_coset, |i, power| {
                lazy_a[i].mul(power).sub(&lazy_c[i].mul(&c_factor)).reduce()
            });
            b
        }
        Some(mut c) => {
            let lazy_a = LazyFr::view_mut(&mut a);
            domain.values_to_coset_values(lazy_a, &to_coset);
            let lazy_b = LazyFr::view_mut(&mut b);
            domain.values_to_coset_values(lazy_b, &to_coset);
            zip_chunks(lazy_a, lazy_b, |a, b| *a = a.mul(&b.reduced()));
            let lazy_c = LazyFr::view_mut(&mut c);
            domain.values_to_coset_values(lazy_c, &to_coset);
            zip_chunks(lazy_a, lazy_c, |a, c| *a = a.sub(c));
            domain.values_to_scaled_coefficients(lazy_a);
            gather_reversed(&mut b, &from_coset, |i, power| lazy_a[i].mul(power).reduce());
            b
        }
    };
    // The degree of h is n - 2 at most.
    h.pop();
    Ok(h)
}

/// The first row whose values do not satisfy a·b = c, or `None`. A row that only some of the slices have counts as not
/// satisfied.
pub fn check_satisfied(a: &[Fr], b: &[Fr], c: &[Fr]) -> Option<usize> {
    let rows = a.len().min(b.len()).min(c.len());
    let wrong = (a, b, c)
        .into_par_iter()
        .with_min_len(CHUNK)
        .position_first(|(a, b, c)| LazyFr::new(a).mul(&LazyFr::new(b)).reduce() != *c);
    let ragged = a.len() != rows || b.len() != rows || c.len() != rows;
    wrong.or(ragged.then_some(rows))
}

fn product(a: &[Fr], b: &[Fr]) -> Vec<Fr> {
    (a, b)
        .into_par_iter()
        .with_min_len(CHUNK)
        .map(|(a, b)| LazyFr::new(a).mul(&LazyFr::new(b)).reduce())
        .collect()
}

fn zip_chunks(left: &mut [LazyFr], right: &[LazyFr], op: impl Fn(&mut LazyFr, &LazyFr) + Sync) {
    left.par_chunks_mut(CHUNK)
        .zip(right.par_chunks(CHUNK))
        .for_each(|(left, right)| {
            left.iter_mut().zip(right).for_each(|(l, r)| op(l, r));
        });
}

/// out[rev(i)] = value(i, power i) for all i: the last pointwise step and the way to natural order in one pass.
fn gather_reversed(out: &mut [Fr], powers: &ReversedPowers, value: impl Fn(usize, &LazyFr) -> Fr + Sync) {
    let bits = out.len().trailing_zeros();
    // A task writes one contiguous piece of `out`, whose elements come from places a stride apart; it takes a few
    // neighbours at once, so that a cache line that is read is used up.
    let run = powers.run();
    let _ = (bits, run);
    out.par_iter_mut()
        .with_min_len(CHUNK)
        .enumerate()
        .for_each(|(j, out)| {
            let i = reverse_bits(j, bits);
            let start = i & !(run - 1);
            let high = powers.high(start);
            *out = value(i, &powers.at(&high, i - start));
        });
}
