// What an MSM does for its size and card: pure functions of numbers, tested on the host for every size.
#pragma once

#include "spf/msm/recode.hpp"

namespace spf {

// Times on an H200 in units of one 32-bit multiplication of its whole grid (1 / 8.36e12 s): a digit from its
// scalar to its place in the sorted list, its addition to a bucket, an addition of the reduction, a level of
// its tree, an addition that nothing else hides. Measured, docs/performance.md; only their ratios matter
// here. The two groups differ by nearly the same factor in all of these.
constexpr double cost_of_digit = 430;
constexpr double cost_of_accumulation = 3100;
constexpr double cost_of_reduction = 6000;
constexpr double cost_of_level = 1.3e8;
constexpr double cost_of_lone_addition = 1e8;

// A pair of a halving and the inversion that a thread's pairs of a tile share, in the same unit: in G2 divided by that factor.
struct halving_costs_t {
    double pair, inversion;
};
constexpr halving_costs_t halving_costs_g1{2650, 17000};
constexpr halving_costs_t halving_costs_g2{2250, 12000};

struct msm_request {
    uint64_t n_points = 0;
    uint32_t n_halves = 2;          // 2 with the endomorphism, 1 for points that may lie outside the group of order r
    uint32_t window_bits = 0;       // 0: chosen
    uint32_t n_resident_threads = 132 * 640;  // threads of the accumulation that the card holds at once
    uint32_t n_multiprocessors = 132;
    uint64_t max_group_entries = uint64_t(1) << 28;  // bounds the sorting memory: 16 bytes an entry
    uint32_t n_halving_threads = 0;    // threads of a halving (halve.hpp) that the card holds at once; 0: no halvings
    uint32_t min_halving_threads = 0;  // that must have enough to do for a halving to take place
    halving_costs_t halving_costs = halving_costs_g1;
};

struct msm_plan {
    uint64_t n_points;
    recoding_t recoding;
    uint32_t log_buckets;        // buckets of one row: 2^(window_bits - 1)
    uint32_t windows_per_group;  // windows that are sorted, accumulated and reduced together
    uint32_t n_groups;
    uint32_t n_halvings;         // of the digit list, by affine additions, before it is cut into segments
    uint32_t n_halving_threads;
    uint32_t n_segments;         // equal parts of the sorted digit list, a thread each
    uint32_t log_chunk;          // buckets that one thread of the reduction runs through
    uint32_t sort_bits;          // of the keys

    uint32_t rows_per_group() const { return windows_per_group * recoding.n_halves; }
    uint64_t group_entries() const { return n_points * rows_per_group(); }
    uint64_t group_buckets() const { return uint64_t(rows_per_group()) << log_buckets; }
    uint32_t log_chunks() const { return log_buckets - log_chunk; }  // chunks of one window
    uint64_t group_chunks() const { return uint64_t(windows_per_group) << log_chunks(); }
};

// One halving of the digit list.
struct halving_t {
    uint64_t max_entries, max_pairs, max_out;  // bounds: the card alone knows how many digits are not zero
    uint32_t n_threads;
    uint32_t pairs_per_thread;  // that share an inversion; a thread may have several such rounds
};

constexpr uint32_t max_window_bits = 24;
// A run of this many segments is summed by one thread; a longer one by blocks.
constexpr uint32_t short_run_segments = 8;
// Digits that a segment has at least, if there are enough: below, merging costs more than idle lanes.
constexpr uint32_t min_segment = 24;
// Pairs that share an inversion: with fewer it costs more than it saves, with more
// it is next to nothing already.
constexpr uint32_t min_shared_pairs = 24;
constexpr uint32_t max_shared_pairs = 128;
// Entries a bucket, on average, for a halving: with fewer, too many pairs are of two
// buckets and have nothing to add.
constexpr uint32_t min_halved_run = 4;
constexpr uint32_t max_halvings = 8;
constexpr uint32_t slice_threads = 64;
constexpr uint32_t slice_points = slice_threads * 8;

namespace detail {

constexpr uint32_t ceil_log2(uint64_t n) {
    uint32_t k = 0;
    while ((uint64_t(1) << k) < n) k++;
    return k;
}

constexpr uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Buckets that one thread of the reduction runs through, as log2: so many that the tree's leaves are one wave
// of its blocks (64 leaves each, two blocks a multiprocessor), at most 64, and two chunks or more a window.
constexpr uint32_t log_chunk_for(uint32_t n_windows, uint32_t log_buckets, uint32_t n_multiprocessors) {
    uint32_t k = 0;
    while (k < 6 && k + 1 < log_buckets && (uint64_t(n_windows) << (log_buckets - k)) > uint64_t(n_multiprocessors) * 128) k++;
    return k;
}

inline bool is_halved(msm_request const& q, double entries, double buckets) {
    return q.n_halving_threads != 0 && entries >= buckets * min_halved_run &&
           entries / 2 >= double(q.min_halving_threads) * min_shared_pairs;
}
// Entries after a halving: a border between buckets falls within a pair as often as between two.
inline double halved(double entries, double buckets) { return entries / 2 + (entries < buckets ? entries : buckets) / 2; }

// Time from scalars to buckets.
inline double accumulation_cost(msm_request const& q, double entries, double buckets) {
    double cost = entries * cost_of_digit;
    // Groups are halved one by one.
    double const share = entries > double(q.max_group_entries) ? double(q.max_group_entries) / entries : 1;
    for (uint32_t r = 0; r < max_halvings && is_halved(q, entries * share, buckets * share); r++) {
        double const per_thread = entries * share / 2 / q.n_halving_threads;
        double const sharing = per_thread < min_shared_pairs   ? min_shared_pairs
                               : per_thread > max_shared_pairs ? max_shared_pairs
                                                               : per_thread;
        cost += entries / 2 * (q.halving_costs.pair + q.halving_costs.inversion / sharing);
        entries = halved(entries, buckets);
    }
    return cost + entries * cost_of_accumulation;
}

// Windows that are sorted, accumulated and reduced together: as many as fit, as even as it goes.
struct window_groups_t {
    uint32_t n_groups, windows_per_group;
};

inline window_groups_t window_groups(msm_request const& q, uint32_t n_windows) {
    uint64_t const window_entries = q.n_points * q.n_halves > 0 ? q.n_points * q.n_halves : 1;
    uint64_t const fitting = q.max_group_entries / window_entries;
    uint32_t const at_most = fitting == 0 ? 1 : fitting > n_windows ? n_windows : uint32_t(fitting);
    uint32_t const windows_per_group = uint32_t(ceil_div(n_windows, ceil_div(n_windows, at_most)));
    return {uint32_t(ceil_div(n_windows, windows_per_group)), windows_per_group};
}

// Time of the whole MSM with windows of at most c bits.
//
// With few buckets a bucket is cut into several segments, which one thread adds
// up, or, if they are many, blocks.
// The reduction is a thread's chain of additions over its chunk. While the chunks are one wave or less, a
// scheduler has one warp or none, and the chain's length is what it costs, not the number of buckets: 9
// windows of 14 and 15 bits take as long as 8 of 16 bits, whose fewer digits are then worth it (at 2^18, G1).
// Beyond a wave the additions of all chunks count. What is a chain's length counts for each group of windows.
inline double msm_cost(msm_request const& q, uint32_t c) {
    recoding_t const r = make_recoding(c, q.n_halves);
    double buckets = 0;
    for (uint32_t w = 0; w < r.n_windows; w++) buckets += double(uint64_t(1) << (r.bits(w) - 1));
    double const rows = r.n_windows * r.n_halves;
    double const entries = double(q.n_points) * rows;
    double const length = entries / q.n_resident_threads < min_segment ? min_segment : entries / q.n_resident_threads;
    double const parts = double(q.n_points) / double(uint64_t(1) << (r.window_bits - 1)) / length;
    double const merge = (parts < short_run_segments ? parts : 2.0 * short_run_segments) * cost_of_lone_addition;
    window_groups_t const groups = window_groups(q, r.n_windows);
    uint32_t const log_chunk = log_chunk_for(groups.windows_per_group, r.window_bits - 1, q.n_multiprocessors);
    double const chain = groups.n_groups * double(uint32_t(1) << log_chunk) * cost_of_lone_addition;
    double const all = buckets * cost_of_reduction;
    double const reduction = (r.n_halves + 1) * (chain > all ? chain : all);
    double const tree = groups.n_groups * (r.window_bits - 1 - log_chunk) * cost_of_level;
    return accumulation_cost(q, entries, buckets * r.n_halves) + groups.n_groups * merge + reduction + tree;
}

}  // namespace detail

inline uint32_t choose_window_bits(msm_request const& q) {
    uint32_t best = min_window_bits;
    for (uint32_t c = min_window_bits; c <= max_window_bits; c++) {
        if (detail::msm_cost(q, c) < detail::msm_cost(q, best)) best = c;
    }
    return best;
}

inline msm_plan make_msm_plan(msm_request const& q) {
    msm_plan p{};
    p.n_points = q.n_points;
    uint32_t c = q.window_bits != 0 ? q.window_bits : choose_window_bits(q);
    c = c < min_window_bits ? min_window_bits : c > max_window_bits ? max_window_bits : c;
    p.recoding = make_recoding(c, q.n_halves);
    p.log_buckets = p.recoding.window_bits - 1;

    detail::window_groups_t const groups = detail::window_groups(q, p.recoding.n_windows);
    p.n_groups = groups.n_groups;
    p.windows_per_group = groups.windows_per_group;

    double entries = double(p.group_entries());
    double const buckets = double(p.group_buckets());
    p.n_halving_threads = q.n_halving_threads;
    while (p.n_halvings < max_halvings && detail::is_halved(q, entries, buckets)) {
        entries = detail::halved(entries, buckets);
        p.n_halvings++;
    }

    // A wave of segments, and up to 16 waves while a segment keeps 64 digits: more, and the parts at
    // segments' ends cost; fewer, and the slowest multiprocessor is waited for.
    uint64_t const wave = q.n_resident_threads;
    uint64_t waves = uint64_t(entries) / (wave * 64);
    waves = waves < 1 ? 1 : waves > 16 ? 16 : waves;
    uint64_t const filled = detail::ceil_div(uint64_t(entries), min_segment);
    p.n_segments = uint32_t(filled < wave ? (filled < 64 ? 64 : filled) : waves * wave);

    p.log_chunk = detail::log_chunk_for(p.windows_per_group, p.log_buckets, q.n_multiprocessors);
    p.sort_bits = detail::ceil_log2(p.group_buckets() + 1);
    return p;
}

// The sizes of halving `round` of a plan, from 0 on.
inline halving_t make_halving(msm_plan const& p, uint32_t round) {
    halving_t h{};
    h.max_out = p.group_entries();
    for (uint32_t r = 0; r <= round; r++) {
        h.max_entries = h.max_out;
        h.max_pairs = detail::ceil_div(h.max_entries, 2);
        // Both entries of a pair stay where a border between buckets falls within it.
        h.max_out = h.max_pairs + (h.max_pairs < p.group_buckets() ? h.max_pairs : p.group_buckets());
    }
    uint64_t const fed = detail::ceil_div(h.max_pairs, min_shared_pairs);
    h.n_threads = fed < p.n_halving_threads ? uint32_t(fed) : p.n_halving_threads;
    uint64_t const n_rounds = detail::ceil_div(h.max_pairs, uint64_t(h.n_threads) * max_shared_pairs);
    h.pairs_per_thread = uint32_t(detail::ceil_div(h.max_pairs, h.n_threads * n_rounds));
    return h;
}

}  // namespace spf
