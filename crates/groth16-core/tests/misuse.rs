//! What a caller can get wrong without the compiler's noticing: each is a typed error.

use bellpepper_core::{Circuit, ConstraintSystem, Index, SynthesisError, Variable};
use bls_fields::Fr;
use groth16_core::circuit::{assign_circuit, r1cs_of_circuit};
use groth16_core::domain::DomainError;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::*;

/// x·1 = x, with a variable in B that is of no allocation of this circuit.
struct WithVariable(Index);

impl Circuit<Fr> for WithVariable {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let x = cs.alloc(|| "x", || Ok(Fr::from(5)))?;
        let y = cs.alloc(|| "y", || Ok(Fr::from(6)))?;
        cs.enforce(|| "good", |lc| lc + x, |lc| lc + CS::one(), |lc| lc + x);
        let other = Variable::new_unchecked(self.0);
        cs.enforce(|| "bad", |lc| lc + y, |lc| lc + other, |lc| lc + y);
        Ok(())
    }
}

#[test]
fn a_variable_of_another_circuit_is_an_error() {
    for index in [
        Index::Input(1),
        Index::Input(2),
        Index::Aux(2),
        Index::Aux(usize::MAX),
    ] {
        let error = assign_circuit(WithVariable(index)).err().unwrap();
        assert!(
            matches!(
                error,
                Error::ForeignVariable {
                    constraint: 1,
                    matrix: "B"
                }
            ),
            "{index:?}: {error}"
        );
    }
    // Inputs would be taken for private wires.
    for index in [Index::Input(1), Index::Input(2)] {
        let error = r1cs_of_circuit(WithVariable(index)).err().unwrap();
        assert!(
            matches!(
                error,
                Error::ForeignVariable {
                    constraint: 1,
                    matrix: "B"
                }
            ),
            "{index:?}: {error}"
        );
    }
    assert!(matches!(
        r1cs_of_circuit(WithVariable(Index::Aux(2))),
        Err(Error::WireIndex { constraint: 1, .. })
    ));
}

#[test]
fn more_wires_than_32_bits_number_are_an_error() {
    let empty = SparseMatrix::default;
    for (n_inputs, n_aux) in [(1, usize::MAX), (1 << 31, (1 << 31) + 1), (usize::MAX, 0)] {
        let result = R1cs::new(n_inputs, n_aux, empty(), empty(), empty());
        assert!(
            matches!(result, Err(Error::TooManyWires { .. })),
            "{n_inputs} {n_aux}"
        );
    }
}

#[test]
fn a_key_without_points_for_its_inputs_verifies_nothing_and_does_not_panic() {
    let r1cs = backend_tests::toy::mul();
    let waste = ToxicWaste::insecure_from_seed(1);
    let parameters = generate_parameters(&r1cs, &waste).unwrap();
    let srs = CpuBackend.load_srs(&parameters.clone().into()).unwrap();
    let assignment = r1cs.assign(&backend_tests::toy::mul_witness()).unwrap();
    let blinding = Blinding {
        r: Fr::from(1),
        s: Fr::from(2),
    };
    let proofs = CpuBackend.prove_scoped(&srs, &[assignment.as_assignment()], &[blinding]);
    let mut vk = parameters.vk;
    vk.ic.clear();
    for public in [&[][..], &[Fr::from(33)]] {
        assert!(matches!(
            PreparedVerifyingKey::from(&vk).verify(&proofs.as_ref().unwrap()[0], public),
            Err(Error::PublicInputCount { .. })
        ));
    }
}

#[test]
fn lack_of_memory_is_not_taken_for_bad_input() {
    let lack = DomainError::OutOfMemory {
        log_n: 30,
        bytes: 1 << 34,
    };
    assert_eq!(Error::from(lack).kind(), ErrorKind::Device);
    let map = |kind: std::io::ErrorKind| Error::Io {
        what: "map",
        path: "a/file".into(),
        source: kind.into(),
    };
    assert_eq!(map(std::io::ErrorKind::OutOfMemory).kind(), ErrorKind::Device);
    assert_eq!(map(std::io::ErrorKind::NotFound).kind(), ErrorKind::Input);
    let rows = DomainError::TooManyRows { rows: usize::MAX };
    assert!(matches!(Error::from(rows), Error::TooManyRows { .. }));
    assert_eq!(Error::from(rows).kind(), ErrorKind::Input);
}
