// The C ABI of devices, streams, events and memory.
#include "spf/runtime/memory.hpp"

#include <algorithm>
#include <cstring>

using namespace spf;

namespace {

// Spins for a while, for tests that shift streams against each other.
struct delay_body {
    struct params {
        uint64_t nanoseconds;
    };
    struct shared {};
    struct regs {};
    static constexpr unsigned n_threads = 1;
    static constexpr unsigned min_blocks = 1;
    static constexpr unsigned n_phases = 1;

    template <unsigned P> GPU_FN static void phase(thread_pos, params const& p, shared&, regs&) {
#if SPF_DEVICE_PASS
        uint64_t start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do {
            __nanosleep(1000);
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        } while (now - start < p.nanoseconds);
#else
        (void)p;
#endif
    }
};

uint32_t done_or_fail(cudaError_t code, char const* doing) {
    if (code == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return 0;
    }
    check(code, doing);
    return 1;
}

}  // namespace

extern "C" {

uint32_t spf_abi_version(void) noexcept {
    return SPF_ABI_VERSION;
}

int32_t spf_cuda_versions(uint32_t* runtime, uint32_t* driver, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(runtime != nullptr && driver != nullptr, "a result pointer is null");
        int value = 0;
        check(cudaRuntimeGetVersion(&value), "asking for the runtime's version");
        *runtime = uint32_t(value);
        check(cudaDriverGetVersion(&value), "asking for the driver's version");
        *driver = uint32_t(value);
    });
}

int32_t spf_device_count(uint32_t* n_devices, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(n_devices != nullptr, "n_devices is null");
        *n_devices = 0;
        *n_devices = device_count();
    });
}

int32_t spf_device_get_info(uint32_t device, spf_device_info* info, spf_error* error) noexcept {
    return guarded(error, [&] {
        checked(info, "spf_device_info");
        uint32_t const count = device_count();
        if (device >= count) {
            throw failure(SPF_NO_DEVICE, int32_t(cudaErrorInvalidDevice), __LINE__, "device %u of %u (they count from 0)", device,
                          count);
        }
        make_current(device);
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, int(device)), "asking for the device's properties");
        *info = spf_device_info{};
        info->size = sizeof *info;
        info->total_bytes = properties.totalGlobalMem;
        info->major = uint32_t(attribute(cudaDevAttrComputeCapabilityMajor, device));
        info->minor = uint32_t(attribute(cudaDevAttrComputeCapabilityMinor, device));
        info->n_multiprocessors = uint32_t(attribute(cudaDevAttrMultiProcessorCount, device));
        info->clock_mhz = uint32_t(attribute(cudaDevAttrClockRate, device) / 1000);
        info->l2_bytes = uint64_t(attribute(cudaDevAttrL2CacheSize, device));
        info->shared_bytes_per_block = uint64_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        std::snprintf(info->name, sizeof info->name, "%.120s", properties.name);
    });
}

int32_t spf_device_memory(uint32_t device, uint64_t* free_bytes, uint64_t* total_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(free_bytes != nullptr && total_bytes != nullptr, "a result pointer is null");
        make_current(device);
        device_memory(*free_bytes, *total_bytes);
    });
}

int32_t spf_device_synchronize(uint32_t device, spf_error* error) noexcept {
    return guarded(error, [&] {
        make_current(device);
        check(cudaDeviceSynchronize(), "waiting for the device");
    });
}

int32_t spf_stream_create(uint32_t device, uint32_t is_urgent, spf_stream** stream, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(stream != nullptr, "the result pointer is null");
        *stream = nullptr;
        *stream = new spf_stream(device, is_urgent != 0);
    });
}

int32_t spf_stream_destroy(spf_stream* stream, spf_error* error) noexcept {
    return guarded(error, [&] {
        if (stream == nullptr) return;
        cudaError_t const code = stream->close();
        delete stream;
        check(code, "destroying a stream");
    });
}

int32_t spf_stream_synchronize(spf_stream* stream, spf_error* error) noexcept {
    return guarded(error, [&] { current(stream).synchronize(); });
}

int32_t spf_stream_query(spf_stream* stream, uint32_t* done, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(done != nullptr, "done is null");
        *done = done_or_fail(cudaStreamQuery(current(stream).raw), "asking a stream");
    });
}

int32_t spf_stream_wait_event_on(spf_stream* stream, spf_event* event, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(event != nullptr, "the event is null");
        wait_on(current(stream), *event);
    });
}

int32_t spf_event_create(uint32_t device, uint32_t with_timing, spf_event** event, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(event != nullptr, "the result pointer is null");
        *event = nullptr;
        *event = new spf_event(device, with_timing != 0);
    });
}

int32_t spf_event_destroy(spf_event* event, spf_error* error) noexcept {
    return guarded(error, [&] {
        if (event == nullptr) return;
        cudaError_t const code = event->close();
        delete event;
        check(code, "destroying an event");
    });
}

int32_t spf_event_record_on(spf_event* event, spf_stream* stream, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(event != nullptr, "the event is null");
        spf_stream const& on = current(stream);
        require(event->device == on.device, "the event is of device %u, the stream of device %u", event->device, on.device);
        event->record_on(on);
    });
}

int32_t spf_event_synchronize(spf_event* event, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(event != nullptr, "the event is null");
        make_current(event->device);
        event->synchronize();
    });
}

int32_t spf_event_query(spf_event* event, uint32_t* done, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(event != nullptr && done != nullptr, "the event or the result pointer is null");
        make_current(event->device);
        *done = done_or_fail(cudaEventQuery(event->raw), "asking an event");
    });
}

int32_t spf_event_elapsed_ms(spf_event* start, spf_event* stop, float* elapsed_ms, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(start != nullptr && stop != nullptr && elapsed_ms != nullptr, "an event or the result pointer is null");
        make_current(start->device);
        check(cudaEventElapsedTime(elapsed_ms, start->raw, stop->raw), "taking the time between two events");
    });
}

int32_t spf_device_alloc(uint32_t device, uint64_t n_bytes, void** d_memory, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(d_memory != nullptr, "the result pointer is null");
        *d_memory = nullptr;
        *d_memory = device_alloc(device, n_bytes);
    });
}

int32_t spf_device_free(uint32_t device, void* d_memory, spf_error* error) noexcept {
    return guarded(error, [&] {
        make_current(device);
        check(cudaFree(d_memory), "freeing device memory");
    });
}

int32_t spf_pinned_alloc(uint32_t device, uint64_t n_bytes, void** h_memory, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(h_memory != nullptr, "the result pointer is null");
        *h_memory = nullptr;
        *h_memory = pinned_alloc(device, n_bytes);
    });
}

int32_t spf_pinned_free(uint32_t device, void* h_memory, spf_error* error) noexcept {
    return guarded(error, [&] {
        make_current(device);
        check(cudaFreeHost(h_memory), "freeing pinned memory");
    });
}

int32_t spf_host_register(uint32_t device, void* h_memory, uint64_t n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(h_memory != nullptr && n_bytes != 0, "there is no memory to register");
        make_current(device);
        check(cudaHostRegister(h_memory, size_t(n_bytes), cudaHostRegisterPortable), "registering host memory");
    });
}

int32_t spf_host_unregister(uint32_t device, void* h_memory, spf_error* error) noexcept {
    return guarded(error, [&] {
        make_current(device);
        check(cudaHostUnregister(h_memory), "unregistering host memory");
    });
}

int32_t spf_copy_to_device_on(spf_stream* stream, void* d_to, void const* h_from, uint64_t n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] { copy_to_device_on(current(stream), d_to, h_from, n_bytes); });
}

int32_t spf_copy_to_host_on(spf_stream* stream, void* h_to, void const* d_from, uint64_t n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] { copy_to_host_on(current(stream), h_to, d_from, n_bytes); });
}

int32_t spf_copy_on_device_on(spf_stream* stream, void* d_to, void const* d_from, uint64_t n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] { copy_on_device_on(current(stream), d_to, d_from, n_bytes); });
}

int32_t spf_fill_bytes_on(spf_stream* stream, void* d_memory, uint32_t byte, uint64_t n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(byte < 256, "%u is no byte", byte);
        fill_bytes_on(current(stream), d_memory, int(byte), n_bytes);
    });
}

int32_t spf_delay_on(spf_stream* stream, uint64_t microseconds, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(microseconds <= 10000000, "a delay of %llu microseconds is over ten seconds", (unsigned long long)microseconds);
        check(launch<delay_body>(current(stream).raw, {}, {microseconds * 1000}), "launching a delay");
    });
}
}
