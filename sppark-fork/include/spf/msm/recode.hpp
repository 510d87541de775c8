// Scalars cut into signed digits.
//
// A scalar s < r becomes one or two signed halves, a half its sign and a magnitude, and a magnitude
//     m = sum_w d_w 2^(p_w),   -2^(c_w - 1) <= d_w < 2^(c_w - 1),
// where window w has c_w bits and begins at p_w. Adding the constant K = sum_w 2^(c_w - 1) 2^(p_w) first
// makes every digit independent of the ones below it:
//     d_w = ((m + K) >> p_w) mod 2^(c_w) - 2^(c_w - 1).
// So a negative digit costs the sign of a point and halves the buckets. The windows share the bits evenly: a
// short one at the top would have few and crowded buckets.
#pragma once

#include "spf/field/mont.hpp"

namespace spf {

constexpr int max_magnitude_limbs = 8;  // 255 bits

// A half of a scalar: |value| below 2^127 (two halves) or 2^254 (one).
struct half_scalar_t {
    uint32_t magnitude[8];
    bool negative;
};

// How many bits the windows cover. m + K must fit: with at least 4 bits in the top window K < 1.07
// 2^(coverage - 1), and m < 0.91 2^254 with one half, m < 0.68 2^127 with two.
constexpr uint32_t coverage_bits(uint32_t n_halves) { return n_halves == 2 ? 128 : 255; }

namespace detail {

// value = |value - bound|, and whether value was the smaller.
template <int N> GPU_FN bool absolute_difference(uint32_t (&value)[N], uint32_t const (&bound)[N]) {
    uint32_t t[N];
    uint32_t const below = limbs::sub(t, value, bound);
    carry_t c;
    // two's complement of t where it is negative
    value[0] = add_cc(c, t[0] ^ below, below & 1);
    SPF_UNROLL for (int i = 1; i < N; i++) value[i] = addc_cc(c, t[i] ^ below, 0);
    return below != 0;
}

}  // namespace detail

// s mod r of any 256-bit integer: at most two subtractions, since 2^256 < 3 r.
GPU_FN void reduce_scalar(uint32_t (&s)[8]) {
    SPF_UNROLL for (int k = 0; k < 2; k++) limbs::reduce_once<fr_params>(s);
}

// One half: s or r - s, whichever is smaller.
GPU_FN half_scalar_t halve_range(uint32_t const (&s)[8]) {
    half_scalar_t h;
    uint32_t r[8], other[8];
    SPF_UNROLL for (int i = 0; i < 8; i++) r[i] = fr_params::modulus(i);
    limbs::sub(other, r, s);
    uint32_t t[8];
    h.negative = limbs::sub(t, other, s) != 0;  // r - s < s
    SPF_UNROLL for (int i = 0; i < 8; i++) h.magnitude[i] = h.negative ? other[i] : s[i];
    return h;
}

// Two halves with s = h0 + lambda h1 mod r, |h0|, |h1| <= (lambda + 1) / 2 + 1 < 2^126.43.
//
// q = s / lambda by one multiplication with floor(2^256 / lambda), which is low by at most one; then each
// half is taken to the middle by the short vectors (lambda, -1) and (1, lambda + 1) of the lattice
// { (a, b) : a + lambda b = 0 mod r }.
GPU_FN void split_by_endomorphism(uint32_t const (&s)[8], half_scalar_t& h0, half_scalar_t& h1) {
    constexpr int n = 5;
    // q = floor(s * barrett / 2^256): 8 by 5 limbs, of the product limbs 8 to 12
    uint32_t product[13];
    SPF_UNROLL for (int i = 0; i < 13; i++) product[i] = 0;
    SPF_UNROLL for (int j = 0; j < n; j++) {
        uint32_t carry = 0;
        SPF_UNROLL for (int i = 0; i < 8; i++) {
            uint64_t const x = uint64_t(s[i]) * endomorphism::barrett(j) + product[i + j] + carry;
            product[i + j] = uint32_t(x);
            carry = uint32_t(x >> 32);
        }
        product[8 + j] = carry;
    }
    uint32_t q[n], lambda[n], rest[n];
    SPF_UNROLL for (int i = 0; i < n; i++) {
        q[i] = product[8 + i];
        lambda[i] = i < 4 ? endomorphism::lambda(i) : 0;
        rest[i] = s[i];
    }
    // rest = s - q lambda < 2 lambda < 2^129: five limbs of it are enough
    SPF_UNROLL for (int j = 0; j < n; j++) {
        uint32_t carry = 0;
        SPF_UNROLL for (int i = 0; i + j < n; i++) {
            uint64_t const x = uint64_t(q[j]) * lambda[i] + carry;
            carry = uint32_t(x >> 32) + (rest[i + j] < uint32_t(x) ? 1 : 0);
            rest[i + j] -= uint32_t(x);
        }
    }
    uint32_t t[n];
    bool const q_was_low = limbs::sub(t, rest, lambda) == 0;
    SPF_UNROLL for (int i = 0; i < n; i++) rest[i] = q_was_low ? t[i] : rest[i];
    uint32_t add_to_q = q_was_low ? 1 : 0;

    // h0 in [0, lambda): above lambda / 2 take h0 - lambda and raise h1
    uint32_t twice[n];
    limbs::add(twice, rest, rest);
    bool const h0_is_high = limbs::sub(t, lambda, twice) != 0;
    add_to_q += h0_is_high ? 1 : 0;
    carry_t c;
    q[0] = add_cc(c, q[0], add_to_q);
    SPF_UNROLL for (int i = 1; i < n; i++) q[i] = addc_cc(c, q[i], 0);

    // h1 in [0, lambda + 2]: above (lambda + 1) / 2 take h1 - (lambda + 1) and lower h0 by one
    uint32_t lambda_1[n];
    lambda_1[0] = add_cc(c, lambda[0], 1);
    SPF_UNROLL for (int i = 1; i < n; i++) lambda_1[i] = addc_cc(c, lambda[i], 0);
    limbs::add(twice, q, q);
    bool const h1_is_high = limbs::sub(t, lambda_1, twice) != 0;
    uint32_t bound0[n], bound1[n];
    SPF_UNROLL for (int i = 0; i < n; i++) {
        bound0[i] = h0_is_high ? lambda[i] : 0;
        bound1[i] = h1_is_high ? lambda_1[i] : 0;
    }
    if (h1_is_high) {
        bound0[0] = add_cc(c, bound0[0], 1);
        SPF_UNROLL for (int i = 1; i < n; i++) bound0[i] = addc_cc(c, bound0[i], 0);
    }
    h0.negative = detail::absolute_difference(rest, bound0);
    h1.negative = detail::absolute_difference(q, bound1);
    SPF_UNROLL for (int i = 0; i < 8; i++) {
        h0.magnitude[i] = i < 4 ? rest[i] : 0;
        h1.magnitude[i] = i < 4 ? q[i] : 0;
    }
}

// How magnitudes are cut: the same for all scalars of an MSM.
struct recoding_t {
    uint32_t window_bits;  // of the first n_wide windows; the others have one bit less
    uint32_t n_wide;
    uint32_t n_windows;
    uint32_t n_halves;
    uint32_t offset[max_magnitude_limbs];  // K

    GPU_FN uint32_t bits(uint32_t window) const { return window < n_wide ? window_bits : window_bits - 1; }
};

constexpr uint32_t min_window_bits = 5;

inline recoding_t make_recoding(uint32_t window_bits, uint32_t n_halves) {
    recoding_t r{};
    uint32_t const coverage = coverage_bits(n_halves);
    r.n_halves = n_halves;
    r.n_windows = (coverage + window_bits - 1) / window_bits;
    r.window_bits = (coverage + r.n_windows - 1) / r.n_windows;  // a shorter one may do for as many windows
    r.n_wide = coverage - r.n_windows * (r.window_bits - 1);
    uint32_t position = 0;
    for (uint32_t w = 0; w < r.n_windows; w++) {
        position += r.bits(w);
        r.offset[(position - 1) / 32] |= 1u << ((position - 1) % 32);
    }
    return r;
}

// Walks over the digits of one magnitude from the lowest window up.
struct digit_cursor_t {
    uint32_t rest[max_magnitude_limbs];

    GPU_FN digit_cursor_t(half_scalar_t const& h, recoding_t const& how) {
        carry_t c;
        rest[0] = add_cc(c, h.magnitude[0], how.offset[0]);
        SPF_UNROLL for (int i = 1; i < max_magnitude_limbs; i++) rest[i] = addc_cc(c, h.magnitude[i], how.offset[i]);
    }

    // The digit of the next window, of so many bits: in [-2^(bits-1), 2^(bits-1)).
    GPU_FN int32_t next(uint32_t window_bits) {
        uint32_t const low = rest[0] & ((1u << window_bits) - 1);
        SPF_UNROLL for (int i = 0; i < max_magnitude_limbs; i++) {
            uint64_t const pair = uint64_t(i + 1 < max_magnitude_limbs ? rest[i + 1] : 0) << 32 | rest[i];
            rest[i] = uint32_t(pair >> window_bits);
        }
        return int32_t(low) - int32_t(1u << (window_bits - 1));
    }
};

}  // namespace spf
