//! Multi-scalar multiplication, and sums of selected points.

use super::{Device, DeviceBuf, Pod, Stream, Workspace};
use crate::result::call;
use crate::sys::{self, spf_batch_add_args, spf_error, spf_fixed_base_args, spf_msm, spf_msm_args};
use crate::{CudaError, Result};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// 32 bytes of a scalar, least significant limb first. [`ScalarForm`] says what they mean.
pub type ScalarLimbs = [u64; 4];

/// What the limbs of scalars are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarForm {
    /// Integers. One of r or more counts modulo r.
    Canonical,
    /// Elements in Montgomery form (R = 2^256), as transforms leave them.
    Montgomery,
}

/// When the host collects the results of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PippengerSchedule {
    /// While the next batch runs.
    #[default]
    Deferred,
    /// Before the next batch is enqueued: for measurements. The bytes are the same.
    PerBatch,
}

/// How the points of a bucket are added up. The bytes are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accumulation {
    /// The library's choice: in G1 [`Accumulation::Extended`]; in G2 [`Accumulation::Affine`], where there are pairs for all of the
    /// device's threads (from some 2^17 points on).
    #[default]
    Chosen,
    /// Point by point, in extended coordinates.
    Extended,
    /// First in pairs, in affine coordinates, many pairs sharing an inversion, while buckets hold
    /// four points and more on average; then as [`Accumulation::Extended`]. Takes workspace for half
    /// of the points of a group of windows.
    Affine,
}

impl Accumulation {
    fn code(self) -> u32 {
        let code = match self {
            Accumulation::Chosen => sys::SPF_ACCUMULATION_CHOSEN,
            Accumulation::Extended => sys::SPF_ACCUMULATION_EXTENDED,
            Accumulation::Affine => sys::SPF_ACCUMULATION_AFFINE,
        };
        code as u32
    }
}

mod sealed {
    pub trait Sealed {}
}

/// One of the two groups, and the C functions that are its own.
///
/// Points are affine, Montgomery form, x before y, infinity as zeros: the bytes of blst's affine types.
pub trait MsmGroup: sealed::Sealed {
    /// An affine point.
    type Point: Pod + Default;
    #[doc(hidden)]
    const ABI: GroupAbi;
}

type ErrorPtr = *mut spf_error;

/// The C functions of a group.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct GroupAbi {
    workspace_bytes: unsafe extern "C" fn(*const spf_msm_args, *mut u64, ErrorPtr) -> i32,
    start_on: unsafe extern "C" fn(*mut spf_msm, *mut sys::spf_stream, *const spf_msm_args, ErrorPtr) -> i32,
    finish: unsafe extern "C" fn(*mut spf_msm, *mut c_void, ErrorPtr) -> i32,
    add_workspace_bytes: unsafe extern "C" fn(*const spf_batch_add_args, *mut u64, ErrorPtr) -> i32,
    add_start_on:
        unsafe extern "C" fn(*mut spf_msm, *mut sys::spf_stream, *const spf_batch_add_args, ErrorPtr) -> i32,
    pub(super) table_bytes: unsafe extern "C" fn(u32, u64, *mut u64, *mut u64, ErrorPtr) -> i32,
    pub(super) table_build_on: unsafe extern "C" fn(
        *mut sys::spf_stream,
        *const c_void,
        u32,
        *mut c_void,
        u64,
        *mut c_void,
        u64,
        ErrorPtr,
    ) -> i32,
    pub(super) table_multiply_on:
        unsafe extern "C" fn(*mut sys::spf_stream, *const spf_fixed_base_args, ErrorPtr) -> i32,
}

/// G1: points of 96 bytes.
#[derive(Clone, Copy, Debug)]
pub enum G1 {}
/// G2: points of 192 bytes, each coordinate its real part first.
#[derive(Clone, Copy, Debug)]
pub enum G2 {}

/// An affine point of G1: x, y, six limbs each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct G1Point {
    /// x
    pub x: [u64; 6],
    /// y
    pub y: [u64; 6],
}
/// An affine point of G2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct G2Point {
    /// x: real part, then that of u
    pub x: [[u64; 6]; 2],
    /// y
    pub y: [[u64; 6]; 2],
}
// SAFETY: limbs and nothing else.
unsafe impl Pod for G1Point {}
// SAFETY: limbs and nothing else.
unsafe impl Pod for G2Point {}

impl sealed::Sealed for G1 {}
impl sealed::Sealed for G2 {}
impl MsmGroup for G1 {
    type Point = G1Point;
    const ABI: GroupAbi = GroupAbi {
        workspace_bytes: sys::spf_msm_g1_workspace_bytes,
        start_on: sys::spf_msm_g1_start_on,
        finish: sys::spf_msm_g1_finish,
        add_workspace_bytes: sys::spf_batch_add_g1_workspace_bytes,
        add_start_on: sys::spf_batch_add_g1_start_on,
        table_bytes: sys::spf_fixed_base_g1_bytes,
        table_build_on: sys::spf_fixed_base_g1_build_on,
        table_multiply_on: sys::spf_fixed_base_g1_multiply_on,
    };
}
impl MsmGroup for G2 {
    type Point = G2Point;
    const ABI: GroupAbi = GroupAbi {
        workspace_bytes: sys::spf_msm_g2_workspace_bytes,
        start_on: sys::spf_msm_g2_start_on,
        finish: sys::spf_msm_g2_finish,
        add_workspace_bytes: sys::spf_batch_add_g2_workspace_bytes,
        add_start_on: sys::spf_batch_add_g2_start_on,
        table_bytes: sys::spf_fixed_base_g2_bytes,
        table_build_on: sys::spf_fixed_base_g2_build_on,
        table_multiply_on: sys::spf_fixed_base_g2_multiply_on,
    };
}

/// Where an array is.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a, T: Pod> {
    /// In device memory.
    Device(&'a DeviceBuf<T>),
    /// The same, but for so many of its first values.
    DeviceFrom(&'a DeviceBuf<T>, usize),
    /// In host memory; uploaded in batches, at the bus's full speed if it is pinned.
    Host(&'a [T]),
}

impl<T: Pod> Source<'_, T> {
    fn len(&self) -> usize {
        match self {
            Source::Device(buffer) => buffer.len(),
            Source::DeviceFrom(buffer, first) => buffer.len().saturating_sub(*first),
            Source::Host(slice) => slice.len(),
        }
    }
    fn address(&self) -> *const c_void {
        match self {
            Source::Device(buffer) => buffer.as_ptr(),
            Source::DeviceFrom(buffer, first) => buffer.as_ptr().cast::<T>().wrapping_add(*first).cast(),
            Source::Host(slice) => slice.as_ptr().cast(),
        }
    }
    fn on_host(&self) -> u32 {
        u32::from(matches!(self, Source::Host(_)))
    }
}

/// How an MSM is done; the default chooses everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsmConfig {
    /// All points have order r (true of any SRS that was checked), so the endomorphism may halve the scalars.
    /// If false, points outside the subgroup are right too.
    pub points_in_subgroup: bool,
    /// When results of batches are collected.
    pub schedule: PippengerSchedule,
    /// Bits of the widest window, 5 to 24; 0: chosen.
    pub window_bits: u32,
    /// Points of a batch, which bounds the workspace; 0: all if they are on the device, else 2^22.
    pub max_batch_points: u64,
    /// Digits sorted at a time, 16 bytes of workspace each; 0: 2^28. With affine additions some 90 bytes in G1 and 170 in G2; 0: 2^26 and
    /// 2^25. One window at least is taken at a time.
    pub max_group_entries: u64,
    /// How buckets are summed.
    pub accumulation: Accumulation,
}

impl Default for MsmConfig {
    fn default() -> Self {
        MsmConfig {
            points_in_subgroup: true,
            schedule: PippengerSchedule::Deferred,
            window_bits: 0,
            max_batch_points: 0,
            max_group_entries: 0,
            accumulation: Accumulation::Chosen,
        }
    }
}

/// The terms of sum s_i P_i.
#[derive(Clone, Copy, Debug)]
pub struct MsmInput<'a, G: MsmGroup> {
    /// P_i; or, with `indices`, the points that they choose from.
    pub points: Source<'a, G::Point>,
    /// s_i
    pub scalars: Source<'a, ScalarLimbs>,
    /// What the scalars' limbs are.
    pub form: ScalarForm,
    /// P_i = points[indices\[i\]]. Every index must be below the number of
    /// points, which must be on the device.
    pub indices: Option<&'a DeviceBuf<u32>>,
}

/// Bytes of workspace of an MSM of `n_terms` terms whose points and scalars are in device memory, on a device
/// of so many multiprocessors: for plans, which know sizes and have no buffers yet.
///
/// # Errors
/// [`CudaError::Invalid`] as for the MSM itself.
pub fn msm_workspace_bytes<G: MsmGroup>(
    n_terms: usize,
    config: &MsmConfig,
    n_multiprocessors: u32,
) -> Result<u64> {
    let somewhere = std::ptr::NonNull::<u64>::dangling().as_ptr().cast_const().cast();
    let args = spf_msm_args {
        points: somewhere,
        scalars: somewhere,
        n_points: n_terms as u64,
        n_bases: n_terms as u64,
        points_in_subgroup: u32::from(config.points_in_subgroup),
        window_bits: config.window_bits,
        max_batch_points: config.max_batch_points,
        max_group_entries: config.max_group_entries,
        accumulation: config.accumulation.code(),
        n_multiprocessors,
        size: size_of::<spf_msm_args>() as u64,
        ..Default::default()
    };
    let mut n_bytes = 0;
    // SAFETY: the arguments say their size and live through the call, which reads no pointer's target.
    call(|error| unsafe { (G::ABI.workspace_bytes)(&args, &mut n_bytes, error) })?;
    Ok(n_bytes)
}

/// Bytes of workspace of [`MsmContext::add_selected`] over `n_points` points in device memory.
///
/// # Errors
/// [`CudaError::Invalid`] as for the sum itself.
pub fn add_workspace_bytes<G: MsmGroup>(n_points: usize, n_multiprocessors: u32) -> Result<u64> {
    let somewhere = std::ptr::NonNull::<u64>::dangling().as_ptr().cast_const();
    let args = spf_batch_add_args {
        points: somewhere.cast(),
        bitmap: somewhere.cast(),
        n_points: n_points as u64,
        n_multiprocessors,
        size: size_of::<spf_batch_add_args>() as u64,
        ..Default::default()
    };
    let mut n_bytes = 0;
    // SAFETY: as above.
    call(|error| unsafe { (G::ABI.add_workspace_bytes)(&args, &mut n_bytes, error) })?;
    Ok(n_bytes)
}

/// What one MSM in flight needs beside its workspace: a pinned buffer for its
/// result, a stream for uploads, events.
#[derive(Debug)]
pub struct MsmContext {
    device: Arc<Device>,
    raw: *mut spf_msm,
    timing: bool,
}

// SAFETY: the handle is used through `&mut self` only, and CUDA's objects in it may be used from any thread.
unsafe impl Send for MsmContext {}

impl MsmContext {
    /// A context on `device`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] if the pinned buffer cannot be had; what the driver says.
    pub fn new(device: &Arc<Device>) -> Result<MsmContext> {
        Self::create(device, false)
    }

    /// A context that measures how long the device stands idle between batches: see [`MsmContext::idle_ms`].
    ///
    /// # Errors
    /// As [`MsmContext::new`].
    pub fn with_timing(device: &Arc<Device>) -> Result<MsmContext> {
        Self::create(device, true)
    }

    fn create(device: &Arc<Device>, timing: bool) -> Result<MsmContext> {
        let mut raw = null_mut();
        // SAFETY: `raw` is a local that lives through the call.
        device.call(|error| unsafe {
            sys::spf_msm_create(device.ordinal(), u32::from(timing), &mut raw, error)
        })?;
        Ok(MsmContext {
            device: device.clone(),
            raw,
            timing,
        })
    }

    /// Of the last MSM: milliseconds between the end of one batch's kernels and the
    /// begin of the next one's, together.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the context was not made with timing.
    pub fn idle_ms(&self) -> Result<f32> {
        let mut idle_ms = 0.0;
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives, the result through the call.
            unsafe { sys::spf_msm_idle_ms(self.raw, &mut idle_ms, error) }
        })?;
        Ok(idle_ms)
    }

    /// Bytes of workspace that [`MsmContext::msm`] needs for such an input: a function of its sizes alone.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] as for the MSM itself.
    pub fn msm_workspace_bytes<G: MsmGroup>(
        &self,
        input: &MsmInput<'_, G>,
        config: &MsmConfig,
    ) -> Result<u64> {
        self.msm_workspace_bytes_of(input, None, config)
    }

    /// [`MsmContext::msm_workspace_bytes`] of the input's first `n_terms` terms, or of all.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] as for the MSM itself.
    pub fn msm_workspace_bytes_of<G: MsmGroup>(
        &self,
        input: &MsmInput<'_, G>,
        n_terms: Option<usize>,
        config: &MsmConfig,
    ) -> Result<u64> {
        let args = self.msm_args(input, n_terms, config, null_mut(), 0)?;
        let mut n_bytes = 0;
        self.device.call(|error| {
            // SAFETY: the arguments say their size; both live through the call.
            unsafe { (G::ABI.workspace_bytes)(&args, &mut n_bytes, error) }
        })?;
        Ok(n_bytes)
    }

    /// sum s_i P_i, affine; infinity for no terms. Grows the workspace if it is too small.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if points and scalars (or indices) differ in number;
    /// [`CudaError::OutOfMemory`]; what the device says.
    pub fn msm<G: MsmGroup>(
        &mut self,
        stream: &Stream,
        input: &MsmInput<'_, G>,
        config: &MsmConfig,
        workspace: &mut Workspace,
    ) -> Result<G::Point> {
        workspace.reserve(self.msm_workspace_bytes(input, config)?)?;
        // SAFETY: everything is borrowed until `finish` has waited for the work; if starting fails half way,
        // the wait below ends what was enqueued.
        let started = unsafe { self.start_msm_on(stream, input, config, workspace) };
        self.settle::<G>(stream, started)
    }

    /// Enqueues an MSM; with one batch it returns at once. [`MsmContext::finish`] gives the result.
    ///
    /// # Errors
    /// As [`MsmContext::msm`]; [`CudaError::Invalid`] too if the workspace is too
    /// small or a result is outstanding.
    ///
    /// # Safety
    /// What the input borrows, and the workspace, must stay alive and untouched until `finish` has returned;
    /// indices must be below the number of points.
    pub unsafe fn start_msm_on<G: MsmGroup>(
        &mut self,
        stream: &Stream,
        input: &MsmInput<'_, G>,
        config: &MsmConfig,
        workspace: &mut Workspace,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.start_msm_of_on(stream, input, None, config, workspace) }
    }

    /// [`MsmContext::start_msm_on`] of the input's first `n_terms` terms, or of all: for arrays
    /// that are filled to a number known only when they are used. Points, scalars and indices
    /// need not then be equal in number.
    ///
    /// # Errors
    /// As there; [`CudaError::Invalid`] if an array has fewer.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn start_msm_of_on<G: MsmGroup>(
        &mut self,
        stream: &Stream,
        input: &MsmInput<'_, G>,
        n_terms: Option<usize>,
        config: &MsmConfig,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let args = self.msm_args(
            input,
            n_terms,
            config,
            workspace.as_mut_ptr(),
            workspace.n_bytes(),
        )?;
        self.device.call(|error| {
            // SAFETY: the handles are valid while their owners live; the arguments say their size, and their
            // pointers and counts come from buffers that the caller keeps.
            unsafe { (G::ABI.start_on)(self.raw, stream.raw(), &args, error) }
        })
    }

    /// Waits for what was started and gives its result.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if nothing of this group was started; what the device says.
    pub fn finish<G: MsmGroup>(&mut self) -> Result<G::Point> {
        let mut point = G::Point::default();
        // SAFETY: the handle is valid while `self` lives; the point has the group's size.
        self.device.call(|error| unsafe {
            (G::ABI.finish)(self.raw, std::ptr::from_mut(&mut point).cast(), error)
        })?;
        Ok(point)
    }

    /// Bytes that what was started last copies over the bus: to the device, and back.
    ///
    /// # Errors
    /// That of a poisoned device.
    pub fn moved_bytes(&self) -> Result<(u64, u64)> {
        let (mut to_device, mut to_host) = (0, 0);
        self.device.call(|error| {
            // SAFETY: the handle is valid while `self` lives, the results through the call.
            unsafe { sys::spf_msm_moved_bytes(self.raw, &mut to_device, &mut to_host, error) }
        })?;
        Ok((to_device, to_host))
    }

    /// sum of points\[i\] over the set bits i of `bitmap` (bit i % 32 of word i / 32).
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the bitmap is shorter than the points;
    /// [`CudaError::OutOfMemory`]; what the device says.
    pub fn add_selected<G: MsmGroup>(
        &mut self,
        stream: &Stream,
        points: Source<'_, G::Point>,
        bitmap: Source<'_, u32>,
        max_batch_points: u64,
        workspace: &mut Workspace,
    ) -> Result<G::Point> {
        workspace.reserve(self.add_workspace_bytes::<G>(points, bitmap, max_batch_points)?)?;
        // SAFETY: everything is borrowed until `settle` has waited.
        let started =
            unsafe { self.start_add_selected_on::<G>(stream, points, bitmap, max_batch_points, workspace) };
        self.settle::<G>(stream, started)
    }

    /// Bytes of workspace that [`MsmContext::add_selected`] needs.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] as for the sum itself.
    pub fn add_workspace_bytes<G: MsmGroup>(
        &self,
        points: Source<'_, G::Point>,
        bitmap: Source<'_, u32>,
        max_batch_points: u64,
    ) -> Result<u64> {
        let args = self.add_args::<G>(points, bitmap, max_batch_points)?;
        let mut n_bytes = 0;
        self.device.call(|error| {
            // SAFETY: the arguments say their size; both live through the call.
            unsafe { (G::ABI.add_workspace_bytes)(&args, &mut n_bytes, error) }
        })?;
        Ok(n_bytes)
    }

    /// Enqueues [`MsmContext::add_selected`]; [`MsmContext::finish`] gives the result.
    ///
    /// # Errors
    /// As there; [`CudaError::Invalid`] too if the workspace is too small or a result is outstanding.
    ///
    /// # Safety
    /// Points, bitmap and workspace must stay alive and untouched until `finish` has returned.
    pub unsafe fn start_add_selected_on<G: MsmGroup>(
        &mut self,
        stream: &Stream,
        points: Source<'_, G::Point>,
        bitmap: Source<'_, u32>,
        max_batch_points: u64,
        workspace: &mut Workspace,
    ) -> Result<()> {
        let args = spf_batch_add_args {
            d_workspace: workspace.as_mut_ptr(),
            workspace_bytes: workspace.n_bytes(),
            ..self.add_args::<G>(points, bitmap, max_batch_points)?
        };
        self.device.call(|error| {
            // SAFETY: the handles are valid while their owners live; what the
            // arguments point to, the caller keeps.
            unsafe { (G::ABI.add_start_on)(self.raw, stream.raw(), &args, error) }
        })
    }

    fn add_args<G: MsmGroup>(
        &self,
        points: Source<'_, G::Point>,
        bitmap: Source<'_, u32>,
        max_batch_points: u64,
    ) -> Result<spf_batch_add_args> {
        if bitmap.len() < points.len().div_ceil(32) {
            return Err(CudaError::invalid(format!(
                "a bitmap of {} words for {} points, {} are needed",
                bitmap.len(),
                points.len(),
                points.len().div_ceil(32)
            )));
        }
        Ok(spf_batch_add_args {
            size: size_of::<spf_batch_add_args>() as u64,
            points: points.address(),
            bitmap: bitmap.address().cast(),
            n_points: points.len() as u64,
            points_on_host: points.on_host(),
            bitmap_on_host: bitmap.on_host(),
            max_batch_points,
            n_multiprocessors: self.device.info().n_multiprocessors,
            reserved: 0,
            d_workspace: null_mut(),
            workspace_bytes: 0,
        })
    }

    // The result of what was started; if starting failed half way, waits for what it
    // had enqueued and starts afresh.
    fn settle<G: MsmGroup>(&mut self, stream: &Stream, started: Result<()>) -> Result<G::Point> {
        let result = started.and_then(|()| self.finish::<G>());
        if result.is_err() {
            stream.settle();
            // A context in the middle of something is of no use any more; a new one
            // replaces it when it can be had.
            if let Ok(fresh) = MsmContext::create(&self.device, self.timing) {
                *self = fresh;
            }
        }
        result
    }

    fn msm_args<G: MsmGroup>(
        &self,
        input: &MsmInput<'_, G>,
        n_terms: Option<usize>,
        config: &MsmConfig,
        d_workspace: *mut c_void,
        workspace_bytes: u64,
    ) -> Result<spf_msm_args> {
        let n_points = input.indices.map_or(input.points.len(), DeviceBuf::len);
        let n_scalars = input.scalars.len();
        let what = if input.indices.is_some() {
            "indices"
        } else {
            "points"
        };
        let n_terms = match n_terms {
            None if n_points == n_scalars => n_points,
            Some(n) if n <= n_points.min(n_scalars) => n,
            None => {
                return Err(CudaError::invalid(format!(
                    "{n_points} {what} and {n_scalars} scalars"
                )))
            }
            Some(n) => {
                return Err(CudaError::invalid(format!(
                    "{n} terms of {n_points} {what} and {n_scalars} scalars"
                )))
            }
        };
        Ok(spf_msm_args {
            size: size_of::<spf_msm_args>() as u64,
            points: input.points.address(),
            scalars: input.scalars.address(),
            d_indices: input.indices.map_or(null(), |indices| indices.as_ptr().cast()),
            n_points: n_terms as u64,
            n_bases: input.points.len() as u64,
            points_on_host: input.points.on_host(),
            scalars_on_host: input.scalars.on_host(),
            scalars_are_montgomery: u32::from(input.form == ScalarForm::Montgomery),
            points_in_subgroup: u32::from(config.points_in_subgroup),
            schedule: match config.schedule {
                PippengerSchedule::Deferred => sys::SPF_PIPPENGER_DEFERRED as u32,
                PippengerSchedule::PerBatch => sys::SPF_PIPPENGER_PER_BATCH as u32,
            },
            window_bits: config.window_bits,
            max_batch_points: config.max_batch_points,
            max_group_entries: config.max_group_entries,
            n_multiprocessors: self.device.info().n_multiprocessors,
            accumulation: config.accumulation.code(),
            d_workspace,
            workspace_bytes,
        })
    }
}

impl Drop for MsmContext {
    fn drop(&mut self) {
        // SAFETY: the handle came from `spf_msm_create` and is given back once; the
        // call waits for what is in flight.
        self.device
            .release(|error| unsafe { sys::spf_msm_destroy(self.raw, error) });
    }
}
