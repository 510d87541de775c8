// Constants of BLS12-381, 32-bit limbs, least significant first. Elements are in Montgomery
// form (p: R = 2^384, r: R = 2^256).
//
// Each line of derivation is Python; p, r are the field and group orders.
#pragma once

#include "spf/core/target.hpp"

namespace spf {

// Limbs are functions of a constant index: device code cannot read a static array of the host, and after
// unrolling these fold into immediates.
// n_limbs, m0 = -pow(modulus, -1, 2**32) % 2**32, one = 2**(32*n_limbs) % modulus,
// rr = 2**(64*n_limbs) % modulus.
struct fp_params {
    static constexpr int n_limbs = 12;
    static constexpr uint32_t m0 = 0xfffcfffd;
    static constexpr uint64_t m0_64 = 0x89f3fffcfffcfffd;
    GPU_LIMBS static constexpr uint32_t modulus(int i) {
        constexpr uint32_t limbs[12] = {
            0xffffaaab, 0xb9feffff, 0xb153ffff, 0x1eabfffe, 0xf6b0f624, 0x6730d2a0,
            0xf38512bf, 0x64774b84, 0x434bacd7, 0x4b1ba7b6, 0x397fe69a, 0x1a0111ea};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t one(int i) {
        constexpr uint32_t limbs[12] = {
            0x0002fffd, 0x76090000, 0xc40c0002, 0xebf4000b, 0x53c758ba, 0x5f489857,
            0x70525745, 0x77ce5853, 0xa256ec6d, 0x5c071a97, 0xfa80e493, 0x15f65ec3};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t rr(int i) {
        constexpr uint32_t limbs[12] = {
            0x1c341746, 0xf4df1f34, 0x09d104f1, 0x0a76e6a6, 0x4c95b6d5, 0x8de5476c,
            0x939d83c0, 0x67eb88a9, 0xb519952d, 0x9a793e85, 0x92cae3aa, 0x11988fe5};
        return limbs[i];
    }
};

struct fr_params {
    static constexpr int n_limbs = 8;
    static constexpr uint32_t m0 = 0xffffffff;
    static constexpr uint64_t m0_64 = 0xfffffffeffffffff;
    GPU_LIMBS static constexpr uint32_t modulus(int i) {
        constexpr uint32_t limbs[8] = {
            0x00000001, 0xffffffff, 0xfffe5bfe, 0x53bda402, 0x09a1d805, 0x3339d808,
            0x299d7d48, 0x73eda753};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t one(int i) {
        constexpr uint32_t limbs[8] = {
            0xfffffffe, 0x00000001, 0x00034802, 0x5884b7fa, 0xecbc4ff5, 0x998c4fef,
            0xacc5056f, 0x1824b159};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t rr(int i) {
        constexpr uint32_t limbs[8] = {
            0xf3f29c6d, 0xc999e990, 0x87925c23, 0x2b6cedcb, 0x7254398f, 0x05d31496,
            0x9f59ff11, 0x0748d9d9};
        return limbs[i];
    }
};

// The endomorphism (x, y) -> (beta x, y), which multiplies by lambda = z^2 - 1, z = -0xd201000000010000 the
// curve's parameter. lambda^2 + lambda + 1 = r exactly; beta is the cube root of unity in Fp with that
// eigenvalue, another one on each group. Source: Gallant, Lambert, Vanstone, CRYPTO 2001.
struct endomorphism {
    GPU_LIMBS static constexpr uint32_t lambda(int i) {
        constexpr uint32_t limbs[4] = {0xffffffff, 0x00000000, 0x0001a402, 0xac45a401};
        return limbs[i];
    }
    // 2**256 // lambda, for the division by lambda: 129 bits
    GPU_LIMBS static constexpr uint32_t barrett(int i) {
        constexpr uint32_t limbs[5] = {0xf6cfee30, 0x63f6e522, 0xe01faadd, 0x7c6becf1, 0x00000001};
        return limbs[i];
    }
    // beta, G1, Montgomery form
    GPU_LIMBS static constexpr uint32_t beta_g1(int i) {
        constexpr uint32_t limbs[12] = {
            0x8671f071, 0xcd03c9e4, 0x1fcda5d2, 0x5dab2246, 0xd3851b95, 0x587042af,
            0x01bacb9e, 0x8eb60ebe, 0x83d050d2, 0x03f97d6e, 0x54638741, 0x18f02065};
        return limbs[i];
    }
    // beta**2, G2, Montgomery form
    GPU_LIMBS static constexpr uint32_t beta_g2(int i) {
        constexpr uint32_t limbs[12] = {
            0x798a64e8, 0x30f1361b, 0x7ece5a2a, 0xf3b8ddab, 0xc61577f7, 0x16a8ca3a,
            0x74fd029b, 0xc26a2ff8, 0x60701c6e, 0x3636b766, 0x241b6160, 0x051ba4ab};
        return limbs[i];
    }
};

// The generators' coordinates, Montgomery form (RFC draft pairing-friendly curves, section 4.2.1).
struct generators {
    GPU_LIMBS static constexpr uint32_t g1_x(int i) {
        constexpr uint32_t limbs[12] = {
            0xfd530c16, 0x5cb38790, 0x9976fff5, 0x7817fc67, 0x143ba1c1, 0x154f95c7,
            0xf3d0e747, 0xf0ae6acd, 0x21dbf440, 0xedce6ecc, 0x9e0bfb75, 0x12017741};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t g1_y(int i) {
        constexpr uint32_t limbs[12] = {
            0x0ce72271, 0xbaac93d5, 0x7918fd8e, 0x8c22631a, 0x570725ce, 0xdd595f13,
            0x50405194, 0x51ac5829, 0xad0059c0, 0x0e1c8c3f, 0x5008a26a, 0x0bbc3efc};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t g2_x0(int i) {
        constexpr uint32_t limbs[12] = {
            0x02940a10, 0xf5f28fa2, 0x87b4961a, 0xb3f5fb26, 0x3e2ae580, 0xa1a893b5,
            0x1a3caee9, 0x9894999d, 0x1863366b, 0x6f67b763, 0x4350bcd7, 0x05819192};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t g2_x1(int i) {
        constexpr uint32_t limbs[12] = {
            0x9e23f606, 0xa5a9c075, 0xbccd60c3, 0xaaa0c59d, 0xe2867806, 0x3bb17e18,
            0x8541b367, 0x1b1ab6cc, 0xf2158547, 0xc2b6ed0e, 0x7360edf3, 0x11922a09};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t g2_y0(int i) {
        constexpr uint32_t limbs[12] = {
            0x60494c4a, 0x4c730af8, 0x5e369c5a, 0x597cfa1f, 0xaa0a635a, 0xe7e6856c,
            0x6e0d495f, 0xbbefb5e9, 0xf0ef25a2, 0x07d3a975, 0x7e80dae5, 0x0083fd8e};
        return limbs[i];
    }
    GPU_LIMBS static constexpr uint32_t g2_y1(int i) {
        constexpr uint32_t limbs[12] = {
            0xdf64b05d, 0xadc0fc92, 0x2b1461dc, 0x18aa270a, 0x3be4eba0, 0x86adac6a,
            0xc93da33a, 0x79495c4e, 0xa43ccaed, 0xe7175850, 0x63de1bf2, 0x0b2bc2a1};
        return limbs[i];
    }
};

}  // namespace spf
