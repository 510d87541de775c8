// Points as (X, Y, ZZ, ZZZ), x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2; infinity has ZZ = 0.
//
// The cheapest coordinates for sums of affine points: 8M + 2S an addition. Every addition is complete:
// infinity on either side, equal points and opposite points are handled, because bases of an MSM may repeat.
// Formulas: Explicit-Formulas Database, short Weierstrass, xyzz: madd-2008-s,
// add-2008-s, dbl-2008-s-1, mdbl-2008-s-1.
#pragma once

#include "spf/curve/affine.hpp"

namespace spf {

template <class F> struct SPF_ALIGN(16) xyzz_t {
    F x, y, zz, zzz;

    GPU_FN static xyzz_t infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    GPU_FN bool is_infinity() const { return zz.is_zero(); }

    GPU_FN static xyzz_t from_affine(affine_t<F> p) {
        if (p.is_infinity()) return infinity();
        return {p.x, p.y, F::one(), F::one()};
    }

    // 2 p; a point of order two does not exist in the groups of prime order, yet its
    // double comes out as infinity here.
    GPU_CALL static xyzz_t double_affine(affine_t<F> p) {
        F const u = p.y.dbl();
        F const v = u.sqr();
        F const w = u * v;
        F const s = p.x * v;
        F const xx = p.x.sqr();
        F const m = xx.dbl() + xx;
        F const x3 = m.sqr() - s.dbl();
        return {x3, m * (s - x3) - w * p.y, v, w};
    }

    GPU_FN xyzz_t dbl() const {
        F const u = y.dbl();
        F const v = u.sqr();
        F const w = u * v;
        F const s = x * v;
        F const xx = x.sqr();
        F const m = xx.dbl() + xx;
        F const x3 = m.sqr() - s.dbl();
        return {x3, mul_sub(m, s - x3, w, y), v * zz, w * zzz};
    }
    GPU_CALL static xyzz_t double_rare(xyzz_t p) { return p.dbl(); }

    // *this += p, p affine.
    GPU_FN void add(affine_t<F> p) {
        if (p.is_infinity()) return;
        if (is_infinity()) {
            *this = {p.x, p.y, F::one(), F::one()};
            return;
        }
        F const h = p.x * zz - x;
        F const r = p.y * zzz - y;
        if (h.is_zero()) {
            *this = r.is_zero() ? double_affine(p) : infinity();
            return;
        }
        F const hh = h.sqr();
        F const hhh = h * hh;
        zz = zz * hh;
        zzz = zzz * hhh;
        F const q = x * hh;
        x = r.sqr() - hhh - q.dbl();
        y = mul_sub(r, q - x, y, hhh);
    }

    // *this += p.
    GPU_FN void add(xyzz_t p) {
        if (p.is_infinity()) return;
        if (is_infinity()) {
            *this = p;
            return;
        }
        F const u1 = x * p.zz;
        F const s1 = y * p.zzz;
        F const h = p.x * zz - u1;
        F const r = p.y * zzz - s1;
        if (h.is_zero()) {
            *this = r.is_zero() ? double_rare(p) : infinity();
            return;
        }
        F const hh = h.sqr();
        F const hhh = h * hh;
        zz = zz * p.zz * hh;
        zzz = zzz * p.zzz * hhh;
        F const q = u1 * hh;
        x = r.sqr() - hhh - q.dbl();
        y = mul_sub(r, q - x, s1, hhh);
    }

    GPU_FN xyzz_t operator-() const { return {x, -y, zz, zzz}; }

    // By one inversion: for single results. 1/ZZ = (ZZ / ZZZ)^2.
    GPU_FN affine_t<F> to_affine() const {
        if (is_infinity()) return affine_t<F>::infinity();
        return to_affine(zzz.inverse());
    }

    // The same, given 1 / ZZZ.
    GPU_FN affine_t<F> to_affine(F inverse_zzz) const { return {x * (zz * inverse_zzz).sqr(), y * inverse_zzz}; }
};

// sum += p as a call: for the kernels whose bulk additions are not.
//
// Over Fp it is xyzz_t::add. Over Fp2 that is 250 KB of code, more than the instruction caches hold, so the
// 14 products go through one in a loop, on coordinates in the thread's own memory.
template <class F> GPU_CALL void add_by_call(xyzz_t<F>& sum, xyzz_t<F> const& p) {
    if constexpr (sizeof(F) == sizeof(fp_t)) {
        sum.add(p);
    } else {
        if (p.is_infinity()) return;
        if (sum.is_infinity()) {
            sum = p;
            return;
        }
        // X1 U1 Q, Y1 S1, ZZ1, ZZZ1, X2 H HHH, Y2 R, ZZ2, ZZZ2, HH X3
        F slot[9] = {sum.x, sum.y, sum.zz, sum.zzz, p.x, p.y, p.zz, p.zzz, F::zero()};
        // Four bits a step: the factors, of which the left is replaced by the product.
        constexpr uint64_t left = 0x5'5'1'3'3'2'2'0'4'4'5'1'4'0, right = 0x0'5'4'4'7'8'6'8'8'4'3'7'2'6;
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t step = 0; step < 14; step++) {
            uint32_t const l = uint32_t(left >> (4 * step)) & 15, r = uint32_t(right >> (4 * step)) & 15;
            auto const part = [&](uint32_t k, int i) { return i == 0 ? slot[k].c0 : slot[k].c1; };
            F t = F::multiply_staged([&](int i) { return part(l, i); },
                                     [&](int i) { return step == 13 ? part(0, i) - part(8, i) : part(r, i); });
            uint32_t out = l;
            switch (step) {
                case 1: t = t - slot[0]; break;  // H
                case 3:                          // R
                    t = t - slot[1];
                    if (slot[4].is_zero()) {
                        sum = t.is_zero() ? xyzz_t<F>::double_rare(p) : xyzz_t<F>::infinity();
                        return;
                    }
                    break;
                case 4: out = 8; break;  // HH
                case 12:                 // X3 = R^2 - HHH - 2 Q
                    t = t - slot[4] - slot[0].dbl();
                    out = 8;
                    break;
                case 13: t = t - slot[1]; break;
                default: break;
            }
            slot[out] = t;
        }
        sum = {slot[8], slot[5], slot[2], slot[3]};
    }
}

}  // namespace spf
