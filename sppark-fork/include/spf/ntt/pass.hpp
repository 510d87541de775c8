// One pass of a transform: each block transforms `bits` bits of the index of its tile, in registers and shared memory.
//
// A pass sees the data as sub-transforms of 2^log_sub elements, each a matrix of 2^bits rows of S = 2^(log_sub - bits)
// columns, and transforms the columns:
//
//     natural to reversed (decimation in frequency)     out[U] = w^(c U) sum_j w_B^(j U) in[j], U's bits reversed in place
//     reversed to natural (decimation in time)          the same steps backwards
//
// with B = 2^bits, w the root of order 2^log_sub, c the column. The tile is 2^log_columns columns. A round is a radix-8
// step on the eight elements of each thread, and the exchange to the next one. Values stay below 2r until the last pass.
#pragma once

#include "spf/ntt/table.hpp"

namespace spf {
namespace ntt {

struct pass_params {
    fr_t* data;
    twiddle_t const* stage;
    twiddle_t const* eighth;
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

// One way to find the factor of each element.
enum factor_kind : uint32_t { factor_none, factor_stage, factor_between, factor_scale };

struct factors {
    uint32_t kind;
    twiddle_t const* table;
    uint32_t shift, mask;
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

    // Half an element, the widest access of shared memory: two planes, so that neighbouring threads touch neighbouring
    // banks.
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
    static constexpr unsigned min_blocks = 2;
    static constexpr unsigned n_phases = 2;

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.data, sizeof(fr_t) << p.log_n);
        v.writes(p.data, sizeof(fr_t) << p.log_n);
        v.reads(p.stage, stage_entries * sizeof(twiddle_t));
        v.reads(p.eighth, 3 * sizeof(twiddle_t));
        v.reads(p.low, sizeof(twiddle_t) << p.low_log);
        v.reads(p.high, sizeof(twiddle_t) << (p.max_log - p.low_log));
        if (p.scale_low != nullptr) v.reads(p.scale_low, sizeof(twiddle_t) << (p.scale_high ? p.scale_low_log : 0));
        if (p.scale_high != nullptr) v.reads(p.scale_high, sizeof(twiddle_t) << (p.max_log - p.scale_low_log));
    }

    GPU_FN static uint32_t n_rounds(block_pos, params const& p) { return p.bits <= 3 ? 1 : (p.bits + 2) / 3; }

    // Where a thread's elements are in a round: row j(s) = first + (s << log_step).
    struct place {
        uint32_t column, first, log_step;
        uint32_t levels;     // butterflies' levels in this round: 3, or fewer in the round that takes the remainder
        uint32_t stage_log;  // log of the sub-transform whose twiddles belong to this round
        bool active;
    };

    GPU_FN static place where(thread_pos const& t, params const& p, uint32_t round) {
        place w;
        uint32_t const remainder = p.bits % 3;
        uint32_t m;
        if (FromReversed) {
            uint32_t const first = p.bits < 3 ? p.bits : (remainder != 0 ? remainder : 3);
            w.levels = round == 0 ? first : 3;
            m = first + 3 * round;
        } else {
            m = p.bits - 3 * round;
            w.levels = m < 3 ? m : 3;
        }
        w.stage_log = m;
        w.log_step = m > 3 ? m - 3 : 0;
        // Fewer than 8 rows: a thread then holds several columns of a tile whose columns follow each other in memory.
        uint32_t const groups_log = p.bits > 3 ? p.bits - 3 : 0;
        bool const neighbours = p.log_sub == p.bits;
        uint32_t const g = neighbours ? t.thread & ((1u << groups_log) - 1) : t.thread >> p.log_columns;
        w.column = neighbours ? t.thread >> groups_log : t.thread & ((1u << p.log_columns) - 1);
        w.first = (g >> w.log_step << (w.log_step + 3)) | (g & ((1u << w.log_step) - 1));
        // Small transforms leave threads without work.
        uint32_t const tile = p.bits + p.log_columns;
        w.active = t.thread < (tile > 3 ? 1u << (tile - 3) : 1u);
        return w;
    }

    GPU_FN static uint32_t row(place const& w, uint32_t s) { return w.first + (s << w.log_step); }

    // Position of an element in the whole array.
    GPU_FN static uint32_t position(thread_pos const& t, params const& p, place const& w, uint32_t j) {
        if (p.log_sub == p.bits) return (t.block << (p.bits + p.log_columns)) + (w.column << (p.bits > 3 ? p.bits : 3)) + j;
        uint32_t const log_stride = p.log_sub - p.bits;
        uint32_t const log_groups = log_stride - p.log_columns;  // tiles side by side in a sub-transform
        uint32_t const outer = t.block >> log_groups, group = t.block & ((1u << log_groups) - 1);
        return (outer << p.log_sub) + (j << log_stride) + (group << p.log_columns) + w.column;
    }

    // Index in shared memory. The three low bits are mixed with the next three, so that eight threads that walk with any
    // power-of-two step touch eight different groups of banks.
    GPU_FN static uint32_t slot(params const& p, place const& w, uint32_t j) {
        uint32_t const x = p.log_sub == p.bits ? (w.column << (p.bits > 3 ? p.bits : 3)) + j : (j << p.log_columns) + w.column;
        return x ^ ((x >> 3) & 7);
    }

    // Multiplies the thread's elements by their factors from one table.
    GPU_FN static void multiply(regs& r, thread_pos const& t, params const& p, place const& w, factors const& f) {
        SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
            uint32_t value;
            if (f.kind == factor_stage) {
                if (s == 0) continue;
                value = ((s - 1) << w.log_step) + (w.first & ((1u << w.log_step) - 1));
            } else if (f.kind == factor_between) {
                uint32_t const j = row(w, s);
                uint32_t const column = position(t, p, w, j) & ((1u << (p.log_sub - p.bits)) - 1);
                uint32_t const e = column * reverse_bits(j, p.bits) << (p.max_log - p.log_sub);
                value = p.inverse ? (0 - e) & ((1u << p.max_log) - 1) : e;
            } else {
                uint32_t const at = position(t, p, w, row(w, s));
                // On the reversed side of the transform the index is the position's bits backwards.
                bool const reversed = FromReversed ? p.scale_first : p.scale_last;
                value = reversed ? reverse_bits(at, p.log_n) : at;
            }
            r.x[s] = lazy::mul(r.x[s], read_twiddle(f.table + ((value >> f.shift) & f.mask)));
        }
    }

    // What a round multiplies by, in its k-th turn: before the butterflies (k < 4) and after them.
    GPU_FN static factors pick(params const& p, place const& w, bool first, bool last, uint32_t turn) {
        factors none = {factor_none, nullptr, 0, 0};
        bool const high = (turn & 1) == 0;
        if (turn < 2 || turn >= 6) {
            bool const wanted = turn < 2 ? first && p.scale_first : last && p.scale_last;
            if (!wanted) return none;
            if (high) {
                if (p.scale_high == nullptr) return none;
                return {factor_scale, p.scale_high, p.scale_low_log, 0xffffffffu};
            }
            uint32_t const mask = p.scale_high == nullptr ? 0 : (1u << p.scale_low_log) - 1;
            return {factor_scale, p.scale_low, 0, mask};
        }
        // Twiddles stand before the butterflies coming from reversed order, after them going to it.
        if ((turn < 4) != FromReversed) return none;
        bool const edge = FromReversed ? first : last;
        if (!edge) {
            if (!high) return none;
            return {factor_stage, p.stage + stage_offset(w.stage_log), 0, 0xffffffffu};
        }
        if (p.log_sub == p.bits) return none;
        if (high) return {factor_between, p.high, p.low_log, 0xffffffffu};
        if (p.log_sub <= p.max_log - p.low_log) return none;
        return {factor_between, p.low, 0, (1u << p.low_log) - 1};
    }

    GPU_FN static void butterfly(fr_t& a, fr_t& b) {
        fr_t const sum = lazy::add(a, b);
        b = lazy::sub(a, b);
        a = sum;
    }

    // The transform of eight elements, or of two groups of four, or of four pairs. The names are distances; what one
    // direction does first the other does last.
    GPU_FN static void transform(regs& r, params const& p, uint32_t levels) {
        fr_t(&x)[8] = r.x;
        if (FromReversed) {
            if (levels >= 1) SPF_UNROLL for (int k = 0; k < 8; k += 2) butterfly(x[k], x[k + 1]);
            if (levels >= 2) {
                twiddle_t const w2 = read_twiddle(p.eighth + 1);
                SPF_UNROLL for (int k = 0; k < 8; k += 4) {
                    x[k + 3] = lazy::mul(x[k + 3], w2);
                    butterfly(x[k], x[k + 2]);
                    butterfly(x[k + 1], x[k + 3]);
                }
            }
            if (levels >= 3) {
                SPF_UNROLL for (int k = 1; k < 4; k++) x[k + 4] = lazy::mul(x[k + 4], read_twiddle(p.eighth + k - 1));
                SPF_UNROLL for (int k = 0; k < 4; k++) butterfly(x[k], x[k + 4]);
            }
        } else {
            if (levels >= 3) {
                SPF_UNROLL for (int k = 0; k < 4; k++) butterfly(x[k], x[k + 4]);
                SPF_UNROLL for (int k = 1; k < 4; k++) x[k + 4] = lazy::mul(x[k + 4], read_twiddle(p.eighth + k - 1));
            }
            if (levels >= 2) {
                twiddle_t const w2 = read_twiddle(p.eighth + 1);
                SPF_UNROLL for (int k = 0; k < 8; k += 4) {
                    butterfly(x[k], x[k + 2]);
                    butterfly(x[k + 1], x[k + 3]);
                    x[k + 3] = lazy::mul(x[k + 3], w2);
                }
            }
            if (levels >= 1) SPF_UNROLL for (int k = 0; k < 8; k += 2) butterfly(x[k], x[k + 1]);
        }
    }

    template <unsigned P> GPU_FN static void phase(thread_pos const& t, params const& p, shared& sh, regs& r) {
        uint32_t const rounds = n_rounds(t, p);
        bool const first = t.i_round == 0, last = t.i_round + 1 == rounds;
        if constexpr (P == 0) {
            place const w = where(t, p, t.i_round);
            if (!w.active) return;
            if (first) {
                SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = position(t, p, w, row(w, s));
                    r.x[s] = at >> p.log_n == 0 ? p.data[at] : fr_t::zero();
                }
            }
            // One copy of the product's code for all: what is multiplied by changes from turn to turn.
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
            for (uint32_t turn = 0; turn < 8; turn++) {
                if (turn == 4) transform(r, p, w.levels);
                factors const f = pick(p, w, first, last, turn);
                if (f.kind != factor_none) multiply(r, t, p, w, f);
            }
            if (last) {
                SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = position(t, p, w, row(w, s));
                    if (at >> p.log_n != 0) continue;
                    p.data[at] = p.last ? lazy::canonical(r.x[s]) : r.x[s];
                }
            } else {
                SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                    uint32_t const at = slot(p, w, row(w, s));
                    SPF_UNROLL for (int k = 0; k < 4; k++) {
                        sh.plane[0][at].limb[k] = r.x[s].limb[k];
                        sh.plane[1][at].limb[k] = r.x[s].limb[k + 4];
                    }
                }
            }
        } else {
            if (last) return;
            place const w = where(t, p, t.i_round + 1);
            if (!w.active) return;
            SPF_UNROLL for (uint32_t s = 0; s < 8; s++) {
                uint32_t const at = slot(p, w, row(w, s));
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
