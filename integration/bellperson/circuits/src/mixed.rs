use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

/// Bits and full values side by side, as real witnesses have them: three rows of four constrain a bit, the
/// fourth continues a chain of products that the bits before it steer.
#[derive(Clone)]
pub struct Mixed {
    n_constraints: usize,
    start: Scalar,
    bits: Vec<bool>,
}

impl Mixed {
    /// `seed` gives the witness; the constraints are the same for all.
    pub fn new(n_constraints: usize, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        Mixed {
            n_constraints,
            start: Scalar::random(&mut rng),
            bits: (0..n_constraints).map(|_| rng.next_u32() % 2 == 1).collect(),
        }
    }

    /// Whether row `i` is one of the chain; the last one is, so that there is an end to make public.
    fn is_product(&self, i: usize) -> bool {
        i % 4 == 3 || i + 1 == self.n_constraints
    }

    fn next(&self, chain: Scalar, last_bit: bool) -> Scalar {
        chain * (chain + Scalar::from(last_bit as u64) + Scalar::ONE)
    }

    pub fn public(&self) -> Vec<Scalar> {
        let mut last_bit = false;
        let end = (0..self.n_constraints).fold(self.start, |chain, i| {
            if self.is_product(i) {
                return self.next(chain, last_bit);
            }
            last_bit = self.bits[i];
            chain
        });
        vec![end]
    }
}

impl Circuit<Scalar> for Mixed {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let end = self.public()[0];
        let end = cs.alloc_input(|| "end", || Ok(end))?;
        let mut value = self.start;
        let mut chain = cs.alloc(|| "start", || Ok(value))?;
        let mut last: Option<(bool, _)> = None;
        for i in 0..self.n_constraints {
            if !self.is_product(i) {
                let bit = self.bits[i];
                let wire = cs.alloc(|| format!("bit {i}"), || Ok(Scalar::from(bit as u64)))?;
                cs.enforce(
                    || format!("bit {i} is 0 or 1"),
                    |lc| lc + wire,
                    |lc| lc + CS::one() - wire,
                    |lc| lc,
                );
                last = Some((bit, wire));
                continue;
            }
            let next_value = self.next(value, last.is_some_and(|(bit, _)| bit));
            let next = if i + 1 == self.n_constraints {
                end
            } else {
                cs.alloc(|| format!("chain {i}"), || Ok(next_value))?
            };
            cs.enforce(
                || format!("product {i}"),
                |lc| lc + chain,
                |lc| {
                    let sum = lc + chain + CS::one();
                    last.map_or(sum.clone(), |(_, wire)| sum + wire)
                },
                |lc| lc + next,
            );
            (value, chain) = (next_value, next);
        }
        Ok(())
    }
}
