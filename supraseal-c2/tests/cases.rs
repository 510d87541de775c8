//! Reports from the field, by their numbers; what they found elsewhere must not be found here.

mod common;

use blstrs::Scalar;
use common::*;
use ff::Field;
use groth16_core::r1cs::{R1cs, SparseMatrix};
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::{Parameters, ParamsCheck, PreparedVerifyingKey, Proof};
use std::path::{Path, PathBuf};
use supraseal_c2::{generate_groth16_proofs, Assignment, Error, SRS};

const EISDIR: i32 = 21;
const EINVAL: i32 = 22;

fn load_bytes(bytes: &[u8]) -> Result<SRS, Error> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    SRS::try_new(file.path().to_owned(), false)
}

fn error_of(result: Result<SRS, Error>) -> Error {
    result.err().expect("an error")
}

fn proves(srs: &SRS) -> bool {
    prove_each(&[mul(3, 11)], &[3], &[5], srs)[0] == vector_hex("P-mul-3-5")
}

/// A key of some pages: x·yᵢ = 1 many times over.
fn larger_key() -> Vec<u8> {
    let n = 100;
    let [mut a, mut b, mut c] = std::array::from_fn(|_| SparseMatrix::default());
    for i in 0..n {
        a.push_row([(1, Scalar::ONE)]);
        b.push_row([(2 + i, Scalar::ONE)]);
        c.push_row([(0, Scalar::ONE)]);
    }
    let r1cs = R1cs::new(1, n as usize + 1, a, b, c).unwrap();
    let mut bytes = Vec::new();
    let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
    key.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn s01_a_key_cut_in_its_last_section_is_refused() {
    let small = std::fs::read(vector_path("mul.params")).unwrap();
    assert!(load_bytes(&small).is_ok());
    for length in 2040..2136 {
        let error = error_of(load_bytes(&small[..length]));
        assert_eq!(error.code, EINVAL);
        let text = error.to_string();
        assert!(text.contains("truncated in section b_g2"), "{length}: {text}");
        assert!(text.contains("2136 bytes needed"), "{length}: {text}");
    }
    let large = larger_key();
    assert!(large.len() > 10 * 4096 && load_bytes(&large).is_ok());
    // b_g2 has 100 points of 192 bytes: cuts in the second half of that.
    for cut in [1, 95, 96, 191, 192, 4096, 9599] {
        let text = error_of(load_bytes(&large[..large.len() - cut])).to_string();
        assert!(text.contains("truncated in section b_g2"), "{cut}: {text}");
    }
}

#[test]
fn s03_points_that_do_not_decode_are_refused_by_section_and_index() {
    let good = std::fs::read(vector_path("mul.params")).unwrap();
    const L1: usize = 1452;
    type Change = fn(&mut [u8]);
    let changes: [(&str, Change); 4] = [
        ("off the curve", |point| point[95] ^= 1),
        ("flag byte a0", |point| point[0] = 0xa0),
        ("x not below p", |point| {
            point[0] = 0x1f;
            point[1..48].fill(0xff);
        }),
        ("infinity", |point| {
            point.fill(0);
            point[0] = 0x40;
        }),
    ];
    for (what, change) in changes {
        let mut bytes = good.clone();
        change(&mut bytes[L1..L1 + 96]);
        let error = error_of(load_bytes(&bytes));
        assert_eq!(error.code, EINVAL, "{what}");
        let text = error.to_string();
        assert!(
            text.contains("section l, point 1, at byte 1452"),
            "{what}: {text}"
        );
    }
}

#[test]
fn s05_a_key_of_another_circuit_is_a_panic_with_both_counts() {
    let srs = load("binp.params");
    for prove in [prove_each, prove_alike] {
        let text = panic_text(|| prove(&[mul(3, 11)], &[0], &[0], &srs));
        assert!(
            text.contains("number of inputs (ic) is 3 in the key and 2 in the circuit"),
            "{text}"
        );
    }
    assert!(proves(&load("mul.params")));
}

#[test]
fn s07_odd_paths_are_errors_or_work() {
    let dir = tempfile::tempdir().unwrap();
    let try_new = |path: &Path| SRS::try_new(path.to_owned(), false);
    assert_eq!(error_of(try_new(dir.path())).code, EISDIR);
    let missing = dir.path().join("missing");
    assert_eq!(error_of(try_new(&missing)).code, 2);
    let error = error_of(try_new(Path::new("a\0b")));
    assert_eq!(error.code, EINVAL, "{error}");
    assert_eq!(error_of(try_new(Path::new(""))).code, 2);

    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe.params"));
        std::fs::copy(vector_path("mul.params"), &odd).unwrap();
        assert!(proves(&try_new(&odd).unwrap_or_else(|e| panic!("{e}"))));
        let missing = dir.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
        assert_eq!(error_of(try_new(&missing)).code, 2);

        let fifo: PathBuf = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        with_watchdog(move || {
            for cache in [false, true] {
                assert_eq!(error_of(SRS::try_new(fifo.clone(), cache)).code, EINVAL);
            }
        });
    }
}

#[test]
fn b036_repeated_and_concurrent_proofs_are_one_proof() {
    let srs = load("mul.params");
    let n_good = |n: usize| (0..n).filter(|_| proves(&srs)).count();
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| n_good(100)));
        assert_eq!(n_good(100), 100);
        assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 100));
    });
    // And one that has work for every thread.
    let key = tempfile::NamedTempFile::new().unwrap();
    let (r1cs, witness) = bench_shapes::BenchShape::new(10, 0.2)
        .unwrap()
        .generate(1)
        .unwrap();
    let parameters = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
    parameters.write(key.as_file()).unwrap();
    let srs = SRS::try_new(key.path().to_owned(), false).unwrap_or_else(|e| panic!("{e}"));
    let witness = [of_r1cs(&r1cs, &witness)];
    let proofs = [(); 10].map(|()| prove_each(&witness, &[3], &[5], &srs));
    assert!(proofs.iter().all(|proof| *proof == proofs[0]));
}

#[test]
fn b091_a_proof_ends_while_others_keep_coming() {
    use std::sync::atomic::{AtomicBool, Ordering};
    with_watchdog(|| {
        let (srs, done) = (load("mul.params"), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        assert!(proves(&srs));
                    }
                });
            }
            let all_good = (0..20).all(|_| proves(&srs));
            done.store(true, Ordering::Relaxed);
            assert!(all_good);
        });
    });
}

#[test]
fn b052_an_srs_that_holds_nothing_is_a_panic_with_a_message() {
    for prove in [prove_each, prove_alike] {
        for srs in [SRS::default(), SRS::default().clone()] {
            let text = panic_text(|| prove(&[mul(3, 11)], &[0], &[0], &srs));
            assert!(text.contains("the SRS is the default one"), "{text}");
            assert!(text.contains("SRS::try_new"), "{text}");
        }
    }
    // A handle dropped before the proof: the types allow it only where a clone is left.
    let first = load("mul.params");
    let second = first.clone();
    drop(first);
    assert!(proves(&second));
}

#[test]
fn b087_proofs_finish_inside_nested_pools() {
    with_watchdog(|| {
        let srs = load("mul.params");
        let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        for n in [1, 2, 64] {
            let (outer, inner) = (pool(n), pool(n));
            assert!(outer.install(|| proves(&srs)));
            assert!(outer.install(|| inner.install(|| proves(&srs))));
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..16)
                    .map(|i| {
                        let (srs, outer, inner) = (&srs, &outer, &inner);
                        scope.spawn(move || match i % 4 {
                            0 => proves(srs),
                            1 => outer.install(|| proves(srs)),
                            2 => outer.install(|| inner.install(|| proves(srs))),
                            // Two at once in one worker, each free to take up the other while it waits.
                            _ => outer.install(|| {
                                let (left, right) = rayon::join(|| proves(srs), || proves(srs));
                                left && right
                            }),
                        })
                    })
                    .collect();
                assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
            });
        }
    });
}

#[test]
fn b087_keys_load_through_the_cache_inside_a_pool() {
    with_watchdog(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let path = vector_path("mul.params");
        let load = || SRS::try_new(path.clone(), true).unwrap_or_else(|e| panic!("{e}"));
        pool.install(|| {
            use rayon::prelude::*;
            (0..32).into_par_iter().for_each(|_| assert!(proves(&load())));
        });
    });
}

#[test]
fn b087_proofs_finish_with_one_thread_in_all() {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "b087_proofs_finish_inside_nested_pools"])
        .env("RAYON_NUM_THREADS", "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn b089_after_a_panic_ten_proofs_are_good() {
    let srs = load("mul.params");
    let mut wrong = mul(3, 11);
    wrong.c[0] += Scalar::ONE;
    for prove in [prove_each, prove_alike] {
        let text = panic_text(|| prove(&[wrong.clone()], &[3], &[5], &srs));
        assert!(text.contains("constraint 0"), "{text}");
        assert!((0..10).all(|_| proves(&srs)));
    }
}

#[test]
fn b094_every_failure_has_a_text_and_the_process_lives() {
    type Change = fn(&mut Assignment<Scalar>);
    let nulls: [(Change, &str); 8] = [
        (
            |a| a.a_aux_density = core::ptr::null(),
            "a_aux_density is a null pointer, with a length of 1",
        ),
        (
            |a| a.b_inp_density = core::ptr::null(),
            "b_inp_density is a null pointer, with a length of 1",
        ),
        (
            |a| a.b_aux_density = core::ptr::null(),
            "b_aux_density is a null pointer, with a length of 1",
        ),
        (
            |a| a.a = core::ptr::null(),
            ": a is a null pointer, with a length of 3",
        ),
        (
            |a| a.b = core::ptr::null(),
            ": b is a null pointer, with a length of 3",
        ),
        (
            |a| a.c = core::ptr::null(),
            ": c is a null pointer, with a length of 3",
        ),
        (
            |a| a.inp_assignment_data = core::ptr::null(),
            "inp_assignment_data is a null pointer, with a length of 2",
        ),
        (
            |a| a.aux_assignment_data = core::ptr::null(),
            "aux_assignment_data is a null pointer, with a length of 2",
        ),
    ];
    let srs = load("mul.params");
    let witness = mul(3, 11);
    for (change, expected) in nulls {
        let mut prover = witness.assignment();
        change(&mut prover);
        let (zero, mut proofs) = ([Scalar::ZERO], [[0xa5u8; 384]]);
        let text = panic_text(|| generate_groth16_proofs(&[prover], &zero, &zero, &mut proofs, &srs));
        assert!(text.contains("circuit 0") && text.contains(expected), "{text}");
        assert_eq!(proofs[0], [0xa5; 384]);
    }
    let error = error_of(load_bytes(b"not parameters"));
    assert!(error.code == EINVAL && error.to_string().contains("truncated in section vk"));
    assert!(proves(&srs));
}

#[test]
fn b121_public_inputs_in_b_are_proved() {
    let vk = Parameters::read(vector_path("binp.params"), ParamsCheck::Subgroup)
        .unwrap()
        .vk;
    let vk = PreparedVerifyingKey::from(&vk);
    let srs = load("binp.params");
    for (r, s) in [(0, 0), (3, 5)] {
        for prove in [prove_each, prove_alike] {
            let bytes = prove(&[binp()], &[r], &[s], &srs).remove(0);
            assert_eq!(bytes, vector_hex(&format!("P-binp-{r}-{s}")));
            let proof = Proof::from_bytes(&bytes).unwrap();
            let public = |p: [u64; 2]| p.map(Scalar::from);
            assert!(vk.verify(&proof, &public([2, 1])).unwrap());
            assert!(!vk.verify(&proof, &public([1, 2])).unwrap());
        }
    }
}
