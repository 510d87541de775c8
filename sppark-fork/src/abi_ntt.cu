// The C ABI of the transforms and of the quotient.
#include "spf/ntt/ntt.cuh"
#include "spf/poly/pointwise.cuh"

using namespace spf;
using namespace spf::ntt;
using spf::poly::multiply_on;

namespace {

static_assert(SPF_NTT_MAX_LOG_N == max_log_n, "the header's limit");

table_t checked_table(void const* d_table, uint64_t n_bytes, uint32_t max_log, uint32_t log_n) {
    require(d_table != nullptr, "the table is null");
    require(max_log <= max_log_n, "a table for transforms of 2^%u, over the limit of 2^%u", max_log, max_log_n);
    require(log_n <= max_log, "a transform of 2^%u with a table for up to 2^%u", log_n, max_log);
    // Reading only: the carver has no way to say so.
    carver memory(const_cast<void*>(d_table), n_bytes);
    return carve_table(max_log, memory);
}

plan_t chosen_plan(uint32_t log_n, uint32_t most_bits) {
    // A thread's eight elements are of one column, except in the last pass.
    require(most_bits == 0 || (most_bits >= 3 && most_bits <= tile_log), "passes of up to %u bits: 3 to %u are possible",
            most_bits, tile_log);
    require(most_bits == 0 || log_n <= 16 * most_bits, "passes of %u bits are too short for 2^%u", most_bits, log_n);
    return most_bits == 0 ? make_plan(log_n) : make_narrow_plan(log_n, most_bits);
}

}  // namespace

extern "C" {

uint64_t spf_ntt_table_bytes(uint32_t max_log) noexcept {
    return table_bytes(max_log);
}

int32_t spf_ntt_table_build_on(spf_stream* stream, uint32_t max_log, void* d_table, uint64_t n_bytes,
                               spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_stream const& on = current(stream);
        (void)checked_table(d_table, n_bytes, max_log, 0);
        build_table_on(on, max_log, d_table, n_bytes);
    });
}

int32_t spf_ntt_run_on(spf_stream* stream, spf_ntt_args const* raw, spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_ntt_args const& args = checked(raw, "spf_ntt_args");
        spf_stream const& on = current(stream);
        require(args.d_data != nullptr, "the data is null");
        require(args.direction <= SPF_NTT_INVERSE, "direction %u", args.direction);
        require(args.order <= SPF_NTT_REVERSED_TO_REVERSED, "order %u", args.order);
        require(args.on_coset <= 1, "on_coset is %u, not 0 or 1", args.on_coset);
        table_t const t = checked_table(args.d_table, args.table_bytes, args.table_max_log_n, args.log_n);
        plan_t const plan = chosen_plan(args.log_n, args.most_bits_a_pass);
        auto* const data = static_cast<fr_t*>(args.d_data);
        job_t job{};
        job.log_n = args.log_n;
        job.inverse = args.direction == SPF_NTT_INVERSE;
        job.from_reversed = args.order == SPF_NTT_REVERSED_TO_NATURAL || args.order == SPF_NTT_REVERSED_TO_REVERSED;
        job.scale_first = !job.inverse;
        job.scale = job.inverse ? (args.on_coset ? scale_coset_inverse : scale_inverse) : (args.on_coset ? scale_coset : scale_none);
        transform_on(on, t, data, job, plan);
        bool const keeps_order = args.order == SPF_NTT_NATURAL_TO_NATURAL || args.order == SPF_NTT_REVERSED_TO_REVERSED;
        if (keeps_order && args.log_n > 1) reverse_on(on, data, nullptr, args.log_n);
    });
}

int32_t spf_poly_quotient_on(spf_stream* stream, spf_quotient_args const* raw, spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_quotient_args const& args = checked(raw, "spf_quotient_args");
        spf_stream const& on = current(stream);
        require(args.d_a != nullptr && args.d_b != nullptr && args.d_c != nullptr, "a vector is null");
        require(args.c_is_given <= 1, "c_is_given is %u, not 0 or 1", args.c_is_given);
        table_t const t = checked_table(args.d_table, args.table_bytes, args.table_max_log_n, args.log_n);
        plan_t const plan = make_plan(args.log_n);
        auto *const a = static_cast<fr_t*>(args.d_a), *const b = static_cast<fr_t*>(args.d_b),
             *const c = static_cast<fr_t*>(args.d_c);
        uint64_t const n = uint64_t(1) << args.log_n;
        uint32_t const k = args.log_n;
        bool const has_a = (args.steps & SPF_QUOTIENT_OF_A) != 0, has_rest = (args.steps & SPF_QUOTIENT_REST) != 0;
        require(args.steps >= 1 && args.steps <= 3, "steps %u are none of the quotient's", args.steps);
        auto const to_coset = [&](fr_t* values) {
            transform_on(on, t, values, {k, true, false, scale_inverse_coset, false}, plan);
            transform_on(on, t, values, {k, false, true, scale_none, false}, plan);
        };
        if (!args.c_is_given && has_a && has_rest) multiply_on(on, c, a, b, n);
        if (has_a) {
            // The product needs a's values when b's are there.
            if (!args.c_is_given && !has_rest) copy_on_device_on(on, c, a, n * sizeof(fr_t));
            to_coset(a);
        }
        if (!has_rest) return;
        if (!args.c_is_given && !has_a) multiply_on(on, c, c, b, n);
        to_coset(b);
        transform_on(on, t, c, {k, true, false, scale_inverse_quotient, false}, plan);
        multiply_on(on, a, a, b, n);
        transform_on(on, t, a, {k, true, false, scale_quotient, false}, plan);
        reverse_on(on, a, c, k);
    });
}

int32_t spf_poly_multiply_on(spf_stream* stream, void* d_out, void const* d_a, void const* d_b, uint64_t n,
                             spf_error* error) noexcept {
    return guarded(error, [&] {
        spf_stream const& on = current(stream);
        require(n == 0 || (d_out != nullptr && d_a != nullptr && d_b != nullptr), "a vector is null");
        require(n <= uint64_t(1) << 38, "%llu elements are more than any device holds", (unsigned long long)n);
        multiply_on(on, static_cast<fr_t*>(d_out), static_cast<fr_t const*>(d_a), static_cast<fr_t const*>(d_b), n);
    });
}
}
