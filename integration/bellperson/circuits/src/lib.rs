//! Circuits of many shapes. bellperson 0.26 and 0.27 share bellpepper-core's
//! `Circuit`, so one type serves both.

mod mimc;
mod mixed;
mod toy;

use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

pub use mimc::Mimc;
pub use mixed::Mixed;
pub use toy::{NoPrivateWire, OneConstraint, PublicInB, ZeroCoefficients};

/// One of the circuits, with its witness.
#[derive(Clone)]
pub enum Shape {
    OneConstraint(OneConstraint),
    PublicInB(PublicInB),
    ZeroCoefficients(ZeroCoefficients),
    NoPrivateWire(NoPrivateWire),
    Mixed(Mixed),
    Mimc(Mimc),
}

impl Shape {
    /// The public inputs, without ONE.
    pub fn public(&self) -> Vec<Scalar> {
        match self {
            Shape::OneConstraint(c) => c.public(),
            Shape::PublicInB(c) => c.public(),
            Shape::ZeroCoefficients(c) => c.public(),
            Shape::NoPrivateWire(c) => c.public(),
            Shape::Mixed(c) => c.public(),
            Shape::Mimc(c) => c.public(),
        }
    }

    /// Each shape, with several witnesses of it.
    pub fn all() -> Vec<(String, Vec<Shape>)> {
        let witnesses = |name: &str, of: &dyn Fn(u64) -> Shape| (name.to_owned(), (1..=3).map(of).collect());
        let mut all = vec![
            witnesses("one constraint", &|i| {
                Shape::OneConstraint(OneConstraint::satisfied(i + 2, 11 * i))
            }),
            witnesses("public inputs in B", &|i| {
                Shape::PublicInB(PublicInB::new(i, i + 5))
            }),
            witnesses("zero coefficients", &|i| {
                Shape::ZeroCoefficients(ZeroCoefficients::new(i, 7 - i))
            }),
            witnesses("no private wire", &|i| {
                Shape::NoPrivateWire(NoPrivateWire::new(i, i * i + 1))
            }),
            witnesses("mimc", &|i| Shape::Mimc(Mimc::new(i, i + 100))),
        ];
        // With its two inputs' rows: a full domain, one row more than that, and something between.
        for n_constraints in [1022, 1023, 3000] {
            all.push(witnesses(&format!("{n_constraints} mixed constraints"), &|i| {
                Shape::Mixed(Mixed::new(n_constraints, i))
            }));
        }
        all
    }
}

impl Circuit<Scalar> for Shape {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Shape::OneConstraint(c) => c.synthesize(cs),
            Shape::PublicInB(c) => c.synthesize(cs),
            Shape::ZeroCoefficients(c) => c.synthesize(cs),
            Shape::NoPrivateWire(c) => c.synthesize(cs),
            Shape::Mixed(c) => c.synthesize(cs),
            Shape::Mimc(c) => c.synthesize(cs),
        }
    }
}
