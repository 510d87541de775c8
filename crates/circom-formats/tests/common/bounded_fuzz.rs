//! A bounded fuzz run on stable Rust: mutations of valid files that know where lengths stand, with the time
//! and the memory of every read measured. Deterministic for a given iteration, so a failure can be repeated.
//!
//! A test binary that uses it declares the allocator, and each of its tests begins with [`alone`]:
//! `#[global_allocator] static ALLOCATOR: bounded_fuzz::CountingAllocator = bounded_fuzz::CountingAllocator;`

#[path = "counting_allocator.rs"]
mod counting_allocator;

use counting_allocator::peak_bytes;
pub(crate) use counting_allocator::CountingAllocator;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::mem::{discriminant, Discriminant};
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

static ALONE: Mutex<()> = Mutex::new(());
const MAX_READ_TIME: Duration = Duration::from_secs(1);

/// Held by one test of the binary at a time. The counters are the process's, so that threads of a reader
/// count, and so would those of another test.
pub(crate) struct Alone(#[allow(dead_code)] MutexGuard<'static, ()>);

/// Waits until no other test of the binary runs.
pub(crate) fn alone() -> Alone {
    Alone(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Measured<T> {
    /// `Err` when it panicked
    result: std::thread::Result<T>,
    time: Duration,
    peak_bytes: usize,
}

fn measure<T>(read: impl FnOnce() -> T) -> Measured<T> {
    let start = Instant::now();
    let (result, peak_bytes) = peak_bytes(|| catch_unwind(AssertUnwindSafe(read)));
    Measured {
        result,
        time: start.elapsed(),
        peak_bytes,
    }
}

/// A valid file to start from.
pub(crate) struct Seed {
    pub(crate) bytes: Vec<u8>,
    /// Where counts and lengths stand; half of the mutations go there.
    pub(crate) words: Vec<Range<usize>>,
}

/// What to fuzz and what to hold it to.
pub(crate) struct Run<'a> {
    pub(crate) name: &'static str,
    pub(crate) seeds: Vec<Seed>,
    /// Pieces of the format's syntax to put in at random.
    pub(crate) dictionary: &'a [&'a [u8]],
    pub(crate) time: Duration,
    /// Peak memory of one read is at most `memory_factor` times the input plus `memory_slack_bytes`.
    pub(crate) memory_factor: usize,
    pub(crate) memory_slack_bytes: usize,
}

/// How the run went, so that a test can say what it must have reached.
pub(crate) struct Outcome<E> {
    pub(crate) n_inputs: u64,
    pub(crate) n_accepted: u64,
    pub(crate) kinds: HashSet<Discriminant<E>>,
}

impl Run<'_> {
    /// Reads mutated files until the time is up. `read` returns the error of the reader, or `Ok` after it
    /// checked what holds for an accepted file (which is not counted as the reader's memory).
    ///
    /// # Panics
    /// When a read panics, takes more than a second or too much memory, or its error has a text of 1 KB or
    /// more: with the number of the iteration and the input in hexadecimal.
    pub(crate) fn go<T, E: Display + Debug>(
        &self,
        _alone: &Alone,
        read: impl Fn(&[u8]) -> Result<T, E>,
        accepted: impl Fn(T),
    ) -> Outcome<E> {
        let (mut n_inputs, mut n_accepted, mut kinds) = (0, 0, HashSet::new());
        let start = Instant::now();
        while start.elapsed() < self.time {
            let mut rng = ChaCha8Rng::seed_from_u64(n_inputs);
            let input = self.mutate(&mut rng);
            let fail = |what: String| -> ! {
                let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
                panic!("{}, iteration {n_inputs}: {what}\ninput: {hex}", self.name)
            };

            let limit_bytes = self.memory_factor * input.len() + self.memory_slack_bytes;
            let mut measured = measure(|| read(&input));
            // The test harness's own thread counts too: what is over a limit must be so every time.
            for _ in 0..3 {
                if measured.peak_bytes > limit_bytes || measured.time > MAX_READ_TIME {
                    measured = measure(|| read(&input));
                }
            }
            if measured.peak_bytes > limit_bytes {
                fail(format!(
                    "{} bytes of memory for {} of input",
                    measured.peak_bytes,
                    input.len()
                ));
            }
            if measured.time > MAX_READ_TIME {
                fail(format!("one read took {:?}", measured.time));
            }
            match measured.result {
                Err(_) => fail("the reader panicked".into()),
                Ok(Err(e)) => {
                    if e.to_string().len() >= 1024 || format!("{e:?}").len() >= 1024 {
                        fail("the text of the error has 1 KB or more".into());
                    }
                    kinds.insert(discriminant(&e));
                }
                Ok(Ok(value)) => {
                    n_accepted += 1;
                    if catch_unwind(AssertUnwindSafe(|| accepted(value))).is_err() {
                        fail("accepted, but what must hold for it does not".into());
                    }
                }
            }
            n_inputs += 1;
        }
        Outcome {
            n_inputs,
            n_accepted,
            kinds,
        }
    }

    fn mutate(&self, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let seed = &self.seeds[below(rng, self.seeds.len())];
        let mut bytes = seed.bytes.clone();
        for _ in 0..1 + below(rng, 3) {
            if !seed.words.is_empty() && below(rng, 2) == 0 {
                let word = &seed.words[below(rng, seed.words.len())];
                edit_word(rng, &mut bytes, word);
            } else {
                self.edit(rng, &mut bytes);
            }
        }
        bytes
    }

    fn edit(&self, rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>) {
        let range = {
            let start = below(rng, bytes.len() + 1);
            start..start + below(rng, (bytes.len() - start).min(64) + 1)
        };
        match below(rng, 8) {
            0 if !bytes.is_empty() => {
                let at = below(rng, bytes.len());
                bytes[at] ^= 1 << below(rng, 8);
            }
            1 if !bytes.is_empty() => {
                let at = below(rng, bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, rng.next_u32() as u8][below(rng, 6)];
            }
            2 => bytes.truncate(range.start),
            3 => drop(bytes.drain(range)),
            // A section, a term or a digit twice.
            4 => {
                let copy = bytes[range.clone()].to_vec();
                drop(bytes.splice(range.end..range.end, copy));
            }
            // The head of one file with the tail of another.
            5 => {
                let other = &self.seeds[below(rng, self.seeds.len())].bytes;
                bytes.truncate(range.start);
                bytes.extend(&other[range.start.min(other.len())..]);
            }
            6 if !self.dictionary.is_empty() => {
                let piece = self.dictionary[below(rng, self.dictionary.len())];
                drop(bytes.splice(range.start..range.start, piece.iter().copied()));
            }
            _ => {
                let mut noise = vec![0; below(rng, 17)];
                rng.fill_bytes(&mut noise);
                drop(bytes.splice(range, noise));
            }
        }
    }
}

/// Sets a count or length (little or big-endian, 4 or 8 bytes) to a value that readers trip over.
fn edit_word(rng: &mut ChaCha8Rng, bytes: &mut [u8], word: &Range<usize>) {
    let n_bytes = bytes.len() as u64;
    let Some(word) = bytes.get_mut(word.clone()) else {
        return; // cut off by an edit before
    };
    let mut le = [0; 8];
    le[..word.len()].copy_from_slice(word);
    let (old_le, old_be) = (u64::from_le_bytes(le), {
        le[..word.len()].reverse();
        u64::from_le_bytes(le)
    });
    let interesting = [
        0,
        1,
        2,
        n_bytes,
        u64::MAX,
        u64::MAX / 2,
        1 << 31,
        1 << 32,
        u64::MAX / 36,
        u64::from(rng.next_u32() % 64),
    ];
    let delta = [1, u64::MAX, 12, 36][below(rng, 4)];
    let value = match below(rng, 4) {
        0 => old_le.wrapping_add(delta),
        1 => old_be.wrapping_add(delta),
        _ => interesting[below(rng, interesting.len())],
    };
    let width = word.len();
    word.copy_from_slice(&value.to_le_bytes()[..width]);
    if below(rng, 4) == 0 {
        word.reverse();
    }
}

/// A number below `n`, nearly uniform.
fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    (rng.next_u64() % n as u64) as usize
}
