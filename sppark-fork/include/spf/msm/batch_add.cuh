// The driver of a batch addition: sum of points[i] over the set bits i of a bitmap, resident or streamed.
//
// It uses an MSM's context: two staging sides, and a result that spf_msm_*_finish collects (one "window").
#pragma once

#include "spf/msm/batch_add.hpp"
#include "spf/msm/pippenger.cuh"

namespace spf {

template <class G> struct batch_add_memory {
    using xyzz = typename G::xyzz;
    uint32_t n_blocks;
    uint32_t n_sums;
    xyzz *sums, *partial_sums, *total;
    slice_t *parts, *whole;
    uint32_t* counters;
    typename G::affine* staged_points[2];
    uint32_t* staged_bitmap[2];

    batch_add_memory(carver& c, spf_batch_add_args const& a, uint64_t n_batch) {
        uint64_t const tiles = detail::ceil_div(n_batch, add_selected<G>::tile_words * 32);
        uint64_t const resident = uint64_t(a.n_multiprocessors) * add_selected<G>::min_blocks;
        n_blocks = uint32_t(tiles < resident ? tiles : resident);
        n_sums = n_blocks * add_selected<G>::n_threads;
        uint32_t const n_parts = uint32_t(detail::ceil_div(n_sums, slice_points));
        sums = c.take<xyzz>(n_sums);
        partial_sums = c.take<xyzz>(n_parts);
        total = c.take<xyzz>(1);
        parts = c.take<slice_t>(n_parts);
        whole = c.take<slice_t>(1);
        counters = c.take<uint32_t>(2);
        for (int k = 0; k < 2; k++) {
            staged_points[k] = a.points_on_host != 0 ? c.take<typename G::affine>(n_batch) : nullptr;
            staged_bitmap[k] = a.bitmap_on_host != 0 ? c.take<uint32_t>(detail::ceil_div(n_batch, 32)) : nullptr;
        }
    }
};

// Batches are whole words of the bitmap.
inline uint64_t batch_points(spf_batch_add_args const& a) {
    uint64_t const wanted = a.max_batch_points != 0 ? a.max_batch_points
                            : a.points_on_host != 0 ? default_streamed_batch
                                                    : a.n_points;
    uint64_t const n = (wanted < a.n_points ? wanted : a.n_points) + 31;
    return n / 32 == 0 ? 32 : n / 32 * 32;
}

inline void check_batch_add_args(spf_batch_add_args const& a) {
    require(a.n_points <= max_msm_points, "a batch addition of %llu points; at most %llu", (unsigned long long)a.n_points,
            (unsigned long long)max_msm_points);
    require(a.n_points == 0 || (a.points != nullptr && a.bitmap != nullptr), "points or bitmap are null");
    require(a.n_multiprocessors > 0 && a.n_multiprocessors <= 4096, "%u multiprocessors", a.n_multiprocessors);
}

template <class G> uint64_t batch_add_workspace_bytes(spf_batch_add_args const& a) {
    check_batch_add_args(a);
    carver measure;
    batch_add_memory<G> const pieces(measure, a, batch_points(a));
    (void)pieces;
    return measure.used_bytes();
}

template <class G> void start_batch_add_on(spf_msm& ctx, spf_stream const& stream, spf_batch_add_args const& a) {
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    check_batch_add_args(a);
    require(a.d_workspace != nullptr, "the workspace is null");
    uint64_t const n_batch = batch_points(a);
    carver pieces(a.d_workspace, a.workspace_bytes);
    batch_add_memory<G> const m(pieces, a, n_batch);
    recoding_t one_window{};
    one_window.n_windows = 1;
    ctx.begin(stream, group_number<G>, one_window, sizeof(xyzz), 1);

    fill_bytes_on(stream, m.sums, 0, m.n_sums * sizeof(xyzz));
    uint64_t const n_batches = detail::ceil_div(a.n_points, n_batch);
    for (uint64_t i = 0; i < n_batches; i++) {
        uint32_t const side = i % 2;
        uint64_t const first = i * n_batch;
        uint64_t const n = a.n_points - first < n_batch ? a.n_points - first : n_batch;
        affine const* d_points = static_cast<affine const*>(a.points) + first;
        uint32_t const* d_bitmap = a.bitmap + first / 32;
        if (a.points_on_host != 0 || a.bitmap_on_host != 0) {
            if (i >= 2) wait_on(ctx.uploads, *ctx.consumed[side]);
            if (a.bitmap_on_host != 0) {
                ctx.upload(m.staged_bitmap[side], d_bitmap, detail::ceil_div(n, 32) * 4);
                d_bitmap = m.staged_bitmap[side];
            }
            if (a.points_on_host != 0) {
                ctx.upload(m.staged_points[side], d_points, n * sizeof(affine));
                d_points = m.staged_points[side];
            }
            ctx.uploaded[side]->record_on(ctx.uploads);
            wait_on(stream, *ctx.uploaded[side]);
        }
        uint64_t const tiles = detail::ceil_div(n, add_selected<G>::tile_words * 32);
        grid_t const grid{uint32_t(tiles < m.n_blocks ? tiles : m.n_blocks), 1};
        check(launch<add_selected<G>>(stream.raw, grid, {d_points, d_bitmap, n, m.sums, m.n_sums}), "launching add_selected");
        ctx.consumed[side]->record_on(stream);
    }
    uint32_t const n_parts = uint32_t(detail::ceil_div(m.n_sums, slice_points));
    check(launch<list_slices>(stream.raw, {uint32_t(detail::ceil_div(n_parts, list_slices::n_threads)), 1},
                              {m.n_sums, m.parts, m.whole, m.counters, m.counters + 1, n_parts}),
          "launching list_slices");
    check(launch<sum_slices<G>>(stream.raw, {n_parts, 1},
                                {m.parts, m.counters, m.sums, nullptr, m.partial_sums, n_parts, m.n_sums, 0, n_parts}),
          "launching sum_slices over threads");
    check(launch<sum_slices<G>>(stream.raw, {1, 1},
                                {m.whole, m.counters + 1, m.partial_sums, nullptr, m.total, 1, n_parts, 0, 1}),
          "launching sum_slices over slices");
    copy_to_host_on(stream, result_buffer<G>(ctx, 0), m.total, sizeof(xyzz));
    ctx.collected[0]->record_on(stream);
}

}  // namespace spf
