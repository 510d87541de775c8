use super::pointwise::{for_chunks, multiply_scaled, reduce};
use bls_fields::lazy::LazyFr;
use bls_fields::Fr;
use ff::Field;

/// The factors `factor·baseⁱ` of a vector in natural order, or `factor·base^rev(i)` of one in bit-reversed
/// order: the step between a domain and its coset.
///
/// In both orders each bit of an index contributes a factor of its own, so a table for the low bits times one
/// product for the high bits gives any of them.
pub(crate) struct Powers {
    /// What bit b of an index contributes.
    bits: Vec<LazyFr>,
    /// The powers of the indices below 2^[`LOW_BITS`](Self::LOW_BITS), or of all, without `factor`.
    low: Vec<LazyFr>,
    factor: LazyFr,
}

impl Powers {
    const LOW_BITS: u32 = 8;

    /// In natural order, for 2^`log_n` indices.
    pub(crate) fn natural(base: Fr, factor: Fr, log_n: u32) -> Self {
        Self::new(squares(base, log_n), factor)
    }

    /// In bit-reversed order, for 2^`log_n` indices.
    pub(crate) fn reversed(base: Fr, factor: Fr, log_n: u32) -> Self {
        let mut bits = squares(base, log_n);
        bits.reverse();
        Self::new(bits, factor)
    }

    fn new(bits: Vec<Fr>, factor: Fr) -> Self {
        let mut low = vec![Fr::ONE];
        for bit in bits.iter().take(Self::LOW_BITS as usize) {
            let with_bit: Vec<Fr> = low.iter().map(|power| *power * bit).collect();
            low.extend(with_bit);
        }
        Powers {
            bits: bits.iter().map(LazyFr::new).collect(),
            low: low.iter().map(LazyFr::new).collect(),
            factor: LazyFr::new(&factor),
        }
    }

    /// Multiplies each of `values` by its power, on this thread; lazily reduced. The first has the index
    /// `start`, a multiple of their number or of the table's.
    pub(crate) fn apply(&self, values: &mut [LazyFr], start: usize, vectors: bool) {
        let run = self.low.len();
        for (values, start) in values.chunks_mut(run).zip((start..).step_by(run)) {
            let offset = start % run;
            multiply_scaled(
                values,
                &self.low[offset..offset + values.len()],
                &self.high(start),
                vectors,
            );
        }
    }

    /// What the high bits of `index` contribute, and `factor`; fully reduced.
    fn high(&self, index: usize) -> LazyFr {
        let mut rest = index >> Self::LOW_BITS;
        let mut power = self.factor;
        while rest != 0 {
            power = power.mul(&self.bits[(rest.trailing_zeros() + Self::LOW_BITS) as usize]);
            rest &= rest - 1;
        }
        power.reduced()
    }

    /// Multiplies each of `values`, the whole vector, by its power; fully reduced.
    pub(crate) fn apply_all(&self, values: &mut [LazyFr], vectors: bool) {
        for_chunks(values, |chunk, start| {
            self.apply(chunk, start, vectors);
            reduce(chunk, vectors);
        });
    }

    /// [`apply_all`](Self::apply_all), lazily reduced.
    pub(crate) fn apply_all_lazily(&self, values: &mut [LazyFr], vectors: bool) {
        for_chunks(values, |chunk, start| self.apply(chunk, start, vectors));
    }
}

/// base^(2^b) for b < `count`.
fn squares(base: Fr, count: u32) -> Vec<Fr> {
    std::iter::successors(Some(base), |s| Some(s.square()))
        .take(count as usize)
        .collect()
}
