//! Signed windows of a scalar.

use bls_fields::FrRepr;
use std::cmp::Ordering;

/// r, least significant limb first.
const R: [u64; 4] = [
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
];

/// (r - 1) / 2, the largest magnitude of a scalar in balanced form.
const HALF_R: [u64; 4] = [
    0x7fff_ffff_8000_0000,
    0xa9de_d201_7fff_2dff,
    0x199c_ec04_04d0_ec02,
    0x39f6_d3a9_94ce_bea4,
];

/// Bits of a magnitude: (r - 1) / 2 is below 2^254.
pub(crate) const MAGNITUDE_BITS: u32 = 254;

/// A scalar as ±|s| with |s| <= (r - 1) / 2.
#[derive(Clone, Copy)]
pub(crate) struct Balanced {
    pub(crate) negative: bool,
    pub(crate) magnitude: [u64; 4],
}

impl Balanced {
    #[inline]
    pub(crate) fn new(scalar: &FrRepr) -> Self {
        let limbs = *scalar.limbs();
        let negative = limbs.iter().rev().cmp(HALF_R.iter().rev()) == Ordering::Greater;
        Balanced {
            negative,
            magnitude: if negative { sub(&R, &limbs) } else { limbs },
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.magnitude == [0; 4]
    }

    pub(crate) fn is_one(&self) -> bool {
        self.magnitude == [1, 0, 0, 0]
    }
}

#[inline]
fn add(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut carry = false;
    std::array::from_fn(|i| {
        let (sum, over1) = a[i].overflowing_add(b[i]);
        let (sum, over2) = sum.overflowing_add(u64::from(carry));
        carry = over1 | over2;
        sum
    })
}

#[inline]
fn sub(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let mut borrow = false;
    std::array::from_fn(|i| {
        let (difference, under1) = a[i].overflowing_sub(b[i]);
        let (difference, under2) = difference.overflowing_sub(u64::from(borrow));
        borrow = under1 | under2;
        difference
    })
}

/// How many bits `limbs` has.
pub(crate) fn bit_length(limbs: &[u64; 4]) -> u32 {
    (0..4)
        .rev()
        .find(|&i| limbs[i] != 0)
        .map_or(0, |i| 64 * i as u32 + 64 - limbs[i].leading_zeros())
}

/// A window: the bits `start .. start + width` of a magnitude, read as a digit
/// in -2^(width-1) ..= 2^(width-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) start: u32,
    pub(crate) width: u32,
}

impl Window {
    /// How many absolute values other than zero a digit can have.
    pub(crate) fn n_buckets(&self) -> usize {
        1 << (self.width - 1)
    }
}

/// Splits magnitudes into signed digits: |s| = sum of `digit_j · 2^start_j`.
///
/// With K = sum of 2^(width_j - 1) · 2^start_j, the windows of |s| + K, read as plain bits, are the digits
/// plus 2^(width_j - 1). So any digit can be read alone, without a chain of carries from the lower ones.
pub(crate) struct Recoder {
    windows: Vec<Window>,
    offset: [u64; 4],
}

impl Recoder {
    /// Cuts magnitudes of at most `magnitude_bits` (and a sign bit) into `n_windows`
    /// windows of nearly equal width.
    pub(crate) fn new(magnitude_bits: u32, n_windows: u32) -> Self {
        debug_assert!(magnitude_bits <= MAGNITUDE_BITS && 1 <= n_windows && n_windows <= magnitude_bits + 1);
        let bits = magnitude_bits + 1;
        let start = |j: u32| bits * j / n_windows;
        let windows: Vec<_> = (0..n_windows)
            .map(|j| Window {
                start: start(j),
                width: start(j + 1) - start(j),
            })
            .collect();
        let mut offset = [0u64; 4];
        for window in &windows {
            let bit = window.start + window.width - 1;
            offset[bit as usize / 64] |= 1 << (bit % 64);
        }
        Recoder { windows, offset }
    }

    /// Lowest bits first.
    pub(crate) fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// The digits of one scalar.
    #[inline]
    pub(crate) fn recode(&self, scalar: &Balanced) -> Digits<'_> {
        Digits {
            windows: &self.windows,
            shifted: add(&scalar.magnitude, &self.offset),
            negative: scalar.negative,
        }
    }
}

/// The signed digits of one scalar.
pub(crate) struct Digits<'a> {
    windows: &'a [Window],
    shifted: [u64; 4],
    negative: bool,
}

/// A digit that is not zero: its magnitude is `bucket + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    pub(crate) bucket: u32,
    pub(crate) negative: bool,
}

impl Digits<'_> {
    /// The digit of window `j`, `None` for zero.
    #[inline]
    pub(crate) fn get(&self, j: usize) -> Option<Digit> {
        let Window { start, width } = self.windows[j];
        let (limb, shift) = (start as usize / 64, start % 64);
        let mut bits = self.shifted[limb] >> shift;
        if shift != 0 && limb < 3 {
            bits |= self.shifted[limb + 1] << (64 - shift);
        }
        // A magnitude of all ones carries out of the top window: its digit is
        // 2^(width-1), which takes one bit more.
        let mask_width = if j + 1 == self.windows.len() {
            width + 1
        } else {
            width
        };
        let digit = (bits & ((1 << mask_width) - 1)) as i64 - (1 << (width - 1));
        (digit != 0).then(|| Digit {
            bucket: (digit.unsigned_abs() - 1) as u32,
            negative: (digit < 0) != self.negative,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bls_fields::Fr;
    use ff::Field;
    use rand_chacha::{rand_core::SeedableRng, ChaCha8Rng};

    /// Puts a scalar together again from its digits.
    fn value(recoder: &Recoder, scalar: &FrRepr) -> Fr {
        let digits = recoder.recode(&Balanced::new(scalar));
        let mut sum = Fr::ZERO;
        for (j, window) in recoder.windows().iter().enumerate() {
            if let Some(digit) = digits.get(j) {
                assert!((digit.bucket as usize) < window.n_buckets());
                let term = Fr::from(u64::from(digit.bucket) + 1)
                    * Fr::from(2).pow_vartime([u64::from(window.start)]);
                sum += if digit.negative { -term } else { term };
            }
        }
        sum
    }

    #[test]
    fn digits_add_up_to_the_scalar() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let half = Fr::from(2).invert().unwrap_or(Fr::ZERO);
        let two_64 = Fr::from(2).pow_vartime([64]);
        let mut scalars = vec![
            Fr::ZERO,
            Fr::ONE,
            -Fr::ONE,
            half,
            -half,
            half - Fr::ONE,
            two_64,
            two_64 - Fr::ONE,
        ];
        // 2^k - 1 and 2^k carry through every window.
        scalars.extend((0..255).flat_map(|k| {
            let power = Fr::from(2).pow_vartime([k]);
            [power, power - Fr::ONE, -power]
        }));
        scalars.extend((0..200).map(|_| Fr::random(&mut rng)));
        for n_windows in [12, 15, 16, 17, 20, 23, 37, 64, 127] {
            let recoder = Recoder::new(MAGNITUDE_BITS, n_windows);
            for &s in &scalars {
                assert_eq!(value(&recoder, &s.into()), s, "{n_windows} windows, {s:?}");
            }
        }
    }

    #[test]
    fn digits_of_short_magnitudes_add_up() {
        for magnitude_bits in 1..=20u32 {
            for n_windows in 1..=(magnitude_bits + 1).div_ceil(2) {
                let recoder = Recoder::new(magnitude_bits, n_windows);
                for s in [1, 2, 3, (1 << magnitude_bits) / 2, (1 << magnitude_bits) - 1] {
                    let s = Fr::from(s & ((1 << magnitude_bits) - 1));
                    assert_eq!(value(&recoder, &s.into()), s);
                    assert_eq!(value(&recoder, &(-s).into()), -s);
                }
            }
        }
    }

    #[test]
    fn bit_lengths() {
        assert_eq!(bit_length(&[0; 4]), 0);
        assert_eq!(bit_length(&[1, 0, 0, 0]), 1);
        assert_eq!(bit_length(&[0, 1, 0, 0]), 65);
        assert_eq!(bit_length(&HALF_R), MAGNITUDE_BITS);
    }
}
