use crate::{Error, Pending, Proof, Result};
use std::thread::JoinHandle;
use std::time::Duration;

/// Runs `work` on a thread of its own and hands out the means to wait for it: what a backend's
/// [`submit`](crate::Backend::submit) returns.
///
/// # Errors
/// [`Error::Backend`] if the thread cannot be started.
pub fn spawn_pending(
    backend: &'static str,
    work: impl FnOnce() -> Result<Vec<Proof>> + Send + 'static,
) -> Result<Box<dyn Pending>> {
    let spawned = std::thread::Builder::new()
        .name(format!("groth16-{backend}-job"))
        .spawn(work);
    let thread = spawned.map_err(|source| Error::Backend {
        backend,
        stage: "start of a thread",
        source: source.into(),
    })?;
    Ok(Box::new(PendingThread(Some(thread))))
}

/// Proofs under way on a thread of their own.
struct PendingThread(Option<JoinHandle<Result<Vec<Proof>>>>);

impl Pending for PendingThread {
    fn wait(mut self: Box<Self>) -> Result<Vec<Proof>> {
        match self.0.take().map(join) {
            Some(Ok(proofs)) => proofs,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(Vec::new()),
        }
    }
}

impl Drop for PendingThread {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // A panic of the job surfaces in `wait`; whoever drops instead does not want its result.
            let _ = join(thread);
        }
    }
}

/// Waits for a job's thread, which works in rayon's global pool. If the caller is one of that pool's workers,
/// it does work of the pool meanwhile: else the job could wait for the worker that waits for it.
fn join<T>(thread: JoinHandle<T>) -> std::thread::Result<T> {
    const PAUSE: Duration = Duration::from_micros(200);
    while !thread.is_finished() {
        match rayon::yield_now() {
            None => break,
            Some(rayon::Yield::Executed) => {}
            Some(rayon::Yield::Idle) => std::thread::sleep(PAUSE),
        }
    }
    thread.join()
}
