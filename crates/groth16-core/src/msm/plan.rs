//! How many windows, and how many of them at once.

use super::recode::{Recoder, MAGNITUDE_BITS};

/// Additions that a bucket costs more than the point that first falls into it saves: two in the weighted sum
/// of the buckets less that one, plus an estimate of what short batches and the lanes' ends add.
const BUCKET_COST: f64 = 1.4;

/// The recoding for `n` scalars of at most `magnitude_bits` that needs the fewest additions, about
/// `n · windows + BUCKET_COST · buckets`.
pub(crate) fn recoder(n: usize, magnitude_bits: u32) -> Recoder {
    recoder_with(n, magnitude_bits, BUCKET_COST, usize::MAX)
}

/// As [`recoder`], for a given price of a bucket, and at most `max_buckets` of them where that is possible.
pub(crate) fn recoder_with(n: usize, magnitude_bits: u32, bucket_cost: f64, max_buckets: usize) -> Recoder {
    let bits = magnitude_bits.min(MAGNITUDE_BITS) + 1;
    let cost = |recoder: &Recoder| {
        let buckets = n_buckets(recoder);
        let over = if buckets > max_buckets {
            f64::MAX / 2.0
        } else {
            0.0
        };
        n as f64 * recoder.windows().len() as f64 + bucket_cost * buckets as f64 + over
    };
    // Wider than 22 bits does not pay below 2^27 points, and narrower than 2 bits is no signed window.
    let (fewest, most) = (bits.div_ceil(22), bits.div_ceil(2));
    (fewest + 1..=most)
        .map(|n_windows| Recoder::new(magnitude_bits, n_windows))
        .fold(Recoder::new(magnitude_bits, fewest), |best, other| {
            if cost(&other) < cost(&best) {
                other
            } else {
                best
            }
        })
}

/// Buckets of all windows.
pub(crate) fn n_buckets(recoder: &Recoder) -> usize {
    recoder.windows().iter().map(|w| w.n_buckets()).sum()
}

/// Bytes of work space for the windows in flight: 32 a scalar, and at least 4 MiB.
pub(crate) fn budget_bytes(n: usize) -> usize {
    (32 * n).max(4 << 20)
}
