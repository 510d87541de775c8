//! tbd
pub mod domain;
pub mod ntt;
pub mod quotient;
