//! Multi-scalar multiplication, batch addition and fixed-base multiplication
//! against sums of known logarithms.
//!
//! The same cases run on the fake runtime, at sizes that take seconds there, and on a card at real ones.
#![cfg(any(feature = "cuda", feature = "host-check"))]

mod support;

use blstrs::Scalar;
use ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group, GroupEncoding};
use rand_core::RngCore;
use sppark_fork::{
    msm_workspace_bytes, sys, Accumulation, CudaError, Device, DeviceBuf, FixedBase, G1Point, MsmConfig,
    MsmContext, MsmInput, PippengerSchedule, ScalarForm, Source, Stream, Workspace, G1, G2,
};
use std::sync::Arc;
use support::*;

struct Bench {
    device: Arc<Device>,
    stream: Stream,
    context: MsmContext,
    workspace: Workspace,
}

/// Where points and scalars come from.
#[derive(Clone, Copy, Debug)]
enum Place {
    Device,
    Host,
    ScalarsOnHost,
}

impl Bench {
    fn open() -> Option<Bench> {
        let device = open()?;
        Some(Bench {
            stream: Stream::new(&device).unwrap(),
            context: MsmContext::new(&device).unwrap(),
            workspace: Workspace::new(&device, 0).unwrap(),
            device,
        })
    }

    /// On the fake runtime: no unordered accesses and no misuse so far.
    fn check_order(&self) {
        #[cfg(feature = "host-check")]
        {
            let fake = sppark_fork::fake::FakeDevice {
                ordinal: self.device.ordinal(),
            };
            assert_eq!(fake.hazards(), 0, "{}", fake.describe());
        }
    }

    fn msm<G: TestGroup>(
        &mut self,
        points: &[G::Point],
        scalars: &[Scalar],
        form: ScalarForm,
        place: Place,
        config: &MsmConfig,
    ) -> G::Affine {
        let limbs: Vec<[u64; 4]> = match form {
            ScalarForm::Canonical => scalars.iter().map(canonical).collect(),
            ScalarForm::Montgomery => scalars.iter().map(montgomery).collect(),
        };
        let d_points = DeviceBuf::from_slice(&self.stream, points).unwrap();
        let d_scalars = DeviceBuf::from_slice(&self.stream, &limbs).unwrap();
        let input = MsmInput::<G> {
            points: match place {
                Place::Host => Source::Host(points),
                _ => Source::Device(&d_points),
            },
            scalars: match place {
                Place::Device => Source::Device(&d_scalars),
                _ => Source::Host(&limbs),
            },
            form,
            indices: None,
        };
        let point = self
            .context
            .msm(&self.stream, &input, config, &mut self.workspace)
            .unwrap();
        self.check_order();
        G::from_point(&point)
    }

    /// Whether the plan for n points on the device has halvings, which show in the workspace.
    fn halves<G: TestGroup>(&self, n: usize, way: &MsmConfig) -> bool {
        let mut extended = *way;
        extended.accumulation = Accumulation::Extended;
        let n_multiprocessors = self.device.info().n_multiprocessors;
        let bytes = |config| msm_workspace_bytes::<G>(n, config, n_multiprocessors).unwrap();
        bytes(way) > bytes(&extended)
    }

    fn check<G: TestGroup>(&mut self, bases: &Bases<G>, scalars: &[Scalar], what: &str) {
        let n = scalars.len();
        let got = self.msm::<G>(
            &bases.points[..n],
            scalars,
            ScalarForm::Canonical,
            Place::Device,
            &MsmConfig::default(),
        );
        assert!(got == bases.expected(scalars), "{what}, n = {n}");
    }
}

fn config(f: impl FnOnce(&mut MsmConfig)) -> MsmConfig {
    let mut config = MsmConfig::default();
    f(&mut config);
    config
}

/// V(n): scalar_i = i 2^64 + 1
fn v_scalars(n: usize) -> Vec<Scalar> {
    let radix = Scalar::from(u64::MAX) + Scalar::ONE;
    (0..n as u64)
        .map(|i| radix * Scalar::from(i) + Scalar::ONE)
        .collect()
}

fn hex<G: TestGroup>(point: &G::Affine) -> String
where
    G::Affine: GroupEncoding,
{
    point
        .to_bytes()
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn b001_one_point_and_special_scalars() {
    fn run<G: TestGroup>(bench: &mut Bench) {
        let bases = Bases::<G>::copies(2);
        for s in [Scalar::ZERO, Scalar::ONE, Scalar::from(2), -Scalar::ONE] {
            bench.check(&bases, &[s], "one term");
        }
        bench.check(&bases, &[Scalar::ONE, Scalar::ONE], "G + G");
        bench.check(&bases, &[], "no term");
    }
    let Some(mut bench) = Bench::open() else { return };
    run::<G1>(&mut bench);
    run::<G2>(&mut bench);
}

#[test]
fn b003_infinity_among_the_bases() {
    let Some(mut bench) = Bench::open() else { return };
    let n = if ON_CARD { 1024 } else { 64 };
    let mut bases = Bases::<G1>::consecutive(n);
    for i in [0, n / 2 - 1, n - 1] {
        bases.points[i] = G1Point::default();
        bases.logs[i] = Scalar::ZERO;
    }
    let scalars: Vec<Scalar> = (1..=n as u64).map(Scalar::from).collect();
    bench.check(&bases, &scalars, "three infinities");
}

#[test]
fn b006_copies_of_one_base() {
    let Some(mut bench) = Bench::open() else { return };
    let rows: &[(usize, u64)] = if ON_CARD {
        &[(8192, 1), (8192, 12345), (65536, 3), (237, 5)]
    } else {
        &[(237, 5), (600, 1), (600, 12345)]
    };
    for &(n, s) in rows {
        bench.check(&Bases::<G1>::copies(n), &vec![Scalar::from(s); n], "copies of G");
    }
    let got = bench.msm::<G1>(
        &Bases::<G1>::copies(237).points,
        &[Scalar::from(5); 237],
        ScalarForm::Canonical,
        Place::Device,
        &MsmConfig::default(),
    );
    assert_eq!(
        hex::<G1>(&got),
        "ac73012ceba5588ea53e8c44128ca558fcf144998dbd2a0c048c5a61b70117fe91874e7e5e00d7c019e04a3a345f08e0"
    );
}

#[test]
fn b010_lengths_must_agree() {
    let Some(mut bench) = Bench::open() else { return };
    let points = Bases::<G1>::consecutive(3).points;
    for (n_points, n_scalars) in [(3, 2), (1, 2)] {
        let input = MsmInput::<G1> {
            points: Source::Host(&points[..n_points]),
            scalars: Source::Host(&[[1, 0, 0, 0]; 2][..n_scalars]),
            form: ScalarForm::Canonical,
            indices: None,
        };
        let error = bench
            .context
            .msm(&bench.stream, &input, &MsmConfig::default(), &mut bench.workspace)
            .unwrap_err();
        assert!(
            matches!(&error, CudaError::Invalid { what } if what.contains(&format!("{n_points} points and {n_scalars}")))
        );
    }
}

#[test]
fn b013_the_endomorphism_in_g2_at_awkward_scalars() {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G2>::copies(1);
    for s in edge_scalars() {
        bench.check(&bases, &[s], &format!("{s:?}"));
    }
}

#[test]
fn b015_montgomery_and_canonical_scalars_give_the_same() {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G1>::consecutive(50);
    let mut scalars = scalars(Mixture::Random, 50, 3);
    scalars[0] = Scalar::from(5);
    for form in [ScalarForm::Canonical, ScalarForm::Montgomery] {
        let got = bench.msm::<G1>(
            &bases.points,
            &scalars,
            form,
            Place::Device,
            &MsmConfig::default(),
        );
        assert!(got == bases.expected(&scalars), "{form:?}");
    }
}

#[test]
fn b017_every_small_length() {
    fn run<G: TestGroup>(bench: &mut Bench, lengths: impl Iterator<Item = usize>) {
        let bases = Bases::<G>::consecutive(if ON_CARD { 4097 } else { 130 });
        for n in lengths {
            bench.check(&bases, &v_scalars(n), "V(n)");
        }
    }
    let Some(mut bench) = Bench::open() else { return };
    if ON_CARD {
        run::<G1>(&mut bench, (0..=300).chain([1023, 1024, 1025, 1026, 4097]));
        run::<G2>(&mut bench, (0..=300).chain([1023, 1024, 1025, 1026, 4097]));
    } else {
        run::<G1>(&mut bench, (0..=17).chain([31, 32, 33, 63, 65, 127]));
        run::<G2>(&mut bench, (0..=5).chain([17, 33]));
    }
}

#[test]
fn b017_published_rows() {
    let Some(mut bench) = Bench::open() else { return };
    let mut rows = vec![
        (33, "86a9bd68e35269480ed413f49dba6c2960746a56eaa89adca21d6755b309cd65bbc31bf9fe5c7cd2faa72e5741c747df"),
        (237, "b90a9d54c6a2126bf214b5bbe8f0265d8f8ae25764065e49ce0685af89044d5818e002d180727f536903ca42bb0fd92e"),
    ];
    if ON_CARD {
        rows.extend([
            (1025, "a750fe8e8a4975b33bfc6ff24508cef210222cef5dd59e6844a893e0323b3a891868cf4c0a9d5ec614e04480fd6e7e77"),
            (4097, "a9ec9925feefab9eb0654317943c89960dec5963cf7e686858e8c65e9fdde903b4a2f0dfce1101d663f842d7216a5520"),
        ]);
    }
    for (n, want) in rows {
        let bases = Bases::<G1>::consecutive(n);
        let got = bench.msm::<G1>(
            &bases.points,
            &v_scalars(n),
            ScalarForm::Canonical,
            Place::Device,
            &MsmConfig::default(),
        );
        assert_eq!(hex::<G1>(&got), want, "V{n} G1");
    }
    let bases = Bases::<G2>::consecutive(33);
    let got = bench.msm::<G2>(
        &bases.points,
        &v_scalars(33),
        ScalarForm::Canonical,
        Place::Device,
        &MsmConfig::default(),
    );
    assert_eq!(
        hex::<G2>(&got),
        "80ce1c97c32c3c93f1e658c88231874ff5bc62c0eef086da87bb2042e9561dd85341dcbc1c2af52fa2a0541af925d94f03e418cb1d703566b\
         0e6b435ddbed870760100de367c2b14fa7df55fee59e10c58e9a567626c4459d2183fa7b8a6e599"
    );
}

/// Every mixture of scalars over ordinary bases, over infinities, repetitions and
/// negatives, and over copies of one point.
fn every_mixture<G: TestGroup>(n: usize) {
    let Some(mut bench) = Bench::open() else { return };
    let kinds = [
        Bases::<G>::consecutive(n),
        Bases::<G>::mixed(n),
        Bases::<G>::copies(n),
    ];
    for mixture in MIXTURES {
        let scalars = scalars(mixture, n, n as u64);
        for (k, bases) in kinds.iter().enumerate() {
            bench.check(bases, &scalars, &format!("{mixture:?} over kind {k}"));
        }
    }
}

#[test]
fn every_mixture_in_g1() {
    let sizes = if ON_CARD { &[65535, 65537][..] } else { &[50] };
    sizes.iter().for_each(|&n| every_mixture::<G1>(n));
}

#[test]
fn every_mixture_in_g2() {
    let sizes = if ON_CARD {
        &[16385, 65535, 65537][..]
    } else {
        &[20]
    };
    sizes.iter().for_each(|&n| every_mixture::<G2>(n));
}

/// Schedules, batches, groups of windows, places and window sizes change nothing.
fn every_way<G: TestGroup>(n: usize) {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G>::mixed(n);
    let scalars = scalars(Mixture::Witness, n, 9)
        .into_iter()
        .zip(scalars(Mixture::Edges, n, 9));
    let scalars: Vec<Scalar> = scalars
        .enumerate()
        .map(|(i, (a, b))| if i % 2 == 0 { a } else { b })
        .collect();
    let want = bases.expected(&scalars);
    let third = n as u64 / 3 + 1;
    let ways = [
        config(|c| c.points_in_subgroup = false),
        config(|c| c.window_bits = 5),
        config(|c| c.window_bits = 11),
        config(|c| c.max_group_entries = 2 * n as u64 + 1),
        config(|c| c.max_batch_points = third),
        config(|c| (c.max_batch_points, c.schedule) = (third, PippengerSchedule::PerBatch)),
        config(|c| (c.max_batch_points, c.max_group_entries, c.points_in_subgroup) = (7, 1, false)),
    ];
    for way in ways {
        for place in [Place::Device, Place::Host, Place::ScalarsOnHost] {
            for form in [ScalarForm::Canonical, ScalarForm::Montgomery] {
                let got = bench.msm::<G>(&bases.points, &scalars, form, place, &way);
                assert!(got == want, "{way:?}, {place:?}, {form:?}");
            }
        }
    }
}

#[test]
fn every_way_in_g1() {
    every_way::<G1>(if ON_CARD { 3000 } else { 24 });
}

#[test]
fn every_way_in_g2() {
    every_way::<G2>(if ON_CARD { 1000 } else { 16 });
}

/// Affine additions in pairs give what additions in extended coordinates give: over buckets of many points,
/// few and one, over repetitions, negatives and infinities, in several rounds.
fn halved_lists<G: TestGroup>(n: usize, window_bits: &[u32], mixtures: &[Mixture]) {
    let Some(mut bench) = Bench::open() else { return };
    let kinds = [
        Bases::<G>::consecutive(n),
        Bases::<G>::mixed(n),
        Bases::<G>::copies(n),
    ];
    for &mixture in mixtures {
        let scalars = scalars(mixture, n, 77);
        for (k, bases) in kinds.iter().enumerate() {
            let want = bases.expected(&scalars);
            for &bits in window_bits {
                let way = config(|c| {
                    c.accumulation = Accumulation::Affine;
                    c.window_bits = bits;
                    c.points_in_subgroup = k != 1;
                    c.max_batch_points = [0, n as u64 / 2 + 1][(k + bits as usize) % 2];
                    c.max_group_entries = [0, 5 * n as u64][bits as usize % 2];
                });
                let got = bench.msm::<G>(
                    &bases.points,
                    &scalars,
                    ScalarForm::Canonical,
                    Place::Device,
                    &way,
                );
                assert!(got == want, "{mixture:?} over kind {k}, {way:?}");
                assert!(bench.halves::<G>(n, &way), "nothing was halved: {way:?}");
            }
        }
    }
}

#[test]
fn short_halved_lists() {
    halved_lists::<G1>(259, &[5, 6], &MIXTURES);
    halved_lists::<G2>(130, &[5], &MIXTURES);
}

/// Few enough for the sanitizers on a card.
#[test]
fn the_shortest_halved_lists() {
    halved_lists::<G1>(130, &[5], &[Mixture::Witness]);
    halved_lists::<G2>(130, &[5], &[Mixture::Witness]);
}

#[cfg(feature = "cuda")]
#[test]
fn halved_lists_in_g1() {
    halved_lists::<G1>(65537, &[0, 5, 8, 11, 13], &MIXTURES);
}

#[cfg(feature = "cuda")]
#[test]
fn halved_lists_in_g2() {
    halved_lists::<G2>(16385, &[0, 5, 8, 10], &MIXTURES);
}

/// So many pairs that a thread has several shares of them, with an inversion each: over 8.6 million in G1, on 132 multiprocessors, and
/// half of that in G2.
#[cfg(feature = "cuda")]
fn long_halved_list<G: TestGroup>(n: usize) {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G>::consecutive(n);
    let scalars = scalars(Mixture::Random, n, 78);
    let way = config(|c| {
        c.accumulation = Accumulation::Affine;
        c.window_bits = 5;
    });
    let (form, place) = (ScalarForm::Canonical, Place::Device);
    let got = bench.msm::<G>(&bases.points, &scalars, form, place, &way);
    assert!(got == bases.expected(&scalars));
}

#[cfg(feature = "cuda")]
#[test]
fn long_halved_lists() {
    long_halved_list::<G1>((1 << 19) + 1);
    long_halved_list::<G2>((1 << 18) + 1);
}

#[test]
fn an_index_list_chooses_points() {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G1>::consecutive(40);
    let mut rng = rng(11);
    let chosen: Vec<u32> = (0..60).map(|_| rng.next_u32() % 40).collect();
    let scalars = scalars(Mixture::Random, 60, 12);
    let limbs: Vec<[u64; 4]> = scalars.iter().map(canonical).collect();
    let points = DeviceBuf::from_slice(&bench.stream, &bases.points).unwrap();
    let indices = DeviceBuf::from_slice(&bench.stream, &chosen).unwrap();
    let gathered = Bases::<G1> {
        points: chosen.iter().map(|&i| bases.points[i as usize]).collect(),
        logs: chosen.iter().map(|&i| bases.logs[i as usize]).collect(),
    };
    for max_batch_points in [0, 17] {
        let input = MsmInput::<G1> {
            points: Source::Device(&points),
            scalars: Source::Host(&limbs),
            form: ScalarForm::Canonical,
            indices: Some(&indices),
        };
        let config = config(|c| c.max_batch_points = max_batch_points);
        let got = bench
            .context
            .msm(&bench.stream, &input, &config, &mut bench.workspace)
            .unwrap();
        assert!(G1::from_point(&got) == gathered.expected(&scalars));
    }
}

#[test]
fn a_sum_may_begin_anywhere_in_device_arrays() {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G1>::consecutive(40);
    let scalars = scalars(Mixture::Random, 40, 13);
    let limbs: Vec<[u64; 4]> = scalars.iter().map(montgomery).collect();
    let points = DeviceBuf::from_slice(&bench.stream, &bases.points).unwrap();
    let d_scalars = DeviceBuf::from_slice(&bench.stream, &limbs).unwrap();
    for first in [0, 1, 23, 40] {
        let input = MsmInput::<G1> {
            points: Source::DeviceFrom(&points, first),
            scalars: Source::DeviceFrom(&d_scalars, first),
            form: ScalarForm::Montgomery,
            indices: None,
        };
        let got = bench
            .context
            .msm(&bench.stream, &input, &MsmConfig::default(), &mut bench.workspace)
            .unwrap();
        let rest = Bases::<G1> {
            points: bases.points[first..].to_vec(),
            logs: bases.logs[first..].to_vec(),
        };
        assert!(
            G1::from_point(&got) == rest.expected(&scalars[first..]),
            "{first}"
        );
        bench.check_order();
    }
    // Past the end there is nothing.
    let past = Source::DeviceFrom(&points, 41);
    let input = MsmInput::<G1> {
        points: past,
        scalars: Source::Device(&d_scalars),
        form: ScalarForm::Montgomery,
        indices: None,
    };
    let outcome = bench
        .context
        .msm(&bench.stream, &input, &MsmConfig::default(), &mut bench.workspace);
    assert!(matches!(outcome, Err(CudaError::Invalid { .. })), "{outcome:?}");
}

#[test]
fn b021_repeats_agree() {
    let Some(mut bench) = Bench::open() else { return };
    let (n, repeats) = if ON_CARD { (1025, 100) } else { (33, 5) };
    let bases = Bases::<G1>::consecutive(n);
    let limbs: Vec<[u64; 4]> = v_scalars(n).iter().map(canonical).collect();
    let points = DeviceBuf::from_slice(&bench.stream, &bases.points).unwrap();
    let scalars = DeviceBuf::from_slice(&bench.stream, &limbs).unwrap();
    let input = MsmInput::<G1> {
        points: Source::Device(&points),
        scalars: Source::Device(&scalars),
        form: ScalarForm::Canonical,
        indices: None,
    };
    let config = MsmConfig::default();
    let n_bytes = bench.context.msm_workspace_bytes(&input, &config).unwrap();
    // All of them enqueued before the first is collected, each in a workspace and context of its own.
    let mut flights: Vec<(MsmContext, Workspace)> = (0..repeats)
        .map(|_| {
            (
                MsmContext::new(&bench.device).unwrap(),
                Workspace::new(&bench.device, n_bytes).unwrap(),
            )
        })
        .collect();
    for (context, workspace) in &mut flights {
        // SAFETY: input and workspaces outlive the `finish` below; there are no indices.
        unsafe {
            context
                .start_msm_on(&bench.stream, &input, &config, workspace)
                .unwrap()
        };
    }
    let want = bases.expected(&v_scalars(n));
    for (context, _) in &mut flights {
        assert!(G1::from_point(&context.finish::<G1>().unwrap()) == want);
    }
    assert!(bench.context.finish::<G1>().is_err(), "nothing was started here");
}

#[test]
fn b019_a_small_workspace_is_refused_with_the_bytes() {
    let Some(mut bench) = Bench::open() else { return };
    let points = Bases::<G2>::copies(100).points;
    let scalars = vec![[1, 0, 0, 0]; 100];
    let input = MsmInput::<G2> {
        points: Source::Host(&points),
        scalars: Source::Host(&scalars),
        form: ScalarForm::Canonical,
        indices: None,
    };
    let config = MsmConfig::default();
    let n_bytes = bench.context.msm_workspace_bytes(&input, &config).unwrap();
    let mut small = Workspace::new(&bench.device, n_bytes - 1).unwrap();
    // SAFETY: it fails before anything is enqueued.
    let error = unsafe {
        bench
            .context
            .start_msm_on(&bench.stream, &input, &config, &mut small)
    }
    .unwrap_err();
    assert!(
        matches!(&error, CudaError::Invalid { what } if what.contains(&n_bytes.to_string())),
        "{error}"
    );
    // The context is still of use, and the workspace grows by itself.
    let got = bench
        .context
        .msm(&bench.stream, &input, &config, &mut small)
        .unwrap();
    assert!(G2::from_point(&got) == Bases::<G2>::copies(100).expected(&[Scalar::ONE; 100]));
}

/// On a card, where alone a race would show: repeats with other windows, groups and batches, and with the
/// stream held up between them.
#[test]
fn b033_two_thousand_repeats_agree() {
    let Some(mut bench) = Bench::open() else { return };
    let (n, repeats) = if ON_CARD { (4097, 2000) } else { (40, 6) };
    let bases = Bases::<G1>::consecutive(n);
    let limbs: Vec<[u64; 4]> = v_scalars(n).iter().map(canonical).collect();
    let want = bases.expected(&v_scalars(n));
    let d_points = DeviceBuf::from_slice(&bench.stream, &bases.points).unwrap();
    let d_scalars = DeviceBuf::from_slice(&bench.stream, &limbs).unwrap();
    for k in 0..repeats {
        let config = config(|c| {
            c.window_bits = [0, 5, 8, 11, 13][k % 5];
            c.max_group_entries = [0, 2 * n as u64 + 1][k % 2];
            c.max_batch_points = [0, 1000, 3000][k % 3];
        });
        let (points, scalars) = match k % 4 {
            0 => (Source::Host(&bases.points[..]), Source::Host(&limbs[..])),
            _ => (Source::Device(&d_points), Source::Device(&d_scalars)),
        };
        if k % 7 == 0 {
            let microseconds = (k % 50) as u64;
            // SAFETY: the stream's handle is valid.
            bench
                .device
                .call(|e| unsafe { sys::spf_delay_on(bench.stream.raw(), microseconds, e) })
                .unwrap();
        }
        let input = MsmInput::<G1> {
            points,
            scalars,
            form: ScalarForm::Canonical,
            indices: None,
        };
        let got = bench
            .context
            .msm(&bench.stream, &input, &config, &mut bench.workspace)
            .unwrap();
        assert!(G1::from_point(&got) == want, "repeat {k}");
    }
    bench.check_order();
}

#[test]
fn idle_time_is_that_between_batches() {
    let Some(mut bench) = Bench::open() else { return };
    let n = if ON_CARD { 1 << 16 } else { 40 };
    let bases = Bases::<G1>::consecutive(n);
    let scalars = scalars(Mixture::Random, n, 1);
    let limbs: Vec<[u64; 4]> = scalars.iter().map(canonical).collect();
    let input = MsmInput::<G1> {
        points: Source::Host(&bases.points),
        scalars: Source::Host(&limbs),
        form: ScalarForm::Canonical,
        indices: None,
    };
    assert!(bench.context.idle_ms().is_err(), "made without timing");
    bench.context = MsmContext::with_timing(&bench.device).unwrap();
    let idle_ms: Vec<f32> = [0, n as u64 / 5 + 1]
        .map(|batch| {
            let config = config(|c| {
                c.max_batch_points = batch;
                c.schedule = PippengerSchedule::PerBatch;
            });
            let got = bench
                .context
                .msm(&bench.stream, &input, &config, &mut bench.workspace)
                .unwrap();
            assert!(G1::from_point(&got) == bases.expected(&scalars));
            bench.context.idle_ms().unwrap()
        })
        .to_vec();
    assert_eq!(idle_ms[0], 0.0, "one batch has nobody to wait for");
    assert!(idle_ms[1] > 0.0, "five batches: {idle_ms:?}");
    bench.check_order();
}

/// What crosses the bus is told: host arrays once, and for each batch a sum a window.
#[cfg(feature = "host-check")]
#[test]
fn bytes_over_the_bus_are_those_of_arrays_and_window_sums() {
    let fake = sppark_fork::fake::FakeDevice::new(1 << 32, 5);
    let device = Device::open(fake.ordinal).unwrap();
    let stream = Stream::new(&device).unwrap();
    let mut context = MsmContext::new(&device).unwrap();
    let mut workspace = Workspace::new(&device, 0).unwrap();
    assert_eq!(context.moved_bytes().unwrap(), (0, 0));
    let bases = Bases::<G1>::consecutive(20);
    let limbs: Vec<[u64; 4]> = scalars(Mixture::Random, 20, 1).iter().map(canonical).collect();
    let input = MsmInput::<G1> {
        points: Source::Host(&bases.points),
        scalars: Source::Host(&limbs),
        form: ScalarForm::Canonical,
        indices: None,
    };
    let one_batch = MsmConfig::default();
    context.msm(&stream, &input, &one_batch, &mut workspace).unwrap();
    let (up, one_down) = context.moved_bytes().unwrap();
    assert_eq!((up, one_down % 192), (20 * (96 + 32), 0));
    assert!(one_down > 0);
    let three_batches = config(|c| {
        c.max_batch_points = 8;
        c.window_bits = 8;
    });
    context
        .msm(&stream, &input, &three_batches, &mut workspace)
        .unwrap();
    let (up, down) = context.moved_bytes().unwrap();
    assert_eq!((up, down % (3 * 192)), (20 * (96 + 32), 0));
    let (points, bitmap) = (Source::Host(&bases.points[..]), Source::Host(&[0b1011][..]));
    context
        .add_selected::<G1>(&stream, points, bitmap, 0, &mut workspace)
        .unwrap();
    assert_eq!(context.moved_bytes().unwrap(), (20 * 96 + 4, 192));
}

/// Every call of the runtime that an MSM makes fails once: an error of the right kind each time, nothing
/// leaked, and the next MSM right.
#[cfg(feature = "host-check")]
#[test]
fn every_failing_call_is_an_error_and_leaks_nothing() {
    use sppark_fork::fake::{FakeDevice, OUT_OF_MEMORY};
    let fake = FakeDevice::new(1 << 32, 5);
    let device = Device::open(fake.ordinal).unwrap();
    let bases = Bases::<G1>::consecutive(20);
    let scalars = scalars(Mixture::Random, 20, 1);
    let limbs: Vec<[u64; 4]> = scalars.iter().map(canonical).collect();
    let want = bases.expected(&scalars);
    let config = config(|c| c.max_batch_points = 8);
    let stream = Stream::new(&device).unwrap();
    let before = fake.alive();
    let run = || {
        let mut context = MsmContext::new(&device)?;
        let mut workspace = Workspace::new(&device, 0)?;
        let input = MsmInput::<G1> {
            points: Source::Host(&bases.points),
            scalars: Source::Host(&limbs),
            form: ScalarForm::Canonical,
            indices: None,
        };
        context.msm(&stream, &input, &config, &mut workspace)
    };
    fake.fail_at(0, 0);
    assert!(G1::from_point(&run().unwrap()) == want);
    let calls = fake.calls();
    assert!(calls > 40);
    for n in 1..=calls {
        fake.fail_at(n, OUT_OF_MEMORY);
        if let Ok(point) = run() {
            // A failure to free or destroy is recorded, not returned; the result is right all the same.
            assert!(G1::from_point(&point) == want, "call {n}");
        }
        fake.fail_at(0, 0);
        stream.synchronize().unwrap();
        let leaked = fake.alive() - before;
        // What a failing destroy call was to give back stays behind; nothing else does.
        assert!(
            leaked <= u64::from(device.take_dropped_error().is_some()),
            "call {n}: {}",
            fake.describe()
        );
        assert!(G1::from_point(&run().unwrap()) == want, "after call {n}");
    }
    assert_eq!(fake.hazards(), 0, "{}", fake.describe());
}

/// The plan is a function of sizes: it needs no device, covers every size and odd
/// card, and stays within bounds.
#[test]
fn b085_workspaces_for_every_size_and_card() {
    for n_multiprocessors in [1, 7, 132, 200] {
        let mut sizes: Vec<u64> = (0..70).collect();
        sizes.extend((4..=30).flat_map(|k| [(1u64 << k) - 1, 1 << k, ((1u64 << k) + 1).min(1 << 30)]));
        for n in sizes {
            for (in_subgroup, on_host, affine) in [(0, 0, false), (1, 0, false), (1, 1, false), (1, 0, true)]
            {
                let args = sys::spf_msm_args {
                    size: size_of::<sys::spf_msm_args>() as u64,
                    // never read
                    points: std::ptr::dangling::<u8>().cast(),
                    scalars: std::ptr::dangling::<u8>().cast(),
                    n_points: n,
                    points_on_host: on_host,
                    scalars_on_host: on_host,
                    points_in_subgroup: in_subgroup,
                    n_multiprocessors,
                    accumulation: if affine {
                        sys::SPF_ACCUMULATION_AFFINE as u32
                    } else {
                        0
                    },
                    ..Default::default()
                };
                let mut n_bytes = 0;
                // SAFETY: the arguments say their size; the function reads sizes only.
                let code =
                    unsafe { sys::spf_msm_g1_workspace_bytes(&args, &mut n_bytes, std::ptr::null_mut()) };
                assert_eq!(code, sys::SPF_OK);
                // Sorting 17 bytes an entry of at most 2^28, or of one window's rows if these are more;
                // buckets, segments and chunks below 8 GiB; staging.
                // Affine sums in pairs: half of the points, and a quarter more where runs are shortest;
                // then the same of these; prefixes.
                let (entries, entry_bytes) = match affine {
                    false => ((1u64 << 28).max(2 * n), 17),
                    true => ((1u64 << 26).max(2 * n), 17 + 96 * 3 / 4 + 96 / 2),
                };
                let bound = entries * entry_bytes + (8 << 30) + u64::from(on_host) * 2 * 128 * n.min(1 << 22);
                assert!(
                    n_bytes <= bound,
                    "n = {n} on {n_multiprocessors}: {n_bytes} bytes, bound {bound}"
                );
            }
        }
    }
}

/// Bytes of workspace of an MSM in G1 over resident points on a card of 132 multiprocessors.
fn workspace_bytes_in_g1(n: u64, window_bits: u32) -> u64 {
    let args = sys::spf_msm_args {
        size: size_of::<sys::spf_msm_args>() as u64,
        // never read
        points: std::ptr::dangling::<u8>().cast(),
        scalars: std::ptr::dangling::<u8>().cast(),
        n_points: n,
        points_in_subgroup: 1,
        window_bits,
        n_multiprocessors: 132,
        ..Default::default()
    };
    let mut n_bytes = 0;
    // SAFETY: the arguments say their size; the function reads sizes only.
    let code = unsafe { sys::spf_msm_g1_workspace_bytes(&args, &mut n_bytes, std::ptr::null_mut()) };
    assert_eq!(code, sys::SPF_OK);
    n_bytes
}

/// The windows that were fastest on an H200, or within 2 % of it (docs/performance.md). Every number of
/// windows has a workspace of its own size, so the size tells which was chosen.
#[test]
fn the_windows_chosen_are_those_measured_fastest() {
    for (log_n, fastest) in [
        (12, &[8][..]),
        (14, &[10, 11]),
        (16, &[11, 12]),
        (18, &[16]),
        (20, &[16]),
        (22, &[19]),
        (24, &[19]),
        (26, &[22]),
    ] {
        let chosen = workspace_bytes_in_g1(1 << log_n, 0);
        let is_among = |bits: &u32| workspace_bytes_in_g1(1 << log_n, *bits) == chosen;
        let alike: Vec<u32> = (5..=24).filter(is_among).collect();
        assert!(
            fastest.iter().any(is_among),
            "2^{log_n}: {alike:?}, not {fastest:?}"
        );
        // 128 bits in as many windows, however wide they may be
        assert!(alike
            .iter()
            .all(|bits| 128u32.div_ceil(*bits) == 128u32.div_ceil(alike[0])));
    }
}

/// Bits of `n` points: random, all, none, few.
fn bitmaps(n: usize) -> [Vec<u32>; 4] {
    let mut rng = rng(n as u64);
    let words = n.div_ceil(32);
    let few = (0..words)
        .map(|_| {
            if rng.next_u32() % 20 == 0 {
                1 << (rng.next_u32() % 32)
            } else {
                0
            }
        })
        .collect();
    [
        (0..words).map(|_| rng.next_u32()).collect(),
        vec![u32::MAX; words],
        vec![0; words],
        few,
    ]
}

fn selected_sums<G: TestGroup>(lengths: &[usize]) {
    let Some(mut bench) = Bench::open() else { return };
    let bases = Bases::<G>::mixed(*lengths.iter().max().unwrap());
    for &n in lengths {
        for bitmap in bitmaps(n) {
            let scalars: Vec<Scalar> = (0..n)
                .map(|i| Scalar::from(u64::from((bitmap[i / 32] >> (i % 32)) & 1)))
                .collect();
            let want = bases.expected(&scalars);
            let points = DeviceBuf::from_slice(&bench.stream, &bases.points[..n]).unwrap();
            let bits = DeviceBuf::from_slice(&bench.stream, &bitmap).unwrap();
            let ways = [
                (Source::Device(&points), Source::Device(&bits), 0),
                (
                    Source::Host(&bases.points[..n]),
                    Source::Device(&bits),
                    n as u64 / 3 + 1,
                ),
                (Source::Device(&points), Source::Host(&bitmap), n as u64 / 2 + 1),
            ];
            for (points, bits, batch) in ways {
                let got = bench
                    .context
                    .add_selected::<G>(&bench.stream, points, bits, batch, &mut bench.workspace)
                    .unwrap();
                assert!(G::from_point(&got) == want, "n = {n}, batches of {batch}");
            }
        }
    }
}

#[test]
fn sums_of_selected_points_in_g1() {
    selected_sums::<G1>(if ON_CARD {
        &[1, 31, 32, 33, 4095, 4096, 4097, 100_000]
    } else {
        &[1, 31, 33, 100]
    });
}

/// Every length up to 300 with every kind of bitmap, on sums that met other lengths before, so that the
/// workspace holds old sums: whatever is read before it is written shows.
#[test]
fn sums_of_few_selected_points_in_g2_for_every_length() {
    let Some(mut bench) = Bench::open() else { return };
    let mut lengths: Vec<usize> = if ON_CARD {
        (0..=300).collect()
    } else {
        vec![0, 1, 2, 31, 32, 33]
    };
    let longest = *lengths.last().unwrap();
    lengths.sort_by_key(|n| n * 97 % 301); // long and short in turn
    for bases in [
        Bases::<G2>::consecutive(longest),
        Bases::mixed(longest),
        Bases::copies(longest),
    ] {
        for &n in &lengths {
            for bitmap in small_bitmaps(n) {
                let bits: Vec<u32> = (0..n).map(|i| (bitmap[i / 32] >> (i % 32)) & 1).collect();
                let scalars: Vec<Scalar> = bits.iter().map(|b| Scalar::from(u64::from(*b))).collect();
                let mut own = DeviceBuf::alloc(&bench.device, n).unwrap();
                own.upload(&bench.stream, 0, &bases.points[..n]).unwrap();
                let d_bitmap = DeviceBuf::from_slice(&bench.stream, &bitmap).unwrap();
                let want = bases.expected(&scalars);
                for (source, batch) in [
                    (Source::Device(&own), 0),
                    (Source::Host(&bases.points[..n]), n as u64 / 2 + 1),
                ] {
                    let got = bench
                        .context
                        .add_selected::<G2>(
                            &bench.stream,
                            source,
                            Source::Device(&d_bitmap),
                            batch,
                            &mut bench.workspace,
                        )
                        .unwrap();
                    assert!(
                        G2::from_point(&got) == want,
                        "n = {n}, batches of {batch}: {bitmap:x?}"
                    );
                }
            }
        }
    }
    bench.check_order();
}

/// What [`bitmaps`] has, and: the first point, the last, every other, all but one, bits past the end alone.
fn small_bitmaps(n: usize) -> Vec<Vec<u32>> {
    let words = n.div_ceil(32);
    let of = |has: &dyn Fn(usize) -> bool| -> Vec<u32> {
        let word = |w: usize| {
            (0..32)
                .filter(|b| has(32 * w + b))
                .fold(0, |word, b| word | 1 << b)
        };
        (0..words).map(word).collect()
    };
    let mut all = bitmaps(n).to_vec();
    all.extend([
        of(&|i| i == 0),
        of(&|i| i + 1 == n),
        of(&|i| i % 2 == 1),
        of(&|i| i != n / 2),
        of(&|i| i >= n),
    ]);
    all
}

#[test]
fn sums_of_selected_points_in_g2() {
    selected_sums::<G2>(if ON_CARD { &[1, 33, 4097, 30_000] } else { &[1, 40] });
}

fn fixed_base<G: TestGroup>(n: usize, window_bits: u32) {
    let Some(mut bench) = Bench::open() else { return };
    let base = (G::Curve::generator() * Scalar::from(7)).to_affine();
    let table = FixedBase::<G>::new(
        &bench.stream,
        &G::to_point(&base),
        window_bits,
        &mut bench.workspace,
    )
    .unwrap();
    let mut scalars = edge_scalars();
    let mut rng = rng(21);
    scalars.resize_with(n, || Scalar::random(&mut rng));
    for form in [ScalarForm::Canonical, ScalarForm::Montgomery] {
        let limbs: Vec<[u64; 4]> = match form {
            ScalarForm::Canonical => scalars.iter().map(canonical).collect(),
            ScalarForm::Montgomery => scalars.iter().map(montgomery).collect(),
        };
        let d_scalars = DeviceBuf::from_slice(&bench.stream, &limbs).unwrap();
        let mut d_points = DeviceBuf::alloc(&bench.device, n).unwrap();
        table
            .multiply(
                &bench.stream,
                &d_scalars,
                form,
                &mut d_points,
                &mut bench.workspace,
            )
            .unwrap();
        let mut points = vec![G::Point::default(); n];
        d_points.download(&bench.stream, 0, &mut points).unwrap();
        for (s, p) in scalars.iter().zip(&points) {
            assert!(G::from_point(p) == (base.to_curve() * s).to_affine(), "{s:?}");
        }
    }
}

#[test]
fn fixed_base_multiples_in_g1() {
    fixed_base::<G1>(if ON_CARD { 5000 } else { 80 }, if ON_CARD { 16 } else { 5 });
}

#[test]
fn fixed_base_multiples_in_g2() {
    fixed_base::<G2>(if ON_CARD { 3000 } else { 75 }, if ON_CARD { 13 } else { 6 });
}
