// A CUDA runtime without a card, for tests of the drivers: the same names, so that a
// driver compiled by g++ runs on it.
//
// What it does that a card does not:
//   - work waits in its stream until something makes the host wait for it, and then runs in an order that the
//     seed chooses among those that streams and events allow: a missing event shows as a wrong result;
//   - each access of a copy or of a kernel that names its memory (`accesses`, core/block.hpp) is
//     checked against the earlier ones: two streams that touch the same bytes, one of them writing,
//     with no event between, are reported;
//   - device memory is poisoned when it is allocated, and is host memory, so that
//     ASan sees every access outside it;
//   - the n-th call can be made to fail with any code; what is still alive can be listed.
//
// Each fake device is a machine of its own, so tests that run side by side take a device each. What devices
// share is page-locked memory: a copy from or to a block that another one uses is reported unless the host
// has waited for that one. The state is in src/fake_cuda.cpp; this header declares the part of CUDA that the
// drivers use, and no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace spf {
namespace fake {

enum cudaError_t : int {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
};

enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
    cudaDevAttrClockRate,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrL2CacheSize,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
};

constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0;
constexpr unsigned cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocPortable = 1;
constexpr unsigned cudaHostRegisterPortable = 1;

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
};

struct stream_state;
struct event_state;
using cudaStream_t = stream_state*;
using cudaEvent_t = event_state*;

cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaGetLastError();
char const* cudaGetErrorName(cudaError_t code);
char const* cudaGetErrorString(cudaError_t code);

cudaError_t cudaMalloc(void** memory, size_t n_bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** memory, size_t n_bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostRegister(void* memory, size_t n_bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaMemcpyAsync(void* to, void const* from, size_t n_bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int byte, size_t n_bytes, cudaStream_t stream);

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop);

// One access of an operation: the bytes, and whether it writes.
struct access_t {
    uintptr_t begin, end;
    bool writes;
};

// Collects what a body's `accesses` names.
struct access_list {
    std::vector<access_t> list;
    void reads(void const* memory, uint64_t n_bytes) { add(memory, n_bytes, false); }
    void writes(void const* memory, uint64_t n_bytes) { add(memory, n_bytes, true); }

private:
    void add(void const* memory, uint64_t n_bytes, bool writes) {
        auto const begin = reinterpret_cast<uintptr_t>(memory);
        if (n_bytes != 0) list.push_back({begin, begin + uintptr_t(n_bytes), writes});
    }
};

// Puts work into a stream; counts as one call for the injected failure.
cudaError_t enqueue(cudaStream_t stream, char const* what, std::vector<access_t> accesses, std::function<void()> work);

// The order in which the threads of a block run within a phase: a permutation of 0 .. n-1
// that changes from call to call.
std::vector<uint32_t> thread_order(cudaStream_t stream, uint32_t n_threads);

}  // namespace fake

using namespace fake;

}  // namespace spf

// The handles of the C ABI are outside of the namespace and use CUDA's names.
using namespace spf::fake;
