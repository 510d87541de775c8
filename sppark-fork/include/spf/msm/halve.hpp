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

#include "spf/core/async_copy.hpp"
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
    static constexpr unsigned n_units = sizeof(F) / sizeof(unit_t);
    unit_t* units;
    uint64_t n_elements;

    GPU_FN F get(uint64_t k) const {
        F value;
        auto* const word = reinterpret_cast<uint32_t*>(&value);
        SPF_UNROLL for (unsigned u = 0; u < n_units; u++) {
            unit_t const x = units[u * n_elements + k];
            SPF_UNROLL for (unsigned i = 0; i < 4; i++) word[4 * u + i] = x.word[i];
        }
        return value;
    }
    GPU_FN void put(uint64_t k, F const& value) const {
        auto const* const word = reinterpret_cast<uint32_t const*>(&value);
        SPF_UNROLL for (unsigned u = 0; u < n_units; u++) {
            unit_t x;
            SPF_UNROLL for (unsigned i = 0; i < 4; i++) x.word[i] = word[4 * u + i];
            units[u * n_elements + k] = x;
        }
    }
};

// The pairs lie in rows of one a thread, and a block has so many rows that lie together. It takes them in tiles,
// of which each thread runs through its pairs twice: forward for the product of the denominators, which needs
// x alone, and back for the sums. The points of a pair are fetched while the pair before it is worked on,
// what says where they are one pair earlier still, so that the multiplier does not wait for memory.
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
        uint32_t pairs_per_thread;    // of a tile
        unit_planes<field> prefixes;  // pairs_per_thread for each thread of the grid
        uint32_t* out_keys;
        affine* out_points;
        uint64_t max_out;
        uint32_t* n_out;
    };
    static constexpr bool is_g1 = sizeof(affine) == 96;
    static constexpr unsigned n_threads = is_g1 ? 128 : 64;
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 1;
    static constexpr unsigned n_units = sizeof(affine) / sizeof(unit_t), n_units_of_x = n_units / 2;
    struct shared {
        // of the pair at hand and the next one, the two points of each thread
        unit_t point[2][2][n_units][n_threads];
    };
    struct regs {};

    GPU_FN static uint32_t n_rounds(block_pos b, params const& p) {
        rows_t const rows(b, *p.n_entries);
        return uint32_t((rows.end - rows.begin + p.pairs_per_thread - 1) / p.pairs_per_thread);
    }

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs&) {
        // The last block has the last row, whoever has none.
        if (t.i_round == 0 && t.block + 1 == t.n_blocks && t.thread == 0) *p.n_out = p.places[p.max_pairs];
        uint32_t const n_entries = *p.n_entries;
        rows_t const rows(t, n_entries);
        uint64_t const row = rows.begin + uint64_t(t.i_round) * p.pairs_per_thread;
        uint64_t const left = rows.end - row;
        uint32_t n_own = left < p.pairs_per_thread ? uint32_t(left) : p.pairs_per_thread;
        uint64_t const first = row * n_threads + t.thread;
        // The last row may be short.
        if (2 * (first + uint64_t(n_own - 1) * n_threads) >= n_entries) n_own--;
        if (n_own == 0) return;
        auto const prefix_of = [&](uint32_t k) {
            return (uint64_t(t.block) * p.pairs_per_thread + k) * n_threads + t.thread;
        };

        tile_t const tile{p, s, t.thread, first, n_own, n_entries};
        field product = field::one();
        tile.forward([&](fetched_t const& pair, uint32_t k) {
            if (!pair.at.is_joined()) return;
            field denominator;
            if (!divides(pair.kind_of(p, pair.x(0), pair.x(1), denominator))) return;
            p.prefixes.put(prefix_of(k), product);
            product = product * denominator;
        });
        field inverse = product.inverse();
        tile.back([&](fetched_t const& pair, uint32_t k) {
            uint32_t const place = pair.at.place;
            p.out_keys[place] = pair.at.key[0];
            if (!pair.at.is_joined()) {
                p.out_points[place] = pair.point(0);
                if (pair.at.has_second) {
                    p.out_keys[place + 1] = pair.at.key[1];
                    p.out_points[place + 1] = pair.point(1);
                }
                return;
            }
            field const xa = pair.x(0), xb = pair.x(1);
            field denominator;
            kind const how = pair.kind_of(p, xa, xb, denominator);
            if (!divides(how)) {
                p.out_points[place] = how == kind::infinity ? affine::infinity() : pair.point(how == kind::right);
                return;
            }
            field slope = inverse * p.prefixes.get(prefix_of(k));
            inverse = inverse * denominator;
            field const ya = pair.y(0);
            slope = slope * (how == kind::doubled ? thrice_square(xa) : pair.y(1) - ya);
            field const x = slope.sqr() - xa - xb;
            field const y = slope * (xa - x) - ya;
            p.out_points[place] = {x, y};
        });
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
    // The rows of a block.
    struct rows_t {
        uint64_t begin, end;
        GPU_FN rows_t(block_pos b, uint32_t n_entries) {
            uint64_t const n_pairs = (uint64_t(n_entries) + 1) / 2;
            uint64_t const n_rows = (n_pairs + n_threads - 1) / n_threads;
            begin = n_rows * b.block / b.n_blocks;
            end = n_rows * (b.block + 1) / b.n_blocks;
        }
    };

    // What becomes of two points: a sum by the chord, by the tangent, one of them, or infinity.
    enum class kind : uint32_t { chord, doubled, left, right, infinity };
    GPU_FN static bool divides(kind k) { return k == kind::chord || k == kind::doubled; }

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

    // What there is to know of a pair before its points are there. Keys and entries are compared and looked up
    // where they are used, a pair later than they are loaded.
    struct pair_t {
        uint32_t key[2], entry[2];
        uint32_t place;
        bool has_second;
        GPU_FN bool is_joined() const { return has_second && key[0] == key[1]; }
    };

    GPU_FN static affine const* point_of(params const& p, uint32_t entry) {
        return p.points + (p.values != nullptr ? entry & ~negative_entry : entry);
    }

    // A pair whose points, or their x alone, are in shared memory.
    struct fetched_t {
        pair_t at;
        bool is_signed;  // an entry's top bit is the point's sign
        unit_t const (*point_units)[n_units][n_threads];
        uint32_t thread;

        GPU_FN field x(uint32_t side) const { return coordinate(side, 0); }
        GPU_FN field y(uint32_t side) const { return coordinate(side, n_units_of_x).negated_if(is_negative(side)); }
        GPU_FN affine point(uint32_t side) const { return {x(side), y(side)}; }

        GPU_FN kind kind_of(params const& p, field const& xa, field const& xb, field& denominator) const {
            denominator = xb - xa;
            // Infinity has x = 0, and so do points outside of the subgroup.
            if (!denominator.is_zero() && !xa.is_zero() && !xb.is_zero()) return kind::chord;
            return rare_kind(reload(p, 0), reload(p, 1), denominator);
        }

    private:
        GPU_FN bool is_negative(uint32_t side) const { return is_signed && (at.entry[side] & negative_entry) != 0; }
        GPU_FN affine reload(params const& p, uint32_t side) const {
            return load_constant(point_of(p, at.entry[side])).negated_if(is_negative(side));
        }
        GPU_FN field coordinate(uint32_t side, unsigned from) const {
            field value;
            auto* const word = reinterpret_cast<uint32_t*>(&value);
            SPF_UNROLL for (unsigned u = 0; u < n_units_of_x; u++) {
                unit_t const unit = point_units[side][from + u][thread];
                SPF_UNROLL for (unsigned i = 0; i < 4; i++) word[4 * u + i] = unit.word[i];
            }
            return value;
        }
    };

    // A thread's pairs of a tile: first, first + n_threads, and so on.
    struct tile_t {
        params const& p;
        shared& s;
        uint32_t thread;
        uint64_t first;
        uint32_t n_own, n_entries;

        template <class Body> GPU_FN void forward(Body&& body) const {
            run<n_units_of_x>([](uint32_t step) { return step; }, body);
        }
        template <class Body> GPU_FN void back(Body&& body) const {
            run<n_units>([this](uint32_t step) { return n_own - 1 - step; }, body);
        }

    private:
        // Calls `body` for each pair, in the order that `nth` gives, with the first Units of its points there.
        template <unsigned Units, class Nth, class Body> GPU_FN void run(Nth&& nth, Body&& body) const {
            pair_t now = pair_at(nth(0)), next = n_own > 1 ? pair_at(nth(1)) : now;
            fetch<Units>(0, now);
            commit_copies();
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
            for (uint32_t step = 0; step < n_own; step++) {
                if (step + 1 < n_own) fetch<Units>((step + 1) % 2, next);
                commit_copies();
                pair_t const after = step + 2 < n_own ? pair_at(nth(step + 2)) : next;
                wait_for_copies<1>();
                body(fetched_t{now, p.values != nullptr, s.point[step % 2], thread}, nth(step));
                now = next;
                next = after;
            }
        }

        template <unsigned Units> GPU_FN void fetch(uint32_t side, pair_t const& pair) const {
            SPF_UNROLL for (uint32_t i = 0; i < 2; i++) {
                if (i == 1 && !pair.has_second) continue;
                auto const* const from = reinterpret_cast<unit_t const*>(point_of(p, pair.entry[i]));
                SPF_UNROLL for (unsigned u = 0; u < Units; u++) copy_async(&s.point[side][i][u][thread], from + u);
            }
        }

        GPU_FN pair_t pair_at(uint32_t k) const {
            uint64_t const j = first + uint64_t(k) * n_threads, i = 2 * j;
            pair_t pair{{p.keys[i], 0}, {uint32_t(i), uint32_t(i + 1)}, p.places[j], i + 1 < n_entries};
            if (pair.has_second) pair.key[1] = p.keys[i + 1];
            if (p.values != nullptr) {
                pair.entry[0] = p.values[i];
                if (pair.has_second) pair.entry[1] = p.values[i + 1];
            }
            return pair;
        }
    };
};

}  // namespace spf
