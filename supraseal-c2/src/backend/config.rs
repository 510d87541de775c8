//! What a user may choose.

pub use super::division::TwoDevices;
use groth16_core::schedule::Schedule;
use groth16_core::timeline::TimelineSink;

/// Which devices to use and how much of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CudaConfig {
    /// Devices by index, none twice; `None`: all.
    pub gpus: Option<Vec<u32>>,
    /// The most bytes to allocate on each device; `None`: what there is.
    pub max_device_bytes: Option<u64>,
    /// Of these, the most for keys: what is over it is streamed from the host in each proof. `None`: what proofs leave.
    pub max_key_bytes: Option<u64>,
    /// The most bytes of page-locked memory, for what [`Backend::alloc_host`](groth16_core::Backend::alloc_host)
    /// hands out, for the parts of keys that are streamed, and for coefficients on their way to a second
    /// device. `None`: no limit of ours to what is handed out; to keys, half of the memory that the machine
    /// has available.
    pub max_pinned_bytes: Option<u64>,
    /// Page-locked bytes through which a job's inputs are copied, for each of a device's slots; `None`: 48 MiB.
    pub staging_bytes: Option<usize>,
    /// Jobs on a device at once, each with a slot for its inputs; `None`: two, so that one's inputs go up while another's
    /// kernels run.
    pub workers: Option<usize>,
    /// The order of a proof's work: for measurements.
    pub schedule: Schedule,
    /// Takes the timelines of proofs, one for each device that a proof is made on: two where it is divided. `None`: nothing is measured, unless the log wants it (target
    /// `supraseal_c2::timing`, level debug).
    pub timelines: Option<TimelineSink>,
    /// Threads of the host that copy inputs and decode keys; `None`: one for each core.
    pub host_threads: Option<usize>,
    /// Circuits that [`Backend::submit`](groth16_core::Backend::submit) holds at once, waiting or computing, before it makes
    /// the caller wait; `None`: 32 for each device. A job of more circuits is taken when nothing else is held.
    pub max_circuits: Option<usize>,
    /// The same bound on the bytes of their inputs; `None`: none.
    pub max_input_bytes: Option<u64>,
    /// Whether two devices make one proof together.
    pub two_devices: TwoDevices,
}
