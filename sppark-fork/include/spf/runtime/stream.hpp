// Streams and events, each with its device.
#pragma once

#include "spf/runtime/device.hpp"

// The C ABI's handles. They own the CUDA objects; the destructor reports nothing, so whoever wants to know
// what destroying said calls `close` first.
struct spf_stream {
    explicit spf_stream(uint32_t device, bool is_urgent = false) : device(device) {
        spf::make_current(device);
        int least = 0, greatest = 0;
        spf::check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for the priorities of streams");
        int const priority = is_urgent ? greatest : least;
        spf::check(cudaStreamCreateWithPriority(&raw, cudaStreamNonBlocking, priority), "creating a stream");
    }
    spf_stream(spf_stream const&) = delete;
    spf_stream& operator=(spf_stream const&) = delete;
    ~spf_stream() { (void)close(); }

    cudaError_t close() noexcept {
        if (raw == nullptr) return cudaSuccess;
        cudaError_t const code = cudaStreamDestroy(raw);
        raw = nullptr;
        return code;
    }
    void synchronize() const { spf::check(cudaStreamSynchronize(raw), "waiting for a stream"); }

    uint32_t device;
    cudaStream_t raw = nullptr;
};

struct spf_event {
    spf_event(uint32_t device, bool with_timing) : device(device) {
        spf::make_current(device);
        unsigned const flags = with_timing ? cudaEventDefault : cudaEventDisableTiming;
        spf::check(cudaEventCreateWithFlags(&raw, flags), "creating an event");
    }
    spf_event(spf_event const&) = delete;
    spf_event& operator=(spf_event const&) = delete;
    ~spf_event() { (void)close(); }

    cudaError_t close() noexcept {
        if (raw == nullptr) return cudaSuccess;
        cudaError_t const code = cudaEventDestroy(raw);
        raw = nullptr;
        return code;
    }
    void record_on(spf_stream const& stream) { spf::check(cudaEventRecord(raw, stream.raw), "recording an event"); }
    void synchronize() const { spf::check(cudaEventSynchronize(raw), "waiting for an event"); }

    uint32_t device;
    cudaEvent_t raw = nullptr;
};

namespace spf {

inline void wait_on(spf_stream const& stream, spf_event const& event) {
    check(cudaStreamWaitEvent(stream.raw, event.raw, 0), "making a stream wait for an event");
}

// What every `_on` function begins with.
inline spf_stream& current(spf_stream* stream) {
    require(stream != nullptr, "the stream is null");
    make_current(stream->device);
    return *stream;
}

}  // namespace spf
