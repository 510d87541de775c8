use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use filecoin_proofs::{DefaultPieceHasher, SectorShape2KiB};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use storage_proofs_porep::stacked::StackedCircuit;
use storage_proofs_post::fallback::FallbackPoStCircuit;
use storage_proofs_update::EmptySectorUpdateCircuit;

/// The trees of a sector of 2 KiB.
pub type Tree = SectorShape2KiB;

/// A circuit of any kind, as one type.
pub enum FilecoinCircuit {
    Porep(StackedCircuit<Tree, DefaultPieceHasher>),
    Post(FallbackPoStCircuit<Tree>),
    Update(EmptySectorUpdateCircuit<Tree>),
}

impl Circuit<Scalar> for FilecoinCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            FilecoinCircuit::Porep(circuit) => Circuit::synthesize(circuit, cs),
            FilecoinCircuit::Post(circuit) => circuit.synthesize(cs),
            FilecoinCircuit::Update(circuit) => circuit.synthesize(cs),
        }
    }
}

/// Notes when the last circuit of a batch is synthesized: provers do that first, and do not say when they are done.
#[derive(Clone)]
pub struct SynthesisClock(Arc<Mutex<Instant>>);

impl SynthesisClock {
    pub fn start() -> Self {
        SynthesisClock(Arc::new(Mutex::new(Instant::now())))
    }

    pub fn watch(&self, circuits: Vec<FilecoinCircuit>) -> Vec<Watched> {
        let watch = |circuit| Watched {
            circuit,
            clock: self.clone(),
        };
        circuits.into_iter().map(watch).collect()
    }

    pub fn last(&self) -> Instant {
        *self.0.lock().unwrap()
    }
}

/// A circuit that tells its clock when it is synthesized.
pub struct Watched {
    circuit: FilecoinCircuit,
    clock: SynthesisClock,
}

impl Circuit<Scalar> for Watched {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.circuit.synthesize(cs)?;
        *self.clock.0.lock().unwrap() = Instant::now();
        Ok(())
    }
}
