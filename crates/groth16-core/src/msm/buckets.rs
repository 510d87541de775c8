//! The sum of each bucket.

use super::batch_add::{reduce_runs, Run, Scratch};
use super::gather::gather;
use super::sort::Sorted;
use bls_curves::Affine;
use bls_fields::FieldOps;
use rayon::prelude::*;

/// Bytes of points that one task holds at a time: with the scratch space of a batch
/// they stay in a second-level cache.
const TILE_BYTES: usize = 384 << 10;

/// How many points a tile has.
pub(crate) const fn tile_points<F>() -> usize {
    TILE_BYTES / size_of::<Affine<F>>()
}

/// A part of the sorted references, with the buckets that begin in it.
struct Tile<'a, F> {
    begin: usize,
    end: usize,
    first_bucket: usize,
    buckets: &'a mut [Affine<F>],
}

/// Adds up the points of every bucket; empty ones are neutral.
///
/// The *references* are shared out evenly, not the buckets, so it does not matter how
/// many of them fall in one bucket.
/// A bucket that crosses tiles belongs to the tile where it begins; what the later ones
/// found of it is added at the end.
pub(crate) fn accumulate<F: FieldOps>(points: &[Affine<F>], sorted: &Sorted) -> Vec<Affine<F>> {
    let n_buckets = sorted.starts().len() - 1;
    let starts = &sorted.starts()[..n_buckets];
    let mut buckets = vec![Affine::INFINITY; n_buckets];

    let mut tiles = Vec::with_capacity(sorted.len().div_ceil(tile_points::<F>()));
    let (mut rest, mut first_bucket) = (buckets.as_mut_slice(), 0);
    for begin in (0..sorted.len()).step_by(tile_points::<F>()) {
        let end = (begin + tile_points::<F>()).min(sorted.len());
        let n_begun = starts[first_bucket..].partition_point(|&start| (start as usize) < end);
        let (begun, others) = std::mem::take(&mut rest).split_at_mut(n_begun);
        tiles.push(Tile {
            begin,
            end,
            first_bucket,
            buckets: begun,
        });
        rest = others;
        first_bucket += n_begun;
    }

    let heads: Vec<_> = tiles
        .into_par_iter()
        .map_init(
            || (Vec::with_capacity(tile_points::<F>()), Scratch::new()),
            |(work, scratch), tile| accumulate_tile(points, sorted, tile, work, scratch),
        )
        .flatten_iter()
        .collect();
    merge_heads(&mut buckets, &heads);
    buckets
}

/// The sum of the references at a tile's beginning that belong to a bucket begun before, with that bucket.
type Head<F> = (usize, Affine<F>);

fn accumulate_tile<F: FieldOps>(
    points: &[Affine<F>],
    sorted: &Sorted,
    tile: Tile<'_, F>,
    work: &mut Vec<Affine<F>>,
    scratch: &mut Scratch<F>,
) -> Option<Head<F>> {
    let Tile {
        begin,
        end,
        first_bucket,
        buckets,
    } = tile;
    work.clear();
    gather(points, sorted.entries(begin..end), work);

    let starts = sorted.starts();
    let place = |bucket: usize| (starts[bucket] as usize).min(end) - begin;
    let head_len = place(first_bucket);
    let mut runs = Vec::with_capacity(buckets.len() + 1);
    let run = |from: usize, to: usize| {
        (from < to).then_some(Run {
            start: from as u32,
            len: (to - from) as u32,
        })
    };
    runs.extend(run(0, head_len));
    runs.extend((first_bucket..first_bucket + buckets.len()).filter_map(|b| run(place(b), place(b + 1))));
    reduce_runs(work, &mut runs, 1, scratch);

    for (bucket, b) in buckets.iter_mut().zip(first_bucket..) {
        if place(b) < place(b + 1) {
            *bucket = work[place(b)];
        }
    }
    (head_len > 0).then(|| (first_bucket - 1, work[0]))
}

/// Adds the heads, which are in the order of their buckets.
fn merge_heads<F: FieldOps>(buckets: &mut [Affine<F>], heads: &[Head<F>]) {
    let (mut work, mut runs, mut scratch) = (Vec::new(), Vec::new(), Scratch::new());
    for same_bucket in heads.chunk_by(|a, b| a.0 == b.0) {
        runs.push(Run {
            start: work.len() as u32,
            len: same_bucket.len() as u32 + 1,
        });
        work.push(buckets[same_bucket[0].0]);
        work.extend(same_bucket.iter().map(|head| head.1));
    }
    reduce_runs(&mut work, &mut runs, 1, &mut scratch);
    for (same_bucket, run) in heads.chunk_by(|a, b| a.0 == b.0).zip(&runs) {
        buckets[same_bucket[0].0] = work[run.start as usize];
    }
}
