//! Owned devices, streams, events and memory. Nothing here panics in `Drop`; what fails
//! there is recorded in the device.

mod device;
mod device_buf;
mod event;
mod fixed_base;
mod msm;
mod ntt;
mod pinned;
mod registered;
mod split;
mod stream;
mod workspace;

pub use device::{require_gpu, Device, DeviceInfo, MemoryInfo};
pub use device_buf::{DeviceBuf, Pod};
pub use event::Event;
pub use fixed_base::{FixedBase, FixedBaseBytes};
pub use msm::{
    add_workspace_bytes, msm_workspace_bytes, Accumulation, G1Point, G2Point, MsmConfig, MsmContext,
    MsmGroup, MsmInput, PippengerSchedule, ScalarForm, ScalarLimbs, Source, G1, G2,
};
pub use ntt::{NttDirection, NttOrder, NttTable, QuotientInput, QuotientSteps, NTT_MAX_LOG_N};
pub use pinned::{PinnedBuf, PinnedPool};
pub use registered::RegisteredVec;
pub use split::{expand_bits_on, ScalarSplit};
pub use stream::Stream;
pub use workspace::Workspace;
