//! `.params` and `.vk`: no panic, a short error, and what is accepted is written and read back unchanged.
#![no_main]

use groth16_core::{Parameters, ParamsCheck, VerifyingKey};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match Parameters::from_bytes(bytes, ParamsCheck::Curve) {
        Err(e) => assert!(e.to_string().len() < 1024),
        Ok(parameters) => {
            let mut written = Vec::new();
            parameters.write(&mut written).expect("what was read can be written");
            assert_eq!(written, bytes);
        }
    }
    match VerifyingKey::from_bytes(bytes, ParamsCheck::Curve.point_check()) {
        Err(e) => assert!(e.to_string().len() < 1024),
        Ok(vk) => assert_eq!(vk.to_bytes(), bytes),
    }
});
