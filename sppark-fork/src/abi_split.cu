// The C ABI of what prepares scalars for an MSM.
#include "spf/msm/split.hpp"
#include "spf/runtime/memory.hpp"
#include "sppark_fork.h"

using namespace spf;

namespace {

template <class Body> void start(spf_stream const& on, uint64_t n_threads, typename Body::params const& p, char const* what) {
    if (n_threads == 0) return;
    check(launch<Body>(on.raw, {uint32_t((n_threads + Body::n_threads - 1) / Body::n_threads)}, p), what);
}

}  // namespace

extern "C" {

int32_t spf_split_scalars_on(spf_stream* stream, spf_split_args const* raw, spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_split_args const& a = checked(raw, "spf_split_args");
        spf_stream const& on = current(stream);
        require(a.n < uint64_t(1) << 32, "%llu scalars; terms have 32-bit numbers", (unsigned long long)a.n);
        require(a.d_indices != nullptr || a.n <= a.n_elements, "%llu terms of %llu elements", (unsigned long long)a.n,
                (unsigned long long)a.n_elements);
        require(a.d_counts != nullptr, "the counters are null");
        require(a.n == 0 || (a.d_elements != nullptr && a.d_ones != nullptr && a.d_tail_terms != nullptr &&
                             a.d_tail_scalars != nullptr),
                "a buffer is null");
        fill_bytes_on(on, a.d_counts, 0, 2 * sizeof(uint32_t));
        start<split_scalars>(on, a.n,
                             {static_cast<uint32_t const*>(a.d_elements), a.d_indices, a.n_elements, a.n, a.d_ones,
                              a.d_tail_terms, static_cast<uint32_t*>(a.d_tail_scalars), a.d_counts},
                             "launching the split of scalars");
    });
}

int32_t spf_expand_bits_on(spf_stream* stream, uint32_t const* d_words, uint32_t const* d_ranks, uint64_t n_words,
                           uint64_t n_set, uint32_t* d_indices, spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_stream const& on = current(stream);
        require(n_words <= uint64_t(1) << 27, "%llu words of bits; indices have 32 bits", (unsigned long long)n_words);
        require(n_words == 0 || (d_words != nullptr && d_ranks != nullptr), "a buffer is null");
        require(n_set == 0 || d_indices != nullptr, "the indices are null");
        start<expand_bits>(on, n_words, {d_words, d_ranks, n_words, n_set, d_indices}, "launching the expansion of bits");
    });
}

}  // extern "C"
