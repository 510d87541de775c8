// The permutation between natural and reversed order.
#pragma once

#include "spf/core/bits.hpp"
#include "spf/core/block.hpp"
#include "spf/field/mont.hpp"

namespace spf {
namespace ntt {

// data[i] and data[rev(i)] change places; with `minus`, what is moved is the difference data - minus.
//
// A block does a tile of 2^(2 half) elements: positions whose middle bits are fixed, x the
// low `half` bits, y the high ones.
// Reading along x and writing along y keeps both sides in runs of 2^half elements.
struct reverse_body {
    static constexpr uint32_t half_most = 4;
    struct params {
        fr_t* data;
        fr_t const* minus;  // null: none
        uint32_t log_n, half;  // 2 half <= log_n
    };
    struct shared {
        fr_t tile[2][1 << half_most][(1 << half_most) + 1];
    };
    struct regs {};
    static constexpr unsigned n_threads = 1u << (2 * half_most);
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 2;

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.data, sizeof(fr_t) << p.log_n);
        if (p.minus != nullptr) v.reads(p.minus, sizeof(fr_t) << p.log_n);
        v.writes(p.data, sizeof(fr_t) << p.log_n);
    }

    GPU_FN static uint32_t position(params const& p, uint32_t y, uint32_t middle, uint32_t x) {
        return (y << (p.log_n - p.half)) | (middle << p.half) | x;
    }

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs&) {
        uint32_t const middle_bits = p.log_n - 2 * p.half;
        uint32_t const middle = t.block, mirrored = reverse_bits(middle, middle_bits);
        // Two middles that are each other's mirror image are one block's work.
        if (middle > mirrored) return;
        uint32_t const x = t.thread & ((1u << p.half) - 1), y = t.thread >> p.half;
        if (y >> p.half != 0) return;
        SPF_UNROLL for (int k = 0; k < 2; k++) {
            uint32_t const at = position(p, y, k == 0 ? middle : mirrored, x);
            if constexpr (P == 0) {
                s.tile[k][y][x] = p.minus == nullptr ? p.data[at] : p.data[at] - p.minus[at];
            } else {
                p.data[at] = s.tile[1 - k][reverse_bits(x, p.half)][reverse_bits(y, p.half)];
            }
        }
    }
};

}  // namespace ntt
}  // namespace spf
