//! Multi-scalar multiplications in as much workspace as there is.

use super::parts::Part;
use sppark_fork::{add_workspace_bytes, msm_workspace_bytes, Accumulation, MsmConfig, Result, G1, G2};

/// Batches below this are taken only by workspaces that no plan makes.
const LEAST_BATCH: usize = 1 << 16;
/// Digits that an MSM sorts at a time by itself, at most, as a logarithm.
const LOG_MOST_ENTRIES: u32 = 28;

/// The soonest configuration for `n_terms` terms whose workspace is within `limit_bytes`.
///
/// First the additions that take least workspace are chosen; then fewer windows are sorted at a time, which reads the scalars more
/// often; then the terms are cut into batches, each with buckets to reduce.
///
/// # Errors
/// As the MSM's.
pub(super) fn fit(part: Part, n_terms: usize, n_multiprocessors: u32, limit_bytes: u64) -> Result<MsmConfig> {
    let mut batch = n_terms.max(1);
    let ample = MsmConfig {
        max_batch_points: batch as u64,
        ..MsmConfig::default()
    };
    if msm_bytes(part, n_terms, &ample, n_multiprocessors)? <= limit_bytes {
        return Ok(ample);
    }
    loop {
        let mut config = MsmConfig {
            max_batch_points: batch as u64,
            accumulation: Accumulation::Extended,
            ..ample
        };
        let fewer = (log_one_window(batch)..LOG_MOST_ENTRIES)
            .rev()
            .map(|log| 1 << log);
        for max_group_entries in std::iter::once(0).chain(fewer) {
            config.max_group_entries = max_group_entries;
            if msm_bytes(part, n_terms, &config, n_multiprocessors)? <= limit_bytes {
                return Ok(config);
            }
        }
        if batch == 1 {
            return Ok(config); // the MSM itself says how much it lacks
        }
        // The powers of two that `least_bytes` looks at.
        batch = batch.next_power_of_two() / 2;
    }
}

/// Digits of one window of so many points, both halves, as a logarithm.
fn log_one_window(n_points: usize) -> u32 {
    (2 * n_points).ilog2()
}

/// Workspace with which no sum over up to `n_terms` terms of the part is held back.
pub(super) fn ample_bytes(part: Part, n_terms: usize, n_multiprocessors: u32) -> Result<u64> {
    let msm = msm_bytes(part, n_terms, &MsmConfig::default(), n_multiprocessors)?;
    Ok(msm.max(add_bytes(part, n_terms, n_multiprocessors)?))
}

/// Terms of the largest sum that is worth a stream of its own. Below, a sum is many short kernels that leave most of the device idle;
/// above, two at once are no sooner than one after the other, or later. Emulated devices have both kinds among their few terms.
pub(super) const MOST_TERMS_BESIDE: usize = if cfg!(feature = "host-check") { 16 } else { 1 << 18 };

/// Workspace with which no sum over at most [`MOST_TERMS_BESIDE`] of `n_points` points of the part is held back, nor one of points alone.
pub(super) fn beside_bytes(part: Part, n_points: usize, n_multiprocessors: u32) -> Result<u64> {
    let n_terms = n_points.min(MOST_TERMS_BESIDE);
    let ample = ample_bytes(part, n_terms, n_multiprocessors)?;
    let least = least_bytes(part, n_terms, n_multiprocessors)?;
    Ok(ample
        .max(least)
        .max(add_bytes(part, n_points, n_multiprocessors)?))
}

/// Workspace with which such a sum is still reasonable: in batches of a power of two, one window at a time. A smaller batch may
/// need more than a larger one, since its windows may be wider.
pub(super) fn least_bytes(part: Part, n_terms: usize, n_multiprocessors: u32) -> Result<u64> {
    let one_window = MsmConfig {
        max_group_entries: 1,
        accumulation: Accumulation::Extended,
        ..MsmConfig::default()
    };
    let mut least = add_bytes(part, n_terms, n_multiprocessors)?;
    for log_batch in 0..=n_terms.clamp(1, LEAST_BATCH).ilog2() {
        least = least.max(msm_bytes(part, 1 << log_batch, &one_window, n_multiprocessors)?);
    }
    Ok(least)
}

fn msm_bytes(part: Part, n_terms: usize, config: &MsmConfig, n_multiprocessors: u32) -> Result<u64> {
    match part {
        Part::BG2 => msm_workspace_bytes::<G2>(n_terms, config, n_multiprocessors),
        _ => msm_workspace_bytes::<G1>(n_terms, config, n_multiprocessors),
    }
}

fn add_bytes(part: Part, n_points: usize, n_multiprocessors: u32) -> Result<u64> {
    match part {
        Part::BG2 => add_workspace_bytes::<G2>(n_points, n_multiprocessors),
        _ => add_workspace_bytes::<G1>(n_points, n_multiprocessors),
    }
}
