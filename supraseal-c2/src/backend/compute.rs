//! The kernels of one proof, in order, under the device's compute lock.

use super::convert::DevicePoints;
use super::division::Share;
use super::error::at;
use super::gpu::Gpu;
use super::slot::{Slot, Staged, StagedBits};
use super::srs::DeviceSrs;
use bls_curves::G1Projective;
use groth16_core::assemble::MsmResults;
use groth16_core::schedule::{Batches, CRows};
use groth16_core::timeline::Stage;
use groth16_core::Error;
use group::Group;
use sppark_fork::{
    expand_bits_on, Device, DeviceBuf, Event, MsmConfig, MsmContext, MsmInput, NttTable, PinnedBuf,
    PinnedPool, PippengerSchedule, QuotientInput, Result, ScalarForm, ScalarLimbs, ScalarSplit, Source,
    Stream, Workspace, G1, G2,
};
use std::sync::Arc;

/// What the kernels of a device work in. Used by one proof at a time.
pub(super) struct Compute {
    device: Arc<Device>,
    stream: Stream,
    table: Option<Arc<NttTable>>,
    workspace: Workspace,
    /// the third vector of the quotient, unless the slot has it
    c: DeviceBuf<ScalarLimbs>,
    l: Query,
    a: Query,
    b: Query,
    h: MsmContext,
    b_g2: Sums,
    counts_ready: Event,
    counts: PinnedBuf<u32>,
}

/// One query: its wires, their kinds, and the sums in flight in G1.
struct Query {
    indices: DeviceBuf<u32>,
    split: ScalarSplit,
    sums: Sums,
}

/// The two sums of a query: the points whose scalar is one, and the rest.
struct Sums {
    ones: MsmContext,
    tail: MsmContext,
}

impl Sums {
    fn new(device: &Arc<Device>) -> Result<Self> {
        Ok(Sums {
            ones: MsmContext::new(device)?,
            tail: MsmContext::new(device)?,
        })
    }
}

impl Query {
    fn new(device: &Arc<Device>) -> Result<Self> {
        Ok(Query {
            indices: DeviceBuf::alloc(device, 0)?,
            split: ScalarSplit::new(device, 0)?,
            sums: Sums::new(device)?,
        })
    }

    /// Enqueues the sorting of the query's scalars into kinds: `n` wires from number `first` on, or those
    /// of the first so many words of `bits`.
    fn split_on(
        &mut self,
        stream: &Stream,
        gpu: &Gpu,
        wires: &DeviceBuf<ScalarLimbs>,
        first: usize,
        bits: Option<(&StagedBits, usize)>,
        n: usize,
    ) -> Result<()> {
        if self.split.tail_terms.len() < n {
            gpu.check_room(37 * n as u64)?;
            self.split = ScalarSplit::new(&gpu.device, 0)?;
            self.split = ScalarSplit::new(&gpu.device, n)?;
        }
        if let Some((bits, n_words)) = bits {
            gpu.reserve(&mut self.indices, n)?;
            // Behind these the buffers may hold words of a larger circuit that was here before.
            expand_bits_on(stream, &bits.words, &bits.ranks, n_words, n, &mut self.indices)?;
        }
        // SAFETY: the indices are those of bits, of which there is one for each of the wires.
        unsafe {
            self.split
                .split_on(stream, wires, first, bits.map(|_| &self.indices), n)
        }
    }
}

/// How many scalars of a query are in its tail, and how many are ones.
#[derive(Clone, Copy)]
struct Counts {
    tail: usize,
    ones: usize,
}

impl Counts {
    /// These, or none: a sum of nothing starts nothing.
    fn only_if(self, has: bool) -> Self {
        match has {
            true => self,
            false => Counts { tail: 0, ones: 0 },
        }
    }
}

impl Compute {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        let pool = PinnedPool::new(device, 4096);
        Ok(Compute {
            stream: Stream::new(device)?,
            table: None,
            workspace: Workspace::new(device, 0)?,
            c: DeviceBuf::alloc(device, 0)?,
            l: Query::new(device)?,
            a: Query::new(device)?,
            b: Query::new(device)?,
            h: MsmContext::new(device)?,
            b_g2: Sums::new(device)?,
            counts_ready: Event::new(device)?,
            counts: pool.get(6)?,
            device: device.clone(),
        })
    }

    /// All kernels of a share of one proof; the sums of the other share are zero. Returns when the device is done with the slot
    /// and the key.
    pub(super) fn run(
        &mut self,
        srs: &DeviceSrs,
        slot: &mut Slot,
        staged: &Staged,
        share: Share,
    ) -> groth16_core::Result<MsmResults> {
        let result = self.run_stages(srs, slot, staged, share);
        if result.is_err() {
            // Nothing may be left in flight that reads the slot; contexts in the middle of something are of no use.
            let _ = self.stream.synchronize();
            if let Ok(fresh) = Compute::new(&self.device) {
                *self = fresh;
            }
        }
        result
    }

    fn run_stages(
        &mut self,
        srs: &DeviceSrs,
        slot: &mut Slot,
        staged: &Staged,
        share: Share,
    ) -> std::result::Result<MsmResults, Error> {
        let gpu = slot.gpu.clone();
        slot.uploader.recorder.host(Stage::Enqueue);
        self.split_queries(&gpu, slot, staged, share)
            .map_err(at("sorting of the witness"))?;
        if share.h {
            self.execute_ntts_prestaged(&gpu, slot, staged)
                .map_err(at("transforms"))?;
            self.start_h_msm(&gpu, srs, slot).map_err(at("MSM of H"))?;
        }
        let [l, a, b] = self.read_counts().map_err(at("sorting of the witness"))?;
        let (l, a) = (l.only_if(share.l), a.only_if(share.a));
        let (b_g1, b_g2) = (b.only_if(share.b_g1), b.only_if(share.b_g2));
        let ws = &mut self.workspace;
        let stream = &self.stream;
        let recorder = &mut slot.uploader.recorder;
        recorder.begin_kernels_on(Stage::MsmL, stream);
        self.l
            .sums
            .start::<G1>(stream, &gpu, &srs.l, &self.l.split, l, ws)
            .map_err(at("MSM of L"))?;
        recorder.end_on(stream);
        recorder.begin_kernels_on(Stage::MsmA, stream);
        self.a
            .sums
            .start::<G1>(stream, &gpu, &srs.a, &self.a.split, a, ws)
            .map_err(at("MSM of A"))?;
        recorder.end_on(stream);
        recorder.begin_kernels_on(Stage::MsmBG1, stream);
        self.b
            .sums
            .start::<G1>(stream, &gpu, &srs.b_g1, &self.b.split, b_g1, ws)
            .map_err(at("MSM of B in G1"))?;
        recorder.end_on(stream);
        recorder.begin_kernels_on(Stage::MsmBG2, stream);
        self.b_g2
            .start::<G2>(stream, &gpu, &srs.b_g2, &self.b.split, b_g2, ws)
            .map_err(at("MSM of B in G2"))?;
        recorder.end_on(stream);
        recorder.host(Stage::Collect);
        let has_h = share.h && !srs.h.is_empty();
        let h = match has_h {
            false => G1Projective::identity(),
            true => G1::sum(self.h.finish::<G1>().map_err(at("MSM of H"))?),
        };
        let results = MsmResults {
            h,
            l: self.l.sums.finish::<G1>(l).map_err(at("MSM of L"))?,
            a: self.a.sums.finish::<G1>(a).map_err(at("MSM of A"))?,
            b_g1: self.b.sums.finish::<G1>(b_g1).map_err(at("MSM of B in G1"))?,
            b_g2: self.b_g2.finish::<G2>(b_g2).map_err(at("MSM of B in G2"))?,
        };
        self.stream.synchronize().map_err(at("end of the proof"))?;
        let recorder = &mut slot.uploader.recorder;
        if has_h {
            recorder.moved_by(&self.h);
        }
        for (sums, counts) in [
            (&self.l.sums, l),
            (&self.a.sums, a),
            (&self.b.sums, b_g1),
            (&self.b_g2, b_g2),
        ] {
            sums.used(counts).for_each(|context| recorder.moved_by(context));
        }
        recorder.resolve(&gpu.timing);
        Ok(results)
    }

    /// Enqueues what finds zeros, ones and others among the wires of each query of the share, and the copy of their numbers.
    fn split_queries(&mut self, gpu: &Gpu, slot: &mut Slot, staged: &Staged, share: Share) -> Result<()> {
        let stream = &self.stream;
        stream.wait_for(&slot.wires_ready)?;
        slot.uploader.recorder.begin_kernels_on(Stage::Split, stream);
        let (a, b) = (&staged.a_query, &staged.b_query);
        let bits = |query: &super::query::QueryBits, staged| {
            (!query.is_full()).then_some((staged, query.words.len()))
        };
        if share.l {
            self.l
                .split_on(stream, gpu, &slot.wires, staged.n_inputs, None, staged.n_aux)?;
        }
        if share.a {
            self.a
                .split_on(stream, gpu, &slot.wires, 0, bits(a, &slot.a_bits), a.n)?;
        }
        if share.has_b() {
            self.b
                .split_on(stream, gpu, &slot.wires, 0, bits(b, &slot.b_bits), b.n)?;
        }
        let queries = [(share.l, &self.l), (share.a, &self.a), (share.has_b(), &self.b)];
        for ((has, query), out) in queries.into_iter().zip(self.counts.chunks_exact_mut(2)) {
            if has {
                // SAFETY: the counts are read after `counts_ready`, and live as long as this does.
                unsafe { query.split.counts.download_on(stream, 0, out) }?;
            }
        }
        slot.uploader.recorder.end_on(stream);
        slot.uploader.recorder.moved(0, size_of_val(&*self.counts) as u64);
        self.counts_ready.record_on(stream)
    }

    fn read_counts(&self) -> Result<[Counts; 3]> {
        self.counts_ready.synchronize()?;
        let of = |k: usize| Counts {
            tail: self.counts[2 * k] as usize,
            ones: self.counts[2 * k + 1] as usize,
        };
        Ok([of(0), of(1), of(2)])
    }

    /// The quotient from a and b where they were staged; its coefficients end up in a.
    fn execute_ntts_prestaged(&mut self, gpu: &Gpu, slot: &mut Slot, staged: &Staged) -> Result<()> {
        self.stream.wait_for(&slot.a_ready)?;
        self.stream.wait_for(&slot.b_ready)?;
        let c_from = match gpu.schedule.c_rows {
            CRows::Product => QuotientInput::ProductOfAB,
            CRows::Uploaded => QuotientInput::Given,
        };
        if c_from == QuotientInput::Given {
            self.stream.wait_for(&slot.c_ready)?;
        }
        if staged.domain == 1 {
            return Ok(()); // one row has no quotient
        }
        let log_n = staged.domain.trailing_zeros();
        let table = match &self.table {
            Some(table) if table.max_log_n() >= log_n => table.clone(),
            _ => {
                self.table = None;
                gpu.check_room(NttTable::bytes(log_n)?)?;
                self.table.insert(NttTable::new(&self.stream, log_n)?).clone()
            }
        };
        let c = match c_from {
            QuotientInput::Given => &mut slot.c,
            QuotientInput::ProductOfAB => {
                if self.c.len() != staged.domain {
                    self.c = DeviceBuf::alloc(&gpu.device, 0)?;
                    self.c = gpu.alloc(staged.domain)?;
                }
                &mut self.c
            }
        };
        let recorder = &mut slot.uploader.recorder;
        recorder.begin_kernels_on(Stage::Quotient, &self.stream);
        table.quotient_on(&self.stream, &mut slot.a, &mut slot.b, c, c_from)?;
        recorder.end_on(&self.stream);
        Ok(())
    }

    fn start_h_msm(&mut self, gpu: &Gpu, srs: &DeviceSrs, slot: &mut Slot) -> Result<()> {
        if srs.h.is_empty() {
            return Ok(());
        }
        let input = MsmInput::<G1> {
            points: Source::Device(&srs.h),
            scalars: Source::Device(&slot.a),
            form: ScalarForm::Montgomery,
            indices: None,
        };
        let recorder = &mut slot.uploader.recorder;
        recorder.begin_kernels_on(Stage::MsmH, &self.stream);
        // The quotient has one coefficient fewer than the domain has elements.
        start(
            &mut self.h,
            &self.stream,
            gpu,
            &input,
            Some(srs.h.len()),
            &mut self.workspace,
        )?;
        recorder.end_on(&self.stream);
        Ok(())
    }
}

impl Sums {
    fn start<G: DevicePoints>(
        &mut self,
        stream: &Stream,
        gpu: &Gpu,
        points: &DeviceBuf<G::Point>,
        split: &ScalarSplit,
        counts: Counts,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if counts.ones > 0 {
            let (points, ones) = (Source::Device(points), Source::Device(&split.ones));
            grow(
                gpu,
                workspace,
                self.ones.add_workspace_bytes::<G>(points, ones, 0)?,
            )?;
            // SAFETY: points, bits and workspace are kept until `finish`; kernels of one stream share a workspace, since
            // each is done with it before the next begins.
            unsafe {
                self.ones
                    .start_add_selected_on::<G>(stream, points, ones, 0, workspace)
            }?;
        }
        if counts.tail > 0 {
            let input = MsmInput::<G> {
                points: Source::Device(points),
                scalars: Source::Device(&split.tail_scalars),
                form: ScalarForm::Montgomery,
                indices: Some(&split.tail_terms),
            };
            start(&mut self.tail, stream, gpu, &input, Some(counts.tail), workspace)?;
        }
        Ok(())
    }

    /// Those of the contexts that so many scalars need.
    fn used(&self, counts: Counts) -> impl Iterator<Item = &MsmContext> {
        let ones = (counts.ones > 0).then_some(&self.ones);
        let tail = (counts.tail > 0).then_some(&self.tail);
        ones.into_iter().chain(tail)
    }

    fn finish<G: DevicePoints>(&mut self, counts: Counts) -> Result<G::Curve> {
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

fn start<G: DevicePoints>(
    context: &mut MsmContext,
    stream: &Stream,
    gpu: &Gpu,
    input: &MsmInput<'_, G>,
    n_terms: Option<usize>,
    workspace: &mut Workspace,
) -> Result<()> {
    let config = MsmConfig {
        schedule: match gpu.schedule.batches {
            Batches::Deferred => PippengerSchedule::Deferred,
            Batches::PerBatch => PippengerSchedule::PerBatch,
        },
        ..MsmConfig::default()
    };
    grow(
        gpu,
        workspace,
        context.msm_workspace_bytes_of(input, n_terms, &config)?,
    )?;
    // SAFETY: everything the input borrows is kept until `finish`, as is the workspace (see `Sums::start`); the terms' numbers
    // are those of points of the query.
    unsafe { context.start_msm_of_on(stream, input, n_terms, &config, workspace) }
}

/// Makes the workspace large enough, within the device's limit.
fn grow(gpu: &Gpu, workspace: &mut Workspace, need_bytes: u64) -> Result<()> {
    if need_bytes > workspace.n_bytes() {
        gpu.check_room(need_bytes - workspace.n_bytes())?;
    }
    workspace.reserve(need_bytes)
}
