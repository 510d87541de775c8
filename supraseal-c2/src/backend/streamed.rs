//! Sums over points that are not resident: they pass through two buffers, a chunk in each.
//!
//! While the kernels of one chunk run, the next one's points come over the bus on a stream of their own, and the chunk's terms are
//! sorted by kind ahead of them, so that their numbers are on the host in time.

use super::convert::DevicePoints;
use super::error::at;
use super::host_points::HostPoints;
use super::parts::Part;
use super::scratch::Chunk;
use super::sums::{Bench, Counts, Sums};
use super::upload::Uploader;
use groth16_core::Result;
use group::Group;
use sppark_fork::{Device, DeviceBuf, Event, PinnedBuf, PinnedPool, ScalarLimbs};
use std::sync::Arc;

/// The terms of a part.
pub(super) struct Terms<'a> {
    /// term j is of point number `first_point + j`
    pub(super) first_point: usize,
    pub(super) elements: &'a DeviceBuf<ScalarLimbs>,
    /// term j is of `elements[first + j]`, or of `elements[first + indices[j]]`
    pub(super) first: usize,
    pub(super) indices: Option<&'a DeviceBuf<u32>>,
    pub(super) n: usize,
}

/// What streaming needs beside the chunks: made when a key first is streamed.
pub(super) struct Streaming {
    sides: [Side; 2],
    counts: PinnedBuf<u32>,
}

/// What belongs to one of the two chunks.
struct Side {
    sums: Sums,
    counted: Event,
    uploaded: Event,
    /// the kernels are done with the points
    consumed: Event,
}

impl Streaming {
    pub(super) fn new(device: &Arc<Device>) -> sppark_fork::Result<Self> {
        let side = || -> sppark_fork::Result<Side> {
            Ok(Side {
                sums: Sums::new(device)?,
                counted: Event::new(device)?,
                uploaded: Event::new(device)?,
                consumed: Event::new(device)?,
            })
        };
        Ok(Streaming {
            sides: [side()?, side()?],
            counts: PinnedPool::new(device, 4096).get(4)?,
        })
    }

    /// The part's sum. Returns when it is there; no kernel or copy of it is in flight then.
    pub(super) fn sum<G: DevicePoints>(
        &mut self,
        bench: &mut Bench<'_>,
        feed: &mut Uploader,
        chunks: &mut [Chunk; 2],
        part: Part,
        points: &HostPoints<G>,
        terms: &Terms<'_>,
    ) -> Result<G::Curve> {
        let cuda = at(part.stage());
        let mut total = G::Curve::identity();
        let chunk_len = G::chunk(&mut chunks[0]).len();
        if terms.n == 0 || chunk_len == 0 {
            return Ok(total);
        }
        let n_chunks = terms.n.div_ceil(chunk_len);
        let range = |i: usize| (i * chunk_len, chunk_len.min(terms.n - i * chunk_len));
        let points_of = |i: usize| (terms.first_point + range(i).0, range(i).1);
        self.send(bench, feed, chunks, 0, points, points_of(0))?;
        self.sort(bench, chunks, 0, terms, range(0)).map_err(&cuda)?;
        let mut before = None;
        for i in 0..n_chunks {
            if i + 1 < n_chunks {
                self.sort(bench, chunks, i + 1, terms, range(i + 1))
                    .map_err(&cuda)?;
            }
            let counts = self.start::<G>(bench, chunks, part, i).map_err(&cuda)?;
            if i + 1 < n_chunks {
                self.send(bench, feed, chunks, i + 1, points, points_of(i + 1))?;
            }
            if let Some(counts) = before.replace(counts) {
                total += self.sides[(i + 1) % 2].sums.finish::<G>(counts).map_err(&cuda)?;
            }
        }
        let last = &mut self.sides[(n_chunks - 1) % 2];
        total += last.sums.finish::<G>(before.unwrap_or_default()).map_err(&cuda)?;
        Ok(total)
    }

    /// Enqueues chunk i's copy, once its side's last points are done with.
    fn send<G: DevicePoints>(
        &mut self,
        bench: &Bench<'_>,
        feed: &mut Uploader,
        chunks: &mut [Chunk; 2],
        i: usize,
        points: &HostPoints<G>,
        (first, n): (usize, usize),
    ) -> Result<()> {
        let copies = at("streaming of the key");
        let side = &self.sides[i % 2];
        if i < 2 {
            // The part before this one, in the same buffers: all its kernels are enqueued.
            side.consumed.record_on(bench.stream).map_err(&copies)?;
        }
        feed.stream.wait_for(&side.consumed).map_err(&copies)?;
        points.send(feed, G::chunk(&mut chunks[i % 2]), first, n)?;
        side.uploaded.record_on(&feed.stream).map_err(&copies)
    }

    /// Enqueues the sorting of chunk i's terms, and the copy of their numbers.
    fn sort(
        &mut self,
        bench: &Bench<'_>,
        chunks: &mut [Chunk; 2],
        i: usize,
        terms: &Terms<'_>,
        (first, n): (usize, usize),
    ) -> sppark_fork::Result<()> {
        let Some(split) = &mut chunks[i % 2].split else {
            return Ok(());
        };
        // The bits of a shorter chunk end before those of the buffer's points.
        split.ones.fill_bytes_on(bench.stream, 0)?;
        let (elements_first, indices) = match terms.indices {
            Some(indices) => (terms.first, Some((indices, first))),
            None => (terms.first + first, None),
        };
        // SAFETY: the indices are those of bits, of which there is one for each of the elements.
        unsafe { split.split_on(bench.stream, terms.elements, elements_first, indices, n) }?;
        let out = &mut self.counts[2 * (i % 2)..][..2];
        // SAFETY: the counts are read after `counted`, and live as long as this does.
        unsafe { split.counts.download_on(bench.stream, 0, out) }?;
        self.sides[i % 2].counted.record_on(bench.stream)
    }

    /// Enqueues chunk i's sums, once its numbers are here and its points there.
    fn start<G: DevicePoints>(
        &mut self,
        bench: &mut Bench<'_>,
        chunks: &mut [Chunk; 2],
        part: Part,
        i: usize,
    ) -> sppark_fork::Result<Counts> {
        let (side, chunk) = (&mut self.sides[i % 2], &mut chunks[i % 2]);
        side.counted.synchronize()?;
        let counts = Counts {
            tail: self.counts[2 * (i % 2)] as usize,
            ones: self.counts[2 * (i % 2) + 1] as usize,
        };
        bench.stream.wait_for(&side.uploaded)?;
        if let Some(split) = chunk.split.take() {
            let started = side.sums.start::<G>(bench, part, G::chunk(chunk), &split, counts);
            chunk.split = Some(split);
            started?;
        }
        side.consumed.record_on(bench.stream)?;
        Ok(counts)
    }
}
