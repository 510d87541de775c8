// 1/a in a prime field by divsteps (Bernstein and Yang, "Fast constant-time gcd computation
// and modular inversion", 2019).
//
// A step looks at the lowest bits of two numbers alone, so thirty steps are done on one limb each and then
// applied to the whole numbers as a matrix. A step has no branch, and the numbers of steps of a warp's lanes
// differ little; a power by Fermat takes eight times as many multiplications. With f = modulus, g = a at
// first, and d, e such that f = d a, g = e a modulo the modulus all along, f ends as 1 or -1 and g as 0.
// Theorem 11.2 there: 49/17 steps a bit are enough.
#pragma once

#include "spf/core/target.hpp"

namespace spf {
namespace divsteps {

constexpr int limb_bits = 30;
constexpr uint32_t limb_mask = (1u << limb_bits) - 1;

// Numbers in (-2 modulus, 2 modulus): limbs of 30 bits, the top one signed.
template <class P> constexpr int n_limbs = (32 * P::n_limbs + limb_bits - 1) / limb_bits;

template <int N> struct number_t {
    int32_t limb[N];

    GPU_FN bool is_zero() const {
        int32_t any = 0;
        SPF_UNROLL for (int i = 0; i < N; i++) any |= limb[i];
        return any == 0;
    }
    GPU_FN int32_t sign() const { return limb[N - 1] >> 31; }  // 0 or -1
};

// Limb i of a number of W words of 32 bits; `word` gives them.
template <int W, class Word> GPU_FN int32_t limb_of(int i, Word const& word) {
    int const bit = i * limb_bits, w = bit / 32, shift = bit % 32;
    uint32_t value = w < W ? word(w) >> shift : 0;
    if (shift > 32 - limb_bits && w + 1 < W) value |= word(w + 1) << (32 - shift);
    return int32_t(value & limb_mask);
}

template <class P, int N = n_limbs<P>> GPU_FN number_t<N> modulus() {
    number_t<N> m;
    SPF_UNROLL for (int i = 0; i < N; i++) m.limb[i] = limb_of<P::n_limbs>(i, [](int w) { return P::modulus(w); });
    return m;
}

// 2^30 times the steps taken: f' 2^30 = u f + v g, g' 2^30 = q f + r g. |u| + |v|
// and |q| + |r| are at most 2^30.
struct matrix_t {
    int32_t u, v, q, r;
};

// Thirty steps on the low limbs. A step swaps where delta > 0 and g is odd: (f, g) = (g, (g - f) / 2),
// delta = 1 - delta; otherwise g = (g + (g mod 2) f) / 2, delta = 1 + delta. Here zeta = -delta.
GPU_FN matrix_t run_steps(int32_t& zeta, uint32_t f, uint32_t g) {
    uint32_t u = 1, v = 0, q = 0, r = 1;
#if SPF_DEVICE_PASS
#pragma unroll 6
#endif
    for (int i = 0; i < limb_bits; i++) {
        uint32_t const odd = 0u - (g & 1);
        uint32_t const swap = odd & uint32_t(zeta >> 31);
        // g = g - f or g + f; then f = f + (g - f), the old g.
        g += ((f ^ swap) - swap) & odd;
        q += ((u ^ swap) - swap) & odd;
        r += ((v ^ swap) - swap) & odd;
        f += g & swap;
        u += q & swap;
        v += r & swap;
        g >>= 1;  // of the low bits: those that come in from above are not looked at
        u <<= 1;
        v <<= 1;
        zeta = int32_t(uint32_t(zeta) ^ swap) - int32_t(1 + swap);
    }
    return {int32_t(u), int32_t(v), int32_t(q), int32_t(r)};
}

GPU_FN int64_t product(int32_t a, int32_t b) { return int64_t(a) * b; }
GPU_FN int32_t low_limb(int64_t a) { return int32_t(uint32_t(a) & limb_mask); }

// f, g = (u f + v g, q f + r g) / 2^30, which is exact.
template <int N> GPU_FN void apply(matrix_t const& m, number_t<N>& f, number_t<N>& g) {
    int64_t cf = product(m.u, f.limb[0]) + product(m.v, g.limb[0]);
    int64_t cg = product(m.q, f.limb[0]) + product(m.r, g.limb[0]);
    SPF_UNROLL for (int i = 1; i < N; i++) {
        cf = (cf >> limb_bits) + product(m.u, f.limb[i]) + product(m.v, g.limb[i]);
        cg = (cg >> limb_bits) + product(m.q, f.limb[i]) + product(m.r, g.limb[i]);
        f.limb[i - 1] = low_limb(cf);
        g.limb[i - 1] = low_limb(cg);
    }
    f.limb[N - 1] = int32_t(cf >> limb_bits);
    g.limb[N - 1] = int32_t(cg >> limb_bits);
}

// d, e = (u d + v e, q d + r e) / 2^30 modulo the modulus. From d, e in (-2 modulus, modulus) to the same
// range: where a number is negative the modulus is added, which leaves (-modulus, modulus); the combination
// is below 2^30 modulus in size; and at most 2^30 - 1 times the modulus is taken off to make it divisible.
template <class P, int N> GPU_FN void apply_modulo(matrix_t const& m, number_t<N>& d, number_t<N>& e) {
    constexpr uint32_t inverse = 0u - P::m0;  // of the modulus, modulo 2^32
    number_t<N> const p = modulus<P>();
    int32_t const sign_d = d.sign(), sign_e = e.sign();
    int32_t md = (m.u & sign_d) + (m.v & sign_e);
    int32_t me = (m.q & sign_d) + (m.r & sign_e);
    int64_t cd = product(m.u, d.limb[0]) + product(m.v, e.limb[0]);
    int64_t ce = product(m.q, d.limb[0]) + product(m.r, e.limb[0]);
    md -= int32_t((uint32_t(cd) * inverse + uint32_t(md)) & limb_mask);
    me -= int32_t((uint32_t(ce) * inverse + uint32_t(me)) & limb_mask);
    cd += product(md, p.limb[0]);
    ce += product(me, p.limb[0]);
    SPF_UNROLL for (int i = 1; i < N; i++) {
        cd = (cd >> limb_bits) + product(m.u, d.limb[i]) + product(m.v, e.limb[i]) + product(md, p.limb[i]);
        ce = (ce >> limb_bits) + product(m.q, d.limb[i]) + product(m.r, e.limb[i]) + product(me, p.limb[i]);
        d.limb[i - 1] = low_limb(cd);
        e.limb[i - 1] = low_limb(ce);
    }
    d.limb[N - 1] = int32_t(cd >> limb_bits);
    e.limb[N - 1] = int32_t(ce >> limb_bits);
}

// a = (a ^ flip) - flip + (modulus & add), carried.
template <class P, int N> GPU_FN void negate_add(number_t<N>& a, int32_t flip, int32_t add) {
    number_t<N> const p = modulus<P>();
    int32_t carry = 0;
    SPF_UNROLL for (int i = 0; i < N; i++) {
        carry += (a.limb[i] ^ flip) - flip + (p.limb[i] & add);
        a.limb[i] = i + 1 < N ? int32_t(uint32_t(carry) & limb_mask) : carry;
        carry >>= limb_bits;
    }
}

// 1/a modulo the modulus for integers, a in [0, modulus); 1/0 = 0.
template <class P> GPU_FN void invert(uint32_t (&out)[P::n_limbs], uint32_t const (&a)[P::n_limbs]) {
    constexpr int N = n_limbs<P>;
    number_t<N> f = modulus<P>(), g, d{}, e{};
    SPF_UNROLL for (int i = 0; i < N; i++) g.limb[i] = limb_of<P::n_limbs>(i, [&](int w) { return a[w]; });
    e.limb[0] = 1;
    int32_t zeta = -1;
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
    while (!g.is_zero()) {
        matrix_t const m = run_steps(zeta, uint32_t(f.limb[0]), uint32_t(g.limb[0]));
        apply(m, f, g);
        apply_modulo<P>(m, d, e);
    }
    int32_t const flip = f.sign();
    negate_add<P>(d, 0, d.sign());     // to (-modulus, modulus)
    negate_add<P>(d, flip, 0);         // f = -1: the inverse is -d
    negate_add<P>(d, 0, d.sign());     // to [0, modulus)
    SPF_UNROLL for (int w = 0; w < P::n_limbs; w++) {
        int const i = w * 32 / limb_bits, shift = w * 32 % limb_bits;
        uint32_t word = uint32_t(d.limb[i]) >> shift;
        if (i + 1 < N) word |= uint32_t(d.limb[i + 1]) << (limb_bits - shift);
        out[w] = word;
    }
}

}  // namespace divsteps
}  // namespace spf
