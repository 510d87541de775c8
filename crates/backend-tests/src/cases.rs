//! The cases of [`backend_suite!`](crate::backend_suite). Each panics where the backend fails it.

use crate::toy::*;
use bench_shapes::BenchShape;
use bls_fields::Fr;
use groth16_core::setup::{generate_parameters, generate_parameters_with, ToxicWaste};
use groth16_core::*;
use std::sync::Arc;

fn blinding(r: u64, s: u64) -> Blinding {
    Blinding {
        r: r.into(),
        s: s.into(),
    }
}

fn toy_key(name: &str) -> Parameters {
    Parameters::read(vector_path(&format!("{name}.params")), ParamsCheck::Subgroup).expect("a toy key")
}

/// Through the map, as a user's file comes.
fn load_toy(backend: &dyn Backend, name: &str) -> Arc<dyn LoadedSrs> {
    let path = vector_path(&format!("{name}.params"));
    let mapped = MappedParams::open(path, params::TrailingBytes::Refuse).expect("a toy key");
    backend
        .load_srs(&Srs::Mapped(Arc::new(mapped), ParamsCheck::Subgroup))
        .expect("a loaded key")
}

/// mul, zero and binp, at r, s = 0, 0 and 3, 5.
pub fn toy_proofs_have_the_published_bytes(backend: &dyn Backend) {
    let toys = [
        ("mul", "mul", mul(), mul_witness(), elements(&[33])),
        ("zero", "mul", zero(), mul_witness(), elements(&[33])),
        ("binp", "binp", binp(), binp_witness(), elements(&[2, 1])),
    ];
    for (key, row, r1cs, witness, public) in toys {
        let srs = load_toy(backend, key);
        let verifier = PreparedVerifyingKey::from(srs.vk());
        let assignment = r1cs.assign(&witness).expect("a satisfied system");
        for (r, s) in [(0, 0), (3, 5)] {
            let proofs = backend.prove_scoped(&srs, &[assignment.as_assignment()], &[blinding(r, s)]);
            let proof = proofs.expect("a proof")[0];
            assert_eq!(
                proof.to_bytes().to_vec(),
                vector_hex(&format!("P-{row}-{r}-{s}")),
                "{key} {r} {s}"
            );
            assert!(verifier
                .verify(&proof, &public)
                .expect("the right number of inputs"));
        }
    }
}

/// Three circuits in a call, with values of their own.
pub fn a_batch_is_its_single_proofs(backend: &dyn Backend) {
    let srs = load_toy(backend, "mul");
    let witnesses = [[1, 33, 3, 11], [1, 0, 0, 5], [1, 35, 5, 7]].map(|w| elements(&w));
    let assignments = witnesses.map(|w| mul().assign(&w).expect("a satisfied system"));
    let circuits: Vec<_> = assignments.iter().map(OwnedAssignment::as_assignment).collect();
    let blindings = [blinding(1, 2), blinding(3, 4), blinding(0, 9)];
    let batch = backend.prove_scoped(&srs, &circuits, &blindings).expect("proofs");
    assert_eq!(batch.len(), 3);
    for ((circuit, blinding), proof) in circuits.iter().zip(&blindings).zip(&batch) {
        let single = backend
            .prove_scoped(&srs, &[*circuit], &[*blinding])
            .expect("a proof");
        assert_eq!(single, [*proof]);
    }
    let inputs: Vec<(Proof, &[Fr])> = batch
        .iter()
        .zip(&circuits)
        .map(|(proof, circuit)| (*proof, &circuit.inputs[1..]))
        .collect();
    let verifier = PreparedVerifyingKey::from(srs.vk());
    assert!(verifier
        .verify_batch(&inputs, &mut rand_core::OsRng)
        .expect("right numbers of inputs"));
    let mut swapped = inputs.clone();
    (swapped[0].0, swapped[1].0) = (inputs[1].0, inputs[0].0);
    assert!(!verifier
        .verify_batch(&swapped, &mut rand_core::OsRng)
        .expect("right numbers of inputs"));
    assert!(backend
        .prove_scoped(&srs, &[], &[])
        .expect("no proofs")
        .is_empty());
}

/// One constraint, no private wires, no constraints, dense and sparse witnesses: the CPU's bytes.
pub fn every_shape_equals_the_cpu(backend: &dyn Backend) {
    let mut systems = vec![
        // x·x = y with both public: no private wires, and none in the B query but an input
        (
            r1cs(3, 0, &[[&[(1, 1)], &[(1, 1)], &[(2, 1)]]]),
            elements(&[1, 3, 9]),
        ),
        // no constraint at all, with and without an input: empty B queries
        (r1cs(2, 0, &[]), elements(&[1, 7])),
        (r1cs(1, 0, &[]), elements(&[1])),
        // ONE and inputs in B, coefficients other than one
        (binp(), binp_witness()),
    ];
    for (log_n, full) in [(6, 0.01), (9, 0.2), (9, 0.6), (10, 0.98)] {
        let shape = BenchShape::new(log_n, full).expect("a shape");
        systems.push(shape.generate(log_n.into()).expect("a system"));
    }
    for (r1cs, witness) in systems {
        let key: Srs = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5))
            .expect("a key")
            .into();
        let (srs, cpu) = (
            backend.load_srs(&key).expect("a key"),
            CpuBackend.load_srs(&key).expect("a key"),
        );
        let assignment = r1cs.assign(&witness).expect("a satisfied system");
        let (circuit, blinding) = ([assignment.as_assignment()], [blinding(17, 23)]);
        let proofs = backend.prove_scoped(&srs, &circuit, &blinding).expect("a proof");
        assert_eq!(
            proofs,
            CpuBackend
                .prove_scoped(&cpu, &circuit, &blinding)
                .expect("a proof")
        );
        let verifier = PreparedVerifyingKey::from(srs.vk());
        assert!(verifier
            .verify(&proofs[0], &witness[1..r1cs.n_inputs()])
            .expect("the right number"));
    }
}

/// Keys made with the backend's multiples: the published one, and one with wires that do not occur in B.
pub fn keys_equal_the_cpu(backend: &dyn Backend) {
    let key = generate_parameters_with(&binp(), &toy_waste(), backend.multiples()).expect("a key");
    assert_eq!(key, toy_key("binp"));
    let (r1cs, _) = BenchShape::new(7, 0.5)
        .expect("a shape")
        .generate(3)
        .expect("a system");
    let waste = ToxicWaste::insecure_from_seed(8);
    let key = generate_parameters_with(&r1cs, &waste, backend.multiples()).expect("a key");
    assert_eq!(key, generate_parameters(&r1cs, &waste).expect("a key"));
}

/// What a large circuit left in buffers that are kept is nothing to a small one that comes after it.
pub fn a_small_circuit_after_a_large_one_has_its_own_bytes(backend: &dyn Backend) {
    let shape = BenchShape::new(7, 0.6).expect("a shape");
    let (r1cs, witness) = shape.generate(7).expect("a system");
    let key: Srs = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5))
        .expect("a key")
        .into();
    let srs = backend.load_srs(&key).expect("a key");
    let large = r1cs.assign(&witness).expect("a satisfied system");
    // In each place that a backend may have for inputs.
    for _ in 0..2 {
        backend
            .prove_scoped(&srs, &[large.as_assignment(); 2], &[blinding(1, 2); 2])
            .expect("proofs");
        toy_proofs_have_the_published_bytes(backend);
    }
}

/// Owned inputs give the bytes of borrowed ones; several may be pending at once.
pub fn submitted_equals_scoped(backend: &dyn Backend) {
    let srs = load_toy(backend, "binp");
    let assign = || binp().assign(&binp_witness()).expect("a satisfied system");
    let scoped = backend
        .prove_scoped(&srs, &[assign().as_assignment()], &[blinding(3, 5)])
        .expect("a proof");
    let pending: Vec<_> = (0..4)
        .map(|_| {
            let job = Job::new(&*srs, vec![(assign(), blinding(3, 5))]).expect("a job");
            backend.submit(&srs, job).expect("a submission")
        })
        .collect();
    for pending in pending {
        assert_eq!(pending.wait().expect("a proof"), scoped);
    }
}

/// A forgotten submission leaves nothing running and spoils nothing.
pub fn dropping_what_is_pending_waits(backend: &dyn Backend) {
    let srs = load_toy(backend, "mul");
    for _ in 0..3 {
        let assignment = mul().assign(&mul_witness()).expect("a satisfied system");
        let job = Job::new(&*srs, vec![(assignment, blinding(0, 0))]).expect("a job");
        drop(backend.submit(&srs, job).expect("a submission"));
    }
    toy_proofs_have_the_published_bytes(backend);
}

/// Lengths, a key of another circuit, too few blindings.
pub fn wrong_inputs_are_typed_errors(backend: &dyn Backend) {
    let srs = load_toy(backend, "mul");
    let assignment = mul().assign(&mul_witness()).expect("a satisfied system");
    let good = assignment.as_assignment();
    let prove = |circuit: Assignment<'_>| {
        backend
            .prove_scoped(&srs, &[circuit], &[blinding(0, 0)])
            .map(|_| ())
    };
    let short_b = Assignment {
        b: &good.b[1..],
        ..good
    };
    assert!(matches!(
        prove(short_b),
        Err(Error::InputLength { have: 2, need: 3, .. })
    ));
    let short_aux = Assignment {
        aux: &good.aux[1..],
        ..good
    };
    assert!(matches!(prove(short_aux), Err(Error::InputLength { .. })));
    let not_one = elements(&[2, 33]);
    assert!(matches!(
        prove(Assignment {
            inputs: &not_one,
            ..good
        }),
        Err(Error::FirstWireNotOne)
    ));
    let binp = binp().assign(&binp_witness()).expect("a satisfied system");
    assert!(matches!(
        prove(binp.as_assignment()),
        Err(Error::ShapeMismatch {
            key: 2,
            circuit: 3,
            ..
        })
    ));
    assert!(Job::new(&*srs, vec![(binp, blinding(0, 0))]).is_err());
    // A job that was made with one key and is submitted with another.
    let other = load_toy(backend, "binp");
    let binp = crate::toy::binp()
        .assign(&binp_witness())
        .expect("a satisfied system");
    let job = Job::new(&*other, vec![(binp, blinding(0, 0))]).expect("a job");
    assert!(matches!(
        backend.submit(&srs, job).map(|_| ()),
        Err(Error::ShapeMismatch { .. })
    ));
    let blindings = backend.prove_scoped(&srs, &[good, good], &[blinding(0, 0)]);
    assert!(matches!(
        blindings,
        Err(Error::InputLength {
            what: "blindings",
            have: 1,
            need: 2
        })
    ));
    prove(good).expect("still a proof");
}

/// A handle that this backend did not make.
pub fn an_srs_of_another_backend_is_refused(backend: &dyn Backend) {
    struct Foreign(Parameters);
    impl LoadedSrs for Foreign {
        fn vk(&self) -> &VerifyingKey {
            &self.0.vk
        }
        fn counts(&self) -> params::KeyCounts {
            self.0.counts()
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    let foreign: Arc<dyn LoadedSrs> = Arc::new(Foreign(toy_key("mul")));
    let assignment = mul().assign(&mul_witness()).expect("a satisfied system");
    let circuit = [assignment.as_assignment()];
    let refused = backend.prove_scoped(&foreign, &circuit, &[blinding(0, 0)]);
    assert!(matches!(refused, Err(Error::ForeignSrs { .. })));
}

/// Rows that were evaluated into the backend's own memory, and memory of the caller's that it was shown, give
/// the bytes of others; owned or borrowed, and again when the memory has served before.
pub fn inputs_in_memory_of_the_backend_give_the_same_proofs(backend: &dyn Backend) {
    let shape = BenchShape::new(7, 0.2).expect("a shape");
    let (r1cs, witness) = shape.generate(3).expect("a system");
    let key: Srs = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5))
        .expect("a key")
        .into();
    let srs = backend.load_srs(&key).expect("a key");
    let plain = r1cs.assign(&witness).expect("a satisfied system");
    let expected = backend
        .prove_scoped(&srs, &[plain.as_assignment()], &[blinding(1, 2)])
        .expect("a proof");
    for _ in 0..3 {
        let assign = || r1cs.assign_for(backend, &witness).expect("a satisfied system");
        let borrowed = assign();
        assert!(
            borrowed.a[..] == plain.a[..]
                && borrowed.b[..] == plain.b[..]
                && borrowed.aux[..] == plain.aux[..]
        );
        let proofs = backend.prove_scoped(&srs, &[borrowed.as_assignment()], &[blinding(1, 2)]);
        assert_eq!(proofs.expect("a proof"), expected);
        let register = |values: &[Fr]| backend.register_host(values.to_vec());
        let registered = OwnedAssignment {
            a: register(&plain.a),
            b: register(&plain.b),
            aux: register(&plain.aux),
            ..assign()
        };
        for owned in [assign(), registered] {
            let job = Job::new(&*srs, vec![(owned, blinding(1, 2))]).expect("a job");
            assert_eq!(backend.prove(&srs, job).expect("a proof"), expected);
        }
    }
}

/// Memory for inputs.
pub fn host_buffers_hold_zeros_and_can_be_filled(backend: &dyn Backend) {
    for n in [0, 1, 1000] {
        let mut buffer = backend.alloc_host(n).expect("memory");
        assert_eq!(buffer.len(), n);
        assert!(buffer.iter().all(|x| *x == Fr::from(0)));
        buffer.iter_mut().zip(0u64..).for_each(|(x, i)| *x = Fr::from(i));
        assert!(buffer
            .into_vec()
            .iter()
            .zip(0u64..)
            .all(|(x, i)| *x == Fr::from(i)));
        let mut longer = backend.alloc_host(n + 5).expect("memory");
        longer.truncate(n);
        longer.truncate(n + 1);
        assert_eq!((longer.len(), longer.iter_mut().count()), (n, n));
        assert_eq!(longer.into_vec().len(), n);
    }
}
