//! Proofs in two calls: their bytes, who owns what, and every way in which a handle can be used wrongly.

mod common;

use blstrs::Scalar;
use common::*;
use core::ptr::{dangling_mut, null_mut};
use ff::Field;
use supraseal_c2::{alloc_gpu_mutex, finish_groth16_proof, SRS};

#[test]
fn one_call_and_two_make_the_published_bytes() {
    let srs = load("mul.params");
    for (r, s) in [(0, 0), (3, 5)] {
        let expected = [vector_hex(&format!("P-mul-{r}-{s}"))];
        let witness = [mul(3, 11)];
        assert_eq!(prove(&witness, &[r], &[s], &srs, ANY), expected);
        assert_eq!(finish(start(&witness, &[r], &[s], &srs, ANY), 1), expected);
    }
}

#[test]
fn a_batch_has_the_bytes_of_one_call() {
    let srs = load("mul.params");
    let witnesses = [mul(3, 11), mul(5, 0), mul(1, 7)];
    let (r, s) = ([3, 0, 9], [5, 2, 0]);
    let batch = finish(start(&witnesses, &r, &s, &srs, ANY), 3);
    assert_eq!(batch, prove(&witnesses, &r, &s, &srs, ANY));
    assert_eq!(batch[0], vector_hex("P-mul-3-5"));
}

#[test]
fn inputs_and_key_may_go_when_start_returns() {
    let srs = load("mul.params");
    let mut witness = [mul(3, 11)];
    let handle = start(&witness, &[3], &[5], &srs, ANY);
    // Written over, not only freed: what were still read would now be wrong.
    let Witness {
        a,
        b,
        c,
        inputs,
        aux,
        densities,
    } = &mut witness[0];
    for vector in [a, b, c, inputs, aux] {
        vector.fill(-Scalar::ONE);
    }
    densities.iter_mut().for_each(|words| words.fill(usize::MAX));
    drop(witness);
    drop(srs);
    assert_eq!(finish(handle, 1), [vector_hex("P-mul-3-5")]);
}

#[test]
fn handles_cross_threads() {
    let srs = load("mul.params");
    let mutex = Sendable(alloc_gpu_mutex());
    let expected = vector_hex("P-mul-3-5");
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (srs, expected) = (&srs, &expected);
            scope.spawn(move || {
                let gpu = Gpu {
                    mutex: mutex.get(),
                    index: worker,
                };
                for _ in 0..5 {
                    // Three under way at once, each ended on a thread of its own,
                    // one of them without its proof.
                    let handles: Vec<_> = (0..3)
                        .map(|_| Sendable(start(&[mul(3, 11)], &[3], &[5], srs, gpu)))
                        .collect();
                    std::thread::scope(|scope| {
                        for (i, handle) in handles.into_iter().enumerate() {
                            scope.spawn(move || match i {
                                1 => give_up(handle.get()),
                                _ => assert_eq!(&finish(handle.get(), 1)[0], expected),
                            });
                        }
                    });
                }
            });
        }
    });
    free_mutex(mutex.get());
}

#[test]
fn of_two_that_finish_one_handle_one_gets_the_proof() {
    let srs = load("mul.params");
    let handle = Sendable(start(&[mul(3, 11)], &[3], &[5], &srs, ANY));
    let outcomes = std::thread::scope(|scope| {
        let finish_it = move || std::panic::catch_unwind(move || finish(handle.get(), 1));
        [scope.spawn(finish_it), scope.spawn(finish_it)].map(|thread| thread.join().unwrap())
    });
    let (made, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!((made.len(), refused.len()), (1, 1));
    assert_eq!(made[0].as_ref().unwrap()[0], vector_hex("P-mul-3-5"));
}

#[test]
fn a_handle_ends_once_and_may_be_dropped_after_that() {
    let srs = load("mul.params");
    let handle = start(&[mul(3, 11)], &[0], &[0], &srs, ANY);
    finish(handle, 1);
    assert_refused(handle);
    give_up(handle);

    let handle = start(&[mul(3, 11)], &[0], &[0], &srs, ANY);
    give_up(handle);
    give_up(handle);
    assert_refused(handle);
}

#[test]
fn what_is_no_handle_is_refused_and_not_followed() {
    let mut mine = 7u64;
    let mutex = alloc_gpu_mutex();
    for foreign in [null_mut(), dangling_mut(), (&raw mut mine).cast(), mutex] {
        assert_refused(foreign);
        give_up(foreign);
    }
    assert_eq!(mine, 7);
    // Nor did dropping it as a proof end the mutex.
    let gpu = Gpu { mutex, index: 0 };
    prove(&[mul(3, 11)], &[0], &[0], &load("mul.params"), gpu);
    free_mutex(mutex);
}

fn assert_refused(handle: *mut core::ffi::c_void) {
    let text = panic_text(|| finish_groth16_proof(handle, &mut [[0u8; 384]]));
    let expected = format!("finish_groth16_proof: {handle:?} is no pending proof");
    assert!(text.contains(&expected), "{text}");
}

#[test]
fn a_place_for_each_proof_or_a_panic_that_ends_the_handle() {
    let srs = load("mul.params");
    let started = || start(&[mul(3, 11), mul(1, 7)], &[0; 2], &[0; 2], &srs, ANY);

    let handle = started();
    let mut one = [[0xa5u8; 384]];
    let text = panic_text(|| finish_groth16_proof(handle, &mut one));
    assert!(text.contains("proofs: 1 given for 2 circuits"), "{text}");
    assert_eq!(one, [[0xa5; 384]]);
    // What a destructor does then.
    give_up(handle);
    assert_refused(handle);

    let text = panic_text(|| finish_groth16_proof(started(), &mut [[0u8; 192]; 2]));
    assert!(text.contains("has 192 bytes, where 384 are needed"), "{text}");
}

#[test]
fn wrong_arguments_are_a_panic_of_start_and_the_next_proof_is_good() {
    let srs = load("mul.params");
    let good = [mul(3, 11)];
    let mut unsatisfied = good.clone();
    unsatisfied[0].c[0] += Scalar::ONE;
    let mut too_few_bits = good.clone();
    too_few_bits[0].densities[2].clear();
    let freed = alloc_gpu_mutex();
    free_mutex(freed);
    let with = |mutex, index| Gpu { mutex, index };
    type Case<'a> = (&'a [Witness], &'a [u64], SRS, Gpu, &'a str);
    let cases: [Case<'_>; 8] = [
        (
            &unsatisfied,
            &[0],
            srs.clone(),
            ANY,
            "circuit 0: the witness does not satisfy constraint 0",
        ),
        (
            &too_few_bits,
            &[0],
            srs.clone(),
            ANY,
            "b_g1_aux_density_bv: 0 words of 64 bits are too few",
        ),
        (&good, &[0, 0], srs.clone(), ANY, "r_s: 2 given for 1 circuits"),
        (&good, &[0], SRS::default(), ANY, "the SRS is the default one"),
        (&good, &[0], load("binp.params"), ANY, "in the key and"),
        (
            &good,
            &[0],
            srs.clone(),
            with(freed, -1),
            "which alloc_gpu_mutex never gave, or which is freed",
        ),
        (
            &good,
            &[0],
            srs.clone(),
            with(dangling_mut(), 0),
            "which alloc_gpu_mutex never gave",
        ),
        (&good, &[0], srs.clone(), with(null_mut(), -2), "gpu_index is -2"),
    ];
    for (witnesses, r, key, gpu, expected) in cases {
        let text = panic_text(|| start(witnesses, r, &[0], &key, gpu));
        assert!(text.starts_with("supraseal-c2, start_groth16_proof: "), "{text}");
        assert!(text.contains(expected), "{text}");
        let text = panic_text(|| prove(witnesses, r, &[0], &key, gpu));
        assert!(
            text.starts_with("supraseal-c2, generate_groth16_proof: "),
            "{text}"
        );
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(
        finish(start(&good, &[3], &[5], &srs, ANY), 1),
        [vector_hex("P-mul-3-5")]
    );
}

#[test]
fn mutexes_are_ended_once_and_never_followed() {
    let (a, b) = (alloc_gpu_mutex(), alloc_gpu_mutex());
    assert!(!a.is_null() && a != b);
    free_mutex(null_mut());
    free_mutex(dangling_mut());
    free_mutex(a);
    free_mutex(a);
    // A proof's handle is no mutex, and freeing it as one does not end the proof.
    let srs = load("mul.params");
    let handle = start(&[mul(3, 11)], &[3], &[5], &srs, Gpu { mutex: b, index: -1 });
    free_mutex(handle);
    // Nor does a proof under way need its mutex.
    free_mutex(b);
    assert_eq!(finish(handle, 1), [vector_hex("P-mul-3-5")]);
}
