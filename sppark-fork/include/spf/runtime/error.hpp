// Errors: thrown inside C++, written into the caller's spf_error at the boundary.
#pragma once

#include "spf/runtime/api.hpp"
#include "sppark_fork.h"

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <new>

namespace spf {

class failure : public std::exception {
public:
    failure(int32_t kind, int32_t code, unsigned line, char const* format, ...)
        __attribute__((format(printf, 5, 6)));

    char const* what() const noexcept override { return error_.text; }
    spf_error const& error() const noexcept { return error_; }
    void set_bytes(uint64_t need, uint64_t free) noexcept {
        error_.need_bytes = need;
        error_.free_bytes = free;
    }

private:
    spf_error error_{};
};

inline failure::failure(int32_t kind, int32_t code, unsigned line, char const* format, ...) {
    error_.kind = kind;
    error_.code = code;
    error_.line = line;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error_.text, sizeof error_.text, format, arguments);
    va_end(arguments);
}

// Which of our kinds a code of the CUDA runtime is. Everything after which the context
// answers no more is SPF_DEVICE.
inline int32_t kind_of(cudaError_t code) noexcept {
    switch (int(code)) {
        case 0: return SPF_OK;
        case 2: return SPF_OUT_OF_MEMORY;
        case 3:    // initialisation
        case 34:   // stub library
        case 35:   // driver too old
        case 46:   // devices unavailable
        case 100:  // no device
        case 101:  // not this device
        case 803:  // driver and library disagree
        case 804: return SPF_NO_DEVICE;
        case 8:    // no function
        case 9:    // configuration
        case 98:   // not a function of this device
        case 209:  // no code for this device
        case 218:  // PTX
        case 222:  // PTX version
        case 701: return SPF_LAUNCH;  // resources
        case 214:  // memory fault
        case 220:  // NVLink
        case 700:  // address
        case 702:  // time-out
        case 709:  // context destroyed
        case 710:  // assertion
        case 714:  // stack
        case 715:  // instruction
        case 716:  // alignment
        case 717:  // address space
        case 718:  // program counter
        case 719:  // launch failure
        case 720:  // cooperative launch
        case 721:
        case 999: return SPF_DEVICE;
        default: return SPF_INTERNAL;
    }
}

[[noreturn]] inline void fail(cudaError_t code, char const* doing, unsigned line) {
    // The runtime keeps the last error of a thread; it was reported here, so the next call must not find it.
    (void)cudaGetLastError();
    throw failure(kind_of(code), int32_t(code), line, "%s: %s (%s)", doing, cudaGetErrorString(code), cudaGetErrorName(code));
}

inline void check(cudaError_t code, char const* doing, unsigned line = __builtin_LINE()) {
    if (code != cudaSuccess) fail(code, doing, line);
}

// `ok` is a condition on the caller's arguments.
template <class... Values>
inline void require(bool ok, char const* format, Values... values) {
    if (ok) return;
    if constexpr (sizeof...(Values) == 0) {
        throw failure(SPF_INVALID, 0, 0, "%s", format);
    } else {
        char text[sizeof(spf_error::text)];
        std::snprintf(text, sizeof text, format, values...);
        throw failure(SPF_INVALID, 0, 0, "%s", text);
    }
}

template <class Args> inline Args const& checked(Args const* args, char const* name) {
    require(args != nullptr, "%s is null", name);
    require(args->size == sizeof(Args), "%s says %llu bytes, this library's has %llu: the caller was built against another header",
            name, (unsigned long long)args->size, (unsigned long long)sizeof(Args));
    return *args;
}

// Runs the body of an exported function: what it throws ends here.
template <class Body> inline int32_t guarded(spf_error* out, Body&& body) noexcept {
    spf_error error{};
    try {
        body();
    } catch (failure const& caught) {
        error = caught.error();
    } catch (std::bad_alloc const&) {
        error.kind = SPF_OUT_OF_MEMORY;
        error.free_bytes = UINT64_MAX;
        std::snprintf(error.text, sizeof error.text, "host memory is exhausted");
    } catch (std::exception const& caught) {
        error.kind = SPF_INTERNAL;
        std::snprintf(error.text, sizeof error.text, "%s", caught.what());
    } catch (...) {
        error.kind = SPF_INTERNAL;
        std::snprintf(error.text, sizeof error.text, "an exception of unknown type");
    }
    if (out != nullptr) *out = error;
    return error.kind;
}

}  // namespace spf
