// Many multiples of one point: s_i B for scalars s_i, as affine points.
//
// A table holds d 2^(p_w) B for every window w, at bit p_w, and digit 1 <= d <= 2^(c-1), c bits the widest
// window, so a multiple is one mixed addition a window and no doubling. Results are brought to affine form
// with one inversion for a run of points of each thread.
#pragma once

#include "spf/core/block.hpp"
#include "spf/curve/groups.hpp"
#include "spf/msm/recode.hpp"
#include "spf/msm/segments.hpp"

namespace spf {

// out[w] = 2^(p_w) B: one thread, once a table.
template <class G> struct window_bases {
    using xyzz = typename G::xyzz;
    struct params {
        typename G::affine base;
        recoding_t recoding;
        xyzz* out;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 32;
    static constexpr unsigned min_blocks = 1;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        if (t.global() != 0) return;
        xyzz power = xyzz::from_affine(p.base);
        for (uint32_t w = 0; w < p.recoding.n_windows; w++) {
            p.out[w] = power;
            for (uint32_t k = 0; k < p.recoding.bits(w); k++) power = xyzz::double_rare(power);
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.writes(p.out, p.recoding.n_windows * sizeof(xyzz));
    }
};

// out[j] = d bases[w] for entry first + j = w 2^(c-1) + d - 1.
template <class G> struct table_entries {
    using xyzz = typename G::xyzz;
    struct params {
        xyzz const* bases;
        uint32_t window_bits, n_windows;
        uint64_t first, n;
        xyzz* out;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const j = t.global();
        if (j >= p.n) return;
        uint64_t const entry = p.first + j;
        uint32_t const digit = uint32_t(entry & ((uint64_t(1) << (p.window_bits - 1)) - 1)) + 1;
        xyzz const base = p.bases[entry >> (p.window_bits - 1)];
        xyzz sum = xyzz::infinity();
        for (int bit = int(p.window_bits) - 1; bit >= 0; bit--) {
            sum = xyzz::double_rare(sum);
            if ((digit >> bit) & 1) add_by_call(sum, base);
        }
        p.out[j] = sum;
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.bases, p.n_windows * sizeof(xyzz));
        v.writes(p.out, p.n * sizeof(xyzz));
    }
};

// out[j] = scalars[j] B.
template <class G> struct multiply_base {
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    struct params {
        affine const* table;
        uint32_t const* scalars;
        uint32_t scalars_are_montgomery;
        recoding_t recoding;
        uint64_t n;
        xyzz* out;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const i = t.global();
        if (i >= p.n) return;
        fr_t s;
        SPF_UNROLL for (int k = 0; k < 8; k++) s.limb[k] = p.scalars[8 * i + k];
        if (p.scalars_are_montgomery != 0) {
            s = s.to_canonical();
        } else {
            reduce_scalar(s.limb);
        }
        half_scalar_t const h = halve_range(s.limb);
        uint32_t const c = p.recoding.window_bits;
        digit_cursor_t cursor(h, p.recoding);
        xyzz sum = xyzz::infinity();
        for (uint32_t w = 0; w < p.recoding.n_windows; w++) {
            int32_t const d = cursor.next(p.recoding.bits(w));
            if (d == 0) continue;
            uint32_t const magnitude = uint32_t(d < 0 ? -d : d);
            affine const point = load_constant(p.table + ((uint64_t(w) << (c - 1)) + magnitude - 1));
            sum.add(point.negated_if((d < 0) != h.negative));
        }
        p.out[i] = sum;
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.table, (uint64_t(p.recoding.n_windows) << (p.recoding.window_bits - 1)) * sizeof(affine));
        v.reads(p.scalars, p.n * 32);
        v.writes(p.out, p.n * sizeof(xyzz));
    }
};

// out[i] = in[i] in affine form. A thread takes every n_groups-th point: products on the way up
// go through `prefixes`, one inversion, and back down (Montgomery's trick). Infinity counts as
// one and comes out as infinity.
template <class G> struct normalise_points {
    using field = typename G::field;
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    struct params {
        xyzz const* in;
        field* prefixes;
        affine* out;
        uint64_t n;
        uint32_t n_groups;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const group = t.global();
        if (group >= p.n_groups || group >= p.n) return;
        field product = field::one();
        uint64_t i = group;
        for (;; i += p.n_groups) {
            p.prefixes[i] = product;
            field const zzz = p.in[i].zzz;
            if (!zzz.is_zero()) product = product * zzz;
            if (p.n - i <= p.n_groups) break;
        }
        field inverse = product.inverse();
        for (;; i -= p.n_groups) {
            xyzz const point = p.in[i];
            if (point.is_infinity()) {
                p.out[i] = affine::infinity();
            } else {
                p.out[i] = point.to_affine(inverse * p.prefixes[i]);
                inverse = inverse * point.zzz;
            }
            if (i < p.n_groups) break;
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.in, p.n * sizeof(xyzz));
        v.writes(p.prefixes, p.n * sizeof(field));
        v.writes(p.out, p.n * sizeof(affine));
    }
};

}  // namespace spf
