// The sort of digit lists on the fake runtime: a stable sort when the stream reaches it.
#include "spf/msm/sort.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace spf {

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

}  // namespace spf
