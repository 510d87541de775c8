//! The public API against that of the registry crate 0.1.2: a change of any type here does not compile.

use core::ffi::c_void;
use core::mem::{align_of, needs_drop, offset_of, size_of};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::PathBuf;
use supraseal_c2::{generate_groth16_proof, generate_groth16_proofs, Assignment, Error, SRS};

/// No bounds on the parameters: bellperson calls these for its own generic engine.
#[allow(clippy::type_complexity)]
fn signatures<S, D, PR>() {
    let _: fn(PathBuf, bool) -> Result<SRS, Error> = SRS::try_new;
    let _: fn(&SRS) = SRS::evict;
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
        &SRS,
    ) = generate_groth16_proof::<S, D, PR>;
    let _: fn(&[Assignment<S>], &[S], &[S], &mut [PR], &SRS) = generate_groth16_proofs::<S, PR>;
}

/// Every field by name, so that there are no others, with its type.
fn fields<S>(assignment: Assignment<S>) -> Assignment<S> {
    let Assignment {
        a_aux_density,
        a_aux_bit_len,
        a_aux_popcount,
        b_inp_density,
        b_inp_bit_len,
        b_inp_popcount,
        b_aux_density,
        b_aux_bit_len,
        b_aux_popcount,
        a,
        b,
        c,
        abc_size,
        inp_assignment_data,
        inp_assignment_size,
        aux_assignment_data,
        aux_assignment_size,
    } = assignment;
    let _: [*const usize; 3] = [a_aux_density, b_inp_density, b_aux_density];
    let _: [usize; 3] = [a_aux_bit_len, b_inp_bit_len, b_aux_bit_len];
    let _: [usize; 3] = [a_aux_popcount, b_inp_popcount, b_aux_popcount];
    let _: [*const S; 5] = [a, b, c, inp_assignment_data, aux_assignment_data];
    let _: [usize; 3] = [abc_size, inp_assignment_size, aux_assignment_size];
    Assignment {
        a_aux_density,
        a_aux_bit_len,
        a_aux_popcount,
        b_inp_density,
        b_inp_bit_len,
        b_inp_popcount,
        b_aux_density,
        b_aux_bit_len,
        b_aux_popcount,
        a,
        b,
        c,
        abc_size,
        inp_assignment_data,
        inp_assignment_size,
        aux_assignment_data,
        aux_assignment_size,
    }
}

/// As bellperson 0.27 has it: a foreign trait for this type, for any scalar.
struct Witness<S>(Vec<S>);

impl<S> From<&Witness<S>> for Assignment<S> {
    fn from(witness: &Witness<S>) -> Self {
        fields(Assignment {
            a_aux_density: core::ptr::null(),
            a_aux_bit_len: 0,
            a_aux_popcount: 0,
            b_inp_density: core::ptr::null(),
            b_inp_bit_len: 0,
            b_inp_popcount: 0,
            b_aux_density: core::ptr::null(),
            b_aux_bit_len: 0,
            b_aux_popcount: 0,
            a: witness.0.as_ptr(),
            b: witness.0.as_ptr(),
            c: witness.0.as_ptr(),
            abc_size: witness.0.len(),
            inp_assignment_data: witness.0.as_ptr(),
            inp_assignment_size: 1,
            aux_assignment_data: witness.0.as_ptr(),
            aux_assignment_size: 1,
        })
    }
}

#[test]
fn functions_have_the_registry_crates_types() {
    signatures::<u8, u8, u8>();
    let raw: Assignment<String> = (&Witness(vec![String::new()])).into();
    assert_eq!(raw.abc_size, 1);
}

#[test]
fn the_assignment_has_the_registry_crates_layout() {
    assert_eq!(size_of::<Assignment<u8>>(), 17 * 8);
    assert_eq!(align_of::<Assignment<u8>>(), 8);
    assert!(!needs_drop::<Assignment<String>>());
    let offsets = [
        offset_of!(Assignment<u8>, a_aux_density),
        offset_of!(Assignment<u8>, a_aux_bit_len),
        offset_of!(Assignment<u8>, a_aux_popcount),
        offset_of!(Assignment<u8>, b_inp_density),
        offset_of!(Assignment<u8>, b_inp_bit_len),
        offset_of!(Assignment<u8>, b_inp_popcount),
        offset_of!(Assignment<u8>, b_aux_density),
        offset_of!(Assignment<u8>, b_aux_bit_len),
        offset_of!(Assignment<u8>, b_aux_popcount),
        offset_of!(Assignment<u8>, a),
        offset_of!(Assignment<u8>, b),
        offset_of!(Assignment<u8>, c),
        offset_of!(Assignment<u8>, abc_size),
        offset_of!(Assignment<u8>, inp_assignment_data),
        offset_of!(Assignment<u8>, inp_assignment_size),
        offset_of!(Assignment<u8>, aux_assignment_data),
        offset_of!(Assignment<u8>, aux_assignment_size),
    ];
    assert!(offsets.into_iter().eq((0..17).map(|i| i * 8)));
}

#[test]
fn the_handle_has_the_registry_crates_traits() {
    fn traits<T: Default + Clone + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static>() {}
    traits::<SRS>();
    assert!(needs_drop::<SRS>());
    assert_eq!(size_of::<SRS>(), size_of::<*const c_void>());
    // What bellperson holds it in.
    fn parameter_source<T: Send + Sync>() {}
    parameter_source::<std::sync::Arc<(SRS, core::marker::PhantomData<u8>)>>();
}

#[test]
fn the_error_has_the_registry_crates_code_and_conversions() {
    fn traits<T: std::error::Error + core::fmt::Debug + core::fmt::Display + Send + Sync + 'static>() {}
    traits::<Error>();
    let error = SRS::try_new(PathBuf::from("no/such/file"), false).err().unwrap();
    let code: i32 = error.code;
    assert_eq!(code, 2, "ENOENT");
    let text = error.to_string();
    assert_eq!(String::from(&error), text);
    assert_eq!(format!("{error:?}"), format!("{text} (code 2)"));
    assert_eq!(String::from(error), text);
    assert!(text.contains("no/such/file"), "{text}");
}

#[test]
fn version_and_features_are_the_registry_crates() {
    assert_eq!(env!("CARGO_PKG_VERSION"), "0.1.2");
    // A name that is not a feature is a compiler warning here, which CI denies.
    let _ = [
        cfg!(feature = "portable"),
        cfg!(feature = "force-adx"),
        cfg!(feature = "quiet"),
    ];
}
