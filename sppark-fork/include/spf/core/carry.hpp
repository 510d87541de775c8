// Additions and multiply-adds of 32-bit limbs that hand a carry along.
//
// On the card the carry is the hardware's flag and `carry_t` is empty: each call is one PTX instruction, and
// ptxas joins a mad_lo/madc_hi pair on the same operands into one IMAD.WIDE. On the host `carry_t` holds the
// flag, so the same limb algorithms run under the sanitizers. The suffix says what happens to the flag: `_cc`
// sets it, `c` before it reads it.
#pragma once

#include "spf/core/target.hpp"

namespace spf {

#if SPF_DEVICE_PASS

struct carry_t {};

#define SPF_CARRY_OP2(name, ptx)                                                            \
    GPU_FN uint32_t name(carry_t&, uint32_t a, uint32_t b) {                                \
        uint32_t d;                                                                         \
        asm volatile(ptx " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));                        \
        return d;                                                                           \
    }
#define SPF_CARRY_OP3(name, ptx)                                                            \
    GPU_FN uint32_t name(carry_t&, uint32_t a, uint32_t b, uint32_t c) {                    \
        uint32_t d;                                                                         \
        asm volatile(ptx " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));            \
        return d;                                                                           \
    }
SPF_CARRY_OP2(add_cc, "add.cc.u32")
SPF_CARRY_OP2(addc_cc, "addc.cc.u32")
SPF_CARRY_OP2(addc, "addc.u32")
SPF_CARRY_OP2(sub_cc, "sub.cc.u32")
SPF_CARRY_OP2(subc_cc, "subc.cc.u32")
SPF_CARRY_OP2(subc, "subc.u32")
SPF_CARRY_OP3(mad_lo_cc, "mad.lo.cc.u32")
SPF_CARRY_OP3(madc_lo_cc, "madc.lo.cc.u32")
SPF_CARRY_OP3(madc_hi_cc, "madc.hi.cc.u32")
SPF_CARRY_OP3(madc_hi, "madc.hi.u32")
#undef SPF_CARRY_OP2
#undef SPF_CARRY_OP3

#else

struct carry_t {
    uint32_t flag = 0;

    GPU_LIMBS uint32_t set(uint64_t sum) {
        flag = uint32_t(sum >> 32) & 1;
        return uint32_t(sum);
    }
};

GPU_LIMBS uint32_t add_cc(carry_t& c, uint32_t a, uint32_t b) { return c.set(uint64_t(a) + b); }
GPU_LIMBS uint32_t addc_cc(carry_t& c, uint32_t a, uint32_t b) { return c.set(uint64_t(a) + b + c.flag); }
GPU_LIMBS uint32_t addc(carry_t& c, uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) + b + c.flag); }
// After a subtraction the flag is the borrow.
GPU_LIMBS uint32_t sub_cc(carry_t& c, uint32_t a, uint32_t b) { return c.set(uint64_t(a) - b); }
GPU_LIMBS uint32_t subc_cc(carry_t& c, uint32_t a, uint32_t b) { return c.set(uint64_t(a) - b - c.flag); }
GPU_LIMBS uint32_t subc(carry_t& c, uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) - b - c.flag); }
GPU_LIMBS uint32_t lo_of(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b); }
GPU_LIMBS uint32_t hi_of(uint32_t a, uint32_t b) { return uint32_t((uint64_t(a) * b) >> 32); }
GPU_LIMBS uint32_t mad_lo_cc(carry_t& c, uint32_t a, uint32_t b, uint32_t d) { return add_cc(c, lo_of(a, b), d); }
GPU_LIMBS uint32_t madc_lo_cc(carry_t& c, uint32_t a, uint32_t b, uint32_t d) { return addc_cc(c, lo_of(a, b), d); }
GPU_LIMBS uint32_t madc_hi_cc(carry_t& c, uint32_t a, uint32_t b, uint32_t d) { return addc_cc(c, hi_of(a, b), d); }
GPU_LIMBS uint32_t madc_hi(carry_t& c, uint32_t a, uint32_t b, uint32_t d) { return addc(c, hi_of(a, b), d); }

#endif

}  // namespace spf
