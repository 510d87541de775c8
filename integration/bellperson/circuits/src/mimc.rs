use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Rounds of a Feistel cipher with x³: (l, r) becomes (r + (l + k)³, l). Every wire has a full value.
#[derive(Clone)]
pub struct Mimc {
    left: Scalar,
    right: Scalar,
}

const ROUNDS: usize = 300;

/// Round keys; any will do here.
fn round_keys() -> impl Iterator<Item = Scalar> {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    (0..ROUNDS).map(move |_| Scalar::random(&mut rng))
}

impl Mimc {
    pub fn new(left: u64, right: u64) -> Self {
        Mimc {
            left: Scalar::from(left),
            right: Scalar::from(right),
        }
    }

    pub fn public(&self) -> Vec<Scalar> {
        let round = |(left, right): (Scalar, Scalar), key: Scalar| (right + (left + key).cube(), left);
        vec![round_keys().fold((self.left, self.right), round).0]
    }
}

impl Circuit<Scalar> for Mimc {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut left_value = self.left;
        let mut right_value = self.right;
        let mut left = cs.alloc(|| "left", || Ok(left_value))?;
        let mut right = cs.alloc(|| "right", || Ok(right_value))?;
        for (i, key) in round_keys().enumerate() {
            let base_value = left_value + key;
            let square_value = base_value.square();
            let square = cs.alloc(|| format!("square {i}"), || Ok(square_value))?;
            cs.enforce(
                || format!("(l + k)², round {i}"),
                |lc| lc + left + (key, CS::one()),
                |lc| lc + left + (key, CS::one()),
                |lc| lc + square,
            );
            let next_value = right_value + square_value * base_value;
            let name = || format!("next {i}");
            let next = if i + 1 == ROUNDS {
                cs.alloc_input(name, || Ok(next_value))?
            } else {
                cs.alloc(name, || Ok(next_value))?
            };
            cs.enforce(
                || format!("r + (l + k)³, round {i}"),
                |lc| lc + square,
                |lc| lc + left + (key, CS::one()),
                |lc| lc + next - right,
            );
            (right, right_value) = (left, left_value);
            (left, left_value) = (next, next_value);
        }
        Ok(())
    }
}
