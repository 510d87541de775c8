//! Two stages at once on four elements. A stage turns polynomials modulo x^2m - w² into remainders modulo
//! x^m - w and x^m + w; all of a block uses one factor w, so a pass over memory loads no twiddle factors.

use crate::domain::Twiddles;
use bls_fields::lazy::LazyFr;

/// The three factors of a radix-4 butterfly in block k of its stage: of block k, and of blocks 2k and 2k + 1
/// of the next stage.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) w1: LazyFr,
    pub(super) w2: LazyFr,
    pub(super) w3: LazyFr,
}

impl Factors {
    #[inline(always)]
    pub(super) fn new<const INVERSE: bool>(twiddles: &Twiddles, k: usize) -> Self {
        Factors {
            w1: twiddles.get::<INVERSE>(k),
            w2: twiddles.get::<INVERSE>(2 * k),
            w3: twiddles.get::<INVERSE>(2 * k + 1),
        }
    }
}

/// (u, v) -> (u + w·v, u - w·v)
#[inline(always)]
pub(super) fn split(u: LazyFr, v: LazyFr, w: &LazyFr) -> (LazyFr, LazyFr) {
    let wv = v.mul(w);
    (u.add(&wv), u.sub(&wv))
}

/// (u, v) -> (u + v, u - v): [`split`] in block 0, whose factor is 1.
#[inline(always)]
pub(super) fn split_one(u: LazyFr, v: LazyFr) -> (LazyFr, LazyFr) {
    (u.add(&v), u.sub(&v))
}

/// (u, v) -> (u + v, w·(u - v)), twice the inverse of [`split`] with 1/w.
#[inline(always)]
pub(super) fn merge(u: LazyFr, v: LazyFr, w: &LazyFr) -> (LazyFr, LazyFr) {
    (u.add(&v), u.sub(&v).mul(w))
}

/// Two stages of [`split`].
#[inline(always)]
pub(super) fn split4([a, b, c, d]: [LazyFr; 4], f: &Factors) -> [LazyFr; 4] {
    let (a, c) = split(a, c, &f.w1);
    let (b, d) = split(b, d, &f.w1);
    let (a, b) = split(a, b, &f.w2);
    let (c, d) = split(c, d, &f.w3);
    [a, b, c, d]
}

/// [`split4`] in block 0: three of the four factors are 1.
#[inline(always)]
pub(super) fn split4_first([a, b, c, d]: [LazyFr; 4], f: &Factors) -> [LazyFr; 4] {
    let (a, c) = split_one(a, c);
    let (b, d) = split_one(b, d);
    let (a, b) = split_one(a, b);
    let (c, d) = split(c, d, &f.w3);
    [a, b, c, d]
}

/// Two stages of [`merge`].
#[inline(always)]
pub(super) fn merge4([a, b, c, d]: [LazyFr; 4], f: &Factors) -> [LazyFr; 4] {
    let (a, b) = merge(a, b, &f.w2);
    let (c, d) = merge(c, d, &f.w3);
    let (a, c) = merge(a, c, &f.w1);
    let (b, d) = merge(b, d, &f.w1);
    [a, b, c, d]
}

/// [`merge4`] in block 0.
#[inline(always)]
pub(super) fn merge4_first([a, b, c, d]: [LazyFr; 4], f: &Factors) -> [LazyFr; 4] {
    let (a, b) = split_one(a, b);
    let (c, d) = merge(c, d, &f.w3);
    let (a, c) = split_one(a, c);
    let (b, d) = split_one(b, d);
    [a, b, c, d]
}
