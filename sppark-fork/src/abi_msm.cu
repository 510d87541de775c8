// The C ABI of MSM contexts, which both groups share.
#include "spf/msm/pippenger.cuh"

using namespace spf;

extern "C" {

int32_t spf_msm_create(uint32_t device, spf_msm** msm, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr, "the result pointer is null");
        *msm = nullptr;
        *msm = new spf_msm(device);
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

}  // extern "C"
