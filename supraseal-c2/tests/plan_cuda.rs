//! The memory of the CUDA backend, on fake devices: proofs by every plan that some limit leads to, keys that
//! make room for each other, and what is allocated when.
#![cfg(feature = "host-check")]

use backend_tests::toy::*;
use bench_shapes::BenchShape;
use groth16_core::params::TrailingBytes;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::*;
use sppark_fork::fake::FakeDevice;
use std::path::Path;
use std::sync::Arc;
use supraseal_c2::backend::{CudaBackend, CudaConfig, MemoryPlan};

const MIB: u64 = 1 << 20;

fn on(fake: FakeDevice) -> CudaConfig {
    CudaConfig {
        gpus: Some(vec![fake.ordinal]),
        staging_bytes: Some(3 * 4096),
        ..CudaConfig::default()
    }
}

fn mapped(path: impl AsRef<Path>, check: ParamsCheck) -> Srs {
    Srs::Mapped(
        Arc::new(MappedParams::open(path, TrailingBytes::Refuse).unwrap()),
        check,
    )
}

/// A circuit, its key, and the CPU's proofs.
struct Case {
    key: Srs,
    assignment: OwnedAssignment,
    expected: Vec<Proof>,
}

fn blindings() -> [Blinding; 3] {
    [(17u64, 23u64), (0, 0), (1, 2)].map(|(r, s)| Blinding {
        r: r.into(),
        s: s.into(),
    })
}

impl Case {
    fn new(key: Srs, assignment: OwnedAssignment) -> Self {
        let cpu = CpuBackend.load_srs(&key).unwrap();
        let circuits = [assignment.as_assignment(); 3];
        let expected = CpuBackend.prove_scoped(&cpu, &circuits, &blindings()).unwrap();
        Case {
            key,
            assignment,
            expected,
        }
    }

    fn bench(log_n: u32, full: f64) -> Self {
        let (r1cs, witness) = BenchShape::new(log_n, full).unwrap().generate(9).unwrap();
        let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5)).unwrap();
        Case::new(key.into(), r1cs.assign(&witness).unwrap())
    }

    /// With publics in B, from a mapped file.
    fn binp() -> Self {
        let key = mapped(vector_path("binp.params"), ParamsCheck::Subgroup);
        Case::new(key, binp().assign(&binp_witness()).unwrap())
    }

    #[track_caller]
    fn assert_proves(&self, backend: &CudaBackend, srs: &Arc<dyn LoadedSrs>) {
        let circuits = [self.assignment.as_assignment(); 3];
        let proofs = backend.prove_scoped(srs, &circuits, &blindings()).unwrap();
        assert_eq!(proofs, self.expected);
    }
}

fn plan_of(backend: &CudaBackend, srs: &Arc<dyn LoadedSrs>) -> MemoryPlan {
    backend.memory_plans(srs).unwrap().pop().unwrap()
}

/// Proves by the most generous plan, then by the best for a byte less than it took, until
/// nothing fits. Gives the plans.
fn prove_down_the_ladder(case: &Case, seed: u64, max_pinned_bytes: Option<u64>) -> Vec<MemoryPlan> {
    let mut plans: Vec<MemoryPlan> = Vec::new();
    let mut limit = 400 * MIB;
    loop {
        let fake = FakeDevice::new(512 * MIB, seed);
        let config = CudaConfig {
            max_device_bytes: Some(limit),
            max_pinned_bytes,
            ..on(fake)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let srs = match backend.load_srs(&case.key) {
            Ok(srs) => srs,
            Err(error) => {
                let (text, least) = (
                    error.to_string(),
                    plans.iter().map(|p| p.peak_bytes).min().unwrap(),
                );
                assert!(text.contains(&format!("needs {least} bytes")), "{text}");
                assert!(text.contains(&format!("{limit} may be used")), "{text}");
                return plans;
            }
        };
        let plan = plan_of(&backend, &srs);
        assert!(plan.peak_bytes <= limit, "{plan}");
        assert!(plans.last().is_none_or(|last| last.rung < plan.rung), "{plan}");
        // All of it is there once the key is loaded, to the byte, and a proof allocates nothing.
        assert_eq!(fake.bytes(), plan.peak_bytes, "{plan}");
        case.assert_proves(&backend, &srs);
        assert_eq!(fake.bytes(), plan.peak_bytes, "{plan}");
        assert_eq!(backend.peak_device_bytes(), [plan.peak_bytes], "{plan}");
        drop((srs, backend));
        assert_eq!(
            (fake.hazards(), fake.alive()),
            (0, 0),
            "{plan}: {}",
            fake.describe()
        );
        limit = plan.peak_bytes - 1;
        plans.push(plan);
    }
}

fn assert_streams_all_in_the_end(plans: &[MemoryPlan]) {
    let (first, last) = (plans.first().unwrap(), plans.last().unwrap());
    assert_eq!(first.rung, 0, "{first}");
    assert!(first.resident_key_bytes > 0, "{first}");
    assert_eq!(last.resident_key_bytes, 0, "{last}");
    let is_part = |plan: &MemoryPlan| (1..first.resident_key_bytes).contains(&plan.resident_key_bytes);
    assert!(plans.iter().any(is_part), "{} plans", plans.len());
}

#[test]
fn proofs_by_every_plan_equal_the_cpu_and_take_what_was_planned() {
    for (seed, full) in [(0, 0.2), (2, 0.98)] {
        assert_streams_all_in_the_end(&prove_down_the_ladder(&Case::bench(7, full), seed, None));
    }
}

#[test]
fn the_same_of_a_file_with_no_page_locked_copies() {
    let mut case = Case::bench(7, 0.4);
    let Srs::Memory(parameters) = &case.key else {
        unreachable!("made in memory")
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    parameters
        .write(std::fs::File::create(file.path()).unwrap())
        .unwrap();
    case.key = mapped(file.path(), ParamsCheck::Curve);
    assert_streams_all_in_the_end(&prove_down_the_ladder(&case, 2, Some(0)));
}

#[test]
fn streamed_keys_are_page_locked_within_the_budget() {
    let case = Case::bench(8, 0.2);
    let streamed = |budget| {
        let fake = FakeDevice::new(512 * MIB, 1);
        let config = CudaConfig {
            max_key_bytes: Some(0),
            max_pinned_bytes: Some(budget),
            ..on(fake)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let alive = fake.alive();
        let srs = backend.load_srs(&case.key).unwrap();
        assert_eq!(plan_of(&backend, &srs).resident_key_bytes, 0);
        case.assert_proves(&backend, &srs);
        // What the caller may page-lock is what the key has left of the budget.
        let left = backend.alloc_host((budget / 32) as usize);
        (fake.alive() - alive, left.is_ok())
    };
    let ((none, left_of_none), (some, left_of_some)) = (streamed(4096), streamed(MIB));
    assert!(some > none, "{some} blocks with a budget, {none} without");
    assert!(left_of_none && !left_of_some);
}

#[test]
fn keys_make_room_for_each_other_and_come_back() {
    let cases = [Case::bench(7, 0.2), Case::bench(8, 0.6), Case::binp()];
    // Room for the largest alone, and a little.
    let alone = {
        let backend = CudaBackend::new(&on(FakeDevice::new(512 * MIB, 0))).unwrap();
        let srs = backend.load_srs(&cases[1].key).unwrap();
        plan_of(&backend, &srs).peak_bytes
    };
    for limit in [alone, alone + alone / 10, 2 * alone] {
        let fake = FakeDevice::new(512 * MIB, 2);
        let config = CudaConfig {
            max_device_bytes: Some(limit),
            ..on(fake)
        };
        let backend = CudaBackend::new(&config).unwrap();
        let keys: Vec<_> = cases
            .iter()
            .map(|case| backend.load_srs(&case.key).unwrap())
            .collect();
        for i in [0, 2, 1, 0] {
            cases[i].assert_proves(&backend, &keys[i]);
        }
        // And at once, from several threads: a job waits for room that another's key has.
        std::thread::scope(|scope| {
            for i in [0, 1, 2, 0, 1, 2] {
                let (backend, case, key) = (&backend, &cases[i], &keys[i]);
                scope.spawn(move || case.assert_proves(backend, key));
            }
        });
        assert!(
            backend.peak_device_bytes()[0] <= limit,
            "{:?} of {limit}",
            backend.peak_device_bytes()
        );
        drop((keys, backend));
        assert_eq!((fake.hazards(), fake.alive()), (0, 0), "{}", fake.describe());
    }
}

#[test]
fn the_key_used_longest_ago_goes_first() {
    let case = Case::bench(7, 0.2);
    let fake = FakeDevice::new(512 * MIB, 1);
    let one = {
        let backend = CudaBackend::new(&on(FakeDevice::new(512 * MIB, 1))).unwrap();
        let srs = backend.load_srs(&case.key).unwrap();
        plan_of(&backend, &srs).resident_key_bytes
    };
    let config = CudaConfig {
        max_key_bytes: Some(2 * one),
        ..on(fake)
    };
    let backend = CudaBackend::new(&config).unwrap();
    let is_there = |srs| !backend.memory_plans(srs).unwrap().is_empty();
    let (first, second) = (
        backend.load_srs(&case.key).unwrap(),
        backend.load_srs(&case.key).unwrap(),
    );
    assert!(is_there(&first) && is_there(&second));
    case.assert_proves(&backend, &first);
    let third = backend.load_srs(&case.key).unwrap();
    assert_eq!([&first, &second, &third].map(is_there), [true, false, true]);
    case.assert_proves(&backend, &second);
    assert_eq!([&first, &second, &third].map(is_there), [false, true, true]);
    // A handle that is dropped frees its points at once.
    let with_three = fake.bytes();
    drop(third);
    assert_eq!(fake.bytes(), with_three - one);
}

#[test]
fn a_key_is_loaded_once_however_many_want_it() {
    let case = Case::bench(8, 0.2);
    let fakes = [FakeDevice::new(512 * MIB, 0), FakeDevice::new(512 * MIB, 2)];
    let config = CudaConfig {
        gpus: Some(fakes.iter().map(|fake| fake.ordinal).collect()),
        ..on(fakes[0])
    };
    let backend = CudaBackend::new(&config).unwrap();
    let srs = backend.load_srs(&case.key).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| case.assert_proves(&backend, &srs));
        }
    });
    let plans = backend.memory_plans(&srs).unwrap();
    let peaks: Vec<u64> = plans.iter().map(|plan| plan.peak_bytes).collect();
    assert_eq!(backend.peak_device_bytes(), peaks);
    assert_eq!(peaks.len(), 2);
}

#[test]
fn memory_of_another_program_is_not_counted_on() {
    let case = Case::bench(7, 0.2);
    let fake = FakeDevice::new(128 * MIB, 1);
    // 64 MiB are somebody else's.
    let other = sppark_fork::Device::open(fake.ordinal).unwrap();
    let theirs = sppark_fork::DeviceBuf::<u8>::alloc(&other, 64 << 20).unwrap();
    let backend = CudaBackend::new(&on(fake)).unwrap();
    let srs = backend.load_srs(&case.key).unwrap();
    // A sixteenth is left for the runtime.
    assert!(plan_of(&backend, &srs).peak_bytes <= 56 * MIB);
    case.assert_proves(&backend, &srs);
    drop((srs, backend, theirs, other));
    assert_eq!(fake.alive(), 0);
}
