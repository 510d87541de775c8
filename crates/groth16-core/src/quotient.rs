//! The quotient h = (a·b - c) / (xⁿ - 1) of a constraint system's rows, as
//! coefficients: the scalars of the H query.

use crate::domain::{BadSize, Domain};
use crate::ntt::{bit_reverse, coset_generator_inverse, pointwise, Powers};
use bls_fields::lazy::LazyFr;
use bls_fields::{coset_generator, Fr};
use ff::Field;
use rayon::prelude::*;

/// Elements that one task of a pointwise step takes.
const CHUNK: usize = 1 << 12;

/// How [`quotient_with`] finds the quotient. Both forms give the same
/// coefficients when every row is satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotientForm {
    /// With c = a∘b on the domain, which a satisfied system implies, so that c is never evaluated.
    ///
    /// On the coset, where a·b = c + (xⁿ - 1)·h has the values a∘b and xⁿ - 1 = 7ⁿ - 1 is constant,
    /// interpolation gives p = c + (7ⁿ - 1)·h: so h = (p - c) / (7ⁿ - 1) coefficient by coefficient,
    /// and c needs no coset transform.
    SixNtts,
    /// With the rows' values of c: a, b and c all go to the coset, and (a∘b - c) / (7ⁿ - 1) comes back.
    SevenNtts {
        /// The values of c on the domain.
        c: Vec<Fr>,
    },
}

/// The coefficients h_0..h_{n-2} of (a·b - c) / (xⁿ - 1), in natural order, where `a` and `b` are values on
/// the domain in natural order and c has the values a∘b: [`QuotientForm::SixNtts`].
///
/// The division is exact whatever `a` and `b` are. Whether the rows are satisfied is
/// [`check_satisfied`]'s question.
///
/// Memory: one vector of n elements beyond the two given, which are used up.
///
/// # Errors
/// [`BadSize`] if a vector has not exactly n elements.
pub fn quotient(domain: &Domain, a: Vec<Fr>, b: Vec<Fr>) -> Result<Vec<Fr>, BadSize> {
    quotient_with(domain, a, b, QuotientForm::SixNtts)
}

/// [`quotient`] in the given form. If the rows are not satisfied, [`QuotientForm::SevenNtts`] divides with a
/// remainder and its result is of no use.
pub fn quotient_with(
    domain: &Domain,
    mut a: Vec<Fr>,
    mut b: Vec<Fr>,
    form: QuotientForm,
) -> Result<Vec<Fr>, BadSize> {
    domain.check_len(&a)?;
    domain.check_len(&b)?;
    let vectors = domain.vectors();
    // 7ⁿ - 1 is not zero: 7 has order r - 1, which is above n.
    let inverse_vanishing = domain.vanishing_on_coset().invert().unwrap_or(Fr::ZERO);
    // The inverse transforms leave out 1/n: it joins the factor that comes next.
    let factor = domain.size_inverse() * inverse_vanishing;
    let to_coset = Powers::reversed(coset_generator(), domain.size_inverse(), domain.log_n());
    let from_coset = Powers::reversed(coset_generator_inverse(), factor, domain.log_n());

    // Values stand in natural order, coefficients in bit-reversed order, up to the permutation at the end:
    // the number of transforms between the rows and h is odd, so there must be one.
    match form {
        QuotientForm::SixNtts => {
            let mut c: Vec<Fr> = a.par_iter().with_min_len(CHUNK).copied().collect();
            let (a, b, c) = (
                LazyFr::view_mut(&mut a),
                LazyFr::view_mut(&mut b),
                LazyFr::view_mut(&mut c),
            );
            pointwise::multiply(c, b, vectors);
            domain.values_to_scaled_coefficients(c);
            product_on_coset(domain, a, b, &to_coset);
            domain.values_to_scaled_coefficients(a);
            from_coset.apply_all_lazily(a, vectors);
            pointwise::subtract_scaled(a, c, &LazyFr::new(&factor), vectors);
        }
        QuotientForm::SevenNtts { mut c } => {
            domain.check_len(&c)?;
            let (a, b, c) = (
                LazyFr::view_mut(&mut a),
                LazyFr::view_mut(&mut b),
                LazyFr::view_mut(&mut c),
            );
            product_on_coset(domain, a, b, &to_coset);
            domain.values_to_coset_values(c, &to_coset);
            pointwise::subtract_scaled(a, c, &LazyFr::new(&Fr::ONE), vectors);
            domain.values_to_scaled_coefficients(a);
            from_coset.apply_all(a, vectors);
        }
    }
    bit_reverse(&mut a);
    // The degree of h is n - 2 at most.
    a.pop();
    Ok(a)
}

/// The values of a·b on the coset, in `a`, from the values of both on the domain; lazily reduced.
fn product_on_coset(domain: &Domain, a: &mut [LazyFr], b: &mut [LazyFr], to_coset: &Powers) {
    domain.values_to_coset_values(a, to_coset);
    domain.values_to_coset_values(b, to_coset);
    pointwise::multiply(a, b, domain.vectors());
}

/// The first row whose values do not satisfy a·b = c, or `None`. A row that only some of the slices have
/// counts as not satisfied.
pub fn check_satisfied(a: &[Fr], b: &[Fr], c: &[Fr]) -> Option<usize> {
    let rows = a.len().min(b.len()).min(c.len());
    let wrong = (a, b, c)
        .into_par_iter()
        .with_min_len(CHUNK)
        .position_first(|(a, b, c)| LazyFr::new(a).mul(&LazyFr::new(b)).reduce() != *c);
    let ragged = a.len() != rows || b.len() != rows || c.len() != rows;
    wrong.or(ragged.then_some(rows))
}
