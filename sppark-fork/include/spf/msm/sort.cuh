// Sorting of (key, value) pairs of 32 bits by the low bits of the key, and running sums.
//
// The unit src/msm_sort.cu alone instantiates CUB's radix sort and scan: they take longest to compile and are
// the same for both groups.
#pragma once

#include "spf/runtime/memory.hpp"

namespace spf {

struct sort_buffers {
    uint32_t *keys, *values;              // in; after the sort, out
    uint32_t *other_keys, *other_values;  // as large; overwritten
    void* scratch;
    uint64_t scratch_bytes;
};

// What the sort may ask for: 256 counters of 4 bytes a tile, tiles of 4096 pairs
// at the least, and small tables.
constexpr uint64_t sort_scratch_bytes(uint64_t n) { return n / 4 + (uint64_t(1) << 20); }

// Sorts the first n pairs by bits [0, key_bits); equal keys keep their order. The buffers may swap roles.
void sort_pairs_on(spf_stream const& stream, sort_buffers& b, uint64_t n, uint32_t key_bits);

// values[i] = the sum of those before it, for n values in place. The scratch of a
// sort of as many pairs is enough.
void running_sum_on(spf_stream const& stream, uint32_t* values, uint64_t n, void* scratch, uint64_t scratch_bytes);

}  // namespace spf
