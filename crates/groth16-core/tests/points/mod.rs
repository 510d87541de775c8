//! What the tests of the curve algorithms share: bases with known discrete logarithms,
//! and an oracle that needs no MSM.
#![allow(dead_code, unreachable_pub)] // each test file takes a part of it as its own module

use bls_curves::CurveGroup;
use bls_fields::{Fr, FrRepr};
use ff::Field;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Bases and their logarithms to the generator.
pub struct Bases<C: CurveGroup> {
    pub points: Vec<C::Affine>,
    pub logs: Vec<Fr>,
}

impl<C: CurveGroup> Bases<C> {
    /// `first · G, (first + 1) · G, ...`: made by additions of blst alone.
    pub fn consecutive(first: u64, n: usize) -> Self {
        let mut point = C::generator() * Fr::from(first);
        let mut projective = Vec::with_capacity(n);
        for _ in 0..n {
            projective.push(point);
            point += C::generator();
        }
        Bases {
            points: normalize(&projective),
            logs: (0..n as u64).map(|i| Fr::from(first + i)).collect(),
        }
    }

    /// Distinct points without an order: steps of a random size from a random start.
    pub fn scattered(n: usize, rng: &mut impl RngCore) -> Self {
        let (mut log, step) = (Fr::random(&mut *rng), Fr::random(&mut *rng));
        let (mut point, difference) = (C::generator() * log, C::generator() * step);
        let (mut projective, mut logs) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for _ in 0..n {
            projective.push(point);
            logs.push(log);
            point += difference;
            log += step;
        }
        Bases {
            points: normalize(&projective),
            logs,
        }
    }

    pub fn set(&mut self, index: usize, log: Fr) {
        self.logs[index] = log;
        self.points[index] = (C::generator() * log).to_affine();
    }

    /// `[sum of logs[i] · scalars[i]] G`: one multiplication by blst, whatever n.
    pub fn expected(&self, scalars: &[FrRepr]) -> C {
        assert_eq!(self.logs.len(), scalars.len());
        let log: Fr = self
            .logs
            .iter()
            .zip(scalars)
            .map(|(log, &s)| *log * Fr::from(s))
            .sum();
        C::generator() * log
    }
}

pub fn normalize<C: CurveGroup>(points: &[C]) -> Vec<C::Affine> {
    let mut affine = vec![C::identity().to_affine(); points.len()];
    C::batch_normalize(points, &mut affine);
    affine
}

pub fn random_scalars(n: usize, rng: &mut impl RngCore) -> Vec<FrRepr> {
    (0..n).map(|_| Fr::random(&mut *rng).into()).collect()
}

/// 2^`exponent`
pub fn power_of_two(exponent: u64) -> Fr {
    Fr::from(2).pow_vartime([exponent])
}

/// Runs `f` in a pool of its own.
pub fn in_pool<T: Send>(n_threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("a thread pool")
        .install(f)
}
