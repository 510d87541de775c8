//! The bit-reversal permutation, tile by tile.

use rayon::prelude::*;

/// log₂ of a tile's side: a row of a tile is 2^4 elements, so every cache line and
/// page that is touched is used up.
const TILE_BITS: u32 = 4;
const TILE: usize = 1 << TILE_BITS;

/// The lowest `bits` bits of `i` in reverse; 0 for no bits.
#[inline]
fn reverse_bits(i: usize, bits: u32) -> usize {
    match bits {
        0 => 0,
        _ => i.reverse_bits() >> (usize::BITS - bits),
    }
}

/// A pointer that may go to other threads: each of them touches other elements.
struct Shared<T>(*mut T);
// SAFETY: `bit_reverse` gives every task its own set of elements, and T may be sent.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    // A method, so that closures capture the wrapper and not the pointer inside.
    fn get(&self) -> *mut T {
        self.0
    }
}

/// Element i goes to rev(i); `values.len()` is a power of two.
pub(crate) fn bit_reverse<T: Copy + Send + Sync>(values: &mut [T]) {
    let bits = values.len().trailing_zeros();
    debug_assert!(values.len().is_power_of_two());
    if bits < 2 * TILE_BITS {
        for i in 0..values.len() {
            let j = reverse_bits(i, bits);
            if i < j {
                values.swap(i, j);
            }
        }
        return;
    }
    // An index is (row, middle, column). The tile of `middle` changes places with that of rev(middle),
    // transposed and with rows and columns reversed.
    let middle_bits = bits - 2 * TILE_BITS;
    let rev: [usize; TILE] = std::array::from_fn(|i| reverse_bits(i, TILE_BITS));
    let shared = Shared(values.as_mut_ptr());
    let swap_tiles = |middle: usize| {
        let reversed = reverse_bits(middle, middle_bits);
        if middle > reversed {
            return;
        }
        let base = shared.get();
        for row in 0..TILE {
            for column in 0..TILE {
                let i = row << (middle_bits + TILE_BITS) | middle << TILE_BITS | column;
                let j = rev[column] << (middle_bits + TILE_BITS) | reversed << TILE_BITS | rev[row];
                if middle < reversed || i < j {
                    // SAFETY: i and j are below values.len(); both lie in the tiles of `middle` and
                    // `reversed`, which no other call touches (it returns early for the larger of the two).
                    unsafe { std::ptr::swap(base.add(i), base.add(j)) };
                }
            }
        }
    };
    if values.len() >= 1 << 14 && rayon::current_num_threads() > 1 {
        (0..1usize << middle_bits)
            .into_par_iter()
            .with_min_len(16)
            .for_each(swap_tiles);
    } else {
        (0..1usize << middle_bits).for_each(swap_tiles);
    }
}
