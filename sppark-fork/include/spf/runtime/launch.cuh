// Runs a body (core/block.hpp) on the card.
#pragma once

#include "spf/core/block.hpp"

#include <cuda_runtime_api.h>

namespace spf {
namespace detail {

template <class Body, unsigned P>
__device__ __forceinline__ void run_phases(thread_pos const& t, typename Body::params const& p, typename Body::shared& s,
                                           typename Body::regs& r) {
    if constexpr (P < Body::n_phases) {
        Body::template phase<P>(t, p, s, r);
        if constexpr (P + 1 < Body::n_phases) __syncthreads();
        run_phases<Body, P + 1>(t, p, s, r);
    }
}

template <class Body>
__global__ void SPF_LAUNCH_BOUNDS(Body::n_threads, Body::min_blocks) body_kernel(typename Body::params const p) {
    extern __shared__ __align__(16) unsigned char block_memory[];
    auto& s = *reinterpret_cast<typename Body::shared*>(block_memory);
    typename Body::regs r;
    thread_pos t{};
    t.block = blockIdx.x;
    t.n_blocks = gridDim.x;
    t.block_y = blockIdx.y;
    t.n_blocks_y = gridDim.y;
    t.thread = threadIdx.x;
    t.n_threads = Body::n_threads;
    if constexpr (has_rounds<Body>::value) {
        uint32_t const rounds = Body::n_rounds(t, p);
        for (t.i_round = 0; t.i_round < rounds; t.i_round++) {
            if (t.i_round != 0) __syncthreads();
            run_phases<Body, 0>(t, p, s, r);
        }
    } else {
        run_phases<Body, 0>(t, p, s, r);
    }
}

}  // namespace detail

template <class Body> inline constexpr size_t shared_bytes_of =
    std::is_empty<typename Body::shared>::value ? 0 : sizeof(typename Body::shared);

// Enqueues a grid of the body; gives back what the runtime said of the launch.
// A grid of no blocks is no work.
template <class Body> cudaError_t launch(cudaStream_t stream, grid_t grid, typename Body::params const& p) {
    if (grid.x == 0 || grid.y == 0) return cudaSuccess;
    auto* const kernel = detail::body_kernel<Body>;
    constexpr size_t shared_bytes = shared_bytes_of<Body>;
    // Past 48 KiB a kernel must ask; the attribute belongs to the kernel and the device,
    // and setting it again is cheap.
    if constexpr (shared_bytes > 48 * 1024) {
        cudaError_t const code = cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                                                      cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes));
        if (code != cudaSuccess) return code;
    }
    typename Body::params copy = p;
    void* arguments[] = {&copy};
    return cudaLaunchKernel(reinterpret_cast<void const*>(kernel), dim3(grid.x, grid.y), dim3(Body::n_threads), arguments,
                            shared_bytes, stream);
}

}  // namespace spf
