// Mixed additions as a short loop over products, with the point's coordinates in shared memory.
//
// Inlined, an addition is 70 KB of code in G1 and 240 KB in G2, more than the instruction caches hold, and
// needs all the registers there are. Here every product of an addition runs through the same few inlined
// bodies (a product, a square, a difference of products), and what is not in use waits in shared memory:
// seven slots of one field element a thread.
#pragma once

#include "spf/curve/groups.hpp"

namespace spf {

// An element of Fp or of Fp2 as its parts in Fp.
template <class F> constexpr unsigned n_parts = sizeof(F) / sizeof(fp_t);

// The slots of a block: limb l of slot s of thread t at [s][l][t], so that a warp's
// accesses fall into different banks.
template <class F, unsigned Threads> struct slots_t {
    static constexpr unsigned n_limbs = sizeof(F) / 4;
    uint32_t word[7][n_limbs][Threads];

    GPU_FN F get(uint32_t slot, uint32_t thread) const {
        F value;
        auto* const limb = reinterpret_cast<uint32_t*>(&value);
        SPF_UNROLL for (unsigned l = 0; l < n_limbs; l++) limb[l] = word[slot][l][thread];
        return value;
    }
    // One part of an element.
    GPU_FN fp_t part(uint32_t slot, uint32_t thread, int i) const {
        fp_t value;
        SPF_UNROLL for (int l = 0; l < fp_t::n_limbs; l++) value.limb[l] = word[slot][i * fp_t::n_limbs + l][thread];
        return value;
    }
    GPU_FN void put(uint32_t slot, uint32_t thread, F value) {
        auto const* const limb = reinterpret_cast<uint32_t const*>(&value);
        SPF_UNROLL for (unsigned l = 0; l < n_limbs; l++) word[slot][l][thread] = limb[l];
    }
};

// A running sum in slots; complete, like xyzz_t.
template <class G, unsigned Threads> struct stepped_sum {
    using field = typename G::field;
    using affine = typename G::affine;
    using xyzz = typename G::xyzz;
    using slots = slots_t<field, Threads>;

    slots& s;
    uint32_t thread;
    bool is_infinity;

    GPU_FN void set(affine p) {
        is_infinity = p.is_infinity();
        s.put(slot_x, thread, p.x);
        s.put(slot_y, thread, p.y);
        s.put(slot_zz, thread, field::one());
        s.put(slot_zzz, thread, field::one());
    }

    GPU_FN void set(xyzz const& p) {
        is_infinity = p.is_infinity();
        s.put(slot_x, thread, p.x);
        s.put(slot_y, thread, p.y);
        s.put(slot_zz, thread, p.zz);
        s.put(slot_zzz, thread, p.zzz);
    }

    GPU_FN xyzz get() const {
        if (is_infinity) return xyzz::infinity();
        return {s.get(slot_x, thread), s.get(slot_y, thread), s.get(slot_zz, thread), s.get(slot_zzz, thread)};
    }

    // Adds the point that `load()` gives. It is asked for again in the rare case that the sums' x are equal,
    // so that the point need not stay in registers.
    template <class Load> GPU_FN void add(Load&& load) {
        {
            affine const p = load();
            if (p.is_infinity()) return;
            if (is_infinity) {
                set(p);
                return;
            }
            s.put(slot_p, thread, p.x);
            s.put(slot_r, thread, p.y);
        }
        // The products of xyzz_t::add in order; at each step the slots of the factors, four bits a step.
        constexpr uint64_t left = 0x5'5'1'0'3'2'4'4'5'4, right = 0x0'5'4'6'4'6'6'4'3'2;
#if SPF_DEVICE_PASS
#pragma unroll 1
#endif
        for (uint32_t step = 0; step < 10; step++) {
            if (step == 7 && shares_reduction) continue;
            uint32_t const l = uint32_t(left >> (4 * step)) & 15, r = uint32_t(right >> (4 * step)) & 15;
            field t = product(step, l, r);
            uint32_t out = l;
            switch (step) {
                case 0: t = t - s.get(slot_x, thread); break;  // H
                case 1:                                        // R
                    t = t - s.get(slot_y, thread);
                    if (s.get(slot_p, thread).is_zero()) {
                        add_same_x(load(), t.is_zero());
                        return;
                    }
                    break;
                case 2: out = slot_hh; break;  // HH
                case 8:                        // X3 = R^2 - HHH - 2 Q, where HH stood
                    t = t - s.get(slot_p, thread) - s.get(slot_x, thread).dbl();
                    out = slot_hh;
                    break;
                case 9:
                    if (!shares_reduction) t = t - s.get(slot_y, thread);
                    s.put(slot_x, thread, s.get(slot_hh, thread));
                    out = slot_y;
                    break;
                default: break;
            }
            s.put(out, thread, t);
        }
    }

private:
    GPU_FN field product(uint32_t step, uint32_t l, uint32_t r) const {
        if constexpr (n_parts<field> == 1) {
            if (step == 2 || step == 8) return s.get(l, thread).sqr();
            if (step == 9) {
                return mul_sub(s.get(slot_r, thread), s.get(slot_x, thread) - s.get(slot_hh, thread),
                               s.get(slot_y, thread), s.get(slot_p, thread));
            }
            return s.get(l, thread) * s.get(r, thread);
        } else {
            auto const left = [&](int i) { return s.part(l, thread, i); };
            if (step == 2 || step == 8) return field::square_staged(left);
            return field::multiply_staged(left, [&](int i) {
                fp_t const factor = s.part(r, thread, i);
                return step == 9 ? factor - s.part(slot_hh, thread, i) : factor;
            });
        }
    }

    // X, then Q; Y, then Y HHH; ZZ; ZZZ; the point's x, then H, then HHH; its y, then R; HH, then X3.
    enum : uint32_t { slot_x, slot_y, slot_zz, slot_zzz, slot_p, slot_r, slot_hh };
    // In Fp, Y HHH joins the last product and step 7 falls away.
    static constexpr bool shares_reduction = n_parts<field> == 1;

    GPU_CALL void add_same_x(affine p, bool same_y) {
        if (!same_y) {
            is_infinity = true;
            return;
        }
        set(xyzz::double_affine(p));
    }
};

}  // namespace spf
