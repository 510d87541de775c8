// The constants of the radix-8 step, with u = w_8 the root of order 8 (or its inverse):
// (u + u^3)/2, u^2, (u - u^3)/2.
//
// Python, with r the group order:
//     u = pow(7, (r - 1) // 8, r)                      # inverse: pow(u, -1, r)
//     for w in ((u + u**3) * pow(2, -1, r), u**2, (u - u**3) * pow(2, -1, r)):
//         print(w * 2**128 % r, w * 2**256 % r)        # in 32-bit limbs, least significant first
#pragma once

#include "spf/ntt/twiddle.hpp"

namespace spf {
namespace ntt {

struct eighth_t {
    twiddle_t factor[3];
};

inline eighth_t eighth_constants(bool inverse) {
    constexpr eighth_t forward = {{
        {{{0x09d2daa4, 0xf57ffea0, 0xfecf34ea, 0x972eebec, 0x05704ac0, 0x3db91ca5, 0xb129df2c, 0x42e76657}},
         {{0x357acc6a, 0x3ff770ec, 0x5e4c2b4c, 0x9d3dbf02, 0xed78bd49, 0xdfa1a7e9, 0xf34d6761, 0x1d1faa85}}},
        {{{0xa932a94b, 0x1ebb51ea, 0x71204f7e, 0x85590315, 0xd1333fc5, 0xd858ed2c, 0x3e3a33b3, 0x177671e7}},
         {{0xaa89cfb1, 0xf3b05674, 0x6006b9fe, 0x072f0140, 0x25667a26, 0xce9a0dbf, 0x2d598374, 0x4d2ce405}}},
        {{{0xb3e17f90, 0x1bc045cb, 0x3c54eb8a, 0x5d88f78a, 0xbd55d3b7, 0x1a43fd94, 0xca799d59, 0x40673954}},
         {{0xf6c8238e, 0x2ed7d8a8, 0xef11cf0b, 0xd1843b80, 0x68ddf412, 0x6054274e, 0x2f509bb9, 0x379857e1}}},
    }};
    constexpr eighth_t backward = {{
        {{{0xf62d255d, 0x0a80015e, 0x012f2714, 0xbc8eb816, 0x04318d44, 0xf580bb63, 0x78739e1b, 0x310640fb}},
         {{0xca853397, 0xc0088f12, 0xa1b230b2, 0xb67fe500, 0x1c291abb, 0x5398301e, 0x365015e6, 0x56cdfccd}}},
        {{{0x56cd56b6, 0xe144ae14, 0x8ede0c80, 0xce64a0ed, 0x386e983f, 0x5ae0eadb, 0xeb634994, 0x5c77356b}},
         {{0x55763050, 0x0c4fa98a, 0x9ff7a200, 0x4c8ea2c2, 0xe43b5ddf, 0x649fca48, 0xfc43f9d3, 0x26c0c34d}}},
        {{{0xb3e17f90, 0x1bc045cb, 0x3c54eb8a, 0x5d88f78a, 0xbd55d3b7, 0x1a43fd94, 0xca799d59, 0x40673954}},
         {{0xf6c8238e, 0x2ed7d8a8, 0xef11cf0b, 0xd1843b80, 0x68ddf412, 0x6054274e, 0x2f509bb9, 0x379857e1}}},
    }};
    return inverse ? backward : forward;
}

}  // namespace ntt
}  // namespace spf
