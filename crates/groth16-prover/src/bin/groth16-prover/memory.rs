//! Memory that is not to be had ends the program with its exit status for that, and not with a signal.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: OrExit = OrExit;

/// Whether the failure is to be told as JSON as well.
static JSON: AtomicBool = AtomicBool::new(false);

pub(crate) fn tell_as_json(json: bool) {
    JSON.store(json, Relaxed);
}

/// The system's allocator, but for what happens when it fails.
struct OrExit;

// SAFETY: every call is passed on to the system's allocator as it came, and its result is returned as it is,
// or not at all.
unsafe impl GlobalAlloc for OrExit {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, as for the others below.
        or_exit(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above
        or_exit(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_bytes: usize) -> *mut u8 {
        // SAFETY: as above
        or_exit(unsafe { System.realloc(memory, layout, new_bytes) }, new_bytes)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above
        unsafe { System.dealloc(memory, layout) }
    }
}

fn or_exit(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        exit(bytes);
    }
    memory
}

/// Temporary files stand nowhere but while an output is written, so there is next to nothing to clean up.
#[cold]
fn exit(bytes: usize) -> ! {
    // Formatting numbers allocates nothing, and standard error has no buffer.
    let _ = writeln!(
        std::io::stderr(),
        "error: out of memory: {bytes} bytes more are not to be had (`inspect` says what a proof needs)"
    );
    if JSON.load(Relaxed) {
        let _ = writeln!(
            std::io::stdout(),
            r#"{{"error":"out of memory: {bytes} bytes more are not to be had","error_kind":"device","ok":false}}"#
        );
    }
    std::process::exit(4)
}
