use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// Integers below 2^254, all of them below r.
pub fn scalars(n: usize, seed: u64) -> Vec<[u64; 4]> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n)
        .map(|_| {
            [
                rng.next_u64(),
                rng.next_u64(),
                rng.next_u64(),
                rng.next_u64() >> 2,
            ]
        })
        .collect()
}
