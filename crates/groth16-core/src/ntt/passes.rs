//! The two transforms without bit reversal, depth first: after two stages over a block its four
//! quarters are finished one after the other, so that from some depth on everything happens in cache,
//! whatever the caches' sizes are.
//!
//! `down` takes natural order to bit-reversed order, `up` the reverse; each is
//! there for ω and for 1/ω, unscaled.

// Without the vector kernels nothing asks for them.
#![cfg_attr(not(ifma), allow(unused_variables))]

use super::butterfly::{merge, merge4, merge4_first, split, split4, split4_first, split_one, Factors};
#[cfg(ifma)]
use super::ifma;
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

/// `down` with 1/ω, `between` on every leaf with the index of its first element, and `up` with ω: from values
/// to coefficients and back to values elsewhere, while each leaf is in cache.
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
    columns(block, &|rows| split4_rows(rows, &factors, k, twiddles));
}

fn step_up<const INVERSE: bool>(block: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let factors = Factors::new::<INVERSE>(twiddles, k);
    columns(block, &|rows| merge4_rows(rows, &factors, k, twiddles));
}

/// Applies a radix-4 butterfly to every column of the block seen as four rows, over threads if that pays.
fn columns(block: &mut [LazyFr], butterflies: &(impl Fn([&mut [LazyFr]; 4]) + Sync)) {
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
            .for_each(|(a, b, c, d)| butterflies([a, b, c, d]));
    } else {
        butterflies([a, b, c, d]);
    }
}

/// Two stages down on the columns of four equal rows, which belong to block `k`.
#[inline]
fn split4_rows(rows: [&mut [LazyFr]; 4], factors: &Factors, k: usize, twiddles: &Twiddles) {
    #[cfg(ifma)]
    if twiddles.vectors() && rows[0].len() % 8 == 0 {
        // SAFETY: `vectors` says that the processor has the instructions; the rows are quarters of one block
        // or chunks of them, and a multiple of 8 long.
        return unsafe {
            match k {
                0 => ifma::split4_columns::<true>(rows, factors),
                _ => ifma::split4_columns::<false>(rows, factors),
            }
        };
    }
    match k {
        0 => serial_columns(rows, &|x| split4_first(x, factors)),
        _ => serial_columns(rows, &|x| split4(x, factors)),
    }
}

/// Two stages up on the columns of four equal rows, which belong to block `k`.
#[inline]
fn merge4_rows(rows: [&mut [LazyFr]; 4], factors: &Factors, k: usize, twiddles: &Twiddles) {
    #[cfg(ifma)]
    if twiddles.vectors() && rows[0].len() % 8 == 0 {
        // SAFETY: as in split4_rows.
        return unsafe {
            match k {
                0 => ifma::merge4_columns::<true>(rows, factors),
                _ => ifma::merge4_columns::<false>(rows, factors),
            }
        };
    }
    match k {
        0 => serial_columns(rows, &|x| merge4_first(x, factors)),
        _ => serial_columns(rows, &|x| merge4(x, factors)),
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

/// One stage down on the columns of two equal rows, the halves of block `k`.
fn split_rows<const INVERSE: bool>(
    upper: &mut [LazyFr],
    lower: &mut [LazyFr],
    k: usize,
    twiddles: &Twiddles,
) {
    let w = twiddles.get::<INVERSE>(k);
    #[cfg(ifma)]
    if twiddles.vectors() && upper.len() % 8 == 0 {
        // SAFETY: as in split4_rows.
        return unsafe { ifma::split_columns(upper, lower, &w) };
    }
    for (u, v) in upper.iter_mut().zip(lower) {
        (*u, *v) = if k == 0 {
            split_one(*u, *v)
        } else {
            split(*u, *v, &w)
        };
    }
}

/// One stage up on the columns of two equal rows, the halves of block `k`.
fn merge_rows<const INVERSE: bool>(
    upper: &mut [LazyFr],
    lower: &mut [LazyFr],
    k: usize,
    twiddles: &Twiddles,
) {
    let w = twiddles.get::<INVERSE>(k);
    #[cfg(ifma)]
    if twiddles.vectors() && upper.len() % 8 == 0 {
        // SAFETY: as in split4_rows.
        return unsafe { ifma::merge_columns(upper, lower, &w) };
    }
    for (u, v) in upper.iter_mut().zip(lower) {
        (*u, *v) = if k == 0 {
            split_one(*u, *v)
        } else {
            merge(*u, *v, &w)
        };
    }
}

/// All stages of a leaf, breadth first.
fn leaf_down<const INVERSE: bool>(leaf: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let tail = tail_len(leaf.len(), twiddles);
    let (mut len, mut first) = (leaf.len(), k);
    // An odd stage comes first: its factor is the same all over the leaf.
    if (len / tail).trailing_zeros() % 2 == 1 {
        len /= 2;
        let (upper, lower) = leaf.split_at_mut(len);
        split_rows::<INVERSE>(upper, lower, k, twiddles);
        first *= 2;
    }
    while len > tail {
        for (block, k) in leaf.chunks_exact_mut(len).zip(first..) {
            split4_rows(rows(block), &Factors::new::<INVERSE>(twiddles, k), k, twiddles);
        }
        len /= 4;
        first *= 4;
    }
    #[cfg(ifma)]
    if tail == 8 {
        for (group, k) in leaf.chunks_exact_mut(ifma::GROUP).zip((first..).step_by(8)) {
            match <&mut [LazyFr; ifma::GROUP]>::try_from(&mut *group) {
                // SAFETY: a tail of 8 is chosen only with the instructions; k is a multiple of 8 as `first`
                // counts blocks of 8 in a leaf of at least 64.
                Ok(group) if k != 0 => unsafe { ifma::split_group::<INVERSE>(group, k, twiddles) },
                // Block 0 is not in one run of the table with its neighbours.
                _ => group.chunks_exact_mut(8).zip(k..).for_each(|(block, k)| {
                    leaf_down::<INVERSE>(block, k, twiddles);
                }),
            }
        }
    }
}

/// Elements of the smallest leaf that has groups of eight blocks of eight.
const VECTOR_LEAF: usize = 64;

/// Down to which length of blocks a leaf is transformed stage by stage: to single elements, or to the eight
/// elements whose three stages the vector kernels do in one go.
fn tail_len(leaf: usize, twiddles: &Twiddles) -> usize {
    if twiddles.vectors() && leaf >= VECTOR_LEAF {
        8
    } else {
        1
    }
}

/// All stages of a leaf, breadth first, in the order opposite to [`leaf_down`].
fn leaf_up<const INVERSE: bool>(leaf: &mut [LazyFr], k: usize, twiddles: &Twiddles) {
    let tail = tail_len(leaf.len(), twiddles);
    #[cfg(ifma)]
    if tail == 8 {
        let first = k * (leaf.len() / 8);
        for (group, k) in leaf.chunks_exact_mut(ifma::GROUP).zip((first..).step_by(8)) {
            match <&mut [LazyFr; ifma::GROUP]>::try_from(&mut *group) {
                // SAFETY: as in leaf_down.
                Ok(group) if k != 0 => unsafe { ifma::merge_group::<INVERSE>(group, k, twiddles) },
                _ => group.chunks_exact_mut(8).zip(k..).for_each(|(block, k)| {
                    leaf_up::<INVERSE>(block, k, twiddles);
                }),
            }
        }
    }
    let mut len = 4 * tail;
    while len <= leaf.len() {
        let first = k * (leaf.len() / len);
        for (block, k) in leaf.chunks_exact_mut(len).zip(first..) {
            merge4_rows(rows(block), &Factors::new::<INVERSE>(twiddles, k), k, twiddles);
        }
        len *= 4;
    }
    if (leaf.len() / tail).trailing_zeros() % 2 == 1 {
        let (upper, lower) = leaf.split_at_mut(leaf.len() / 2);
        merge_rows::<INVERSE>(upper, lower, k, twiddles);
    }
}
