//! Eight elements at once with AVX-512 IFMA, whose multiplier takes and gives 52-bit halves.
//!
//! In registers an element is five limbs of 52 bits, one vector a limb, one lane an element; in
//! memory it stays the four 64-bit limbs of [`LazyFr`], below 2r, so that these kernels and the
//! portable ones may work on the same data.
//! Between a load and a store values grow up to 16r, limbs may leave [0, 2^52), and only a
//! product needs them back there.
//!
//! The Montgomery factor of five such limbs is 2^260 and that of the data 2^256: the right
//! factor of a product is loaded times 16, which makes up for it. For x < k·r and w < r the
//! product is below (0.453·k + 1)·r.

// The build script compiles this only where the intrinsics are stable.
#![allow(clippy::incompatible_msrv)]

use super::butterfly::Factors;
use crate::domain::Twiddles;
use bls_fields::lazy::LazyFr;
use core::arch::x86_64::*;

/// Elements of the group whose last three stages one call does: eight blocks of eight.
pub(super) const GROUP: usize = 64;

/// Whether this processor has the instructions.
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

const MASK: u64 = (1 << 52) - 1;

/// r in 64-bit limbs.
const R: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// -1/r mod 2^52: r ≡ 1 - 2^32, whose inverse is 1 + 2^32 modulo 2^64.
const NEGATED_INVERSE: u64 = (1u64 + (1 << 32)).wrapping_neg() & MASK;

/// ⌊2^260 / r⌋: times the topmost limb and shifted by 52 it gives ⌊x / r⌋ or one less, for 0 <= x <= 16r.
const QUOTIENT_FACTOR: u64 = 35;

/// k·r in five limbs of 52 bits, for k < 16.
const MULTIPLES: [[u64; 5]; 16] = {
    let r = [
        R[0] & MASK,
        (R[0] >> 52 | R[1] << 12) & MASK,
        (R[1] >> 40 | R[2] << 24) & MASK,
        (R[2] >> 28 | R[3] << 36) & MASK,
        R[3] >> 16,
    ];
    let mut multiples = [[0; 5]; 16];
    let mut k = 1;
    while k < 16 {
        let mut carry = 0;
        let mut limb = 0;
        while limb < 5 {
            let sum = multiples[k - 1][limb] + r[limb] + carry;
            multiples[k][limb] = sum & MASK;
            carry = sum >> 52;
            limb += 1;
        }
        k += 1;
    }
    multiples
};

/// [`MULTIPLES`] by limb, for look-ups by lane.
const MULTIPLES_BY_LIMB: [[u64; 16]; 5] = {
    let mut table = [[0; 16]; 5];
    let mut k = 0;
    while k < 16 {
        let mut limb = 0;
        while limb < 5 {
            table[limb][k] = MULTIPLES[k][limb];
            limb += 1;
        }
        k += 1;
    }
    table
};

type Element8 = [__m512i; 5];

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn broadcast(limb: u64) -> __m512i {
    _mm512_set1_epi64(limb as i64)
}

/// The 64-bit limbs of the eight elements at `from`, `from + stride`, ..., one vector a
/// limb, lane l the l-th element.
///
/// # Safety
/// All eight can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load_limbs(from: *const LazyFr, stride: isize) -> [__m512i; 4] {
    // SAFETY: by the caller; loads have no alignment to keep.
    let pair = |l: isize| unsafe {
        let low = _mm256_loadu_si256(from.offset(l * stride).cast());
        let high = _mm256_loadu_si256(from.offset((l + 4) * stride).cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    };
    transpose([pair(0), pair(1), pair(2), pair(3)])
}

/// Four vectors of two 4-limb elements (i and i + 4) to four of eight limbs, and back: 4 x 4 in each half.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn transpose([v0, v1, v2, v3]: [__m512i; 4]) -> [__m512i; 4] {
    let low01 = _mm512_unpacklo_epi64(v0, v1);
    let high01 = _mm512_unpackhi_epi64(v0, v1);
    let low23 = _mm512_unpacklo_epi64(v2, v3);
    let high23 = _mm512_unpackhi_epi64(v2, v3);
    let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    [
        _mm512_permutex2var_epi64(low01, first, low23),
        _mm512_permutex2var_epi64(high01, first, high23),
        _mm512_permutex2var_epi64(low01, second, low23),
        _mm512_permutex2var_epi64(high01, second, high23),
    ]
}

/// 64-bit limbs to 52-bit limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn unpack([l0, l1, l2, l3]: [__m512i; 4]) -> Element8 {
    let mask = broadcast(MASK);
    let join = |low, high| _mm512_and_si512(_mm512_or_si512(low, high), mask);
    [
        _mm512_and_si512(l0, mask),
        join(_mm512_srli_epi64::<52>(l0), _mm512_slli_epi64::<12>(l1)),
        join(_mm512_srli_epi64::<40>(l1), _mm512_slli_epi64::<24>(l2)),
        join(_mm512_srli_epi64::<28>(l2), _mm512_slli_epi64::<36>(l3)),
        _mm512_srli_epi64::<16>(l3),
    ]
}

/// 64-bit limbs to 52-bit limbs of 16 times the value.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn unpack_factor([l0, l1, l2, l3]: [__m512i; 4]) -> Element8 {
    let mask = broadcast(MASK);
    let join = |low, high| _mm512_and_si512(_mm512_or_si512(low, high), mask);
    [
        _mm512_and_si512(_mm512_slli_epi64::<4>(l0), mask),
        join(_mm512_srli_epi64::<48>(l0), _mm512_slli_epi64::<16>(l1)),
        join(_mm512_srli_epi64::<36>(l1), _mm512_slli_epi64::<28>(l2)),
        join(_mm512_srli_epi64::<24>(l2), _mm512_slli_epi64::<40>(l3)),
        _mm512_srli_epi64::<12>(l3),
    ]
}

/// Eight elements, each `stride` from the one before.
///
/// # Safety
/// All eight can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load(from: *const LazyFr, stride: isize) -> Element8 {
    // SAFETY: by the caller.
    unpack(unsafe { load_limbs(from, stride) })
}

/// Eight right factors of products, each `stride` from the one before.
///
/// # Safety
/// All eight can be read.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load_factor(from: *const LazyFr, stride: isize) -> Element8 {
    // SAFETY: by the caller.
    unpack_factor(unsafe { load_limbs(from, stride) })
}

/// The same right factor in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn broadcast_factor(factor: &LazyFr) -> Element8 {
    // SAFETY: stride 0 reads the one element eight times.
    unsafe { load_factor(factor, 0) }
}

/// Stores eight elements with limbs in [0, 2^52) below 2r.
///
/// # Safety
/// All eight can be written.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn store(to: *mut LazyFr, stride: isize, [x0, x1, x2, x3, x4]: Element8) {
    let limbs = [
        _mm512_or_si512(x0, _mm512_slli_epi64::<52>(x1)),
        _mm512_or_si512(_mm512_srli_epi64::<12>(x1), _mm512_slli_epi64::<40>(x2)),
        _mm512_or_si512(_mm512_srli_epi64::<24>(x2), _mm512_slli_epi64::<28>(x3)),
        _mm512_or_si512(_mm512_srli_epi64::<36>(x3), _mm512_slli_epi64::<16>(x4)),
    ];
    for (l, pair) in (0..).zip(transpose(limbs)) {
        // SAFETY: by the caller; stores have no alignment to keep.
        unsafe {
            _mm256_storeu_si256(to.offset(l * stride).cast(), _mm512_castsi512_si256(pair));
            _mm256_storeu_si256(
                to.offset((l + 4) * stride).cast(),
                _mm512_extracti64x4_epi64::<1>(pair),
            );
        }
    }
}

/// `x + y`, limb by limb.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add(x: &Element8, y: &Element8) -> Element8 {
    core::array::from_fn(|i| _mm512_add_epi64(x[i], y[i]))
}

/// `x - y + K·r`, limb by limb, for y < K·r.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn sub<const K: usize>(x: &Element8, y: &Element8) -> Element8 {
    core::array::from_fn(|i| _mm512_add_epi64(x[i], _mm512_sub_epi64(broadcast(MULTIPLES[K][i]), y[i])))
}

/// The same values, which are not negative and below 2^260, with limbs in [0, 2^52).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn carry([mut x0, mut x1, mut x2, mut x3, mut x4]: Element8) -> Element8 {
    let mask = broadcast(MASK);
    x1 = _mm512_add_epi64(x1, _mm512_srai_epi64::<52>(x0));
    x0 = _mm512_and_si512(x0, mask);
    x2 = _mm512_add_epi64(x2, _mm512_srai_epi64::<52>(x1));
    x1 = _mm512_and_si512(x1, mask);
    x3 = _mm512_add_epi64(x3, _mm512_srai_epi64::<52>(x2));
    x2 = _mm512_and_si512(x2, mask);
    x4 = _mm512_add_epi64(x4, _mm512_srai_epi64::<52>(x3));
    x3 = _mm512_and_si512(x3, mask);
    [x0, x1, x2, x3, x4]
}

/// Values in [0, 16r) to [0, 2r), with limbs in [0, 2^52).
///
/// The topmost limb must not be negative: it is not in a sum of such limbs, nor
/// if the value is 2^210 or more.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn reduce(x: &Element8) -> Element8 {
    let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), x[4], broadcast(QUOTIENT_FACTOR));
    carry(core::array::from_fn(|i| {
        // SAFETY: eight limbs at each of the two halves of a table of sixteen.
        let (low, high) = unsafe {
            let table = MULTIPLES_BY_LIMB[i].as_ptr();
            (
                _mm512_loadu_si512(table.cast()),
                _mm512_loadu_si512(table.add(8).cast()),
            )
        };
        _mm512_sub_epi64(x[i], _mm512_permutex2var_epi64(low, quotient, high))
    }))
}

/// Values in [0, 2r) to [0, r); limbs in [0, 2^52) before and after.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn canonical(x: &Element8) -> Element8 {
    let lower = carry(core::array::from_fn(|i| {
        _mm512_sub_epi64(x[i], broadcast(MULTIPLES[1][i]))
    }));
    let negative = _mm512_cmplt_epi64_mask(lower[4], _mm512_setzero_si512());
    core::array::from_fn(|i| _mm512_mask_mov_epi64(lower[i], negative, x[i]))
}

/// `x·w`, with limbs in [0, 2^52), which those of `x` must be in too; `w` comes from `load_factor`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn mul(x: &Element8, w: &Element8) -> Element8 {
    let zero = _mm512_setzero_si512();
    let inverse = broadcast(NEGATED_INVERSE);
    let mut t = [zero; 5];
    for &xi in x {
        let mut high = zero;
        // t + xi·w
        t[0] = _mm512_madd52lo_epu64(t[0], xi, w[0]);
        let m = _mm512_madd52lo_epu64(zero, t[0], inverse);
        for j in 1..5 {
            t[j] = _mm512_madd52lo_epu64(t[j], xi, w[j]);
            t[j] = _mm512_madd52hi_epu64(t[j], xi, w[j - 1]);
        }
        high = _mm512_madd52hi_epu64(high, xi, w[4]);
        // + m·r, which clears the lowest 52 bits
        t[0] = _mm512_madd52lo_epu64(t[0], m, broadcast(MULTIPLES[1][0]));
        for j in 1..5 {
            t[j] = _mm512_madd52lo_epu64(t[j], m, broadcast(MULTIPLES[1][j]));
            t[j] = _mm512_madd52hi_epu64(t[j], m, broadcast(MULTIPLES[1][j - 1]));
        }
        high = _mm512_madd52hi_epu64(high, m, broadcast(MULTIPLES[1][4]));
        t = [
            _mm512_add_epi64(t[1], _mm512_srli_epi64::<52>(t[0])),
            t[2],
            t[3],
            t[4],
            high,
        ];
    }
    carry(t)
}

/// `super::butterfly::split4` on all columns of four rows; `FIRST` in block 0, where three factors are 1.
///
/// # Safety
/// [`available`]; the rows are equally long, a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn split4_columns<const FIRST: bool>(rows: [&mut [LazyFr]; 4], f: &Factors) {
    let (w1, w2, w3) = (
        broadcast_factor(&f.w1),
        broadcast_factor(&f.w2),
        broadcast_factor(&f.w3),
    );
    let pointers = rows.each_ref().map(|row| row.as_ptr().cast_mut());
    for i in (0..rows[0].len()).step_by(8) {
        // SAFETY: i + 8 is within every row, by the caller.
        let [a, b, c, d] = pointers.map(|row| unsafe { load(row.add(i), 1) });
        // Below 2r; then 4r; then 8r.
        let (c, d) = if FIRST {
            (c, d)
        } else {
            (mul(&c, &w1), mul(&d, &w1))
        };
        let (a, c) = (add(&a, &c), sub::<2>(&a, &c));
        let (b, d) = (add(&b, &d), sub::<2>(&b, &d));
        let b = if FIRST { b } else { mul(&carry(b), &w2) };
        let d = mul(&carry(d), &w3);
        let results = [add(&a, &b), sub::<4>(&a, &b), add(&c, &d), sub::<4>(&c, &d)];
        for (row, result) in pointers.into_iter().zip(results) {
            // SAFETY: as above; the rows are borrowed mutably.
            unsafe { store(row.add(i), 1, reduce(&result)) };
        }
    }
}

/// `super::butterfly::merge4` on all columns of four rows; `FIRST` in block 0, where three factors are 1.
///
/// # Safety
/// [`available`]; the rows are equally long, a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn merge4_columns<const FIRST: bool>(rows: [&mut [LazyFr]; 4], f: &Factors) {
    let (w1, w2, w3) = (
        broadcast_factor(&f.w1),
        broadcast_factor(&f.w2),
        broadcast_factor(&f.w3),
    );
    let pointers = rows.each_ref().map(|row| row.as_ptr().cast_mut());
    for i in (0..rows[0].len()).step_by(8) {
        // SAFETY: i + 8 is within every row, by the caller.
        let [a, b, c, d] = pointers.map(|row| unsafe { load(row.add(i), 1) });
        let (a, b) = (add(&a, &b), carry(sub::<2>(&a, &b)));
        let b = if FIRST { b } else { mul(&b, &w2) };
        let (c, d) = (add(&c, &d), mul(&carry(sub::<2>(&c, &d)), &w3));
        let (a, c) = (add(&a, &c), carry(sub::<4>(&a, &c)));
        let (b, d) = (add(&b, &d), carry(sub::<4>(&b, &d)));
        let (c, d) = if FIRST {
            (c, d)
        } else {
            (mul(&c, &w1), mul(&d, &w1))
        };
        for (row, result) in pointers.into_iter().zip([a, b, c, d]) {
            // SAFETY: as above; the rows are borrowed mutably.
            unsafe { store(row.add(i), 1, reduce(&result)) };
        }
    }
}

/// The factors of eight blocks k, k + every, ..., k + 7·every of one stage; those of 1/ω lack their sign.
///
/// # Safety
/// The blocks exist, and k..k + 8·every lies in one run [2^s, 2^(s+1)).
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn load_twiddles<const INVERSE: bool>(twiddles: &Twiddles, k: usize, every: isize) -> Element8 {
    let (table, index) = (twiddles.as_ptr(), twiddles.unsigned_index::<INVERSE>(k));
    // SAFETY: by the caller; with INVERSE the run is mirrored.
    unsafe { load_factor(table.add(index), if INVERSE { -every } else { every }) }
}

/// The last three stages of eight blocks of eight elements, of which the first is block `k`, lazily reduced.
///
/// # Safety
/// [`available`]; k is a multiple of 8 and at least 8, and the table belongs to
/// a domain that has these blocks.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn split_group<const INVERSE: bool>(
    group: &mut [LazyFr; GROUP],
    k: usize,
    twiddles: &Twiddles,
) {
    let base = group.as_mut_ptr();
    // Lane l is block k + l, vector j its j-th element.
    // SAFETY: j + 7·8 < 64.
    let mut x: [Element8; 8] = core::array::from_fn(|j| unsafe { load(base.add(j), 8) });
    // SAFETY: by the caller; blocks 2k, 4k and their neighbours stay in one run as k is a multiple of 8.
    let w = unsafe { load_twiddles::<INVERSE>(twiddles, k, 1) };
    for j in 0..4 {
        (x[j], x[j + 4]) = split::<2, INVERSE>(&x[j], &x[j + 4], &w);
    }
    for half in 0..2 {
        // SAFETY: as above.
        let w = unsafe { load_twiddles::<INVERSE>(twiddles, 2 * k + half, 2) };
        for j in 4 * half..4 * half + 2 {
            (x[j], x[j + 2]) = split::<4, INVERSE>(&x[j], &carry(x[j + 2]), &w);
        }
    }
    for quarter in 0..4 {
        // SAFETY: as above.
        let w = unsafe { load_twiddles::<INVERSE>(twiddles, 4 * k + quarter, 4) };
        let j = 2 * quarter;
        let (u, v) = split::<8, INVERSE>(&x[j], &carry(x[j + 1]), &w);
        // SAFETY: j + 1 + 7·8 < 64.
        unsafe {
            store(base.add(j), 8, reduce(&u));
            store(base.add(j + 1), 8, reduce(&v));
        }
    }
}

/// (u, v) -> (u + w·v, u - w·v), where w lacks its sign with `INVERSE`; the product is below K·r.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn split<const K: usize, const INVERSE: bool>(
    u: &Element8,
    v: &Element8,
    w: &Element8,
) -> (Element8, Element8) {
    let wv = mul(v, w);
    let (sum, difference) = (add(u, &wv), sub::<K>(u, &wv));
    if INVERSE {
        (difference, sum)
    } else {
        (sum, difference)
    }
}

/// The first three stages of eight blocks of eight elements, of which the first is block `k`, lazily reduced.
///
/// # Safety
/// As [`split_group`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn merge_group<const INVERSE: bool>(
    group: &mut [LazyFr; GROUP],
    k: usize,
    twiddles: &Twiddles,
) {
    let base = group.as_mut_ptr();
    // SAFETY: j + 7·8 < 64.
    let mut x: [Element8; 8] = core::array::from_fn(|j| unsafe { load(base.add(j), 8) });
    for quarter in 0..4 {
        // SAFETY: as in split_group.
        let w = unsafe { load_twiddles::<INVERSE>(twiddles, 4 * k + quarter, 4) };
        let j = 2 * quarter;
        (x[j], x[j + 1]) = merge::<2, INVERSE>(&x[j], &x[j + 1], &w);
    }
    for half in 0..2 {
        // SAFETY: as above.
        let w = unsafe { load_twiddles::<INVERSE>(twiddles, 2 * k + half, 2) };
        for j in 4 * half..4 * half + 2 {
            (x[j], x[j + 2]) = merge::<4, INVERSE>(&x[j], &x[j + 2], &w);
        }
    }
    // SAFETY: as above.
    let w = unsafe { load_twiddles::<INVERSE>(twiddles, k, 1) };
    for j in 0..4 {
        let (u, v) = merge::<8, INVERSE>(&x[j], &x[j + 4], &w);
        // SAFETY: j + 4 + 7·8 < 64.
        unsafe {
            store(base.add(j), 8, reduce(&u));
            store(base.add(j + 4), 8, reduce(&v));
        }
    }
}

/// (u, v) -> (u + v, w·(u - v)), where w lacks its sign with `INVERSE`; u and v are below K·r.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn merge<const K: usize, const INVERSE: bool>(
    u: &Element8,
    v: &Element8,
    w: &Element8,
) -> (Element8, Element8) {
    let difference = if INVERSE { sub::<K>(v, u) } else { sub::<K>(u, v) };
    (add(u, v), mul(&carry(difference), w))
}

/// One stage of [`split`] on the columns of two rows.
///
/// # Safety
/// [`available`]; the rows are equally long, a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn split_columns(upper: &mut [LazyFr], lower: &mut [LazyFr], w: &LazyFr) {
    let w = broadcast_factor(w);
    for i in (0..upper.len()).step_by(8) {
        // SAFETY: i + 8 is within both rows, by the caller.
        unsafe {
            let (u, v) = (upper.as_mut_ptr().add(i), lower.as_mut_ptr().add(i));
            let (sum, difference) = split::<2, false>(&load(u, 1), &load(v, 1), &w);
            store(u, 1, reduce(&sum));
            store(v, 1, reduce(&difference));
        }
    }
}

/// One stage of [`merge`] on the columns of two rows.
///
/// # Safety
/// [`available`]; the rows are equally long, a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn merge_columns(upper: &mut [LazyFr], lower: &mut [LazyFr], w: &LazyFr) {
    let w = broadcast_factor(w);
    for i in (0..upper.len()).step_by(8) {
        // SAFETY: i + 8 is within both rows, by the caller.
        unsafe {
            let (u, v) = (upper.as_mut_ptr().add(i), lower.as_mut_ptr().add(i));
            let (sum, product) = merge::<2, false>(&load(u, 1), &load(v, 1), &w);
            store(u, 1, reduce(&sum));
            store(v, 1, reduce(&product));
        }
    }
}

/// x_i·y_i for all i, lazily reduced.
///
/// # Safety
/// [`available`]; both slices are equally long, a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn mul_each(x: &mut [LazyFr], y: &[LazyFr]) {
    for i in (0..x.len()).step_by(8) {
        // SAFETY: i + 8 is within both slices, by the caller.
        unsafe {
            // Both are below 2r < 2^256, so that 16·y is below 2^260 and the product below 3r.
            let product = mul(&load(x.as_ptr().add(i), 1), &load_factor(y.as_ptr().add(i), 1));
            store(x.as_mut_ptr().add(i), 1, reduce(&product));
        }
    }
}

/// x_i·y_i·w for all i, lazily reduced; `y` and `w` are fully reduced.
///
/// # Safety
/// As [`mul_each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn mul_each_by(x: &mut [LazyFr], y: &[LazyFr], w: &LazyFr) {
    let w = broadcast_factor(w);
    for i in (0..x.len()).step_by(8) {
        // SAFETY: i + 8 is within both slices, by the caller.
        unsafe {
            let product = mul(
                &mul(&load(x.as_ptr().add(i), 1), &w),
                &load_factor(y.as_ptr().add(i), 1),
            );
            store(x.as_mut_ptr().add(i), 1, product);
        }
    }
}

/// x_i·w for all i, fully reduced, as is `w`.
///
/// # Safety
/// [`available`]; the length is a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn mul_all(x: &mut [LazyFr], w: &LazyFr) {
    let w = broadcast_factor(w);
    for i in (0..x.len()).step_by(8) {
        // SAFETY: i + 8 is within the slice, by the caller.
        unsafe {
            store(
                x.as_mut_ptr().add(i),
                1,
                canonical(&mul(&load(x.as_ptr().add(i), 1), &w)),
            )
        };
    }
}

/// x_i - y_i·w for all i, fully reduced, as is `w`.
///
/// # Safety
/// As [`mul_each`].
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn sub_each_by(x: &mut [LazyFr], y: &[LazyFr], w: &LazyFr) {
    let w = broadcast_factor(w);
    for i in (0..x.len()).step_by(8) {
        // SAFETY: i + 8 is within both slices, by the caller.
        unsafe {
            let product = mul(&load(y.as_ptr().add(i), 1), &w);
            let difference = carry(sub::<2>(&load(x.as_ptr().add(i), 1), &product));
            store(x.as_mut_ptr().add(i), 1, canonical(&reduce(&difference)));
        }
    }
}

/// Every x_i fully reduced.
///
/// # Safety
/// [`available`]; the length is a multiple of 8.
#[target_feature(enable = "avx512f,avx512ifma")]
pub(super) unsafe fn reduce_all(x: &mut [LazyFr]) {
    for i in (0..x.len()).step_by(8) {
        // SAFETY: i + 8 is within the slice, by the caller.
        unsafe { store(x.as_mut_ptr().add(i), 1, canonical(&load(x.as_ptr().add(i), 1))) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::butterfly;
    use super::*;
    use bls_fields::Fr;
    use ff::{Field, PrimeField};
    use rand_core::{RngCore, SeedableRng};

    const N: usize = 1 << 11;

    /// Elements in all their lazy forms, rich in those next to the bounds 0, r and 2r.
    fn lazy(rng: &mut impl RngCore) -> Vec<LazyFr> {
        (0..N).map(|_| factor(rng).add(&factor(rng))).collect()
    }

    /// A fully reduced element; its limbs are those of r - 1, of r - 2^k, of 0 or of anything.
    fn factor(rng: &mut impl RngCore) -> LazyFr {
        let montgomery_one = Fr::TWO_INV.pow_vartime([256]);
        let element = match rng.next_u32() % 4 {
            0 => -montgomery_one,
            1 => -montgomery_one * Fr::from(1 << (rng.next_u32() % 64)),
            2 if rng.next_u32() % 4 == 0 => Fr::ZERO,
            _ => Fr::random(rng),
        };
        LazyFr::new(&element)
    }

    /// Equal elements, and `got` below 2r: the reduction of anything larger is not canonical.
    fn assert_same(got: &[LazyFr], want: &[LazyFr]) {
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            assert_eq!(got.reduce(), want.reduce(), "element {i}");
        }
    }

    fn quarters(x: &mut [LazyFr]) -> [&mut [LazyFr]; 4] {
        let mut parts = x.chunks_exact_mut(N / 4);
        core::array::from_fn(|_| parts.next().expect("four quarters"))
    }

    #[test]
    fn kernels_agree_with_scalar_arithmetic_at_the_bounds() {
        if !available() {
            return;
        }
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        for _ in 0..20 {
            let (x, y) = (lazy(&mut rng), lazy(&mut rng));
            let w = factor(&mut rng);
            let factors = Factors {
                w1: factor(&mut rng),
                w2: factor(&mut rng),
                w3: factor(&mut rng),
            };

            type Butterfly4 = fn([LazyFr; 4], &Factors) -> [LazyFr; 4];
            type Kernel4 = unsafe fn([&mut [LazyFr]; 4], &Factors);
            let kernels: [(Kernel4, Butterfly4); 4] = [
                (split4_columns::<false>, butterfly::split4),
                (split4_columns::<true>, butterfly::split4_first),
                (merge4_columns::<false>, butterfly::merge4),
                (merge4_columns::<true>, butterfly::merge4_first),
            ];
            for (kernel, butterfly) in kernels {
                let mut got = x.clone();
                // SAFETY: available; N / 4 is a multiple of 8.
                unsafe { kernel(quarters(&mut got), &factors) };
                let mut want = x.clone();
                for i in 0..N / 4 {
                    let rows: [usize; 4] = core::array::from_fn(|row| row * (N / 4) + i);
                    let results = butterfly(rows.map(|j| x[j]), &factors);
                    rows.into_iter()
                        .zip(results)
                        .for_each(|(j, result)| want[j] = result);
                }
                assert_same(&got, &want);
            }

            type Butterfly2 = fn(LazyFr, LazyFr, &LazyFr) -> (LazyFr, LazyFr);
            type Kernel2 = unsafe fn(&mut [LazyFr], &mut [LazyFr], &LazyFr);
            let kernels: [(Kernel2, Butterfly2); 2] = [
                (split_columns, butterfly::split),
                (merge_columns, butterfly::merge),
            ];
            for (kernel, butterfly) in kernels {
                let (mut upper, mut lower) = (x.clone(), y.clone());
                // SAFETY: available; N is a multiple of 8.
                unsafe { kernel(&mut upper, &mut lower, &w) };
                let (u, v): (Vec<_>, Vec<_>) = x.iter().zip(&y).map(|(u, v)| butterfly(*u, *v, &w)).unzip();
                assert_same(&upper, &u);
                assert_same(&lower, &v);
            }

            let each = |kernel: &dyn Fn(&mut [LazyFr]), scalar: &dyn Fn(&LazyFr, &LazyFr) -> LazyFr| {
                let mut got = x.clone();
                kernel(&mut got);
                let want: Vec<LazyFr> = x.iter().zip(&y).map(|(x, y)| scalar(x, y)).collect();
                assert_same(&got, &want);
            };
            let reduced: Vec<LazyFr> = y.iter().map(LazyFr::reduced).collect();
            // SAFETY: available; N is a multiple of 8, and the slices have that length.
            unsafe {
                each(&|x| mul_each(x, &y), &|x, y| x.mul(&y.reduced()));
                each(&|x| mul_each_by(x, &reduced, &w), &|x, y| {
                    x.mul(&w).mul(&y.reduced())
                });
                each(&|x| mul_all(x, &w), &|x, _| x.mul(&w));
                each(&|x| sub_each_by(x, &y, &w), &|x, y| x.sub(&y.mul(&w)));
                each(&|x| reduce_all(x), &|x, _| *x);
            }
        }
    }
}
