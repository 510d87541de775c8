//! The predecessor's kernels, owned and with results.

use blstrs::{G1Affine, G1Projective, G2Affine, G2Projective};
use group::{Curve, Group as _};
use sppark_fork::{DeviceBuf, ScalarLimbs};
use std::ffi::c_void;
use std::ptr::null_mut;

// Its prover has the kernel that `predecessor.cu` only declares.
use peer_c2 as _;

extern "C" {
    fn predecessor_msm_g1_create(
        points: *const c_void,
        scalars: *const c_void,
        n: usize,
        msm: *mut *mut c_void,
    ) -> sppark::Error;
    fn predecessor_msm_g2_create(
        points: *const c_void,
        scalars: *const c_void,
        n: usize,
        msm: *mut *mut c_void,
    ) -> sppark::Error;
    fn predecessor_msm_g1_run(msm: *mut c_void, sum: *mut c_void) -> sppark::Error;
    fn predecessor_msm_g2_run(msm: *mut c_void, sum: *mut c_void) -> sppark::Error;
    fn predecessor_msm_g1_destroy(msm: *mut c_void);
    fn predecessor_msm_g2_destroy(msm: *mut c_void);
    fn predecessor_ntt(values: *mut c_void, log_n: u32, forward: bool) -> sppark::Error;
}

fn check(error: sppark::Error) -> crate::Result<()> {
    match error.code {
        0 => Ok(()),
        _ => Err(format!("predecessor: {}", String::from(error)).into()),
    }
}

/// A group, and its three functions.
pub trait Group: Sized {
    /// blstrs' projective type, whose bytes are the Jacobian point that the predecessor gives.
    type Curve: Curve<AffineRepr = Self::Affine>;
    /// blstrs' affine type, whose bytes are its affine point.
    type Affine;
    #[doc(hidden)]
    const CREATE: unsafe extern "C" fn(
        *const c_void,
        *const c_void,
        usize,
        *mut *mut c_void,
    ) -> sppark::Error;
    #[doc(hidden)]
    const RUN: unsafe extern "C" fn(*mut c_void, *mut c_void) -> sppark::Error;
    #[doc(hidden)]
    const DESTROY: unsafe extern "C" fn(*mut c_void);
}

impl Group for sppark_fork::G1 {
    type Curve = G1Projective;
    type Affine = G1Affine;
    const CREATE: unsafe extern "C" fn(
        *const c_void,
        *const c_void,
        usize,
        *mut *mut c_void,
    ) -> sppark::Error = predecessor_msm_g1_create;
    const RUN: unsafe extern "C" fn(*mut c_void, *mut c_void) -> sppark::Error = predecessor_msm_g1_run;
    const DESTROY: unsafe extern "C" fn(*mut c_void) = predecessor_msm_g1_destroy;
}

impl Group for sppark_fork::G2 {
    type Curve = G2Projective;
    type Affine = G2Affine;
    const CREATE: unsafe extern "C" fn(
        *const c_void,
        *const c_void,
        usize,
        *mut *mut c_void,
    ) -> sppark::Error = predecessor_msm_g2_create;
    const RUN: unsafe extern "C" fn(*mut c_void, *mut c_void) -> sppark::Error = predecessor_msm_g2_run;
    const DESTROY: unsafe extern "C" fn(*mut c_void) = predecessor_msm_g2_destroy;
}

/// An MSM over points and scalars that it has uploaded.
pub struct ResidentMsm<G: Group> {
    msm: *mut c_void,
    group: std::marker::PhantomData<G>,
}

impl<G: Group> ResidentMsm<G> {
    pub fn new(points: &[G::Affine], scalars: &[ScalarLimbs]) -> crate::Result<Self> {
        assert_eq!(points.len(), scalars.len());
        let mut msm = null_mut();
        // SAFETY: both arrays have that many elements of the sizes that the other side
        // reads, before the call returns.
        check(unsafe {
            (G::CREATE)(
                points.as_ptr().cast(),
                scalars.as_ptr().cast(),
                points.len(),
                &mut msm,
            )
        })?;
        Ok(ResidentMsm {
            msm,
            group: std::marker::PhantomData,
        })
    }

    pub fn run(&mut self) -> crate::Result<G::Affine> {
        let mut sum = G::Curve::identity();
        // SAFETY: the handle is alive, and the sum is three coordinates, as the other side writes them.
        check(unsafe { (G::RUN)(self.msm, std::ptr::from_mut(&mut sum).cast()) })?;
        Ok(sum.to_affine())
    }
}

impl<G: Group> Drop for ResidentMsm<G> {
    fn drop(&mut self) {
        // SAFETY: the handle came from `new` and is given back once.
        unsafe { (G::DESTROY)(self.msm) }
    }
}

/// The transform in place, waited for: forward from natural to reversed order, or the inverse back.
pub fn ntt(values: &mut DeviceBuf<[u32; 8]>, forward: bool) -> crate::Result<()> {
    assert!(values.len().is_power_of_two());
    let log_n = values.len().ilog2();
    // SAFETY: the buffer has 2^log_n elements in device memory, and the call waits for the kernels.
    check(unsafe { predecessor_ntt(values.as_mut_ptr(), log_n, forward) })
}
