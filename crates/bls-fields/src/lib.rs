//! The fields of BLS12-381.
//!
//! * [`Fr`], the scalar field, *is* [`blstrs::Scalar`], so that a user's scalars and ours are one type.
//! * [`Fp`] and [`Fp2`], the base field and its quadratic extension, are thin over
//!   blst; blstrs keeps its own private.
//! * [`FrRepr`] is a canonical integer below r. Everything of type `Fr`, `Fp`, `Fp2` is in Montgomery
//!   form, so the two forms cannot be confused: a function that wants bits takes an `FrRepr`, one
//!   that calculates takes a field.
//!
//! Words used all over the workspace: a *scalar* is a canonical integer, an *element* is in Montgomery form.
//!
//! Nothing here is constant time in its choice of branches: it serves a prover whose
//! witness never leaves the host.

mod batch;
mod field_ops;
mod fp;
mod fp2;
pub mod lazy;
mod repr;
mod roots;

pub use batch::{batch_invert, batch_invert_with};
pub use blstrs::Scalar as Fr;
pub use field_ops::FieldOps;
pub use fp::Fp;
pub use fp2::Fp2;
pub use repr::{fr_from_hex, fr_to_hex, FrRepr, NonCanonical};
pub use roots::{coset_generator, root_of_unity, TWO_ADICITY};

// What crosses to C: four and six 64-bit limbs, twice six for the extension, no padding.
const _: () = {
    use core::mem::{align_of, size_of};
    assert!(size_of::<Fr>() == 32 && align_of::<Fr>() == 8);
    assert!(size_of::<Fr>() == size_of::<blst::blst_fr>());
    assert!(size_of::<FrRepr>() == 32 && align_of::<FrRepr>() == 8);
    assert!(size_of::<Fp>() == 48 && align_of::<Fp>() == 8);
    assert!(size_of::<Fp2>() == 96 && align_of::<Fp2>() == 8);
};
