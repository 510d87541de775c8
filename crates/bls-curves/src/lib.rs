//! The groups and the pairing of BLS12-381.
//!
//! Points are blstrs' types ([`G1Affine`], [`G1Projective`], [`G2Affine`], [`G2Projective`]), so a user's
//! points and ours are one type. What blstrs lacks stands here: the [`CurveGroup`] trait that lets one
//! algorithm serve both groups, [`Affine`] coordinates that can be calculated with, and the [`encoding`] with
//! a typed reason for each refusal.

mod affine;
mod curve;
pub mod encoding;

pub use affine::Affine;
pub use blstrs::{pairing, Bls12, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt};
pub use curve::{BaseField, CurveGroup};
pub use encoding::{PointCheck, PointError};

// What crosses to C and what the slice views in `affine` rely on: coordinates
// side by side, no padding, no flag.
const _: () = {
    use bls_fields::{Fp, Fp2};
    use core::mem::{align_of, offset_of, size_of};
    assert!(size_of::<G1Affine>() == 96 && align_of::<G1Affine>() == 8);
    assert!(size_of::<G2Affine>() == 192 && align_of::<G2Affine>() == 8);
    assert!(size_of::<G1Projective>() == 144 && size_of::<G2Projective>() == 288);
    assert!(size_of::<Affine<Fp>>() == size_of::<G1Affine>() && align_of::<Affine<Fp>>() == 8);
    assert!(size_of::<Affine<Fp2>>() == size_of::<G2Affine>() && align_of::<Affine<Fp2>>() == 8);
    assert!(offset_of!(blst::blst_p1_affine, x) == 0 && offset_of!(blst::blst_p1_affine, y) == 48);
    assert!(offset_of!(blst::blst_p2_affine, x) == 0 && offset_of!(blst::blst_p2_affine, y) == 96);
    assert!(offset_of!(Affine<Fp>, y) == 48 && offset_of!(Affine<Fp2>, y) == 96);
};
