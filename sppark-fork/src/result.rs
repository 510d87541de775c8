//! From the C ABI's error struct to [`CudaError`].

use crate::sys::{self, spf_error};
use crate::{CudaError, Result};
use std::ffi::c_char;

/// Runs one C call with an error struct of its own.
pub(crate) fn call(f: impl FnOnce(*mut spf_error) -> i32) -> Result<()> {
    let mut error = spf_error {
        kind: 0,
        code: 0,
        line: 0,
        reserved: 0,
        need_bytes: 0,
        free_bytes: 0,
        text: [0; 224],
    };
    match f(&mut error) {
        sys::SPF_OK => Ok(()),
        kind => Err(to_error(kind, &error)),
    }
}

fn to_error(kind: i32, error: &spf_error) -> CudaError {
    let what = text(&error.text);
    let code = error.code;
    match kind {
        sys::SPF_NO_DEVICE => CudaError::NoDevice { what },
        sys::SPF_OUT_OF_MEMORY => CudaError::OutOfMemory {
            need_bytes: error.need_bytes,
            free_bytes: (error.free_bytes != u64::MAX).then_some(error.free_bytes),
            what,
        },
        sys::SPF_LAUNCH => CudaError::Launch { code, what },
        sys::SPF_DEVICE => CudaError::Device { code, what },
        sys::SPF_INVALID => CudaError::Invalid { what },
        _ => CudaError::Internal { code, what },
    }
}

/// The zero-terminated text of a fixed array, whatever its bytes are.
pub(crate) fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars
        .iter()
        .map(|&c| c as u8)
        .take_while(|&byte| byte != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
