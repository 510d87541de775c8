use crate::{Affine, G1Affine, G1Projective, G2Affine, G2Projective, PointCheck, PointError};
use bls_fields::{FieldOps, Fp, Fp2, Fr};

/// The base field of a group.
pub type BaseField<C> = <C as CurveGroup>::Base;

/// One of the two groups: what a multi-scalar multiplication, a reader or a table needs to know of it.
///
/// Implemented by the projective types. `group`'s traits give the group law; this
/// one adds coordinates and bytes.
pub trait CurveGroup: group::prime::PrimeCurve + group::Group<Scalar = Fr> {
    /// The field of the coordinates.
    type Base: FieldOps;
    /// `"G1"` or `"G2"`, for messages.
    const NAME: &'static str;
    /// Bytes of an uncompressed point: 96 or 192.
    const UNCOMPRESSED_BYTES: usize;

    /// Views points as coordinates.
    fn coordinates(points: &[Self::Affine]) -> &[Affine<Self::Base>];
    /// Views coordinates as points. The coordinates must be of points on the curve, in the subgroup, or
    /// infinity: anything else gives points whose sums mean nothing.
    fn from_coordinates(coordinates: Vec<Affine<Self::Base>>) -> Vec<Self::Affine>;
    /// One point from its coordinates; see [`CurveGroup::from_coordinates`].
    fn from_affine(coordinates: Affine<Self::Base>) -> Self::Affine;

    /// Reads an uncompressed point; see [`crate::encoding`].
    fn decode_uncompressed(bytes: &[u8], check: PointCheck) -> Result<Self::Affine, PointError>;
    /// Appends the uncompressed encoding.
    fn encode_uncompressed(point: &Self::Affine, out: &mut Vec<u8>);
}

macro_rules! impl_curve {
    ($projective:ty, $affine:ty, $base:ty, $name:literal, $bytes:literal, $decode:path) => {
        impl CurveGroup for $projective {
            type Base = $base;
            const NAME: &'static str = $name;
            const UNCOMPRESSED_BYTES: usize = $bytes;

            fn coordinates(points: &[$affine]) -> &[Affine<$base>] {
                // SAFETY: the point type is repr(transparent) over blst's affine point, whose size, alignment
                // and field offsets equal those of Affine<Base> (asserted in lib.rs); every bit pattern that
                // a field element of the one may hold is valid for the other.
                unsafe { core::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
            }

            fn from_coordinates(coordinates: Vec<Affine<$base>>) -> Vec<$affine> {
                let mut coordinates = core::mem::ManuallyDrop::new(coordinates);
                let (ptr, len, capacity) = (
                    coordinates.as_mut_ptr(),
                    coordinates.len(),
                    coordinates.capacity(),
                );
                // SAFETY: same layout, as above; ManuallyDrop hands the allocation over, and size and
                // alignment of the element are equal, so the allocation's layout is the same.
                unsafe { Vec::from_raw_parts(ptr.cast(), len, capacity) }
            }

            fn from_affine(coordinates: Affine<$base>) -> $affine {
                // SAFETY: same layout, as above.
                unsafe { core::mem::transmute::<Affine<$base>, $affine>(coordinates) }
            }

            fn decode_uncompressed(bytes: &[u8], check: PointCheck) -> Result<$affine, PointError> {
                $decode(bytes, check)
            }

            fn encode_uncompressed(point: &$affine, out: &mut Vec<u8>) {
                out.extend_from_slice(&point.to_uncompressed());
            }
        }
    };
}

impl_curve!(G1Projective, G1Affine, Fp, "G1", 96, crate::encoding::decode_g1);
impl_curve!(G2Projective, G2Affine, Fp2, "G2", 192, crate::encoding::decode_g2);
