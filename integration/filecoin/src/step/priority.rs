use super::accept::check;
use crate::kind::Kind;
use anyhow::Result;
use std::fs::create_dir;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Of the kind without priority.
const N_PROOFS: usize = 3;

/// B091: proofs of `kind`, which has no priority, end while proofs with priority keep coming: nothing is pre-empted.
/// Returns how many of those were made meanwhile.
pub(super) fn run(folder: &Path, kind: Kind) -> Result<usize> {
    let (low, high) = (folder.join("low"), folder.join("high"));
    create_dir(&low)?;
    create_dir(&high)?;
    let low = kind.prepare(&low)?;
    let high = Kind::Winning.prepare(&high)?;
    // Both keys are loaded before the race.
    check(&*low, &low.prove()?)?;
    check(&*high, &high.prove()?)?;
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let priority = scope.spawn(|| {
            let mut n_made = 0;
            while !ended.load(Ordering::Relaxed) {
                check(&*high, &high.prove()?)?;
                n_made += 1;
            }
            Ok(n_made)
        });
        let made: Result<Vec<_>> = (0..N_PROOFS).map(|_| low.prove()).collect();
        // Before anything may fail: the other thread waits for it.
        ended.store(true, Ordering::Relaxed);
        made?.iter().try_for_each(|proof| check(&*low, proof))?;
        priority
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
