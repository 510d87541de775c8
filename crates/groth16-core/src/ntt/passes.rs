//! The two transforms without bit reversal, depth first: after two stages over a block its four quarters are finished
//! one after the other, so that from some depth on everything happens in cache, whatever the caches' sizes are.
//!
//! `down` takes natural order to bit-reversed order, `up` the reverse; each is there for ω and for 1/ω, unscaled.

use super::butterfly::{merge, merge4, merge4_first, split, split4, split4_first, split_one, Factors};
use crate::domain::Twiddles;
use bls_fields::lazy::LazyFr;
use rayon::prelude::*;

/// Elements of a block that is transformed iteratively: 32 KiB, what fits into the nearest caches.
pub(super) const LEAF: usize = 1 << 10;

/// Elements from which a block's quarters go to several threads.
const PARALLEL: usize = 1 << 13;

/// Elements of a quarter that one task of a parallel pass takes.
const COLUMNS: usize = 1 << 10;

/// Whether to split the work of a block of `n` elements over threads.
fn in_parallel(n: usize) -> bool {
    n >= PARALLEL && rayon::current_num_threads() > 1
}

/// Natural to bit-reversed order: all stages of `block`, which is block `k` of its stage.
pub(super) fn down<const INVERSE: bool>(block: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    if block.len() <= LEAF {
        return leaf_down::<INVERSE>(block, k, twiddles);
    }
    step_down::<INVERSE>(block, k, twiddles);
    for_quarters(block, k, &|quarter, k| down::<INVERSE>(quarter, k, twiddles));
}

/// Bit-reversed to natural order: all stages of `block`, which is block `k` of its stage.
pub(super) fn up<const INVERSE: bool>(block: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    if block.len() <= LEAF {
        return leaf_up::<INVERSE>(block, k, twiddles);
    }
    for_quarters(block, k, &|quarter, k| up::<INVERSE>(quarter, k, twiddles));
    step_up::<INVERSE>(block, k, twiddles);
}

/// `down` with 1/ω, `between` on every leaf with the index of its first element, and `up` with ω: from values to
/// coefficients and back to values elsewhere, while each leaf is in cache.
pub(super) fn down_up(
    block: &mut [LazyFr],
    k: usize,
    twiddles: &Twiddles,
    between: &(impl Fn(&mut [LazyFr], usize) + Sync),
) {
    if block.len() <= LEAF {
        leaf_down::<true>(block, k, twiddles);
        between(block, k * block.len());
        return leaf_up::<false>(block, k, twiddles);
    }
    step_down::<true>(block, k, twiddles);
    for_quarters(block, k, &|quarter, k| down_up(quarter, k, twiddles, between));
    step_up::<false>(block, k, twiddles);
}

fn for_quarters(block: &mut [LazyFr], k: usize, work: &(impl Fn(&mut [LazyFr], usize) + Sync)) {
    let quarter = block.len() / 4;
    if in_parallel(block.len()) {
        block
            .par_chunks_mut(quarter)
            .enumerate()
            .for_each(|(i, q)| work(q, 4 * k + i));
    } else {
        block
            .chunks_mut(quarter)
            .enumerate()
            .for_each(|(i, q)| work(q, 4 * k + i));
    }
}

fn step_down<const INVERSE: bool>(block: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let factors = Factors::new::<INVERSE>(twiddles, k);
    match k {
        0 => columns(block, |x| split4_first(x, &factors)),
        _ => columns(block, |x| split4(x, &factors)),
    }
}

fn step_up<const INVERSE: bool>(block: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let factors = Factors::new::<INVERSE>(twiddles, k);
    match k {
        0 => columns(block, |x| merge4_first(x, &factors)),
        _ => columns(block, |x| merge4(x, &factors)),
    }
}

/// Applies a radix-4 butterfly to every column of the block seen as four rows, over threads if that pays.
fn columns(block: &mut [LazyFr], butterfly: impl Fn([LazyFr; 4]) -> [LazyFr; 4] + Sync) {
    let parallel = in_parallel(block.len());
    let [a, b, c, d] = rows(block);
    if parallel {
        (
            a.par_chunks_mut(COLUMNS),
            b.par_chunks_mut(COLUMNS),
            c.par_chunks_mut(COLUMNS),
            d.par_chunks_mut(COLUMNS),
        )
            .into_par_iter()
            .for_each(|(a, b, c, d)| serial_columns([a, b, c, d], &butterfly));
    } else {
        serial_columns([a, b, c, d], &butterfly);
    }
}

#[inline(always)]
fn serial_columns([a, b, c, d]: [&mut [LazyFr]; 4], butterfly: &impl Fn([LazyFr; 4]) -> [LazyFr; 4]) {
    for (((a, b), c), d) in a.iter_mut().zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = butterfly([*a, *b, *c, *d]);
    }
}

#[inline(always)]
fn rows(block: &mut [LazyFr]) -> [&mut [LazyFr]; 4] {
    let quarter = block.len() / 4;
    let (ab, cd) = block.split_at_mut(2 * quarter);
    let (a, b) = ab.split_at_mut(quarter);
    let (c, d) = cd.split_at_mut(quarter);
    [a, b, c, d]
}

/// All stages of a leaf, breadth first. An odd stage comes first: its factor is the same all over the leaf.
fn leaf_down<const INVERSE: bool>(leaf: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let (mut len, mut first) = (leaf.len(), k);
    if len.trailing_zeros() % 2 == 1 {
        len /= 2;
        let w = twiddles.get::<INVERSE>(k);
        let (upper, lower) = leaf.split_at_mut(len);
        for (u, v) in upper.iter_mut().zip(lower) {
            (*u, *v) = if k == 0 {
                split_one(*u, *v)
            } else {
                split(*u, *v, &w)
            };
        }
        first *= 2;
    }
    while len >= 4 {
        for (block, k) in leaf.chunks_exact_mut(len).zip(first..) {
            let factors = Factors::new::<INVERSE>(twiddles, k);
            match k {
                0 => serial_columns(rows(block), &|x| split4_first(x, &factors)),
                _ => serial_columns(rows(block), &|x| split4(x, &factors)),
            }
        }
        len /= 4;
        first *= 4;
    }
}

/// All stages of a leaf, breadth first, in the order opposite to [`leaf_down`].
fn leaf_up<const INVERSE: bool>(leaf: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let mut len = 4;
    while len <= leaf.len() {
        let first = k * (leaf.len() / len);
        for (block, k) in leaf.chunks_exact_mut(len).zip(first..) {
            let factors = Factors::new::<INVERSE>(twiddles, k);
            match k {
                0 => serial_columns(rows(block), &|x| merge4_first(x, &factors)),
                _ => serial_columns(rows(block), &|x| merge4(x, &factors)),
            }
        }
        len *= 4;
    }
    if leaf.len().trailing_zeros() % 2 == 1 {
        let w = twiddles.get::<INVERSE>(k);
        let (upper, lower) = leaf.split_at_mut(leaf.len() / 2);
        for (u, v) in upper.iter_mut().zip(lower) {
            (*u, *v) = if k == 0 {
                split_one(*u, *v)
            } else {
                merge(*u, *v, &w)
            };
        }
    }
}
