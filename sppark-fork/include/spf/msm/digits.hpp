// Scalars to (bucket, point) pairs, for the windows of one group.
#pragma once

#include "spf/core/block.hpp"
#include "spf/msm/plan.hpp"

namespace spf {

// Entry of the digit list: the point's index, and in the top bit whether it is subtracted.
constexpr uint32_t negative_entry = 0x80000000u;

// With rows of 2^(c-1) buckets, c bits the widest window: keys[row n + i] = row 2^(c-1) + |d| - 1 and
// values[row n + i] = point index | sign for digit d of scalar i in that row; digits 0 get the key
// `rows 2^(c-1)`, which sorts last. Rows: halves of a window side by side.
struct make_digits {
    struct params {
        uint32_t const* scalars;  // 8 limbs each
        uint32_t const* indices;  // point of scalar i, or null: i
        uint64_t n;
        uint32_t scalars_are_montgomery;
        recoding_t recoding;
        uint32_t first_window, n_windows;  // of the group
        uint32_t* keys;
        uint32_t* values;
        uint32_t* n_entries;  // += digits that are not 0
    };
    struct shared {
        uint32_t n_entries;
    };
    struct regs {};
    static constexpr unsigned n_threads = 256;
    static constexpr unsigned min_blocks = 2;
    static constexpr unsigned n_phases = 3;

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs&) {
        if constexpr (P == 0) {
            if (t.thread == 0) s.n_entries = 0;
        } else if constexpr (P == 1) {
            uint64_t const i = t.global();
            if (i < p.n) atomic_add(&s.n_entries, write_digits(i, p));
        } else {
            if (t.thread == 0 && s.n_entries != 0) atomic_add(p.n_entries, s.n_entries);
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        uint64_t const n = p.n * p.n_windows * p.recoding.n_halves;
        v.reads(p.scalars, p.n * 32);
        if (p.indices != nullptr) v.reads(p.indices, p.n * 4);
        v.writes(p.keys, n * 4);
        v.writes(p.values, n * 4);
        v.writes(p.n_entries, 4);
    }

private:
    GPU_FN static uint32_t write_digits(uint64_t i, params const& p) {
        fr_t s;
        SPF_UNROLL for (int k = 0; k < 8; k++) s.limb[k] = p.scalars[8 * i + k];
        if (p.scalars_are_montgomery != 0) {
            s = s.to_canonical();
        } else {
            reduce_scalar(s.limb);
        }
        uint32_t const point = p.indices != nullptr ? p.indices[i] : uint32_t(i);
        half_scalar_t h0, h1;
        if (p.recoding.n_halves == 2) {
            split_by_endomorphism(s.limb, h0, h1);
            return write_half(i, point, h0, 0, p) + write_half(i, point, h1, 1, p);
        }
        return write_half(i, point, halve_range(s.limb), 0, p);
    }

    GPU_FN static uint32_t write_half(uint64_t i, uint32_t point, half_scalar_t const& h, uint32_t half, params const& p) {
        uint32_t const c = p.recoding.window_bits;
        uint32_t const none = (p.n_windows * p.recoding.n_halves) << (c - 1);
        digit_cursor_t cursor(h, p.recoding);
        for (uint32_t w = 0; w < p.first_window; w++) (void)cursor.next(p.recoding.bits(w));
        uint32_t written = 0;
        for (uint32_t w = 0; w < p.n_windows; w++) {
            int32_t const d = cursor.next(p.recoding.bits(p.first_window + w));
            uint32_t const row = w * p.recoding.n_halves + half;
            uint32_t const magnitude = uint32_t(d < 0 ? -d : d);
            bool const negative = (d < 0) != h.negative;
            p.keys[row * p.n + i] = d == 0 ? none : (row << (c - 1)) + magnitude - 1;
            p.values[row * p.n + i] = point | (negative ? negative_entry : 0);
            written += d != 0;
        }
        return written;
    }
};

}  // namespace spf
