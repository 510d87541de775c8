//! Both entry points on the toy keys, against the bytes of `vectors/cases`, and
//! every argument that can be wrong.

mod common;

use blstrs::Scalar;
use common::*;
use ff::Field;
use supraseal_c2::{generate_groth16_proof, generate_groth16_proofs, Assignment, SRS};

#[test]
fn both_entry_points_make_the_published_bytes() {
    for (name, witness) in [("mul", mul(3, 11)), ("binp", binp())] {
        let srs = load(&format!("{name}.params"));
        for (r, s) in [(0, 0), (3, 5)] {
            let expected = [vector_hex(&format!("P-{name}-{r}-{s}"))];
            let one = [witness.clone()];
            assert_eq!(prove_each(&one, &[r], &[s], &srs), expected, "{name} {r} {s}");
            assert_eq!(prove_alike(&one, &[r], &[s], &srs), expected, "{name} {r} {s}");
        }
    }
}

#[test]
fn a_batch_has_the_bytes_of_its_circuits_alone() {
    let srs = load("mul.params");
    let witnesses = [mul(3, 11), mul(5, 0), mul(1, 7)];
    let (r, s) = ([3, 0, 9], [5, 2, 0]);
    let batch = prove_each(&witnesses, &r, &s, &srs);
    assert_eq!(batch[0], vector_hex("P-mul-3-5"));
    assert_eq!(prove_alike(&witnesses, &r, &s, &srs), batch);
    for i in 0..3 {
        let alone = prove_each(&witnesses[i..=i], &r[i..=i], &s[i..=i], &srs);
        assert_eq!(alone[0], batch[i], "circuit {i}");
    }
}

#[test]
fn no_circuits_is_no_work() {
    let mut proofs: [[u8; 384]; 0] = [];
    generate_groth16_proofs::<Scalar, _>(&[], &[], &[], &mut proofs, &load("mul.params"));
}

#[test]
fn the_file_may_vanish_and_handles_outlive_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key.params");
    std::fs::copy(vector_path("mul.params"), &path).unwrap();
    let first = SRS::try_new(path.clone(), false).unwrap();
    // Written over, not only unlinked: nothing may be read from it any more.
    std::fs::write(&path, vec![0xff; 2136]).unwrap();
    std::fs::remove_file(&path).unwrap();

    let clones: Vec<SRS> = (0..4).map(|_| first.clone()).collect();
    drop(first);
    let threads = clones.into_iter().map(|srs| {
        std::thread::spawn(move || {
            let proof = prove_each(&[mul(3, 11)], &[3], &[5], &srs);
            drop(srs);
            proof
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        assert_eq!(thread.join().unwrap()[0], vector_hex("P-mul-3-5"));
    }
}

#[test]
fn the_cache_gives_the_same_key_until_it_is_evicted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key.params");
    std::fs::copy(vector_path("mul.params"), &path).unwrap();
    let first = SRS::try_new(path.clone(), true).unwrap();
    std::fs::remove_file(&path).unwrap();
    let cached = SRS::try_new(path.clone(), true).unwrap();
    // Not through the cache, the file is missed.
    assert_eq!(SRS::try_new(path.clone(), false).err().unwrap().code, 2);
    first.evict();
    assert_eq!(SRS::try_new(path, true).err().unwrap().code, 2);
    drop(first);
    assert_eq!(
        prove_each(&[mul(3, 11)], &[3], &[5], &cached)[0],
        vector_hex("P-mul-3-5")
    );
    SRS::default().evict();
}

/// The text of the one panic that a changed assignment gives; the proof's memory must not have been touched.
fn refusal(change: impl FnOnce(&mut Assignment<Scalar>)) -> String {
    let srs = load("mul.params");
    let (good, bad) = (mul(3, 11), mul(3, 11));
    let mut provers = [good.assignment(), bad.assignment()];
    change(&mut provers[1]);
    let mut proofs = [[0xa5u8; 384]; 2];
    let zeros = [Scalar::ZERO; 2];
    let text = panic_text(|| generate_groth16_proofs(&provers, &zeros, &zeros, &mut proofs, &srs));
    assert_eq!(proofs, [[0xa5; 384]; 2], "{text}");
    text
}

#[test]
fn a_wrong_length_is_a_panic_with_both_numbers() {
    type Change = fn(&mut Assignment<Scalar>);
    let cases: [(Change, &str); 9] = [
        (
            |a| a.a_aux_bit_len = 1,
            "circuit 1: a_aux_density has 1 bits for 2 wires",
        ),
        (
            |a| a.b_inp_bit_len = 3,
            "circuit 1: b_inp_density has 3 bits for 2 wires",
        ),
        (
            |a| a.b_aux_bit_len = 0,
            "circuit 1: b_aux_density has 0 bits for 2 wires",
        ),
        (
            |a| a.a_aux_popcount = 2,
            "circuit 1: a_aux_density is said to have 2 bits set, but has 1",
        ),
        (
            |a| a.b_inp_popcount = 1,
            "circuit 1: b_inp_density is said to have 1 bits set, but has 0",
        ),
        (
            |a| a.b_aux_popcount = 0,
            "circuit 1: b_aux_density is said to have 0 bits set, but has 1",
        ),
        // Fewer of each, as more would not be there to read.
        (
            |a| a.abc_size = 2,
            "domain size (h + 1) is 4 in the key and 2 in the circuit",
        ),
        (
            |a| (a.inp_assignment_size, a.b_inp_bit_len) = (1, 1),
            "number of inputs (ic) is 2 in the key and 1 in the circuit",
        ),
        (
            |a| {
                (a.aux_assignment_size, a.a_aux_bit_len, a.b_aux_bit_len) = (1, 1, 1);
                a.b_aux_popcount = 0;
            },
            "number of private wires (l) is 2 in the key and 1 in the circuit",
        ),
    ];
    for (change, expected) in cases {
        let text = refusal(change);
        assert!(text.contains(expected), "{text}");
        assert!(
            text.starts_with("supraseal-c2, generate_groth16_proofs: circuit 1: "),
            "{text}"
        );
    }
}

#[test]
fn a_density_of_other_wires_does_not_fit_the_key() {
    let words = [0b11usize];
    let text = refusal(|a| (a.b_aux_density, a.b_aux_popcount) = (words.as_ptr(), 2));
    assert!(
        text.contains("size of the B query (b_g1) is 1 in the key and 2 in the circuit"),
        "{text}"
    );
}

#[test]
fn counts_of_circuits_must_agree() {
    let srs = load("mul.params");
    let witness = mul(3, 11);
    let prove = |n_r: usize, n_s: usize, n_proofs: usize| {
        let mut proofs = vec![[0u8; 384]; n_proofs];
        let (r, s) = (vec![Scalar::ZERO; n_r], vec![Scalar::ZERO; n_s]);
        panic_text(|| generate_groth16_proofs(&[witness.assignment()], &r, &s, &mut proofs, &srs))
    };
    assert!(prove(2, 1, 1).contains("r_s: 2 given for 1 circuits"));
    assert!(prove(1, 0, 1).contains("s_s: 0 given for 1 circuits"));
    assert!(prove(1, 1, 3).contains("proofs: 3 given for 1 circuits"));
}

/// `generate_groth16_proof` on mul, with a density's words, and the number of pointers in each array of them.
fn prove_with<D, PR>(words: [&[D]; 3], counts: [usize; 5], n: usize, proofs: &mut [PR]) {
    let witness = mul(3, 11);
    let vectors = [&witness.a, &witness.b, &witness.c, &witness.inputs, &witness.aux];
    let pointers: Vec<Vec<*const Scalar>> = (vectors.iter().zip(counts))
        .map(|(vector, count)| vec![vector.as_ptr(); count])
        .collect();
    let zeros = vec![Scalar::ZERO; n];
    generate_groth16_proof(
        &pointers[0],
        &pointers[1],
        &pointers[2],
        3,
        &pointers[3],
        &pointers[4],
        2,
        2,
        words[0],
        words[1],
        words[2],
        1,
        0,
        1,
        n,
        &zeros,
        &zeros,
        proofs,
        &load("mul.params"),
    );
}

#[test]
fn the_arrays_of_pointers_must_have_one_a_circuit() {
    let words: [&[usize]; 3] = [&[0b01], &[0b00], &[0b10]];
    let names = [
        "ntt_a_scalars",
        "ntt_b_scalars",
        "ntt_c_scalars",
        "input_assignments",
        "aux_assignments",
    ];
    for (i, name) in names.into_iter().enumerate() {
        let mut counts = [2; 5];
        counts[i] = 1;
        let text = panic_text(|| prove_with(words, counts, 2, &mut [[0u8; 384]; 2]));
        assert!(text.contains(&format!("generate_groth16_proof: {name}: 1 given for 2 circuits")));
    }
    for (i, name) in ["a_aux", "b_g1_input", "b_g1_aux"].into_iter().enumerate() {
        let mut words = words;
        words[i] = &[];
        let text = panic_text(|| prove_with(words, [1; 5], 1, &mut [[0u8; 384]; 1]));
        let expected = format!("{name}_density_bv: 0 words of 64 bits are too few for 2 bits");
        assert!(text.contains(&expected), "{text}");
    }
    // And as it should be.
    prove_with(words, [2; 5], 2, &mut [[0u8; 384]; 2]);
}

#[test]
fn types_of_another_size_are_refused() {
    let text = panic_text(|| prove_with::<u32, _>([&[1, 0], &[0, 0], &[2, 0]], [1; 5], 1, &mut [[0u8; 384]]));
    assert!(text.contains("has 4 bytes, where 8 are needed"), "{text}");
    let words: [&[usize]; 3] = [&[0b01], &[0b00], &[0b10]];
    let text = panic_text(|| prove_with(words, [1; 5], 1, &mut [[0u8; 192]]));
    assert!(
        text.contains("proofs has 192 bytes, where 384 are needed"),
        "{text}"
    );

    let srs = load("mul.params");
    let small = [0u64; 4];
    let raw = Assignment::<u64> {
        a_aux_density: core::ptr::null(),
        a_aux_bit_len: 0,
        a_aux_popcount: 0,
        b_inp_density: core::ptr::null(),
        b_inp_bit_len: 0,
        b_inp_popcount: 0,
        b_aux_density: core::ptr::null(),
        b_aux_bit_len: 0,
        b_aux_popcount: 0,
        a: small.as_ptr(),
        b: small.as_ptr(),
        c: small.as_ptr(),
        abc_size: 3,
        inp_assignment_data: small.as_ptr(),
        inp_assignment_size: 2,
        aux_assignment_data: small.as_ptr(),
        aux_assignment_size: 2,
    };
    let text = panic_text(|| generate_groth16_proofs(&[raw], &[0], &[0], &mut [[0u8; 384]], &srs));
    assert!(text.contains("has 8 bytes, where 32 are needed"), "{text}");
}

#[test]
fn pointers_that_cannot_be_are_refused_before_they_are_read() {
    let text = refusal(|a| a.abc_size = usize::MAX / 16);
    assert!(
        text.contains(&format!("a cannot have a length of {}", usize::MAX / 16)),
        "{text}"
    );
    let text = refusal(|a| a.b = a.b.wrapping_byte_add(4));
    assert!(text.contains("circuit 1: b is not aligned to 8 bytes"), "{text}");
}

#[test]
fn a_wrong_witness_names_its_circuit_and_row() {
    let srs = load("mul.params");
    let mut wrong = mul(3, 11);
    wrong.c[2] = Scalar::ONE;
    let text = panic_text(|| prove_each(&[mul(3, 11), wrong], &[0, 0], &[0, 0], &srs));
    assert!(
        text.contains("circuit 1: the witness does not satisfy constraint 2"),
        "{text}"
    );
    let mut wrong = mul(3, 11);
    wrong.inputs[0] = Scalar::from(2);
    let text = panic_text(|| prove_alike(&[wrong], &[0], &[0], &srs));
    assert!(
        text.contains("circuit 0: the first value of the witness is not 1"),
        "{text}"
    );
}
