//! Sums of points weighted by their place, many at a time.

use super::batch_add::{add_pairs, reduce_runs, Pair, Run, Scratch};
use bls_curves::{Affine, CurveGroup};
use bls_fields::FieldOps;
use group::prime::PrimeCurveAffine;
use rayon::prelude::*;

/// Below this length a running sum in projective coordinates is as good.
const SHORT: usize = 16;

/// Lanes that go in step: two additions of each share an inversion.
const LANES_IN_STEP: usize = 512;

/// For each slice the sum of `(k + 1) · slice[k]`.
///
/// A slice is cut into lanes of m points. The lanes of all slices go in step through their points from the
/// last to the first, with S the sum of those seen and T the sum of all S so far, so that at the end T is
/// the lane's own weighted sum. Lane l began at l·m, so the slice's is `sum of T_l + m · (sum of l · S_l)`,
/// whose second part is this again.
pub(crate) fn weighted_sums<C: CurveGroup>(slices: &[&[Affine<C::Base>]]) -> Vec<C> {
    if slices.iter().all(|slice| slice.len() <= SHORT) {
        return slices
            .par_iter()
            .map(|slice| weighted_sum_short::<C>(slice))
            .collect();
    }
    let n_points: usize = slices.iter().map(|slice| slice.len()).sum();
    let log_m = log_lane_len(n_points);
    let lanes: Vec<&[Affine<C::Base>]> = slices.iter().flat_map(|slice| slice.chunks(1 << log_m)).collect();
    let (sums, weighted): (Vec<_>, Vec<_>) = lanes.par_chunks(LANES_IN_STEP).flat_map(lanes_in_step).unzip();

    let n_lanes = |slice: &[_]| slice.len().div_ceil(1 << log_m);
    let cut = |points| {
        let mut rest: &[_] = points;
        let mut parts: Vec<&[Affine<C::Base>]> = Vec::with_capacity(slices.len());
        for slice in slices {
            let (part, others) = rest.split_at(n_lanes(slice));
            parts.push(part);
            rest = others;
        }
        parts
    };
    // Lane 0 has weight 0.
    let after_first: Vec<_> = cut(&sums)
        .into_iter()
        .map(|sums| sums.get(1..).unwrap_or_default())
        .collect();
    let (within, between) = rayon::join(
        || {
            cut(&weighted)
                .into_par_iter()
                .map(|part| sum::<C>(part))
                .collect::<Vec<_>>()
        },
        || weighted_sums::<C>(&after_first),
    );
    within
        .into_iter()
        .zip(between)
        .map(|(within, between)| (0..log_m).fold(between, |sum, _| sum.double()) + within)
        .collect()
}

/// Long lanes leave less to the second level, but there must be enough of them to
/// fill the batches of all threads.
fn log_lane_len(n_points: usize) -> u32 {
    let enough = rayon::current_num_threads() * LANES_IN_STEP;
    (3..=6)
        .rev()
        .find(|&log_m| n_points >> log_m >= enough)
        .unwrap_or(3)
}

/// The sum S and the weighted sum T of each lane.
fn lanes_in_step<F: FieldOps>(lanes: &[&[Affine<F>]]) -> Vec<(Affine<F>, Affine<F>)> {
    // One buffer, for add_pairs: all T, then all S, then the next point of each lane.
    let n = lanes.len();
    let mut work = vec![Affine::INFINITY; 3 * n];
    let (mut pairs, mut pending) = (Vec::with_capacity(2 * n), Vec::with_capacity(2 * n));
    let longest = lanes.iter().map(|lane| lane.len()).max().unwrap_or(0);
    for k in (0..longest).rev() {
        pairs.clear();
        let active = || (0..n).filter(|&l| k < lanes[l].len());
        // T takes the S of the point before, so both additions can share a batch.
        pairs.extend(active().map(|l| Pair {
            lhs: l as u32,
            rhs: (n + l) as u32,
        }));
        pairs.extend(active().map(|l| Pair {
            lhs: (n + l) as u32,
            rhs: (2 * n + l) as u32,
        }));
        for l in active() {
            work[2 * n + l] = lanes[l][k];
        }
        add_pairs(&mut work, &pairs, &mut pending);
    }
    pairs.clear();
    pairs.extend((0..n as u32).map(|l| Pair {
        lhs: l,
        rhs: n as u32 + l,
    }));
    add_pairs(&mut work, &pairs, &mut pending);
    (0..n).map(|l| (work[n + l], work[l])).collect()
}

fn weighted_sum_short<C: CurveGroup>(slice: &[Affine<C::Base>]) -> C {
    let (mut sum, mut weighted) = (C::identity(), C::identity());
    for &point in slice.iter().rev() {
        sum += C::from_affine(point);
        weighted += sum;
    }
    weighted
}

/// The sum of all points.
pub(crate) fn sum<C: CurveGroup>(points: &[Affine<C::Base>]) -> C {
    let mut work = points.to_vec();
    C::from_affine(sum_in_place(&mut work)).to_curve()
}

/// The sum of all points, which are overwritten.
pub(crate) fn sum_in_place<F: FieldOps>(points: &mut [Affine<F>]) -> Affine<F> {
    let mut runs = [Run {
        start: 0,
        len: points.len() as u32,
    }];
    reduce_runs(points, &mut runs, 1, &mut Scratch::new());
    points.first().copied().unwrap_or(Affine::INFINITY)
}
