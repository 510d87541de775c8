//! The columns of the three matrices against the Lagrange polynomials.

use super::lagrange::filled;
use crate::r1cs::{R1cs, SparseMatrix};
use bls_fields::Fr;
use ff::Field;
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const ROWS: usize = 1 << 12;

/// The wire that is always 1, and first in a row that has it.
const ONE: u32 = 0;

/// aᵢ(τ), bᵢ(τ), cᵢ(τ) for every wire; the input-consistency rows give each input one more term in A.
pub(super) fn evaluate_at_tau(r1cs: &R1cs, lagrange: &[Fr]) -> [Vec<Fr>; 3] {
    let n_wires = r1cs.n_inputs() + r1cs.n_aux();
    let mut sums = r1cs
        .matrices()
        .map(|matrix| column_sums(matrix, lagrange, n_wires));
    for (sum, row) in sums[0][..r1cs.n_inputs()]
        .iter_mut()
        .zip(&lagrange[r1cs.n_constraints()..])
    {
        *sum += row;
    }
    sums
}

/// For each wire, the sum over its column of the coefficient times the row's Lagrange polynomial at τ.
///
/// Rows name wires all over, so each thread goes through all rows and adds up the columns of its own range of
/// wires: reading a row is cheap beside the additions, and no two threads write to one place. ONE alone
/// occurs in about every row; its column is summed by ranges of rows.
fn column_sums(matrix: &SparseMatrix, lagrange: &[Fr], n_wires: usize) -> Vec<Fr> {
    let mut sums = filled(Fr::ZERO, n_wires);
    let range = n_wires.div_ceil(rayon::current_num_threads());
    sums.par_chunks_mut(range).enumerate().for_each(|(chunk, sums)| {
        let first = chunk * range;
        for (row, lagrange) in (0..matrix.n_rows()).zip(lagrange) {
            for (wire, coefficient) in matrix.row(row) {
                if let Some(sum) = (wire as usize)
                    .checked_sub(first)
                    .filter(|_| wire != ONE)
                    .and_then(|i| sums.get_mut(i))
                {
                    *sum += product(lagrange, coefficient);
                }
            }
        }
    });
    sums[ONE as usize] = sum_of_ones(matrix, lagrange);
    sums
}

fn sum_of_ones(matrix: &SparseMatrix, lagrange: &[Fr]) -> Fr {
    (0..matrix.n_rows())
        .into_par_iter()
        .with_min_len(ROWS)
        .filter_map(|row| {
            let (wire, coefficient) = matrix.row(row).next()?;
            (wire == ONE).then(|| product(&lagrange[row], coefficient))
        })
        .reduce(|| Fr::ZERO, |x, y| x + y)
}

/// Most coefficients are one, and an addition is a fifth of a multiplication.
fn product(lagrange: &Fr, coefficient: &Fr) -> Fr {
    if *coefficient == Fr::ONE {
        *lagrange
    } else {
        lagrange * coefficient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{RngCore, SeedableRng};

    #[test]
    fn columns_are_the_same_for_every_number_of_threads() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (n_rows, n_wires) = (300, 41);
        let mut matrix = SparseMatrix::default();
        let mut expected = vec![Fr::ZERO; n_wires];
        let lagrange: Vec<Fr> = (0..n_rows).map(|_| Fr::random(&mut rng)).collect();
        for lagrange in &lagrange {
            let mut wires: Vec<u32> = (0..rng.next_u32() % 5)
                .map(|_| rng.next_u32() % n_wires as u32 * (rng.next_u32() % 3).min(1))
                .collect();
            wires.sort_unstable();
            wires.dedup();
            let row: Vec<_> = wires
                .iter()
                .map(|&wire| (wire, Fr::from(u64::from(1 + rng.next_u32() % 2))))
                .collect();
            for (wire, coefficient) in &row {
                expected[*wire as usize] += lagrange * coefficient;
            }
            matrix.push_row(row);
        }
        for threads in [1, 2, 3, 50] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let sums = pool.unwrap().install(|| column_sums(&matrix, &lagrange, n_wires));
            assert_eq!(sums, expected, "{threads} threads");
        }
    }
}
