use crate::FieldOps;

/// Replaces every element by its inverse; zeros stay zero.
///
/// Montgomery's trick: one inversion and three multiplications an element. (For `Fr`,
/// `ff::BatchInvert` does the same.)
pub fn batch_invert<F: FieldOps>(elements: &mut [F]) {
    batch_invert_with(elements, &mut Vec::with_capacity(elements.len()));
}

/// [`batch_invert`] with the caller's scratch space (cleared first), for loops that must not allocate.
pub fn batch_invert_with<F: FieldOps>(elements: &mut [F], prefixes: &mut Vec<F>) {
    prefixes.clear();
    let mut product = F::ONE;
    for e in elements.iter() {
        prefixes.push(product);
        if !e.is_zero() {
            product = product.mul(e);
        }
    }
    // A product of non-zero elements of a field is not zero.
    let Some(mut inverse) = product.invert() else {
        return;
    };
    for (e, prefix) in elements.iter_mut().zip(prefixes.iter()).rev() {
        if !e.is_zero() {
            let inverted = inverse.mul(prefix);
            inverse = inverse.mul(e);
            *e = inverted;
        }
    }
}
