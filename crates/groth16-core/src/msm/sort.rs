//! A counting sort of point references by bucket.

use super::gather::Signed;
use super::recode::{Balanced, Digit, Recoder};
use bls_fields::FrRepr;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The references of some windows, sorted by window and bucket.
pub(crate) struct Sorted {
    /// Bits of [`Signed`]. Atomic because chunks of scalars scatter into it at
    /// once, each to places of its own.
    entries: Vec<AtomicU32>,
    /// Where each bucket begins, and the end of the last.
    starts: Vec<u32>,
}

/// A digit histogram or, later, the places where a chunk's references go; one for each bucket of one window.
type Counts = Vec<u32>;

impl Sorted {
    /// Sorts by the digits of `windows` those scalars that `selected` names, leaving out zero digits.
    ///
    /// The scalars are recoded twice rather than kept recoded: it takes a hundredth of the time of the
    /// additions, and the digits would take as much memory as everything else here.
    pub(crate) fn new(
        recoder: &Recoder,
        windows: Range<usize>,
        scalars: &[FrRepr],
        selected: &[u32],
    ) -> Self {
        let digit = |index: u32, j: usize| -> Option<Digit> {
            recoder.recode(&Balanced::new(&scalars[index as usize])).get(j)
        };
        let mut counts: Vec<(usize, Vec<Counts>)> = windows
            .into_par_iter()
            .map(|j| {
                let n_buckets = recoder.windows()[j].n_buckets();
                let histograms = selected
                    .par_chunks(chunk_len(selected.len(), n_buckets))
                    .map(|chunk| {
                        let mut counts = vec![0u32; n_buckets];
                        for digit in chunk.iter().filter_map(|&index| digit(index, j)) {
                            counts[digit.bucket as usize] += 1;
                        }
                        counts
                    })
                    .collect();
                (j, histograms)
            })
            .collect();

        let mut starts = Vec::with_capacity(
            1 + counts
                .iter()
                .map(|(j, _)| recoder.windows()[*j].n_buckets())
                .sum::<usize>(),
        );
        let mut total = 0u32;
        for (j, histograms) in &mut counts {
            for bucket in 0..recoder.windows()[*j].n_buckets() {
                starts.push(total);
                for histogram in histograms.iter_mut() {
                    let count = histogram[bucket];
                    histogram[bucket] = total;
                    total += count;
                }
            }
        }
        starts.push(total);

        let mut entries = Vec::new();
        entries.resize_with(total as usize, AtomicU32::default);
        counts.into_par_iter().for_each(|(j, places)| {
            let chunks = selected.par_chunks(chunk_len(selected.len(), recoder.windows()[j].n_buckets()));
            chunks.zip(places).for_each(|(chunk, mut places)| {
                for &index in chunk {
                    if let Some(Digit { bucket, negative }) = digit(index, j) {
                        let place = &mut places[bucket as usize];
                        entries[*place as usize].store(Signed::new(index, negative).bits(), Relaxed);
                        *place += 1;
                    }
                }
            });
        });
        Sorted { entries, starts }
    }

    /// How many references there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Where each bucket begins, and the end of the last.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The references `range`.
    pub(crate) fn entries(&self, range: Range<usize>) -> impl Iterator<Item = Signed> + Clone + '_ {
        self.entries[range]
            .iter()
            .map(|bits| Signed::from_bits(bits.load(Relaxed)))
    }
}

/// Scalars that share a histogram: a few chunks a thread, but never so short
/// that the histograms outweigh them.
fn chunk_len(n: usize, n_buckets: usize) -> usize {
    n.div_ceil(2 * rayon::current_num_threads())
        .max(4 * n_buckets)
        .max(1024)
}
