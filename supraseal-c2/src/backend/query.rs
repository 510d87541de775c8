//! Which wires a query sums over, as the device wants it.

use groth16_core::Density;

/// The wires of a query among (inputs, private wires), as bits, unless it is all of them. By default none.
#[derive(Default)]
pub(super) struct QueryBits {
    /// one bit a wire; empty where every wire is in the query
    pub(super) words: Vec<u32>,
    /// bits set before each word
    pub(super) ranks: Vec<u32>,
    /// wires in the query
    pub(super) n: usize,
}

impl QueryBits {
    /// The inputs of `inputs` (`None`: all `n_inputs`), then the private wires of `aux`.
    pub(super) fn new(n_inputs: usize, inputs: Option<&Density<'_>>, aux: &Density<'_>) -> Self {
        let n = inputs.map_or(n_inputs, Density::n_dense) + aux.n_dense();
        let n_wires = n_inputs + aux.len();
        if n == n_wires {
            return QueryBits {
                words: Vec::new(),
                ranks: Vec::new(),
                n,
            };
        }
        let mut words = vec![0u32; n_wires.div_ceil(32)];
        for i in (0..n_inputs).filter(|i| inputs.is_none_or(|d| d.get(*i))) {
            words[i / 32] |= 1 << (i % 32);
        }
        // The private wires' bits, shifted past the inputs', half a word of theirs at a time.
        let (offset, shift) = (n_inputs / 32, n_inputs % 32);
        for half in 0..aux.len().div_ceil(32) {
            let mut bits = u64::from((aux.words()[half / 2] >> (32 * (half % 2))) as u32);
            let left = aux.len() - 32 * half;
            if left < 32 {
                bits &= (1 << left) - 1;
            }
            let shifted = bits << shift;
            words[offset + half] |= shifted as u32;
            if shifted >> 32 != 0 {
                words[offset + half + 1] |= (shifted >> 32) as u32;
            }
        }
        let ranks = words
            .iter()
            .scan(0u32, |rank, word| {
                let before = *rank;
                *rank += word.count_ones();
                Some(before)
            })
            .collect();
        QueryBits { words, ranks, n }
    }

    /// Whether every wire is in the query, in order.
    pub(super) fn is_full(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groth16_core::DensityBits;

    #[test]
    fn bits_are_those_of_inputs_then_private_wires() {
        for n_inputs in [1usize, 2, 31, 32, 33, 64, 70] {
            for n_aux in [0usize, 1, 31, 32, 33, 63, 64, 65, 200] {
                let mut inputs = DensityBits::zeros(n_inputs);
                let mut aux = DensityBits::zeros(n_aux);
                (0..n_inputs).filter(|i| i % 3 == 1).for_each(|i| inputs.set(i));
                (0..n_aux).filter(|i| i % 5 != 2).for_each(|i| aux.set(i));
                let (inputs, aux) = (inputs.as_density(), aux.as_density());
                for given in [None, Some(&inputs)] {
                    let bits = QueryBits::new(n_inputs, given, &aux);
                    let expected: Vec<usize> = (0..n_inputs + n_aux)
                        .filter(|&i| match i.checked_sub(n_inputs) {
                            Some(i) => aux.get(i),
                            None => given.is_none_or(|d| d.get(i)),
                        })
                        .collect();
                    assert_eq!(bits.n, expected.len());
                    if bits.is_full() {
                        assert_eq!(bits.n, n_inputs + n_aux);
                        continue;
                    }
                    let set = |i: &usize| bits.words[i / 32] >> (i % 32) & 1 == 1;
                    assert_eq!((0..n_inputs + n_aux).filter(set).collect::<Vec<_>>(), expected);
                    for (w, rank) in bits.ranks.iter().enumerate() {
                        assert_eq!(*rank as usize, expected.iter().filter(|i| **i < 32 * w).count());
                    }
                }
            }
        }
    }
}
