// Sorted digit lists to buckets, in equal parts.
//
// The list is cut into segments of the same length, a thread each, wherever the buckets' borders lie: every
// thread does the same number of additions, however skewed the scalars are. A bucket that lies within a
// segment is written there; one that reaches over a border leaves a part a segment, and `merge_runs` adds
// these up. The length follows the number of digits that are not zero, which only the card knows.
#pragma once

#include "spf/core/block.hpp"
#include "spf/curve/stepped_sum.hpp"
#include "spf/msm/digits.hpp"

namespace spf {

// Which part of the list a segment is.
struct segment_t {
    uint64_t begin, end;

    GPU_FN static uint64_t length(uint32_t n_entries, uint32_t n_segments) {
        uint64_t const even = (uint64_t(n_entries) + n_segments - 1) / n_segments;
        return even < 4 ? 4 : even;  // shorter ones would only make parts to merge
    }
    GPU_FN segment_t(uint32_t s, uint32_t n_entries, uint32_t n_segments) {
        uint64_t const l = length(n_entries, n_segments);
        begin = s * l;
        end = begin + l < n_entries ? begin + l : n_entries;
    }
};

// heads[s]: the part of a bucket that began in an earlier segment and ends in s. tails[s]: the
// part of a bucket that goes on in segment s + 1. A bucket over a whole segment is a tail. Buckets
// must be zeroed (infinity) before.
template <class G> struct accumulate_segments {
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    struct params {
        uint32_t const* keys;    // sorted
        uint32_t const* values;  // with them; null: entry i is points[i]
        uint32_t const* n_entries;
        affine const* points;
        uint64_t n_points;
        uint32_t n_segments;
        xyzz* buckets;
        uint64_t n_buckets;
        xyzz* heads;
        xyzz* tails;
        uint64_t max_entries;
    };
    // Measured on an H200 (docs/performance.md): in G1 20 warps of 96 registers beat 12 of 168, which no
    // slots would allow; in G2 8 warps of 255 registers beat 10 of 168, because a product over Fp2
    // overlaps with itself when it has room.
    static constexpr bool is_g1 = sizeof(affine) == 96;
    static constexpr unsigned n_threads = is_g1 ? 64 : 128;
    static constexpr unsigned min_blocks = is_g1 ? 10 : 2;
    static constexpr unsigned n_phases = 1;
    using sum_t = stepped_sum<G, n_threads>;
    struct shared {
        typename sum_t::slots slots;
    };
    struct regs {};

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared& memory, regs&) {
        uint64_t const s = t.global();
        if (s >= p.n_segments) return;
        uint32_t const n_entries = *p.n_entries;
        segment_t const part(uint32_t(s), n_entries, p.n_segments);
        if (part.begin >= n_entries) return;

        uint32_t key = p.keys[part.begin];
        bool began_before = part.begin > 0 && p.keys[part.begin - 1] == key;
        sum_t sum{memory.slots, t.thread, true};
        for (uint64_t i = part.begin; i < part.end; i++) {
            uint32_t const next_key = p.keys[i];
            if (next_key != key) {
                *(began_before ? p.heads + s : p.buckets + key) = sum.get();
                began_before = false;
                key = next_key;
                sum.is_infinity = true;
            }
            sum.add([&] { return load(p, i); });
        }
        bool const goes_on = part.end < n_entries && p.keys[part.end] == key;
        *(goes_on ? p.tails + s : began_before ? p.heads + s : p.buckets + key) = sum.get();
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.keys, p.max_entries * 4);
        if (p.values != nullptr) v.reads(p.values, p.max_entries * 4);
        v.reads(p.n_entries, 4);
        v.reads(p.points, p.n_points * sizeof(affine));
        v.writes(p.buckets, p.n_buckets * sizeof(xyzz));
        v.writes(p.heads, p.n_segments * sizeof(xyzz));
        v.writes(p.tails, p.n_segments * sizeof(xyzz));
    }

private:
    GPU_FN static affine load(params const& p, uint64_t i) {
        if (p.values == nullptr) return load_constant(p.points + i);
        uint32_t const entry = p.values[i];
        return load_constant(p.points + (entry & ~negative_entry)).negated_if((entry & negative_entry) != 0);
    }
};

// A sum of points that lie side by side, with one more perhaps: out = extra + sum of points[begin .. end).
struct slice_t {
    uint32_t begin, end;
    uint32_t extra;  // index into the extras, or no_extra
    uint32_t out;
};
constexpr uint32_t no_extra = 0xffffffffu;

// Buckets over a segment's border: bucket = tails[s0] + ... + tails[s1 - 1] + heads[s1]. The thread
// of segment s1 adds them up if they are few; else it lists slices of the tails, which blocks add
// up, and a slice of these sums.
template <class G> struct merge_runs {
    using xyzz = typename G::xyzz;
    struct params {
        uint32_t const* keys;
        uint32_t const* n_entries;
        uint32_t n_segments;
        xyzz const* heads;
        xyzz const* tails;
        xyzz* buckets;
        uint64_t n_buckets;
        slice_t* parts;      // slices of `tails`; result k goes to partial sum k
        slice_t* wholes;     // slices of the partial sums, extras among `heads`, results among the buckets
        uint32_t* n_parts;   // both zeroed before
        uint32_t* n_wholes;
        uint64_t max_entries;
        uint32_t max_parts, max_wholes;
    };
    using shared = empty_t;
    struct regs {};
    static constexpr unsigned n_threads = 128;
    static constexpr unsigned min_blocks = sizeof(xyzz) == 192 ? 3 : 2;
    static constexpr unsigned n_phases = 1;

    template <unsigned> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const s = t.global();
        if (s == 0 || s >= p.n_segments) return;
        uint32_t const n_entries = *p.n_entries;
        segment_t const part(uint32_t(s), n_entries, p.n_segments);
        if (part.begin >= n_entries) return;
        uint32_t const key = p.keys[part.begin];
        if (p.keys[part.begin - 1] != key) return;                                 // nothing began before
        if (part.end < n_entries && p.keys[part.end - 1] == key && p.keys[part.end] == key) return;  // a later segment's

        uint64_t const length = segment_t::length(n_entries, p.n_segments);
        uint32_t const first = uint32_t(run_begin(p.keys, part.begin, key) / length);
        uint32_t const n_tails = uint32_t(s) - first;
        if (n_tails <= short_run_segments) {
            xyzz sum = p.heads[s];
            for (uint32_t k = first; k < s; k++) add_by_call(sum, p.tails[k]);
            p.buckets[key] = sum;
            return;
        }
        uint32_t const n_slices = (n_tails + slice_points - 1) / slice_points;
        uint32_t const at = atomic_add(p.n_parts, n_slices);
        for (uint32_t k = 0; k < n_slices; k++) {
            uint32_t const begin = first + k * slice_points;
            uint32_t const end = begin + slice_points < s ? begin + slice_points : uint32_t(s);
            p.parts[at + k] = slice_t{begin, end, no_extra, at + k};
        }
        p.wholes[atomic_add(p.n_wholes, 1)] = {at, at + n_slices, uint32_t(s), key};
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.keys, p.max_entries * 4);
        v.reads(p.n_entries, 4);
        v.reads(p.heads, p.n_segments * sizeof(xyzz));
        v.reads(p.tails, p.n_segments * sizeof(xyzz));
        v.writes(p.buckets, p.n_buckets * sizeof(xyzz));
        v.writes(p.parts, p.max_parts * sizeof(slice_t));
        v.writes(p.wholes, p.max_wholes * sizeof(slice_t));
        v.writes(p.n_parts, 4);
        v.writes(p.n_wholes, 4);
    }

private:
    // The first index with this key, given one index after it. Runs are short: look back
    // by doubling steps, then halve.
    GPU_FN static uint64_t run_begin(uint32_t const* keys, uint64_t inside, uint32_t key) {
        uint64_t high = inside;  // keys[high] is known to be `key`, or high is where it was asked
        uint64_t step = 1;
        uint64_t low = 0;  // everything below `low` is smaller
        while (high >= step) {
            if (keys[high - step] != key) {
                low = high - step + 1;
                break;
            }
            high -= step;
            step *= 2;
        }
        while (low < high) {
            uint64_t const middle = low + (high - low) / 2;
            if (keys[middle] == key) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return high;
    }
};

// How many slices merge_runs can list at most. A run with a slice has more than short_run_segments segments
// of its own, and each slice but a run's last is full.
constexpr uint32_t max_wholes(uint32_t n_segments) { return n_segments / short_run_segments + 1; }
constexpr uint32_t max_parts(uint32_t n_segments) { return n_segments / slice_points + max_wholes(n_segments); }

// Sums of slices, a block each in turn.
template <class G> struct sum_slices {
    using xyzz = typename G::xyzz;
    struct params {
        slice_t const* slices;
        uint32_t const* n_slices;
        xyzz const* points;
        xyzz const* extras;
        xyzz* out;
        uint32_t max_slices;
        uint64_t n_points, n_extras, n_out;
    };
    struct shared {
        xyzz sums[slice_threads];
    };
    struct regs {};
    static constexpr unsigned n_threads = slice_threads;
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 8;  // own sums, six levels of the tree, the result

    GPU_FN static uint32_t n_rounds(block_pos b, params const& p) {
        uint32_t const n = *p.n_slices;
        return n > b.block ? (n - b.block + b.n_blocks - 1) / b.n_blocks : 0;
    }

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs&) {
        slice_t const slice = p.slices[t.block + t.i_round * t.n_blocks];
        if constexpr (P == 0) {
            xyzz sum = xyzz::infinity();
            for (uint32_t i = slice.begin + t.thread; i < slice.end; i += slice_threads) add_by_call(sum, p.points[i]);
            s.sums[t.thread] = sum;
        } else if constexpr (P < 7) {
            constexpr uint32_t stride = slice_threads >> P;
            if (t.thread < stride) add_by_call(s.sums[t.thread], s.sums[t.thread + stride]);
        } else {
            if (t.thread != 0) return;
            xyzz sum = s.sums[0];
            if (slice.extra != no_extra) add_by_call(sum, p.extras[slice.extra]);
            p.out[slice.out] = sum;
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.slices, p.max_slices * sizeof(slice_t));
        v.reads(p.n_slices, 4);
        v.reads(p.points, p.n_points * sizeof(xyzz));
        v.reads(p.extras, p.n_extras * sizeof(xyzz));
        v.writes(p.out, p.n_out * sizeof(xyzz));
    }
};

}  // namespace spf
