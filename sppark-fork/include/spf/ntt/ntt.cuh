// The driver of the transforms: launches only.
#pragma once

#include "spf/ntt/pass.hpp"
#include "spf/ntt/plan.hpp"
#include "spf/ntt/reverse.hpp"
#include "spf/runtime/memory.hpp"
#include "spf/runtime/workspace.hpp"

namespace spf {
namespace ntt {

// Host arithmetic for the table's constants; a few thousand products in all.
inline fr_t small(uint32_t value) {
    fr_t integer = fr_t::zero();
    integer.limb[0] = value;
    return fr_t::from_canonical(integer);
}

// 7 generates the multiplicative group; the root of order 2^log_n is 7^((r-1)/2^log_n).
inline fr_t root_of_unity(uint32_t log_n) {
    uint32_t exponent[8];
    for (int i = 0; i < 8; i++) exponent[i] = fr_params::modulus(i);
    exponent[0] -= 1;
    fr_t root = fr_t::one();
    // From the top bit down to bit log_n: those below are cut off, and r - 1 has 32 zeros there.
    for (int bit = 255; bit >= int(log_n); bit--) {
        root = root.sqr();
        if (exponent[bit / 32] >> (bit % 32) & 1) root = root * small(7);
    }
    return root;
}

inline uint64_t table_bytes(uint32_t max_log) {
    if (max_log > max_log_n) return 0;
    carver measure;
    (void)carve_table(max_log, measure);
    return measure.used_bytes();
}

inline void fill_powers_on(spf_stream const& stream, twiddle_t* out, uint64_t count, fr_t base, fr_t scale, uint32_t stage_log) {
    power_table_body::params const p = {out, uint32_t(count), stage_log, base, scale};
    uint32_t const blocks = uint32_t((count + power_table_body::n_threads - 1) / power_table_body::n_threads);
    check(launch<power_table_body>(stream.raw, {blocks}, p), "building the table of twiddles");
}

inline void build_table_on(spf_stream const& stream, uint32_t max_log, void* d_table, uint64_t n_bytes) {
    carver memory(d_table, n_bytes);
    table_t const t = carve_table(max_log, memory);
    fr_t const one = fr_t::one(), g = small(7), g_inverse = g.inverse();
    for (bool inverse : {false, true}) {
        direction_tables const& d = inverse ? t.inverse : t.forward;
        for (uint32_t m = stage_log_least; m <= stage_log_most; m++) {
            fr_t const root = inverse ? root_of_unity(m).inverse() : root_of_unity(m);
            fill_powers_on(stream, d.stage + stage_offset(m), 8u << (m - 3), root, one, m);
        }
    }
    fr_t const root = root_of_unity(max_log);
    fill_powers_on(stream, t.low, uint64_t(1) << t.low_log, root, one, 0);
    fill_powers_on(stream, t.high, uint64_t(1) << t.high_log, root_of_unity(t.high_log), one, 0);
    uint32_t const step = 1u << t.coset_low_log;
    fill_powers_on(stream, t.coset_high, uint64_t(1) << t.coset_high_log, power(g, step), one, 0);
    fill_powers_on(stream, t.coset_high_inverse, uint64_t(1) << t.coset_high_log, power(g_inverse, step), one, 0);
    fr_t g_n = g;  // g^n, from n = 1 on
    for (uint32_t log_n = 0; log_n <= max_log; log_n++, g_n = g_n.sqr()) {
        fr_t const n_inverse = small(1u << log_n).inverse();
        fr_t const z_inverse = (g_n - one).inverse();
        fill_powers_on(stream, t.coset_low_of(scale_coset, log_n), step, g, one, 0);
        fill_powers_on(stream, t.coset_low_of(scale_coset_inverse, log_n), step, g_inverse, n_inverse, 0);
        fill_powers_on(stream, t.coset_low_of(scale_inverse_coset, log_n), step, g, n_inverse, 0);
        fill_powers_on(stream, t.coset_low_of(scale_quotient, log_n), step, g_inverse, n_inverse * z_inverse, 0);
        fill_powers_on(stream, t.constant_of(scale_inverse, log_n), 1, one, n_inverse, 0);
        fill_powers_on(stream, t.constant_of(scale_inverse_quotient, log_n), 1, one, n_inverse * z_inverse, 0);
    }
}

// What a transform does beyond transforming.
struct job_t {
    uint32_t log_n;
    bool inverse;
    bool from_reversed;  // reversed to natural; otherwise natural to reversed
    scale_t scale;
    bool scale_first;  // scale the input; otherwise the output
};

inline void transform_on(spf_stream const& stream, table_t const& t, fr_t* data, job_t const& job, plan_t const& plan) {
    pass_params p{};
    p.data = data;
    direction_tables const& d = job.inverse ? t.inverse : t.forward;
    p.stage = d.stage;
    p.eighth = eighth_constants(job.inverse);
    p.low = t.low;
    p.high = t.high;
    p.log_n = job.log_n;
    p.max_log = t.max_log;
    p.low_log = t.low_log;
    p.scale_low_log = t.coset_low_log;
    p.inverse = job.inverse;
    if (job.scale >= scale_inverse) {
        p.scale_low = t.constant_of(job.scale, job.log_n);
    } else if (job.scale != scale_none) {
        bool const powers_of_inverse = job.scale == scale_coset_inverse || job.scale == scale_quotient;
        p.scale_high = powers_of_inverse ? t.coset_high_inverse : t.coset_high;
        p.scale_low = t.coset_low_of(job.scale, job.log_n);
    }
    uint32_t log_sub = job.from_reversed ? 0 : job.log_n;
    for (uint32_t i = 0; i < plan.n_passes; i++) {
        bool const first = i == 0, last = i + 1 == plan.n_passes;
        p.bits = plan.bits[job.from_reversed ? plan.n_passes - 1 - i : i];
        if (job.from_reversed) log_sub += p.bits;
        p.log_sub = log_sub;
        // As many columns as the tile holds, or as there are.
        uint32_t const log_side_by_side = p.log_sub == p.bits ? job.log_n - p.bits : p.log_sub - p.bits;
        uint32_t const room = tile_log - p.bits;
        p.log_columns = log_side_by_side < room ? log_side_by_side : room;
        p.scale_first = first && job.scale != scale_none && job.scale_first;
        p.scale_last = last && job.scale != scale_none && !job.scale_first;
        p.last = last;
        grid_t const grid = {1u << (job.log_n - p.bits - p.log_columns)};
        cudaError_t const code = job.from_reversed ? launch<pass_body<true>>(stream.raw, grid, p)
                                                   : launch<pass_body<false>>(stream.raw, grid, p);
        check(code, "launching a pass of the transform");
        if (!job.from_reversed) log_sub -= p.bits;
    }
}

inline void reverse_on(spf_stream const& stream, fr_t* data, fr_t const* minus, uint32_t log_n) {
    reverse_body::params p = {data, minus, log_n, log_n / 2};
    if (p.half > reverse_body::half_most) p.half = reverse_body::half_most;
    check(launch<reverse_body>(stream.raw, {1u << (log_n - 2 * p.half)}, p), "launching the reordering");
}

}  // namespace ntt
}  // namespace spf
