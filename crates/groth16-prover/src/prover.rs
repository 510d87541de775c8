use crate::select::{BackendChoice, DeviceOptions};
use bellpepper_core::Circuit;
use bls_fields::Fr;
use groth16_core::{
    circuit, setup, Assignment, Backend, BackendInfo, Blinding, CpuBackend, Error, Job, LoadedSrs,
    OwnedAssignment, Parameters, PreparedVerifyingKey, Priority, Proof, R1cs, Result, Srs, VerifyingKey,
};
use std::sync::Arc;

/// Makes the key of a circuit; see [`setup`] for what such a key is good for.
pub fn setup_circuit(circuit: impl Circuit<Fr>, waste: &setup::ToxicWaste) -> Result<Parameters> {
    setup::generate_parameters(&circuit::r1cs_of_circuit(circuit)?, waste)
}

/// A key that a prover has loaded.
pub struct ProvingKey {
    srs: Arc<dyn LoadedSrs>,
    verifier: PreparedVerifyingKey,
    /// for computing a proof again on the CPU when one does not verify
    source: Srs,
}

impl ProvingKey {
    /// Verifies proofs of this key's circuit.
    pub fn verifier(&self) -> &PreparedVerifyingKey {
        &self.verifier
    }

    /// The verifying key, for others.
    pub fn verifying_key(&self) -> &VerifyingKey {
        self.srs.vk()
    }
}

/// A choice among this build's backends, or one that the caller brings.
#[derive(Clone)]
enum Wish {
    Choice(BackendChoice),
    Given(Arc<dyn Backend>),
}

/// Settings of a [`Prover`].
#[derive(Clone)]
pub struct ProverBuilder {
    backend: Wish,
    devices: DeviceOptions,
    threads: Option<usize>,
    verify: bool,
    priority: Priority,
}

impl ProverBuilder {
    /// Which backend computes; [`BackendChoice::Auto`] unless set.
    pub fn backend(mut self, choice: BackendChoice) -> Self {
        self.backend = Wish::Choice(choice);
        self
    }

    /// A backend of the caller's own, in place of a choice.
    pub fn with_backend(mut self, backend: Arc<dyn Backend>) -> Self {
        self.backend = Wish::Given(backend);
        self
    }

    /// Which CUDA devices to use, and how much of them; all unless set.
    pub fn devices(mut self, devices: DeviceOptions) -> Self {
        self.devices = devices;
        self
    }

    /// CPU threads of this prover's own pool, and of its backend's where that has some. Unless set, work runs
    /// in the pool of the calling thread.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Whether each proof is verified before it is handed out (three pairings); true unless set.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// Which proofs go first where several wait for a device; [`Priority::Normal`] unless set. Provers that
    /// share a backend ([`Prover::backend`]) may differ in it.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Chooses the backend and starts the pool.
    ///
    /// # Errors
    /// [`Error::Backend`] if the backend is not to be had or the threads cannot be started.
    pub fn build(self) -> Result<Prover> {
        let failed = |backend, stage| {
            move |source: Box<dyn std::error::Error + Send + Sync>| Error::Backend {
                backend,
                stage,
                source,
            }
        };
        let backend = match self.backend {
            Wish::Given(backend) => backend,
            Wish::Choice(choice) => choice.select(&self.devices, self.threads)?,
        };
        let pool = self
            .threads
            .map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build());
        let pool = pool
            .transpose()
            .map_err(|e| failed("cpu", "start of the thread pool")(e.into()))?;
        Ok(Prover {
            backend,
            pool,
            verify: self.verify,
            priority: self.priority,
        })
    }
}

/// Makes proofs. Share it between threads; every method takes `&self`.
pub struct Prover {
    backend: Arc<dyn Backend>,
    pool: Option<rayon::ThreadPool>,
    verify: bool,
    priority: Priority,
}

impl Prover {
    /// The default settings.
    pub fn builder() -> ProverBuilder {
        ProverBuilder {
            backend: Wish::Choice(BackendChoice::Auto),
            devices: DeviceOptions::default(),
            threads: None,
            verify: true,
            priority: Priority::default(),
        }
    }

    /// The backend, for another prover that shares it ([`ProverBuilder::with_backend`]):
    /// keys, devices and their queue.
    pub fn backend(&self) -> Arc<dyn Backend> {
        self.backend.clone()
    }

    /// The backend that was chosen.
    pub fn backend_info(&self) -> BackendInfo {
        self.in_pool(|| self.backend.info())
    }

    /// Runs `work` in this prover's pool, if it has one of its own.
    pub fn in_pool<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Makes the key of a circuit on this prover's backend, the scalars on the CPU; the bytes are those of
    /// [`generate_parameters`](setup::generate_parameters). See [`setup`] for what such a key is good for.
    ///
    /// # Errors
    /// Those of [`generate_parameters_with`](setup::generate_parameters_with).
    pub fn generate_parameters(&self, r1cs: &R1cs, waste: &setup::ToxicWaste) -> Result<Parameters> {
        self.in_pool(|| setup::generate_parameters_with(r1cs, waste, self.backend.multiples()))
    }

    /// Makes a key ready: [`Parameters`] in memory, or a mapped file with the checks to make
    /// ([`Srs::Mapped`]).
    pub fn load(&self, srs: impl Into<Srs>) -> Result<ProvingKey> {
        let source = srs.into();
        let srs = self.in_pool(|| self.backend.load_srs(&source))?;
        let verifier = PreparedVerifyingKey::from(srs.vk());
        Ok(ProvingKey {
            srs,
            verifier,
            source,
        })
    }

    /// A proof of a circuit with its witness.
    pub fn prove_circuit(
        &self,
        key: &ProvingKey,
        circuit: impl Circuit<Fr> + Send,
        blinding: Blinding,
    ) -> Result<Proof> {
        let assignment = self.in_pool(|| circuit::assign_circuit(circuit))?;
        let proofs = self.prove_assignments(key, &[assignment.as_assignment()], &[blinding])?;
        Ok(proofs[0])
    }

    /// The rows and values of a constraint system, in memory that the backend reads soonest.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] with the first constraint that does not hold; [`Error::WitnessLength`].
    pub fn assign(&self, r1cs: &R1cs, witness: &[Fr]) -> Result<OwnedAssignment> {
        self.in_pool(|| r1cs.assign_for(&*self.backend, witness))
    }

    /// A copy of an assignment in this prover's memory, from which its proofs begin soonest.
    pub fn copy_of(&self, assignment: &OwnedAssignment) -> OwnedAssignment {
        assignment.copy_for(&*self.backend)
    }

    /// A proof from a constraint system and a value for each wire, ONE first.
    pub fn prove_r1cs(
        &self,
        key: &ProvingKey,
        r1cs: &R1cs,
        witness: &[Fr],
        blinding: Blinding,
    ) -> Result<Proof> {
        // The rows are given away, so that the backend works in them; a failure evaluates them again.
        let job =
            Job::new(&*key.srs, vec![(self.assign(r1cs, witness)?, blinding)])?.with_priority(self.priority);
        let proof = self.in_pool(|| self.backend.prove(&key.srs, job))?[0];
        if self.verify && !key.verifier.verify(&proof, &witness[1..r1cs.n_inputs()])? {
            return Err(self.explain_failure(
                key,
                &proof,
                &self.assign(r1cs, witness)?.as_assignment(),
                &blinding,
            ));
        }
        Ok(proof)
    }

    /// Proofs from rows and values that are already there, one for each assignment and blinding. Who has C·w
    /// as well checks it with [`Assignment::check_c`].
    pub fn prove_assignments(
        &self,
        key: &ProvingKey,
        assignments: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        let proofs = self.prove_unverified(key, assignments, blindings)?;
        if self.verify {
            for ((proof, assignment), blinding) in proofs.iter().zip(assignments).zip(blindings) {
                if !key.verifier.verify(proof, &assignment.inputs[1..])? {
                    return Err(self.explain_failure(key, proof, assignment, blinding));
                }
            }
        }
        Ok(proofs)
    }

    /// [`Prover::prove_assignments`] without the verification, whatever the settings: for callers that verify
    /// themselves, in a batch or elsewhere.
    pub fn prove_unverified(
        &self,
        key: &ProvingKey,
        assignments: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>> {
        self.in_pool(|| {
            self.backend
                .prove_scoped_with(&key.srs, assignments, blindings, self.priority)
        })
    }

    /// A proof does not verify: computes it again on the CPU to tell a wrong key from a wrong computation.
    fn explain_failure(
        &self,
        key: &ProvingKey,
        proof: &Proof,
        assignment: &Assignment<'_>,
        blinding: &Blinding,
    ) -> Error {
        let again = self.in_pool(|| {
            let srs = CpuBackend.load_srs(&key.source)?;
            CpuBackend.prove_scoped(&srs, &[*assignment], &[*blinding])
        });
        match again {
            Ok(again) if again[0] == *proof => Error::KeyCircuitMismatch,
            Ok(_) => Error::ProofSelfCheckFailed {
                backend: self.backend.info().name.to_owned(),
            },
            Err(error) => error,
        }
    }
}
