//! Groth16 over BLS12-381 on the CPU.

pub mod fixed_base;
pub mod msm;
