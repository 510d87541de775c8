//! Nothing is left over by a proof. Alone in its file, as it counts what the process has.

#![cfg(target_os = "linux")]

mod common;
#[path = "../../crates/circom-formats/tests/common/counting_allocator.rs"]
mod counting_allocator;

use blstrs::Scalar;
use common::*;
use counting_allocator::{peak_bytes, CountingAllocator};
use ff::Field;
use groth16_core::r1cs::{R1cs, SparseMatrix};
use groth16_core::setup::{generate_parameters, ToxicWaste};
use std::sync::Mutex;
use supraseal_c2::SRS;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn entries(of: &str) -> usize {
    std::fs::read_dir(of).unwrap().count()
}

#[test]
fn files_and_threads_become_no_more() {
    let _alone = ALONE.lock();
    // The first proof starts rayon's own pool.
    let prove = || {
        let srs = load("mul.params");
        prove_each(&[mul(3, 11), mul(1, 7)], &[3, 0], &[5, 0], &srs);
        prove_alike(&[mul(3, 11)], &[3], &[5], &srs);
    };
    prove();
    let counts = || (entries("/proc/self/fd"), entries("/proc/self/task"));
    let before = counts();
    (0..100).for_each(|_| prove());
    let after = counts();
    // Fewer will do: a thread of the other test may have been on its way out.
    assert!(
        after.0 <= before.0 && after.1 <= before.1,
        "{before:?}, {after:?}"
    );
}

/// wᵢ·wᵢ = wᵢ₊₁ for private wires.
fn squares(n_rows: usize) -> (R1cs, Vec<Scalar>) {
    let [mut a, mut b, mut c] = std::array::from_fn(|_| SparseMatrix::default());
    let mut witness = vec![Scalar::ONE, Scalar::from(3)];
    for wire in 1..=n_rows as u32 {
        a.push_row([(wire, Scalar::ONE)]);
        b.push_row([(wire, Scalar::ONE)]);
        c.push_row([(wire + 1, Scalar::ONE)]);
        witness.push(witness[wire as usize].square());
    }
    (R1cs::new(1, n_rows + 1, a, b, c).unwrap(), witness)
}

#[test]
fn b077_memory_does_not_grow_with_the_circuits_of_a_call() {
    let _alone = ALONE.lock();
    let (r1cs, witness) = squares((1 << 13) - 1);
    let file = tempfile::NamedTempFile::new().unwrap();
    let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(2)).unwrap();
    key.write(std::io::BufWriter::new(file.as_file())).unwrap();
    drop(key);
    let srs = SRS::try_new(file.path().to_owned(), false).unwrap_or_else(|e| panic!("{e}"));
    let circuits = vec![of_r1cs(&r1cs, &witness); 4];
    // On one thread, as what threads hold at once depends on the machine's mood.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let peak = |n: usize| {
        let prove = || prove_each(&circuits[..n], &vec![3; n], &vec![5; n], &srs);
        peak_bytes(|| pool.install(prove)).1
    };
    // The first proof sets up what stays.
    peak(1);
    let peaks = [1, 2, 4].map(peak);
    eprintln!("peaks above what is allocated before, bytes: {peaks:?}");
    // Of a further circuit its arguments and its proof are held, whatever its size.
    let a_circuit = 4096;
    assert!(peaks[2] < peaks[0] + 3 * a_circuit, "{peaks:?}");
}
