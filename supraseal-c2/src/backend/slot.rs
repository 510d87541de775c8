//! The inputs of one job on a device, put there before the compute lock is taken.

use super::convert::{limb_array, limbs};
use super::division::Share;
use super::error::at;
use super::gpu::Gpu;
use super::query::QueryBits;
use super::upload::Uploader;
use groth16_core::schedule::CRows;
use groth16_core::timeline::Stage;
use groth16_core::{Assignment, Result};
use rayon::prelude::*;
use sppark_fork::{CudaError, DeviceBuf, Event, ScalarLimbs};
use std::sync::Arc;

/// Products that one core makes at a time.
const PRODUCTS_A_TASK: usize = 4096;

/// Room on a device for the inputs of one job. A device has two, so that one job's inputs go up while another's kernels
/// run.
pub(super) struct Slot {
    pub(super) gpu: Arc<Gpu>,
    /// which of the device's slots
    worker: u32,
    pub(super) uploader: Uploader,
    pub(super) a: DeviceBuf<ScalarLimbs>,
    pub(super) b: DeviceBuf<ScalarLimbs>,
    /// nothing, unless the schedule uploads it
    pub(super) c: DeviceBuf<ScalarLimbs>,
    /// inputs, then private wires
    pub(super) wires: DeviceBuf<ScalarLimbs>,
    pub(super) a_bits: StagedBits,
    pub(super) b_bits: StagedBits,
    /// one a vector: its kernels wait for it alone
    pub(super) a_ready: Event,
    pub(super) b_ready: Event,
    pub(super) c_ready: Event,
    pub(super) wires_ready: Event,
}

/// The bits of a query on the device; nothing where the query is of all wires.
pub(super) struct StagedBits {
    pub(super) words: DeviceBuf<u32>,
    pub(super) ranks: DeviceBuf<u32>,
}

/// What was staged: sizes that the kernels need.
pub(super) struct Staged {
    pub(super) n_inputs: usize,
    pub(super) n_aux: usize,
    pub(super) domain: usize,
    pub(super) a_query: QueryBits,
    pub(super) b_query: QueryBits,
}

impl Slot {
    pub(super) fn new(gpu: &Arc<Gpu>, worker: u32) -> std::result::Result<Self, CudaError> {
        let device = &gpu.device;
        let bits = || -> std::result::Result<StagedBits, CudaError> {
            Ok(StagedBits {
                words: DeviceBuf::alloc(device, 0)?,
                ranks: DeviceBuf::alloc(device, 0)?,
            })
        };
        Ok(Slot {
            gpu: gpu.clone(),
            worker,
            uploader: Uploader::new(device, gpu.staging_bytes, &gpu.host)?,
            a: DeviceBuf::alloc(device, 0)?,
            b: DeviceBuf::alloc(device, 0)?,
            c: DeviceBuf::alloc(device, 0)?,
            wires: DeviceBuf::alloc(device, 0)?,
            a_bits: bits()?,
            b_bits: bits()?,
            a_ready: Event::new(device)?,
            b_ready: Event::new(device)?,
            c_ready: Event::new(device)?,
            wires_ready: Event::new(device)?,
        })
    }

    /// Begins the timeline of a proof whose inputs will be staged here.
    pub(super) fn start_timeline(&mut self) {
        let up = &mut self.uploader;
        up.recorder.start(&self.gpu.timing, self.worker, &up.stream);
    }

    /// Uploads the inputs of a share of a proof and does `work` with them; returns when nothing reads the caller's memory any more.
    pub(super) fn with_inputs<T>(
        &mut self,
        circuit: &Assignment<'_>,
        share: Share,
        work: impl FnOnce(&mut Slot, &Staged) -> Result<T>,
    ) -> Result<T> {
        let settled = Settled(self);
        // SAFETY: the circuit is borrowed during this call, which ends, in whatever way, with the wait of `settled`.
        let staged = unsafe { settled.0.stage(circuit, share) }?;
        work(settled.0, &staged)
    }

    /// Enqueues the upload of a share's inputs: wires first, whose kernels come first, then, for H, a and b, padded with zeros to
    /// the domain.
    ///
    /// # Safety
    /// The circuit's slices must stay until the uploader's stream has passed this point: what of them is page-locked is
    /// copied from where it is.
    unsafe fn stage(&mut self, circuit: &Assignment<'_>, share: Share) -> Result<Staged> {
        let n_inputs = circuit.inputs.len();
        let staged = Staged {
            n_inputs,
            n_aux: circuit.aux.len(),
            domain: circuit.n_rows().next_power_of_two(),
            a_query: QueryBits::new(n_inputs, None, &circuit.a_aux_density),
            b_query: QueryBits::new(n_inputs, Some(&circuit.b_input_density), &circuit.b_aux_density),
        };
        // SAFETY: as this function's.
        unsafe { self.upload(circuit, &staged, share) }.map_err(at("upload of the inputs"))?;
        Ok(staged)
    }

    /// # Safety
    /// As [`Slot::stage`].
    unsafe fn upload(
        &mut self,
        circuit: &Assignment<'_>,
        staged: &Staged,
        share: Share,
    ) -> std::result::Result<(), CudaError> {
        let (gpu, up) = (self.gpu.clone(), &mut self.uploader);
        up.recorder.host(Stage::Wires);
        gpu.reserve(&mut self.wires, staged.n_inputs + staged.n_aux)?;
        up.upload(&mut self.wires, 0, limbs(circuit.inputs))?;
        // SAFETY: the caller's promise.
        unsafe { up.upload_kept(&mut self.wires, staged.n_inputs, limbs(circuit.aux)) }?;
        for (bits, query) in [
            (&mut self.a_bits, &staged.a_query),
            (&mut self.b_bits, &staged.b_query),
        ] {
            gpu.reserve(&mut bits.words, query.words.len())?;
            gpu.reserve(&mut bits.ranks, query.ranks.len())?;
            up.upload(&mut bits.words, 0, &query.words)?;
            up.upload(&mut bits.ranks, 0, &query.ranks)?;
        }
        self.wires_ready.record_on(&up.stream)?;
        if !share.h {
            return Ok(());
        }
        for (stage, buffer, rows, ready) in [
            (Stage::A, &mut self.a, circuit.a, &self.a_ready),
            (Stage::B, &mut self.b, circuit.b, &self.b_ready),
        ] {
            up.recorder.host(stage);
            clear(&gpu, up, buffer, staged.domain)?;
            // SAFETY: the caller's promise.
            unsafe { up.upload_kept(buffer, 0, limbs(rows)) }?;
            ready.record_on(&up.stream)?;
        }
        if gpu.schedule.c_rows == CRows::Uploaded {
            up.recorder.host(Stage::C);
            clear(&gpu, up, &mut self.c, staged.domain)?;
            up.upload_with(&mut self.c, 0, circuit.n_rows(), |first, block: &mut [_]| {
                let (a, b) = (&circuit.a[first..], &circuit.b[first..]);
                block
                    .par_iter_mut()
                    .with_min_len(PRODUCTS_A_TASK)
                    .zip(a.par_iter().zip(b))
                    .for_each(|(c, (a, b))| *c = limb_array(a * b));
                Ok::<_, CudaError>(())
            })?;
            self.c_ready.record_on(&up.stream)?;
        }
        Ok(())
    }
}

/// A slot that inputs may be on their way to. Waits for them when dropped.
struct Settled<'s>(&'s mut Slot);

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        // An error is that of a device whose copies have ended, and was or will be met elsewhere.
        let _ = self.0.uploader.stream.synchronize();
    }
}

/// Makes a vector zeros of exactly the domain, as the transforms take it.
fn clear(
    gpu: &Gpu,
    up: &Uploader,
    buffer: &mut DeviceBuf<ScalarLimbs>,
    domain: usize,
) -> std::result::Result<(), CudaError> {
    if buffer.len() != domain {
        *buffer = DeviceBuf::alloc(&gpu.device, 0)?;
        *buffer = gpu.alloc(domain)?;
    }
    buffer.fill_bytes_on(&up.stream, 0)
}
