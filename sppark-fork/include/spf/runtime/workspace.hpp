// One block of device memory, lent by the caller and carved into pieces.
//
// A driver lists its pieces once, in a function that takes a `carver`; run on no memory it gives the bytes to
// ask for, run on the workspace it gives the pointers. So the size can never disagree with the use.
#pragma once

#include "spf/runtime/error.hpp"

namespace spf {

class carver {
public:
    // Measures only: every piece is null.
    carver() = default;
    carver(void* d_memory, uint64_t n_bytes) : memory_(static_cast<unsigned char*>(d_memory)), limit_(n_bytes) {}

    // Room for `count` values, at a 256-byte boundary: what any vector access and any copy wants.
    template <class T> T* take(uint64_t count) {
        uint64_t const at = (used_ + 255) / 256 * 256;
        used_ = at + count * sizeof(T);
        if (memory_ == nullptr) return nullptr;
        if (used_ > limit_) {
            failure too_small(SPF_INVALID, 0, __LINE__, "the workspace has %llu bytes, at least %llu are needed",
                              (unsigned long long)limit_, (unsigned long long)used_);
            too_small.set_bytes(used_, limit_);
            throw too_small;
        }
        return reinterpret_cast<T*>(memory_ + at);
    }

    uint64_t used_bytes() const { return used_; }

private:
    unsigned char* memory_ = nullptr;
    uint64_t limit_ = 0;
    uint64_t used_ = 0;
};

}  // namespace spf
