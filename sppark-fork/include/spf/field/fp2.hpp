// Fp2 = Fp[u] / (u^2 + 1), the base field of G2; the bytes of blst_fp2.
#pragma once

#include "spf/field/mont.hpp"

// How a product over Fp2 is compiled: inline where speed counts. A unit with
// hundreds of them may ask for calls.
#ifndef SPF_FP2_PRODUCT
#define SPF_FP2_PRODUCT GPU_FN
#endif

namespace spf {

struct SPF_ALIGN(16) fp2_t {
    fp_t c0, c1;

    GPU_FN static fp2_t zero() { return {fp_t::zero(), fp_t::zero()}; }
    GPU_FN static fp2_t one() { return {fp_t::one(), fp_t::zero()}; }

    GPU_FN friend fp2_t operator+(fp2_t a, fp2_t b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
    GPU_FN friend fp2_t operator-(fp2_t a, fp2_t b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
    GPU_FN fp2_t dbl() const { return {c0.dbl(), c1.dbl()}; }
    GPU_FN fp2_t operator-() const { return {-c0, -c1}; }
    GPU_FN fp2_t negated_if(bool negative) const { return {c0.negated_if(negative), c1.negated_if(negative)}; }
    GPU_FN bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    GPU_FN friend bool operator==(fp2_t a, fp2_t b) { return a.c0 == b.c0 && a.c1 == b.c1; }
    GPU_FN friend bool operator!=(fp2_t a, fp2_t b) { return !(a == b); }

    SPF_FP2_PRODUCT friend fp2_t operator*(fp2_t a, fp2_t b) {
#if SPF_LIMBS32
        return multiply_staged([&](int i) { return i == 0 ? a.c0 : a.c1; }, [&](int i) { return i == 0 ? b.c0 : b.c1; });
#else
        fp_t const v0 = a.c0 * b.c0, v1 = a.c1 * b.c1;
        return {v0 - v1, (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1};
#endif
    }

    // a b with factors whose parts are a(0), a(1), b(0), b(1), fetched where they are used: the compiler may
    // leave in memory what is there. Karatsuba on unreduced products: three products and two reductions.
    template <class A, class B> GPU_FN static fp2_t multiply_staged(A const& a, B const& b) {
        constexpr int n = fp_t::n_limbs;
        uint32_t v0[2 * n], v1[2 * n], sum[2 * n];
        limbs::mul_wide(v0, a(0).limb, b(0).limb);
        limbs::mul_wide(v1, a(1).limb, b(1).limb);
        limbs::add(sum, v0, v1);
        // v0 - v1 lies in (-p 2^384, p 2^384): add p 2^384 to a negative one
        uint32_t const negative = limbs::sub(v0, v0, v1);
        uint32_t top[n];
        SPF_UNROLL for (int i = 0; i < n; i++) top[i] = v0[n + i];
        limbs::add_modulus<fp_params>(top, negative);
        SPF_UNROLL for (int i = 0; i < n; i++) v0[n + i] = top[i];
        fp2_t d;
        limbs::reduce_wide<fp_params>(d.c0.limb, v0);
        // (a0 + a1)(b0 + b1) - a0 b0 - a1 b1 = a0 b1 + a1 b0 < 2 p^2 < p 2^384; the
        // sums stay below 2^382, unreduced
        uint32_t sa[n], sb[n];
        {
            fp_t const a0 = a(0), a1 = a(1);
            limbs::add(sa, a0.limb, a1.limb);
        }
        {
            fp_t const b0 = b(0), b1 = b(1);
            limbs::add(sb, b0.limb, b1.limb);
        }
        limbs::mul_wide(v1, sa, sb);
        limbs::sub(v1, v1, sum);
        limbs::reduce_wide<fp_params>(d.c1.limb, v1);
        return d;
    }

    // a^2 likewise: (a0 + a1)(a0 - a1), 2 a0 a1.
    template <class A> GPU_FN static fp2_t square_staged(A const& a) {
        fp2_t d;
        {
            fp_t const a0 = a(0), a1 = a(1);
            d.c0 = (a0 + a1) * (a0 - a1);
        }
        d.c1 = (a(0) * a(1)).dbl();
        return d;
    }

    SPF_FP2_PRODUCT fp2_t sqr() const {
        fp_t const product = c0 * c1;
        return {(c0 + c1) * (c0 - c1), product.dbl()};
    }

    GPU_FN friend fp2_t mul_sub(fp2_t a, fp2_t b, fp2_t c, fp2_t d) { return a * b - c * d; }

    // 1/a = conj(a) / norm(a); 1/0 = 0.
    GPU_FN fp2_t inverse() const {
        fp_t const t = (c0.sqr() + c1.sqr()).inverse();
        return {c0 * t, -(c1 * t)};
    }
};

static_assert(sizeof(fp2_t) == 96, "the layout of blst_fp2");

}  // namespace spf
