//! Our CPU path against the open provers and libraries of its kind, on the same circuit, key and blinding.
//!
//! All in one run, taken in turns: on a shared machine only ratios of CPU
//! seconds within a run mean something.

pub mod circuit;
pub mod convert;
pub mod fft;
pub mod measure;
pub mod msm;
pub mod proofs;
pub mod provers;
pub mod record;
pub mod setup;

/// What everything here may fail with: it ends in one line of text on the terminal.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
