// How a transform is cut into passes over the data. Pure functions of log_n, for the host.
#pragma once

#include "spf/core/target.hpp"

namespace spf {
namespace ntt {

constexpr uint32_t max_log_n = 28;

// A block holds a tile of 2^10 elements in registers, eight a thread, and exchanges them
// through 32 KiB of shared memory.
// Four such blocks share a multiprocessor; two of twice the size wait longer at their
// barriers (7 % at 2^24 on an H200).
constexpr uint32_t tile_log = 10;
constexpr uint32_t threads_log = tile_log - 3;

// One pass transforms `bits` of the index, in the order from the highest bits down.
struct plan_t {
    uint32_t n_passes;
    uint32_t bits[16];
};

// The last pass works on neighbours, up to a whole tile; the others on elements far apart, where the
// tile must be several columns wide (2^(10 - bits)) for its reads to be long. Bits are spent in threes,
// since a round of a pass does three.
inline plan_t make_plan(uint32_t log_n) {
    plan_t plan{};
    if (log_n <= tile_log) {
        plan.bits[plan.n_passes++] = log_n;
    } else if (log_n <= 19) {
        plan.bits[plan.n_passes++] = log_n <= 16 ? 6 : 9;
        plan.bits[plan.n_passes++] = log_n - plan.bits[0];
    } else {
        plan.bits[plan.n_passes++] = log_n <= 21 ? 6 : 9;
        plan.bits[plan.n_passes++] = log_n <= 24 ? 6 : 9;
        plan.bits[plan.n_passes++] = log_n - plan.bits[0] - plan.bits[1];
    }
    return plan;
}

// A plan of passes of at most `most` bits, so that tests reach many passes at small sizes.
inline plan_t make_narrow_plan(uint32_t log_n, uint32_t most) {
    plan_t plan{};
    uint32_t left = log_n;
    while (left > most) {
        plan.bits[plan.n_passes++] = most;
        left -= most;
    }
    plan.bits[plan.n_passes++] = left;
    return plan;
}

}  // namespace ntt
}  // namespace spf
