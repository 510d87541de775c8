// Products with a known factor, and values that are kept below 2r instead of r.
//
// A factor w that is known beforehand is stored as two elements,
//
//     A = w 2^128 mod r,   B = w 2^256 mod r,
//
// so that for x = x0 + x1 2^128 the sum T = x0 A + x1 B is congruent to x w 2^128, and only 128 bits have to
// be reduced away, not 256: 64 products for T and 4 rows of the reduction, where Montgomery's product takes
// 64 and 8 rows. With r's low limbs 1 and 2^32 - 1 a row is six products: 88 in all, against 112. On a card
// whose multiplier is the limit that is the time. It costs 64 bytes a factor instead of 32.
#pragma once

#include "spf/core/add_if.hpp"
#include "spf/field/mont.hpp"

namespace spf {
namespace ntt {

struct SPF_ALIGN(16) twiddle_t {
    fr_t a;  // w 2^128 mod r, canonical
    fr_t b;  // w 2^256 mod r, canonical: w's Montgomery form
};

// From w's Montgomery form.
GPU_FN twiddle_t make_twiddle(fr_t w) {
    fr_t half = fr_t::zero();
    half.limb[4] = 1;  // the integer 2^128
    return {w * half, w};
}

namespace lazy {

// Limb i of 2r.
GPU_FN constexpr uint32_t twice_r(int i) {
    return fr_params::modulus(i) << 1 | (i > 0 ? fr_params::modulus(i - 1) >> 31 : 0);
}

// Limb i of 2^256 - r. Limb 0 is 2^32 - 1 and limb 1 is 0, which is what makes a row of the reduction short.
GPU_FN constexpr uint32_t minus_r(int i) {
    return i == 0 ? 0 - fr_params::modulus(0) : ~fr_params::modulus(i);
}

// a + b for a, b < 2r; below 2r.
GPU_FN fr_t add(fr_t a, fr_t b) {
    fr_t s, t;
    uint32_t const carry = limbs::add(s.limb, a.limb, b.limb);
    carry_t c;
    t.limb[0] = sub_cc(c, s.limb[0], twice_r(0));
    SPF_UNROLL for (int i = 1; i < 8; i++) t.limb[i] = subc_cc(c, s.limb[i], twice_r(i));
    uint32_t const below = subc(c, carry, 0);  // all ones if s < 2r
    SPF_UNROLL for (int i = 0; i < 8; i++) t.limb[i] = below ? s.limb[i] : t.limb[i];
    return t;
}

// a - b for a, b < 2r; below 2r.
GPU_FN fr_t sub(fr_t a, fr_t b) {
    fr_t d;
    uint32_t const borrow = limbs::sub(d.limb, a.limb, b.limb);
    add_if(borrow, d.limb, [](int i) { return twice_r(i); });
    return d;
}

// The value below r.
GPU_FN fr_t canonical(fr_t a) {
    limbs::reduce_once<fr_params>(a.limb);
    return a;
}

// acc[at .. at + 2 count) += m (v[from], v[from + 2], ...), the carry into acc[at + 2 count] if `top`.
template <int Count, bool Top, bool CarryIn, int M>
GPU_FN void chain(carry_t& c, uint32_t (&acc)[M], int at, fr_t const& v, int from, uint32_t m) {
    SPF_UNROLL for (int j = 0; j < Count; j++) {
        uint32_t& lo = acc[at + 2 * j];
        uint32_t& hi = acc[at + 2 * j + 1];
        uint32_t const factor = v.limb[from + 2 * j];
        lo = j == 0 && !CarryIn ? mad_lo_cc(c, factor, m, lo) : madc_lo_cc(c, factor, m, lo);
        hi = j == Count - 1 && !Top ? madc_hi(c, factor, m, hi) : madc_hi_cc(c, factor, m, hi);
    }
    if (Top) acc[at + 2 * Count] = addc(c, acc[at + 2 * Count], 0);
}

// x w for any x < 2^256; below 2r.
//
// e[k] has weight 2^(32 k), o[k] 2^(32 (k + 1)); a row adds one limb of each half of x times A and B,
// clears e[0] by adding q (2^256 - r) with q = e[0], and divides by 2^32: the arrays swap roles. What was
// added too much, q 2^256 a row, is taken off at the end. Bounds: A, B < r, so T < 2^129 r and the result,
// before the last step, is in (-r, 2r).
GPU_FN fr_t mul(fr_t x, twiddle_t const& w) {
    uint32_t e[9], o[9], q[4];
    SPF_UNROLL for (int j = 0; j < 8; j += 2) {
        uint64_t const even = uint64_t(w.a.limb[j]) * x.limb[0], odd = uint64_t(w.a.limb[j + 1]) * x.limb[0];
        e[j] = uint32_t(even), e[j + 1] = uint32_t(even >> 32);
        o[j] = uint32_t(odd), o[j + 1] = uint32_t(odd >> 32);
    }
    e[8] = 0;
    o[8] = 0;
    SPF_UNROLL for (int i = 0; i < 4; i++) {
        carry_t c;
        if (i > 0) {
            uint32_t f[9];
            SPF_UNROLL for (int j = 0; j < 9; j++) f[j] = o[j];
            SPF_UNROLL for (int j = 0; j < 7; j++) o[j] = e[j + 2];
            o[7] = 0;
            o[8] = 0;
            f[0] = add_cc(c, f[0], e[1]);
            chain<4, false, true>(c, o, 0, w.a, 1, x.limb[i]);
            SPF_UNROLL for (int j = 0; j < 9; j++) e[j] = f[j];
            chain<4, true, false>(c, e, 0, w.a, 0, x.limb[i]);
        }
        // The odd chains cannot overflow: A's and B's top limbs are below 0.4529 2^32.
        chain<4, false, false>(c, o, 0, w.b, 1, x.limb[4 + i]);
        chain<4, true, false>(c, e, 0, w.b, 0, x.limb[4 + i]);
        fr_t rest;
        SPF_UNROLL for (int j = 0; j < 8; j++) rest.limb[j] = minus_r(j);
        q[i] = e[0];
        chain<3, true, false>(c, o, 2, rest, 3, q[i]);
        e[1] = add_cc(c, e[1], q[i]);
        chain<3, true, true>(c, e, 2, rest, 2, q[i]);
    }
    fr_t d;
    carry_t c;
    d.limb[0] = add_cc(c, o[0], e[1]);
    SPF_UNROLL for (int j = 1; j < 8; j++) d.limb[j] = addc_cc(c, o[j], e[j + 1]);
    uint32_t const top = addc(c, o[8], 0);
    d.limb[4] = sub_cc(c, d.limb[4], q[0]);
    SPF_UNROLL for (int j = 5; j < 8; j++) d.limb[j] = subc_cc(c, d.limb[j], q[j - 4]);
    uint32_t const negative = subc(c, top, 0);
    add_if(negative, d.limb, [](int i) { return fr_params::modulus(i); });
    return d;
}

}  // namespace lazy
}  // namespace ntt
}  // namespace spf
