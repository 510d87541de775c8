//! Proofs that are given up while they are computed. Alone in its file, as it counts what the process has.

#![cfg(target_os = "linux")]

mod common;

use bench_shapes::BenchShape;
use common::*;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use std::time::{Duration, Instant};
use supraseal_c2::SRS;

fn n_threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// Fails unless there are soon as many threads as before. A thread that was joined may be listed a little
/// longer; eight proofs, which would run on without their owner, take longer than this waits.
fn assert_as_many_threads_as(before: usize) {
    let deadline = Instant::now() + Duration::from_millis(200);
    while n_threads() > before && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(n_threads(), before);
}

#[test]
fn nothing_runs_after_a_drop_and_others_go_on() {
    let (r1cs, witness) = BenchShape::new(13, 0.2).unwrap().generate(1).unwrap();
    let key = tempfile::NamedTempFile::new().unwrap();
    let parameters = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
    parameters.write(std::io::BufWriter::new(key.as_file())).unwrap();
    let srs = SRS::try_new(key.path().to_owned(), false).unwrap();
    let witness = [of_r1cs(&r1cs, &witness)];
    // The first proof starts rayon's own pool.
    let expected = prove(&witness, &[3], &[5], &srs, ANY);
    let before = n_threads();
    let start = || start(&witness, &[3], &[5], &srs, ANY);

    let [dropped, kept, too] = [(); 3].map(|()| start());
    // They run: start has waited for none of them.
    assert!(n_threads() > before);
    give_up(dropped);
    give_up(too);
    assert_eq!(finish(kept, 1), expected);
    assert_as_many_threads_as(before);

    let handles: Vec<_> = (0..8).map(|_| start()).collect();
    assert!(n_threads() > before);
    handles.into_iter().for_each(give_up);
    assert_as_many_threads_as(before);
}
