//! The arguments by which Curio's engine says when and where to compute. The first has nothing to say here.

use crate::handles::Handles;
use core::ffi::c_void;

static MUTEXES: Handles<()> = Handles::new();

/// A handle for `gpu_mtx`. Give it back with [`free_gpu_mutex`].
///
/// The fork's callers serialise its kernels with it. Here the backend itself does, for each device and for
/// the kernels alone, so that one proof's inputs go up while another's kernels run; a mutex held around both
/// would only take that away. So it is checked, and not locked.
pub fn alloc_gpu_mutex() -> *mut c_void {
    MUTEXES.give(())
}

/// Ends a handle of [`alloc_gpu_mutex`]. Proofs that were started with it are not affected. Null does
/// nothing; what is not such a handle, or not any more, is reported in the log and does nothing else.
///
/// # Safety
/// `unsafe` as the fork's is. There is nothing that a caller could break.
pub unsafe fn free_gpu_mutex(ptr: *mut c_void) {
    // No panic: this is called from destructors.
    if !ptr.is_null() && MUTEXES.take(ptr).is_none() {
        tracing::error!(
            target: "supraseal_c2",
            "free_gpu_mutex: {ptr:?} was never given by alloc_gpu_mutex, or is freed already"
        );
    }
}

/// Checks `gpu_mtx`, and gives the device that `gpu_index` asks for, if it asks for one; the text says what is wrong.
pub(crate) fn device(gpu_mtx: *mut c_void, gpu_index: i32) -> Result<Option<usize>, String> {
    if !gpu_mtx.is_null() && !MUTEXES.holds(gpu_mtx) {
        return Err(format!(
            "gpu_mtx is {gpu_mtx:?}, which alloc_gpu_mutex never gave, or which is freed: pass null or a live handle"
        ));
    }
    match gpu_index {
        -1 => Ok(None),
        index => usize::try_from(index)
            .map(Some)
            .map_err(|_| format!("gpu_index is {index}: pass -1, or a device's index from 0 on")),
    }
}
