// Buckets to one sum a window: sum_b (b + 1) B_b.
//
// First, a thread runs through a chunk of 2^k buckets with running sums: S = sum B, R = sum
// (j + 1) B_j. Then, over the chunks of a window, sum_t (R_t + t 2^k S_t) by a tree: with
// T_t = 2^k S_t the weights t fold pairwise,
//     sum_t (t T_t + R_t) = sum_m (m 2 (T_2m + T_2m+1) + R_2m + R_2m+1 + T_2m+1),
// one doubling and three additions a node, two operations deep when weights and sums are folded side by side.
// With the endomorphism, the row of second halves joins here: lambda (sum of its buckets) costs an addition a
// bucket and no product a point.
#pragma once

#include "spf/curve/quad.hpp"
#include "spf/msm/segments.hpp"

namespace spf {

template <class G> struct reduce_chunks {
    using xyzz = typename G::xyzz;
    struct params {
        xyzz const* buckets;  // [window][half][2^log_buckets]
        uint32_t log_buckets, log_chunk, n_halves, n_windows;
        xyzz* weighted;  // T, [window][chunk]
        xyzz* sums;      // R
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = 1;

    // Grid: x over the chunks, y over the windows.
    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const chunk = t.global();
        uint32_t const log_chunks = p.log_buckets - p.log_chunk;
        if (chunk >> log_chunks != 0) return;
        uint64_t const window_begin = uint64_t(t.block_y * p.n_halves) << p.log_buckets;
        xyzz const* const first = p.buckets + window_begin + (chunk << p.log_chunk);
        xyzz const* const second = first + (uint64_t(1) << p.log_buckets);
        xyzz running = xyzz::infinity(), sum = xyzz::infinity();
        for (uint32_t j = 1u << p.log_chunk; j-- > 0;) {
            add_by_call(running, first[j]);
            if (p.n_halves == 2) {
                xyzz other = second[j];
                other.x = G::endomorphism_x(other.x);
                add_by_call(running, other);
            }
            add_by_call(sum, running);
        }
        for (uint32_t k = 0; k < p.log_chunk; k++) running = xyzz::double_rare(running);
        uint64_t const out = (uint64_t(t.block_y) << log_chunks) + chunk;
        p.weighted[out] = running;
        p.sums[out] = sum;
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        uint64_t const chunks = uint64_t(p.n_windows) << (p.log_buckets - p.log_chunk);
        v.reads(p.buckets, (uint64_t(p.n_windows * p.n_halves) << p.log_buckets) * sizeof(xyzz));
        v.writes(p.weighted, chunks * sizeof(xyzz));
        v.writes(p.sums, chunks * sizeof(xyzz));
    }
};

// Up to 6 levels of the tree in place: a node stands where its left child stood. A block
// folds 64 neighbouring nodes, with four threads for a node's weight and four for its sum. A
// round of the block is half a level:
//     first   T_2m + T_2m+1      R_2m + R_2m+1
//     then    2 times that       that + T_2m+1
template <class G> struct fold_chunks {
    using field = typename G::field;
    using xyzz = typename G::xyzz;
    static constexpr unsigned n_levels = 6;
    static constexpr unsigned max_nodes = 1u << (n_levels - 1);
    static constexpr unsigned n_quads = 2 * max_nodes;
    struct params {
        xyzz* weighted;
        xyzz* sums;
        uint32_t log_chunks;   // of a window, at the tree's leaves
        uint32_t first_level;  // levels folded by earlier launches
        uint32_t n_windows;
        xyzz* out;  // [window], written by the launch that reaches the root
    };
    struct shared {
        quad_slots_t<field, n_quads> slots;
    };
    struct regs {
        bool infinity, same_x;
    };
    static constexpr unsigned n_threads = 4 * n_quads;
    static constexpr unsigned min_blocks = 2;
    static constexpr unsigned n_phases = 7;  // operands, four steps, the last difference, the result

    GPU_FN static uint32_t n_rounds(block_pos, params const& p) {
        uint32_t const left = p.log_chunks - p.first_level;
        return 2 * (left < n_levels ? left : n_levels);
    }

    // Grid: x over the blocks of 64 nodes, y over the windows.
    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs& r) {
        uint32_t const in_block = t.i_round / 2;
        bool const first_half = t.i_round % 2 == 0;
        uint32_t const level = p.first_level + in_block;
        // Whole warps do the same: the first half of the quads works on the weights, the second on the sums.
        uint32_t const quad = t.thread / 4, k = quad % max_nodes;
        bool const is_weight = quad < max_nodes;
        if (k >= (max_nodes >> in_block)) return;
        uint64_t const node = uint64_t(t.block) * (max_nodes >> in_block) + k;  // among the nodes of the next level
        if (node >> (p.log_chunks - level - 1) != 0) return;
        bool const is_root = level + 1 == p.log_chunks;
        if (is_weight && is_root) return;  // its weight is 0
        uint64_t const window = uint64_t(t.block_y) << p.log_chunks;
        uint64_t const left = window + (node << (level + 1));
        uint64_t const right = left + (uint64_t(1) << level);
        bool const doubles = is_weight && !first_half;
        quad_lane_t<field, n_quads> const lane{s.slots, quad, t.thread % 4};

        if constexpr (P == 0) {
            if (first_half) lane.load_first(is_weight ? p.weighted[left] : p.sums[left]);
            if (!doubles) lane.load_second(is_weight || !first_half ? p.weighted[right] : p.sums[right]);
        } else if constexpr (P <= 4) {
            if (doubles) {
                if constexpr (P < 4) lane.template double_step<P>();
                return;
            }
            if constexpr (P == 1) r.infinity = lane.has_infinity();
            if constexpr (P == 2) r.same_x = !r.infinity && lane.same_x();
            if (r.infinity || (P >= 2 && r.same_x)) return;
            lane.template add_step<P>();
        } else if constexpr (P == 5) {
            if (lane.lane != 0) return;
            if (doubles) {
                lane.finish_double();
            } else if (r.infinity || r.same_x) {
                lane.finish_exception(r.infinity);
            } else {
                lane.finish_add();
            }
        } else {
            if (!first_half) lane.store(is_weight ? p.weighted[left] : is_root ? p.out[t.block_y] : p.sums[left]);
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        uint64_t const chunks = uint64_t(p.n_windows) << p.log_chunks;
        v.writes(p.weighted, chunks * sizeof(xyzz));
        v.writes(p.sums, chunks * sizeof(xyzz));
        if (p.first_level + n_levels >= p.log_chunks) v.writes(p.out, p.n_windows * sizeof(xyzz));
    }
};

// sum_w 2^(p_w) window_sums[w] with window w at bit p_w, on the host: as many doublings in
// sequence as the windows below the top one have bits, which a CPU core does several times faster
// than a lone thread of the card.
template <class G> typename G::xyzz combine_windows(typename G::xyzz const* window_sums, recoding_t const& recoding) {
    typename G::xyzz sum = G::xyzz::infinity();
    for (uint32_t w = recoding.n_windows; w-- > 0;) {
        if (!sum.is_infinity()) {
            for (uint32_t k = 0; k < recoding.bits(w); k++) sum = sum.dbl();
        }
        sum.add(window_sums[w]);
    }
    return sum;
}

}  // namespace spf
