// The driver of a multi-scalar multiplication: sum_i s_i P_i over G1 or G2.
//
// Points that are resident make one batch: digits, sort, accumulate, merge, reduce for each group of
// windows, one copy of a few window sums to the host. Points or scalars in host memory come in batches
// through two staging buffers, uploaded on a stream of their own. The window sums of batch i go to
// host buffer i mod 2 with an event; the host collects them while batch i + 1 runs (`deferred`), or
// waits for each batch (`per_batch`, for measurement). Either way it adds the same points in the same
// order, so the bytes are the same.
#pragma once

#include "spf/msm/idle_time.cuh"
#include "spf/msm/plan.hpp"
#include "spf/msm/reduce.hpp"
#include "spf/msm/halve.hpp"
#include "spf/msm/sort.cuh"
#include "spf/runtime/memory.hpp"
#include "spf/runtime/workspace.hpp"

#include <memory>
#include <vector>

namespace spf {

constexpr uint32_t max_windows = 64;
constexpr uint64_t max_msm_points = uint64_t(1) << 30;
constexpr uint64_t default_streamed_batch = uint64_t(1) << 22;

template <class G> constexpr uint32_t group_number = sizeof(typename G::affine) == 96 ? 1 : 2;

// The request of one batch, from the arguments.
template <class G> msm_request request_of(spf_msm_args const& a, uint64_t n_batch) {
    msm_request q;
    q.n_points = n_batch;
    q.n_halves = a.points_in_subgroup != 0 ? 2 : 1;
    q.window_bits = a.window_bits;
    q.n_multiprocessors = a.n_multiprocessors;
    q.n_resident_threads = a.n_multiprocessors * accumulate_segments<G>::n_threads * accumulate_segments<G>::min_blocks;
    bool const is_asked_for = a.accumulation == SPF_ACCUMULATION_AFFINE;
    if (is_asked_for || (a.accumulation == SPF_ACCUMULATION_CHOSEN && group_number<G> == 2)) {
        q.n_halving_threads = a.n_multiprocessors * halve_pairs<G>::n_threads * halve_pairs<G>::min_blocks;
        q.min_halving_threads = is_asked_for ? 1 : q.n_halving_threads;
        q.halving_costs = group_number<G> == 1 ? halving_costs_g1 : halving_costs_g2;
        q.max_group_entries = uint64_t(1) << (group_number<G> == 1 ? 26 : 25);  // some 70 bytes an entry more in G1, 140 in G2
    }
    if (a.max_group_entries != 0) q.max_group_entries = a.max_group_entries;
    return q;
}

inline bool is_streamed(spf_msm_args const& a) { return a.points_on_host != 0 || a.scalars_on_host != 0; }

inline uint64_t batch_points(spf_msm_args const& a) {
    uint64_t const wanted = a.max_batch_points != 0       ? a.max_batch_points
                            : a.points_on_host != 0 ? default_streamed_batch
                                                    : a.n_points;
    uint64_t const n = wanted < a.n_points ? wanted : a.n_points;
    return n == 0 ? 1 : n;
}

inline void check_msm_args(spf_msm_args const& a) {
    require(a.n_points <= max_msm_points, "an MSM of %llu points; at most %llu", (unsigned long long)a.n_points,
            (unsigned long long)max_msm_points);
    require(a.n_points == 0 || (a.points != nullptr && a.scalars != nullptr), "points or scalars are null");
    require(a.d_indices == nullptr || a.points_on_host == 0, "an index list needs the points in device memory");
    require(a.d_indices == nullptr || a.n_bases <= max_msm_points, "an index list over %llu points; at most %llu",
            (unsigned long long)a.n_bases, (unsigned long long)max_msm_points);
    require(a.n_multiprocessors > 0 && a.n_multiprocessors <= 4096, "%u multiprocessors", a.n_multiprocessors);
    require(a.window_bits == 0 || (a.window_bits >= min_window_bits && a.window_bits <= max_window_bits),
            "windows of %u bits; from %u to %u, or 0 for the library's choice", a.window_bits, min_window_bits, max_window_bits);
    require(a.accumulation <= SPF_ACCUMULATION_AFFINE, "accumulation %u is none of this library's", a.accumulation);
    require(a.schedule <= SPF_PIPPENGER_PER_BATCH, "schedule %u is none of this library's", a.schedule);
}

// The pieces of the workspace.
template <class G> struct msm_memory {
    using xyzz = typename G::xyzz;
    using affine = typename G::affine;

    sort_buffers sort;
    uint32_t* counters;  // digits, slices of tails, slices of sums, entries after each halving
    xyzz *buckets, *heads, *tails, *partial_sums;
    slice_t *parts, *wholes;
    xyzz *weighted, *sums, *window_sums;
    affine* halved_points[2];
    unit_planes<typename G::field> prefixes;
    affine* staged_points[2];
    uint32_t* staged_scalars[2];

    msm_memory(carver& c, msm_plan const& p, spf_msm_args const& a) {
        uint64_t const entries = p.group_entries();
        sort.keys = c.take<uint32_t>(entries);
        sort.values = c.take<uint32_t>(entries);
        sort.other_keys = c.take<uint32_t>(entries);
        sort.other_values = c.take<uint32_t>(entries);
        sort.scratch_bytes = sort_scratch_bytes(entries);
        sort.scratch = c.take<unsigned char>(sort.scratch_bytes);
        counters = c.take<uint32_t>(n_counters(p));
        buckets = c.take<xyzz>(p.group_buckets());
        heads = c.take<xyzz>(p.n_segments);
        tails = c.take<xyzz>(p.n_segments);
        partial_sums = c.take<xyzz>(max_parts(p.n_segments));
        parts = c.take<slice_t>(max_parts(p.n_segments));
        wholes = c.take<slice_t>(max_wholes(p.n_segments));
        weighted = c.take<xyzz>(p.group_chunks());
        sums = c.take<xyzz>(p.group_chunks());
        window_sums = c.take<xyzz>(p.recoding.n_windows);
        prefixes = {};
        for (uint32_t r = 0; r < p.n_halvings; r++) {
            halving_t const h = make_halving(p, r);
            if (r < 2) halved_points[r] = c.take<affine>(h.max_out);  // later ones take turns
            uint64_t const shared = halving_grid_threads(h) * h.pairs_per_thread;
            if (shared > prefixes.n_elements) prefixes.n_elements = shared;
        }
        prefixes.units =
            c.take<unit_t>(prefixes.n_elements * unit_planes<typename G::field>::n_units);
        for (int k = 0; k < 2; k++) {
            staged_points[k] = a.points_on_host != 0 ? c.take<affine>(p.n_points) : nullptr;
            staged_scalars[k] = a.scalars_on_host != 0 ? c.take<uint32_t>(p.n_points * 8) : nullptr;
        }
    }

    // Whole blocks.
    static uint64_t halving_grid_threads(halving_t const& h) {
        return detail::ceil_div(h.n_threads, halve_pairs<G>::n_threads) * halve_pairs<G>::n_threads;
    }

    static uint64_t n_counters(msm_plan const& p) { return 3 + p.n_halvings; }
};

// The digits of one group: entry i belongs to bucket keys[i], and is the point that
// values[i] names, or points[i].
template <class G> struct digit_list {
    uint32_t *keys, *other_keys;
    uint32_t const* values;
    uint32_t const* n_entries;  // on the card
    typename G::affine const* points;
    uint64_t n_points;
    uint64_t max_entries;
};

// Everything between scalars and points in device memory and the window sums in host memory, enqueued.
template <class G> class msm_batch {
public:
    msm_batch(spf_stream const& stream, msm_plan const& plan, msm_memory<G>& memory)
        : stream_(stream), plan_(plan), m_(memory) {}

    void run(typename G::affine const* d_points, uint64_t n_bases, uint32_t const* d_scalars, uint32_t const* d_indices,
             uint64_t n, bool montgomery, typename G::xyzz* h_window_sums) {
        for (uint32_t g = 0; g < plan_.n_groups; g++) {
            uint32_t const first = g * plan_.windows_per_group;
            uint32_t const left = plan_.recoding.n_windows - first;
            uint32_t const windows = left < plan_.windows_per_group ? left : plan_.windows_per_group;
            group(d_points, n_bases, d_scalars, d_indices, n, montgomery, first, windows);
        }
        copy_to_host_on(stream_, h_window_sums, m_.window_sums, plan_.recoding.n_windows * sizeof(typename G::xyzz));
    }

private:
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;

    template <class Body> void start(uint64_t n_threads_x, uint32_t y, typename Body::params const& p, char const* what) {
        grid_t const grid{uint32_t(detail::ceil_div(n_threads_x, Body::n_threads)), y};
        check(launch<Body>(stream_.raw, grid, p), what);
    }

    void group(typename G::affine const* d_points, uint64_t n_bases, uint32_t const* d_scalars, uint32_t const* d_indices,
               uint64_t n, bool montgomery, uint32_t first_window, uint32_t n_windows) {
        uint32_t const n_halves = plan_.recoding.n_halves;
        uint64_t const n_entries = n * n_windows * n_halves;
        uint64_t const n_buckets = uint64_t(n_windows * n_halves) << plan_.log_buckets;
        fill_bytes_on(stream_, m_.counters, 0, m_.n_counters(plan_) * sizeof(uint32_t));
        fill_bytes_on(stream_, m_.buckets, 0, n_buckets * sizeof(xyzz));
        sort_buffers lists = m_.sort;
        start<make_digits>(n, 1,
                           {d_scalars, d_indices, n, montgomery, plan_.recoding, first_window, n_windows, lists.keys,
                            lists.values, m_.counters},
                           "launching make_digits");
        sort_pairs_on(stream_, lists, n_entries, plan_.sort_bits);
        digit_list<G> list{lists.keys, lists.other_keys, lists.values, m_.counters, d_points, n_bases, n_entries};
        for (uint32_t r = 0; r < plan_.n_halvings; r++) halve(list, r, lists);
        start<accumulate_segments<G>>(plan_.n_segments, 1,
                                      {list.keys, list.values, list.n_entries, list.points, list.n_points, plan_.n_segments,
                                       m_.buckets, n_buckets, m_.heads, m_.tails, list.max_entries},
                                      "launching accumulate_segments");
        merge(list, n_buckets);
        reduce(first_window, n_windows);
    }

    // The list of half as many entries; `lists` lends the memory for the places.
    void halve(digit_list<G>& list, uint32_t round, sort_buffers const& lists) {
        halving_t const h = make_halving(plan_, round);
        uint32_t* const places = lists.other_values;
        uint32_t* const n_out = m_.counters + 3 + round;
        affine* const out = m_.halved_points[round % 2];
        start<count_kept>(h.max_pairs + 1, 1, {list.keys, list.n_entries, list.max_entries, h.max_pairs, places},
                          "launching count_kept");
        running_sum_on(stream_, places, h.max_pairs + 1, lists.scratch, lists.scratch_bytes);
        start<halve_pairs<G>>(h.n_threads, 1,
                              {list.keys, list.values, list.n_entries, list.points, list.n_points, places, list.max_entries,
                               h.max_pairs, h.pairs_per_thread, m_.prefixes, list.other_keys, out, h.max_out, n_out},
                              "launching halve_pairs");
        list = {list.other_keys, list.keys, nullptr, n_out, out, h.max_out, h.max_out};
    }

    void merge(digit_list<G> const& list, uint64_t n_buckets) {
        uint32_t const n_segments = plan_.n_segments;
        uint32_t const most_parts = max_parts(n_segments), most_wholes = max_wholes(n_segments);
        start<merge_runs<G>>(n_segments, 1,
                             {list.keys, list.n_entries, n_segments, m_.heads, m_.tails, m_.buckets, n_buckets, m_.parts,
                              m_.wholes, m_.counters + 1, m_.counters + 2, list.max_entries, most_parts, most_wholes},
                             "launching merge_runs");
        // A few blocks a multiprocessor take turns; with ordinary scalars there is nothing for them.
        uint64_t const blocks = n_segments / 128 + 1;
        start<sum_slices<G>>(blocks * slice_threads, 1,
                             {m_.parts, m_.counters + 1, m_.tails, m_.heads, m_.partial_sums, most_parts, n_segments,
                              n_segments, most_parts},
                             "launching sum_slices over segments");
        start<sum_slices<G>>(blocks * slice_threads, 1,
                             {m_.wholes, m_.counters + 2, m_.partial_sums, m_.heads, m_.buckets, most_wholes, most_parts,
                              n_segments, n_buckets},
                             "launching sum_slices over slices");
    }

    void reduce(uint32_t first_window, uint32_t n_windows) {
        uint32_t const log_chunks = plan_.log_chunks();
        start<reduce_chunks<G>>(uint64_t(1) << log_chunks, n_windows,
                                {m_.buckets, plan_.log_buckets, plan_.log_chunk, plan_.recoding.n_halves, n_windows,
                                 m_.weighted, m_.sums},
                                "launching reduce_chunks");
        for (uint32_t level = 0; level < log_chunks; level += fold_chunks<G>::n_levels) {
            uint64_t const nodes = uint64_t(1) << (log_chunks - level);
            start<fold_chunks<G>>(nodes * 4, n_windows,
                                  {m_.weighted, m_.sums, log_chunks, level, n_windows, m_.window_sums + first_window},
                                  "launching fold_chunks");
        }
    }

    spf_stream const& stream_;
    msm_plan const& plan_;
    msm_memory<G>& m_;
};

}  // namespace spf

// What one MSM in flight needs beside its workspace: two host buffers for
// results, a stream for uploads, events.
struct spf_msm {
    spf_msm(uint32_t device, bool with_timing)
        : device(device),
          uploads(device),
          started(device, false),
          results(device, 2 * spf::max_windows * sizeof(spf::g2_t::xyzz)) {
        for (int k = 0; k < 2; k++) {
            uploaded[k] = std::make_unique<spf_event>(device, false);
            consumed[k] = std::make_unique<spf_event>(device, false);
            collected[k] = std::make_unique<spf_event>(device, false);
        }
        if (with_timing) idle = std::make_unique<spf::idle_time>(device);
    }

    // Marks the next result as in flight. The staging buffers are free when what `stream` did so far is done.
    void begin(spf_stream const& stream, uint32_t for_group, spf::recoding_t const& windows, uint64_t sum_bytes,
               uint64_t batches) {
        spf::require(group == 0, "the last result of this context has not been fetched");
        spf::require(device == stream.device, "the context belongs to device %u, the stream to device %u", device,
                     stream.device);
        started.record_on(stream);
        spf::wait_on(uploads, started);
        totals.assign(windows.n_windows * sum_bytes, 0);  // infinity
        group = for_group;
        recoding = windows;
        n_batches = batches;
        n_collected = 0;
        if (idle) idle->reset();
        bytes_to_device = 0;
        bytes_to_host = batches * totals.size();
    }

    // Enqueues a copy on the stream for uploads.
    void upload(void* d_to, void const* h_from, uint64_t n_bytes) {
        spf::copy_to_device_on(uploads, d_to, h_from, n_bytes);
        bytes_to_device += n_bytes;
    }

    uint32_t device;
    spf_stream uploads;
    spf_event started;
    std::unique_ptr<spf_event> uploaded[2], consumed[2], collected[2];
    spf::pinned_buffer results;
    std::unique_ptr<spf::idle_time> idle;  // if it is to be measured

    // The MSM in flight: 0 none, else its group.
    uint32_t group = 0;
    spf::recoding_t recoding{};
    uint64_t n_batches = 0, n_collected = 0;
    std::vector<unsigned char> totals;  // window sums of the batches collected so far
    uint64_t bytes_to_device = 0, bytes_to_host = 0;
};

namespace spf {

template <class G> typename G::xyzz* result_buffer(spf_msm& ctx, uint64_t batch) {
    return static_cast<typename G::xyzz*>(ctx.results.get()) + (batch % 2) * max_windows;
}

// Adds batch i's window sums to the totals once they are on the host.
template <class G> void collect_batch(spf_msm& ctx, uint64_t batch) {
    using xyzz = typename G::xyzz;
    ctx.collected[batch % 2]->synchronize();
    if (ctx.idle) ctx.idle->add_gap_before(batch);
    auto* const totals = reinterpret_cast<xyzz*>(ctx.totals.data());
    xyzz const* const sums = result_buffer<G>(ctx, batch);
    for (uint32_t w = 0; w < ctx.recoding.n_windows; w++) {
        xyzz total, sum;
        std::memcpy(static_cast<void*>(&total), totals + w, sizeof total);
        std::memcpy(static_cast<void*>(&sum), sums + w, sizeof sum);
        total.add(sum);
        std::memcpy(static_cast<void*>(totals + w), &total, sizeof total);
    }
    ctx.n_collected = batch + 1;
}

template <class G> uint64_t msm_workspace_bytes(spf_msm_args const& a) {
    check_msm_args(a);
    carver measure;
    msm_memory<G> const pieces(measure, make_msm_plan(request_of<G>(a, batch_points(a))), a);
    (void)pieces;
    return measure.used_bytes();
}

template <class G> void start_msm_on(spf_msm& ctx, spf_stream const& stream, spf_msm_args const& a) {
    using xyzz = typename G::xyzz;
    using affine = typename G::affine;
    check_msm_args(a);
    uint64_t const n_batch = batch_points(a);
    msm_plan const plan = make_msm_plan(request_of<G>(a, n_batch));
    carver pieces(a.d_workspace, a.workspace_bytes);
    require(a.d_workspace != nullptr, "the workspace is null");
    msm_memory<G> memory(pieces, plan, a);

    ctx.begin(stream, group_number<G>, plan.recoding, sizeof(xyzz), detail::ceil_div(a.n_points, n_batch));
    msm_batch<G> batch_runner(stream, plan, memory);
    for (uint64_t i = 0; i < ctx.n_batches; i++) {
        uint32_t const side = i % 2;
        uint64_t const first = i * n_batch;
        uint64_t const n = a.n_points - first < n_batch ? a.n_points - first : n_batch;
        affine const* d_points = static_cast<affine const*>(a.points);
        uint32_t const* d_scalars = static_cast<uint32_t const*>(a.scalars) + first * 8;
        if (is_streamed(a)) {
            if (i >= 2) wait_on(ctx.uploads, *ctx.consumed[side]);
            if (a.scalars_on_host != 0) {
                ctx.upload(memory.staged_scalars[side], d_scalars, n * 32);
                d_scalars = memory.staged_scalars[side];
            }
            if (a.points_on_host != 0) {
                ctx.upload(memory.staged_points[side], d_points + first, n * sizeof(affine));
            }
            ctx.uploaded[side]->record_on(ctx.uploads);
            wait_on(stream, *ctx.uploaded[side]);
        }
        uint64_t n_bases = n;
        uint32_t const* d_indices = nullptr;
        if (a.points_on_host != 0) {
            d_points = memory.staged_points[side];
        } else if (a.d_indices != nullptr) {
            d_indices = a.d_indices + first;
            n_bases = a.n_bases;
        } else {
            d_points += first;
        }
        if (ctx.idle) ctx.idle->begins_on(stream, i);
        batch_runner.run(d_points, n_bases, d_scalars, d_indices, n, a.scalars_are_montgomery != 0, result_buffer<G>(ctx, i));
        if (ctx.idle) ctx.idle->ends_on(stream, i);
        if (is_streamed(a)) ctx.consumed[side]->record_on(stream);
        ctx.collected[side]->record_on(stream);
        if (a.schedule == SPF_PIPPENGER_PER_BATCH) {
            collect_batch<G>(ctx, i);
        } else if (i >= 1) {
            collect_batch<G>(ctx, i - 1);  // while batch i runs
        }
    }
}

template <class G> typename G::affine finish_msm(spf_msm& ctx) {
    using xyzz = typename G::xyzz;
    require(ctx.group == group_number<G>, "no MSM of this group is in flight in this context");
    while (ctx.n_collected < ctx.n_batches) collect_batch<G>(ctx, ctx.n_collected);
    ctx.group = 0;
    std::vector<xyzz> sums(ctx.recoding.n_windows);
    std::memcpy(static_cast<void*>(sums.data()), ctx.totals.data(), ctx.totals.size());
    return combine_windows<G>(sums.data(), ctx.recoding).to_affine();
}

}  // namespace spf
