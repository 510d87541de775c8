// The CUDA runtime: NVIDIA's under nvcc, the fake one (fake_cuda.hpp) under g++.
//
// The drivers are written against CUDA's own names, so what the tests run on the host is,
// line by line, what runs on a card.
#pragma once

#include "spf/core/target.hpp"

#if SPF_NVCC
#include "spf/runtime/launch.cuh"

#include <cuda_runtime_api.h>
#else
#include "spf/runtime/fake_launch.hpp"
#endif
