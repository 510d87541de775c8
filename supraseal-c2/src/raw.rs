//! The one place where the caller's pointers become slices. What can be checked is, before anything is read.
//!
//! The old API takes pointers in safe functions, so the caller's word is all there is for their validity.
//! What is not left to it: null pointers, alignment, the sizes of its types, lengths against each other, and
//! lengths that no object can have.

use crate::Assignment;
use bls_fields::Fr;
use core::mem::{align_of, size_of};
use core::slice::from_raw_parts;
use groth16_core::{Density, Proof};

#[cfg(not(target_pointer_width = "64"))]
compile_error!("densities are slices of usize holding 64 bits a word, so supraseal-c2 needs a 64-bit target");

/// An argument that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("{what}: {have} given for {need} circuits")]
    Count {
        what: &'static str,
        have: usize,
        need: usize,
    },
    #[error("an element of {what} has {have} bytes, where {need} are needed ({meaning})")]
    TypeSize {
        what: &'static str,
        have: usize,
        need: usize,
        meaning: &'static str,
    },
    #[error("{what}: {words} words of 64 bits are too few for {n_bits} bits")]
    TooFewWords {
        what: &'static str,
        words: usize,
        n_bits: usize,
    },
    #[error("circuit {circuit}: {what} is a null pointer, with a length of {len}")]
    Null {
        circuit: usize,
        what: &'static str,
        len: usize,
    },
    #[error("circuit {circuit}: {what} is not aligned to {align} bytes")]
    Misaligned {
        circuit: usize,
        what: &'static str,
        align: usize,
    },
    #[error("circuit {circuit}: {what} cannot have a length of {len}: that is more than memory holds")]
    TooLong {
        circuit: usize,
        what: &'static str,
        len: usize,
    },
    #[error("circuit {circuit}: {what} has {have} bits for {need} wires")]
    BitLength {
        circuit: usize,
        what: &'static str,
        have: usize,
        need: usize,
    },
    #[error("circuit {circuit}: {what} is said to have {said} bits set, but has {counted}")]
    Popcount {
        circuit: usize,
        what: &'static str,
        said: usize,
        counted: usize,
    },
}

type Result<T> = core::result::Result<T, ArgumentError>;

const ELEMENT: &str = "four 64-bit limbs, Montgomery form, as blstrs::Scalar";

/// One of `what` for each circuit.
pub(crate) fn check_count(what: &'static str, have: usize, need: usize) -> Result<()> {
    if have == need {
        Ok(())
    } else {
        Err(ArgumentError::Count { what, have, need })
    }
}

fn check_type<T>(what: &'static str, need: usize, meaning: &'static str) -> Result<()> {
    match size_of::<T>() {
        have if have == need => Ok(()),
        have => Err(ArgumentError::TypeSize {
            what,
            have,
            need,
            meaning,
        }),
    }
}

/// A density's words, which hold at least `n_bits` bits.
pub(crate) fn density_words<D>(what: &'static str, words: &[D], n_bits: usize) -> Result<*const usize> {
    check_type::<D>(what, 8, "a word of 64 bits")?;
    if words.len() < n_bits.div_ceil(64) {
        let words = words.len();
        return Err(ArgumentError::TooFewWords { what, words, n_bits });
    }
    Ok(words.as_ptr().cast())
}

/// One circuit's inputs as slices, and c.
///
/// # Errors
/// [`ArgumentError`]; nothing was read through a pointer that was found wanting.
///
/// # Safety
/// Each pointer of `raw` is valid for reads of as many elements, or words, as its length asks for, and what
/// it points at is initialised and is not written for as long as `'a`.
pub(crate) unsafe fn view<'a, S>(
    circuit: usize,
    raw: &'a Assignment<S>,
) -> Result<(groth16_core::Assignment<'a>, &'a [Fr])> {
    check_type::<S>("scalar vectors", size_of::<Fr>(), ELEMENT)?;
    let (n_rows, n_inputs, n_aux) = (raw.abc_size, raw.inp_assignment_size, raw.aux_assignment_size);
    let density = |what, pointer, bit_len, popcount, n_wires| {
        // SAFETY: the caller's promise.
        unsafe { density(circuit, what, pointer, bit_len, popcount, n_wires) }
    };
    let a_aux_density = density(
        "a_aux_density",
        raw.a_aux_density,
        raw.a_aux_bit_len,
        raw.a_aux_popcount,
        n_aux,
    )?;
    let b_input_density = density(
        "b_inp_density",
        raw.b_inp_density,
        raw.b_inp_bit_len,
        raw.b_inp_popcount,
        n_inputs,
    )?;
    let b_aux_density = density(
        "b_aux_density",
        raw.b_aux_density,
        raw.b_aux_bit_len,
        raw.b_aux_popcount,
        n_aux,
    )?;
    let vector = |what, pointer: *const S, len| {
        // SAFETY: the caller's promise; S has the size of Fr, which is plain
        // limbs: any bits are a value of it.
        unsafe { slice::<Fr>(circuit, what, pointer.cast(), len) }
    };
    let assignment = groth16_core::Assignment {
        a: vector("a", raw.a, n_rows)?,
        b: vector("b", raw.b, n_rows)?,
        inputs: vector("inp_assignment_data", raw.inp_assignment_data, n_inputs)?,
        aux: vector("aux_assignment_data", raw.aux_assignment_data, n_aux)?,
        a_aux_density,
        b_input_density,
        b_aux_density,
    };
    Ok((assignment, vector("c", raw.c, n_rows)?))
}

/// # Safety
/// `pointer` is valid for `bit_len` bits in 64-bit words, for as long as `'a`.
unsafe fn density<'a>(
    circuit: usize,
    what: &'static str,
    pointer: *const usize,
    bit_len: usize,
    popcount: usize,
    n_wires: usize,
) -> Result<Density<'a>> {
    if bit_len != n_wires {
        let (have, need) = (bit_len, n_wires);
        return Err(ArgumentError::BitLength {
            circuit,
            what,
            have,
            need,
        });
    }
    // SAFETY: the caller's promise; on a 64-bit target, which is asserted above, a usize is a u64.
    let words = unsafe { slice::<u64>(circuit, what, pointer.cast(), bit_len.div_ceil(64)) }?;
    let density = Density::new(words, bit_len);
    if density.n_dense() != popcount {
        let (said, counted) = (popcount, density.n_dense());
        return Err(ArgumentError::Popcount {
            circuit,
            what,
            said,
            counted,
        });
    }
    Ok(density)
}

/// # Safety
/// If `pointer` is not null, is aligned and `len` can be a length, it is valid for reads of `len` initialised
/// `T`, which are not written for as long as `'a`.
unsafe fn slice<'a, T>(circuit: usize, what: &'static str, pointer: *const T, len: usize) -> Result<&'a [T]> {
    // An empty vector's pointer says nothing, and C code may well make it null.
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(ArgumentError::Null { circuit, what, len });
    }
    if !pointer.is_aligned() {
        let align = align_of::<T>();
        return Err(ArgumentError::Misaligned { circuit, what, align });
    }
    if len
        .checked_mul(size_of::<T>())
        .is_none_or(|bytes| bytes > isize::MAX as usize)
    {
        return Err(ArgumentError::TooLong { circuit, what, len });
    }
    // SAFETY: not null, aligned, and of a possible size, as was just checked;
    // the rest is the caller's promise.
    Ok(unsafe { from_raw_parts(pointer, len) })
}

/// The elements of a slice of the caller's type.
pub(crate) fn elements<'a, S>(what: &'static str, slice: &'a [S]) -> Result<impl Iterator<Item = Fr> + 'a> {
    check_type::<S>(what, size_of::<Fr>(), ELEMENT)?;
    Ok(slice.iter().map(|element| {
        // SAFETY: a reference is valid for reads of its type's size, which is that of
        // Fr; any bits are a value of Fr.
        // Nothing is known of the alignment of S. That S has no padding is the caller's
        // promise: it is its field element.
        unsafe { (element as *const S).cast::<Fr>().read_unaligned() }
    }))
}

/// The caller's memory for proofs, uninitialised as far as this crate knows: written, never read.
pub(crate) struct ProofsOut<'a, PR>(&'a mut [PR]);

impl<'a, PR> ProofsOut<'a, PR> {
    /// Memory for `n_proofs` proofs.
    pub(crate) fn new(proofs: &'a mut [PR], n_proofs: usize) -> Result<Self> {
        check_count("proofs", proofs.len(), n_proofs)?;
        check_type::<PR>("proofs", size_of::<Proof>(), "A, B, C, affine, Montgomery form")?;
        Ok(ProofsOut(proofs))
    }

    /// Writes all of them; as many as there is memory for.
    pub(crate) fn write(&mut self, made: &[Proof]) {
        assert_eq!(self.0.len(), made.len(), "proofs made and places for them");
        let out: *mut Proof = self.0.as_mut_ptr().cast();
        for (i, proof) in made.iter().enumerate() {
            // SAFETY: PR has the size of Proof, and there are as many of one as of the other, so place i is
            // inside the exclusively borrowed slice. Nothing is known of the alignment of PR. The old value
            // is not dropped, as there may be none.
            unsafe { out.add(i).write_unaligned(*proof) };
        }
    }
}
