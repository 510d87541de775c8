//! Scalars by kind: zeros left out, ones as a bitmap, the rest as a list for an MSM.

use super::{Device, DeviceBuf, ScalarLimbs, Stream};
use crate::sys::{self, spf_split_args};
use crate::{CudaError, Result};
use std::sync::Arc;

/// Room for the kinds of up to so many scalars, filled by [`ScalarSplit::split_on`].
///
/// **Memory**: 36 bytes and a bit a scalar, on the device.
#[derive(Debug)]
pub struct ScalarSplit {
    /// Bit j % 32 of word j / 32: term j is one.
    pub ones: DeviceBuf<u32>,
    /// The terms that are neither zero nor one, in any order.
    pub tail_terms: DeviceBuf<u32>,
    /// Their scalars, Montgomery form.
    pub tail_scalars: DeviceBuf<ScalarLimbs>,
    /// How many terms are in the tail, and how many are ones.
    pub counts: DeviceBuf<u32>,
}

impl ScalarSplit {
    /// Room for `n` terms.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`].
    pub fn new(device: &Arc<Device>, n: usize) -> Result<ScalarSplit> {
        ScalarSplit::with_scalars(device, n, n)
    }

    /// Room for `n` terms whose `tail_scalars` has room for `n_scalars`, at least `n`: that buffer may serve
    /// for something else between splits.
    ///
    /// # Errors
    /// As [`DeviceBuf::alloc`].
    pub fn with_scalars(device: &Arc<Device>, n: usize, n_scalars: usize) -> Result<ScalarSplit> {
        Ok(ScalarSplit {
            ones: DeviceBuf::alloc(device, n.div_ceil(32))?,
            tail_terms: DeviceBuf::alloc(device, n)?,
            tail_scalars: DeviceBuf::alloc(device, n_scalars.max(n))?,
            counts: DeviceBuf::alloc(device, 2)?,
        })
    }

    /// Bytes of device memory of [`ScalarSplit::with_scalars`].
    pub fn bytes(n: usize, n_scalars: usize) -> u64 {
        (4 * n.div_ceil(32) + 4 * n + 32 * n_scalars.max(n) + 8) as u64
    }

    /// Enqueues the split of `n` terms. Term j is `elements[first + indices[k + j]]`, where `indices` is the
    /// list and k, or `elements[first + j]`; elements are canonical, in Montgomery form.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if a buffer is too short; what the driver says.
    ///
    /// # Safety
    /// Every index, plus `first`, must be below the number of elements.
    pub unsafe fn split_on(
        &mut self,
        stream: &Stream,
        elements: &DeviceBuf<ScalarLimbs>,
        first: usize,
        indices: Option<(&DeviceBuf<u32>, usize)>,
        n: usize,
    ) -> Result<()> {
        let n_indices = indices.map(|(list, from)| list.len().saturating_sub(from));
        let n_elements = elements.len().saturating_sub(first);
        let too_short = self.tail_terms.len() < n
            || self.ones.len() < n.div_ceil(32)
            || self.tail_scalars.len() < n
            || n_indices.unwrap_or(n_elements) < n;
        if too_short {
            return Err(CudaError::invalid(format!(
                "{n} terms of {n_elements} elements and {n_indices:?} indices, with room for {}",
                self.tail_terms.len()
            )));
        }
        let args = spf_split_args {
            size: size_of::<spf_split_args>() as u64,
            d_elements: elements.as_ptr().cast::<ScalarLimbs>().wrapping_add(first).cast(),
            d_indices: indices.map_or(std::ptr::null(), |(list, from)| {
                list.as_ptr().cast::<u32>().wrapping_add(from)
            }),
            n_elements: n_elements as u64,
            n: n as u64,
            d_ones: self.ones.as_mut_ptr().cast(),
            d_tail_terms: self.tail_terms.as_mut_ptr().cast(),
            d_tail_scalars: self.tail_scalars.as_mut_ptr(),
            d_counts: self.counts.as_mut_ptr().cast(),
        };
        stream.device().call(|error| {
            // SAFETY: the buffers have the sizes just checked and wait for the device before they go; the
            // indices are the caller's promise.
            unsafe { sys::spf_split_scalars_on(stream.raw(), &args, error) }
        })
    }
}

/// Enqueues `indices[..n_set]` = the numbers of the bits set in the first `n_words` words, ascending, where
/// `ranks[w]` bits are set before word `w`.
///
/// # Errors
/// [`CudaError::Invalid`] if a buffer is too short; what the driver says.
pub fn expand_bits_on(
    stream: &Stream,
    words: &DeviceBuf<u32>,
    ranks: &DeviceBuf<u32>,
    n_words: usize,
    n_set: usize,
    indices: &mut DeviceBuf<u32>,
) -> Result<()> {
    if words.len() < n_words || ranks.len() < n_words || indices.len() < n_set {
        return Err(CudaError::invalid(format!(
            "{n_words} words of {} and {} ranks, {n_set} indices of {}",
            words.len(),
            ranks.len(),
            indices.len()
        )));
    }
    stream.device().call(|error| {
        // SAFETY: the buffers have the sizes just checked and wait for the device before they go; a rank that
        // is too large writes nothing past n_set.
        unsafe {
            sys::spf_expand_bits_on(
                stream.raw(),
                words.as_ptr().cast(),
                ranks.as_ptr().cast(),
                n_words as u64,
                n_set as u64,
                indices.as_mut_ptr().cast(),
                error,
            )
        }
    })
}
