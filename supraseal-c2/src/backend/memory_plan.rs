//! A plan as users see it.

use super::plan::Plan;
use std::fmt;

/// How a key and its proofs use a device's memory. Everything is allocated when the key is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// The device's index.
    pub device: u32,
    /// How many plans that cost less time were tried and did not fit.
    pub rung: usize,
    /// Bytes of the key that are resident; the rest is streamed from the host in each proof.
    pub resident_key_bytes: u64,
    /// All that is allocated: the resident part of the key, and what proofs work in.
    pub peak_bytes: u64,
    description: String,
}

impl MemoryPlan {
    pub(super) fn of(device: u32, plan: &Plan) -> Self {
        MemoryPlan {
            device,
            rung: plan.rung,
            resident_key_bytes: plan.key_bytes,
            peak_bytes: plan.peak_bytes,
            description: plan.to_string(),
        }
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "device {}: {}", self.device, self.description)
    }
}
