//! The seam between the proof's mathematics and the machine that computes it: coarse,
//! object-safe, a run-time value.

use crate::assignment::{Assignment, Blinding, OwnedAssignment};
use crate::params::{KeyCounts, MappedParams, Parameters, ParamsCheck};
use crate::setup::{CpuMultiples, GeneratorMultiples};
use crate::{Error, HostBuf, Proof, Result, VerifyingKey};
use bls_fields::Fr;
use std::any::Any;
use std::sync::Arc;

/// Where a backend gets a key's points from.
#[derive(Clone)]
pub enum Srs {
    /// A mapped file, decoded while it is loaded, and how much of it to check.
    Mapped(Arc<MappedParams>, ParamsCheck),
    /// Points in memory, already checked or just made.
    Memory(Arc<Parameters>),
}

impl Srs {
    /// The key's counts, known before it is loaded.
    pub fn counts(&self) -> KeyCounts {
        match self {
            Srs::Mapped(mapped, _) => mapped.index().counts(),
            Srs::Memory(parameters) => parameters.counts(),
        }
    }
}

impl From<Arc<Parameters>> for Srs {
    fn from(parameters: Arc<Parameters>) -> Self {
        Srs::Memory(parameters)
    }
}

impl From<Parameters> for Srs {
    fn from(parameters: Parameters) -> Self {
        Srs::Memory(Arc::new(parameters))
    }
}

/// A key made ready by a backend; shared by all proofs of its circuit.
pub trait LoadedSrs: Any + Send + Sync {
    /// The verifying key.
    fn vk(&self) -> &VerifyingKey;
    /// The key's counts.
    fn counts(&self) -> KeyCounts;
    /// For the backend that made it.
    fn as_any(&self) -> &dyn Any;
}

/// Which of several waiting jobs goes first: a higher one before a lower one, equal ones in order of arrival.
/// What has begun is not interrupted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Work that can wait.
    Low,
    /// What is not said to be otherwise.
    #[default]
    Normal,
    /// Work with a deadline, such as a winning proof of space-time.
    High,
}

/// One submission: circuits of one key, each with its blinding.
pub struct Job {
    circuits: Vec<(OwnedAssignment, Blinding)>,
    priority: Priority,
}

impl Job {
    /// Checks every circuit against the key.
    ///
    /// # Errors
    /// Those of [`Assignment::check`].
    pub fn new(srs: &dyn LoadedSrs, circuits: Vec<(OwnedAssignment, Blinding)>) -> Result<Self> {
        let job = Job {
            circuits,
            priority: Priority::default(),
        };
        job.check(&srs.counts())?;
        Ok(job)
    }

    /// The same job with a priority other than [`Priority::Normal`].
    pub fn with_priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Its priority. A backend without a queue, as the CPU's, has no use for it.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// Checks every circuit against a key, which may be another than the job was made with: a backend does so
    /// before it relies on the lengths.
    ///
    /// # Errors
    /// Those of [`Assignment::check`].
    pub fn check(&self, key: &KeyCounts) -> Result<()> {
        self.circuits
            .iter()
            .try_for_each(|(assignment, _)| assignment.as_assignment().check(key))
    }

    /// The circuits, each with its blinding.
    pub fn circuits(&self) -> &[(OwnedAssignment, Blinding)] {
        &self.circuits
    }

    /// The circuits.
    pub fn into_circuits(self) -> Vec<(OwnedAssignment, Blinding)> {
        self.circuits
    }
}

/// Checks what [`Backend::prove_scoped`] is given against a key: each circuit, and a blinding for each.
///
/// # Errors
/// Those of [`Assignment::check`], and [`Error::InputLength`] for the blindings.
pub fn check_scoped(key: &KeyCounts, circuits: &[Assignment<'_>], blindings: &[Blinding]) -> Result<()> {
    if circuits.len() != blindings.len() {
        let (have, need) = (blindings.len(), circuits.len());
        return Err(Error::InputLength {
            what: "blindings",
            have,
            need,
        });
    }
    circuits.iter().try_for_each(|circuit| circuit.check(key))
}

/// A submission under way. Dropping it waits until nothing of it runs any more.
pub trait Pending: Send {
    /// Waits; the proofs come in the order of the circuits.
    fn wait(self: Box<Self>) -> Result<Vec<Proof>>;
}

/// What a backend says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendInfo {
    /// `"cpu"` or `"cuda"`
    pub name: &'static str,
    /// one line for people: threads, or devices and their memory
    pub description: String,
}

/// A machine that computes proofs. All entries may be called from any number of threads at once.
pub trait Backend: Send + Sync {
    /// Name and description.
    fn info(&self) -> BackendInfo;

    /// Makes a key ready: decoded, and on a GPU resident or planned to be streamed.
    fn load_srs(&self, srs: &Srs) -> Result<Arc<dyn LoadedSrs>>;

    /// Memory for `n` elements that this backend reads soonest: pinned on CUDA, heap on the CPU. Holds zeros.
    fn alloc_host(&self, n: usize) -> Result<HostBuf<Fr>>;

    /// Makes memory that is already filled what [`Backend::alloc_host`] hands out, without a copy:
    /// registered with the driver on CUDA, as it is on the CPU. Worth its time, about that of one copy, for
    /// memory that serves several proofs. Where the driver refuses, which the log says as a warning, the memory is read as it is.
    fn register_host(&self, memory: Vec<Fr>) -> HostBuf<Fr> {
        memory.into()
    }

    /// Starts proofs; returns once the backend has taken the inputs. One with a queue waits here while it
    /// holds as many inputs as it may, except for jobs of [`Priority::High`].
    ///
    /// # Errors
    /// As [`Job::new`], if the job was made with another key.
    fn submit(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Box<dyn Pending>>;

    /// Proofs from owned inputs: submits and waits. The CPU overrides it, to work in the caller's pool.
    fn prove(&self, srs: &Arc<dyn LoadedSrs>, job: Job) -> Result<Vec<Proof>> {
        self.submit(srs, job)?.wait()
    }

    /// Proofs from borrowed inputs; returns only when the backend has let go of them.
    ///
    /// # Errors
    /// As [`Job::new`], and [`Error::InputLength`] if there are not as many blindings as circuits.
    fn prove_scoped(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
    ) -> Result<Vec<Proof>>;

    /// Who computes the generators' multiples when a key is made:
    /// [`generate_parameters_with`](crate::setup::generate_parameters_with). The
    /// CPU, unless the backend is faster.
    fn multiples(&self) -> &dyn GeneratorMultiples {
        &CpuMultiples
    }

    /// As [`Backend::prove_scoped`], with a priority, which a backend without a queue ignores.
    ///
    /// # Errors
    /// Those of [`Backend::prove_scoped`].
    fn prove_scoped_with(
        &self,
        srs: &Arc<dyn LoadedSrs>,
        circuits: &[Assignment<'_>],
        blindings: &[Blinding],
        _priority: Priority,
    ) -> Result<Vec<Proof>> {
        self.prove_scoped(srs, circuits, blindings)
    }
}
