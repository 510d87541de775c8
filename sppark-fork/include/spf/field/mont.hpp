// Prime-field elements in Montgomery form, canonical ([0, modulus)) at every function's end.
//
// The bytes are blst's: little-endian limbs, R = 2^384 for Fp and 2^256 for Fr. On the card an operation
// works on 32-bit limbs with the carry flag; host code of the driver (the last Horner steps) takes the
// 64-bit path. Defining SPF_EMULATE_DEVICE makes the host run the card's limb algorithms, which is how the
// tests reach them without a card.
#pragma once

#include "spf/field/bls12_381_constants.hpp"
#include "spf/field/inverse.hpp"
#include "spf/field/limbs.hpp"

#include <cstring>

namespace spf {

#if SPF_DEVICE_PASS || defined(SPF_EMULATE_DEVICE)
#define SPF_LIMBS32 1
#else
#define SPF_LIMBS32 0
#endif

// The 64-bit path of the host.
namespace limbs64 {

template <class P> struct modulus {
    static constexpr int n = P::n_limbs / 2;
    struct table {
        uint64_t limb[n];
    };
    static constexpr table make() {
        table t{};
        for (int i = 0; i < n; i++) t.limb[i] = P::modulus(2 * i) | uint64_t(P::modulus(2 * i + 1)) << 32;
        return t;
    }
    static constexpr table value = make();
};

template <int N> inline void load(uint64_t (&d)[N / 2], uint32_t const (&a)[N]) { std::memcpy(d, a, sizeof d); }
template <int N> inline void store(uint32_t (&d)[N], uint64_t const (&a)[N / 2]) { std::memcpy(d, a, sizeof d); }

// d = a - b, gives the borrow as a mask.
template <int M> inline uint64_t sub(uint64_t (&d)[M], uint64_t const (&a)[M], uint64_t const (&b)[M]) {
    uint64_t borrow = 0;
    for (int i = 0; i < M; i++) {
        unsigned __int128 const x = (unsigned __int128)a[i] - b[i] - borrow;
        d[i] = uint64_t(x);
        borrow = uint64_t(x >> 64) & 1;
    }
    return 0 - borrow;
}

// d = a + (b & mask); the sum fits.
template <int M> inline void add(uint64_t (&d)[M], uint64_t const (&a)[M], uint64_t const (&b)[M], uint64_t mask) {
    uint64_t carry = 0;
    for (int i = 0; i < M; i++) {
        unsigned __int128 const x = (unsigned __int128)a[i] + (b[i] & mask) + carry;
        d[i] = uint64_t(x);
        carry = uint64_t(x >> 64);
    }
}

// a in [0, 2 modulus) to [0, modulus), without a branch.
template <class P, int M = P::n_limbs / 2> inline void reduce_once(uint64_t (&a)[M]) {
    uint64_t t[M];
    uint64_t const keep = sub(t, a, modulus<P>::value.limb);
    for (int i = 0; i < M; i++) a[i] = (a[i] & keep) | (t[i] & ~keep);
}

template <class P, int M = P::n_limbs / 2>
inline void mul_mont(uint64_t (&d)[M], uint64_t const (&a)[M], uint64_t const (&b)[M]) {
    auto const& p = modulus<P>::value.limb;
    uint64_t t[M] = {};
    for (int i = 0; i < M; i++) {
        // Both moduli leave the top bit of their top limb free, so a row's sum needs no further limb.
        unsigned __int128 x = (unsigned __int128)a[0] * b[i] + t[0];
        uint64_t const m = uint64_t(x) * P::m0_64;
        unsigned __int128 y = (unsigned __int128)m * p[0] + uint64_t(x);
        for (int j = 1; j < M; j++) {
            x = (unsigned __int128)a[j] * b[i] + t[j] + uint64_t(x >> 64);
            y = (unsigned __int128)m * p[j] + uint64_t(x) + uint64_t(y >> 64);
            t[j - 1] = uint64_t(y);
        }
        t[M - 1] = uint64_t(x >> 64) + uint64_t(y >> 64);
    }
    for (int i = 0; i < M; i++) d[i] = t[i];
    reduce_once<P>(d);
}

}  // namespace limbs64

template <class P> struct SPF_ALIGN(16) mont_t {
    static constexpr int n_limbs = P::n_limbs;
    using params = P;
    uint32_t limb[n_limbs];

    GPU_FN static mont_t zero() {
        mont_t d;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) d.limb[i] = 0;
        return d;
    }

    GPU_FN static mont_t one() {
        mont_t d;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) d.limb[i] = P::one(i);
        return d;
    }

    GPU_FN friend mont_t operator+(mont_t a, mont_t b) {
        // Both moduli leave the top bit free, so the sum of two elements fits.
#if SPF_LIMBS32
        limbs::add(a.limb, a.limb, b.limb);
        limbs::reduce_once<P>(a.limb);
#else
        uint64_t x[n_limbs / 2], y[n_limbs / 2];
        limbs64::load<n_limbs>(x, a.limb);
        limbs64::load<n_limbs>(y, b.limb);
        limbs64::add(x, x, y, ~uint64_t(0));
        limbs64::reduce_once<P>(x);
        limbs64::store<n_limbs>(a.limb, x);
#endif
        return a;
    }

    GPU_FN friend mont_t operator-(mont_t a, mont_t b) {
#if SPF_LIMBS32
        uint32_t const borrow = limbs::sub(a.limb, a.limb, b.limb);
        limbs::add_modulus<P>(a.limb, borrow);
#else
        uint64_t x[n_limbs / 2], y[n_limbs / 2];
        limbs64::load<n_limbs>(x, a.limb);
        limbs64::load<n_limbs>(y, b.limb);
        uint64_t const borrow = limbs64::sub(x, x, y);
        limbs64::add(x, x, limbs64::modulus<P>::value.limb, borrow);
        limbs64::store<n_limbs>(a.limb, x);
#endif
        return a;
    }

    GPU_FN mont_t dbl() const { return *this + *this; }

    GPU_FN friend mont_t operator*(mont_t a, mont_t b) {
        mont_t d;
#if SPF_LIMBS32
        limbs::mul_mont<P>(d.limb, a.limb, b.limb);
#else
        uint64_t x[n_limbs / 2], y[n_limbs / 2];
        limbs64::load<n_limbs>(x, a.limb);
        limbs64::load<n_limbs>(y, b.limb);
        limbs64::mul_mont<P>(x, x, y);
        limbs64::store<n_limbs>(d.limb, x);
#endif
        return d;
    }

    GPU_FN mont_t sqr() const {
#if SPF_LIMBS32
        // A square saves nearly half the products; with Fr's few limbs and cheap reduction
        // that is eaten by the additions.
        if constexpr (n_limbs > 8) {
            mont_t d;
            uint32_t t[2 * n_limbs];
            limbs::sqr_wide(t, limb);
            limbs::reduce_wide<P>(d.limb, t);
            return d;
        }
#endif
        return *this * *this;
    }

    // a b - c d with one reduction instead of two.
    GPU_FN friend mont_t mul_sub(mont_t a, mont_t b, mont_t c, mont_t d) {
#if SPF_LIMBS32
        if constexpr (n_limbs > 8) {
            uint32_t t[2 * n_limbs], u[2 * n_limbs], top[n_limbs];
            limbs::mul_wide(t, a.limb, b.limb);
            limbs::mul_wide(u, c.limb, d.limb);
            // in (-modulus^2, modulus^2), so modulus R more is in [0, modulus R), as the reduction wants
            uint32_t const negative = limbs::sub(t, t, u);
            SPF_UNROLL for (int i = 0; i < n_limbs; i++) top[i] = t[n_limbs + i];
            limbs::add_modulus<P>(top, negative);
            SPF_UNROLL for (int i = 0; i < n_limbs; i++) t[n_limbs + i] = top[i];
            mont_t e;
            limbs::reduce_wide<P>(e.limb, t);
            return e;
        }
#endif
        return a * b - c * d;
    }

    // -a if `negative`, else a; -0 = 0.
    GPU_FN mont_t negated_if(bool negative) const {
        mont_t const d = zero() - *this;
        mont_t r;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) r.limb[i] = negative ? d.limb[i] : limb[i];
        return r;
    }

    GPU_FN mont_t operator-() const { return zero() - *this; }

    GPU_FN bool is_zero() const {
        uint32_t any = 0;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) any |= limb[i];
        return any == 0;
    }

    GPU_FN friend bool operator==(mont_t a, mont_t b) {
        uint32_t differ = 0;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) differ |= a.limb[i] ^ b.limb[i];
        return differ == 0;
    }
    GPU_FN friend bool operator!=(mont_t a, mont_t b) { return !(a == b); }

    // The canonical integer, as limbs in a mont_t.
    GPU_FN mont_t to_canonical() const {
        mont_t integer_one = zero();
        integer_one.limb[0] = 1;
        return *this * integer_one;
    }

    GPU_FN static mont_t from_canonical(mont_t a) {
        mont_t rr;
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) rr.limb[i] = P::rr(i);
        return a * rr;
    }

    // 1/a; 1/0 = 0. Worth sixty products: for one inversion a batch, never one an element.
    GPU_CALL mont_t inverse() const {
        mont_t d, rr;
        divsteps::invert<P>(d.limb, limb);  // 1 / (a R)
        SPF_UNROLL for (int i = 0; i < n_limbs; i++) rr.limb[i] = P::rr(i);
        return d * rr * rr;
    }
};

using fp_t = mont_t<fp_params>;
using fr_t = mont_t<fr_params>;

static_assert(sizeof(fp_t) == 48 && sizeof(fr_t) == 32, "the layout of blst_fp and blst_fr");

}  // namespace spf
