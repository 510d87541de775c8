// Copies from device memory to shared memory that go on beside the arithmetic of the thread that asked for
// them, and need none of its registers meanwhile.
//
// They are the thread's own: it commits what it has asked for as a group, waits until all groups but the
// latest few are there, and then reads; other threads would need a barrier as well. On the host a copy is
// done at once.
#pragma once

#include "spf/core/target.hpp"

#include <cstring>

namespace spf {

// What one copy moves.
struct SPF_ALIGN(16) unit_t {
    uint32_t word[4];
};

// `to` lies in shared memory; `from` in device memory that nobody writes while the kernel runs.
GPU_FN void copy_async(unit_t* to, unit_t const* from) {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(uint32_t(__cvta_generic_to_shared(to))), "l"(from) : "memory");
#else
    std::memcpy(to, from, sizeof *to);
#endif
}

GPU_FN void commit_copies() {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for all groups but the `Latest` last.
template <int Latest> GPU_FN void wait_for_copies() {
#if SPF_DEVICE_PASS
    asm volatile("cp.async.wait_group %0;" ::"n"(Latest) : "memory");
#endif
}

}  // namespace spf
