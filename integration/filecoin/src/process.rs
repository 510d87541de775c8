//! What the kernel says of this process.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fs;

/// The most memory that was resident at once, mapped files included, in MiB.
pub fn peak_mib() -> Result<u64> {
    Ok(status("VmHWM")? / 1024)
}

/// Seconds of all cores together that this process has used, which other processes change less than the clock's.
pub fn cpu_s() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a local that may be written; the kernel keeps no pointer to it.
    let rc = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(rc, 0, "every process has this clock");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What a proof should leave as it found it.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Held {
    /// allocated and not freed
    pub heap_kib: u64,
    /// resident and no file's, after free memory was given back as far as the allocator can
    pub anonymous_kib: u64,
    pub peak_kib: u64,
    pub threads: u64,
    pub files: usize,
}

impl Held {
    pub fn now() -> Result<Self> {
        // SAFETY: both take no pointer, and may be called by any thread at any time.
        let heap = unsafe {
            libc::malloc_trim(0);
            libc::mallinfo2()
        };
        Ok(Held {
            heap_kib: ((heap.uordblks + heap.hblkhd) / 1024) as u64,
            anonymous_kib: status("RssAnon")?,
            peak_kib: status("VmHWM")?,
            threads: status("Threads")?,
            files: fs::read_dir("/proc/self/fd")?.count(),
        })
    }
}

fn status(field: &str) -> Result<u64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
        .with_context(|| format!("/proc/self/status has no {field}"))?;
    let number = line.split_whitespace().next().context("a field has a value")?;
    Ok(number.parse()?)
}
