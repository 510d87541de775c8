//! B087 for submitted jobs: waiting for one, or dropping it, inside the only worker of the pool that it works
//! in. A process of its own, because the global pool is made once.

use bls_fields::Fr;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::{Backend, Blinding, CpuBackend, Job, PreparedVerifyingKey, R1cs};
use std::sync::mpsc;
use std::time::Duration;

/// Squares of squares, enough of them for a proof to split its work: the first is public.
fn squares(n_rows: u32) -> (R1cs, Vec<Fr>) {
    let one = Fr::from(1);
    let (mut operands, mut squares) = (SparseMatrix::default(), SparseMatrix::default());
    let mut witness = vec![one, Fr::from(3)];
    for wire in 1..=n_rows {
        operands.push_row([(wire, one)]);
        squares.push_row([(wire + 1, one)]);
        let last = witness[wire as usize];
        witness.push(last * last);
    }
    let r1cs = R1cs::new(2, n_rows as usize, operands.clone(), operands, squares).unwrap();
    (r1cs, witness)
}

#[test]
fn b087_a_submitted_job_ends_while_the_only_worker_waits_for_it() {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .unwrap();
    let (send, receive) = mpsc::channel();
    rayon::spawn(move || {
        let (r1cs, witness) = squares(10_000);
        let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
        let srs = CpuBackend.load_srs(&key.into()).unwrap();
        let blinding = Blinding {
            r: 3.into(),
            s: 5.into(),
        };
        let submit = || {
            let circuit = r1cs.assign(&witness).unwrap();
            let job = Job::new(&*srs, vec![(circuit, blinding)]).unwrap();
            CpuBackend.submit(&srs, job).unwrap()
        };
        let proofs = submit().wait().unwrap();
        drop(submit());
        let verifier = PreparedVerifyingKey::from(srs.vk());
        send.send(verifier.verify(&proofs[0], &witness[1..2]).unwrap())
            .unwrap();
    });
    let verified = receive.recv_timeout(Duration::from_secs(120));
    assert_eq!(verified, Ok(true), "the job and its waiter wait for each other");
}
