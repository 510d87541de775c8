//! `proof.json`: no panic, a short error, and what is accepted is written and read back unchanged.
#![no_main]

use circom_formats::{read_proof_json, write_proof_json};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match read_proof_json(bytes) {
    Err(e) => assert!(e.to_string().len() < 1024),
    Ok(value) => assert_eq!(read_proof_json(write_proof_json(&value).as_bytes()), Ok(value)),
});
