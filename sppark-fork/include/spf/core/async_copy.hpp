// Copies from device memory to shared memory that go on while the thread computes.
//
// A thread's copies are its own: it waits for them, in groups and in order, and no other thread may read what they
// bring before a barrier. On the host a copy takes place when it is waited for and no sooner, so that a
// missing wait shows.
#pragma once

#include "spf/core/target.hpp"

#if !SPF_DEVICE_PASS
#include <cstring>
#include <deque>
#include <vector>
#endif

namespace spf {

// The unit of copies.
struct SPF_ALIGN(16) unit_t {
    uint32_t word[4];
};

#if SPF_DEVICE_PASS

GPU_FN void copy_async(unit_t* to_shared, unit_t const* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(uint32_t(__cvta_generic_to_shared(to_shared))), "l"(from)
                 : "memory");
}

// What was asked for since the last call is a group; it may be empty.
GPU_FN void end_copy_group() { asm volatile("cp.async.commit_group;" : : : "memory"); }

// Waits for all groups but the last `Under_way`.
template <unsigned Under_way> GPU_FN void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" : : "n"(Under_way) : "memory");
}

#else

namespace detail {

struct pending_copy {
    unit_t* to;
    unit_t const* from;
};
// Of the thread that runs now: one of a block runs to its phase's end before the next begins.
inline std::deque<std::vector<pending_copy>>& copy_groups() {
    static thread_local std::deque<std::vector<pending_copy>> groups(1);
    return groups;
}

}  // namespace detail

inline void copy_async(unit_t* to_shared, unit_t const* from) { detail::copy_groups().back().push_back({to_shared, from}); }

inline void end_copy_group() { detail::copy_groups().emplace_back(); }

template <unsigned Under_way> inline void wait_for_copies() {
    auto& groups = detail::copy_groups();
    while (groups.size() > Under_way + 1) {
        for (auto const& copy : groups.front()) std::memcpy(copy.to, copy.from, sizeof(unit_t));
        groups.pop_front();
    }
}

#endif

}  // namespace spf
