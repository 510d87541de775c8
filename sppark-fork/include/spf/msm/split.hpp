// Scalars by kind: zeros are left out, ones become a bitmap for batch addition,
// the rest a short list for an MSM.
//
// Witnesses are mostly bits. A sum of points by bitmap costs one addition a point; as digits of an MSM a bit
// costs the sorting of a dozen digits that are zero.
#pragma once

#include "spf/core/block.hpp"
#include "spf/field/mont.hpp"

namespace spf {

// Term j has scalar elements[indices[j]], or elements[j]. Bit j % 32 of ones[j / 32] says whether it is one;
// those that are neither zero nor one get places in tail_terms (their j) and tail_scalars, in any order.
struct split_scalars {
    struct params {
        uint32_t const* elements;  // 8 limbs each, Montgomery form, canonical
        uint32_t const* indices;   // or null
        uint64_t n_elements;       // read only for the ordering check
        uint64_t n;
        uint32_t* ones;  // ceil(n / 32) words
        uint32_t* tail_terms;
        uint32_t* tail_scalars;
        uint32_t* counts;  // [0] += length of the tail, [1] += ones
    };
    static constexpr unsigned n_threads = 256;
    struct shared {
        uint32_t n_tail, n_ones, tail_start;
        unsigned char is_one[n_threads];
    };
    struct regs {
        fr_t scalar;
        uint32_t place;
        bool in_tail;
    };
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 4;

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared& s, regs& r) {
        uint64_t const j = t.global();
        if constexpr (P == 0) {
            if (t.thread == 0) s.n_tail = s.n_ones = 0;
        } else if constexpr (P == 1) {
            classify(j, t.thread, p, s, r);
        } else if constexpr (P == 2) {
            if (t.thread < n_threads / 32) write_word(j, t, p, s);
            if (t.thread == 0) {
                s.tail_start = s.n_tail != 0 ? atomic_add(p.counts, s.n_tail) : 0;
                if (s.n_ones != 0) atomic_add(p.counts + 1, s.n_ones);
            }
        } else if (r.in_tail) {
            uint64_t const at = uint64_t(s.tail_start) + r.place;
            p.tail_terms[at] = uint32_t(j);
            SPF_UNROLL for (int k = 0; k < 8; k++) p.tail_scalars[8 * at + k] = r.scalar.limb[k];
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.elements, p.n_elements * 32);
        if (p.indices != nullptr) v.reads(p.indices, p.n * 4);
        v.writes(p.ones, (p.n + 31) / 32 * 4);
        v.writes(p.tail_terms, p.n * 4);
        v.writes(p.tail_scalars, p.n * 32);
        v.writes(p.counts, 8);
    }

private:
    GPU_FN static void classify(uint64_t j, uint32_t thread, params const& p, shared& s, regs& r) {
        bool is_one = false;
        r.in_tail = false;
        if (j < p.n) {
            uint64_t const i = p.indices != nullptr ? p.indices[j] : j;
            SPF_UNROLL for (int k = 0; k < 8; k++) r.scalar.limb[k] = p.elements[8 * i + k];
            is_one = r.scalar == fr_t::one();
            r.in_tail = !is_one && !r.scalar.is_zero();
        }
        s.is_one[thread] = is_one;
        if (is_one) atomic_add(&s.n_ones, 1);
        if (r.in_tail) r.place = atomic_add(&s.n_tail, 1);
    }

    // Thread w of the block writes its word w.
    GPU_FN static void write_word(uint64_t j, thread_pos t, params const& p, shared const& s) {
        uint64_t const first = j - t.thread + 32 * uint64_t(t.thread);
        if (first >= p.n) return;
        uint32_t word = 0;
        for (uint32_t k = 0; k < 32; k++) word |= uint32_t(s.is_one[32 * t.thread + k]) << k;
        p.ones[first / 32] = word;
    }
};

// indices = the numbers of the set bits, ascending: ranks[w] says how many are set before word w.
struct expand_bits {
    struct params {
        uint32_t const* words;
        uint32_t const* ranks;
        uint64_t n_words;
        uint64_t n_set;  // read only for the ordering check
        uint32_t* indices;
    };
    struct shared {};
    struct regs {};
    static constexpr unsigned n_threads = 256;
    static constexpr unsigned min_blocks = 4;
    static constexpr unsigned n_phases = 1;

    template <unsigned P> GPU_FN static void phase(thread_pos t, params const& p, shared&, regs&) {
        uint64_t const w = t.global();
        if (w >= p.n_words) return;
        uint32_t const word = p.words[w];
        uint32_t at = p.ranks[w];
        for (uint32_t k = 0; k < 32; k++) {
            if ((word >> k & 1) != 0 && at < p.n_set) p.indices[at++] = uint32_t(32 * w) + k;
        }
    }

    template <class Visitor> static void accesses(params const& p, Visitor& v) {
        v.reads(p.words, p.n_words * 4);
        v.reads(p.ranks, p.n_words * 4);
        v.writes(p.indices, p.n_set * 4);
    }
};

}  // namespace spf
