//! The suite that every backend passes, on the reference.

backend_tests::backend_suite!(Some(groth16_core::CpuBackend));

use backend_tests::toy::*;
use groth16_core::setup;

#[test]
fn setup_makes_the_published_keys() {
    for (name, r1cs) in [("mul", mul()), ("zero", zero()), ("binp", binp())] {
        let mut bytes = Vec::new();
        let parameters = setup::generate_parameters(&r1cs, &toy_waste()).unwrap();
        parameters.write(&mut bytes).unwrap();
        assert_eq!(bytes, vector_bytes(&format!("{name}.params")), "{name}");
        assert_eq!(bytes.len() as u64, parameters.encoded_bytes());
    }
}
