//! A machine without a device gets a sentence, from the first call on. On a machine
//! with one there is nothing to show.
#![cfg(feature = "cuda")]

use sppark_fork::{CudaError, Device};

#[test]
fn without_a_device_the_first_call_says_so() {
    match Device::count() {
        Ok(n_devices) => {
            println!("not shown here: {n_devices} CUDA devices");
            let error = Device::open(n_devices).unwrap_err();
            assert!(matches!(error, CudaError::NoDevice { .. }), "{error}");
            assert!(
                error
                    .to_string()
                    .contains(&format!("device {n_devices} of {n_devices}")),
                "{error}"
            );
        }
        Err(error) => {
            println!("{error}");
            assert!(matches!(error, CudaError::NoDevice { .. }), "{error:?}");
            assert!(error.to_string().starts_with("no CUDA device: "), "{error}");
            assert_eq!(
                Device::open(0).unwrap_err().to_string(),
                error.to_string(),
                "and it says the same again"
            );
        }
    }
}
