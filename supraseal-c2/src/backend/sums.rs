//! The sums of one part: the points whose scalar is one, and the rest.

use super::convert::DevicePoints;
use super::msm_fit::fit;
use super::parts::Part;
use group::Group;
use sppark_fork::{
    Device, DeviceBuf, MsmConfig, MsmContext, MsmInput, PippengerSchedule, Result, ScalarForm, ScalarLimbs,
    ScalarSplit, Source, Stream, Workspace,
};
use std::sync::Arc;

/// How many scalars are neither zero nor one, and how many are ones.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) tail: usize,
    pub(super) ones: usize,
}

/// Two sums in flight.
pub(super) struct Sums {
    ones: MsmContext,
    tail: MsmContext,
}

/// What sums are computed in, one after another on one stream.
pub(super) struct Bench<'a> {
    pub(super) stream: &'a Stream,
    pub(super) workspace: &'a mut Workspace,
    pub(super) schedule: PippengerSchedule,
}

impl Sums {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        Ok(Sums {
            ones: MsmContext::new(device)?,
            tail: MsmContext::new(device)?,
        })
    }

    /// Enqueues the sums over sorted terms. Everything given must be kept until [`Sums::finish`].
    pub(super) fn start<G: DevicePoints>(
        &mut self,
        bench: &mut Bench<'_>,
        part: Part,
        points: &DeviceBuf<G::Point>,
        split: &ScalarSplit,
        counts: Counts,
    ) -> Result<()> {
        if counts.ones > 0 {
            let (points, ones) = (Source::Device(points), Source::Device(&split.ones));
            // SAFETY: points, bits and workspace are kept until `finish`; kernels of one stream share a workspace, since
            // each is done with it before the next begins.
            unsafe {
                self.ones
                    .start_add_selected_on::<G>(bench.stream, points, ones, 0, bench.workspace)
            }?;
        }
        if counts.tail > 0 {
            let indices = Some(&split.tail_terms);
            let scalars = Source::Device(&split.tail_scalars);
            self.start_msm::<G>(bench, part, Source::Device(points), scalars, indices, counts.tail)?;
        }
        Ok(())
    }

    /// Enqueues the sum of the first `n_terms` terms. Everything given must be kept until [`Sums::finish`].
    pub(super) fn start_msm<G: DevicePoints>(
        &mut self,
        bench: &mut Bench<'_>,
        part: Part,
        points: Source<'_, G::Point>,
        scalars: Source<'_, ScalarLimbs>,
        indices: Option<&DeviceBuf<u32>>,
        n_terms: usize,
    ) -> Result<()> {
        let input = MsmInput::<G> {
            points,
            scalars,
            form: ScalarForm::Montgomery,
            indices,
        };
        let n_multiprocessors = bench.stream.device().info().n_multiprocessors;
        let config = MsmConfig {
            schedule: bench.schedule,
            ..fit(part, n_terms, n_multiprocessors, bench.workspace.n_bytes())?
        };
        // SAFETY: everything the input borrows is kept until `finish`, as is the workspace (see `start`); the terms' numbers
        // are those of points of the part.
        unsafe {
            self.tail
                .start_msm_of_on(bench.stream, &input, Some(n_terms), &config, bench.workspace)
        }
    }

    /// Those of the contexts that so many scalars need.
    pub(super) fn used(&self, counts: Counts) -> impl Iterator<Item = &MsmContext> {
        let ones = (counts.ones > 0).then_some(&self.ones);
        let tail = (counts.tail > 0).then_some(&self.tail);
        ones.into_iter().chain(tail)
    }

    /// Waits for what was started.
    pub(super) fn finish<G: DevicePoints>(&mut self, counts: Counts) -> Result<G::Curve> {
        let mut sum = G::Curve::identity();
        if counts.ones > 0 {
            sum += G::sum(self.ones.finish::<G>()?);
        }
        if counts.tail > 0 {
            sum += G::sum(self.tail.finish::<G>()?);
        }
        Ok(sum)
    }
}
