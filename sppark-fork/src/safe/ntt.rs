//! Number-theoretic transforms and the quotient.

use super::{Device, DeviceBuf, Pod, Stream};
use crate::sys::{self, spf_ntt_args, spf_quotient_args};
use crate::{CudaError, Result};
use std::sync::Arc;

/// The largest transform is of `2^NTT_MAX_LOG_N` elements.
pub const NTT_MAX_LOG_N: u32 = sys::SPF_NTT_MAX_LOG_N as u32;

/// Which way a transform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NttDirection {
    /// Coefficients to values: `A[k] = sum_i a[i] w^(ik)`.
    Forward,
    /// Values to coefficients: `a[i] = 1/n sum_k A[k] w^(-ik)`.
    Inverse,
}

/// Orders of input and output. In reversed order element `i` stands where the `log_n`
/// bits of `i` read backwards say.
///
/// The transforms that change the order are the fastest; those that keep it pass over the data once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NttOrder {
    /// Natural in, natural out.
    NaturalToNatural,
    /// Natural in, reversed out.
    NaturalToReversed,
    /// Reversed in, natural out.
    ReversedToNatural,
    /// Reversed in, reversed out.
    ReversedToReversed,
}

/// The factors of every transform up to a size, on one device. Built once and shared: clone the `Arc`.
///
/// **Memory**: about 54 MB of device memory for `max_log_n` = 28, 0.6 MB for 10.
#[derive(Debug)]
pub struct NttTable {
    memory: DeviceBuf<u8>,
    max_log_n: u32,
}

/// Where `c` comes from in [`NttTable::quotient_on`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotientInput {
    /// `c = a b` on the domain, as for every satisfied circuit: it is computed, and need not be uploaded.
    ProductOfAB,
    /// `c`'s values stand in the third buffer.
    Given,
}

/// What of the quotient is computed. In two steps, a is transformed while b may still be on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotientSteps {
    /// All, when everything is there.
    All,
    /// What a alone is needed for. Touches `a` and, unless c is given, `c`.
    OfA,
    /// Then what is left.
    Rest,
}

impl QuotientSteps {
    fn code(self) -> u32 {
        let code = match self {
            QuotientSteps::All => sys::SPF_QUOTIENT_OF_A | sys::SPF_QUOTIENT_REST,
            QuotientSteps::OfA => sys::SPF_QUOTIENT_OF_A,
            QuotientSteps::Rest => sys::SPF_QUOTIENT_REST,
        };
        code as u32
    }
}

impl NttTable {
    /// Builds the table for transforms of up to `2^max_log_n`; returns when it is there.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] over [`NTT_MAX_LOG_N`], [`CudaError::OutOfMemory`], what the driver says.
    pub fn new(stream: &Stream, max_log_n: u32) -> Result<Arc<NttTable>> {
        let device = stream.device();
        let mut memory = DeviceBuf::alloc(device, Self::bytes(max_log_n)? as usize)?;
        let n_bytes = memory.n_bytes();
        device.call(|error| {
            // SAFETY: the buffer has that many bytes, and waits for the device before it is freed.
            unsafe {
                sys::spf_ntt_table_build_on(stream.raw(), max_log_n, memory.as_mut_ptr(), n_bytes, error)
            }
        })?;
        stream.synchronize()?;
        Ok(Arc::new(NttTable { memory, max_log_n }))
    }

    /// Bytes of device memory that a table takes.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] over [`NTT_MAX_LOG_N`].
    pub fn bytes(max_log_n: u32) -> Result<u64> {
        // SAFETY: takes a plain number.
        match unsafe { sys::spf_ntt_table_bytes(max_log_n) } {
            0 => Err(CudaError::invalid(format!(
                "a transform of 2^{max_log_n}, over the limit of 2^{NTT_MAX_LOG_N}"
            ))),
            n_bytes => Ok(n_bytes),
        }
    }

    /// Transforms up to `2^max_log_n` are covered.
    pub fn max_log_n(&self) -> u32 {
        self.max_log_n
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        self.memory.device()
    }

    /// Enqueues the transform of `data` in place; the number of elements must be a power of two.
    ///
    /// **Representation**: Montgomery form, canonical, in and out. With `on_coset` the forward transform
    /// evaluates at `7 w^k`, and the inverse takes values from there.
    ///
    /// **Memory**: none beyond `data`.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the length is no power of two or over the table's; what the driver says.
    pub fn run_on<T: Pod>(
        &self,
        stream: &Stream,
        data: &mut DeviceBuf<T>,
        direction: NttDirection,
        order: NttOrder,
        on_coset: bool,
    ) -> Result<()> {
        self.run_with_plan_on(stream, data, direction, order, on_coset, 0)
    }

    /// [`NttTable::run_on`] in passes of at most so many bits: for tests of plans that only large sizes have.
    #[doc(hidden)]
    pub fn run_with_plan_on<T: Pod>(
        &self,
        stream: &Stream,
        data: &mut DeviceBuf<T>,
        direction: NttDirection,
        order: NttOrder,
        on_coset: bool,
        most_bits_a_pass: u32,
    ) -> Result<()> {
        let args = spf_ntt_args {
            size: size_of::<spf_ntt_args>() as u64,
            log_n: self.log_of(data)?,
            d_data: data.as_mut_ptr(),
            d_table: self.memory.as_ptr(),
            table_bytes: self.memory.n_bytes(),
            table_max_log_n: self.max_log_n,
            direction: match direction {
                NttDirection::Forward => sys::SPF_NTT_FORWARD,
                NttDirection::Inverse => sys::SPF_NTT_INVERSE,
            } as u32,
            order: match order {
                NttOrder::NaturalToNatural => sys::SPF_NTT_NATURAL_TO_NATURAL,
                NttOrder::NaturalToReversed => sys::SPF_NTT_NATURAL_TO_REVERSED,
                NttOrder::ReversedToNatural => sys::SPF_NTT_REVERSED_TO_NATURAL,
                NttOrder::ReversedToReversed => sys::SPF_NTT_REVERSED_TO_REVERSED,
            } as u32,
            on_coset: u32::from(on_coset),
            most_bits_a_pass,
        };
        self.device().call(|error| {
            // SAFETY: `data` has 2^log_n elements of 32 bytes, the table its bytes; both wait
            // for the device before they go.
            unsafe { sys::spf_ntt_run_on(stream.raw(), &args, error) }
        })
    }

    /// Enqueues the quotient `h = (a b - c) / (x^n - 1)` from values on the domain: afterwards `a` holds the
    /// `n` coefficients of `h`, natural order, Montgomery form; `b` and `c` hold nothing of use.
    ///
    /// **Memory**: none beyond the three buffers.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if the lengths differ, are no power of two, or are over the
    /// table's; what the driver says.
    pub fn quotient_on<T: Pod>(
        &self,
        stream: &Stream,
        a: &mut DeviceBuf<T>,
        b: &mut DeviceBuf<T>,
        c: &mut DeviceBuf<T>,
        c_from: QuotientInput,
    ) -> Result<()> {
        if a.len() != b.len() || a.len() != c.len() {
            return Err(CudaError::invalid(format!(
                "vectors of {}, {} and {} elements",
                a.len(),
                b.len(),
                c.len()
            )));
        }
        let log_n = self.log_of(a)?;
        self.quotient_of_on(stream, log_n, [a, b, c], c_from, QuotientSteps::All)
    }

    /// [`NttTable::quotient_on`] of the first `2^log_n` elements of each buffer, for buffers that serve several sizes; or a step of it.
    ///
    /// # Errors
    /// [`CudaError::Invalid`] if a buffer is shorter, or `log_n` over the table's; what the driver says.
    pub fn quotient_of_on<T: Pod>(
        &self,
        stream: &Stream,
        log_n: u32,
        [a, b, c]: [&mut DeviceBuf<T>; 3],
        c_from: QuotientInput,
        steps: QuotientSteps,
    ) -> Result<()> {
        check_element::<T>()?;
        self.check_log(log_n)?;
        let shortest = a.len().min(b.len()).min(c.len());
        if shortest >> log_n == 0 {
            return Err(CudaError::invalid(format!(
                "a vector of {shortest} elements for a quotient of 2^{log_n}"
            )));
        }
        let args = spf_quotient_args {
            size: size_of::<spf_quotient_args>() as u64,
            log_n,
            d_a: a.as_mut_ptr(),
            d_b: b.as_mut_ptr(),
            d_c: c.as_mut_ptr(),
            d_table: self.memory.as_ptr(),
            table_bytes: self.memory.n_bytes(),
            table_max_log_n: self.max_log_n,
            c_is_given: u32::from(c_from == QuotientInput::Given),
            steps: steps.code(),
        };
        self.device().call(|error| {
            // SAFETY: the vectors have 2^log_n elements of 32 bytes or more, the table its bytes; all wait
            // for the device before they go.
            unsafe { sys::spf_poly_quotient_on(stream.raw(), &args, error) }
        })
    }

    fn check_log(&self, log_n: u32) -> Result<()> {
        if log_n > self.max_log_n {
            return Err(CudaError::invalid(format!(
                "2^{log_n} elements, the table is for up to 2^{}",
                self.max_log_n
            )));
        }
        Ok(())
    }

    fn log_of<T: Pod>(&self, data: &DeviceBuf<T>) -> Result<u32> {
        check_element::<T>()?;
        if !data.len().is_power_of_two() {
            return Err(CudaError::invalid(format!(
                "{} elements are no power of two",
                data.len()
            )));
        }
        let log_n = data.len().trailing_zeros();
        self.check_log(log_n)?;
        Ok(log_n)
    }
}

fn check_element<T: Pod>() -> Result<()> {
    if size_of::<T>() != 32 {
        return Err(CudaError::invalid(format!(
            "elements of {} bytes, not 32",
            size_of::<T>()
        )));
    }
    Ok(())
}
