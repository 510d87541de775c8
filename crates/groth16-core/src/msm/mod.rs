//! Multi-scalar multiplication, `sum of scalars[i] · bases[i]`, by Pippenger's bucket method.
//!
//! * A scalar s above r/2 counts as -(r - s). Zeros are left out, and the bases of ±1 are added up apart.
//! * The other magnitudes are cut into windows of signed digits (`recode`), as many as cost the fewest
//!   additions (`plan`).
//! * The references to bases are sorted by digit (`sort`), and each bucket is added up in *affine*
//!   coordinates, a few thousand additions to one inversion (`batch_add`, `buckets`): 6 multiplications an
//!   addition, where the usual mixed formulas take 10 or 11.
//! * The buckets are then added up with their weights, in affine coordinates too (`weighted`).
//!
//! Work is shared out by references, not by buckets or windows: scalars that are all equal take as many
//! threads as random ones. All threads are those of the rayon pool of the caller.
//!
//! Memory besides the arguments, for n scalars and a group whose affine point has P bytes (96 or
//! 192): 4n for lists of indices, and for each window in flight 4n + (P + 8 + 4t)·b, where b is half
//! the radix of the digits and t the number of histograms (never more than n / 4b). As many windows
//! are in flight as fit in the larger of 32n bytes and 4 MiB, but at least one; b is about n / 16 for
//! large n. A thread adds about 1 MiB.

pub(crate) mod batch_add;
mod buckets;
pub(crate) mod gather;
// build.rs lets it in only where the compiler is new enough.
#[allow(clippy::incompatible_msrv)]
#[cfg(ifma)]
mod ifma;
pub(crate) mod plan;
pub(crate) mod recode;
mod sort;
mod weighted;

use bls_curves::{Affine, CurveGroup};
use bls_fields::FrRepr;
use gather::{gather, Signed};
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;
use recode::{bit_length, Balanced, Recoder};
use sort::Sorted;

/// Scalars and bases of a multi-scalar multiplication are not equal in number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bases} bases and {scalars} scalars: a multi-scalar multiplication takes as many of the one as of the other")]
pub struct LengthMismatch {
    /// bases given
    pub bases: usize,
    /// scalars given
    pub scalars: usize,
}

/// Up to this many scalars other than 0 and ±1, multiplications one by one are as fast.
const FEW: usize = 8;

/// Points that one pass takes at most: references are 31 bits, and counts of the windows in flight 32.
const MAX_PASS: usize = 1 << 27;
const _: () = assert!(MAX_PASS <= Signed::MAX_POINTS);

/// `sum of scalars[i] · bases[i]`, the neutral element if there are none.
///
/// The bases may be any points of the subgroup: neutral, equal, opposite. The result is the same point for
/// any number of threads (its projective coordinates may differ). Not constant time.
///
/// # Errors
/// [`LengthMismatch`] if there are not as many bases as scalars; nothing is calculated then.
pub fn msm<C: CurveGroup>(bases: &[C::Affine], scalars: &[FrRepr]) -> Result<C, LengthMismatch> {
    if bases.len() != scalars.len() {
        return Err(LengthMismatch {
            bases: bases.len(),
            scalars: scalars.len(),
        });
    }
    Ok(bases
        .chunks(MAX_PASS)
        .zip(scalars.chunks(MAX_PASS))
        .fold(C::identity(), |sum, (bases, scalars)| {
            sum + msm_pass::<C>(bases, scalars)
        }))
}

fn msm_pass<C: CurveGroup>(bases: &[C::Affine], scalars: &[FrRepr]) -> C {
    let points = C::coordinates(bases);
    let Classes {
        ones,
        others,
        magnitude_bits,
    } = classify(scalars);
    let sum_of_ones = sum_signed::<C>(points, &ones);
    drop(ones);
    if others.len() <= FEW {
        let terms = others
            .iter()
            .map(|&i| bases[i as usize].to_curve() * bls_fields::Fr::from(scalars[i as usize]));
        return terms.fold(sum_of_ones, |sum, term| sum + term);
    }
    sum_of_ones + bucket_method::<C>(points, scalars, &others, magnitude_bits)
}

/// The scalars by kind; zeros are in no list.
#[derive(Default)]
struct Classes {
    /// Those that are ±1, with their sign.
    ones: Vec<Signed>,
    /// Indices of the others, in order.
    others: Vec<u32>,
    /// Bits of the largest magnitude among the others.
    magnitude_bits: u32,
}

fn classify(scalars: &[FrRepr]) -> Classes {
    const CHUNK: usize = 1 << 15;
    let chunks: Vec<Classes> = scalars
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(c, chunk)| {
            let mut classes = Classes::default();
            let mut seen = [0u64; 4];
            for (index, scalar) in ((c * CHUNK) as u32..).zip(chunk) {
                let balanced = Balanced::new(scalar);
                if balanced.is_zero() {
                } else if balanced.is_one() {
                    classes.ones.push(Signed::new(index, balanced.negative));
                } else {
                    classes.others.push(index);
                    seen = std::array::from_fn(|i| seen[i] | balanced.magnitude[i]);
                }
            }
            classes.magnitude_bits = bit_length(&seen);
            classes
        })
        .collect();
    let mut all = Classes {
        ones: Vec::with_capacity(chunks.iter().map(|c| c.ones.len()).sum()),
        others: Vec::with_capacity(chunks.iter().map(|c| c.others.len()).sum()),
        magnitude_bits: 0,
    };
    for chunk in chunks {
        all.ones.extend(chunk.ones);
        all.others.extend(chunk.others);
        all.magnitude_bits = all.magnitude_bits.max(chunk.magnitude_bits);
    }
    all
}

/// `sum of ±points[i]` over `refs`.
fn sum_signed<C: CurveGroup>(points: &[Affine<C::Base>], refs: &[Signed]) -> C {
    /// What a task leaves of a tile: fewer are not worth an inversion by themselves.
    const LEFT: u32 = 64;
    let mut left: Vec<_> = refs
        .par_chunks(buckets::tile_points::<C::Base>())
        .map_init(
            || (Vec::new(), batch_add::Scratch::new()),
            |(work, scratch), tile| {
                work.clear();
                gather(points, tile.iter().copied(), work);
                let mut run = [batch_add::Run {
                    start: 0,
                    len: work.len() as u32,
                }];
                batch_add::reduce_runs(work, &mut run, LEFT, scratch);
                work[..run[0].len as usize].to_vec()
            },
        )
        .flatten_iter()
        .collect();
    C::from_affine(weighted::sum_in_place(&mut left)).to_curve()
}

fn bucket_method<C: CurveGroup>(
    points: &[Affine<C::Base>],
    scalars: &[FrRepr],
    selected: &[u32],
    magnitude_bits: u32,
) -> C {
    let recoder = plan::recoder(selected.len(), magnitude_bits);
    let windows = recoder.windows();
    let in_flight = windows_in_flight::<C>(&recoder, selected.len());
    let mut sum = C::identity();
    // From the top down: what has been added up is shifted left by a window before the next comes in.
    let mut end = windows.len();
    while end > 0 {
        let begin = end.saturating_sub(in_flight);
        let sorted = Sorted::new(&recoder, begin..end, scalars, selected);
        let buckets = buckets::accumulate(points, &sorted);
        drop(sorted);
        let mut rest = buckets.as_slice();
        let slices: Vec<_> = windows[begin..end]
            .iter()
            .map(|window| {
                let (own, others) = rest.split_at(window.n_buckets());
                rest = others;
                own
            })
            .collect();
        let sums = weighted::weighted_sums::<C>(&slices);
        for (window, window_sum) in windows[begin..end].iter().zip(sums).rev() {
            sum = (0..window.width).fold(sum, |sum, _| sum.double()) + window_sum;
        }
        end = begin;
    }
    sum
}

/// How many windows fit in the memory budget, at least one.
fn windows_in_flight<C: CurveGroup>(recoder: &Recoder, n: usize) -> usize {
    let widest = recoder.windows().iter().map(|w| w.n_buckets()).max().unwrap_or(1);
    let window_bytes = 4 * n + (size_of::<C::Affine>() + 12) * widest;
    (plan::budget_bytes(n) / window_bytes).max(1)
}
