//! Threads of the host that copy and decode for the devices.

use super::error::NAME;
use groth16_core::{Error, Result};
use std::sync::Mutex;
use std::thread::JoinHandle;

/// A rayon pool of the backend's own, whose threads end with it.
///
/// The caller's pool will not do. Whoever holds a slot or a lock and waits for a share of rayon's work may be given
/// another proof to start meanwhile, on the same stack, which then waits for that very slot: a deadlock (B087). Here nothing runs
/// but loops that wait for nobody, and whoever calls [`HostPool::install`] is no thread of a rayon pool.
pub(super) struct HostPool {
    /// there until `drop`
    pool: Option<rayon::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl HostPool {
    /// `n_threads` threads, or one for each core.
    pub(super) fn new(n_threads: Option<usize>) -> Result<Self> {
        let threads = Mutex::new(Vec::new());
        let built = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads.unwrap_or(0))
            .spawn_handler(|thread| {
                let name = format!("groth16-{NAME}-host-{}", thread.index());
                let handle = std::thread::Builder::new().name(name).spawn(|| thread.run())?;
                threads.lock().unwrap_or_else(|e| e.into_inner()).push(handle);
                Ok(())
            })
            .build();
        let threads = threads.into_inner().unwrap_or_else(|e| e.into_inner());
        match built {
            Ok(pool) => Ok(HostPool {
                pool: Some(pool),
                threads,
            }),
            Err(source) => {
                join_all(threads); // rayon has told those to end that did start
                Err(Error::Backend {
                    backend: NAME,
                    stage: "start of threads",
                    source: source.into(),
                })
            }
        }
    }

    /// Runs a loop in the pool. It must not wait for a lock, a slot or a device.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for HostPool {
    fn drop(&mut self) {
        self.pool = None;
        join_all(std::mem::take(&mut self.threads));
    }
}

fn join_all(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        let _ = thread.join(); // a panic went to whoever called `install`
    }
}
