// Buckets to one sum a window: sum_b (b + 1) B_b.
//
// First, a thread runs through a chunk of 2^k buckets with running sums: S = sum B, R = sum (j + 1) B_j. Then, over the
// chunks of a window, sum_t (R_t + t 2^k S_t) by a tree: with T_t = 2^k S_t the weights t fold pairwise,
//     sum_t (t T_t + R_t) = sum_m (m 2 (T_2m + T_2m+1) + R_2m + R_2m+1 + T_2m+1),
// one doubling and three additions a node, and two threads a node make that two operations deep.
// With the endomorphism, the row of second halves joins here: lambda (sum of its buckets) costs an addition a bucket and
// no product a point.
#pragma once

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

// Up to 7 levels of the tree in place: a node stands where its left child stood. A block folds 128 neighbouring nodes.
template <class G> struct fold_chunks {
    using xyzz = typename G::xyzz;
    static constexpr unsigned n_levels = 7;
    struct params {
        xyzz* weighted;
        xyzz* sums;
        uint32_t log_chunks;   // of a window, at the tree's leaves
        uint32_t first_level;  // levels folded by earlier launches
        uint32_t n_windows;
        xyzz* out;  // [window], written by the launch that reaches the root; it may be null before
    };
    using shared = empty_t;
    struct regs {};
    // Two warps fold the weights, two the sums.
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = n_levels;

    // Grid: x over the blocks of 128 nodes, y over the windows.
    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint32_t const level = p.first_level + P;
        if (level >= p.log_chunks) return;
        uint32_t const k = t.thread % 64;
        if (k >= (64u >> P)) return;
        uint64_t const node = uint64_t(t.block) * (64u >> P) + k;  // among the nodes of the next level
        if (node >> (p.log_chunks - level - 1) != 0) return;
        uint64_t const window = uint64_t(t.block_y) << p.log_chunks;
        uint64_t const left = window + (node << (level + 1));
        uint64_t const right = left + (uint64_t(1) << level);
        bool const is_root = level + 1 == p.log_chunks;
        if (t.thread < 64) {
            if (is_root) return;  // its weight is 0
            xyzz sum = p.weighted[left];
            add_by_call(sum, p.weighted[right]);
            p.weighted[left] = xyzz::double_rare(sum);
        } else {
            xyzz sum = p.sums[left];
            add_by_call(sum, p.sums[right]);
            add_by_call(sum, p.weighted[right]);
            *(is_root ? p.out + t.block_y : p.sums + left) = sum;
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        uint64_t const chunks = uint64_t(p.n_windows) << p.log_chunks;
        v.writes(p.weighted, chunks * sizeof(xyzz));
        v.writes(p.sums, chunks * sizeof(xyzz));
        if (p.first_level + n_levels >= p.log_chunks) v.writes(p.out, p.n_windows * sizeof(xyzz));
    }
};

// sum_w 2^(c w) window_sums[w], on the host: c (n_windows - 1) doublings in sequence, which a CPU core does several times
// faster than a lone thread of the card.
template <class G>
typename G::xyzz combine_windows(typename G::xyzz const* window_sums, uint32_t n_windows, uint32_t window_bits) {
    typename G::xyzz sum = G::xyzz::infinity();
    for (uint32_t w = n_windows; w-- > 0;) {
        if (!sum.is_infinity()) {
            for (uint32_t k = 0; k < window_bits; k++) sum = sum.dbl();
        }
        sum.add(window_sums[w]);
    }
    return sum;
}

}  // namespace spf
