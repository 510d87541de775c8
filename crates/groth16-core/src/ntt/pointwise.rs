//! What happens to each element by itself: products, differences, scaling, full reduction. Every function
//! works on whole vectors, over threads if that pays, with the vector kernels if `vectors` says so.

// Without the vector kernels nothing asks for them.
#![cfg_attr(not(ifma), allow(unused_variables))]

#[cfg(ifma)]
use super::ifma;
use bls_fields::lazy::LazyFr;
use rayon::prelude::*;

/// Elements that one task takes: a multiple of 8, as the vector kernels need it.
const CHUNK: usize = 1 << 12;

/// Replaces every x by x·factor, fully reduced; `factor` is.
pub(super) fn scale(x: &mut [LazyFr], factor: &LazyFr, vectors: bool) {
    for_chunks(x, |x, _| {
        #[cfg(ifma)]
        if use_vectors(vectors, x) {
            // SAFETY: the processor has the instructions, the length is a multiple of 8.
            return unsafe { ifma::mul_all(x, factor) };
        }
        x.iter_mut().for_each(|x| *x = x.mul(factor).reduced());
    });
}

/// Replaces every x by its fully reduced form.
pub(super) fn reduce(x: &mut [LazyFr], vectors: bool) {
    for_chunks(x, |x, _| {
        #[cfg(ifma)]
        if use_vectors(vectors, x) {
            // SAFETY: as in scale.
            return unsafe { ifma::reduce_all(x) };
        }
        x.iter_mut().for_each(|x| *x = x.reduced());
    });
}

/// Replaces every x by x·y, lazily reduced.
pub(crate) fn multiply(x: &mut [LazyFr], y: &[LazyFr], vectors: bool) {
    for_chunk_pairs(x, y, |x, y| {
        #[cfg(ifma)]
        if use_vectors(vectors, x) {
            // SAFETY: as in scale; the slices are equally long.
            return unsafe { ifma::mul_each(x, y) };
        }
        x.iter_mut().zip(y).for_each(|(x, y)| *x = x.mul(&y.reduced()));
    });
}

/// Replaces every x by x - y·factor, fully reduced; `factor` is.
pub(crate) fn subtract_scaled(x: &mut [LazyFr], y: &[LazyFr], factor: &LazyFr, vectors: bool) {
    for_chunk_pairs(x, y, |x, y| {
        #[cfg(ifma)]
        if use_vectors(vectors, x) {
            // SAFETY: as in scale; the slices are equally long.
            return unsafe { ifma::sub_each_by(x, y, factor) };
        }
        x.iter_mut()
            .zip(y)
            .for_each(|(x, y)| *x = x.sub(&y.mul(factor)).reduced());
    });
}

/// Replaces every x by x·y·factor, lazily reduced, on this thread; `y` and `factor` are fully reduced.
pub(super) fn multiply_scaled(x: &mut [LazyFr], y: &[LazyFr], factor: &LazyFr, vectors: bool) {
    #[cfg(ifma)]
    if use_vectors(vectors, x) && x.len() == y.len() {
        // SAFETY: as in scale; the slices are equally long.
        return unsafe { ifma::mul_each_by(x, y, factor) };
    }
    x.iter_mut().zip(y).for_each(|(x, y)| *x = x.mul(factor).mul(y));
}

#[cfg(ifma)]
fn use_vectors(vectors: bool, x: &[LazyFr]) -> bool {
    vectors && x.len() % 8 == 0
}

/// Calls `work` on pieces of `x` and the index of their first element.
pub(super) fn for_chunks(x: &mut [LazyFr], work: impl Fn(&mut [LazyFr], usize) + Sync) {
    if x.len() > CHUNK && rayon::current_num_threads() > 1 {
        x.par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(i, chunk)| work(chunk, i * CHUNK));
    } else {
        x.chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(i, chunk)| work(chunk, i * CHUNK));
    }
}

/// Calls `work` on pieces of `x` with the same pieces of `y`, which is as long.
fn for_chunk_pairs(x: &mut [LazyFr], y: &[LazyFr], work: impl Fn(&mut [LazyFr], &[LazyFr]) + Sync) {
    debug_assert_eq!(x.len(), y.len());
    for_chunks(x, |x, start| work(x, &y[start..start + x.len()]));
}
