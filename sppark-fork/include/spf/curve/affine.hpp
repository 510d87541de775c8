// An affine point of y^2 = x^3 + b; infinity is (0, 0), which is on neither curve. The bytes of
// blst_p1_affine, blst_p2_affine.
#pragma once

#include "spf/field/fp2.hpp"

namespace spf {

template <class F> struct SPF_ALIGN(16) affine_t {
    F x, y;

    GPU_FN static affine_t infinity() { return {F::zero(), F::zero()}; }
    GPU_FN bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    GPU_FN affine_t negated_if(bool negative) const { return {x, y.negated_if(negative)}; }
    GPU_FN friend bool operator==(affine_t a, affine_t b) { return a.x == b.x && a.y == b.y; }
};


// Reads a value of constant memory for the whole kernel (points, tables), past the coherent path.
template <class T> GPU_FN T load_constant(T const* at) {
#if SPF_DEVICE_PASS
    static_assert(sizeof(T) % 16 == 0 && alignof(T) >= 16, "whole load units");
    union {
        T value;
        uint4 unit[sizeof(T) / 16];
    } u;
    uint4 const* const from = reinterpret_cast<uint4 const*>(at);
    SPF_UNROLL for (unsigned i = 0; i < sizeof(T) / 16; i++) u.unit[i] = __ldg(from + i);
    return u.value;
#else
    return *at;
#endif
}

}  // namespace spf
