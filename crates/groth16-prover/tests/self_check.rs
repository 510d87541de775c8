//! The prover's own verification of its proofs: a wrong key and a wrong computation are told apart, and
//! neither is handed out.

use bls_curves::G1Projective;
use bls_fields::Fr;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::{CpuBackend, HostBuf, Job, LoadedSrs, Pending, Srs};
use groth16_prover::*;
use group::Group;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// x·y = z, as `sign`·x · y = `sign`·z: the sign changes the key but not the relation.
fn mul(sign: Fr) -> R1cs {
    let matrix = |wire, value| {
        let mut m = SparseMatrix::default();
        m.push_row([(wire, value)]);
        m
    };
    R1cs::new(2, 2, matrix(2, sign), matrix(3, Fr::from(1)), matrix(1, sign)).unwrap()
}

fn witness() -> Vec<Fr> {
    [1, 33, 3, 11].map(Fr::from).to_vec()
}

fn blinding() -> Blinding {
    Blinding {
        r: Fr::from(3),
        s: Fr::from(5),
    }
}

/// The CPU with a fault: a point is added to one sum of each proof, as a flipped
/// bit in a device's result would.
struct Faulty {
    part: usize,
    broken: AtomicBool,
}

impl Backend for Faulty {
    fn info(&self) -> BackendInfo {
        BackendInfo {
            name: "faulty",
            description: String::new(),
        }
    }
    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>> {
        CpuBackend.load_srs(srs)
    }
    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>> {
        CpuBackend.alloc_host(n)
    }
    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>> {
        CpuBackend.submit(srs, job)
    }
    fn prove(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Vec<Proof>> {
        CpuBackend.prove(srs, job).map(|proofs| self.spoil(proofs))
    }
    fn prove_scoped(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        CpuBackend
            .prove_scoped(srs, circuits, blindings)
            .map(|proofs| self.spoil(proofs))
    }
}

impl Faulty {
    fn spoil(&self, mut proofs: Vec<Proof>) -> Vec<Proof> {
        if self.broken.load(Ordering::Relaxed) {
            for proof in &mut proofs {
                match self.part {
                    0 => proof.a = (G1Projective::generator() + proof.a).into(),
                    1 => proof.b = (bls_curves::G2Projective::generator() + proof.b).into(),
                    _ => proof.c = (G1Projective::generator() + proof.c).into(),
                }
            }
        }
        proofs
    }
}

#[test]
fn b042_a_wrong_sum_is_a_device_fault_and_never_a_proof() {
    let r1cs = mul(Fr::from(1));
    let parameters = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(1)).unwrap();
    for part in 0..3 {
        let backend = Arc::new(Faulty {
            part,
            broken: AtomicBool::new(true),
        });
        let prover = Prover::builder().with_backend(backend.clone()).build().unwrap();
        let key = prover.load(parameters.clone()).unwrap();
        let assignment = r1cs.assign(&witness()).unwrap();
        let owned = prover
            .prove_r1cs(&key, &r1cs, &witness(), blinding())
            .map(|proof| vec![proof]);
        let lent = prover.prove_assignments(&key, &[assignment.as_assignment()], &[blinding()]);
        for outcome in [owned, lent] {
            let error = outcome.unwrap_err();
            assert!(
                matches!(&error, Error::ProofSelfCheckFailed { backend } if backend == "faulty"),
                "{error}"
            );
            assert_eq!(error.kind(), ErrorKind::Device);
        }
        // B089: what failed once does not fail for ever.
        backend.broken.store(false, Ordering::Relaxed);
        for _ in 0..10 {
            let proof = prover.prove_r1cs(&key, &r1cs, &witness(), blinding()).unwrap();
            assert!(key.verifier().verify(&proof, &[Fr::from(33)]).unwrap());
        }
    }
}

#[test]
fn a_key_of_the_same_shape_but_another_circuit_is_told_apart() {
    let parameters = generate_parameters(&mul(-Fr::from(1)), &ToxicWaste::insecure_from_seed(1)).unwrap();
    let prover = Prover::builder().build().unwrap();
    let key = prover.load(parameters.clone()).unwrap();
    let error = prover
        .prove_r1cs(&key, &mul(Fr::from(1)), &witness(), blinding())
        .unwrap_err();
    assert!(matches!(error, Error::KeyCircuitMismatch), "{error}");
    assert_eq!(error.kind(), ErrorKind::Input);
    // Unless told not to look.
    let prover = Prover::builder().verify(false).build().unwrap();
    let key = prover.load(parameters).unwrap();
    let proof = prover
        .prove_r1cs(&key, &mul(Fr::from(1)), &witness(), blinding())
        .unwrap();
    assert!(!key.verifier().verify(&proof, &[Fr::from(33)]).unwrap());
}

#[test]
fn b046_inputs_are_not_changed_by_a_proof() {
    let r1cs = mul(Fr::from(1));
    let prover = Prover::builder().threads(8).build().unwrap();
    let parameters = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(2)).unwrap();
    let key = prover.load(parameters).unwrap();
    let assignment = r1cs.assign(&witness()).unwrap();
    let snapshot = |a: &OwnedAssignment| {
        (
            a.a.to_vec(),
            a.b.to_vec(),
            a.inputs.clone(),
            a.aux.to_vec(),
            a.densities.clone(),
        )
    };
    let before = snapshot(&assignment);
    prover
        .prove_assignments(&key, &[assignment.as_assignment()], &[blinding()])
        .unwrap();
    assert!(snapshot(&assignment) == before);
}

#[test]
fn b087_proofs_from_inside_thread_pools_end() {
    let (done, wait) = std::sync::mpsc::channel();
    let work = std::thread::spawn(move || {
        let r1cs = mul(Fr::from(1));
        let prover = Prover::builder().build().unwrap();
        let own_pool = Prover::builder().threads(1).build().unwrap();
        let parameters = Arc::new(generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(3)).unwrap());
        let key = prover.load(parameters.clone()).unwrap();
        let prove = |p: &Prover| p.prove_r1cs(&key, &r1cs, &witness(), blinding()).unwrap();
        let expected = prove(&prover);
        for threads in [1, 2, 64] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let inner = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(pool.install(|| prove(&prover)), expected);
            assert_eq!(pool.install(|| inner.install(|| prove(&prover))), expected);
            assert_eq!(pool.install(|| prove(&own_pool)), expected);
            let many = pool.install(|| {
                use rayon::prelude::*;
                (0..16)
                    .into_par_iter()
                    .map(|i| prove(if i % 2 == 0 { &prover } else { &own_pool }))
                    .collect::<Vec<_>>()
            });
            assert!(many.iter().all(|proof| *proof == expected));
        }
        done.send(()).unwrap();
    });
    wait.recv_timeout(std::time::Duration::from_secs(120))
        .expect("a deadlock, or a failure above");
    work.join().unwrap();
}

#[test]
fn backends_that_are_not_in_this_build_are_errors() {
    let Err(error) = Prover::builder().backend(BackendChoice::Cuda).build() else {
        panic!("this build has no CUDA backend")
    };
    assert!(error.to_string().contains("no CUDA device"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Device);
}
