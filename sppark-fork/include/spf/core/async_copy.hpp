// Copies from device memory to shared memory that go on beside the arithmetic of the thread that asked for
// them, and need none of its registers meanwhile.
//
// They are the thread's own: it commits what it has asked for as a group, waits until all groups but the
// latest few are there, and then reads; other threads would need a barrier as well. All must have been waited
// for when the kernel ends. On the host a copy is there as late as it may be: with the wait that it takes.
#pragma once

#include "spf/core/target.hpp"

#include <cstring>
#include <vector>

namespace spf {

// What one copy moves.
struct SPF_ALIGN(16) unit_t {
    uint32_t word[4];
};

#if !SPF_DEVICE_PASS
namespace detail {

struct late_copies {
    struct copy {
        unit_t* to;
        unit_t const* from;
    };
    std::vector<copy> asked;         // in order
    std::vector<size_t> group_ends;  // of what is committed

    void arrive(size_t n_latest) {
        if (group_ends.size() <= n_latest) return;
        size_t const n_groups = group_ends.size() - n_latest, n = group_ends[n_groups - 1];
        for (size_t i = 0; i < n; i++) std::memcpy(asked[i].to, asked[i].from, sizeof(unit_t));
        asked.erase(asked.begin(), asked.begin() + ptrdiff_t(n));
        group_ends.erase(group_ends.begin(), group_ends.begin() + ptrdiff_t(n_groups));
        for (size_t& end : group_ends) end -= n;
    }
};

inline late_copies& copies_of_thread() {
    thread_local late_copies copies;
    return copies;
}

}  // namespace detail
#endif

// `to` lies in shared memory; `from` in device memory that nobody writes while the kernel runs.
GPU_FN void copy_async(unit_t* to, unit_t const* from) {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(uint32_t(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#else
    std::memset(to, 0xA5, sizeof *to);
    detail::copies_of_thread().asked.push_back({to, from});
#endif
}

GPU_FN void commit_copies() {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.commit_group;" ::: "memory");
#else
    auto& copies = detail::copies_of_thread();
    copies.group_ends.push_back(copies.asked.size());
#endif
}

// Waits for all groups but the `Latest` last.
template <int Latest> GPU_FN void wait_for_copies() {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.wait_group %0;" ::"n"(Latest) : "memory");
#else
    detail::copies_of_thread().arrive(Latest);
#endif
}

}  // namespace spf
