// Bits of an index.
#pragma once

#include "spf/core/target.hpp"

namespace spf {

// The `bits` low bits of the value, backwards; the others are dropped.
GPU_FN uint32_t reverse_bits(uint32_t value, uint32_t bits) {
#if SPF_DEVICE_PASS
    return bits == 0 ? 0 : __brev(value) >> (32 - bits);
#else
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < bits; i++) reversed |= (value >> i & 1) << (bits - 1 - i);
    return reversed;
#endif
}

// Number of the lowest bit that is set; the value is not 0.
GPU_FN uint32_t lowest_bit(uint32_t value) {
#if SPF_DEVICE_PASS
    return uint32_t(__ffs(int(value))) - 1;
#else
    return uint32_t(__builtin_ctz(value));
#endif
}

}  // namespace spf
