//! [`add_pairs`](super::batch_add::add_pairs), eight pairs at a time, with the 52-bit multipliers of AVX-512.
//!
//! A multiplication of lanes divides by 2^416 and so gives `a·b·2^-32` where blst gives `a·b`. In
//! Montgomery's trick the factors cancel: a product of k denominators carries 2^-32k, its inverse 2^32k.
//! One factor is left, which is put into the inverse; the two multiplications by the slope take the
//! slope shifted left by 32 bits.

mod field;
mod lanes;

use super::batch_add::Pair;
use bls_curves::Affine;
use bls_fields::{batch_invert, FieldOps, Fp, Fp2};
use core::any::{Any, TypeId};
use field::LaneField;

/// Fewer pairs are not worth the eightfold start.
const MIN_PAIRS: usize = 64;

/// Adds the pairs if the machine has the instructions and there are enough of them;
/// else does nothing and says false.
///
/// `plain` adds independent pairs one by one: it gets those that have no chord, and the last few.
pub(crate) fn try_add_pairs<F: FieldOps>(
    points: &mut [Affine<F>],
    pairs: &[Pair],
    plain: fn(&mut [Affine<F>], &[Pair]),
) -> bool {
    if pairs.len() < MIN_PAIRS || !is_available() {
        return false;
    }
    let plain: &dyn Any = &plain;
    if let (Some(points), Some(plain)) = (same_field::<F, Fp>(points), plain.downcast_ref()) {
        // SAFETY: the instructions were detected.
        unsafe { add_pairs::<field::FpLanes>(points, pairs, *plain) };
        return true;
    }
    if let (Some(points), Some(plain)) = (same_field::<F, Fp2>(points), plain.downcast_ref()) {
        // SAFETY: the instructions were detected.
        unsafe { add_pairs::<field::Fp2Lanes>(points, pairs, *plain) };
        return true;
    }
    false
}

/// The same slice, if F is G.
fn same_field<F: FieldOps, G: FieldOps>(points: &mut [Affine<F>]) -> Option<&mut [Affine<G>]> {
    if TypeId::of::<F>() != TypeId::of::<G>() {
        return None;
    }
    // SAFETY: F and G are one type.
    Some(unsafe { core::slice::from_raw_parts_mut(points.as_mut_ptr().cast(), points.len()) })
}

/// Whether this machine has the instructions.
fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512ifma")
}

/// What the second pass needs of eight pairs.
struct Pending<L> {
    d: L,
    /// The product of the denominators after these.
    later: L,
    /// Lanes whose pairs have no chord; their `d` is one.
    special: u8,
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn add_pairs<L: LaneField>(
    points: &mut [Affine<L::Element>],
    pairs: &[Pair],
    plain: fn(&mut [Affine<L::Element>], &[Pair]),
) {
    let eights = pairs.chunks_exact(8);
    let mut deferred = eights.remainder().to_vec();
    let mut pending: Vec<Pending<L>> = Vec::with_capacity(eights.len());
    // SAFETY: L's functions need the same features as this one, whose caller vouches
    // for them; so everywhere below.
    let one = unsafe { L::one() };
    let mut product = one;
    for eight in eights.clone().rev() {
        let eight = lanes_of(eight);
        let x1 = load::<L>(points, eight.map(|pair| pair.lhs), |point| &point.x);
        let x2 = load::<L>(points, eight.map(|pair| pair.rhs), |point| &point.x);
        // x = 0 is taken for infinity; if it is not, nothing is lost but time.
        // SAFETY: as above.
        let (special, mut d) = unsafe {
            let special =
                L::equal_lanes(&x1, &x2) | L::equal_lanes(&x1, &L::zero()) | L::equal_lanes(&x2, &L::zero());
            (special, L::sub_reduced(&x2, &x1))
        };
        if special != 0 {
            // SAFETY: as above.
            d = unsafe { L::blend(special, &d, &one) };
            deferred.extend((0..8).filter(|i| special >> i & 1 == 1).map(|i| eight[i]));
        }
        pending.push(Pending {
            d,
            later: product,
            special,
        });
        // SAFETY: as above.
        product = unsafe { L::mul(&product, &d) };
    }

    // The sums that go another way, of the operands as they still are; written
    // when all others have been read.
    let n = deferred.len();
    let mut sums = Vec::with_capacity(2 * n);
    sums.extend(deferred.iter().map(|pair| points[pair.lhs as usize]));
    sums.extend(deferred.iter().map(|pair| points[pair.rhs as usize]));
    let own: Vec<_> = (0..n as u32)
        .map(|i| Pair {
            lhs: i,
            rhs: n as u32 + i,
        })
        .collect();
    plain(&mut sums, &own);

    let mut inverses = [L::Element::ONE; 8];
    // SAFETY: as above; the places are the array's own elements.
    unsafe {
        let product = L::sub_and_reduce(&product, &L::zero(), &L::zero());
        L::store(&product, inverses.each_mut().map(core::ptr::from_mut));
    }
    batch_invert(&mut inverses);
    let two_32 = (0..32).fold(L::Element::ONE, |power, _| power.double());
    let inverses = inverses.map(|inverse| inverse.mul(&two_32));
    // SAFETY: as above.
    let mut inverse = unsafe { L::load(inverses.each_ref()) };

    for eight in eights {
        let eight = lanes_of(eight);
        let Some(Pending { d, later, special }) = pending.pop() else {
            break;
        };
        let (lhs, rhs) = (eight.map(|pair| pair.lhs), eight.map(|pair| pair.rhs));
        let (x1, y1) = (load::<L>(points, lhs, |p| &p.x), load::<L>(points, lhs, |p| &p.y));
        let (x2, y2) = (load::<L>(points, rhs, |p| &p.x), load::<L>(points, rhs, |p| &p.y));
        // Pairs without a chord are written later; what comes out here for them is of no use.
        let mut unused = Affine::INFINITY;
        let base = points.as_mut_ptr();
        let places: [*mut Affine<L::Element>; 8] = core::array::from_fn(|i| {
            if special >> i & 1 == 1 {
                &raw mut unused
            } else {
                // SAFETY: the index is within the slice, or loading x1 would have panicked.
                unsafe { base.add(lhs[i] as usize) }
            }
        });
        // SAFETY: as above; the places are points of the slice, borrowed mutably here, or the local one.
        unsafe {
            let inverse_d = L::mul(&inverse, &later);
            inverse = L::mul(&inverse, &d);
            let slope = L::mul(&L::sub_reduced(&y2, &y1), &inverse_d);
            let x3 = L::sub_and_reduce(&L::square_exact(&slope), &x1, &x2);
            let y3 = L::mul(&L::shift(&slope), &L::sub_reduced(&x1, &x3));
            let y3 = L::sub_and_reduce(&y3, &y1, &L::zero());
            L::store(&x3, places.map(|place| &raw mut (*place).x));
            L::store(&y3, places.map(|place| &raw mut (*place).y));
        }
    }
    for (pair, sum) in deferred.iter().zip(sums) {
        points[pair.lhs as usize] = sum;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn load<L: LaneField>(
    points: &[Affine<L::Element>],
    indices: [u32; 8],
    coordinate: impl Fn(&Affine<L::Element>) -> &L::Element,
) -> L {
    // SAFETY: this function needs the same features.
    unsafe { L::load(indices.map(|index| coordinate(&points[index as usize]))) }
}

/// A slice of eight as an array (`as_chunks` is too new for this crate).
fn lanes_of(eight: &[Pair]) -> [Pair; 8] {
    core::array::from_fn(|i| eight[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::batch_add::add_pairs_plain;
    use bls_curves::{CurveGroup, G1Projective, G2Projective};

    /// Pairs that are ordinary, equal, opposite or neutral, in every lane, and a
    /// chain T += S, S += X in one batch.
    fn same_as_one_by_one<C: CurveGroup>() {
        if !is_available() {
            return;
        }
        let n = 200u32;
        let mut multiples = vec![C::identity()];
        (1..1000).for_each(|_| multiples.push(multiples[multiples.len() - 1] + C::generator()));
        let mut affine = vec![C::identity().to_affine(); multiples.len()];
        C::batch_normalize(&multiples, &mut affine);
        let coordinates = C::coordinates(&affine);
        let points: Vec<_> = (0..3 * n as usize)
            .map(|i| {
                let point = coordinates[if i % 5 == 0 { 7 } else { (i * i + i / 7) % 37 }];
                if i % 3 == 0 {
                    point.neg()
                } else {
                    point
                }
            })
            .collect();
        let step = |from: u32| {
            (0..n).map(move |i| Pair {
                lhs: from + i,
                rhs: from + n + i,
            })
        };
        let pairs: Vec<_> = step(0).chain(step(n)).collect();
        for n_pairs in [64, 65, 71, 200, 399, 400] {
            let (mut ours, mut right) = (points.clone(), points.clone());
            let plain = |points: &mut [Affine<C::Base>], pairs: &[Pair]| {
                add_pairs_plain(points, pairs, &mut Vec::new())
            };
            assert!(try_add_pairs(&mut ours, &pairs[..n_pairs], plain));
            add_pairs_plain(&mut right, &pairs[..n_pairs], &mut Vec::new());
            assert_eq!(ours, right, "{} {n_pairs}", C::NAME);
        }
    }

    #[test]
    fn eight_at_a_time_is_the_same_as_one_by_one() {
        same_as_one_by_one::<G1Projective>();
        same_as_one_by_one::<G2Projective>();
    }
}
