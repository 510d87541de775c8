//! Which devices a backend uses.

use super::gpu::Gpu;
use super::host::Host;
use super::CudaConfig;
use sppark_fork::{CudaError, Device, Result};
use std::sync::Arc;

/// Opens those that the configuration names, or all.
pub(super) fn open(config: &CudaConfig, host: &Arc<Host>) -> Result<Vec<Arc<Gpu>>> {
    let n_devices = Device::count()?;
    let ordinals = match &config.gpus {
        Some(list) => list.clone(),
        None => (0..n_devices).collect(),
    };
    check_ordinals(&ordinals, n_devices)?;
    ordinals
        .iter()
        .map(|ordinal| Gpu::open(*ordinal, config, host))
        .collect()
}

fn check_ordinals(ordinals: &[u32], n_devices: u32) -> Result<()> {
    if ordinals.is_empty() {
        return Err(CudaError::NoDevice {
            what: "the list of devices is empty".into(),
        });
    }
    for (i, ordinal) in ordinals.iter().enumerate() {
        if *ordinal >= n_devices {
            let what = format!("device {ordinal} was asked for, and there are {n_devices}, from 0 on");
            return Err(CudaError::NoDevice { what });
        }
        if ordinals[..i].contains(ordinal) {
            return Err(CudaError::invalid(format!("device {ordinal} is listed twice")));
        }
    }
    Ok(())
}

/// One line: index, name, memory in all and free.
pub(super) fn describe(gpu: &Gpu) -> String {
    let info = gpu.device.info();
    let free = gpu
        .device
        .memory()
        .map_or_else(|e| e.to_string(), |m| format!("{} MiB free", m.free_bytes >> 20));
    format!(
        "{}: {}, {} MiB, {free}",
        gpu.device.ordinal(),
        info.name,
        info.total_bytes >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b081_lists_name_devices_that_are_there_once() {
        for good in [&[0][..], &[1], &[0, 1], &[2, 0]] {
            assert!(check_ordinals(good, 3).is_ok(), "{good:?}");
        }
        for (bad, words) in [
            (&[][..], "empty"),
            (&[3], "device 3 was asked for, and there are 3"),
            (&[0, 1, 0], "device 0 is listed twice"),
        ] {
            let error = check_ordinals(bad, 3).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
