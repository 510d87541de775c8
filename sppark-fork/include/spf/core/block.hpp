// A block algorithm, written as phases so that it runs on the card and on the host.
//
// A kernel is a *body*: a struct with
//
//     struct params { ... };          what is the same for the whole grid; passed by value, so plain data only
//     struct shared { ... };          the block's shared memory; plain data, uninitialised (may be empty)
//     struct regs { ... };            what one thread keeps from phase to phase (may be empty)
//     static constexpr unsigned n_threads;     threads a block: the launch bound
//     static constexpr unsigned min_blocks;    blocks a multiprocessor should hold: the register budget
//     static constexpr unsigned n_phases;      the barriers stand between phases
//     template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs& r);
//
// and, if the block goes round several times (a persistent block over tiles),
//
//     GPU_FN static uint32_t n_rounds(block_pos b, params const& p);     the same for every thread of the block
//
// The barrier belongs to whoever runs the body, so a forgotten __syncthreads() cannot be written. On the host
// the threads of a block run one after the other within a phase, forward, backward or shuffled: a result that
// depends on the order is a race. A body neither allocates nor synchronises; threads without work return from
// the phase, never from the block.
//
// A body may also name the memory it touches, for the fake runtime's ordering check (runtime/fake_cuda.hpp):
//
//     template <class Visitor> static void accesses(params const& p, Visitor& v);
//                                     v.reads(pointer, bytes); v.writes(pointer, bytes);
#pragma once

#include "spf/core/target.hpp"

#include <type_traits>
#include <utility>

namespace spf {

// The size of a launch. `y` is for independent jobs (windows, polynomials) side by side.
struct grid_t {
    uint32_t x = 1;
    uint32_t y = 1;
};

struct block_pos {
    uint32_t block, n_blocks;  // along x
    uint32_t block_y, n_blocks_y;
};

struct thread_pos : block_pos {
    uint32_t thread, n_threads;
    uint32_t i_round;  // counts from 0 to n_rounds - 1

    // Index over the whole x extent of the grid, and its length.
    GPU_FN uint64_t global() const { return uint64_t(block) * n_threads + thread; }
    GPU_FN uint64_t global_size() const { return uint64_t(n_blocks) * n_threads; }
};

// The same position, with thread and block read anew from the card's special registers: what is computed from
// it need not stay in registers in the meantime.
GPU_FN thread_pos reread(thread_pos t) {
#if SPF_DEVICE_PASS
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t.thread));
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(t.block));
#endif
    return t;
}

struct empty_t {};

namespace detail {

template <class Body, class = void> struct has_rounds : std::false_type {};
template <class Body>
struct has_rounds<Body, decltype(void(Body::n_rounds(std::declval<block_pos>(),
                                                     std::declval<typename Body::params const&>())))> : std::true_type {};

}  // namespace detail

template <class Body> GPU_FN uint32_t n_rounds(block_pos b, typename Body::params const& p) {
    if constexpr (detail::has_rounds<Body>::value) {
        return Body::n_rounds(b, p);
    } else {
        return 1;
    }
}

// Adds to a counter that other threads of the grid or block add to too; gives back what stood there before.
GPU_FN uint32_t atomic_add(uint32_t* at, uint32_t value) {
#if SPF_DEVICE_PASS
    return atomicAdd(at, value);
#else
    uint32_t const before = *at;
    *at = before + value;
    return before;
#endif
}

}  // namespace spf
