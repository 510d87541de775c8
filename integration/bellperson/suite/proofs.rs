//! What bellperson makes through us against what its other version makes natively. Compiled once
//! for each package, where `patched` has our supraseal-c2 under it and `native` has the CPU prover
//! that this feature compiles out.

use bellperson_circuits::{OneConstraint, Shape};
use blstrs::{Bls12, G1Projective, G2Projective, Scalar};
use ff::Field;
use groth16_core::circuit::r1cs_of_circuit;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use group::Group;
use native::groth16 as cpu;
use patched::groth16 as ours;
use patched::groth16::SuprasealParameters;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

const SECRETS: [u64; 5] = [0x1234567, 5, 7, 11, 13];

/// τ, α, β, γ, δ
fn secrets() -> [Scalar; 5] {
    SECRETS.map(Scalar::from)
}

/// A key's file, made by this project.
fn key_of(circuit: Shape) -> Vec<u8> {
    let r1cs = r1cs_of_circuit(circuit).unwrap();
    let parameters = generate_parameters(&r1cs, &ToxicWaste::insecure_from_elements(secrets())).unwrap();
    let mut bytes = Vec::new();
    parameters.write(&mut bytes).unwrap();
    bytes
}

/// Loads a key as bellperson's users do. The file is gone when this returns.
fn load(bytes: &[u8]) -> std::io::Result<SuprasealParameters<Bls12>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("key.params");
    std::fs::write(&path, bytes)?;
    SuprasealParameters::<Bls12>::new(path)
}

macro_rules! bytes_of {
    ($proofs:expr) => {
        $proofs
            .iter()
            .map(|proof| {
                let mut bytes = Vec::new();
                proof.write(&mut bytes).unwrap();
                bytes
            })
            .collect::<Vec<Vec<u8>>>()
    };
}

fn prove_ours(
    key: &SuprasealParameters<Bls12>,
    circuits: &[Shape],
    r: &[Scalar],
    s: &[Scalar],
) -> Vec<Vec<u8>> {
    bytes_of!(ours::create_proof_batch(circuits.to_vec(), key, r.to_vec(), s.to_vec()).unwrap())
}

fn prove_native(key: &[u8], circuits: &[Shape], r: &[Scalar], s: &[Scalar]) -> Vec<Vec<u8>> {
    let key = cpu::Parameters::<Bls12>::read(key, false).unwrap();
    bytes_of!(cpu::create_proof_batch(circuits.to_vec(), &key, r.to_vec(), s.to_vec()).unwrap())
}

/// Both versions' verifiers.
macro_rules! verifies_with {
    ($version:ident, $key:expr, $proof:expr, $public:expr) => {{
        let vk = $version::VerifyingKey::<Bls12>::read($key).unwrap();
        let proof = $version::Proof::<Bls12>::read($proof).unwrap();
        $version::verify_proof(&$version::prepare_verifying_key(&vk), &proof, $public).unwrap()
    }};
}

fn verifies(key: &[u8], proof: &[u8], public: &[Scalar]) -> bool {
    let by_ours = verifies_with!(ours, key, proof, public);
    assert_eq!(by_ours, verifies_with!(cpu, key, proof, public));
    by_ours
}

#[test]
fn every_shape_has_the_native_bytes_and_verifies() {
    for (name, circuits) in Shape::all() {
        let key = key_of(circuits[0].clone());
        let srs = load(&key).unwrap();
        let r = [Scalar::ZERO, Scalar::from(3), -Scalar::from(7)];
        let s = [Scalar::ZERO, Scalar::from(5), Scalar::from(u64::MAX).square()];

        // A batch, and then each circuit on its own.
        let batch = prove_ours(&srs, &circuits, &r, &s);
        assert_eq!(batch, prove_native(&key, &circuits, &r, &s), "{name}");
        for (i, circuit) in circuits.iter().enumerate() {
            let one = prove_ours(&srs, &circuits[i..=i], &r[i..=i], &s[i..=i]);
            assert_eq!(one[0], batch[i], "{name}, circuit {i}");
            let mut public = circuit.public();
            assert!(verifies(&key, &batch[i], &public), "{name}, circuit {i}");
            public[0] += Scalar::ONE;
            assert!(!verifies(&key, &batch[i], &public), "{name}, circuit {i}");
        }
    }
}

#[test]
fn keys_have_the_bytes_of_bellpersons_generator() {
    for (name, circuits) in Shape::all() {
        let [tau, alpha, beta, gamma, delta] = secrets();
        let circuit = circuits[0].clone();
        let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
        let key =
            cpu::generate_parameters::<Bls12, _>(circuit.clone(), g1, g2, alpha, beta, gamma, delta, tau);
        let mut theirs = Vec::new();
        key.unwrap().write(&mut theirs).unwrap();
        assert!(theirs == key_of(circuit), "{name}");
    }
}

#[test]
fn a_key_by_bellpersons_generator_proves() {
    // Its own secrets, so that nothing of this key comes from us.
    let circuit = Shape::all().swap_remove(4).1.swap_remove(0);
    let key = ours::generate_random_parameters::<Bls12, _, _>(circuit.clone(), &mut rand()).unwrap();
    let mut bytes = Vec::new();
    key.write(&mut bytes).unwrap();
    let srs = load(&bytes).unwrap();
    let proof = ours::create_random_proof(circuit.clone(), &srs, &mut rand()).unwrap();
    let proof = bytes_of!([proof]).swap_remove(0);
    assert!(verifies(&bytes, &proof, &circuit.public()));
}

fn rand() -> impl rand_core::RngCore {
    rand_core::OsRng
}

#[test]
fn a_wrong_witness_is_one_panic_that_names_the_row_and_the_next_proof_is_good() {
    let good = Shape::OneConstraint(OneConstraint::satisfied(3, 11));
    let mut wrong = OneConstraint::satisfied(3, 11);
    wrong.z += Scalar::ONE;
    let key = key_of(good.clone());
    let srs = load(&key).unwrap();
    let (r, s) = ([Scalar::ONE; 2], [Scalar::ONE; 2]);

    let circuits = [good.clone(), Shape::OneConstraint(wrong)];
    let panic = catch_unwind(AssertUnwindSafe(|| prove_ours(&srs, &circuits, &r, &s))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("circuit 1") && text.contains("constraint 0"),
        "{text}"
    );

    let proof = prove_ours(&srs, std::slice::from_ref(&good), &r[..1], &s[..1]);
    assert!(verifies(&key, &proof[0], &good.public()));
}

#[test]
fn another_circuits_key_is_one_panic_with_both_counts() {
    let srs = load(&key_of(Shape::all().swap_remove(1).1.swap_remove(0))).unwrap();
    let circuits = [Shape::OneConstraint(OneConstraint::satisfied(3, 11))];
    let prove = || prove_ours(&srs, &circuits, &[Scalar::ONE], &[Scalar::ONE]);
    let panic = catch_unwind(AssertUnwindSafe(prove)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("is 4 in the key and 2 in the circuit"), "{text}");
}

#[test]
fn a_corrupt_key_is_an_error_that_names_the_point() {
    let mut key = key_of(Shape::OneConstraint(OneConstraint::satisfied(3, 11)));
    // The last byte of l[1]'s y: after the head, ic of 2, h of 3 (a domain of 4) and their counts.
    let l1 = 868 + 2 * 96 + 4 + 3 * 96 + 4 + 96;
    key[l1 + 95] ^= 1;
    let error = load(&key).err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    assert!(
        error
            .to_string()
            .contains(&format!("section l, point 1, at byte {l1}")),
        "{error}"
    );
}

/// What supraseal-c2 logged: the records' texts.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.target() == "supraseal_c2"
    }

    fn log(&self, record: &log::Record) {
        if self.enabled(record.metadata()) {
            LOGGED.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// A key says where its proofs run; with `G16_REQUIRE_GPU=1` that is a device.
#[test]
fn proofs_run_on_a_device_where_one_is_required() {
    log::set_logger(&Listener).unwrap();
    log::set_max_level(log::LevelFilter::Info);
    load(&key_of(Shape::OneConstraint(OneConstraint::satisfied(3, 11)))).unwrap();
    let logged = LOGGED.lock().unwrap();
    let on = |text: &String| Some(text.split_once(" run on ")?.1.to_owned());
    let on = logged.iter().find_map(on).unwrap();
    println!("proofs run on {on}");
    if std::env::var_os("G16_REQUIRE_GPU").is_some_and(|value| value == "1") {
        assert!(!on.starts_with("the CPU"), "{on}");
    }
}
