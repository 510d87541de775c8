//! The inputs of one job on a device, put there before the compute lock is taken, unless the device is free.

use super::compute::{STEPS, STEPS_OF_A};
use super::convert::{limb_array, limbs};
use super::division::Share;
use super::error::at;
use super::gpu::Gpu;
use super::handover::{Division, Parcel};
use super::query::QueryBits;
use super::sizes::StageSizes;
use super::upload::Uploader;
use groth16_core::schedule::CRows;
use groth16_core::timeline::Stage;
use groth16_core::{Assignment, Result};
use rayon::prelude::*;
use sppark_fork::{CudaError, Device, DeviceBuf, Event, PinnedPool, ScalarLimbs};
use std::sync::Arc;

const UPLOADING: &str = "upload of the inputs";
/// Products that one core makes at a time.
const PRODUCTS_A_TASK: usize = 4096;

/// What puts a job's inputs on a device. A device has two, so that one job's inputs go up while another's kernels run.
pub(super) struct Slot {
    pub(super) gpu: Arc<Gpu>,
    /// for what goes to a second device
    pub(super) pinned: Arc<PinnedPool>,
    /// which of the device's slots
    worker: u32,
    pub(super) uploader: Uploader,
    /// one a vector: its kernels wait for it alone
    pub(super) a_ready: Event,
    pub(super) b_ready: Event,
    pub(super) c_ready: Event,
    pub(super) wires_ready: Event,
}

/// Room for the inputs of one job: exactly that of a [`StageSizes`].
pub(super) struct Inputs {
    pub(super) a: DeviceBuf<ScalarLimbs>,
    pub(super) b: DeviceBuf<ScalarLimbs>,
    /// nothing, unless the schedule uploads it
    pub(super) c: DeviceBuf<ScalarLimbs>,
    /// inputs, then private wires
    pub(super) wires: DeviceBuf<ScalarLimbs>,
    a_bits: StagedBits,
    b_bits: StagedBits,
}

/// Whether a share has the quotient, of which alone the rows are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Needed,
    NotNeeded,
}

/// The bits of a query on the device; nothing where the query is of all wires.
pub(super) struct StagedBits {
    pub(super) words: DeviceBuf<u32>,
    pub(super) ranks: DeviceBuf<u32>,
}

/// What was staged: sizes that the kernels need.
pub(super) struct Staged {
    n_inputs: usize,
    n_aux: usize,
    pub(super) domain: usize,
    a_query: QueryBits,
    b_query: QueryBits,
}

/// The wires of one witness query: `n` of them, from number `first` on or chosen by bits.
pub(super) struct QueryTerms {
    pub(super) first: usize,
    pub(super) n: usize,
}

/// Of a circuit's quotient.
pub(super) fn domain(circuit: &Assignment<'_>) -> usize {
    circuit.n_rows().next_power_of_two()
}

impl Staged {
    pub(super) fn n_wires(&self) -> usize {
        self.n_inputs + self.n_aux
    }

    /// L, A or B.
    pub(super) fn query(&self, query: usize) -> QueryTerms {
        let (first, n) = match query {
            0 => (self.n_inputs, self.n_aux),
            1 => (0, self.a_query.n),
            _ => (0, self.b_query.n),
        };
        QueryTerms { first, n }
    }
}

impl Inputs {
    /// # Errors
    /// As [`DeviceBuf::alloc`].
    pub(super) fn new(device: &Arc<Device>, sizes: &StageSizes) -> std::result::Result<Self, CudaError> {
        let bits = |n_words| -> std::result::Result<StagedBits, CudaError> {
            Ok(StagedBits {
                words: DeviceBuf::alloc(device, n_words)?,
                ranks: DeviceBuf::alloc(device, n_words)?,
            })
        };
        Ok(Inputs {
            a: DeviceBuf::alloc(device, sizes.rows)?,
            b: DeviceBuf::alloc(device, sizes.rows)?,
            c: DeviceBuf::alloc(device, sizes.c_rows)?,
            wires: DeviceBuf::alloc(device, sizes.wires)?,
            a_bits: bits(sizes.a_words)?,
            b_bits: bits(sizes.b_words)?,
        })
    }

    /// The bits of a witness query, unless it is of all wires, or of all private ones.
    pub(super) fn bits(&self, staged: &Staged, query: usize) -> Option<&StagedBits> {
        match query {
            0 => None,
            1 => (!staged.a_query.is_full()).then_some(&self.a_bits),
            _ => (!staged.b_query.is_full()).then_some(&self.b_bits),
        }
    }
}

impl Slot {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        pinned: &Arc<PinnedPool>,
        worker: u32,
    ) -> std::result::Result<Self, CudaError> {
        let device = &gpu.device;
        Ok(Slot {
            gpu: gpu.clone(),
            pinned: pinned.clone(),
            worker,
            uploader: Uploader::new(device, gpu.staging_bytes, &gpu.host)?,
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
        up.recorder.host(Stage::Key);
    }

    /// Uploads the inputs of a share of a proof, which is decided when the rows are on their way, and does `work` with them; returns
    /// when nothing reads the caller's memory any more. `rows_come` hears of how many of the quotient's steps the rows are on their way.
    pub(super) fn with_inputs<T>(
        &mut self,
        inputs: &mut Inputs,
        circuit: &Assignment<'_>,
        rows: Rows,
        rows_come: impl FnMut(&mut Slot, &mut Inputs, usize) -> Result<()>,
        decide: impl FnOnce(&mut Slot) -> Division,
        work: impl FnOnce(&mut Slot, &mut Inputs, &Staged, Division) -> Result<T>,
    ) -> Result<T> {
        let settled = Settled(self);
        // SAFETY: the circuit is borrowed during this call, which ends, in whatever way, with the wait of `settled`.
        let (staged, division) = unsafe { settled.0.stage(inputs, circuit, rows, rows_come, decide) }?;
        work(settled.0, inputs, &staged, division)
    }

    /// Uploads coefficients of the quotient, to their places from number `first` on, as they come from the
    /// device that has them. Whether they came: if not, that device's thread knows why.
    ///
    /// # Safety
    /// The parcel must be kept until the uploader's stream has passed this point.
    pub(super) unsafe fn receive(
        &mut self,
        inputs: &mut Inputs,
        first: usize,
        parcel: &Parcel,
    ) -> Result<bool> {
        let up = &mut self.uploader;
        let mut at_element = first;
        for piece in parcel.pieces() {
            let Ok(piece) = piece else { return Ok(false) };
            // SAFETY: the caller's promise; nobody writes to a parcel that is shared.
            unsafe { up.upload_locked(&mut inputs.a, at_element, piece) }
                .map_err(at("upload of coefficients"))?;
            at_element += piece.len();
        }
        self.a_ready
            .record_on(&up.stream)
            .map_err(at("upload of coefficients"))?;
        Ok(true)
    }

    /// Enqueues the upload of a share's inputs: for the quotient, whose kernels come first, a and b; then, as is decided, the wires.
    ///
    /// # Safety
    /// The circuit's slices must stay until the uploader's stream has passed this point: what of them is page-locked is
    /// copied from where it is.
    unsafe fn stage(
        &mut self,
        inputs: &mut Inputs,
        circuit: &Assignment<'_>,
        rows: Rows,
        mut rows_come: impl FnMut(&mut Slot, &mut Inputs, usize) -> Result<()>,
        decide: impl FnOnce(&mut Slot) -> Division,
    ) -> Result<(Staged, Division)> {
        if rows == Rows::Needed {
            // SAFETY: as this function's.
            unsafe { self.upload_a(inputs, circuit) }.map_err(at(UPLOADING))?;
            rows_come(self, inputs, STEPS_OF_A)?;
            // SAFETY: as this function's.
            unsafe { self.upload_b_and_c(inputs, circuit) }.map_err(at(UPLOADING))?;
            rows_come(self, inputs, STEPS.len())?;
        }
        let division = decide(self);
        let share = division.share;
        let n_inputs = circuit.inputs.len();
        let bits = |query, inputs, aux| match share.has_query(query) {
            true => QueryBits::new(n_inputs, inputs, aux),
            false => QueryBits::default(),
        };
        let staged = Staged {
            n_inputs,
            n_aux: circuit.aux.len(),
            domain: domain(circuit),
            a_query: bits(1, None, &circuit.a_aux_density),
            b_query: bits(2, Some(&circuit.b_input_density), &circuit.b_aux_density),
        };
        // SAFETY: as this function's.
        unsafe { self.upload_wires(inputs, circuit, &staged, share) }.map_err(at(UPLOADING))?;
        Ok((staged, division))
    }

    /// # Safety
    /// As [`Slot::stage`].
    unsafe fn upload_wires(
        &mut self,
        inputs: &mut Inputs,
        circuit: &Assignment<'_>,
        staged: &Staged,
        share: Share,
    ) -> std::result::Result<(), CudaError> {
        let up = &mut self.uploader;
        if share.has_queries() {
            up.recorder.host(Stage::Wires);
            up.upload(&mut inputs.wires, 0, limbs(circuit.inputs))?;
            // SAFETY: the caller's promise.
            unsafe { up.upload_kept(&mut inputs.wires, staged.n_inputs, limbs(circuit.aux)) }?;
        }
        for (bits, query) in [
            (&mut inputs.a_bits, &staged.a_query),
            (&mut inputs.b_bits, &staged.b_query),
        ] {
            up.upload(&mut bits.words, 0, &query.words)?;
            up.upload(&mut bits.ranks, 0, &query.ranks)?;
        }
        self.wires_ready.record_on(&up.stream)
    }

    /// # Safety
    /// As [`Slot::stage`].
    unsafe fn upload_a(
        &mut self,
        inputs: &mut Inputs,
        circuit: &Assignment<'_>,
    ) -> std::result::Result<(), CudaError> {
        self.uploader.recorder.host(Stage::A);
        // SAFETY: the caller's promise.
        unsafe { self.uploader.upload_padded(&mut inputs.a, limbs(circuit.a)) }?;
        self.a_ready.record_on(&self.uploader.stream)
    }

    /// # Safety
    /// As [`Slot::stage`].
    unsafe fn upload_b_and_c(
        &mut self,
        inputs: &mut Inputs,
        circuit: &Assignment<'_>,
    ) -> std::result::Result<(), CudaError> {
        let up = &mut self.uploader;
        up.recorder.host(Stage::B);
        // SAFETY: the caller's promise.
        unsafe { up.upload_padded(&mut inputs.b, limbs(circuit.b)) }?;
        self.b_ready.record_on(&up.stream)?;
        if self.gpu.schedule.c_rows == CRows::Uploaded {
            up.recorder.host(Stage::C);
            inputs.c.fill_bytes_on(&up.stream, 0)?;
            up.upload_with(&mut inputs.c, 0, circuit.n_rows(), |first, block: &mut [_]| {
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
        self.0.uploader.stream.settle();
    }
}
