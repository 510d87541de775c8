// How long the card stood idle between the batches of an MSM: what the schedules differ in.
#pragma once

#include "spf/runtime/stream.hpp"

#include <memory>

namespace spf {

// An event before and one behind each batch's kernels, on their stream. A batch is looked at once it has been
// collected, at most one batch later, so three of each take turns.
class idle_time {
public:
    explicit idle_time(uint32_t device) {
        for (int k = 0; k < n_sides; k++) {
            begin_[k] = std::make_unique<spf_event>(device, true);
            end_[k] = std::make_unique<spf_event>(device, true);
        }
    }

    void reset() { total_ms_ = 0; }
    void begins_on(spf_stream const& stream, uint64_t batch) { begin_[batch % n_sides]->record_on(stream); }
    void ends_on(spf_stream const& stream, uint64_t batch) { end_[batch % n_sides]->record_on(stream); }

    // Adds the gap before a batch that is done.
    void add_gap_before(uint64_t batch) {
        if (batch == 0) return;
        float gap_ms = 0;
        check(cudaEventElapsedTime(&gap_ms, end_[(batch - 1) % n_sides]->raw, begin_[batch % n_sides]->raw),
              "taking the time between two batches");
        total_ms_ += gap_ms;
    }

    float total_ms() const { return total_ms_; }

private:
    static constexpr int n_sides = 3;
    std::unique_ptr<spf_event> begin_[n_sides], end_[n_sides];
    float total_ms_ = 0;
};

}  // namespace spf
