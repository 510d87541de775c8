//! Cases that every backend must pass, and the toy circuits that they and other tests are made from.
//!
//! A backend's crate runs them all with one line in an integration test,
//! `backend_tests::backend_suite!(constructor)`, where `constructor` is an expression of type
//! `Option<impl Backend>`: `None` where the machine lacks the device, which the test prints and passes.

pub mod cases;
pub mod toy;

/// A `#[test]` for each case. See the crate's documentation.
#[macro_export]
macro_rules! backend_suite {
    ($backend:expr) => {
        $crate::backend_suite!(
            $backend;
            toy_proofs_have_the_published_bytes,
            a_batch_is_its_single_proofs,
            every_shape_equals_the_cpu,
            keys_equal_the_cpu,
            a_small_circuit_after_a_large_one_has_its_own_bytes,
            submitted_equals_scoped,
            dropping_what_is_pending_waits,
            wrong_inputs_are_typed_errors,
            an_srs_of_another_backend_is_refused,
            inputs_in_memory_of_the_backend_give_the_same_proofs,
            host_buffers_hold_zeros_and_can_be_filled
        );
    };
    ($backend:expr; $($case:ident),*) => {
        $(
            #[test]
            fn $case() {
                match $backend {
                    Some(backend) => $crate::cases::$case(&backend),
                    None => println!("skipped: no such device on this machine"),
                }
            }
        )*
    };
}
