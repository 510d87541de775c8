// What the compiler at hand is: the only header that reads __CUDACC__ and __CUDA_ARCH__.
//
// Everything above it is written once and compiled twice: by nvcc for the card, by g++ for tests on the host.
#pragma once

#include <cstddef>
#include <cstdint>

// SPF_NVCC: nvcc compiles this unit, in either of its passes. SPF_DEVICE_PASS: this is
// the pass that makes device code.
#if defined(__CUDACC__)
#define SPF_NVCC 1
#else
#define SPF_NVCC 0
#endif

#if defined(__CUDA_ARCH__)
#define SPF_DEVICE_PASS 1
#else
#define SPF_DEVICE_PASS 0
#endif

// GPU_FN: a function that runs on both sides and is always inlined on the card: a call there moves its
// operands through local memory. GPU_CALL: the same, left as a call, for long and rare paths, where
// inlining would only grow the code.
// GPU_LIMBS: GPU_FN for arithmetic on arrays whose length is in their type. ASan, which would keep each limb of
// them in memory, leaves it out: the tests run three times as fast, and UBSan holds every index against
// the type. Whoever calls it passes arrays of its own, so reads and writes of elements are ASan's to see.
#if SPF_NVCC
#define GPU_FN __host__ __device__ __forceinline__
#define GPU_CALL __host__ __device__ __noinline__
#define GPU_LIMBS GPU_FN
#define SPF_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define SPF_ALIGN(bytes) __align__(bytes)
#else
#define GPU_FN inline
#define GPU_CALL inline
#define GPU_LIMBS inline __attribute__((no_sanitize("address")))
#define SPF_LAUNCH_BOUNDS(threads, blocks)
#define SPF_ALIGN(bytes) alignas(bytes)
#endif

// A register array may be indexed by constants only, so the loops over its limbs must be unrolled whole.
#if SPF_DEVICE_PASS
#define SPF_UNROLL _Pragma("unroll")
#else
#define SPF_UNROLL
#endif
