//! Views between blstrs' types and those that the device code names: the same bytes.

use super::parts::Part;
use super::scratch::Chunk;
use bls_curves::{G1Affine, G2Affine};
use bls_fields::Fr;
use groth16_core::params::{ParamsIndex, Section};
use groth16_core::Parameters;
use sppark_fork::{DeviceBuf, G1Point, G2Point, ScalarLimbs};

const _: () = {
    use core::mem::{align_of, size_of};
    assert!(size_of::<Fr>() == size_of::<ScalarLimbs>() && align_of::<Fr>() == align_of::<ScalarLimbs>());
    assert!(size_of::<G1Affine>() == size_of::<G1Point>() && align_of::<G1Affine>() == align_of::<G1Point>());
    assert!(size_of::<G2Affine>() == size_of::<G2Point>() && align_of::<G2Affine>() == align_of::<G2Point>());
};

/// Elements as limbs.
pub(super) fn limbs(elements: &[Fr]) -> &[ScalarLimbs] {
    // SAFETY: Fr is four 64-bit Montgomery limbs (bls-fields asserts its layout), as ScalarLimbs is.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}

/// One element as limbs.
pub(super) fn limb_array(element: Fr) -> ScalarLimbs {
    limbs(std::slice::from_ref(&element))[0]
}

/// Room for limbs as room for elements.
pub(super) fn elements_mut(limbs: &mut [ScalarLimbs]) -> &mut [Fr] {
    // SAFETY: as above; the limbs that are here are zeros or were elements before, so they are below r.
    unsafe { core::slice::from_raw_parts_mut(limbs.as_mut_ptr().cast(), limbs.len()) }
}

/// Limbs that hold elements.
pub(super) fn elements(limbs: &[ScalarLimbs]) -> &[Fr] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts(limbs.as_ptr().cast(), limbs.len()) }
}

/// A group's points, on the device and off it.
pub(super) trait DevicePoints: sppark_fork::MsmGroup {
    /// blstrs' projective type.
    type Curve: bls_curves::CurveGroup;
    /// Room for device points as room for points.
    fn affine_mut(points: &mut [Self::Point]) -> &mut [<Self::Curve as group::prime::PrimeCurve>::Affine];
    /// Points as device points.
    fn device(points: &[<Self::Curve as group::prime::PrimeCurve>::Affine]) -> &[Self::Point];
    /// A device's result as a point.
    fn sum(point: Self::Point) -> Self::Curve;
    /// The points of a part of this group.
    fn points(parameters: &Parameters, part: Part) -> &[<Self::Curve as group::prime::PrimeCurve>::Affine];
    /// Where a file has them.
    fn section(index: &ParamsIndex, part: Part) -> &Section;
    /// Room for points on their way through.
    fn chunk(chunk: &mut Chunk) -> &mut DeviceBuf<Self::Point>;
}

macro_rules! impl_device_points {
    ($group:ty, $curve:ty, $affine:ty, $point:ty, $chunk:ident, $($part:pat => $field:ident),+) => {
        impl DevicePoints for $group {
            type Curve = $curve;
            fn affine_mut(points: &mut [$point]) -> &mut [$affine] {
                // SAFETY: both are two coordinates of Montgomery limbs (bls-curves asserts blstrs' layout); the points
                // that are here are zeros, which is infinity, or points of the curve.
                unsafe { core::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len()) }
            }
            fn device(points: &[$affine]) -> &[$point] {
                // SAFETY: as above.
                unsafe { core::slice::from_raw_parts(points.as_ptr().cast(), points.len()) }
            }
            fn sum(point: $point) -> $curve {
                // SAFETY: as above; the device computes points of the curve from points of the curve.
                <$curve>::from(unsafe { core::mem::transmute::<$point, $affine>(point) })
            }
            fn points(parameters: &Parameters, part: Part) -> &[$affine] {
                match part {
                    $($part => &parameters.$field),+
                }
            }
            fn section(index: &ParamsIndex, part: Part) -> &Section {
                match part {
                    $($part => &index.$field),+
                }
            }
            fn chunk(chunk: &mut Chunk) -> &mut DeviceBuf<$point> {
                &mut chunk.$chunk
            }
        }
    };
}

impl_device_points!(sppark_fork::G1, bls_curves::G1Projective, G1Affine, G1Point, g1,
    Part::H => h, Part::L => l, Part::A => a, Part::BG1 | Part::BG2 => b_g1);
impl_device_points!(sppark_fork::G2, bls_curves::G2Projective, G2Affine, G2Point, g2,
    _ => b_g2);
