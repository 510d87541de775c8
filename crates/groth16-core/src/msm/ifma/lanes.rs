//! Eight elements of Fp at a time, with the 52-bit multipliers of AVX-512.
//!
//! A lane holds an element as eight limbs of 52 bits: the same integer as blst's six limbs of
//! 64, so the Montgomery factor stays 2^384. An integer is *loose* if it is below 2p (or equal
//! to it) and its limbs are below 2^52.
//!
//! All functions here need `avx512f`, `avx512dq` and `avx512ifma`.

use bls_fields::Fp;
use core::arch::x86_64::*;

type V = __m512i;

/// Eight elements: `0[i]` holds limb i of all.
#[derive(Clone, Copy)]
pub(super) struct Lanes([V; 8]);

const MASK: i64 = (1 << 52) - 1;
/// -1/p modulo 2^52
const P_INVERSE: i64 = 0x3_fffc_fffc_fffd;
/// p
const P: [i64; 8] = [
    0xe_ffff_ffff_aaab,
    0xf_eb15_3fff_fb9f,
    0x6_b0f6_241e_abff,
    0x1_2bf6_730d_2a0f,
    0x7_6477_4b84_f385,
    0x1_ba7b_6434_bacd,
    0x1_ea39_7fe6_9a4b,
    0x1_a011,
];
/// 2p
const TWO_P: [i64; 8] = [
    0xd_ffff_ffff_5556,
    0xf_d62a_7fff_f73f,
    0xd_61ec_483d_57ff,
    0x2_57ec_e61a_541e,
    0xe_c8ee_9709_e70a,
    0x3_74f6_c869_759a,
    0x3_d472_ffcd_3496,
    0x3_4022,
];
/// 2^384 modulo p: one.
const ONE: [i64; 8] = [
    0x9_0000_0002_fffd,
    0x0_bc40_c000_2760,
    0x3_c758_baeb_f400,
    0x5_7455_f489_8575,
    0xd_77ce_5853_7052,
    0x0_71a9_7a25_6ec6,
    0xe_c3fa_80e4_935c,
    0x1_5f65,
];

/// `[f(0), ..., f(7)]`, written out so that it stays in registers.
macro_rules! each {
    ($i:ident => $e:expr) => {
        [
            { const $i: usize = 0; $e }, { const $i: usize = 1; $e }, { const $i: usize = 2; $e },
            { const $i: usize = 3; $e }, { const $i: usize = 4; $e }, { const $i: usize = 5; $e },
            { const $i: usize = 6; $e }, { const $i: usize = 7; $e },
        ]
    };
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn splat(limbs: &[i64; 8]) -> Lanes {
    Lanes(each!(I => _mm512_set1_epi64(limbs[I])))
}

/// Montgomery's product of a sum of products, `(a·b + ...) / 2^416` modulo p, with one reduction.
///
/// It is below `p + (a·b + ...) / 2^416`: loose if that fraction is at most p, as it is for one or two
/// products of loose integers of which one is also [shifted](shift).
macro_rules! montgomery {
    ($(($a:expr, $b:expr)),+) => {{
        let zero = _mm512_setzero_si512();
        let p = splat(&P).0;
        let p_inverse = _mm512_set1_epi64(P_INVERSE);
        let mut t = [zero; 8];
        macro_rules! step {
            ($j:literal) => {{
                $( t = each!(I => _mm512_madd52lo_epu64(t[I], $a.0[I], $b.0[$j])); )+
                let q = _mm512_madd52lo_epu64(zero, t[0], p_inverse);
                t = each!(I => _mm512_madd52lo_epu64(t[I], p[I], q));
                let carry = _mm512_srli_epi64::<52>(t[0]);
                t = each!(I => if I < 7 { t[(I + 1) % 8] } else { zero });
                t[0] = _mm512_add_epi64(t[0], carry);
                $( t = each!(I => _mm512_madd52hi_epu64(t[I], $a.0[I], $b.0[$j])); )+
                t = each!(I => _mm512_madd52hi_epu64(t[I], p[I], q));
            }};
        }
        step!(0);
        step!(1);
        step!(2);
        step!(3);
        step!(4);
        step!(5);
        step!(6);
        step!(7);
        carry(Lanes(t))
    }};
}

/// `a·b / 2^416` modulo p, loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn mul(a: &Lanes, b: &Lanes) -> Lanes {
    montgomery!((a, b))
}

/// `(a·b + c·d) / 2^416` modulo p, loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn mul_add(a: &Lanes, b: &Lanes, c: &Lanes, d: &Lanes) -> Lanes {
    montgomery!((a, b), (c, d))
}

/// Carries, also negative ones, so that all limbs but the last are in 0 .. 2^52.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn carry(x: Lanes) -> Lanes {
    let mask = _mm512_set1_epi64(MASK);
    let mut x = x.0;
    macro_rules! step {
        ($($i:literal)*) => {$(
            let high = _mm512_srai_epi64::<52>(x[$i]);
            x[$i] = _mm512_and_si512(x[$i], mask);
            x[$i + 1] = _mm512_add_epi64(x[$i + 1], high);
        )*};
    }
    step!(0 1 2 3 4 5 6);
    Lanes(x)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn add_limbs(a: &Lanes, b: &Lanes) -> Lanes {
    Lanes(each!(I => _mm512_add_epi64(a.0[I], b.0[I])))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn sub_limbs(a: &Lanes, b: &Lanes) -> Lanes {
    Lanes(each!(I => _mm512_sub_epi64(a.0[I], b.0[I])))
}

/// `a - b` modulo p, loose, for reduced a and b.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn sub_reduced(a: &Lanes, b: &Lanes) -> Lanes {
    carry(add_limbs(&sub_limbs(a, b), &splat(&P)))
}

/// `a - b - c` modulo p, fully reduced, for loose a and reduced b and c.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn sub_and_reduce(a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes {
    let two_p = splat(&TWO_P);
    let below_4p = add_limbs(&sub_limbs(&sub_limbs(a, b), c), &two_p);
    reduce_once(&reduce_once(&below_4p, &two_p), &splat(&P))
}

/// `a + b`: twice as large as a loose integer, but good as a factor.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn add(a: &Lanes, b: &Lanes) -> Lanes {
    carry(add_limbs(a, b))
}

/// `a - b` modulo p, loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn sub(a: &Lanes, b: &Lanes) -> Lanes {
    let two_p = splat(&TWO_P);
    reduce_once(&add_limbs(&sub_limbs(a, b), &two_p), &two_p)
}

/// `-a` modulo p, loose.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn neg(a: &Lanes) -> Lanes {
    carry(sub_limbs(&splat(&TWO_P), a))
}

/// `x` or `x - m`, whichever is the smallest that is not negative.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn reduce_once(x: &Lanes, m: &Lanes) -> Lanes {
    let (x, reduced) = (carry(*x), carry(sub_limbs(x, m)));
    let negative = _mm512_movepi64_mask(reduced.0[7]);
    Lanes(each!(I => _mm512_mask_blend_epi64(negative, reduced.0[I], x.0[I])))
}

/// `x · 2^32`, for x below 2^384: with it as one factor, [`mul`] gives what blst's product is.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn shift(x: &Lanes) -> Lanes {
    let mask = _mm512_set1_epi64(MASK);
    Lanes(each!(I => {
        let low = if I == 0 { _mm512_setzero_si512() } else { _mm512_srli_epi64::<20>(x.0[(I + 7) % 8]) };
        _mm512_and_si512(_mm512_or_si512(_mm512_slli_epi64::<32>(x.0[I]), low), mask)
    }))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn transpose(r: [V; 8]) -> [V; 8] {
    let t = [
        _mm512_unpacklo_epi64(r[0], r[1]),
        _mm512_unpackhi_epi64(r[0], r[1]),
        _mm512_unpacklo_epi64(r[2], r[3]),
        _mm512_unpackhi_epi64(r[2], r[3]),
        _mm512_unpacklo_epi64(r[4], r[5]),
        _mm512_unpackhi_epi64(r[4], r[5]),
        _mm512_unpacklo_epi64(r[6], r[7]),
        _mm512_unpackhi_epi64(r[6], r[7]),
    ];
    macro_rules! pairs {
        ($odd:literal) => {{
            let even_low = _mm512_shuffle_i64x2::<0x88>(t[$odd], t[2 + $odd]);
            let odd_low = _mm512_shuffle_i64x2::<0xdd>(t[$odd], t[2 + $odd]);
            let even_high = _mm512_shuffle_i64x2::<0x88>(t[4 + $odd], t[6 + $odd]);
            let odd_high = _mm512_shuffle_i64x2::<0xdd>(t[4 + $odd], t[6 + $odd]);
            [
                _mm512_shuffle_i64x2::<0x88>(even_low, even_high),
                _mm512_shuffle_i64x2::<0x88>(odd_low, odd_high),
                _mm512_shuffle_i64x2::<0xdd>(even_low, even_high),
                _mm512_shuffle_i64x2::<0xdd>(odd_low, odd_high),
            ]
        }};
    }
    let (a, b) = (pairs!(0), pairs!(1));
    [a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]]
}

/// Eight elements from where they lie.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn load(elements: [&Fp; 8]) -> Lanes {
    let rows = each!(I => {
        let limbs: *const u64 = elements[I].montgomery_limbs().as_ptr();
        // SAFETY: the mask admits six limbs, all of them of the element; the others are not read.
        unsafe { _mm512_maskz_loadu_epi64(0x3f, limbs.cast()) }
    });
    let w = transpose(rows);
    let mask = _mm512_set1_epi64(MASK);
    macro_rules! limb {
        ($lo:literal >> $right:literal) => {
            _mm512_and_si512(_mm512_srli_epi64::<$right>(w[$lo]), mask)
        };
        ($lo:literal >> $right:literal, $hi:literal << $left:literal) => {
            _mm512_and_si512(
                _mm512_or_si512(
                    _mm512_srli_epi64::<$right>(w[$lo]),
                    _mm512_slli_epi64::<$left>(w[$hi]),
                ),
                mask,
            )
        };
    }
    Lanes([
        limb!(0 >> 0),
        limb!(0 >> 52, 1 << 12),
        limb!(1 >> 40, 2 << 24),
        limb!(2 >> 28, 3 << 36),
        limb!(3 >> 16, 4 << 48),
        limb!(4 >> 4),
        limb!(4 >> 56, 5 << 8),
        limb!(5 >> 44),
    ])
}

/// Six limbs of 64 bits for each lane; x is reduced.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn rows(x: &Lanes) -> [V; 8] {
    let l = &x.0;
    macro_rules! or {
        ($a:expr, $b:expr) => {
            _mm512_or_si512($a, $b)
        };
    }
    macro_rules! right {
        ($i:literal, $n:literal) => {
            _mm512_srli_epi64::<$n>(l[$i])
        };
    }
    macro_rules! left {
        ($i:literal, $n:literal) => {
            _mm512_slli_epi64::<$n>(l[$i])
        };
    }
    let zero = _mm512_setzero_si512();
    transpose([
        or!(l[0], left!(1, 52)),
        or!(right!(1, 12), left!(2, 40)),
        or!(right!(2, 24), left!(3, 28)),
        or!(right!(3, 36), left!(4, 16)),
        or!(right!(4, 48), or!(left!(5, 4), left!(6, 56))),
        or!(right!(6, 8), left!(7, 44)),
        zero,
        zero,
    ])
}

/// Writes each lane of x, which is fully reduced, to its place.
///
/// # Safety
/// The places can be written.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) unsafe fn store(x: &Lanes, places: [*mut Fp; 8]) {
    for (place, row) in places.into_iter().zip(rows(x)) {
        // SAFETY: the mask admits six limbs, which are an element's (Fp is transparent over [u64; 6]); the
        // caller vouches for the place.
        unsafe { _mm512_mask_storeu_epi64(place.cast(), 0x3f, row) };
    }
}

/// One in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn one() -> Lanes {
    splat(&ONE)
}

/// Zero in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn zero() -> Lanes {
    splat(&[0; 8])
}

/// `b` in the lanes that `mask` names, `a` in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn blend(mask: u8, a: &Lanes, b: &Lanes) -> Lanes {
    Lanes(each!(I => _mm512_mask_blend_epi64(mask, a.0[I], b.0[I])))
}

/// The lanes in which a and b are the same integer.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn equal_lanes(a: &Lanes, b: &Lanes) -> u8 {
    let mut bits = _mm512_setzero_si512();
    for (a, b) in a.0.iter().zip(&b.0) {
        bits = _mm512_or_si512(bits, _mm512_xor_si512(*a, *b));
    }
    _mm512_testn_epi64_mask(bits, bits)
}
