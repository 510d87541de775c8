//! Many multiples of one point.

use super::{DeviceBuf, MsmGroup, ScalarForm, ScalarLimbs, Stream, Workspace};
use crate::sys::spf_fixed_base_args;
use crate::{CudaError, Result};

/// The multiples d 2^(c w) B of one point, in device memory, for many products s B.
#[derive(Debug)]
pub struct FixedBase<G: MsmGroup> {
    table: DeviceBuf<G::Point>,
    window_bits: u32,
}

/// Bytes of device memory that a [`FixedBase`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedBaseBytes {
    /// For the table.
    pub table: u64,
    /// For the workspace: to make the table, and for the products.
    pub workspace: u64,
}

impl<G: MsmGroup> FixedBase<G> {
    /// What a table with such windows takes, and `n_points` products at a time.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] for windows of less than 5 or more than 20 bits.
    pub fn n_bytes(stream: &Stream, window_bits: u32, n_points: usize) -> Result<FixedBaseBytes> {
        let bytes_for = |n_points: u64| {
            let mut bytes = FixedBaseBytes {
                table: 0,
                workspace: 0,
            };
            // SAFETY: the results are fields of a local that lives through the call.
            stream.device().call(|error| unsafe {
                (G::ABI.table_bytes)(
                    window_bits,
                    n_points,
                    &mut bytes.table,
                    &mut bytes.workspace,
                    error,
                )
            })?;
            Ok(bytes)
        };
        let table = bytes_for(0)?.table;
        let n_entries = table / size_of::<G::Point>() as u64;
        bytes_for(n_entries.max(n_points as u64))
    }

    /// The table for `base` with windows of `window_bits` (5 to 20). 16 suits
    /// millions of products: 50 MB for G1.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] for other windows; [`CudaError::OutOfMemory`]; what the device says.
    pub fn new(
        stream: &Stream,
        base: &G::Point,
        window_bits: u32,
        workspace: &mut Workspace,
    ) -> Result<FixedBase<G>> {
        let device = stream.device();
        let bytes = Self::n_bytes(stream, window_bits, 0)?;
        workspace.reserve(bytes.workspace)?;
        let mut table = DeviceBuf::alloc(device, bytes.table as usize / size_of::<G::Point>())?;
        let (to, available) = (table.as_mut_ptr(), workspace.n_bytes());
        // SAFETY: the base is read before the call returns; table and workspace have the sizes given and wait
        // for the device when they are dropped.
        device.call(|error| unsafe {
            let base = std::ptr::from_ref(base).cast();
            (G::ABI.table_build_on)(
                stream.raw(),
                base,
                window_bits,
                to,
                bytes.table,
                workspace.as_mut_ptr(),
                available,
                error,
            )
        })?;
        stream.synchronize()?;
        Ok(FixedBase { table, window_bits })
    }

    /// points\[i\] = scalars\[i\] B; returns when they are there.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the lengths differ; [`CudaError::OutOfMemory`]; what the device says.
    pub fn multiply(
        &self,
        stream: &Stream,
        scalars: &DeviceBuf<ScalarLimbs>,
        form: ScalarForm,
        points: &mut DeviceBuf<G::Point>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if scalars.len() != points.len() {
            return Err(CudaError::invalid(format!(
                "{} scalars for {} points",
                scalars.len(),
                points.len()
            )));
        }
        let enqueued = self.multiply_on(stream, scalars, form, points, scalars.len(), workspace);
        let waited = stream.synchronize();
        enqueued.and(waited)
    }

    /// Enqueues points\[i\] = scalars\[i\] B for i < `n_points`. Whatever else uses the buffers or the
    /// workspace must be ordered after it by streams and events; dropped, they wait for the device.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if there are fewer scalars or points;
    /// [`CudaError::OutOfMemory`]; what the device says.
    pub fn multiply_on(
        &self,
        stream: &Stream,
        scalars: &DeviceBuf<ScalarLimbs>,
        form: ScalarForm,
        points: &mut DeviceBuf<G::Point>,
        n_points: usize,
        workspace: &mut Workspace,
    ) -> Result<()> {
        if n_points > scalars.len().min(points.len()) {
            return Err(CudaError::invalid(format!(
                "{n_points} products of {} scalars into {} points",
                scalars.len(),
                points.len()
            )));
        }
        workspace.reserve(Self::n_bytes(stream, self.window_bits, n_points)?.workspace)?;
        let args = spf_fixed_base_args {
            size: size_of::<spf_fixed_base_args>() as u64,
            d_table: self.table.as_ptr(),
            table_bytes: self.table.n_bytes(),
            d_scalars: scalars.as_ptr(),
            d_points: points.as_mut_ptr(),
            n_points: n_points as u64,
            window_bits: self.window_bits,
            scalars_are_montgomery: u32::from(form == ScalarForm::Montgomery),
            d_workspace: workspace.as_mut_ptr(),
            workspace_bytes: workspace.n_bytes(),
        };
        // SAFETY: the counts were checked against the buffers, and each of the four waits for the device when
        // it is dropped, so none goes while the kernels run.
        stream
            .device()
            .call(|error| unsafe { (G::ABI.table_multiply_on)(stream.raw(), &args, error) })
    }
}
