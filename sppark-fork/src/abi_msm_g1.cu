// The C ABI of multi-scalar multiplication over G1.
#include "spf/msm/pippenger.cuh"

using namespace spf;

extern "C" {

int32_t spf_msm_g1_workspace_bytes(spf_msm_args const* args, uint64_t* n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(n_bytes != nullptr, "the result pointer is null");
        *n_bytes = msm_workspace_bytes<g1_t>(checked(args, "spf_msm_args"));
    });
}

int32_t spf_msm_g1_start_on(spf_msm* msm, spf_stream* stream, spf_msm_args const* args, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr, "the MSM context is null");
        start_msm_on<g1_t>(*msm, current(stream), checked(args, "spf_msm_args"));
    });
}

int32_t spf_msm_g1_finish(spf_msm* msm, void* point, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr && point != nullptr, "the MSM context or the result pointer is null");
        g1_t::affine const result = finish_msm<g1_t>(*msm);
        std::memcpy(point, &result, sizeof result);
    });
}

}  // extern "C"
