//! The number-theoretic transform over Fr, in place, on a [`Domain`] of n = 2^k elements or on its coset.
//!
//! * forward: coefficients c to values v_i = Σ_j c_j·ω^(ij); on the coset v_i = Σ_j c_j·(7·ωⁱ)^j;
//! * inverse: the other way round, 1/n included.
//!
//! All elements are in Montgomery form, fully reduced, before and after. No transform allocates
//! more than a few kilobytes. Work is split in the caller's rayon pool; the results do not
//! depend on how many threads it has.
//!
//! # Orders
//! Inside, one direction of the data flow goes from natural to bit-reversed order and the other back; the
//! permutation between them is a pass of its own, which [`Order`] lets a caller leave out.

mod butterfly;
#[cfg(ifma)]
mod ifma;
mod passes;
pub(crate) mod pointwise;
mod powers;
mod reversal;

#[cfg(ifma)]
pub(crate) use ifma::available as vectors_available;
pub(crate) use powers::Powers;
pub(crate) use reversal::bit_reverse;

use crate::domain::{BadSize, Domain};
use bls_fields::lazy::LazyFr;
use bls_fields::{coset_generator, Fr};
use ff::Field;

/// In which order a transform finds its input and leaves its output.
///
/// In bit-reversed order the element of index i stands at the place whose log₂ n
/// bits are those of i backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Natural in, natural out: the two below and a permutation.
    Natural,
    /// Natural in, bit-reversed out.
    ToReversed,
    /// Bit-reversed in, natural out.
    FromReversed,
}

impl Domain {
    /// Values on the domain from coefficients, in natural order.
    ///
    /// # Errors
    /// [`BadSize`] if there are not exactly n elements; `values` is then as it
    /// was. The same for all the others.
    pub fn ntt(&self, values: &mut [Fr]) -> Result<(), BadSize> {
        self.ntt_ordered(values, Order::Natural)
    }

    /// Coefficients from values on the domain, in natural order.
    pub fn intt(&self, values: &mut [Fr]) -> Result<(), BadSize> {
        self.intt_ordered(values, Order::Natural)
    }

    /// Values on the coset 7·⟨ω⟩ from coefficients, in natural order.
    pub fn coset_ntt(&self, values: &mut [Fr]) -> Result<(), BadSize> {
        self.coset_ntt_ordered(values, Order::Natural)
    }

    /// Coefficients from values on the coset 7·⟨ω⟩, in natural order.
    pub fn coset_intt(&self, values: &mut [Fr]) -> Result<(), BadSize> {
        self.coset_intt_ordered(values, Order::Natural)
    }

    /// [`ntt`](Self::ntt) in the given order.
    pub fn ntt_ordered(&self, values: &mut [Fr], order: Order) -> Result<(), BadSize> {
        self.check_len(values)?;
        let lazy = LazyFr::view_mut(values);
        self.transform::<false>(lazy, order);
        pointwise::reduce(lazy, self.vectors());
        self.finish(lazy, order);
        Ok(())
    }

    /// [`intt`](Self::intt) in the given order.
    pub fn intt_ordered(&self, values: &mut [Fr], order: Order) -> Result<(), BadSize> {
        self.check_len(values)?;
        let lazy = LazyFr::view_mut(values);
        self.transform::<true>(lazy, order);
        pointwise::scale(lazy, &LazyFr::new(&self.size_inverse()), self.vectors());
        self.finish(lazy, order);
        Ok(())
    }

    /// [`coset_ntt`](Self::coset_ntt) in the given order.
    pub fn coset_ntt_ordered(&self, values: &mut [Fr], order: Order) -> Result<(), BadSize> {
        self.check_len(values)?;
        let lazy = LazyFr::view_mut(values);
        let powers = match order {
            Order::FromReversed => Powers::reversed(coset_generator(), Fr::ONE, self.log_n()),
            Order::Natural | Order::ToReversed => Powers::natural(coset_generator(), Fr::ONE, self.log_n()),
        };
        powers.apply_all_lazily(lazy, self.vectors());
        self.transform::<false>(lazy, order);
        pointwise::reduce(lazy, self.vectors());
        self.finish(lazy, order);
        Ok(())
    }

    /// [`coset_intt`](Self::coset_intt) in the given order.
    pub fn coset_intt_ordered(&self, values: &mut [Fr], order: Order) -> Result<(), BadSize> {
        self.check_len(values)?;
        let lazy = LazyFr::view_mut(values);
        self.transform::<true>(lazy, order);
        let (shift, factor) = (coset_generator_inverse(), self.size_inverse());
        let powers = match order {
            Order::FromReversed => Powers::natural(shift, factor, self.log_n()),
            // Still bit-reversed, if a permutation follows.
            Order::Natural | Order::ToReversed => Powers::reversed(shift, factor, self.log_n()),
        };
        powers.apply_all(lazy, self.vectors());
        self.finish(lazy, order);
        Ok(())
    }

    /// Values on the domain to values on the coset, both in natural order, lazily reduced: an
    /// inverse and a coset transform that meet in bit-reversed order, fused where they meet.
    /// `powers` are those of 7, times 1/n.
    pub(crate) fn values_to_coset_values(&self, values: &mut [LazyFr], powers: &Powers) {
        passes::down_up(values, 0, self.twiddles(), &|leaf, start| {
            powers.apply(leaf, start, self.vectors())
        });
    }

    /// n times the coefficients in bit-reversed order from values in natural order, lazily reduced.
    pub(crate) fn values_to_scaled_coefficients(&self, values: &mut [LazyFr]) {
        self.transform::<true>(values, Order::ToReversed);
    }

    /// The butterflies alone.
    fn transform<const INVERSE: bool>(&self, values: &mut [LazyFr], order: Order) {
        match order {
            Order::FromReversed => passes::up::<INVERSE>(values, 0, self.twiddles()),
            _ => passes::down::<INVERSE>(values, 0, self.twiddles()),
        }
    }

    fn finish(&self, values: &mut [LazyFr], order: Order) {
        if order == Order::Natural {
            reversal::bit_reverse(values);
        }
    }
}

/// 1/7
pub(crate) fn coset_generator_inverse() -> Fr {
    // 7 is not zero.
    coset_generator().invert().unwrap_or(Fr::ZERO)
}
