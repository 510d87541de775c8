// Sums of the points that a bitmap selects.
//
// A block takes tiles of 32 points a thread in turn. It lists the selected points of a tile in shared memory,
// so that every thread adds about the same number of points whatever the bitmap looks like, and each thread
// keeps its sum from tile to tile. The threads' sums, one each, are added up by sum_slices in two steps.
#pragma once

#include "spf/core/block.hpp"
#include "spf/curve/stepped_sum.hpp"
#include "spf/msm/segments.hpp"

namespace spf {

template <class G> struct add_selected {
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    // As many sums in slots as shared memory holds beside the lists.
    static constexpr bool is_g1 = sizeof(affine) == 96;
    static constexpr unsigned n_threads = is_g1 ? 64 : 128;
    static constexpr unsigned min_blocks = is_g1 ? 8 : 2;
    static constexpr unsigned tile_words = n_threads;  // of 32 bits
    using sum_t = stepped_sum<G, n_threads>;
    struct params {
        affine const* points;
        uint32_t const* bitmap;  // bit i % 32 of word i / 32; bits from n_points on are not read as points
        uint64_t n_points;
        xyzz* sums;  // one a thread, zeroed (infinity) before the first launch; each launch adds to them
        uint32_t n_sums;
    };
    struct shared {
        typename sum_t::slots slots;
        uint32_t counts[2][tile_words];  // running counts, in two buffers that take turns
        uint16_t selected[tile_words * 32];
    };
    struct regs {
        uint32_t word;
        bool is_infinity;
    };
    // Counts; doubling steps of their running sum; the list; the additions.
    static constexpr unsigned scan_steps = is_g1 ? 6 : 7;
    static_assert(tile_words == 1u << scan_steps, "the running sum covers the tile");
    static constexpr unsigned n_phases = 1 + scan_steps + 2;

    GPU_FN static uint32_t n_tiles(params const& p) {
        return uint32_t((p.n_points + tile_words * 32 - 1) / (tile_words * 32));
    }
    GPU_FN static uint32_t n_rounds(block_pos b, params const& p) {
        uint32_t const tiles = n_tiles(p);
        return tiles > b.block ? (tiles - b.block + b.n_blocks - 1) / b.n_blocks : 0;
    }

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs& r) {
        uint64_t const tile = uint64_t(t.i_round) * t.n_blocks + t.block;
        uint64_t const tile_begin = tile * tile_words * 32;
        if constexpr (P == 0) {
            if (t.i_round == 0) {
                sum_t sum{s.slots, t.thread, true};
                sum.set(p.sums[t.global()]);
                r.is_infinity = sum.is_infinity;
            }
            uint64_t const begin = tile_begin + uint64_t(t.thread) * 32;
            r.word = begin < p.n_points ? p.bitmap[begin / 32] : 0;
            if (begin < p.n_points && p.n_points - begin < 32) r.word &= (1u << (p.n_points - begin)) - 1;
            s.counts[0][t.thread] = count_bits(r.word);
        } else if constexpr (P <= scan_steps) {
            constexpr unsigned from = (P - 1) % 2, stride = 1u << (P - 1);
            uint32_t const own = s.counts[from][t.thread];
            s.counts[1 - from][t.thread] = t.thread >= stride ? own + s.counts[from][t.thread - stride] : own;
        } else if constexpr (P == scan_steps + 1) {
            constexpr unsigned last = scan_steps % 2;
            uint32_t at = s.counts[last][t.thread] - count_bits(r.word);
            for (uint32_t w = r.word; w != 0; w &= w - 1) s.selected[at++] = uint16_t(t.thread * 32 + lowest_bit(w));
        } else {
            uint32_t const n = s.counts[scan_steps % 2][tile_words - 1];
            sum_t sum{s.slots, t.thread, r.is_infinity};
            for (uint32_t k = t.thread; k < n; k += n_threads) {
                sum.add([&] { return load_constant(p.points + tile_begin + s.selected[k]); });
            }
            r.is_infinity = sum.is_infinity;
            if (t.i_round + 1 == n_rounds(t, p)) p.sums[t.global()] = sum.get();
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.points, p.n_points * sizeof(affine));
        v.reads(p.bitmap, (p.n_points + 31) / 32 * 4);
        v.writes(p.sums, p.n_sums * sizeof(xyzz));
    }

private:
    GPU_FN static uint32_t count_bits(uint32_t w) {
#if SPF_DEVICE_PASS
        return uint32_t(__popc(int(w)));
#else
        return uint32_t(__builtin_popcount(w));
#endif
    }
    GPU_FN static uint32_t lowest_bit(uint32_t w) {
#if SPF_DEVICE_PASS
        return uint32_t(__ffs(int(w))) - 1;
#else
        return uint32_t(__builtin_ctz(w));
#endif
    }
};

// Fills the slice lists for the sum of n points in two steps: slices of
// slice_points, then one slice of their sums.
struct list_slices {
    struct params {
        uint32_t n_points;
        slice_t* parts;
        slice_t* whole;
        uint32_t* n_parts;
        uint32_t* n_wholes;
        uint32_t max_parts;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = 1;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint32_t const n = (p.n_points + slice_points - 1) / slice_points;
        uint64_t const k = t.global();
        if (k < n) {
            uint32_t const begin = uint32_t(k) * slice_points;
            uint32_t const end = begin + slice_points < p.n_points ? begin + slice_points : p.n_points;
            p.parts[k] = {begin, end, no_extra, uint32_t(k)};
        }
        if (k == 0) {
            *p.n_parts = n;
            *p.whole = {0, n, no_extra, 0};
            *p.n_wholes = 1;
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.writes(p.parts, p.max_parts * sizeof(slice_t));
        v.writes(p.whole, sizeof(slice_t));
        v.writes(p.n_parts, 4);
        v.writes(p.n_wholes, 4);
    }
};

}  // namespace spf
