// One operation applied to arrays, so that a test can ask the card, or the host, for
// single results of the templates.
#pragma once

#include "spf/core/block.hpp"

namespace spf {

// out[i] = Op::run(a[i], b[i]); Op names the types `left`, `right`, `result`.
template <class Op> struct probe {
    struct params {
        typename Op::left const* a;
        typename Op::right const* b;
        typename Op::result* out;
        uint64_t n;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 64;
    static constexpr unsigned min_blocks = 1;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const i = t.global();
        if (i < p.n) p.out[i] = Op::run(p.a[i], p.b[i]);
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.a, p.n * sizeof(typename Op::left));
        v.reads(p.b, p.n * sizeof(typename Op::right));
        v.writes(p.out, p.n * sizeof(typename Op::result));
    }
};

}  // namespace spf
