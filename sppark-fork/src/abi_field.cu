// The C ABI of probes: single operations of the field, curve and scalar templates, for tests on the card and on the host.
// The probes are many, not fast: with every product over Fp2 inlined this unit would take minutes to compile.
#define SPF_FP2_PRODUCT GPU_CALL
#include "spf/core/probe.hpp"
#include "spf/curve/groups.hpp"
#include "spf/msm/recode.hpp"
#include "spf/runtime/memory.hpp"

using namespace spf;

namespace {

template <class F> struct field_op {
    using left = F;
    using right = F;
    using result = F;
};
template <class F> struct add_op : field_op<F> {
    GPU_FN static F run(F a, F b) { return a + b; }
};
template <class F> struct sub_op : field_op<F> {
    GPU_FN static F run(F a, F b) { return a - b; }
};
template <class F> struct mul_op : field_op<F> {
    GPU_FN static F run(F a, F b) { return a * b; }
};
template <class F> struct sqr_op : field_op<F> {
    GPU_FN static F run(F a, F) { return a.sqr(); }
};
template <class F> struct dbl_op : field_op<F> {
    GPU_FN static F run(F a, F) { return a.dbl(); }
};
template <class F> struct neg_op : field_op<F> {
    GPU_FN static F run(F a, F) { return -a; }
};
template <class F> struct inverse_op : field_op<F> {
    GPU_FN static F run(F a, F) { return a.inverse(); }
};
// a b - b^2, with the shared reduction.
template <class F> struct mul_sub_op : field_op<F> {
    GPU_FN static F run(F a, F b) { return mul_sub(a, b, b, b); }
};
// 1 where a is 0.
template <class F> struct is_zero_op : field_op<F> {
    GPU_FN static F run(F a, F) { return a.is_zero() ? F::one() : F::zero(); }
};
template <class F> struct to_canonical_op : field_op<F> {
    GPU_FN static F run(F a, F) { return a.to_canonical(); }
};
template <class F> struct from_canonical_op : field_op<F> {
    GPU_FN static F run(F a, F) { return F::from_canonical(a); }
};

// Affine inputs to other coordinates with a denominator that is not 1, so that no shortcut hides behind it.
template <class F> GPU_FN xyzz_t<F> scaled_xyzz(affine_t<F> p) {
    F const z = F::one().dbl() + F::one(), zz = z.sqr();
    if (p.is_infinity()) return xyzz_t<F>::infinity();
    return {p.x * zz, p.y * zz * z, zz, zz * z};
}
template <class F> GPU_FN jacobian_t<F> scaled_jacobian(affine_t<F> p) {
    F const z = F::one().dbl().dbl() + F::one();
    if (p.is_infinity()) return jacobian_t<F>::infinity();
    return {p.x * z.sqr(), p.y * z.sqr() * z, z};
}
template <class F> GPU_FN affine_t<F> affine_of(jacobian_t<F> p) {
    F const i = p.z.inverse();
    return {p.x * i.sqr(), p.y * i.sqr() * i};  // 1/0 = 0 gives infinity's (0, 0)
}

template <class G> struct curve_op {
    using left = typename G::affine;
    using right = typename G::affine;
    using result = typename G::affine;
};
template <class G> struct xyzz_affine_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine b) {
        auto sum = scaled_xyzz(a);
        sum.add(b);
        return sum.to_affine();
    }
};
template <class G> struct xyzz_xyzz_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine b) {
        auto sum = scaled_xyzz(a);
        sum.add(G::xyzz::from_affine(b));
        return sum.to_affine();
    }
};
template <class G> struct xyzz_double_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine) { return scaled_xyzz(a).dbl().to_affine(); }
};
template <class G> struct jacobian_affine_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine b) {
        auto sum = scaled_jacobian(a);
        sum.add(b);
        return affine_of(sum);
    }
};
template <class G> struct jacobian_jacobian_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine b) {
        auto sum = scaled_jacobian(a);
        sum.add(G::jacobian::from_xyzz(scaled_xyzz(b)));
        return affine_of(sum);
    }
};
template <class G> struct jacobian_double_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine) {
        return affine_of(scaled_jacobian(a).dbl());
    }
};
template <class G> struct endomorphism_op : curve_op<G> {
    GPU_FN static typename G::affine run(typename G::affine a, typename G::affine) {
        return {G::endomorphism_x(a.x), a.y};
    }
};

struct halves_t {
    half_scalar_t half[2];
};
static_assert(sizeof(halves_t) == 72, "magnitude and a sign, padded to four bytes, twice");
struct split_op {
    using left = fr_t;
    using right = fr_t;
    using result = halves_t;
    GPU_FN static halves_t run(fr_t s, fr_t) {
        halves_t h;
        reduce_scalar(s.limb);
        split_by_endomorphism(s.limb, h.half[0], h.half[1]);
        return h;
    }
};
struct one_half_op {
    using left = fr_t;
    using right = fr_t;
    using result = halves_t;
    GPU_FN static halves_t run(fr_t s, fr_t) {
        halves_t h{};
        reduce_scalar(s.limb);
        h.half[0] = halve_range(s.limb);
        return h;
    }
};

template <class Op> void probe_on(spf_stream const& stream, void const* d_a, void const* d_b, void* d_out, uint64_t n) {
    typename probe<Op>::params const p{static_cast<typename Op::left const*>(d_a), static_cast<typename Op::right const*>(d_b),
                                       static_cast<typename Op::result*>(d_out), n};
    uint32_t const blocks = uint32_t((n + probe<Op>::n_threads - 1) / probe<Op>::n_threads);
    check(launch<probe<Op>>(stream.raw, {blocks, 1}, p), "launching a probe");
}

using runner_t = void (*)(spf_stream const&, void const*, void const*, void*, uint64_t);

template <class F> constexpr runner_t field_runners[] = {
    probe_on<add_op<F>>, probe_on<sub_op<F>>, probe_on<mul_op<F>>,     probe_on<sqr_op<F>>,     probe_on<dbl_op<F>>,
    probe_on<neg_op<F>>, probe_on<inverse_op<F>>, probe_on<mul_sub_op<F>>, probe_on<is_zero_op<F>>};
template <class F> constexpr runner_t form_runners[] = {probe_on<to_canonical_op<F>>, probe_on<from_canonical_op<F>>};
template <class G> constexpr runner_t curve_runners[] = {
    probe_on<xyzz_affine_op<G>>,       probe_on<xyzz_xyzz_op<G>>,       probe_on<xyzz_double_op<G>>,
    probe_on<jacobian_affine_op<G>>,   probe_on<jacobian_jacobian_op<G>>, probe_on<jacobian_double_op<G>>,
    probe_on<endomorphism_op<G>>};

template <size_t N> runner_t pick(runner_t const (&table)[N], uint32_t i) { return i < N ? table[i] : nullptr; }

runner_t find_runner(uint32_t set, uint32_t operation) {
    switch (set) {
        case SPF_PROBE_FP: return pick(field_runners<fp_t>, operation);
        case SPF_PROBE_FR: return pick(field_runners<fr_t>, operation);
        case SPF_PROBE_FP2: return pick(field_runners<fp2_t>, operation);
        case SPF_PROBE_FP_FORM: return pick(form_runners<fp_t>, operation);
        case SPF_PROBE_FR_FORM: return pick(form_runners<fr_t>, operation);
        case SPF_PROBE_G1: return pick(curve_runners<g1_t>, operation);
        case SPF_PROBE_G2: return pick(curve_runners<g2_t>, operation);
        case SPF_PROBE_SPLIT: return operation == 0 ? probe_on<one_half_op> : operation == 1 ? probe_on<split_op> : nullptr;
        default: return nullptr;
    }
}

}  // namespace

extern "C" {

int32_t spf_probe_on(spf_stream* stream, uint32_t set, uint32_t operation, void const* d_a, void const* d_b, void* d_out,
                     uint64_t n, spf_error* error) noexcept {
    return guarded(error, [&] {
        runner_t const runner = find_runner(set, operation);
        require(runner != nullptr, "no operation %u in set %u", operation, set);
        require(n == 0 || (d_a != nullptr && d_b != nullptr && d_out != nullptr), "an array is null");
        runner(current(stream), d_a, d_b, d_out, n);
    });
}

}  // extern "C"
