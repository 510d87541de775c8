// Steps that treat every element alone.
#pragma once

#include "spf/core/block.hpp"
#include "spf/field/mont.hpp"

namespace spf {
namespace poly {

// out[i] = a[i] b[i].
struct multiply_body {
    struct params {
        fr_t* out;
        fr_t const* a;
        fr_t const* b;
        uint64_t n;
    };
    struct shared {};
    struct regs {};
    static constexpr unsigned n_threads = 256;
    static constexpr unsigned min_blocks = 2;
    static constexpr unsigned n_phases = 1;

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.a, p.n * sizeof(fr_t));
        v.reads(p.b, p.n * sizeof(fr_t));
        v.writes(p.out, p.n * sizeof(fr_t));
    }

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const i = t.global();
        if (i < p.n) p.out[i] = p.a[i] * p.b[i];
    }
};

}  // namespace poly
}  // namespace spf
