//! `public.json`: no panic, a short error, and what is accepted is written and read back unchanged.
#![no_main]

use circom_formats::{read_public_json, write_public_json};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match read_public_json(bytes) {
    Err(e) => assert!(e.to_string().len() < 1024),
    Ok(value) => assert_eq!(read_public_json(write_public_json(&value).as_bytes()), Ok(value)),
});
