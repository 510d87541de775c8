// A sorted digit list to one of half the length, by affine additions.
//
// An affine addition is one division and a third fewer products than one in extended coordinates, and
// divisions are cheap by the hundred: a thread multiplies its denominators up, inverts the product once, and
// comes back down (Montgomery's trick).
// Entries 2j and 2j + 1 of the list are pair j wherever the buckets' borders lie. Two of one bucket are
// added; two of different buckets both stay. So each addition takes one entry off the list, the list stays
// sorted, and the work is the same for every thread however skewed the scalars are. What is left after a few
// rounds goes to `accumulate_segments`.
//
// Points lie anywhere in memory, so a thread has those of its next pair brought to shared memory while it
// computes with these, and knows the names of the one after that.
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

// A field element from its units.
template <class F, class Unit> GPU_FN F gather_units(Unit&& unit) {
    F value;
    auto* const word = reinterpret_cast<uint32_t*>(&value);
    SPF_UNROLL for (unsigned u = 0; u < sizeof(F) / sizeof(unit_t); u++) {
        unit_t const x = unit(u);
        SPF_UNROLL for (unsigned i = 0; i < 4; i++) word[4 * u + i] = x.word[i];
    }
    return value;
}

// Field elements of a thread that no other reads, in units: unit u of element k at [u][k], so
// that the threads of a warp, whose elements lie side by side, read and write whole lines.
template <class F> struct unit_planes {
    static constexpr unsigned n_units = sizeof(F) / sizeof(unit_t);
    unit_t* units;
    uint64_t n_elements;

    GPU_FN F get(uint64_t k) const {
        return gather_units<F>([&](unsigned u) { return units[u * n_elements + k]; });
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
    static constexpr unsigned n_threads = is_g1 ? 128 : 64;
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 1;
    static constexpr unsigned n_units = sizeof(affine) / sizeof(unit_t), n_units_of_x = n_units / 2;
    // The points of two pairs: unit u of thread t at [u][t].
    struct shared {
        unit_t points[2][2][n_units][n_threads];
    };
    struct regs {};

    // Pairs lie in rows of n_threads; tiles of as many rows as a thread has pairs go to the blocks in turn. Where
    // there are fewer rows than there might have been, tiles are smaller, so that all blocks have as many.
    GPU_FN static uint32_t n_rounds(block_pos b, params const& p) {
        uint64_t const n_tiles = ceil_div(n_rows(p), rows_per_tile(b, p));
        return n_tiles > b.block ? uint32_t(ceil_div(n_tiles - b.block, b.n_blocks)) : 0;
    }

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared& memory, regs&) {
        if (t.i_round == 0 && t.global() == 0) *p.n_out = p.places[p.max_pairs];
        uint32_t const rows = rows_per_tile(t, p);
        uint64_t const tile = uint64_t(t.i_round) * t.n_blocks + t.block;
        uint64_t const first = tile * rows * n_threads + t.thread;
        uint64_t const first_prefix = uint64_t(t.block) * n_threads * p.pairs_per_thread + t.thread;
        uint64_t const n = n_pairs(p);
        if (first >= n) return;
        uint64_t const left = ceil_div(n - first, n_threads);
        uint32_t const n_own = left < rows ? uint32_t(left) : rows;
        points_of_pairs fetched{memory, t.thread};

        field product = field::one();
        names_t names = names_at(p, first), next = n_own > 1 ? names_at(p, first + n_threads) : names;
        fetched.fetch(p, 0, names, n_units_of_x);
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t k = 0; k < n_own; k++) {
            names_t const here = names;
            names = next;
            fetched.fetch(p, k + 1, names, k + 1 < n_own ? n_units_of_x : 0);
            if (k + 2 < n_own) next = names_at(p, first + uint64_t(k + 2) * n_threads);
            wait_for_copies<1>();
            if (!here.is_joined) continue;
            entry const a = fetched.entry_at(p, k, 0, here.a), b = fetched.entry_at(p, k, 1, here.b);
            field denominator;
            if (!divides(kind_of(a, b, a.x(), b.x(), denominator))) continue;
            p.prefixes.put(first_prefix + uint64_t(k) * n_threads, product);
            product = product * denominator;
        }
        uint64_t const last = first + uint64_t(n_own - 1) * n_threads;
        names = names_at(p, last), next = n_own > 1 ? names_at(p, last - n_threads) : names;
        fetched.fetch(p, n_own - 1, names, n_units);
        field inverse = product.inverse();
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t k = n_own; k-- > 0;) {
            uint64_t const j = first + uint64_t(k) * n_threads;
            names_t const here = names;
            names = next;
            fetched.fetch(p, k + 1, names, k > 0 ? n_units : 0);  // to where pair k - 1 belongs
            if (k > 1) next = names_at(p, j - 2 * n_threads);
            wait_for_copies<1>();
            uint32_t const place = p.places[j];
            entry const a = fetched.entry_at(p, k, 0, here.a), b = fetched.entry_at(p, k, 1, here.b);
            p.out_keys[place] = p.keys[2 * j];
            if (!here.is_joined) {
                p.out_points[place] = a.point();
                if (here.b != no_entry) {
                    p.out_keys[place + 1] = p.keys[2 * j + 1];
                    p.out_points[place + 1] = b.point();
                }
                continue;
            }
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
        wait_for_copies<0>();
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
    // Which points a pair is of, with their signs; and whether they are of one bucket.
    struct names_t {
        uint32_t a, b;
        bool is_joined;
    };
    static constexpr uint32_t no_entry = 0xffffffffu;

    GPU_FN static names_t names_at(params const& p, uint64_t j) {
        uint32_t const i = uint32_t(2 * j);
        if (i + 1 >= *p.n_entries) return {name_at(p, i), no_entry, false};
        return {name_at(p, i), name_at(p, i + 1), p.keys[i] == p.keys[i + 1]};
    }

    GPU_FN static uint32_t name_at(params const& p, uint32_t i) { return p.values == nullptr ? i : p.values[i]; }

    GPU_FN static affine const* point_at(params const& p, uint32_t name) {
        return p.points + (p.values == nullptr ? name : name & ~negative_entry);
    }

    // A point and its sign, read part by part: of what was fetched, x alone in the first pass.
    struct entry {
        unit_t const (*units)[n_threads];
        uint32_t thread;
        affine const* at;
        bool negative;

        GPU_FN field x() const {
            return gather_units<field>([&](unsigned u) { return units[u][thread]; });
        }
        GPU_FN field y() const {
            return gather_units<field>([&](unsigned u) { return units[n_units_of_x + u][thread]; }).negated_if(negative);
        }
        GPU_FN affine point() const { return {x(), y()}; }
        // In either pass.
        GPU_FN affine whole() const {
            affine const p = load_constant(at);
            return {p.x, p.y.negated_if(negative)};
        }
    };

    // A thread's part of the shared memory: pairs whose numbers in the tile are even, and odd ones.
    struct points_of_pairs {
        shared& memory;
        uint32_t thread;

        // The first units of the points of the tile's pair k.
        GPU_FN void fetch(params const& p, uint32_t k, names_t names, unsigned n_first) const {
            if (n_first != 0) {
                copy(p, k, 0, names.a, n_first);
                if (names.b != no_entry) copy(p, k, 1, names.b, n_first);
            }
            end_copy_group();
        }

        GPU_FN entry entry_at(params const& p, uint32_t k, unsigned which, uint32_t name) const {
            bool const negative = p.values != nullptr && (name & negative_entry) != 0;
            return {memory.points[k % 2][which], thread, point_at(p, name), negative};
        }

    private:
        GPU_FN void copy(params const& p, uint32_t k, unsigned which, uint32_t name, unsigned n_first) const {
            auto const* const from = reinterpret_cast<unit_t const*>(point_at(p, name));
            SPF_UNROLL for (unsigned u = 0; u < n_units; u++) {
                if (u < n_first) copy_async(&memory.points[k % 2][which][u][thread], from + u);
            }
        }
    };

    // What becomes of two points: a sum by the chord, by the tangent, one of them, or infinity.
    enum class kind : uint32_t { chord, doubled, left, right, infinity };
    GPU_FN static bool divides(kind k) { return k == kind::chord || k == kind::doubled; }

    GPU_FN static kind kind_of(entry const& a, entry const& b, field const& xa, field const& xb, field& denominator) {
        denominator = xb - xa;
        // Infinity has x = 0, and so do points outside of the subgroup.
        if (!denominator.is_zero() && !xa.is_zero() && !xb.is_zero()) return kind::chord;
        return rare_kind(a.whole(), b.whole(), denominator);
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

    GPU_FN static uint64_t n_rows(params const& p) { return ceil_div(n_pairs(p), n_threads); }

    GPU_FN static uint32_t rows_per_tile(block_pos b, params const& p) {
        uint64_t const rounds = ceil_div(n_rows(p), uint64_t(b.n_blocks) * p.pairs_per_thread);
        uint64_t const rows = rounds == 0 ? 1 : ceil_div(n_rows(p), b.n_blocks * rounds);
        return uint32_t(rows);
    }

    GPU_FN static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
};

}  // namespace spf
