//! `.r1cs`: no panic, a short error, and what is accepted is written and read back unchanged.
#![no_main]

use circom_formats::{read_r1cs, write_r1cs};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match read_r1cs(bytes) {
    Err(e) => assert!(e.to_string().len() < 1024),
    Ok(r1cs) => {
        let mut written = Vec::new();
        write_r1cs(&r1cs, &mut written).expect("what was read can be written");
        assert_eq!(read_r1cs(&written).as_ref(), Ok(&r1cs));
    }
});
