// Long arithmetic on arrays of 32-bit limbs, least significant first, in the
// shape the card's multiplier wants.
//
// A product a_i * b_j is two limbs wide, so neighbouring products overlap. Keeping those at even
// positions in one array and those at odd positions in another makes each row two carry chains of
// non-overlapping products, which is what IMAD.WIDE with carry executes. `even` has limb k at position k,
// `odd` has limb k at position k + 1.
#pragma once

#include "spf/core/carry.hpp"

namespace spf {
namespace limbs {

// d = a + b, gives the carry.
template <int N> GPU_LIMBS uint32_t add(uint32_t (&d)[N], uint32_t const (&a)[N], uint32_t const (&b)[N]) {
    carry_t c;
    d[0] = add_cc(c, a[0], b[0]);
    SPF_UNROLL for (int i = 1; i < N; i++) d[i] = addc_cc(c, a[i], b[i]);
    return addc(c, 0, 0);
}

// d = a - b, gives the borrow as a mask (0 or 0xffffffff).
template <int N> GPU_LIMBS uint32_t sub(uint32_t (&d)[N], uint32_t const (&a)[N], uint32_t const (&b)[N]) {
    carry_t c;
    d[0] = sub_cc(c, a[0], b[0]);
    SPF_UNROLL for (int i = 1; i < N; i++) d[i] = subc_cc(c, a[i], b[i]);
    return subc(c, 0, 0);
}

// d = a - modulus, gives the borrow as a mask.
template <class P> GPU_LIMBS uint32_t sub_modulus(uint32_t (&d)[P::n_limbs], uint32_t const (&a)[P::n_limbs]) {
    carry_t c;
    d[0] = sub_cc(c, a[0], P::modulus(0));
    SPF_UNROLL for (int i = 1; i < P::n_limbs; i++) d[i] = subc_cc(c, a[i], P::modulus(i));
    return subc(c, 0, 0);
}

// a += modulus & mask.
template <class P> GPU_LIMBS void add_modulus(uint32_t (&a)[P::n_limbs], uint32_t mask) {
    carry_t c;
    a[0] = add_cc(c, a[0], P::modulus(0) & mask);
    SPF_UNROLL for (int i = 1; i < P::n_limbs - 1; i++) a[i] = addc_cc(c, a[i], P::modulus(i) & mask);
    a[P::n_limbs - 1] = addc(c, a[P::n_limbs - 1], P::modulus(P::n_limbs - 1) & mask);
}

// a in [0, 2 modulus) to [0, modulus).
template <class P> GPU_LIMBS void reduce_once(uint32_t (&a)[P::n_limbs]) {
    uint32_t t[P::n_limbs];
    uint32_t const below = sub_modulus<P>(t, a);
    SPF_UNROLL for (int i = 0; i < P::n_limbs; i++) a[i] = below ? a[i] : t[i];
}

// m = -even[0] / modulus mod 2^32, then even, odd += m * modulus, which clears even[0]. The carry of the even
// chain has the weight of odd's top limb; the sum stays below 2^(32 (N + 1)), so nothing is lost there.
template <class P, int N = P::n_limbs> GPU_LIMBS void reduce_row(uint32_t (&even)[N], uint32_t (&odd)[N]) {
    uint32_t const m = even[0] * P::m0;
    carry_t c;
    odd[0] = mad_lo_cc(c, P::modulus(1), m, odd[0]);
    SPF_UNROLL for (int j = 0; j < N; j += 2) {
        if (j > 0) odd[j] = madc_lo_cc(c, P::modulus(j + 1), m, odd[j]);
        odd[j + 1] = j + 2 < N ? madc_hi_cc(c, P::modulus(j + 1), m, odd[j + 1])
                               : madc_hi(c, P::modulus(j + 1), m, odd[j + 1]);
    }
    even[0] = mad_lo_cc(c, P::modulus(0), m, even[0]);
    even[1] = madc_hi_cc(c, P::modulus(0), m, even[1]);
    SPF_UNROLL for (int j = 2; j < N; j += 2) {
        even[j] = madc_lo_cc(c, P::modulus(j), m, even[j]);
        even[j + 1] = madc_hi_cc(c, P::modulus(j), m, even[j + 1]);
    }
    odd[N - 1] = addc(c, odd[N - 1], 0);
}

// The same with a modulus = 1 + (2^32 - 1) 2^32 + ..., where m = -t for t = even[0], and
//     t + m (1 + (2^32 - 1) 2^32) = (t + z) 2^32 + (m - z) 2^64,    z = (t != 0),
// so the two lowest rows are additions, a quarter of the row's products.
template <class P, int N = P::n_limbs> GPU_LIMBS void reduce_row_sparse(uint32_t (&even)[N], uint32_t (&odd)[N]) {
    uint32_t const t = even[0];
    carry_t c;
    // Not `0 - t`: ptxas would move that sign into the low products alone and
    // split them from their high halves.
    uint32_t const m = sub_cc(c, 0, t);
    uint32_t const m_less_z = subc(c, m, 0);
    (void)add_cc(c, t, 0xffffffffu);  // carries exactly if t != 0
    odd[0] = addc_cc(c, odd[0], t);
    odd[1] = addc_cc(c, odd[1], m_less_z);
    SPF_UNROLL for (int j = 2; j < N; j += 2) {
        odd[j] = madc_lo_cc(c, P::modulus(j + 1), m, odd[j]);
        odd[j + 1] = j + 2 < N ? madc_hi_cc(c, P::modulus(j + 1), m, odd[j + 1])
                               : madc_hi(c, P::modulus(j + 1), m, odd[j + 1]);
    }
    even[0] = 0;
    even[2] = mad_lo_cc(c, P::modulus(2), m, even[2]);
    even[3] = madc_hi_cc(c, P::modulus(2), m, even[3]);
    SPF_UNROLL for (int j = 4; j < N; j += 2) {
        even[j] = madc_lo_cc(c, P::modulus(j), m, even[j]);
        even[j + 1] = madc_hi_cc(c, P::modulus(j), m, even[j + 1]);
    }
    odd[N - 1] = addc(c, odd[N - 1], 0);
}

// even, odd = (even, odd after a reduced row) / 2^32 + a * b. The arrays swap roles: what stood at an odd
// position stands at an even one now, and even[1], alone at position 0, is carried into the chain.
template <int N> GPU_LIMBS void shift_mad_row(uint32_t (&even)[N], uint32_t (&odd)[N], uint32_t const (&a)[N], uint32_t b) {
    uint32_t e[N], o[N];
    carry_t c;
    e[0] = add_cc(c, odd[0], even[1]);
    SPF_UNROLL for (int j = 0; j < N - 2; j += 2) {
        o[j] = madc_lo_cc(c, a[j + 1], b, even[j + 2]);
        o[j + 1] = madc_hi_cc(c, a[j + 1], b, even[j + 3]);
    }
    o[N - 2] = madc_lo_cc(c, a[N - 1], b, 0);
    o[N - 1] = madc_hi(c, a[N - 1], b, 0);
    e[0] = mad_lo_cc(c, a[0], b, e[0]);
    e[1] = madc_hi_cc(c, a[0], b, odd[1]);
    SPF_UNROLL for (int j = 2; j < N; j += 2) {
        e[j] = madc_lo_cc(c, a[j], b, odd[j]);
        e[j + 1] = madc_hi_cc(c, a[j], b, odd[j + 1]);
    }
    o[N - 1] = addc(c, o[N - 1], 0);
    SPF_UNROLL for (int j = 0; j < N; j++) {
        even[j] = e[j];
        odd[j] = o[j];
    }
}

// A shift followed by reduce_row, in which the carry out of position 0 runs on in the odd chain.
template <class P, int N = P::n_limbs> GPU_LIMBS void shift_reduce_row(uint32_t (&even)[N], uint32_t (&odd)[N]) {
    uint32_t e[N], o[N];
    carry_t c;
    e[0] = add_cc(c, odd[0], even[1]);
    uint32_t const m = e[0] * P::m0;
    SPF_UNROLL for (int j = 0; j < N - 2; j += 2) {
        o[j] = madc_lo_cc(c, P::modulus(j + 1), m, even[j + 2]);
        o[j + 1] = madc_hi_cc(c, P::modulus(j + 1), m, even[j + 3]);
    }
    o[N - 2] = madc_lo_cc(c, P::modulus(N - 1), m, 0);
    o[N - 1] = madc_hi(c, P::modulus(N - 1), m, 0);
    e[0] = mad_lo_cc(c, P::modulus(0), m, e[0]);
    e[1] = madc_hi_cc(c, P::modulus(0), m, odd[1]);
    SPF_UNROLL for (int j = 2; j < N; j += 2) {
        e[j] = madc_lo_cc(c, P::modulus(j), m, odd[j]);
        e[j + 1] = madc_hi_cc(c, P::modulus(j), m, odd[j + 1]);
    }
    o[N - 1] = addc(c, o[N - 1], 0);
    SPF_UNROLL for (int j = 0; j < N; j++) {
        even[j] = e[j];
        odd[j] = o[j];
    }
}

// d = (even, odd after the last reduced row) / 2^32.
template <int N> GPU_LIMBS void finish_rows(uint32_t (&d)[N], uint32_t const (&even)[N], uint32_t const (&odd)[N]) {
    carry_t c;
    d[0] = add_cc(c, odd[0], even[1]);
    SPF_UNROLL for (int j = 1; j < N - 1; j++) d[j] = addc_cc(c, odd[j], even[j + 1]);
    d[N - 1] = addc(c, odd[N - 1], 0);
}

template <class P, int N = P::n_limbs> GPU_LIMBS void reduce_any_row(uint32_t (&even)[N], uint32_t (&odd)[N]) {
    if constexpr (P::modulus(0) == 1 && P::modulus(1) == 0xffffffffu) {
        reduce_row_sparse<P>(even, odd);
    } else {
        reduce_row<P>(even, odd);
    }
}

// d = a b / 2^(32 N) mod modulus, in [0, modulus) for a < 2^(32 N), b < modulus. Source:
// Montgomery 1985, operand scanning.
template <class P, int N = P::n_limbs>
GPU_LIMBS void mul_mont(uint32_t (&d)[N], uint32_t const (&a)[N], uint32_t const (&b)[N]) {
    uint32_t even[N], odd[N];
    SPF_UNROLL for (int j = 0; j < N; j += 2) {
        uint64_t const e = uint64_t(a[j]) * b[0], o = uint64_t(a[j + 1]) * b[0];
        even[j] = uint32_t(e), even[j + 1] = uint32_t(e >> 32);
        odd[j] = uint32_t(o), odd[j + 1] = uint32_t(o >> 32);
    }
    reduce_any_row<P>(even, odd);
    SPF_UNROLL for (int i = 1; i < N; i++) {
        shift_mad_row(even, odd, a, b[i]);
        reduce_any_row<P>(even, odd);
    }
    finish_rows(d, even, odd);
    reduce_once<P>(d);
}

// d = t / 2^(32 N) mod modulus for t < modulus 2^(32 N), in [0, modulus).
template <class P, int N = P::n_limbs> GPU_LIMBS void reduce_wide(uint32_t (&d)[N], uint32_t const (&t)[2 * N]) {
    uint32_t even[N], odd[N];
    SPF_UNROLL for (int j = 0; j < N; j++) even[j] = t[j], odd[j] = 0;
    reduce_row<P>(even, odd);
    SPF_UNROLL for (int i = 1; i < N; i++) shift_reduce_row<P>(even, odd);
    finish_rows(d, even, odd);  // at most modulus: the low half, made divisible
    carry_t c;
    d[0] = add_cc(c, d[0], t[N]);
    SPF_UNROLL for (int j = 1; j < N - 1; j++) d[j] = addc_cc(c, d[j], t[N + j]);
    d[N - 1] = addc(c, d[N - 1], t[2 * N - 1]);
    reduce_once<P>(d);
}

// t = even + odd 2^32.
template <int M> GPU_LIMBS void merge_positions(uint32_t (&t)[M], uint32_t const (&even)[M], uint32_t const (&odd)[M]) {
    carry_t c;
    t[0] = even[0];
    t[1] = add_cc(c, even[1], odd[0]);
    SPF_UNROLL for (int j = 2; j < M - 1; j++) t[j] = addc_cc(c, even[j], odd[j - 1]);
    t[M - 1] = addc(c, even[M - 1], odd[M - 2]);
}

// One chain of a wide product: acc[at], acc[at + 2], ... += a[from], a[from + 2], ... times b; the carry goes
// to the next limb, which no row has touched yet.
template <int N, int M>
GPU_LIMBS void mad_chain(uint32_t (&acc)[M], int at, uint32_t const (&a)[N], int from, uint32_t b) {
    carry_t c;
    acc[at] = mad_lo_cc(c, a[from], b, acc[at]);
    acc[at + 1] = madc_hi_cc(c, a[from], b, acc[at + 1]);
    int k = at + 2;
    SPF_UNROLL for (int j = 2; j < N; j += 2) {
        if (from + j < N) {
            acc[k] = madc_lo_cc(c, a[from + j], b, acc[k]);
            acc[k + 1] = madc_hi_cc(c, a[from + j], b, acc[k + 1]);
            k += 2;
        }
    }
    if (k < M) acc[k] = addc(c, acc[k], 0);
}

// The same into limbs that no row has touched: the products of one chain do not overlap,
// so nothing is added or carried.
template <int N, int M> GPU_LIMBS void mul_chain(uint32_t (&acc)[M], int at, uint32_t const (&a)[N], int from, uint32_t b) {
    SPF_UNROLL for (int j = 0; j < N; j += 2) {
        if (from + j < N) {
            uint64_t const product = uint64_t(a[from + j]) * b;
            acc[at + j] = uint32_t(product);
            acc[at + j + 1] = uint32_t(product >> 32);
        }
    }
}

// t = a b.
template <int N> GPU_LIMBS void mul_wide(uint32_t (&t)[2 * N], uint32_t const (&a)[N], uint32_t const (&b)[N]) {
    uint32_t even[2 * N], odd[2 * N];
    SPF_UNROLL for (int j = 0; j < 2 * N; j++) even[j] = 0, odd[j] = 0;
    SPF_UNROLL for (int i = 0; i < N; i += 2) {
        if (i == 0) {
            mul_chain(even, 0, a, 0, b[0]);
            mul_chain(odd, 0, a, 1, b[0]);
        } else {
            mad_chain(even, i, a, 0, b[i]);
            mad_chain(odd, i, a, 1, b[i]);
        }
        // one position further: a's even limbs stand at odd positions, its odd limbs at even ones
        mad_chain(odd, i, a, 0, b[i + 1]);
        mad_chain(even, i + 2, a, 1, b[i + 1]);
    }
    merge_positions(t, even, odd);
}

// t = a^2 for a < 2^(32 N - 1): each mixed product once, against 2a, and the squares: 78
// products instead of 144 at 12 limbs.
// Row i is a_i times (a_i, 2a_(i+1), 2a_(i+2), ...), where the first doubled limb lacks the bit that
// comes from a_i. (Doubling the sum and adding the squares afterwards makes ptxas split every
// product into two instructions.)
// Not GPU_LIMBS: `a` is an element where it lies, which no caller has read.
template <int N> GPU_FN void sqr_wide(uint32_t (&t)[2 * N], uint32_t const (&a)[N]) {
    uint32_t even[2 * N], odd[2 * N], twice[N], row[N];
    SPF_UNROLL for (int j = 0; j < 2 * N; j++) even[j] = 0, odd[j] = 0;
    twice[0] = 0;
    SPF_UNROLL for (int j = 1; j < N; j++) twice[j] = a[j] << 1 | a[j - 1] >> 31;
    SPF_UNROLL for (int i = 0; i < N; i++) {
        SPF_UNROLL for (int j = 0; j < N; j++) row[j] = j == i ? a[i] : j == i + 1 ? a[j] << 1 : twice[j];
        if (i == 0) {
            mul_chain(even, 0, row, 0, a[0]);
            mul_chain(odd, 0, row, 1, a[0]);
        } else {
            mad_chain(even, 2 * i, row, i, a[i]);
            if (i + 1 < N) mad_chain(odd, 2 * i, row, i + 1, a[i]);
        }
    }
    merge_positions(t, even, odd);
}

}  // namespace limbs
}  // namespace spf
