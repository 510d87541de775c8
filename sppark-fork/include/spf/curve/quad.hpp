// Additions and doublings of full points by four threads each, with the coordinates in shared memory.
//
// A lone addition is 14 products in sequence, and at the top of a reduction there are fewer additions than
// the card has lanes. Four lanes that do up to four of the products side by side need four steps (a doubling
// three), so a level of the tree takes a third of the time. All lanes run the same product on operands of
// their own, so a warp does not diverge in it.
//
// A step is a phase of the block: within one, no lane reads a slot that another writes.
#pragma once

#include "spf/curve/groups.hpp"

namespace spf {

// Ten slots of a field element for each quad.
template <class F, unsigned Quads> struct quad_slots_t {
    static constexpr unsigned n_limbs = sizeof(F) / 4;
    // The odd stride takes the four lanes' different slots to different banks.
    uint32_t word[10][n_limbs * Quads + 8];

    GPU_FN F get(uint32_t slot, uint32_t quad) const {
        F value;
        auto* const limb = reinterpret_cast<uint32_t*>(&value);
        SPF_UNROLL for (unsigned l = 0; l < n_limbs; l++) limb[l] = word[slot][l * Quads + quad];
        return value;
    }
    GPU_FN void put(uint32_t slot, uint32_t quad, F value) {
        auto const* const limb = reinterpret_cast<uint32_t const*>(&value);
        SPF_UNROLL for (unsigned l = 0; l < n_limbs; l++) word[slot][l * Quads + quad] = limb[l];
    }
};

// One lane of a quad at work on slots 0..3 (X, Y, ZZ, ZZZ of the sum or the point to
// double) and 4..7 (the other summand).
// The result stands in slots 0..3 after `finish`.
template <class F, unsigned Quads> struct quad_lane_t {
    using slots = quad_slots_t<F, Quads>;
    slots& s;
    uint32_t quad, lane;

    GPU_FN F get(uint32_t slot) const { return s.get(slot, quad); }
    GPU_FN void put(uint32_t slot, F value) const { s.put(slot, quad, value); }

    // Each lane brings one coordinate.
    GPU_FN void load_first(xyzz_t<F> const& p) const { put(lane, *coordinate(p, lane)); }
    GPU_FN void load_second(xyzz_t<F> const& p) const { put(4 + lane, *coordinate(p, lane)); }

    // Whether a summand is infinity: then no step may touch the slots. Slots 2 and
    // 6 are only read before step 2.
    GPU_FN bool has_infinity() const { return get(2).is_zero() || get(6).is_zero(); }
    // Whether the summands' x are equal, known after step 1.
    GPU_FN bool same_x() const { return get(0) == get(4); }

    // Step 1 to 4 of an addition.
    template <unsigned Step> GPU_FN void add_step() const {
        F a, b;
        uint32_t out = 0;
        if constexpr (Step == 1) {
            // U1 = X1 ZZ2 over X1, U2 = X2 ZZ1 over X2, S1 = Y1 ZZZ2 over Y1, S2 = Y2 ZZZ1 over Y2
            constexpr uint32_t left = 0x5140, right = 0x3726;
            a = get(left >> (4 * lane) & 15);
            b = get(right >> (4 * lane) & 15);
            out = left >> (4 * lane) & 15;
        } else if constexpr (Step == 2) {
            // HH = (U2 - U1)^2, RR = (S2 - S1)^2, ZZ1 ZZ2, ZZZ1 ZZZ2
            if (lane < 2) {
                a = get(4 + lane) - get(lane);
                b = a;
                out = 8 + lane;
            } else {
                a = get(lane);
                b = get(4 + lane);
                out = lane;
            }
        } else if constexpr (Step == 3) {
            // HHH = H HH over ZZ2, Q = U1 HH over ZZZ2, ZZ3 = ZZ1 ZZ2 HH
            if (lane == 3) return;
            a = lane == 0 ? get(4) - get(0) : lane == 1 ? get(0) : get(2);
            b = get(8);
            out = lane == 0 ? 6 : lane == 1 ? 7 : 2;
        } else {
            // R (Q - X3), S1 HHH, ZZZ3 = ZZZ1 ZZZ2 HHH, and X3 = RR - HHH - 2 Q
            F const hhh = get(6);
            if (lane == 0 || lane == 3) {
                F const q = get(7);
                F const x3 = get(9) - hhh - q.dbl();
                if (lane == 3) {
                    put(0, x3);
                    return;
                }
                a = get(5) - get(1);
                b = q - x3;
                out = 8;
            } else {
                a = get(lane == 1 ? 1 : 3);
                b = hhh;
                out = lane == 1 ? 4 : 3;
            }
        }
        put(out, a * b);
    }

    // Step 1 to 3 of a doubling. Infinity has ZZ = 0 and keeps it.
    template <unsigned Step> GPU_FN void double_step() const {
        F a, b;
        uint32_t out = 0;
        if constexpr (Step == 1) {
            // V = (2 Y)^2, XX = X^2
            if (lane > 1) return;
            a = lane == 0 ? get(1).dbl() : get(0);
            b = a;
            out = 4 + lane;
        } else if constexpr (Step == 2) {
            // W = 2 Y V, S = X V, MM = (3 XX)^2, ZZ3 = V ZZ
            if (lane == 2) {
                F const xx = get(5);
                a = xx.dbl() + xx;
                b = a;
            } else {
                a = lane == 0 ? get(1).dbl() : lane == 1 ? get(0) : get(2);
                b = get(4);
            }
            out = lane == 3 ? 2 : 6 + lane;
        } else {
            // M (S - X3), W Y, ZZZ3 = W ZZZ, and X3 = MM - 2 S
            if (lane == 0 || lane == 3) {
                F const t = get(7);
                F const x3 = get(8) - t.dbl();
                if (lane == 3) {
                    put(0, x3);
                    return;
                }
                F const xx = get(5);
                a = xx.dbl() + xx;
                b = t - x3;
                out = 9;
            } else {
                a = get(6);
                b = get(lane == 1 ? 1 : 3);
                out = lane == 1 ? 4 : 3;
            }
        }
        put(out, a * b);
    }

    // The last difference; one lane's work.
    GPU_FN void finish_add() const { put(1, get(8) - get(4)); }
    GPU_FN void finish_double() const { put(1, get(9) - get(4)); }

    // An addition that was left after has_infinity, or after step 1 because of same_x; one lane's work.
    GPU_CALL void finish_exception(bool infinity) const {
        if (infinity) {
            if (!get(2).is_zero()) return;
            for (uint32_t k = 0; k < 4; k++) put(k, get(4 + k));
            return;
        }
        // Over their common denominator the summands are (U1, S1) and (U2, S2), and U1 = U2.
        xyzz_t<F> sum = xyzz_t<F>::infinity();
        if (get(1) == get(5)) sum = xyzz_t<F>{get(0), get(1), get(2) * get(6), get(3) * get(7)}.dbl();
        put(0, sum.x);
        put(1, sum.y);
        put(2, sum.zz);
        put(3, sum.zzz);
    }

    // The lane's own coordinate.
    GPU_FN static F const* coordinate(xyzz_t<F> const& p, uint32_t lane) {
        static_assert(sizeof(xyzz_t<F>) == 4 * sizeof(F), "four coordinates, side by side");
        return reinterpret_cast<F const*>(&p) + lane;
    }
    GPU_FN void store(xyzz_t<F>& p) const { *const_cast<F*>(coordinate(p, lane)) = get(lane); }
};

}  // namespace spf
