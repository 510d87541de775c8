//! Groth16 over BLS12-381, on the CPU, for any target.
//!
//! * [`params`] reads and writes bellman's `.params`; [`VerifyingKey`] is its head, the `.vk` file.
//! * [`r1cs`] holds a constraint system; [`circuit`] makes one, or an assignment,
//!   from a `bellpepper_core::Circuit`.
//! * [`setup`] makes parameters.
//! * [`domain`], [`ntt`], [`quotient`], [`msm`], [`fixed_base`] are the arithmetic of
//!   a proof, [`assemble`] its end.
//! * [`backend`] is the seam: what a proof needs is checked here once, then computed by a [`Backend`];
//!   [`CpuBackend`] is the reference that every other backend's bytes are compared with.
//! * [`schedule`] and [`timeline`] are what backends on devices have in common: choices of
//!   order, and what took how long.
//! * [`verify`] verifies one proof or many.
//!
//! Nothing here knows of CUDA, prints, keeps a global, or starts a thread that outlives its call or handle.

pub mod assemble;
mod assignment;
pub mod backend;
pub mod circuit;
mod cpu;
mod density;
pub mod domain;
mod error;
pub mod fixed_base;
mod host_buf;
pub mod msm;
pub mod ntt;
pub mod params;
mod pending;
mod proof;
pub mod quotient;
pub mod r1cs;
pub mod schedule;
pub mod setup;
pub mod timeline;
pub mod verify;
mod vk;

pub use assignment::{Assignment, Blinding, OwnedAssignment};
pub use backend::{Backend, BackendInfo, Job, LoadedSrs, Pending, Priority, Srs};
pub use cpu::CpuBackend;
pub use density::{Density, DensityBits};
pub use error::{Error, ErrorKind, Result};
pub use host_buf::{HostBuf, HostMemory};
pub use params::{MappedParams, Parameters, ParamsCheck};
pub use pending::spawn_pending;
pub use proof::Proof;
pub use r1cs::{Densities, R1cs};
pub use verify::PreparedVerifyingKey;
pub use vk::VerifyingKey;
