//! Every way in which bytes can fail to be a point, and that the coordinate views agree with blstrs.

use bls_curves::*;
use bls_fields::{FieldOps, Fr};
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve as _, Group};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn g1_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

fn round_trips<C: CurveGroup>() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20 {
        let point = (C::generator() * Fr::random(&mut rng)).to_affine();
        let mut bytes = Vec::new();
        C::encode_uncompressed(&point, &mut bytes);
        assert_eq!(bytes.len(), C::UNCOMPRESSED_BYTES);
        for check in [PointCheck::Encoding, PointCheck::OnCurve, PointCheck::Subgroup] {
            assert_eq!(C::decode_uncompressed(&bytes, check), Ok(point));
        }
        bytes[C::UNCOMPRESSED_BYTES - 1] ^= 1;
        assert_eq!(
            C::decode_uncompressed(&bytes, PointCheck::OnCurve),
            Err(PointError::NotOnCurve)
        );
        assert!(C::decode_uncompressed(&bytes, PointCheck::Encoding).is_ok());
        bytes.pop();
        let length = PointError::Length {
            have: C::UNCOMPRESSED_BYTES - 1,
            need: C::UNCOMPRESSED_BYTES,
        };
        assert_eq!(C::decode_uncompressed(&bytes, PointCheck::Encoding), Err(length));
    }
    let infinity = C::Affine::identity();
    assert!(C::coordinates(&[infinity])[0].is_infinity());
    let mut bytes = Vec::new();
    C::encode_uncompressed(&infinity, &mut bytes);
    assert_eq!(
        C::decode_uncompressed(&bytes, PointCheck::Encoding),
        Err(PointError::Infinity)
    );
    let zeros = vec![0; C::UNCOMPRESSED_BYTES];
    assert_eq!(
        C::decode_uncompressed(&zeros, PointCheck::Encoding),
        Err(PointError::NotOnCurve)
    );
    for flags in [0x80, 0xa0, 0x20, 0xc0, 0x60, 0xe0] {
        let mut bytes = zeros.clone();
        bytes[0] = flags;
        assert_eq!(
            C::decode_uncompressed(&bytes, PointCheck::Subgroup),
            Err(PointError::Flags { flags })
        );
    }
    let mut bytes = vec![0xff; C::UNCOMPRESSED_BYTES];
    bytes[0] = 0x1f;
    assert_eq!(
        C::decode_uncompressed(&bytes, PointCheck::Encoding),
        Err(PointError::NotCanonical)
    );
}

#[test]
fn encodings_round_trip_and_refuse() {
    round_trips::<G1Projective>();
    round_trips::<G2Projective>();
}

#[test]
fn points_outside_the_subgroup_are_refused_only_at_the_full_level() {
    let mut zero_two = vec![0u8; 96];
    zero_two[95] = 2;
    let x_four = g1_hex(concat!(
        "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004",
        "0a989badd40d6212b33cffc3f3763e9bc760f988c9926b26da9dd85e928483446346b8ed00e1de5d5ea93e354abe706c"
    ));
    for bytes in [zero_two, x_four] {
        assert!(G1Projective::decode_uncompressed(&bytes, PointCheck::OnCurve).is_ok());
        let full = G1Projective::decode_uncompressed(&bytes, PointCheck::Subgroup);
        assert_eq!(full, Err(PointError::NotInSubgroup));
    }
}

#[test]
fn coordinates_are_views_of_the_same_points() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let points: Vec<_> = (0..5)
        .map(|_| G1Projective::random(&mut rng).to_affine())
        .collect();
    let coordinates = G1Projective::coordinates(&points).to_vec();
    for (point, c) in points.iter().zip(&coordinates) {
        assert_eq!(c.x.to_be_bytes(), point.to_uncompressed()[..48]);
        assert_eq!(c.y.to_be_bytes(), point.to_uncompressed()[48..]);
        assert_eq!(G1Projective::from_affine(c.neg()), -*point);
        // y² = x³ + 4
        let four = bls_fields::Fp::ONE.double().double();
        assert_eq!(c.y.square(), c.x.square().mul(&c.x).add(&four));
    }
    assert_eq!(G1Projective::from_coordinates(coordinates), points);
}
