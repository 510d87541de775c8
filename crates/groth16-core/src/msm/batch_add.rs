//! Affine additions in batches: one inversion for all of them (Montgomery's trick), 5M + 1S + 6A each.

use bls_curves::Affine;
use bls_fields::FieldOps;

/// `points[lhs] += points[rhs]`
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) lhs: u32,
    pub(crate) rhs: u32,
}

/// Work space of [`add_pairs`] and [`reduce_runs`], kept by the caller so that its loops do not allocate.
pub(crate) struct Scratch<F> {
    /// A pair's denominator, and the product of the denominators of all pairs after it.
    pending: Vec<(F, F)>,
    pairs: Vec<Pair>,
}

impl<F> Scratch<F> {
    pub(crate) fn new() -> Self {
        Scratch {
            pending: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

/// What the slope of the chord or tangent divides by; zero where the sum needs no slope.
#[inline]
fn denominator<F: FieldOps>(p: &Affine<F>, q: &Affine<F>) -> F {
    let dx = q.x.sub(&p.x);
    if dx.is_zero() {
        // P + P divides by 2y (zero for the neutral element and for a point of
        // order two); P - P needs no slope.
        return if p.y == q.y { p.y.double() } else { F::ZERO };
    }
    if p.is_infinity() || q.is_infinity() {
        return F::ZERO;
    }
    dx
}

/// A sum that has no slope: of P and the neutral element, or of P and -P.
#[cold]
fn add_without_slope<F: FieldOps>(p: &Affine<F>, q: &Affine<F>) -> Affine<F> {
    if p.is_infinity() {
        *q
    } else if q.is_infinity() {
        *p
    } else {
        Affine::INFINITY
    }
}

#[inline]
fn add_with_inverse<F: FieldOps>(p: &Affine<F>, q: &Affine<F>, inverse: &F) -> Affine<F> {
    let rise = if p.x == q.x {
        let xx = p.x.square();
        xx.double().add(&xx)
    } else {
        q.y.sub(&p.y)
    };
    let slope = rise.mul(inverse);
    let x = slope.square().sub(&p.x).sub(&q.x);
    let y = slope.mul(&p.x.sub(&x)).sub(&p.y);
    Affine { x, y }
}

/// Does `points[lhs] += points[rhs]` for every pair, in order. Complete: equal, opposite
/// and neutral operands included.
///
/// No two pairs may have the same `lhs`, and a pair's operands must not have been changed by an earlier pair.
/// (A pair may read as `rhs` what a later one changes.)
pub(crate) fn add_pairs<F: FieldOps>(points: &mut [Affine<F>], pairs: &[Pair], pending: &mut Vec<(F, F)>) {
    #[cfg(ifma)]
    if super::ifma::try_add_pairs(points, pairs, |points, pairs| {
        add_pairs_plain(points, pairs, &mut Vec::new())
    }) {
        return;
    }
    add_pairs_plain(points, pairs, pending);
}

/// [`add_pairs`] one pair after another, on any machine.
pub(crate) fn add_pairs_plain<F: FieldOps>(
    points: &mut [Affine<F>],
    pairs: &[Pair],
    pending: &mut Vec<(F, F)>,
) {
    pending.clear();
    let mut product = F::ONE;
    // Backwards, so that the results come out in order.
    for pair in pairs.iter().rev() {
        let d = denominator(&points[pair.lhs as usize], &points[pair.rhs as usize]);
        pending.push((d, product));
        if !d.is_zero() {
            product = product.mul(&d);
        }
    }
    // Of all denominators not yet used. A product of non-zero elements of a field is not zero.
    let mut inverse = product.invert().unwrap_or(F::ONE);
    for pair in pairs {
        let Some((d, later)) = pending.pop() else { break };
        let (p, q) = (&points[pair.lhs as usize], &points[pair.rhs as usize]);
        points[pair.lhs as usize] = if d.is_zero() {
            add_without_slope(p, q)
        } else {
            let sum = add_with_inverse(p, q, &inverse.mul(&later));
            inverse = inverse.mul(&d);
            sum
        };
    }
}

/// Sums each run of consecutive points. `runs` are their lengths (none is 0), and
/// become the lengths that are left.
///
/// A round adds the second half of every run to its first half, so the sum of a run ends where the run
/// began, and runs of different lengths share the inversions. Stops when no run is longer than
/// `stop_at` (1: one point each).
pub(crate) fn reduce_runs<F: FieldOps>(
    points: &mut [Affine<F>],
    runs: &mut [Run],
    stop_at: u32,
    scratch: &mut Scratch<F>,
) {
    loop {
        let Scratch { pending, pairs } = scratch;
        pairs.clear();
        for run in runs.iter_mut().filter(|run| run.len > stop_at) {
            let kept = run.len.div_ceil(2);
            pairs.extend((kept..run.len).map(|i| Pair {
                lhs: run.start + i - kept,
                rhs: run.start + i,
            }));
            run.len = kept;
        }
        if pairs.is_empty() {
            return;
        }
        add_pairs(points, pairs, pending);
    }
}

/// Consecutive points that are to be summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) len: u32,
}
