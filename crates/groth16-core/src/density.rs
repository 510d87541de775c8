//! Which variables occur in a query: one bit a variable.

/// Bits of one query, least significant first in 64-bit words, as bitvec's `BitVec<usize, Lsb0>` lays them
/// out and as the drop-in's callers pass them.
#[derive(Clone, Copy, Debug)]
pub struct Density<'a> {
    words: &'a [u64],
    len: usize,
    n_dense: usize,
}

impl<'a> Density<'a> {
    /// The first `len` bits of `words`.
    ///
    /// # Panics
    /// If there are fewer bits than `len`.
    pub fn new(words: &'a [u64], len: usize) -> Self {
        assert!(
            words.len() * 64 >= len,
            "{} words hold fewer than {len} bits",
            words.len()
        );
        let full = len / 64;
        let mut n_dense: usize = words[..full].iter().map(|w| w.count_ones() as usize).sum();
        if len % 64 != 0 {
            n_dense += (words[full] & ((1 << (len % 64)) - 1)).count_ones() as usize;
        }
        Density { words, len, n_dense }
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no variables at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of variables that occur.
    pub fn n_dense(&self) -> usize {
        self.n_dense
    }

    /// The bits in 64-bit words; bits past [`Density::len`] mean nothing.
    pub fn words(&self) -> &'a [u64] {
        self.words
    }

    /// A copy of the bits.
    pub fn to_bits(&self) -> DensityBits {
        DensityBits {
            words: self.words[..self.len.div_ceil(64)].to_vec(),
            len: self.len,
        }
    }

    /// Whether variable `i` occurs.
    ///
    /// # Panics
    /// May panic if there is no variable `i`.
    pub fn get(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// The values of the variables that occur, in order.
    pub fn select<T: Copy>(self, values: &'a [T]) -> impl Iterator<Item = T> + 'a {
        debug_assert_eq!(values.len(), self.len);
        values
            .iter()
            .enumerate()
            .filter(move |(i, _)| self.get(*i))
            .map(|(_, v)| *v)
    }
}

/// An owned, growing set of bits for [`Density`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DensityBits {
    words: Vec<u64>,
    len: usize,
}

impl DensityBits {
    /// `len` variables of which none occurs.
    pub fn zeros(len: usize) -> Self {
        DensityBits {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    /// One more variable, which does not occur yet.
    pub fn push(&mut self) {
        if self.len % 64 == 0 {
            self.words.push(0);
        }
        self.len += 1;
    }

    /// Variable `i` occurs.
    ///
    /// # Panics
    /// If there is no variable `i`.
    pub fn set(&mut self, i: usize) {
        assert!(i < self.len, "variable {i} of {}", self.len);
        self.words[i / 64] |= 1 << (i % 64);
    }

    /// Appends the bits of `other` from its bit `skip` on.
    pub fn extend(&mut self, other: &DensityBits, skip: usize) {
        for i in skip..other.len {
            self.push();
            if other.as_density().get(i) {
                self.set(self.len - 1);
            }
        }
    }

    /// The bits as a query.
    pub fn as_density(&self) -> Density<'_> {
        Density::new(&self.words, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_past_the_length_do_not_count() {
        let words = [u64::MAX, u64::MAX];
        for len in [0, 1, 63, 64, 65, 127, 128] {
            assert_eq!(Density::new(&words, len).n_dense(), len);
        }
    }

    #[test]
    fn selection_keeps_the_order() {
        let mut bits = DensityBits::zeros(70);
        for i in [0, 3, 63, 64, 69] {
            bits.set(i);
        }
        let values: Vec<usize> = (0..70).collect();
        assert_eq!(
            bits.as_density().select(&values).collect::<Vec<_>>(),
            [0, 3, 63, 64, 69]
        );
        let mut more = DensityBits::zeros(1);
        more.extend(&bits, 1);
        assert_eq!(more, bits_without_first(&bits));
    }

    #[test]
    fn a_copy_selects_the_same() {
        let words = [0x8000_0000_0000_0001, 0b101, u64::MAX];
        for len in [0, 1, 64, 65, 67, 128] {
            let density = Density::new(&words, len);
            let copy = density.to_bits();
            assert_eq!(copy.as_density().len(), len);
            let values: Vec<usize> = (0..len).collect();
            assert!(
                copy.as_density().select(&values).eq(density.select(&values)),
                "{len}"
            );
        }
    }

    fn bits_without_first(bits: &DensityBits) -> DensityBits {
        let mut out = DensityBits::zeros(bits.len);
        (1..bits.len)
            .filter(|&i| bits.as_density().get(i))
            .for_each(|i| out.set(i));
        out
    }
}
