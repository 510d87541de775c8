// Devices: making one current, and what it says of itself.
#pragma once

#include "spf/runtime/error.hpp"

namespace spf {

// CUDA's current device belongs to the thread; every entry point sets it, so that callers need not know.
inline void make_current(uint32_t device) {
    check(cudaSetDevice(int(device)), "choosing the device");
}

inline uint32_t device_count() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "counting CUDA devices");
    if (count <= 0) throw failure(SPF_NO_DEVICE, int32_t(cudaErrorNoDevice), __LINE__, "no CUDA device");
    return uint32_t(count);
}

inline void device_memory(uint64_t& free_bytes, uint64_t& total_bytes) {
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free device memory");
    free_bytes = free;
    total_bytes = total;
}

inline int attribute(cudaDeviceAttr which, uint32_t device) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, int(device)), "asking for a device attribute");
    return value;
}

}  // namespace spf
