//! Keys and proofs equal bellperson's byte for byte, on random satisfiable circuits of
//! all shapes, for fixed secrets.

use bellpepper_core::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls_curves::{Bls12, G1Projective, G2Projective};
use bls_fields::Fr;
use ff::Field;
use groth16_core::circuit::assign_circuit;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::{Backend, Blinding, CpuBackend, Error, Job, OwnedAssignment, PreparedVerifyingKey, R1cs};
use group::Group;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::sync::Arc;

/// Terms as a circuit author writes them: wires may repeat, coefficients may be zero or cancel.
type Terms = Vec<(usize, Fr)>;

/// A circuit before anything is simplified. Its wires are ONE, public inputs, private wires.
#[derive(Clone)]
struct RawCircuit {
    n_inputs: usize,
    witness: Vec<Fr>,
    rows: Vec<[Terms; 3]>,
}

impl std::fmt::Debug for RawCircuit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (n_inputs, n_wires) = (self.n_inputs, self.witness.len());
        let n_rows = self.rows.len();
        write!(f, "{n_inputs} inputs of {n_wires} wires, {n_rows} rows")
    }
}

/// How a circuit is drawn.
#[derive(Clone, Debug)]
struct Shape {
    /// ONE among them
    n_inputs: usize,
    n_aux: usize,
    n_rows: usize,
    max_terms: usize,
    /// whether public inputs may stand in B
    inputs_in_b: bool,
    /// whether B may be empty everywhere
    empty_b: bool,
    seed: u64,
}

fn shapes() -> impl Strategy<Value = Shape> {
    let sizes = (
        1usize..8,
        prop_oneof![Just(0), 1usize..40],
        1usize..200,
        0usize..5,
    );
    (sizes, any::<bool>(), prop::bool::weighted(0.05), any::<u64>()).prop_map(
        |((n_inputs, n_aux, n_rows, max_terms), inputs_in_b, empty_b, seed)| Shape {
            n_inputs,
            n_aux,
            n_rows,
            max_terms,
            inputs_in_b,
            empty_b,
            seed,
        },
    )
}

impl Shape {
    fn draw(&self) -> RawCircuit {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let n_wires = self.n_inputs + self.n_aux;
        let mut witness: Vec<Fr> = (0..n_wires).map(|_| element(&mut rng)).collect();
        witness[0] = Fr::ONE;
        let mut circuit = RawCircuit {
            n_inputs: self.n_inputs,
            witness,
            rows: Vec::new(),
        };
        for _ in 0..self.n_rows {
            let a = self.terms(&mut rng, 0);
            let first_of_b = if self.inputs_in_b { 0 } else { self.n_inputs };
            let b = if self.empty_b {
                vec![]
            } else {
                self.terms(&mut rng, first_of_b)
            };
            let c = self.terms(&mut rng, 0);
            circuit.push(a, b, c);
        }
        circuit
    }

    /// Up to `max_terms` terms, sometimes one of them again, sometimes with the opposite sign.
    fn terms(&self, rng: &mut ChaCha8Rng, first_wire: usize) -> Terms {
        let n_wires = self.n_inputs + self.n_aux;
        let mut terms = Terms::new();
        if first_wire == n_wires {
            return terms;
        }
        for _ in 0..below(rng, self.max_terms + 1) {
            let wire = first_wire + below(rng, n_wires - first_wire);
            terms.push((wire, element(rng)));
        }
        if let (Some(&(wire, value)), true) = (terms.last(), below(rng, 8) == 0) {
            let again = match below(rng, 3) {
                0 => value,
                1 => -value,
                _ => element(rng),
            };
            terms.insert(below(rng, terms.len()), (wire, again));
        }
        terms
    }
}

/// Zeros, ones and small values as often as full ones.
fn element(rng: &mut ChaCha8Rng) -> Fr {
    match below(rng, 6) {
        0 => Fr::ZERO,
        1 => Fr::ONE,
        2 => -Fr::ONE,
        3 => Fr::from(u64::from(rng.next_u32())),
        _ => Fr::random(rng),
    }
}

fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    (rng.next_u64() % bound as u64) as usize
}

impl RawCircuit {
    /// Adds a row, and to its C what makes it hold.
    fn push(&mut self, a: Terms, b: Terms, mut c: Terms) {
        let value = |terms: &Terms| -> Fr { terms.iter().map(|(wire, k)| self.witness[*wire] * k).sum() };
        let rest = value(&a) * value(&b) - value(&c);
        if !rest.is_zero_vartime() {
            c.push((0, rest));
        }
        self.rows.push([a, b, c]);
    }

    fn n_aux(&self) -> usize {
        self.witness.len() - self.n_inputs
    }

    fn r1cs(&self) -> R1cs {
        let matrix = |which: usize| {
            let mut matrix = SparseMatrix::default();
            for row in &self.rows {
                matrix.push_row(row[which].iter().map(|(wire, k)| (*wire as u32, *k)));
            }
            matrix
        };
        R1cs::new(self.n_inputs, self.n_aux(), matrix(0), matrix(1), matrix(2)).unwrap()
    }

    /// Adds a row with every private wire that no row has.
    fn constrain_all(&mut self) {
        let mut unused = Terms::new();
        while let Some(wire) = self.r1cs().first_unconstrained_wire() {
            unused.push((wire, Fr::ONE));
            self.rows
                .push([unused.split_off(unused.len() - 1), vec![], vec![]]);
        }
    }
}

impl Circuit<Fr> for RawCircuit {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let (inputs, aux) = self.witness.split_at(self.n_inputs);
        for value in &inputs[1..] {
            cs.alloc_input(|| "", || Ok(*value))?;
        }
        for value in aux {
            cs.alloc(|| "", || Ok(*value))?;
        }
        let combination = |terms: &Terms| {
            terms.iter().fold(LinearCombination::zero(), |sum, (wire, k)| {
                let index = match wire.checked_sub(self.n_inputs) {
                    None => Index::Input(*wire),
                    Some(aux) => Index::Aux(aux),
                };
                sum + (*k, Variable::new_unchecked(index))
            })
        };
        for [a, b, c] in &self.rows {
            cs.enforce(|| "", |_| combination(a), |_| combination(b), |_| combination(c));
        }
        Ok(())
    }
}

type BellpersonKey = bellperson::groth16::Parameters<Bls12>;

fn bellperson_key(
    circuit: RawCircuit,
    [tau, alpha, beta, gamma, delta]: [Fr; 5],
) -> Result<BellpersonKey, SynthesisError> {
    let (g1, g2) = (G1Projective::generator(), G2Projective::generator());
    bellperson::groth16::generate_parameters(circuit, g1, g2, alpha, beta, gamma, delta, tau)
}

fn our_proof(
    srs: &Arc<dyn groth16_core::LoadedSrs>,
    assignment: OwnedAssignment,
    blinding: Blinding,
) -> groth16_core::Proof {
    let job = Job::new(&**srs, vec![(assignment, blinding)]).unwrap();
    CpuBackend.submit(srs, job).unwrap().wait().unwrap()[0]
}

fn check(shape: &Shape) -> Result<(), TestCaseError> {
    let mut circuit = shape.draw();
    let mut rng = ChaCha8Rng::seed_from_u64(!shape.seed);
    let secrets: [Fr; 5] = std::array::from_fn(|_| Fr::random(&mut rng));
    let waste = ToxicWaste::insecure_from_elements(secrets);

    if let Some(wire) = circuit.r1cs().first_unconstrained_wire() {
        let ours = generate_parameters(&circuit.r1cs(), &waste).map(|_| ());
        let is_named = matches!(ours, Err(Error::UnconstrainedWire { wire: named }) if named == wire);
        prop_assert!(is_named, "{wire} is unconstrained: {ours:?}");
        prop_assert!(bellperson_key(circuit.clone(), secrets).is_err());
        circuit.constrain_all();
    }

    let r1cs = circuit.r1cs();
    let key = generate_parameters(&r1cs, &waste).unwrap();
    let their_key = bellperson_key(circuit.clone(), secrets).unwrap();
    let (mut bytes, mut their_bytes) = (Vec::new(), Vec::new());
    key.write(&mut bytes).unwrap();
    their_key.write(&mut their_bytes).unwrap();
    prop_assert!(bytes == their_bytes, "the keys differ");

    let vk = PreparedVerifyingKey::from(&key.vk);
    let srs = CpuBackend.load_srs(&key.into()).unwrap();
    let public = &circuit.witness[1..circuit.n_inputs];
    for blinding in [
        Blinding {
            r: Fr::ZERO,
            s: Fr::ZERO,
        },
        Blinding {
            r: Fr::from(3),
            s: Fr::from(5),
        },
        Blinding::random(&mut rng),
    ] {
        let Blinding { r, s } = blinding;
        let theirs = bellperson::groth16::create_proof(circuit.clone(), &their_key, r, s).unwrap();
        let mut expected = Vec::new();
        theirs.write(&mut expected).unwrap();

        let from_r1cs = r1cs.assign(&circuit.witness).unwrap();
        let from_r1cs = our_proof(&srs, from_r1cs, blinding);
        let from_circuit = our_proof(&srs, assign_circuit(circuit.clone()).unwrap(), blinding);
        prop_assert_eq!(from_r1cs.to_bytes().to_vec(), &expected[..], "from the R1CS");
        prop_assert_eq!(
            from_circuit.to_bytes().to_vec(),
            &expected[..],
            "from the circuit"
        );
        // With r = s = 0 a proof may have infinity in it, which no verifier accepts.
        if !r.is_zero_vartime() {
            prop_assert!(vk.verify(&from_r1cs, public).unwrap(), "does not verify");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn keys_and_proofs_equal_bellpersons(shape in shapes()) {
        check(&shape)?;
    }
}

/// Shapes that random draws may miss.
#[test]
fn corner_shapes_equal_bellpersons() {
    let base = Shape {
        n_inputs: 2,
        n_aux: 3,
        n_rows: 1,
        max_terms: 3,
        inputs_in_b: true,
        empty_b: false,
        seed: 0,
    };
    let corners = [
        base.clone(),
        Shape {
            n_inputs: 1,
            n_aux: 0,
            ..base.clone()
        },
        Shape {
            n_aux: 0,
            n_rows: 5,
            ..base.clone()
        },
        Shape {
            empty_b: true,
            n_rows: 6,
            ..base.clone()
        },
        Shape {
            max_terms: 0,
            n_rows: 6,
            ..base.clone()
        },
        Shape {
            inputs_in_b: false,
            n_rows: 9,
            ..base.clone()
        },
        // 2^k - 1, 2^k and 2^k + 1 rows with their two input-consistency rows
        Shape {
            n_rows: 61,
            ..base.clone()
        },
        Shape {
            n_rows: 62,
            ..base.clone()
        },
        Shape { n_rows: 63, ..base },
    ];
    for shape in corners {
        for seed in 0..4 {
            let shape = Shape {
                seed,
                ..shape.clone()
            };
            check(&shape).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        }
    }
}

/// Two of the bench's own circuits, so that what is measured is known to be the same proof.
#[test]
fn bench_shapes_equal_bellpersons() {
    for (log_n, full) in [(6, 0.2), (8, 0.98)] {
        let (r1cs, witness) = bench_shapes::BenchShape::new(log_n, full)
            .unwrap()
            .generate(3)
            .unwrap();
        let rows = (0..r1cs.n_constraints()).map(|i| {
            r1cs.matrices()
                .map(|matrix| matrix.row(i).map(|(wire, k)| (wire as usize, *k)).collect())
        });
        let circuit = RawCircuit {
            n_inputs: r1cs.n_inputs(),
            rows: rows.collect(),
            witness,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let secrets: [Fr; 5] = std::array::from_fn(|_| Fr::random(&mut rng));
        let key = generate_parameters(&r1cs, &ToxicWaste::insecure_from_elements(secrets)).unwrap();
        let their_key = bellperson_key(circuit.clone(), secrets).unwrap();
        let blinding = Blinding::random(&mut rng);
        let theirs =
            bellperson::groth16::create_proof(circuit.clone(), &their_key, blinding.r, blinding.s).unwrap();
        let mut expected = Vec::new();
        theirs.write(&mut expected).unwrap();
        let srs = CpuBackend.load_srs(&key.into()).unwrap();
        let ours = our_proof(&srs, assign_circuit(circuit).unwrap(), blinding);
        assert_eq!(ours.to_bytes().to_vec(), expected, "2^{log_n}, {full} full");
    }
}
