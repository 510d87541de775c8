//! Both public APIs, Curio's here and the registry crate's below: a change of any type does not compile.

use core::ffi::c_void;
use std::path::PathBuf;
use supraseal_c2 as curio;

/// What both have alike. No bounds on the parameters: bellperson calls these for its own generic engine.
macro_rules! common {
    ($version:ident, $S:ty, $PR:ty) => {
        let _: fn(PathBuf, bool) -> Result<$version::SRS, $version::Error> = $version::SRS::try_new;
        let _: fn(&$version::SRS) = $version::SRS::evict;
        let _: fn(&[$version::Assignment<$S>], &[$S], &[$S], &mut [$PR], &$version::SRS) =
            $version::generate_groth16_proofs::<$S, $PR>;
    };
}

#[allow(clippy::type_complexity)]
fn registry_crates<S, D, PR>() {
    common!(ours, S, PR);
    let _: fn(
        &[*const S],
        &[*const S],
        &[*const S],
        usize,
        &[*const S],
        &[*const S],
        usize,
        usize,
        &[D],
        &[D],
        &[D],
        usize,
        usize,
        usize,
        usize,
        &[S],
        &[S],
        &mut [PR],
        &ours::SRS,
    ) = ours::generate_groth16_proof::<S, D, PR>;
}

#[allow(clippy::type_complexity)]
fn curios<S, D, PR>() {
    common!(curio, S, PR);
    let _: fn(
        &[*const S],
        &[*const S],
        &[*const S],
        usize,
        &[*const S],
        &[*const S],
        usize,
        usize,
        &[D],
        &[D],
        &[D],
        usize,
        usize,
        usize,
        usize,
        &[S],
        &[S],
        &mut [PR],
        &curio::SRS,
        *mut c_void,
        i32,
    ) = curio::generate_groth16_proof::<S, D, PR>;
    let _: fn(
        &[*const S],
        &[*const S],
        &[*const S],
        usize,
        &[*const S],
        &[*const S],
        usize,
        usize,
        &[D],
        &[D],
        &[D],
        usize,
        usize,
        usize,
        usize,
        &[S],
        &[S],
        &curio::SRS,
        *mut c_void,
        i32,
    ) -> *mut c_void = curio::start_groth16_proof::<S, D>;
    let _: fn(*mut c_void, &mut [PR]) = curio::finish_groth16_proof::<PR>;
    let _: unsafe fn(*mut c_void) = curio::drop_pending_proof;
    let _: fn() -> *mut c_void = curio::alloc_gpu_mutex;
    let _: unsafe fn(*mut c_void) = curio::free_gpu_mutex;
}

#[test]
fn functions_have_both_crates_types() {
    registry_crates::<u8, u8, u8>();
    curios::<u8, u8, u8>();
}

#[test]
fn a_key_is_of_one_type_in_both() {
    // Code that takes one crate's key can be given the other's.
    let same: fn(&ours::SRS) -> &curio::SRS = |srs| srs;
    same(&ours::SRS::default()).evict();
}

#[test]
fn version_and_features_are_what_a_patch_needs() {
    assert_eq!(env!("CARGO_PKG_VERSION"), "0.1.3");
    // A name that is not a feature is a compiler warning here, which CI denies.
    let _ = [
        cfg!(feature = "portable"),
        cfg!(feature = "force-adx"),
        cfg!(feature = "quiet"),
        cfg!(feature = "cuda"),
    ];
}
