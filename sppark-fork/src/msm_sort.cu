// The sort of digit lists on the card: CUB's radix sort.
#include "spf/msm/sort.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace spf {

void sort_pairs_on(spf_stream const& stream, sort_buffers& b, uint64_t n, uint32_t key_bits) {
    if (n == 0) return;
    cub::DoubleBuffer<uint32_t> keys(b.keys, b.other_keys), values(b.values, b.other_values);
    size_t needed = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, needed, keys, values, n, 0, int(key_bits), stream.raw),
          "asking for the sort's scratch");
    if (needed > b.scratch_bytes) {
        throw failure(SPF_INTERNAL, 0, __LINE__, "the sort of %llu pairs wants %llu bytes of scratch, planned were %llu",
                      (unsigned long long)n, (unsigned long long)needed, (unsigned long long)b.scratch_bytes);
    }
    check(cub::DeviceRadixSort::SortPairs(b.scratch, needed, keys, values, n, 0, int(key_bits), stream.raw),
          "launching the sort");
    b.keys = keys.Current();
    b.other_keys = keys.Alternate();
    b.values = values.Current();
    b.other_values = values.Alternate();
}

}  // namespace spf
