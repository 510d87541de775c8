//! CPU time, wall time and memory of this process, from the kernel's books.

use crate::Result;
use std::fs;
use std::time::Instant;

/// User and system seconds of all threads of this process so far.
pub fn cpu_seconds() -> f64 {
    // SAFETY: rusage is plain integers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage of the size that the call expects.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// What one piece of work took.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub wall_s: f64,
    pub cpu_s: f64,
}

/// Runs `work` and says what it took. CPU time counts every thread of the process,
/// so nothing else may run in it.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, Time) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let cpu_s = cpu_seconds() - cpu;
    let wall_s = start.elapsed().as_secs_f64();
    (result, Time { wall_s, cpu_s })
}

/// Resident bytes now, after what the allocator holds back for later has been given back.
pub fn resident_bytes() -> Result<u64> {
    // SAFETY: takes no pointers; gives free pages of the heap back to the kernel.
    unsafe { libc::malloc_trim(0) };
    status_field("VmRSS:")
}

/// Lets [`peak_resident_bytes`] count from here.
pub fn reset_peak() -> Result<()> {
    Ok(fs::write("/proc/self/clear_refs", "5")?)
}

/// The most resident bytes since [`reset_peak`].
pub fn peak_resident_bytes() -> Result<u64> {
    status_field("VmHWM:")
}

fn status_field(name: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or_else(|| format!("/proc/self/status has no {name}"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

/// Processes that want a core, on average over the last minute: 0 is a quiet machine.
pub fn load() -> Result<f64> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').next().unwrap_or_default().parse()?)
}

/// The middle value, of an even number the mean of the two.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    (sorted[n / 2] + sorted[(n - 1) / 2]) / 2.0
}
