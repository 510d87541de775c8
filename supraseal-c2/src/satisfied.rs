use bls_fields::Fr;
use rayon::prelude::*;

/// The first row with a·b ≠ c, on all cores; one multiplication a row, next to the hundreds that its proof takes.
///
/// The old API has no other use for c, and a proof of such rows would be wrong without a sign of it.
/// The slices are of one length.
pub(crate) fn first_unsatisfied(a: &[Fr], b: &[Fr], c: &[Fr]) -> Option<usize> {
    const MIN_ROWS: usize = 1 << 10;
    (a, b, c)
        .into_par_iter()
        .with_min_len(MIN_ROWS)
        .position_first(|(a, b, c)| a * b != *c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_of_several() {
        let n = 5000;
        let a: Vec<Fr> = (0..n).map(Fr::from).collect();
        let b: Vec<Fr> = (0..n).map(|i| Fr::from(i * i)).collect();
        let mut c: Vec<Fr> = (0..n).map(|i| Fr::from(i * i * i)).collect();
        assert_eq!(first_unsatisfied(&a, &b, &c), None);
        for wrong in [4999, 3000, 2999, 0] {
            c[wrong] += Fr::from(1);
            assert_eq!(first_unsatisfied(&a, &b, &c), Some(wrong));
        }
        assert_eq!(first_unsatisfied(&[], &[], &[]), None);
    }
}
