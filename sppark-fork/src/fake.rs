//! Controls of the fake CUDA runtime: fake devices, failures at the n-th call, lists of what is alive.
//!
//! Every test makes a device of its own, so tests do not see each other.

use crate::result::text;
use std::ffi::c_char;

extern "C" {
    fn spf_fake_device_create(total_bytes: u64, seed: u64) -> u32;
    fn spf_fake_calls(device: u32) -> u64;
    fn spf_fake_fail_at(device: u32, n: u64, code: i32);
    fn spf_fake_alive(device: u32) -> u64;
    fn spf_fake_bytes(device: u32) -> u64;
    fn spf_fake_hazards(device: u32) -> u64;
    fn spf_fake_describe(device: u32, text: *mut c_char, text_bytes: u64);
}

/// A fake device; its number opens a [`crate::Device`].
#[derive(Clone, Copy, Debug)]
pub struct FakeDevice {
    /// The device's number.
    pub ordinal: u32,
}

/// `cudaErrorInvalidValue`.
pub const INVALID_VALUE: i32 = 1;
/// `cudaErrorMemoryAllocation`.
pub const OUT_OF_MEMORY: i32 = 2;
/// `cudaErrorIllegalAddress`, after which a context is lost.
pub const ILLEGAL_ADDRESS: i32 = 700;

impl FakeDevice {
    /// A device with `total_bytes` of memory. `seed % 3` chooses when pending work runs: 0 at the last
    /// moment, 1 at once, 2 shuffled among the streams.
    pub fn new(total_bytes: u64, seed: u64) -> FakeDevice {
        // SAFETY: takes plain numbers.
        let ordinal = unsafe { spf_fake_device_create(total_bytes, seed) };
        FakeDevice { ordinal }
    }

    /// Runtime calls since creation or since the last [`FakeDevice::fail_at`].
    pub fn calls(self) -> u64 {
        // SAFETY: takes a plain number, checked on the other side.
        unsafe { spf_fake_calls(self.ordinal) }
    }

    /// Makes the n-th call from now fail with a CUDA code; 0 makes none fail, and heals a lost context.
    pub fn fail_at(self, n: u64, code: i32) {
        // SAFETY: takes plain numbers.
        unsafe { spf_fake_fail_at(self.ordinal, n, code) }
    }

    /// Allocations, pinned and registered blocks, streams and events alive.
    pub fn alive(self) -> u64 {
        // SAFETY: as above.
        unsafe { spf_fake_alive(self.ordinal) }
    }

    /// Device bytes allocated.
    pub fn bytes(self) -> u64 {
        // SAFETY: as above.
        unsafe { spf_fake_bytes(self.ordinal) }
    }

    /// Unordered accesses and misuse found so far.
    pub fn hazards(self) -> u64 {
        // SAFETY: as above.
        unsafe { spf_fake_hazards(self.ordinal) }
    }

    /// What is alive and what was found, in words.
    pub fn describe(self) -> String {
        let mut buffer = [0 as c_char; 4096];
        // SAFETY: the buffer has the length given.
        unsafe { spf_fake_describe(self.ordinal, buffer.as_mut_ptr(), buffer.len() as u64) };
        text(&buffer)
    }
}
