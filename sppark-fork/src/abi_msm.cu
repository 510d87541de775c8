// The C ABI of MSM contexts, which both groups share.
#include "spf/msm/pippenger.cuh"

using namespace spf;

extern "C" {

int32_t spf_msm_create(uint32_t device, uint32_t with_timing, spf_msm** msm, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr, "the result pointer is null");
        *msm = nullptr;
        *msm = new spf_msm(device, with_timing != 0);
    });
}

int32_t spf_msm_idle_ms(spf_msm* msm, float* idle_ms, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr && idle_ms != nullptr, "the context or the result pointer is null");
        require(msm->idle != nullptr, "the context was not made with timing");
        *idle_ms = msm->idle->total_ms();
    });
}

int32_t spf_msm_destroy(spf_msm* msm, spf_error* error) noexcept {
    return guarded(error, [&] {
        if (msm == nullptr) return;
        std::unique_ptr<spf_msm> const owned(msm);
        make_current(msm->device);
        // Results still on their way would land in freed memory.
        for (auto const& event : msm->collected) event->synchronize();
    });
}

int32_t spf_msm_moved_bytes(spf_msm const* msm, uint64_t* to_device, uint64_t* to_host, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr && to_device != nullptr && to_host != nullptr, "a pointer is null");
        *to_device = msm->bytes_to_device;
        *to_host = msm->bytes_to_host;
    });
}

}  // extern "C"
