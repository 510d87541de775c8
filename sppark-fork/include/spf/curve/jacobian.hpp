// Points as (X, Y, Z), x = X / Z^2, y = Y / Z^3; infinity has Z = 0. The bytes of blst_p1, blst_p2.
//
// Used where results leave this library; sums run in xyzz_t. Complete in the same sense.
// Formulas: Explicit-Formulas Database, short Weierstrass, a = 0: dbl-2009-l, and the textbook additions.
#pragma once

#include "spf/curve/xyzz.hpp"

namespace spf {

template <class F> struct SPF_ALIGN(16) jacobian_t {
    F x, y, z;

    GPU_FN static jacobian_t infinity() { return {F::zero(), F::zero(), F::zero()}; }
    GPU_FN bool is_infinity() const { return z.is_zero(); }

    GPU_FN static jacobian_t from_affine(affine_t<F> p) {
        if (p.is_infinity()) return infinity();
        return {p.x, p.y, F::one()};
    }

    // With Z = ZZ: X / ZZ = (X ZZ) / ZZ^2, and Y / ZZZ = (Y ZZZ) / ZZ^3 because ZZZ^2 = ZZ^3.
    GPU_FN static jacobian_t from_xyzz(xyzz_t<F> p) { return {p.x * p.zz, p.y * p.zzz, p.zz}; }

    GPU_FN jacobian_t dbl() const {
        F const a = x.sqr();
        F const b = y.sqr();
        F const c = b.sqr();
        F const d = ((x + b).sqr() - a - c).dbl();
        F const e = a.dbl() + a;
        F const x3 = e.sqr() - d.dbl();
        return {x3, e * (d - x3) - c.dbl().dbl().dbl(), (y * z).dbl()};
    }

    GPU_FN void add(affine_t<F> p) {
        if (p.is_infinity()) return;
        if (is_infinity()) {
            *this = from_affine(p);
            return;
        }
        F const zz = z.sqr();
        F const h = p.x * zz - x;
        F const r = p.y * (zz * z) - y;
        finish_add(x, y, z, h, r);
    }

    GPU_FN void add(jacobian_t p) {
        if (p.is_infinity()) return;
        if (is_infinity()) {
            *this = p;
            return;
        }
        F const zz1 = z.sqr(), zz2 = p.z.sqr();
        F const u1 = x * zz2;
        F const s1 = y * (zz2 * p.z);
        F const h = p.x * zz1 - u1;
        F const r = p.y * (zz1 * z) - s1;
        finish_add(u1, s1, z * p.z, h, r);
    }

private:
    // From (u1, s1, z) = the left point over the common denominator, and the
    // differences h, r to the right one.
    GPU_FN void finish_add(F u1, F s1, F common_z, F h, F r) {
        if (h.is_zero()) {
            *this = r.is_zero() ? dbl() : infinity();
            return;
        }
        F const hh = h.sqr();
        F const hhh = h * hh;
        F const q = u1 * hh;
        x = r.sqr() - hhh - q.dbl();
        y = r * (q - x) - s1 * hhh;
        z = common_z * h;
    }
};

}  // namespace spf
