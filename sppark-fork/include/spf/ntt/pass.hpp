// One pass of a transform: each block transforms `bits` bits of the index of its tile,
// in registers and shared memory.
//
// A pass sees the data as sub-transforms of 2^log_sub elements, each a matrix of 2^bits rows of
// S = 2^(log_sub - bits) columns, and transforms the columns:
//
//     natural to reversed (decimation in frequency)     out[U] = w^(c U) sum_j w_B^(j U) in[j], U's bits reversed in place
//     reversed to natural (decimation in time)          the same steps backwards
//
// with B = 2^bits, w the root of order 2^log_sub, c the column. The tile is 2^log_columns columns. A
// round is a radix-8 step on the eight elements of each thread, and the exchange to the next one. Values
// stay below 2r until the last pass.
#pragma once

#include "spf/ntt/eighth.hpp"
#include "spf/ntt/table.hpp"

namespace spf {
namespace ntt {

struct pass_params {
    eighth_t eighth;  // in the parameters, where the card's multiplier reads its factors in place
    fr_t* data;
    twiddle_t const* stage;
    twiddle_t const* low;
    twiddle_t const* high;
    twiddle_t const* scale_high;  // null: `scale_low` is one constant
    twiddle_t const* scale_low;
    uint32_t log_n, log_sub, bits, log_columns;
    uint32_t max_log, low_log;  // of the table
    uint32_t scale_low_log;
    bool inverse;
    bool scale_first, scale_last;  // scale what is read, or what is written
    bool last;                     // write canonical values
};

GPU_FN twiddle_t read_twiddle(twiddle_t const* at) {
#if SPF_DEVICE_PASS
    // Through the read-only path, four 16-byte loads.
    twiddle_t w;
    auto const from = reinterpret_cast<uint4 const*>(at);
    uint4 const v0 = __ldg(from), v1 = __ldg(from + 1), v2 = __ldg(from + 2), v3 = __ldg(from + 3);
    w.a.limb[0] = v0.x, w.a.limb[1] = v0.y, w.a.limb[2] = v0.z, w.a.limb[3] = v0.w;
    w.a.limb[4] = v1.x, w.a.limb[5] = v1.y, w.a.limb[6] = v1.z, w.a.limb[7] = v1.w;
    w.b.limb[0] = v2.x, w.b.limb[1] = v2.y, w.b.limb[2] = v2.z, w.b.limb[3] = v2.w;
    w.b.limb[4] = v3.x, w.b.limb[5] = v3.y, w.b.limb[6] = v3.z, w.b.limb[7] = v3.w;
    return w;
#else
    return *at;
#endif
}

template <bool FromReversed> struct pass_body {
    using params = pass_params;

    // Half an element, the widest access of shared memory: two planes, so that neighbouring threads touch
    // neighbouring banks.
    struct SPF_ALIGN(16) half_t {
        uint32_t limb[4];
    };
    struct shared {
        half_t plane[2][1 << tile_log];
    };
    struct regs {
        fr_t x[8];
    };
    static constexpr unsigned n_threads = 1u << threads_log;
    static constexpr unsigned min_blocks = 512 / n_threads;  // 128 registers a thread
    static constexpr unsigned n_phases = 2;

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.data, sizeof(fr_t) << p.log_n);
        v.writes(p.data, sizeof(fr_t) << p.log_n);
        v.reads(p.stage, stage_entries * sizeof(twiddle_t));
        v.reads(p.low, sizeof(twiddle_t) << p.low_log);
        v.reads(p.high, sizeof(twiddle_t) << (p.max_log - p.low_log));
        if (p.scale_low != nullptr) v.reads(p.scale_low, sizeof(twiddle_t) << (p.scale_high ? p.scale_low_log : 0));
        if (p.scale_high != nullptr) v.reads(p.scale_high, sizeof(twiddle_t) << (p.max_log - p.scale_low_log));
    }

    GPU_FN static uint32_t n_rounds(block_pos, params const& p) { return p.bits <= 3 ? 1 : (p.bits + 2) / 3; }

    // Where a thread's elements are in a round. Everything is linear in s, the number of the element: row,
    // position and index in the tile are first + s step.
    struct place {
        uint32_t levels;    // of butterflies in this round: 3, or fewer in the round that takes the remainder
        uint32_t log_step;  // of the rows
        uint32_t row;       // of element 0
        uint32_t column;    // in the sub-transform
        uint32_t at, step;  // position of element 0 in the whole array
        uint32_t in_tile, tile_step;
        bool active;
    };

    GPU_FN static place where(thread_pos const& t, params const& p, uint32_t round) {
        place w;
        uint32_t const remainder = p.bits % 3;
        uint32_t m;  // log of this round's sub-transforms
        if (FromReversed) {
            uint32_t const first = p.bits < 3 ? p.bits : (remainder != 0 ? remainder : 3);
            w.levels = round == 0 ? first : 3;
            m = first + 3 * round;
        } else {
            m = p.bits - 3 * round;
            w.levels = m < 3 ? m : 3;
        }
        w.log_step = m > 3 ? m - 3 : 0;
        // Fewer than 8 rows, which only a last pass has: a thread then holds several
        // columns, as if they were rows.
        uint32_t const row_bits = p.bits > 3 ? p.bits : 3, groups_log = row_bits - 3;
        bool const neighbours = p.log_sub == p.bits;
        uint32_t const g = neighbours ? t.thread & ((1u << groups_log) - 1) : t.thread >> p.log_columns;
        uint32_t const c = neighbours ? t.thread >> groups_log : t.thread & ((1u << p.log_columns) - 1);
        w.row = (g >> w.log_step << (w.log_step + 3)) | (g & ((1u << w.log_step) - 1));
        if (neighbours) {
            w.column = 0;
            w.in_tile = (c << row_bits) + w.row;
            w.tile_step = 1u << w.log_step;
            w.at = (t.block << (p.bits + p.log_columns)) + w.in_tile;
            w.step = w.tile_step;
        } else {
            uint32_t const log_stride = p.log_sub - p.bits;
            uint32_t const log_groups = log_stride - p.log_columns;  // tiles side by side in a sub-transform
            uint32_t const outer = t.block >> log_groups, group = t.block & ((1u << log_groups) - 1);
            w.column = (group << p.log_columns) + c;
            w.in_tile = (w.row << p.log_columns) + c;
            w.tile_step = 1u << (w.log_step + p.log_columns);
            w.at = (outer << p.log_sub) + (w.row << log_stride) + w.column;
            w.step = 1u << (w.log_step + log_stride);
        }
        // Small transforms leave threads without work.
        uint32_t const tile = p.bits + p.log_columns;
        w.active = t.thread < (tile > 3 ? 1u << (tile - 3) : 1u);
        return w;
    }

    // Index in shared memory. The three low bits are mixed with the next three, so that eight threads that
    // walk with any power-of-two step touch eight different groups of banks.
    GPU_FN static uint32_t slot(place const& w, uint32_t s) {
        uint32_t const x = w.in_tile + s * w.tile_step;
        return x ^ ((x >> 3) & 7);
    }

    // The factors of a thread's elements: element s has table[((first + (s & 1 ? d0) + (s & 2 ? d1) + (s & 4
    // ? d2)) >> shift) & mask].
    struct factors {
        twiddle_t const* table;
        uint32_t first, d0, d1, d2;
        uint32_t shift, mask;
    };

    // first + c step, where c is the number of the element with its three bits reversed.
    GPU_FN static factors by_reversed(twiddle_t const* table, uint32_t first, uint32_t step, uint32_t shift, uint32_t mask) {
        return {table, first, step << 2, step << 1, step, shift, mask};
    }

    GPU_FN static twiddle_t factor_of(factors const& f, uint32_t s) {
        uint32_t const value = f.first + (s & 1 ? f.d0 : 0) + (s & 2 ? f.d1 : 0) + (s & 4 ? f.d2 : 0);
        return read_twiddle(f.table + ((value >> f.shift) & f.mask));
    }

    // One straight run of products, with the next factor on its way while the last one is used.
    GPU_FN static void multiply(regs& r, factors const& f, bool skip_first) {
        twiddle_t next = factor_of(f, 1);
        if (!skip_first) r.x[0] = lazy::mul(r.x[0], factor_of(f, 0));
        SPF_UNROLL for (uint32_t s = 1; s < 8; s++) {
            twiddle_t const now = next;
            if (s < 7) next = factor_of(f, s + 1);
            r.x[s] = lazy::mul(r.x[s], now);
        }
    }

    // What a round does, a bit each, in this order.
    enum turn_t : uint32_t {
        scale_first_high,
        scale_first_low,
        before_high,  // coming from reversed order the twiddles stand before the butterflies
        before_low,
        butterflies,
        after_high,  // going to it, after them
        after_low,
        scale_last_high,
        scale_last_low,
    };

    GPU_FN static uint32_t turns_of(params const& p, bool first, bool last) {
        uint32_t turns = 1u << butterflies;
        uint32_t const scale = p.scale_high == nullptr ? 2 : 3;
        if (first && p.scale_first) turns |= scale << scale_first_high;
        if (last && p.scale_last) turns |= scale << scale_last_high;
        uint32_t const twiddles = FromReversed ? before_high : after_high;
        if (FromReversed ? !first : !last) {
            turns |= 1u << twiddles;
        } else if (p.log_sub != p.bits) {
            turns |= (p.log_sub <= p.max_log - p.low_log ? 1u : 3u) << twiddles;
        }
        return turns;
    }

    GPU_FN static factors factors_of(params const& p, place const& w, bool edge, uint32_t turn) {
        constexpr uint32_t all = 0xffffffffu;
        if (turn <= scale_first_low || turn >= scale_last_high) {
            bool const high = turn == scale_first_high || turn == scale_last_high;
            twiddle_t const* const table = high ? p.scale_high : p.scale_low;
            uint32_t const shift = high ? p.scale_low_log : 0;
            uint32_t const mask = high ? all : p.scale_high == nullptr ? 0 : (1u << p.scale_low_log) - 1;
            // On the reversed side of the transform the index is the position's bits backwards.
            bool const reversed = FromReversed == (turn <= scale_first_low);
            if (!reversed) return {table, w.at, w.step, w.step << 1, w.step << 2, shift, mask};
            uint32_t const d = reverse_bits(w.step, p.log_n);
            return {table, reverse_bits(w.at, p.log_n), d, d >> 1, d >> 2, shift, mask};
        }
        if (!edge) {
            uint32_t const within = w.row & ((1u << w.log_step) - 1);
            return by_reversed(p.stage + stage_offset(w.log_step + 3), within, 1u << w.log_step, 0, all);
        }
        // Between two passes: the exponent is column times row backwards. An edge's rows are neighbours.
        uint32_t const unit = (p.inverse ? 0 - w.column : w.column) << (p.max_log - p.log_sub);
        uint32_t const first = unit * reverse_bits(w.row, p.bits), step = unit << (p.bits - 3);
        bool const high = turn == before_high || turn == after_high;
        if (high) return by_reversed(p.high, first, step, p.low_log, (1u << (p.max_log - p.low_log)) - 1);
        return by_reversed(p.low, first, step, 0, (1u << p.low_log) - 1);
    }

    GPU_FN static void butterfly(fr_t& a, fr_t& b) {
        fr_t const sum = lazy::add(a, b);
        b = lazy::sub(a, b);
        a = sum;
    }

    // a, b = u a + u^3 b, u^3 a + u b for u = w_8, by two products instead of four.
    GPU_FN static void rotate(fr_t& a, fr_t& b, params const& p) {
        butterfly(a, b);
        a = lazy::mul(a, p.eighth.factor[0]);
        b = lazy::mul(b, p.eighth.factor[2]);
        butterfly(a, b);
    }

    // The transform of four elements; reversed order on the side that FromReversed says.
    GPU_FN static void four(fr_t& x0, fr_t& x1, fr_t& x2, fr_t& x3, params const& p) {
        if (FromReversed) {
            butterfly(x0, x1);
            butterfly(x2, x3);
            x3 = lazy::mul(x3, p.eighth.factor[1]);
            butterfly(x0, x2);
            butterfly(x1, x3);
        } else {
            butterfly(x0, x2);
            butterfly(x1, x3);
            x3 = lazy::mul(x3, p.eighth.factor[1]);
            butterfly(x0, x1);
            butterfly(x2, x3);
        }
    }

    // The transform of eight elements, or of two groups of four, or of four pairs: with 4 products for eight
    // elements, one fewer than butterflies alone take (Winograd's saving, for the odd half).
    GPU_FN static void transform(regs& r, params const& p, uint32_t levels) {
        fr_t(&x)[8] = r.x;
        if (levels == 3) {
            if (FromReversed) {
                // The odd half: x[4..7] are its elements 0, 2, 1, 3.
                butterfly(x[4], x[5]);
                butterfly(x[6], x[7]);
                rotate(x[5], x[7], p);
                butterfly(x[4], x[6]);
                x[6] = lazy::mul(x[6], p.eighth.factor[1]);
            } else {
                SPF_UNROLL for (int k = 0; k < 4; k++) butterfly(x[k], x[k + 4]);
                rotate(x[5], x[7], p);
                x[6] = lazy::mul(x[6], p.eighth.factor[1]);
                butterfly(x[4], x[6]);
                // Now x[4] -+ x[5] and x[6] -+ x[7] are left.
                butterfly(x[4], x[5]);
                butterfly(x[6], x[7]);
            }
        }
        if (levels >= 2) {
            four(x[0], x[1], x[2], x[3], p);
            if (levels == 2) four(x[4], x[5], x[6], x[7], p);
        }
        if (levels == 3 && FromReversed) {
            // w^k times the odd half: k = 0 .. 3 stand in x[4], x[5], x[6], x[7].
            SPF_UNROLL for (int k = 0; k < 4; k++) butterfly(x[k], x[k + 4]);
        }
        if (levels == 1) SPF_UNROLL for (int k = 0; k < 8; k += 2) butterfly(x[k], x[k + 1]);
    }

    template <unsigned P> GPU_FN static void phase(thread_pos const& t, params const& p, shared& sh, regs& r) {
        bool const first = t.i_round == 0, last = t.i_round + 1 == n_rounds(t, p);
        if constexpr (P == 0) {
            uint32_t levels;
            {
                place const w = where(reread(t), p, t.i_round);
                if (!w.active) return;
                levels = w.levels;
                if (first) SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = w.at + s * w.step;
                    r.x[s] = at >> p.log_n == 0 ? p.data[at] : fr_t::zero();
                }
            }
            // One copy of the products' code for all: what is multiplied by changes from turn to turn.
            // Products want nearly every register, so the places are found anew for each use: that is faster
            // than to spill and reload them.
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
            for (uint32_t turns = turns_of(p, first, last); turns != 0; turns &= turns - 1) {
                uint32_t const turn = lowest_bit(turns);
                if (turn == butterflies) {
                    transform(r, p, levels);
                } else {
                    bool const edge = FromReversed ? first : last;
                    bool const stage = !edge && (turn == before_high || turn == after_high);
                    multiply(r, factors_of(p, where(reread(t), p, t.i_round), edge, turn), stage);
                }
            }
            place const w = where(reread(t), p, t.i_round);
            if (last) {
                SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = w.at + s * w.step;
                    if (at >> p.log_n == 0) p.data[at] = p.last ? lazy::canonical(r.x[s]) : r.x[s];
                }
            } else {
                SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = slot(w, s);
                    SPF_UNROLL for (int k = 0; k < 4; k++) {
                        sh.plane[0][at].limb[k] = r.x[s].limb[k];
                        sh.plane[1][at].limb[k] = r.x[s].limb[k + 4];
                    }
                }
            }
        } else {
            if (last) return;
            place const w = where(reread(t), p, t.i_round + 1);
            if (!w.active) return;
            SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                uint32_t const at = slot(w, s);
                SPF_UNROLL for (int k = 0; k < 4; k++) {
                    r.x[s].limb[k] = sh.plane[0][at].limb[k];
                    r.x[s].limb[k + 4] = sh.plane[1][at].limb[k];
                }
            }
        }
    }
};

}  // namespace ntt
}  // namespace spf
