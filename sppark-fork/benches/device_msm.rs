//! MSM, batch addition and fixed-base multiplication on a card: medians, each
//! result checked by known logarithms.
//!
//! `cargo bench -p sppark-fork --features cuda --bench device_msm -- [largest log_n] [what/log_n]` prints one CSV
//! line a measurement: `what,log_n,median_ms,best_ms,workspace_bytes,idle_ms`. The last is the time that the
//! device stood between batches, of the median run. A name, or a part of one, such as `g1_affine/24`, leaves out
//! the others.

use blstrs::{G1Projective, G2Projective, Scalar};
use group::{Curve, Group};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use sppark_fork::{
    Accumulation, Device, DeviceBuf, FixedBase, MsmConfig, MsmContext, MsmGroup, MsmInput, PinnedPool,
    PippengerSchedule, ScalarForm, Source, Stream, Workspace, G1, G2,
};
use std::sync::Arc;
use std::time::Instant;

type Limbs = [u64; 4];

fn main() {
    let device = match Device::open(0) {
        Ok(device) => device,
        Err(error) => return eprintln!("skipped: {error}"),
    };
    // cargo adds `--bench`
    let words = || std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let largest = words().find_map(|word| word.parse().ok()).unwrap_or(24);
    let only = words().find(|word| word.parse::<u32>().is_err());
    let mut bench = Bench::new(&device, only.unwrap_or_default());
    println!("what,log_n,median_ms,best_ms,workspace_bytes,idle_ms");
    bench.sizes::<G1>("msm_g1", &[10, 12, 14, 16, 18, 20, 22, 24, 26], largest);
    bench.sizes::<G2>("msm_g2", &[12, 14, 16, 18, 20, 22], largest);
    bench.skewed(20.min(largest));
    bench.schedules(22.min(largest));
    bench.points(24.min(largest));
}

struct Bench {
    device: Arc<Device>,
    stream: Stream,
    context: MsmContext,
    workspace: Workspace,
    /// part of the names of what is to be measured
    only: String,
}

/// Bases k_i G, and the k_i.
struct Bases<G: MsmGroup> {
    points: DeviceBuf<G::Point>,
    logs: Vec<Limbs>,
}

trait Reference: MsmGroup {
    fn generator() -> Self::Point;
    /// [k] G
    fn multiple(k: Scalar) -> Self::Point;
}
impl Reference for G1 {
    fn generator() -> Self::Point {
        Self::multiple(Scalar::from(1))
    }
    fn multiple(k: Scalar) -> Self::Point {
        let affine = (G1Projective::generator() * k).to_affine();
        // SAFETY: both are blst's affine point.
        unsafe { std::mem::transmute(affine) }
    }
}
impl Reference for G2 {
    fn generator() -> Self::Point {
        Self::multiple(Scalar::from(1))
    }
    fn multiple(k: Scalar) -> Self::Point {
        let affine = (G2Projective::generator() * k).to_affine();
        // SAFETY: both are blst's affine point.
        unsafe { std::mem::transmute(affine) }
    }
}

/// Integers below 2^254, all of them scalars.
fn random(n: usize, seed: u64) -> Vec<Limbs> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n)
        .map(|_| {
            [
                rng.next_u64(),
                rng.next_u64(),
                rng.next_u64(),
                rng.next_u64() >> 2,
            ]
        })
        .collect()
}

/// sum k_i s_i
fn inner_product(k: &[Limbs], s: &[Limbs]) -> Scalar {
    let scalar = |limbs: &Limbs| {
        let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        Scalar::from_bytes_le(&bytes.try_into().unwrap()).unwrap()
    };
    k.iter().zip(s).map(|(k, s)| scalar(k) * scalar(s)).sum()
}

/// One run: how long it took, and how long the device stood between its batches.
#[derive(Clone, Copy)]
struct Run {
    wall_ms: f64,
    idle_ms: f32,
}

fn report(what: &str, log_n: u32, mut runs: Vec<Run>, workspace_bytes: u64) {
    runs.sort_by(|x, y| x.wall_ms.total_cmp(&y.wall_ms));
    let Run { wall_ms, idle_ms } = runs[runs.len() / 2];
    println!(
        "{what},{log_n},{wall_ms:.3},{:.3},{workspace_bytes},{idle_ms:.3}",
        runs[0].wall_ms
    );
}

/// Runs after one that does not count; each gives the device's idle time.
fn timed(repeats: usize, mut run: impl FnMut() -> f32) -> Vec<Run> {
    run();
    (0..repeats)
        .map(|_| {
            let start = Instant::now();
            let idle_ms = run();
            let wall_ms = start.elapsed().as_secs_f64() * 1e3;
            Run { wall_ms, idle_ms }
        })
        .collect()
}

impl Bench {
    fn new(device: &Arc<Device>, only: String) -> Bench {
        Bench {
            only,
            device: device.clone(),
            stream: Stream::new(device).unwrap(),
            context: MsmContext::with_timing(device).unwrap(),
            workspace: Workspace::new(device, 0).unwrap(),
        }
    }

    fn is_asked_for(&self, what: &str, log_n: u32) -> bool {
        format!("{what}/{log_n}").contains(&self.only)
    }

    fn bases<G: Reference>(&mut self, n: usize) -> Bases<G> {
        let logs = random(n, 1);
        let scalars = DeviceBuf::from_slice(&self.stream, &logs).unwrap();
        let table = FixedBase::<G>::new(&self.stream, &G::generator(), 16, &mut self.workspace).unwrap();
        let mut points = DeviceBuf::alloc(&self.device, n).unwrap();
        table
            .multiply(
                &self.stream,
                &scalars,
                ScalarForm::Canonical,
                &mut points,
                &mut self.workspace,
            )
            .unwrap();
        Bases { points, logs }
    }

    fn msm<G: Reference>(
        &mut self,
        what: &str,
        n: usize,
        points: Source<'_, G::Point>,
        scalars: Source<'_, Limbs>,
        want: &G::Point,
        config: &MsmConfig,
    ) where
        G::Point: PartialEq + std::fmt::Debug,
    {
        if !self.is_asked_for(what, n.ilog2()) {
            return;
        }
        let input = MsmInput::<G> {
            points,
            scalars,
            form: ScalarForm::Canonical,
            indices: None,
        };
        let n_bytes = self.context.msm_workspace_bytes(&input, config).unwrap();
        let times = timed(5, || {
            let got = self
                .context
                .msm(&self.stream, &input, config, &mut self.workspace)
                .unwrap();
            assert_eq!(got, *want, "{what}");
            self.context.idle_ms().unwrap()
        });
        report(what, n.ilog2(), times, n_bytes);
    }

    fn sizes<G: Reference>(&mut self, what: &str, logs: &[u32], largest: u32)
    where
        G::Point: PartialEq + std::fmt::Debug,
    {
        for &log_n in logs.iter().filter(|&&log_n| log_n <= largest) {
            let ways = [
                ("", Accumulation::Chosen),
                ("_extended", Accumulation::Extended),
                ("_affine", Accumulation::Affine),
            ];
            if !ways
                .iter()
                .any(|(suffix, _)| self.is_asked_for(&format!("{what}{suffix}"), log_n))
            {
                continue;
            }
            let n = 1 << log_n;
            let bases = self.bases::<G>(n);
            let scalars = random(n, 2);
            let want = G::multiple(inner_product(&bases.logs, &scalars));
            let scalars = DeviceBuf::from_slice(&self.stream, &scalars).unwrap();
            let (points, scalars) = (Source::Device(&bases.points), Source::Device(&scalars));
            for (suffix, accumulation) in ways {
                let config = MsmConfig {
                    accumulation,
                    ..MsmConfig::default()
                };
                self.msm::<G>(&format!("{what}{suffix}"), n, points, scalars, &want, &config);
            }
        }
    }

    /// Scalars that crowd into few buckets.
    fn skewed(&mut self, log_n: u32) {
        let n = 1 << log_n;
        let bases = self.bases::<G1>(n);
        let equal = random(1, 3)[0];
        let mixtures: [(&str, Vec<Limbs>); 4] = [
            ("msm_g1_all_one", vec![[1, 0, 0, 0]; n]),
            ("msm_g1_all_equal", vec![equal; n]),
            (
                "msm_g1_bits_99",
                random(n, 4)
                    .into_iter()
                    .map(|s| if s[0] % 100 == 0 { s } else { [s[1] & 1, 0, 0, 0] })
                    .collect(),
            ),
            (
                "msm_g1_below_1000",
                random(n, 5).into_iter().map(|s| [s[0] % 1000, 0, 0, 0]).collect(),
            ),
        ];
        for (what, scalars) in mixtures {
            let want = G1::multiple(inner_product(&bases.logs, &scalars));
            let scalars = DeviceBuf::from_slice(&self.stream, &scalars).unwrap();
            let (points, scalars) = (Source::Device(&bases.points), Source::Device(&scalars));
            self.msm::<G1>(what, n, points, scalars, &want, &MsmConfig::default());
        }
    }

    /// Points and scalars from pinned memory in batches, by both schedules.
    fn schedules(&mut self, log_n: u32) {
        let n = 1 << log_n;
        let bases = self.bases::<G1>(n);
        let pool = PinnedPool::new(&self.device, 1 << 34);
        let mut points = pool.get::<<G1 as MsmGroup>::Point>(n).unwrap();
        bases.points.download(&self.stream, 0, &mut points).unwrap();
        let mut scalars = pool.get::<Limbs>(n).unwrap();
        scalars.copy_from_slice(&random(n, 6));
        let want = G1::multiple(inner_product(&bases.logs, &scalars));
        for batches in [4, 16] {
            for (name, schedule) in [
                ("deferred", PippengerSchedule::Deferred),
                ("per_batch", PippengerSchedule::PerBatch),
            ] {
                let config = MsmConfig {
                    schedule,
                    max_batch_points: (n / batches) as u64,
                    ..MsmConfig::default()
                };
                let what = format!("msm_g1_streamed_{batches}_{name}");
                self.msm::<G1>(
                    &what,
                    n,
                    Source::Host(&points),
                    Source::Host(&scalars),
                    &want,
                    &config,
                );
                let what = format!("msm_g1_resident_{batches}_{name}");
                let d_scalars = DeviceBuf::from_slice(&self.stream, &scalars).unwrap();
                let (points, scalars) = (Source::Device(&bases.points), Source::Device(&d_scalars));
                self.msm::<G1>(&what, n, points, scalars, &want, &config);
            }
        }
    }

    fn points(&mut self, log_n: u32) {
        let names = ["fixed_base_g1", "batch_add_g1_half"];
        if !names.iter().any(|name| self.is_asked_for(name, log_n)) {
            return;
        }
        let n = 1 << log_n;
        let logs = random(n, 1);
        let scalars = DeviceBuf::from_slice(&self.stream, &logs).unwrap();
        let table = FixedBase::<G1>::new(&self.stream, &G1::generator(), 16, &mut self.workspace).unwrap();
        let mut points = DeviceBuf::alloc(&self.device, n).unwrap();
        let times = timed(3, || {
            table
                .multiply(
                    &self.stream,
                    &scalars,
                    ScalarForm::Canonical,
                    &mut points,
                    &mut self.workspace,
                )
                .unwrap();
            0.0
        });
        report("fixed_base_g1", log_n, times, self.workspace.n_bytes());
        let bitmap: Vec<u32> = random(n / 32, 7).iter().map(|s| s[0] as u32).collect();
        let bits: Vec<Limbs> = (0..n)
            .map(|i| [u64::from(bitmap[i / 32] >> (i % 32) & 1), 0, 0, 0])
            .collect();
        let want = G1::multiple(inner_product(&logs, &bits));
        let bitmap = DeviceBuf::from_slice(&self.stream, &bitmap).unwrap();
        let times = timed(5, || {
            let (points, bitmap) = (Source::Device(&points), Source::Device(&bitmap));
            let got = self
                .context
                .add_selected::<G1>(&self.stream, points, bitmap, 0, &mut self.workspace)
                .unwrap();
            assert_eq!(got, want);
            0.0
        });
        report("batch_add_g1_half", log_n, times, self.workspace.n_bytes());
    }
}
