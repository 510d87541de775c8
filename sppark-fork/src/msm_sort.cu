// The sort of digit lists and running sums: CUB's radix sort and scan on the card, the standard library's on the fake runtime.
#include "spf/msm/sort.cuh"

#if SPF_NVCC
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#else
#include <algorithm>
#include <numeric>
#include <utility>
#endif

namespace spf {

#if SPF_NVCC

static void check_scratch(char const* what, uint64_t n, size_t needed, uint64_t planned) {
    if (needed <= planned) return;
    throw failure(SPF_INTERNAL, 0, __LINE__, "the %s of %llu values wants %llu bytes of scratch, planned were %llu", what,
                  (unsigned long long)n, (unsigned long long)needed, (unsigned long long)planned);
}

void sort_pairs_on(spf_stream const& stream, sort_buffers& b, uint64_t n, uint32_t key_bits) {
    if (n == 0) return;
    cub::DoubleBuffer<uint32_t> keys(b.keys, b.other_keys), values(b.values, b.other_values);
    // 32-bit counts make 32-bit offsets in the kernels.
    require(n <= UINT32_MAX, "a sort of %llu pairs; at most 2^32 - 1", (unsigned long long)n);
    uint32_t const count = uint32_t(n);
    size_t needed = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, needed, keys, values, count, 0, int(key_bits), stream.raw),
          "asking for the sort's scratch");
    check_scratch("sort", n, needed, b.scratch_bytes);
    check(cub::DeviceRadixSort::SortPairs(b.scratch, needed, keys, values, count, 0, int(key_bits), stream.raw),
          "launching the sort");
    b.keys = keys.Current();
    b.other_keys = keys.Alternate();
    b.values = values.Current();
    b.other_values = values.Alternate();
}

void running_sum_on(spf_stream const& stream, uint32_t* values, uint64_t n, void* scratch, uint64_t scratch_bytes) {
    require(n <= INT32_MAX, "a running sum of %llu values; at most 2^31 - 1", (unsigned long long)n);
    size_t needed = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, needed, values, values, int(n), stream.raw), "asking for the scan's scratch");
    check_scratch("running sum", n, needed, scratch_bytes);
    check(cub::DeviceScan::ExclusiveSum(scratch, needed, values, values, int(n), stream.raw), "launching the running sum");
}

#else

void sort_pairs_on(spf_stream const& stream, sort_buffers& b, uint64_t n, uint32_t key_bits) {
    if (n == 0) return;
    access_list touched;
    for (uint32_t* const list : {b.keys, b.values, b.other_keys, b.other_values}) touched.writes(list, n * 4);
    touched.writes(b.scratch, b.scratch_bytes);
    sort_buffers const lists = b;
    auto const sort = [=] {
        uint32_t const mask = key_bits >= 32 ? 0xffffffffu : (1u << key_bits) - 1;
        std::vector<uint64_t> order(n);
        std::iota(order.begin(), order.end(), uint64_t(0));
        std::stable_sort(order.begin(), order.end(),
                         [&](uint64_t x, uint64_t y) { return (lists.keys[x] & mask) < (lists.keys[y] & mask); });
        for (uint64_t i = 0; i < n; i++) {
            lists.other_keys[i] = lists.keys[order[i]];
            lists.other_values[i] = lists.values[order[i]];
        }
    };
    check(enqueue(stream.raw, "launching the sort", std::move(touched.list), sort), "launching the sort");
    std::swap(b.keys, b.other_keys);
    std::swap(b.values, b.other_values);
}

void running_sum_on(spf_stream const& stream, uint32_t* values, uint64_t n, void* scratch, uint64_t scratch_bytes) {
    access_list touched;
    touched.writes(values, n * 4);
    touched.writes(scratch, scratch_bytes);
    auto const sum = [=] { std::exclusive_scan(values, values + n, values, uint32_t(0)); };
    check(enqueue(stream.raw, "launching the running sum", std::move(touched.list), sum), "launching the running sum");
}

#endif

}  // namespace spf
