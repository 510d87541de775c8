//! `.wtns`: no panic, a short error, and what is accepted is written and read back unchanged.
#![no_main]

use circom_formats::{read_wtns, write_wtns};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match read_wtns(bytes) {
    Err(e) => assert!(e.to_string().len() < 1024),
    Ok(witness) => {
        let mut written = Vec::new();
        write_wtns(&witness, &mut written).expect("what was read can be written");
        assert_eq!(read_wtns(&written), Ok(witness));
    }
});
