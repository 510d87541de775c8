// The driver of the pointwise steps: launches only.
#pragma once

#include "spf/poly/pointwise.hpp"
#include "spf/runtime/memory.hpp"

namespace spf {
namespace poly {

inline void multiply_on(spf_stream const& stream, fr_t* out, fr_t const* a, fr_t const* b, uint64_t n) {
    using body = multiply_body;
    check(launch<body>(stream.raw, {uint32_t((n + body::n_threads - 1) / body::n_threads)}, {out, a, b, n}),
          "launching the products");
}

}  // namespace poly
}  // namespace spf
