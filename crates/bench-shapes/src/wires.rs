//! Which value each private wire holds, and in which matrices it occurs: both
//! drawn at random, in exact numbers.

use crate::BenchShape;
use rand_core::RngCore;

/// What a private wire holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Zero,
    One,
    /// neither
    Full,
}

/// Where a private wire occurs as an operand. As a result, any may occur in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    InAAndB,
    InA,
    OnlyInC,
}

/// All private wires, by number.
pub(crate) struct Wires {
    pub(crate) values: Vec<Value>,
    pub(crate) places: Vec<Place>,
}

impl Wires {
    pub(crate) fn draw(shape: &BenchShape, rng: &mut impl RngCore) -> Self {
        let mut values = Vec::with_capacity(shape.n_aux());
        values.resize(shape.n_zeros(), Value::Zero);
        values.resize(shape.n_zeros() + shape.n_ones(), Value::One);
        values.resize(shape.n_aux(), Value::Full);
        shuffle(&mut values, rng);

        let mut places = Vec::with_capacity(shape.n_aux());
        places.resize(shape.n_b_dense(), Place::InAAndB);
        places.resize(shape.n_a_dense(), Place::InA);
        places.resize(shape.n_aux(), Place::OnlyInC);
        shuffle(&mut places, rng);
        Wires { values, places }
    }

    /// Private wires with this property, ascending.
    pub(crate) fn pool(&self, has: impl Fn(Value, Place) -> bool) -> Pool {
        let both = self.values.iter().zip(&self.places);
        let wires = (0u32..)
            .zip(both)
            .filter(|(_, (value, place))| has(**value, **place))
            .map(|(wire, _)| wire)
            .collect();
        Pool {
            wires,
            n_aux: self.values.len(),
        }
    }
}

/// Private wires that a gate may take for an operand.
pub(crate) struct Pool {
    wires: Vec<u32>,
    n_aux: usize,
}

impl Pool {
    /// A random one not far from `wire`, as operands in real circuits are; none if the pool is empty.
    pub(crate) fn near(&self, wire: usize, rng: &mut impl RngCore) -> Option<u32> {
        let place = wire * self.wires.len() / self.n_aux + below(64, rng);
        self.wires.get(place.checked_rem(self.wires.len())?).copied()
    }

    pub(crate) fn into_wires(self) -> Vec<u32> {
        self.wires
    }
}

/// A random number below `bound`, to within 2⁻³² of uniform.
fn below(bound: usize, rng: &mut impl RngCore) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

fn shuffle<T>(items: &mut [T], rng: &mut impl RngCore) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last + 1, rng));
    }
}
