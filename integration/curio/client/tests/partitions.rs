//! Two workers of one device that prove ten partitions between them, as Curio's engine does.

use backend_tests::toy;
use blstrs::Scalar;
use client::{Circuit, GpuMutex, Pending};
use groth16_core::{DensityBits, Proof};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use supraseal_c2::SRS;

fn circuit() -> Circuit<Scalar> {
    let (r1cs, witness) = (toy::mul(), toy::mul_witness());
    let rows = r1cs.evaluate(&witness).unwrap();
    let c = rows.a.iter().zip(&rows.b).map(|(a, b)| a * b).collect();
    let densities = r1cs.densities();
    let words = |bits: &DensityBits| {
        let density = bits.as_density();
        let words = density.words().iter().map(|w| *w as usize).collect();
        (words, density.n_dense())
    };
    let (inputs, aux) = witness.split_at(r1cs.n_inputs());
    Circuit {
        rows: [rows.a, rows.b, c],
        inputs: inputs.to_vec(),
        aux: aux.to_vec(),
        densities: [&densities.a_aux, &densities.b_input, &densities.b_aux].map(words),
    }
}

fn key() -> SRS {
    SRS::try_new(toy::vector_path("mul.params"), false).unwrap()
}

fn finish(pending: Pending) -> Vec<u8> {
    // SAFETY: `Proof` is what the library writes.
    let proof: Proof = unsafe { pending.finish() };
    proof.to_bytes().to_vec()
}

#[test]
fn two_workers_prove_ten_partitions() {
    let (srs, mutex, next) = (key(), GpuMutex::new(), AtomicUsize::new(0));
    let expected = toy::vector_hex("P-mul-3-5");
    let work = || {
        let mut before: Option<Pending> = None;
        let mut n_made = 0;
        while next.fetch_add(1, Ordering::Relaxed) < 10 {
            let started = Pending::start(circuit(), Scalar::from(3), Scalar::from(5), &srs, &mutex, 0);
            // One is finished while the next is under way.
            if let Some(pending) = before.replace(started) {
                assert_eq!(finish(pending), expected);
                n_made += 1;
            }
        }
        before
            .map(|last| assert_eq!(finish(last), expected))
            .map_or(n_made, |()| n_made + 1)
    };
    let n_made: usize = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.map(|worker| worker.join().unwrap()).iter().sum()
    });
    assert_eq!(n_made, 10);
}

#[test]
fn rows_of_different_lengths_are_not_handed_on() {
    let (srs, mutex) = (key(), GpuMutex::new());
    let mut short = circuit();
    short.rows[1].pop();
    let start = || Pending::start(short, Scalar::from(3), Scalar::from(5), &srs, &mutex, -1);
    assert!(catch_unwind(AssertUnwindSafe(start)).is_err());
    assert_eq!(
        finish(Pending::start(
            circuit(),
            Scalar::from(3),
            Scalar::from(5),
            &srs,
            &mutex,
            -1
        )),
        toy::vector_hex("P-mul-3-5")
    );
}

#[test]
fn a_destructor_after_a_panic_of_finish_is_harmless() {
    let (srs, mutex) = (key(), GpuMutex::new());
    let start = || Pending::start(circuit(), Scalar::from(3), Scalar::from(5), &srs, &mutex, -1);
    let pending = start();
    // Not a proof's size: finish panics, and then the destructor runs while the panic unwinds.
    // SAFETY: nothing is returned.
    let outcome = catch_unwind(AssertUnwindSafe(|| unsafe { pending.finish::<[u8; 100]>() }));
    assert!(outcome.is_err());
    drop(start());
    assert_eq!(finish(start()), toy::vector_hex("P-mul-3-5"));
}
