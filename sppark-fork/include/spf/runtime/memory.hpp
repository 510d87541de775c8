// Device and pinned memory, owned.
#pragma once

#include "spf/runtime/stream.hpp"

#include <utility>

namespace spf {

inline void* device_alloc(uint32_t device, uint64_t n_bytes) {
    make_current(device);
    void* memory = nullptr;
    cudaError_t const code = cudaMalloc(&memory, size_t(n_bytes));
    if (code == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        size_t free = 0, total = 0;
        uint64_t const known = cudaMemGetInfo(&free, &total) == cudaSuccess ? uint64_t(free) : UINT64_MAX;
        failure out_of_memory(SPF_OUT_OF_MEMORY, int32_t(code), __LINE__, "device %u: %llu bytes asked for, %llu of %llu free",
                              device, (unsigned long long)n_bytes, (unsigned long long)free, (unsigned long long)total);
        out_of_memory.set_bytes(n_bytes, known);
        throw out_of_memory;
    }
    check(code, "allocating device memory");
    return memory;
}

inline void* pinned_alloc(uint32_t device, uint64_t n_bytes) {
    make_current(device);
    void* memory = nullptr;
    cudaError_t const code = cudaHostAlloc(&memory, size_t(n_bytes), cudaHostAllocPortable);
    if (code == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        failure out_of_memory(SPF_OUT_OF_MEMORY, int32_t(code), __LINE__, "%llu bytes of pinned host memory could not be had",
                              (unsigned long long)n_bytes);
        out_of_memory.set_bytes(n_bytes, UINT64_MAX);
        throw out_of_memory;
    }
    check(code, "allocating pinned memory");
    return memory;
}

// For the few buffers that C++ owns itself (a driver's double buffers); what callers own is Rust's.
class device_buffer {
public:
    device_buffer() = default;
    device_buffer(uint32_t device, uint64_t n_bytes) : memory_(device_alloc(device, n_bytes)) {}
    device_buffer(device_buffer&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    device_buffer& operator=(device_buffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~device_buffer() { (void)cudaFree(memory_); }
    void* get() const noexcept { return memory_; }

private:
    void* memory_ = nullptr;
};

class pinned_buffer {
public:
    pinned_buffer() = default;
    pinned_buffer(uint32_t device, uint64_t n_bytes) : memory_(pinned_alloc(device, n_bytes)) {}
    pinned_buffer(pinned_buffer&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    pinned_buffer& operator=(pinned_buffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~pinned_buffer() { (void)cudaFreeHost(memory_); }
    void* get() const noexcept { return memory_; }

private:
    void* memory_ = nullptr;
};

inline void copy_to_device_on(spf_stream const& stream, void* d_to, void const* h_from, uint64_t n_bytes) {
    if (n_bytes == 0) return;
    check(cudaMemcpyAsync(d_to, h_from, size_t(n_bytes), cudaMemcpyHostToDevice, stream.raw), "copying to the device");
}

inline void copy_to_host_on(spf_stream const& stream, void* h_to, void const* d_from, uint64_t n_bytes) {
    if (n_bytes == 0) return;
    check(cudaMemcpyAsync(h_to, d_from, size_t(n_bytes), cudaMemcpyDeviceToHost, stream.raw), "copying to the host");
}

inline void copy_on_device_on(spf_stream const& stream, void* d_to, void const* d_from, uint64_t n_bytes) {
    if (n_bytes == 0) return;
    check(cudaMemcpyAsync(d_to, d_from, size_t(n_bytes), cudaMemcpyDeviceToDevice, stream.raw), "copying on the device");
}

inline void fill_bytes_on(spf_stream const& stream, void* d_memory, int byte, uint64_t n_bytes) {
    if (n_bytes == 0) return;
    check(cudaMemsetAsync(d_memory, byte, size_t(n_bytes), stream.raw), "filling device memory");
}

}  // namespace spf
