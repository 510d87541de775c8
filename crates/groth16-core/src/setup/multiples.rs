use crate::fixed_base::FixedBase;
use crate::Result;
use bls_curves::{CurveGroup, G1Affine, G1Projective, G2Affine, G2Projective};
use bls_fields::FrRepr;

/// Multiples of the two generators: nearly all of a key generation's work, so what
/// another machine may do for it.
pub trait GeneratorMultiples: Sync {
    /// `lists[k][i] · G` in G1, for every list in order; 0 gives the neutral element.
    ///
    /// All lists of a key come in one call, so that one table serves them.
    ///
    /// # Errors
    /// What the machine says; the CPU has none.
    fn g1(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G1Affine>>>;

    /// The same in G2.
    ///
    /// # Errors
    /// As for G1.
    fn g2(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G2Affine>>>;
}

/// The multiples by [`FixedBase`], in the caller's rayon pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuMultiples;

impl GeneratorMultiples for CpuMultiples {
    fn g1(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G1Affine>>> {
        Ok(multiples::<G1Projective>(lists))
    }

    fn g2(&self, lists: &[&[FrRepr]]) -> Result<Vec<Vec<G2Affine>>> {
        Ok(multiples::<G2Projective>(lists))
    }
}

fn multiples<C: CurveGroup>(lists: &[&[FrRepr]]) -> Vec<Vec<C::Affine>> {
    let n_scalars = lists.iter().map(|list| list.len()).sum();
    let base = FixedBase::new(&C::generator(), n_scalars);
    lists.iter().map(|list| base.mul_many(list)).collect()
}
