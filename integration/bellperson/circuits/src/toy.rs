use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;

/// x·y = z with z public: the smallest domain there is.
#[derive(Clone)]
pub struct OneConstraint {
    pub x: Scalar,
    pub y: Scalar,
    pub z: Scalar,
}

impl OneConstraint {
    pub fn satisfied(x: u64, y: u64) -> Self {
        let (x, y) = (Scalar::from(x), Scalar::from(y));
        OneConstraint { x, y, z: x * y }
    }

    pub fn public(&self) -> Vec<Scalar> {
        vec![self.z]
    }
}

impl Circuit<Scalar> for OneConstraint {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let z = cs.alloc_input(|| "z", || Ok(self.z))?;
        let x = cs.alloc(|| "x", || Ok(self.x))?;
        let y = cs.alloc(|| "y", || Ok(self.y))?;
        cs.enforce(|| "x·y = z", |lc| lc + x, |lc| lc + y, |lc| lc + z);
        Ok(())
    }
}

/// x·p = w and w·(3·q + 1) = p·k: public inputs among the terms of B, so its query does
/// not begin with a private wire.
#[derive(Clone)]
pub struct PublicInB {
    x: Scalar,
    p: Scalar,
    q: Scalar,
}

impl PublicInB {
    pub fn new(x: u64, q: u64) -> Self {
        PublicInB {
            x: Scalar::from(x),
            p: Scalar::from(x + 40),
            q: Scalar::from(q),
        }
    }

    fn k(&self) -> Scalar {
        self.x * (Scalar::from(3) * self.q + Scalar::ONE)
    }

    pub fn public(&self) -> Vec<Scalar> {
        vec![self.p, self.q, self.p * self.k()]
    }
}

impl Circuit<Scalar> for PublicInB {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let p = cs.alloc_input(|| "p", || Ok(self.p))?;
        let q = cs.alloc_input(|| "q", || Ok(self.q))?;
        let product = cs.alloc_input(|| "product", || Ok(self.p * self.k()))?;
        let x = cs.alloc(|| "x", || Ok(self.x))?;
        let w = cs.alloc(|| "w", || Ok(self.x * self.p))?;
        cs.enforce(|| "x·p = w", |lc| lc + x, |lc| lc + p, |lc| lc + w);
        cs.enforce(
            || "w·(3·q + 1) = product",
            |lc| lc + w,
            |lc| lc + (Scalar::from(3), q) + CS::one(),
            |lc| lc + product,
        );
        Ok(())
    }
}

/// x·y = z with terms that are zero or cancel: those wires do not occur, and their points are not in the key.
#[derive(Clone)]
pub struct ZeroCoefficients {
    x: Scalar,
    y: Scalar,
}

impl ZeroCoefficients {
    pub fn new(x: u64, y: u64) -> Self {
        ZeroCoefficients {
            x: Scalar::from(x),
            y: Scalar::from(y),
        }
    }

    pub fn public(&self) -> Vec<Scalar> {
        vec![self.x * self.y]
    }
}

impl Circuit<Scalar> for ZeroCoefficients {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let z = cs.alloc_input(|| "z", || Ok(self.x * self.y))?;
        let x = cs.alloc(|| "x", || Ok(self.x))?;
        let y = cs.alloc(|| "y", || Ok(self.y))?;
        cs.enforce(
            || "(x + 0·y)·(y + x - x + 0·z) = z",
            |lc| lc + x + (Scalar::ZERO, y),
            |lc| lc + y + x - x + (Scalar::ZERO, z),
            |lc| lc + z + (Scalar::ZERO, x),
        );
        Ok(())
    }
}

/// p·q = pq, all public: the L query is empty.
#[derive(Clone)]
pub struct NoPrivateWire {
    p: Scalar,
    q: Scalar,
}

impl NoPrivateWire {
    pub fn new(p: u64, q: u64) -> Self {
        NoPrivateWire {
            p: Scalar::from(p),
            q: Scalar::from(q),
        }
    }

    pub fn public(&self) -> Vec<Scalar> {
        vec![self.p, self.q, self.p * self.q]
    }
}

impl Circuit<Scalar> for NoPrivateWire {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let p = cs.alloc_input(|| "p", || Ok(self.p))?;
        let q = cs.alloc_input(|| "q", || Ok(self.q))?;
        let product = cs.alloc_input(|| "p·q", || Ok(self.p * self.q))?;
        cs.enforce(|| "p·q", |lc| lc + p, |lc| lc + q, |lc| lc + product);
        Ok(())
    }
}
