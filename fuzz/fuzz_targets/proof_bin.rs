//! The 192 bytes of a proof: no panic, a short error, and what is accepted has one encoding.
#![no_main]

use groth16_core::Proof;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match Proof::from_bytes(bytes) {
    Err(e) => assert!(e.to_string().len() < 1024),
    Ok(proof) => assert_eq!(proof.to_bytes(), bytes),
});
