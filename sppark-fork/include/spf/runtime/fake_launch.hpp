// Runs a body (core/block.hpp) on the host: block by block, phase by phase, every thread in turn.
#pragma once

#include "spf/core/block.hpp"
#include "spf/runtime/fake_cuda.hpp"

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace spf {
namespace detail {

template <class Body, class = void> struct names_accesses : std::false_type {};
template <class Body>
struct names_accesses<Body, decltype(void(Body::accesses(std::declval<typename Body::params const&>(),
                                                         std::declval<fake::access_list&>())))> : std::true_type {};

template <class Body, unsigned P>
void run_phases(thread_pos t, std::vector<uint32_t> const& order, typename Body::params const& p,
                typename Body::shared& s, std::vector<typename Body::regs>& regs) {
    if constexpr (P < Body::n_phases) {
        for (uint32_t const thread : order) {
            t.thread = thread;
            Body::template phase<P>(t, p, s, regs[thread]);
        }
        run_phases<Body, P + 1>(t, order, p, s, regs);
    }
}

}  // namespace detail

// Runs a whole grid now, on the calling thread.
template <class Body, class Order>
void run_grid(grid_t grid, typename Body::params const& p, Order&& thread_order) {
    static_assert(std::is_trivially_copyable<typename Body::params>::value, "params travel by value to the card");
    // What a card leaves in shared memory and in registers is anything but zero.
    auto memory = std::make_unique<typename Body::shared>();
    std::vector<typename Body::regs> regs(Body::n_threads);
    for (uint32_t y = 0; y < grid.y; y++) {
        for (uint32_t x = 0; x < grid.x; x++) {
            std::memset(static_cast<void*>(memory.get()), 0xA5, sizeof(typename Body::shared));
            std::memset(static_cast<void*>(regs.data()), 0x5A, regs.size() * sizeof(typename Body::regs));
            thread_pos t{};
            t.block = x;
            t.n_blocks = grid.x;
            t.block_y = y;
            t.n_blocks_y = grid.y;
            t.n_threads = Body::n_threads;
            std::vector<uint32_t> const order = thread_order(uint32_t(Body::n_threads));
            uint32_t const rounds = n_rounds<Body>(t, p);
            for (t.i_round = 0; t.i_round < rounds; t.i_round++) detail::run_phases<Body, 0>(t, order, p, *memory, regs);
        }
    }
}

template <class Body> cudaError_t launch(cudaStream_t stream, grid_t grid, typename Body::params const& p) {
    if (grid.x == 0 || grid.y == 0) return cudaSuccess;
    access_list accesses;
    if constexpr (detail::names_accesses<Body>::value) Body::accesses(p, accesses);
    return enqueue(stream, "launching a kernel", std::move(accesses.list), [=] {
        run_grid<Body>(grid, p, [=](uint32_t n) { return fake::thread_order(stream, n); });
    });
}

}  // namespace spf
