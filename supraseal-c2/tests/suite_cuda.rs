//! The suite that every backend passes, on the CUDA backend: on a card with feature `cuda` (skipped where
//! there is none), on two fake devices with `host-check`.
#![cfg(any(feature = "cuda", feature = "host-check"))]

#[cfg(feature = "host-check")]
mod fakes;

use supraseal_c2::backend::CudaBackend;

/// `None`, with the reason printed, where there is no device.
#[cfg(not(feature = "host-check"))]
fn backend() -> Option<CudaBackend> {
    match CudaBackend::new(&supraseal_c2::backend::CudaConfig::default()) {
        Ok(backend) => Some(backend),
        Err(error) if std::env::var_os("G16_REQUIRE_GPU").is_none() => {
            println!("{error}");
            None
        }
        Err(error) => panic!("G16_REQUIRE_GPU is set: {error}"),
    }
}

#[cfg(feature = "host-check")]
fn backend() -> Option<CudaBackend> {
    Some(CudaBackend::new(&fakes::on(&fakes::fakes(2))).expect("a backend on fake devices"))
}

backend_tests::backend_suite!(backend());
