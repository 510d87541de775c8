//! A backend on two fake devices, for tests of what devices do for each other.

use super::{CudaBackend, CudaConfig};
use sppark_fork::fake::FakeDevice;

/// Opens it with `more` of a configuration; its inputs go up in blocks of a page or so.
pub(super) fn open(more: CudaConfig) -> ([FakeDevice; 2], CudaBackend) {
    let fakes = [0, 1].map(|seed| FakeDevice::new(1 << 30, seed));
    let config = CudaConfig {
        gpus: Some(fakes.iter().map(|fake| fake.ordinal).collect()),
        staging_bytes: Some(4096),
        ..more
    };
    (fakes, CudaBackend::new(&config).unwrap())
}
