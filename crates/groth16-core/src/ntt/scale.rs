//! Multiplication by c·gⁱ, with i the index or the bit-reversed index: the step
//! between a domain and its coset.

use bls_fields::lazy::LazyFr;
use bls_fields::Fr;
use ff::Field;
use rayon::prelude::*;

/// Elements that one task scales.
const CHUNK: usize = 1 << 12;

/// Replaces every element by itself times `factor`, fully reduced.
pub(super) fn scale(values: &mut [LazyFr], factor: Fr) {
    let factor = LazyFr::new(&factor);
    for_chunks(values, |chunk, _| {
        for x in chunk {
            *x = x.mul(&factor).reduced();
        }
    });
}

/// Replaces every element by its fully reduced form.
pub(super) fn reduce(values: &mut [LazyFr]) {
    for_chunks(values, |chunk, _| {
        for x in chunk {
            *x = x.reduced();
        }
    });
}

/// Element i times `factor·baseⁱ`, fully reduced.
pub(super) fn scale_by_powers(values: &mut [LazyFr], base: Fr, factor: Fr) {
    let step = LazyFr::new(&base);
    for_chunks(values, |chunk, start| {
        let mut power = LazyFr::new(&(factor * base.pow_vartime([start as u64])));
        for x in chunk {
            *x = x.mul(&power).reduced();
            power = power.mul(&step).reduced();
        }
    });
}

fn for_chunks(values: &mut [LazyFr], work: impl Fn(&mut [LazyFr], usize) + Sync) {
    if values.len() > CHUNK && rayon::current_num_threads() > 1 {
        values
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(i, chunk)| work(chunk, i * CHUNK));
    } else {
        values
            .chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(i, chunk)| work(chunk, i * CHUNK));
    }
}

/// `factor·base^rev(i)` for indices of `log_n` bits: a table for the low bits of i, powers for the others.
pub(crate) struct ReversedPowers {
    log_n: u32,
    /// base^(2^j) for j < `log_n`.
    squares: Vec<LazyFr>,
    /// base^rev(i) for i < 2^[`LOW_BITS`](Self::LOW_BITS), or all of them.
    low: Vec<LazyFr>,
    factor: LazyFr,
}

impl ReversedPowers {
    const LOW_BITS: u32 = 6;

    pub(crate) fn new(base: Fr, factor: Fr, log_n: u32) -> Self {
        let squares: Vec<Fr> = std::iter::successors(Some(base), |s| Some(s.square()))
            .take(log_n as usize)
            .collect();
        let mut low = vec![Fr::ONE];
        for bit in 0..log_n.min(Self::LOW_BITS) {
            // Bit `bit` of i is bit log_n - 1 - bit of rev(i).
            let power = squares[(log_n - 1 - bit) as usize];
            low.extend_from_within(..);
            let half = low.len() / 2;
            low[half..].iter_mut().for_each(|x| *x *= power);
        }
        ReversedPowers {
            log_n,
            squares: squares.iter().map(LazyFr::new).collect(),
            low: low.iter().map(LazyFr::new).collect(),
            factor: LazyFr::new(&factor),
        }
    }

    /// How many consecutive indices, from a multiple of as many, share what [`high`](Self::high) gives.
    pub(crate) fn run(&self) -> usize {
        self.low.len()
    }

    /// The part of the power that the indices `start..start + run` have in common, fully reduced.
    #[inline]
    pub(crate) fn high(&self, start: usize) -> LazyFr {
        let mut bits = start >> Self::LOW_BITS;
        let mut power = self.factor;
        while bits != 0 {
            let bit = bits.trailing_zeros() + Self::LOW_BITS;
            power = power.mul(&self.squares[(self.log_n - 1 - bit) as usize]);
            bits &= bits - 1;
        }
        power.reduced()
    }

    /// The power at `offset` of a run, given the run's [`high`](Self::high), fully reduced.
    #[inline(always)]
    pub(crate) fn at(&self, high: &LazyFr, offset: usize) -> LazyFr {
        self.low[offset].mul(high).reduced()
    }

    /// Multiplies `values`, of which the first has the index `start`, each by its power; lazily reduced.
    pub(crate) fn apply(&self, values: &mut [LazyFr], start: usize) {
        for (run, start) in values.chunks_mut(self.run()).zip((start..).step_by(self.run())) {
            let high = self.high(start);
            for (offset, x) in run.iter_mut().enumerate() {
                *x = x.mul(&self.at(&high, offset));
            }
        }
    }
}

/// Element i times `factor·base^rev(i)`, fully reduced.
pub(super) fn scale_by_reversed_powers(values: &mut [LazyFr], base: Fr, factor: Fr) {
    let powers = ReversedPowers::new(base, factor, values.len().trailing_zeros());
    for_chunks(values, |chunk, start| {
        powers.apply(chunk, start);
        chunk.iter_mut().for_each(|x| *x = x.reduced());
    });
}
