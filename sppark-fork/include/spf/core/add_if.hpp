// a += constant, if a condition holds, without a mask for each limb: on the
// card the additions are predicated.
#pragma once

#include "spf/core/target.hpp"

namespace spf {

// For eight limbs; `c` gives limb i of the constant. The carry out of the top is dropped.
template <class Constant> GPU_FN void add_if(uint32_t condition, uint32_t (&a)[8], Constant c) {
#if SPF_DEVICE_PASS
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.u32 p, %8, 0;\n\t"
        "@p add.cc.u32 %0, %0, %9;\n\t"
        "@p addc.cc.u32 %1, %1, %10;\n\t"
        "@p addc.cc.u32 %2, %2, %11;\n\t"
        "@p addc.cc.u32 %3, %3, %12;\n\t"
        "@p addc.cc.u32 %4, %4, %13;\n\t"
        "@p addc.cc.u32 %5, %5, %14;\n\t"
        "@p addc.cc.u32 %6, %6, %15;\n\t"
        "@p addc.u32 %7, %7, %16;\n\t"
        "}"
        : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]), "+r"(a[4]), "+r"(a[5]), "+r"(a[6]), "+r"(a[7])
        : "r"(condition), "r"(c(0)), "r"(c(1)), "r"(c(2)), "r"(c(3)), "r"(c(4)), "r"(c(5)), "r"(c(6)), "r"(c(7)));
#else
    uint64_t carry = 0;
    for (int i = 0; i < 8; i++) {
        carry += uint64_t(a[i]) + (condition != 0 ? c(i) : 0);
        a[i] = uint32_t(carry);
        carry >>= 32;
    }
#endif
}

}  // namespace spf
