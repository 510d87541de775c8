//! Many multiples of one point: what making parameters consists of.

use crate::msm::batch_add::{add_pairs, Pair};
use crate::msm::gather::{gather, Signed};
use crate::msm::plan;
use crate::msm::recode::{Balanced, Recoder, MAGNITUDE_BITS};
use bls_curves::{Affine, CurveGroup};
use bls_fields::{FieldOps, FrRepr};
use rayon::prelude::*;

/// Bytes that a table takes at most.
const MAX_TABLE_BYTES: usize = 64 << 20;

/// Scalars that go through the windows in step, sharing inversions: large enough for those not to count,
/// small enough for a second-level cache.
const SCALARS_IN_STEP: usize = 1024;

/// Additions in one batch when the table is made.
const TABLE_BATCH: usize = 2048;

/// A table of multiples of one point, for multiplying it by many scalars.
///
/// With windows `start_j` of signed digits as in [`msm`](crate::msm), it holds `d · 2^start_j · base` for
/// each j and each d up to half the radix, so that a product is one addition a window and no doubling.
/// Products of a thousand scalars go through the windows in step, in affine coordinates, sharing inversions.
///
/// Memory: at most 64 MiB for the table, whatever `n_hint`; [`FixedBase::mul_many`] takes its result and
/// about 0.5 MiB (G2: 1 MiB) a thread.
pub struct FixedBase<C: CurveGroup> {
    recoder: Recoder,
    /// The multiples 1, 2, 3, ... of each window, windows one after another.
    table: Vec<Affine<C::Base>>,
    /// Where each window's multiples begin.
    begins: Vec<usize>,
}

impl<C: CurveGroup> FixedBase<C> {
    /// Makes the table for `base` (any point of the subgroup), of a size that suits
    /// about `n_hint` multiplications.
    pub fn new(base: &C, n_hint: usize) -> Self {
        let max_multiples = MAX_TABLE_BYTES / size_of::<C::Affine>();
        // A multiple in the table costs one addition, as does a window of a product.
        let recoder = plan::recoder_with(n_hint.max(1), MAGNITUDE_BITS, 1.0, max_multiples);

        let mut window_bases = Vec::with_capacity(recoder.windows().len());
        let mut power = *base;
        for window in recoder.windows() {
            window_bases.push(power);
            power = (0..window.width).fold(power, |power, _| power.double());
        }
        let mut normalized = vec![C::identity().to_affine(); window_bases.len()];
        C::batch_normalize(&window_bases, &mut normalized);

        let mut table = vec![Affine::INFINITY; plan::n_buckets(&recoder)];
        let (mut parts, mut begins) = (Vec::new(), Vec::new());
        let (mut rest, mut begin) = (table.as_mut_slice(), 0);
        for (window, base) in recoder.windows().iter().zip(C::coordinates(&normalized)) {
            let (part, others) = std::mem::take(&mut rest).split_at_mut(window.n_buckets());
            parts.push((part, base));
            begins.push(begin);
            begin += window.n_buckets();
            rest = others;
        }
        parts
            .into_par_iter()
            .for_each(|(multiples, base)| fill_with_multiples(multiples, base));
        FixedBase {
            recoder,
            table,
            begins,
        }
    }

    /// `scalars[i] · base` for each i, in order; 0 gives the neutral element.
    ///
    /// Uses the threads of the caller's rayon pool. The results do not depend on how
    /// many they are, nor on `n_hint`.
    pub fn mul_many(&self, scalars: &[FrRepr]) -> Vec<C::Affine> {
        let mut products = vec![Affine::INFINITY; scalars.len()];
        products
            .par_chunks_mut(SCALARS_IN_STEP)
            .zip(scalars.par_chunks(SCALARS_IN_STEP))
            .for_each_init(Work::default, |work, (products, scalars)| {
                self.mul_in_step(scalars, products, work);
            });
        C::from_coordinates(products)
    }

    fn mul_in_step(&self, scalars: &[FrRepr], products: &mut [Affine<C::Base>], work: &mut Work<C::Base>) {
        let balanced: Vec<_> = scalars.iter().map(Balanced::new).collect();
        // The sums so far, then the multiples that are to be added to them.
        work.points.clear();
        work.points.resize(scalars.len(), Affine::INFINITY);
        for (j, &begin) in self.begins.iter().enumerate() {
            work.points.truncate(scalars.len());
            work.refs.clear();
            work.pairs.clear();
            for (i, scalar) in balanced.iter().enumerate() {
                if let Some(digit) = self.recoder.recode(scalar).get(j) {
                    work.pairs.push(Pair {
                        lhs: i as u32,
                        rhs: (scalars.len() + work.refs.len()) as u32,
                    });
                    work.refs
                        .push(Signed::new(begin as u32 + digit.bucket, digit.negative));
                }
            }
            gather(&self.table, work.refs.iter().copied(), &mut work.points);
            add_pairs(&mut work.points, &work.pairs, &mut work.pending);
        }
        products.copy_from_slice(&work.points[..scalars.len()]);
    }
}

struct Work<F> {
    points: Vec<Affine<F>>,
    refs: Vec<Signed>,
    pairs: Vec<Pair>,
    pending: Vec<(F, F)>,
}

impl<F> Default for Work<F> {
    fn default() -> Self {
        Work {
            points: Vec::new(),
            refs: Vec::new(),
            pairs: Vec::new(),
            pending: Vec::new(),
        }
    }
}

/// Sets `multiples[k] = (k + 1) · base`, twice as many in each round: (m + i)P = mP + iP for i = 1 ..= m.
fn fill_with_multiples<F: FieldOps>(multiples: &mut [Affine<F>], base: &Affine<F>) {
    let (mut pairs, mut pending) = (Vec::with_capacity(TABLE_BATCH), Vec::with_capacity(TABLE_BATCH));
    multiples[0] = *base;
    let mut known = 1;
    while known < multiples.len() {
        let end = (2 * known).min(multiples.len());
        let last = multiples[known - 1];
        multiples[known..end].fill(last);
        for begin in (known..end).step_by(TABLE_BATCH) {
            pairs.clear();
            pairs.extend((begin..end.min(begin + TABLE_BATCH)).map(|k| Pair {
                lhs: k as u32,
                rhs: (k - known) as u32,
            }));
            add_pairs(multiples, &pairs, &mut pending);
        }
        known = end;
    }
}
