//! The suite that every backend passes, on the CUDA backend: on a card with feature `cuda` (skipped where there is none), on
//! the fake runtime with `host-check`.
#![cfg(any(feature = "cuda", feature = "host-check"))]

use supraseal_c2::backend::{CudaBackend, CudaConfig};

/// `None`, with the reason printed, where there is no device.
fn backend() -> Option<CudaBackend> {
    let config = CudaConfig {
        // The fake runtime has no device until one is made.
        #[cfg(feature = "host-check")]
        gpus: Some(vec![supraseal_c2::backend::fake_device()]),
        ..CudaConfig::default()
    };
    match CudaBackend::new(&config) {
        Ok(backend) => Some(backend),
        Err(error) if std::env::var_os("G16_REQUIRE_GPU").is_none() => {
            println!("{error}");
            None
        }
        Err(error) => panic!("G16_REQUIRE_GPU is set: {error}"),
    }
}

backend_tests::backend_suite!(backend());
