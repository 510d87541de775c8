// The C ABI of batch addition and fixed-base multiplication over G2.
#include "spf/msm/batch_add.cuh"
#include "spf/msm/fixed_base.cuh"

using namespace spf;

extern "C" {

int32_t spf_batch_add_g2_workspace_bytes(spf_batch_add_args const* args, uint64_t* n_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(n_bytes != nullptr, "the result pointer is null");
        *n_bytes = batch_add_workspace_bytes<g2_t>(checked(args, "spf_batch_add_args"));
    });
}

int32_t spf_batch_add_g2_start_on(spf_msm* msm, spf_stream* stream, spf_batch_add_args const* args,
                                  spf_error* error) noexcept {
    return guarded(error, [&] {
        require(msm != nullptr, "the MSM context is null");
        start_batch_add_on<g2_t>(*msm, current(stream), checked(args, "spf_batch_add_args"));
    });
}

int32_t spf_fixed_base_g2_bytes(uint32_t window_bits, uint64_t n_points, uint64_t* table_bytes,
                                uint64_t* workspace_bytes, spf_error* error) noexcept {
    return guarded(error, [&] {
        require(table_bytes != nullptr && workspace_bytes != nullptr, "a result pointer is null");
        check_fixed_base_window(window_bits);
        *table_bytes = fixed_base_table_points(window_bits) * sizeof(g2_t::affine);
        *workspace_bytes = fixed_base_workspace_bytes_for<g2_t>(n_points);
    });
}

int32_t spf_fixed_base_g2_build_on(spf_stream* stream, void const* base, uint32_t window_bits, void* d_table,
                                   uint64_t table_bytes, void* d_workspace, uint64_t workspace_bytes,
                                   spf_error* error) noexcept {
    return guarded(error, [&] {
        require(base != nullptr, "the base is null");
        g2_t::affine point;
        std::memcpy(static_cast<void*>(&point), base, sizeof point);
        build_fixed_base_table_on<g2_t>(current(stream), point, window_bits, d_table, table_bytes, d_workspace,
                                        workspace_bytes);
    });
}

int32_t spf_fixed_base_g2_multiply_on(spf_stream* stream, spf_fixed_base_args const* args, spf_error* error) noexcept {
    return guarded(error, [&] {
        multiply_fixed_base_on<g2_t>(current(stream), checked(args, "spf_fixed_base_args"));
    });
}

}  // extern "C"
