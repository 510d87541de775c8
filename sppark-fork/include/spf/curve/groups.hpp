// The two groups as parameters of templates.
#pragma once

#include "spf/curve/jacobian.hpp"

namespace spf {

struct g1_t {
    using field = fp_t;
    using affine = affine_t<field>;
    using xyzz = xyzz_t<field>;
    using jacobian = jacobian_t<field>;

    GPU_FN static affine generator() {
        affine g;
        SPF_UNROLL for (int i = 0; i < 12; i++) {
            g.x.limb[i] = generators::g1_x(i);
            g.y.limb[i] = generators::g1_y(i);
        }
        return g;
    }

    // x of lambda P, for P in the group of order r only.
    GPU_FN static field endomorphism_x(field x) {
        fp_t beta;
        SPF_UNROLL for (int i = 0; i < 12; i++) beta.limb[i] = endomorphism::beta_g1(i);
        return x * beta;
    }
};

struct g2_t {
    using field = fp2_t;
    using affine = affine_t<field>;
    using xyzz = xyzz_t<field>;
    using jacobian = jacobian_t<field>;

    GPU_FN static affine generator() {
        affine g;
        SPF_UNROLL for (int i = 0; i < 12; i++) {
            g.x.c0.limb[i] = generators::g2_x0(i);
            g.x.c1.limb[i] = generators::g2_x1(i);
            g.y.c0.limb[i] = generators::g2_y0(i);
            g.y.c1.limb[i] = generators::g2_y1(i);
        }
        return g;
    }

    GPU_FN static field endomorphism_x(field x) {
        fp_t beta;
        SPF_UNROLL for (int i = 0; i < 12; i++) beta.limb[i] = endomorphism::beta_g2(i);
        return {x.c0 * beta, x.c1 * beta};
    }
};

static_assert(sizeof(g1_t::affine) == 96 && sizeof(g2_t::affine) == 192, "the layout of blst's affine points");
static_assert(sizeof(g1_t::jacobian) == 144 && sizeof(g2_t::jacobian) == 288, "the layout of blst's points");

}  // namespace spf
