// C entry points to the predecessor's kernels: an MSM over resident points and scalars, and the transform in device memory.
//
// Its headers are templates and implement a kernel in each file that includes them; its prover, linked into the same program,
// has that kernel, so it is only declared here.
#include <ff/bls12-381-fp2.hpp>

#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>

#define SPPARK_DONT_INSTANTIATE_TEMPLATES
#define __MSM_SORT_DONT_IMPLEMENT__
using scalar_t = fr_t;
#include <msm/pippenger.cuh>
#include <ntt/ntt.cuh>

#include <memory>

namespace {

template <class Field> class resident_msm {
public:
    using point = jacobian_t<Field>;
    using bucket = xyzz_t<Field>;
    using affine = typename bucket::affine_t;

    resident_msm(affine const* h_points, fr_t const* h_scalars, size_t n)
        : n_(n), scalars_(static_cast<fr_t*>(select_gpu(0).Dmalloc(n * sizeof(fr_t)))), msm_(h_points, n) {
        auto const& gpu = select_gpu(0);
        gpu.HtoD(&scalars_[0], h_scalars, n);
        gpu.sync();  // its compute streams do not wait for the upload
    }

    RustError run(point* sum) {
        affine const* const resident = nullptr;
        return msm_.invoke(*sum, resident, n_, scalars_, false);
    }

private:
    size_t n_;
    gpu_ptr_t<fr_t> scalars_;
    msm_t<bucket, point, affine, fr_t> msm_;
};

// What an entry point says of an exception.
template <class Work> RustError::by_value guarded(Work&& work) {
    try {
        return work();
    } catch (cuda_error const& error) {
        return RustError{error.code(), error.what()};
    } catch (std::exception const& error) {
        return RustError{-1, error.what()};
    }
}

template <class Field>
RustError::by_value create(void const* h_points, void const* h_scalars, size_t n, void** msm) {
    using msm_type = resident_msm<Field>;
    return guarded([&] {
        *msm = new msm_type(static_cast<typename msm_type::affine const*>(h_points), static_cast<fr_t const*>(h_scalars), n);
        return RustError{0};
    });
}

template <class Field> RustError::by_value run(void* msm, void* sum) {
    using msm_type = resident_msm<Field>;
    return guarded([&] { return static_cast<msm_type*>(msm)->run(static_cast<typename msm_type::point*>(sum)); });
}

}  // namespace

extern "C" {

// Points are affine, Montgomery form; scalars canonical integers. The sum is Jacobian.
RustError::by_value predecessor_msm_g1_create(void const* h_points, void const* h_scalars, size_t n, void** msm) {
    return create<fp_t>(h_points, h_scalars, n, msm);
}
RustError::by_value predecessor_msm_g2_create(void const* h_points, void const* h_scalars, size_t n, void** msm) {
    return create<fp2_t>(h_points, h_scalars, n, msm);
}
RustError::by_value predecessor_msm_g1_run(void* msm, void* sum) { return run<fp_t>(msm, sum); }
RustError::by_value predecessor_msm_g2_run(void* msm, void* sum) { return run<fp2_t>(msm, sum); }
void predecessor_msm_g1_destroy(void* msm) { delete static_cast<resident_msm<fp_t>*>(msm); }
void predecessor_msm_g2_destroy(void* msm) { delete static_cast<resident_msm<fp2_t>*>(msm); }

// In place, and waits. Forward: natural to reversed order; else inverse, reversed to natural.
RustError::by_value predecessor_ntt(void* d_values, uint32_t log_n, bool forward) {
    return guarded([&] {
        stream_t& stream = select_gpu(0)[0];
        auto const order = forward ? NTT::InputOutputOrder::NR : NTT::InputOutputOrder::RN;
        auto const direction = forward ? NTT::Direction::forward : NTT::Direction::inverse;
        NTT::Base_dev_ptr(stream, static_cast<fr_t*>(d_values), log_n, order, direction, NTT::Type::standard);
        stream.sync();
        return RustError{0};
    });
}
}
