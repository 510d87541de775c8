// A sorted digit list to one of half the length, by affine additions.
//
// An affine addition is one division and a third fewer products than one in extended coordinates, and
// divisions are cheap by the hundred: a thread multiplies its denominators up, inverts the product once, and
// comes back down (Montgomery's trick).
// Entries 2j and 2j + 1 of the list are pair j wherever the buckets' borders lie. Two of one bucket are
// added; two of different buckets both stay. So each addition takes one entry off the list, the list stays
// sorted, and the work is the same for every thread however skewed the scalars are. What is left after a few
// rounds goes to `accumulate_segments`.
#pragma once

#include "spf/core/block.hpp"
#include "spf/curve/groups.hpp"
#include "spf/msm/digits.hpp"

namespace spf {

// kept[j]: entries that pair j leaves, for j <= max_pairs, the last of which is none's. Their
// running sum says where a pair's go.
struct count_kept {
    struct params {
        uint32_t const* keys;
        uint32_t const* n_entries;
        uint64_t max_entries, max_pairs;
        uint32_t* kept;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 256;
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const j = t.global();
        if (j > p.max_pairs) return;
        uint64_t const n = *p.n_entries, i = 2 * j;
        p.kept[j] = i >= n ? 0 : i + 1 >= n || p.keys[i] == p.keys[i + 1] ? 1 : 2;
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.keys, p.max_entries * 4);
        v.reads(p.n_entries, 4);
        v.writes(p.kept, (p.max_pairs + 1) * 4);
    }
};

// Field elements of a thread that no other reads, in units of 16 bytes: unit u of element k at [u][k], so
// that the threads of a warp, whose elements lie side by side, read and write whole lines.
template <class F> struct unit_planes {
    struct SPF_ALIGN(16) unit {
        uint32_t word[4];
    };
    static constexpr unsigned n_units = sizeof(F) / sizeof(unit);
    unit* units;
    uint64_t n_elements;

    GPU_FN F get(uint64_t k) const {
        F value;
        auto* const word = reinterpret_cast<uint32_t*>(&value);
        SPF_UNROLL for (unsigned u = 0; u < n_units; u++) {
            unit const x = units[u * n_elements + k];
            SPF_UNROLL for (unsigned i = 0; i < 4; i++) word[4 * u + i] = x.word[i];
        }
        return value;
    }
    GPU_FN void put(uint64_t k, F const& value) const {
        auto const* const word = reinterpret_cast<uint32_t const*>(&value);
        SPF_UNROLL for (unsigned u = 0; u < n_units; u++) {
            unit x;
            SPF_UNROLL for (unsigned i = 0; i < 4; i++) x.word[i] = word[4 * u + i];
            units[u * n_elements + k] = x;
        }
    }
};

template <class G> struct halve_pairs {
    using field = typename G::field;
    using affine = typename G::affine;
    struct params {
        uint32_t const* keys;       // sorted
        uint32_t const* values;     // of the list as it was sorted; null later, when entry i is points[i]
        uint32_t const* n_entries;
        affine const* points;
        uint64_t n_points;
        uint32_t const* places;     // running sum of what pairs leave
        uint64_t max_entries, max_pairs;
        uint32_t pairs_per_thread;
        unit_planes<field> prefixes;  // pairs_per_thread for each thread of the grid
        uint32_t* out_keys;
        affine* out_points;
        uint64_t max_out;
        uint32_t* n_out;
    };
    static constexpr bool is_g1 = sizeof(affine) == 96;
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = is_g1 ? 4 : 2;
    static constexpr unsigned n_phases = 1;

    // Tiles of n_threads pairs_per_thread pairs, to the blocks in turn.
    GPU_FN static uint32_t n_rounds(block_pos b, params const& p) {
        uint64_t const tile = uint64_t(n_threads) * p.pairs_per_thread;
        uint64_t const n_tiles = (n_pairs(p) + tile - 1) / tile;
        return n_tiles > b.block ? uint32_t((n_tiles - b.block + b.n_blocks - 1) / b.n_blocks) : 0;
    }

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        if (t.i_round == 0 && t.global() == 0) *p.n_out = p.places[p.max_pairs];
        uint64_t const tile = uint64_t(t.i_round) * t.n_blocks + t.block;
        uint64_t const first = tile * n_threads * p.pairs_per_thread + t.thread;
        uint64_t const first_prefix = uint64_t(t.block) * n_threads * p.pairs_per_thread + t.thread;
        uint64_t const n = n_pairs(p);
        if (first >= n) return;
        uint64_t const here = (n - first + n_threads - 1) / n_threads;
        uint32_t const n_own = here < p.pairs_per_thread ? uint32_t(here) : p.pairs_per_thread;

        field product = field::one();
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t k = 0; k < n_own; k++) {
            uint64_t const j = first + uint64_t(k) * n_threads;
            if (!is_joined(p, j)) continue;
            entry const a = entry_at(p, 2 * j), b = entry_at(p, 2 * j + 1);
            field denominator;
            if (!divides(kind_of(a, b, a.x(), b.x(), denominator))) continue;
            p.prefixes.put(first_prefix + uint64_t(k) * n_threads, product);
            product = product * denominator;
        }
        field inverse = product.inverse();
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t k = n_own; k-- > 0;) {
            uint64_t const j = first + uint64_t(k) * n_threads;
            uint32_t const place = p.places[j];
            entry const a = entry_at(p, 2 * j);
            p.out_keys[place] = p.keys[2 * j];
            if (!is_joined(p, j)) {
                p.out_points[place] = a.point();
                if (2 * j + 1 < *p.n_entries) {
                    p.out_keys[place + 1] = p.keys[2 * j + 1];
                    p.out_points[place + 1] = entry_at(p, 2 * j + 1).point();
                }
                continue;
            }
            entry const b = entry_at(p, 2 * j + 1);
            field const xa = a.x(), xb = b.x();
            field denominator;
            kind const how = kind_of(a, b, xa, xb, denominator);
            if (!divides(how)) {
                p.out_points[place] = how == kind::left ? a.point() : how == kind::right ? b.point() : affine::infinity();
                continue;
            }
            field const ya = a.y();
            field slope = inverse * p.prefixes.get(first_prefix + uint64_t(k) * n_threads);
            inverse = inverse * denominator;
            slope = slope * (how == kind::doubled ? thrice_square(xa) : b.y() - ya);
            field const x = slope.sqr() - xa - xb;
            field const y = slope * (xa - x) - ya;
            p.out_points[place] = {x, y};
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.keys, p.max_entries * 4);
        if (p.values != nullptr) v.reads(p.values, p.max_entries * 4);
        v.reads(p.n_entries, 4);
        v.reads(p.points, p.n_points * sizeof(affine));
        v.reads(p.places, (p.max_pairs + 1) * 4);
        v.writes(p.prefixes.units, p.prefixes.n_elements * sizeof(field));
        v.writes(p.out_keys, p.max_out * 4);
        v.writes(p.out_points, p.max_out * sizeof(affine));
        v.writes(p.n_out, 4);
    }

private:
    // A point and its sign, fetched part by part.
    struct entry {
        affine const* at;
        bool negative;
        GPU_FN field x() const { return load_constant(&at->x); }
        GPU_FN field y() const { return load_constant(&at->y).negated_if(negative); }
        GPU_FN affine point() const { return {x(), y()}; }
    };

    // What becomes of two points: a sum by the chord, by the tangent, one of them, or infinity.
    enum class kind : uint32_t { chord, doubled, left, right, infinity };
    GPU_FN static bool divides(kind k) { return k == kind::chord || k == kind::doubled; }

    GPU_FN static kind kind_of(entry const& a, entry const& b, field const& xa, field const& xb, field& denominator) {
        denominator = xb - xa;
        // Infinity has x = 0, and so do points outside of the subgroup.
        if (!denominator.is_zero() && !xa.is_zero() && !xb.is_zero()) return kind::chord;
        return rare_kind(a.point(), b.point(), denominator);
    }

    GPU_CALL static kind rare_kind(affine a, affine b, field& denominator) {
        if (a.is_infinity()) return kind::right;
        if (b.is_infinity()) return kind::left;
        if (!denominator.is_zero()) return kind::chord;
        denominator = a.y.dbl();
        return a.y == b.y && !denominator.is_zero() ? kind::doubled : kind::infinity;
    }

    GPU_CALL static field thrice_square(field x) {
        field const square = x.sqr();
        return square.dbl() + square;
    }

    GPU_FN static uint64_t n_pairs(params const& p) { return (uint64_t(*p.n_entries) + 1) / 2; }

    GPU_FN static bool is_joined(params const& p, uint64_t j) {
        return 2 * j + 1 < *p.n_entries && p.keys[2 * j] == p.keys[2 * j + 1];
    }

    GPU_FN static entry entry_at(params const& p, uint64_t i) {
        if (p.values == nullptr) return {p.points + i, false};
        uint32_t const value = p.values[i];
        return {p.points + (value & ~negative_entry), (value & negative_entry) != 0};
    }
};

}  // namespace spf
