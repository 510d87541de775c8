// The driver of fixed-base multiplication: the table, and multiples in chunks that bound the workspace.
#pragma once

#include "spf/msm/fixed_base.hpp"
#include "spf/runtime/memory.hpp"
#include "spf/runtime/workspace.hpp"

namespace spf {

constexpr uint32_t max_fixed_base_window_bits = 20;
constexpr uint64_t max_fixed_base_chunk = uint64_t(1) << 20;  // points between two normalisations
constexpr uint64_t points_per_inversion = 32;

inline void check_fixed_base_window(uint32_t window_bits) {
    require(window_bits >= min_window_bits && window_bits <= max_fixed_base_window_bits, "windows of %u bits; from %u to %u",
            window_bits, min_window_bits, max_fixed_base_window_bits);
}

inline uint64_t fixed_base_table_points(uint32_t window_bits) {
    recoding_t const r = make_recoding(window_bits, 1);
    return uint64_t(r.n_windows) << (r.window_bits - 1);
}

template <class G> struct fixed_base_memory {
    typename G::xyzz* bases;
    typename G::xyzz* points;
    typename G::field* prefixes;

    fixed_base_memory(carver& c, uint64_t chunk) {
        bases = c.take<typename G::xyzz>(64);
        points = c.take<typename G::xyzz>(chunk);
        prefixes = c.take<typename G::field>(chunk);
    }
};

// For chunks of so many points.
template <class G> uint64_t fixed_base_workspace_bytes(uint64_t chunk) {
    carver measure;
    fixed_base_memory<G> const pieces(measure, chunk);
    (void)pieces;
    return measure.used_bytes();
}

// Room for n points at a time: less than the most only where there are fewer to do.
inline uint64_t fixed_base_chunk(uint64_t n) { return n < max_fixed_base_chunk ? n : max_fixed_base_chunk; }

// Points between two normalisations in such a workspace: as many as fit, so that a
// caller short of memory gives less.
template <class G> uint64_t fixed_base_chunk_of(uint64_t workspace_bytes) {
    constexpr uint64_t per_point = sizeof(typename G::xyzz) + sizeof(typename G::field);
    uint64_t const fixed = fixed_base_workspace_bytes<G>(0) + 2 * 256;  // the pieces begin at multiples of 256
    require(workspace_bytes >= fixed + per_point, "the workspace has %llu bytes, at least %llu are needed",
            (unsigned long long)workspace_bytes, (unsigned long long)(fixed + per_point));
    return fixed_base_chunk((workspace_bytes - fixed) / per_point);
}

// What makes it `fixed_base_chunk(n)` points, and at least one.
template <class G> uint64_t fixed_base_workspace_bytes_for(uint64_t n) {
    return fixed_base_workspace_bytes<G>(0) + 2 * 256 +
           fixed_base_chunk(n > 0 ? n : 1) * (sizeof(typename G::xyzz) + sizeof(typename G::field));
}

template <class G>
void normalise_on(spf_stream const& stream, fixed_base_memory<G> const& m, typename G::affine* d_out, uint64_t n) {
    uint32_t const n_groups = uint32_t((n + points_per_inversion - 1) / points_per_inversion);
    uint32_t const blocks = (n_groups + normalise_points<G>::n_threads - 1) / normalise_points<G>::n_threads;
    check(launch<normalise_points<G>>(stream.raw, {blocks, 1}, {m.points, m.prefixes, d_out, n, n_groups}),
          "launching normalise_points");
}

template <class Body> uint32_t blocks_for(uint64_t n_threads) {
    return uint32_t((n_threads + Body::n_threads - 1) / Body::n_threads);
}

template <class G>
void build_fixed_base_table_on(spf_stream const& stream, typename G::affine base, uint32_t window_bits, void* d_table,
                               uint64_t table_bytes, void* d_workspace, uint64_t workspace_bytes) {
    check_fixed_base_window(window_bits);
    uint64_t const n = fixed_base_table_points(window_bits);
    require(d_table != nullptr && d_workspace != nullptr, "the table or the workspace is null");
    require(table_bytes >= n * sizeof(typename G::affine), "the table has %llu bytes, %llu are needed",
            (unsigned long long)table_bytes, (unsigned long long)(n * sizeof(typename G::affine)));
    uint64_t const chunk = fixed_base_chunk_of<G>(workspace_bytes);
    carver pieces(d_workspace, workspace_bytes);
    fixed_base_memory<G> const m(pieces, chunk);
    auto* const table = static_cast<typename G::affine*>(d_table);
    recoding_t const recoding = make_recoding(window_bits, 1);
    check(launch<window_bases<G>>(stream.raw, {1, 1}, {base, recoding, m.bases}), "launching window_bases");
    for (uint64_t first = 0; first < n; first += chunk) {
        uint64_t const count = n - first < chunk ? n - first : chunk;
        check(launch<table_entries<G>>(stream.raw, {blocks_for<table_entries<G>>(count), 1},
                                       {m.bases, recoding.window_bits, recoding.n_windows, first, count, m.points}),
              "launching table_entries");
        normalise_on<G>(stream, m, table + first, count);
    }
}

template <class G> void multiply_fixed_base_on(spf_stream const& stream, spf_fixed_base_args const& a) {
    check_fixed_base_window(a.window_bits);
    require(a.n_points == 0 || (a.d_table != nullptr && a.d_scalars != nullptr && a.d_points != nullptr && a.d_workspace != nullptr),
            "the table, scalars, points or workspace are null");
    require(a.table_bytes >= fixed_base_table_points(a.window_bits) * sizeof(typename G::affine),
            "the table has %llu bytes, %llu are needed", (unsigned long long)a.table_bytes,
            (unsigned long long)(fixed_base_table_points(a.window_bits) * sizeof(typename G::affine)));
    if (a.n_points == 0) return;
    uint64_t const chunk = fixed_base_chunk_of<G>(a.workspace_bytes);
    carver pieces(a.d_workspace, a.workspace_bytes);
    fixed_base_memory<G> const m(pieces, chunk);
    recoding_t const recoding = make_recoding(a.window_bits, 1);
    for (uint64_t first = 0; first < a.n_points; first += chunk) {
        uint64_t const n = a.n_points - first < chunk ? a.n_points - first : chunk;
        check(launch<multiply_base<G>>(stream.raw, {blocks_for<multiply_base<G>>(n), 1},
                                       {static_cast<typename G::affine const*>(a.d_table),
                                        static_cast<uint32_t const*>(a.d_scalars) + first * 8, a.scalars_are_montgomery,
                                        recoding, n, m.points}),
              "launching multiply_base");
        normalise_on<G>(stream, m, static_cast<typename G::affine*>(a.d_points) + first, n);
    }
}

}  // namespace spf
