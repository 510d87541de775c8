//! Field laws on random triples, and the conversions between the two forms.

use bls_fields::*;
use ff::{Field, PrimeField};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

fn fp(seed: u64) -> Fp {
    // The hash of the seed as 47 bytes is below p.
    let mut bytes = [0u8; 48];
    rand_core::RngCore::fill_bytes(&mut ChaCha8Rng::seed_from_u64(seed), &mut bytes[1..]);
    Fp::from_be_bytes(&bytes).unwrap()
}

fn fp2(seed: u64) -> Fp2 {
    Fp2 {
        c0: fp(seed),
        c1: fp(seed ^ 0x5555),
    }
}

fn laws<F: FieldOps>(a: F, b: F, c: F) {
    assert_eq!(a.add(&b), b.add(&a));
    assert_eq!(a.add(&b).add(&c), a.add(&b.add(&c)));
    assert_eq!(a.mul(&b), b.mul(&a));
    assert_eq!(a.mul(&b).mul(&c), a.mul(&b.mul(&c)));
    assert_eq!(a.mul(&b.add(&c)), a.mul(&b).add(&a.mul(&c)));
    assert_eq!(a.square(), a.mul(&a));
    assert_eq!(a.double(), a.add(&a));
    assert_eq!(a.sub(&b), a.add(&b.neg()));
    assert_eq!(a.mul(&F::ONE), a);
    assert_eq!(a.add(&F::ZERO), a);
    assert!(a.sub(&a).is_zero());
    match a.invert() {
        Some(inverse) => assert_eq!(a.mul(&inverse), F::ONE),
        None => assert!(a.is_zero()),
    }
    let mut many = [a, F::ZERO, b, c, F::ONE, F::ZERO];
    batch_invert(&mut many);
    for (inverse, element) in many.iter().zip([a, F::ZERO, b, c, F::ONE, F::ZERO]) {
        assert_eq!(*inverse, element.invert().unwrap_or(F::ZERO));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn field_laws_hold(s in any::<[u64; 3]>()) {
        laws(fp(s[0]), fp(s[1]), fp(s[2]));
        laws(fp2(s[0]), fp2(s[1]), fp2(s[2]));
    }

    #[test]
    fn repr_round_trips(seed in any::<u64>(), start in 0u32..256, count in 1u32..30) {
        let fr = Fr::random(ChaCha8Rng::seed_from_u64(seed));
        let repr = FrRepr::from(fr);
        prop_assert_eq!(Fr::from(repr), fr);
        prop_assert_eq!(FrRepr::from_le_bytes(&fr.to_repr()), Ok(repr));
        prop_assert_eq!(fr_from_hex(&fr_to_hex(&fr)), Ok(fr));
        let bit = |i: u32| if i < 256 { repr.limbs()[i as usize / 64] >> (i % 64) & 1 } else { 0 };
        let expected = (0..count).map(|i| bit(start + i) << i).sum::<u64>();
        prop_assert_eq!(repr.bits(start, count), expected);
    }
}

#[test]
fn laws_hold_at_the_edges() {
    for a in [Fp::ZERO, Fp::ONE, Fp::ONE.neg()] {
        laws(a, fp(1), Fp::ONE.neg());
        laws(
            Fp2 { c0: Fp::ZERO, c1: a },
            fp2(2),
            Fp2 {
                c0: a,
                c1: Fp::ONE.neg(),
            },
        );
    }
}

#[test]
fn integers_not_below_the_modulus_are_refused() {
    let p = hex48(
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    );
    assert_eq!(Fp::from_be_bytes(&p), None);
    assert_eq!(Fp::from_be_bytes(&[0xff; 48]), None);
    let mut below = p;
    below[47] -= 1;
    assert_eq!(Fp::from_be_bytes(&below), Some(Fp::ONE.neg()));
    for bad in [
        "",
        "0x",
        "zz",
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
        &"f".repeat(65),
    ] {
        assert_eq!(fr_from_hex(bad), Err(NonCanonical), "{bad}");
    }
}

fn hex48(text: &str) -> [u8; 48] {
    core::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

#[test]
fn roots_have_their_order() {
    assert_eq!(coset_generator(), Fr::from(7));
    // 7^((r-1)/2^32), published with the vectors of shared test cases.
    let expected = fr_from_hex("16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b").unwrap();
    assert_eq!(root_of_unity(32), expected);
    for log_n in 1..=TWO_ADICITY {
        let root = root_of_unity(log_n);
        assert_eq!(root.pow_vartime([1 << (log_n - 1)]), -Fr::ONE);
    }
    assert_eq!(root_of_unity(0), Fr::ONE);
}
