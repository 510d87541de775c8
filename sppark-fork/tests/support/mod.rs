//! What the tests of the kernels share: a device, probes, points with known logarithms.
//!
//! With feature `host-check` the device is a fake one and the C++ is compiled by g++; with `cuda` it is a
//! card, and a machine without one skips the tests.
// Each test file uses a part of this.
#![allow(dead_code, unreachable_pub)]

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field;
use group::{prime::PrimeCurveAffine, Curve, Group};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use sppark_fork::{sys, Device, DeviceBuf, G1Point, G2Point, MsmGroup, Pod, Stream, G1, G2};
use std::sync::Arc;

#[cfg(feature = "host-check")]
pub fn open() -> Option<Arc<Device>> {
    use std::sync::atomic::{AtomicU64, Ordering};
    // Another schedule of pending work for each device.
    static SEED: AtomicU64 = AtomicU64::new(0);
    let fake = sppark_fork::fake::FakeDevice::new(1 << 34, SEED.fetch_add(1, Ordering::Relaxed));
    Some(Device::open(fake.ordinal).expect("a fake device opens"))
}

#[cfg(feature = "cuda")]
pub fn open() -> Option<Arc<Device>> {
    sppark_fork::require_gpu()
}

/// Whether work runs on a card, so that sizes may be real.
pub const ON_CARD: bool = cfg!(feature = "cuda");

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Applies one operation of a probe set to arrays.
pub fn probe<A: Pod, R: Pod + Default>(
    device: &Arc<Device>,
    set: i32,
    operation: u32,
    a: &[A],
    b: &[A],
) -> Vec<R> {
    assert_eq!(a.len(), b.len());
    let stream = Stream::new(device).unwrap();
    let d_a = DeviceBuf::from_slice(&stream, a).unwrap();
    let d_b = DeviceBuf::from_slice(&stream, b).unwrap();
    let mut d_out = DeviceBuf::<R>::alloc(device, a.len()).unwrap();
    device
        .call(|error| {
            // SAFETY: the three arrays have the probe's element sizes and `a.len()`
            // elements, and outlive the wait below.
            unsafe {
                sys::spf_probe_on(
                    stream.raw(),
                    set as u32,
                    operation,
                    d_a.as_ptr(),
                    d_b.as_ptr(),
                    d_out.as_mut_ptr(),
                    a.len() as u64,
                    error,
                )
            }
        })
        .unwrap();
    let mut out = vec![R::default(); a.len()];
    d_out.download(&stream, 0, &mut out).unwrap();
    out
}

/// A group with blst's arithmetic as the reference.
pub trait TestGroup: MsmGroup {
    type Curve: Curve<AffineRepr = Self::Affine> + Group<Scalar = Scalar> + PartialEq;
    type Affine: PrimeCurveAffine<Curve = Self::Curve, Scalar = Scalar> + Copy + PartialEq;
    const PROBES: i32;
    fn to_point(affine: &Self::Affine) -> Self::Point;
    fn from_point(point: &Self::Point) -> Self::Affine;
}

macro_rules! test_group {
    ($group:ty, $curve:ty, $affine:ty, $point:ty, $probes:expr) => {
        impl TestGroup for $group {
            type Curve = $curve;
            type Affine = $affine;
            const PROBES: i32 = $probes;
            fn to_point(affine: &$affine) -> $point {
                assert_eq!(size_of::<$affine>(), size_of::<$point>());
                // SAFETY: both are blst's affine point: the same limbs in the same order, without padding.
                unsafe { std::mem::transmute_copy(affine) }
            }
            fn from_point(point: &$point) -> $affine {
                // SAFETY: as above; equality compares the limbs, so a point off the curve is only unequal.
                unsafe { std::mem::transmute_copy(point) }
            }
        }
    };
}
test_group!(G1, G1Projective, G1Affine, G1Point, sys::SPF_PROBE_G1);
test_group!(G2, G2Projective, G2Affine, G2Point, sys::SPF_PROBE_G2);

/// Points with known logarithms: (i + 1) G, and a mixture with infinities, repetitions and negatives.
pub struct Bases<G: TestGroup> {
    pub points: Vec<G::Point>,
    pub logs: Vec<Scalar>,
}

impl<G: TestGroup> Bases<G> {
    /// base_i = (i + 1) G
    pub fn consecutive(n: usize) -> Self {
        let generator = G::Curve::generator();
        let mut sums = Vec::with_capacity(n);
        let mut sum = G::Curve::identity();
        for _ in 0..n {
            sum += generator;
            sums.push(sum);
        }
        let mut affine = vec![G::Affine::identity(); n];
        G::Curve::batch_normalize(&sums, &mut affine);
        Bases {
            points: affine.iter().map(G::to_point).collect(),
            logs: (1..=n as u64).map(Scalar::from).collect(),
        }
    }

    /// Every seventh one infinity, the next a copy of another, the next the negative of its neighbour.
    pub fn mixed(n: usize) -> Self {
        let mut bases = Self::consecutive(n);
        for i in 0..n {
            match i % 7 {
                3 => bases.set(i, Scalar::ZERO, G::Affine::identity()),
                4 => bases.set(i, bases.logs[i / 2], G::from_point(&bases.points[i / 2])),
                5 => bases.set(i, -bases.logs[i - 1], -G::from_point(&bases.points[i - 1])),
                _ => {}
            }
        }
        bases
    }

    /// n copies of G
    pub fn copies(n: usize) -> Self {
        Bases {
            points: vec![G::to_point(&G::Affine::generator()); n],
            logs: vec![Scalar::ONE; n],
        }
    }

    fn set(&mut self, i: usize, log: Scalar, point: G::Affine) {
        self.logs[i] = log;
        self.points[i] = G::to_point(&point);
    }

    /// [sum k_i s_i] G over the first terms.
    pub fn expected(&self, scalars: &[Scalar]) -> G::Affine {
        let sum: Scalar = self.logs.iter().zip(scalars).map(|(k, s)| *k * s).sum();
        (G::Curve::generator() * sum).to_affine()
    }
}

/// The limbs of the integer.
pub fn canonical(s: &Scalar) -> [u64; 4] {
    let bytes = s.to_bytes_le();
    std::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()))
}

/// The limbs in Montgomery form.
pub fn montgomery(s: &Scalar) -> [u64; 4] {
    // SAFETY: a scalar is repr(transparent) over blst_fr, four Montgomery limbs.
    unsafe { std::mem::transmute(*s) }
}

/// The scalar of Montgomery limbs that are known to be below r.
pub fn from_montgomery(limbs: [u64; 4]) -> Scalar {
    // SAFETY: as above.
    unsafe { std::mem::transmute(limbs) }
}

/// lambda = z^2 - 1, the endomorphism's eigenvalue.
pub fn lambda() -> Scalar {
    let z = Scalar::from(0xd201_0000_0001_0000);
    z.square() - Scalar::ONE
}

/// Scalars where recodings break: around 0, r, r/2, lambda, powers of two.
pub fn edge_scalars() -> Vec<Scalar> {
    let two = Scalar::from(2);
    let half = two.invert().unwrap();
    let mut edges = vec![
        Scalar::ZERO,
        half, // (r + 1) / 2
        half - Scalar::ONE,
        lambda(),
        lambda() * half,
        lambda().square(),
        Scalar::from(0xd201_0000_0001_0000),
    ];
    for k in [15, 16, 31, 32, 63, 64, 126, 127, 128, 253, 254] {
        edges.push(two.pow_vartime([k]));
    }
    let mut around = Vec::new();
    for e in edges {
        around.extend([e, -e, e + Scalar::ONE, e - Scalar::ONE]);
    }
    around
}

/// The mixtures of scalars that tests run over.
#[derive(Clone, Copy, Debug)]
pub enum Mixture {
    Random,
    AllOne,
    AllEqual,
    AllZero,
    AllLargest,
    Witness,
    Small,
    Edges,
}

pub const MIXTURES: [Mixture; 8] = [
    Mixture::Random,
    Mixture::AllOne,
    Mixture::AllEqual,
    Mixture::AllZero,
    Mixture::AllLargest,
    Mixture::Witness,
    Mixture::Small,
    Mixture::Edges,
];

pub fn scalars(mixture: Mixture, n: usize, seed: u64) -> Vec<Scalar> {
    let mut rng = rng(seed);
    let equal = Scalar::random(&mut rng);
    let edges = edge_scalars();
    (0..n)
        .map(|i| match mixture {
            Mixture::Random => Scalar::random(&mut rng),
            Mixture::AllOne => Scalar::ONE,
            Mixture::AllEqual => equal,
            Mixture::AllZero => Scalar::ZERO,
            Mixture::AllLargest => -Scalar::ONE,
            // 99 % zeros and ones
            Mixture::Witness => match rng.next_u32() % 100 {
                0 => Scalar::random(&mut rng),
                k => Scalar::from(u64::from(k % 2)),
            },
            Mixture::Small => Scalar::from(u64::from(rng.next_u32() % 1000)),
            Mixture::Edges => edges[i % edges.len()],
        })
        .collect()
}
