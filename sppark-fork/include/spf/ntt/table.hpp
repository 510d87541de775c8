// The factors of all transforms up to a size, in one block of device memory that any number of streams read.
//
// With N = 2^max_log and w_N the root of that order, every twiddle is w_N^e = low[e mod 2^s] high[e / 2^s],
// two short tables in place of a long one; for transforms of up to 2^18 the low part is 1 and is left out.
// The same holds for the powers of the coset's generator, where the constants of a size (1/n, and 1/(g^n - 1)
// for the quotient) are folded into `low`.
#pragma once

#include "spf/core/bits.hpp"
#include "spf/core/block.hpp"
#include "spf/ntt/plan.hpp"
#include "spf/ntt/twiddle.hpp"

namespace spf {
namespace ntt {

constexpr uint32_t high_log_most = 18;
constexpr uint32_t coset_low_log_most = 10;

// Scales that the first or the last pass of a transform applies, each with its `low` table a size.
enum scale_t : uint32_t {
    scale_none,
    scale_coset,            // g^i
    scale_coset_inverse,    // g^-i / n
    scale_inverse_coset,    // g^i / n: an interpolation, on its way to the coset
    scale_quotient,         // g^-i / (n (g^n - 1))
    n_coset_scales,
    scale_inverse = n_coset_scales,  // 1 / n
    scale_inverse_quotient,          // 1 / (n (g^n - 1))
};

// Twiddles between the rounds of a pass: for a sub-transform of M = 2^m, m = 4 .. 11, frequency k < 8 of the
// radix-8 step at index i below L = 2^(m - 3): w_M^(i k) at [k L + i].
constexpr uint32_t stage_log_least = 4;
constexpr uint32_t stage_log_most = tile_log;
GPU_FN constexpr uint32_t stage_offset(uint32_t m) { return 8 * ((1u << (m - 3)) - 2); }
constexpr uint32_t stage_entries = 8 * ((2u << (stage_log_most - 3)) - 2);

struct direction_tables {
    twiddle_t* stage;  // stage_entries
};

struct table_t {
    uint32_t max_log;
    uint32_t low_log, high_log;              // low_log + high_log = max_log
    uint32_t coset_low_log, coset_high_log;  // likewise
    direction_tables forward, inverse;
    twiddle_t* low;
    twiddle_t* high;
    twiddle_t* coset_high;          // g^(i 2^coset_low_log)
    twiddle_t* coset_high_inverse;  // g^-(i 2^coset_low_log)
    twiddle_t* coset_low;           // [scale - 1][log_n][i]
    twiddle_t* constants;           // [scale - scale_inverse][log_n]

    twiddle_t* coset_low_of(scale_t scale, uint32_t log_n) const {
        return coset_low + (((uint64_t(scale) - 1) * (max_log + 1) + log_n) << coset_low_log);
    }
    twiddle_t* constant_of(scale_t scale, uint32_t log_n) const {
        return constants + uint64_t(scale - scale_inverse) * (max_log + 1) + log_n;
    }
};

// `Carver` is runtime/workspace.hpp's: it measures, or hands out, the table's pieces.
template <class Carver> table_t carve_table(uint32_t max_log, Carver& memory) {
    table_t t{};
    t.max_log = max_log;
    t.high_log = max_log < high_log_most ? max_log : high_log_most;
    t.low_log = max_log - t.high_log;
    t.coset_low_log = max_log < coset_low_log_most ? max_log : coset_low_log_most;
    t.coset_high_log = max_log - t.coset_low_log;
    for (direction_tables* d : {&t.forward, &t.inverse}) {
        d->stage = memory.template take<twiddle_t>(stage_entries);
    }
    t.low = memory.template take<twiddle_t>(uint64_t(1) << t.low_log);
    t.high = memory.template take<twiddle_t>(uint64_t(1) << t.high_log);
    t.coset_high = memory.template take<twiddle_t>(uint64_t(1) << t.coset_high_log);
    t.coset_high_inverse = memory.template take<twiddle_t>(uint64_t(1) << t.coset_high_log);
    t.coset_low = memory.template take<twiddle_t>(uint64_t(n_coset_scales - 1) * (max_log + 1) << t.coset_low_log);
    t.constants = memory.template take<twiddle_t>(uint64_t(2) * (max_log + 1));
    return t;
}

// base^e for a short exponent.
GPU_FN fr_t power(fr_t base, uint32_t e) {
    fr_t result = fr_t::one();
    for (; e != 0; e >>= 1) {
        if (e & 1) result = result * base;
        base = base.sqr();
    }
    return result;
}

// out[k] = scale base^k, or, for a stage table (stage_log != 0), scale base^(i k) in that table's order.
struct power_table_body {
    struct params {
        twiddle_t* out;
        uint32_t count;
        uint32_t stage_log;
        fr_t base, scale;
    };
    struct shared {};
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = 1;
    static constexpr unsigned n_phases = 1;

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.writes(p.out, uint64_t(p.count) * sizeof(twiddle_t));
    }

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const k = t.global();
        if (k >= p.count) return;
        uint32_t e = uint32_t(k);
        if (p.stage_log != 0) {
            uint32_t const l = p.stage_log - 3;
            e = (uint32_t(k) & ((1u << l) - 1)) * uint32_t(k >> l);
        }
        p.out[k] = make_twiddle(power(p.base, e) * p.scale);
    }
};

}  // namespace ntt
}  // namespace spf
