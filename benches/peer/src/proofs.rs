//! Whole proofs of the bench circuit: one key file, one r and s, so all proofs should have the same bytes.

use crate::record::{Side, Task};
use crate::Result;
use bench_shapes::BenchShape;
use bls_fields::Fr;
use groth16_core::setup::{generate_parameters_with, ToxicWaste};
use groth16_core::{Assignment, Backend, Blinding, PreparedVerifyingKey, Proof};
use ours_c2::backend::CudaBackend;
use std::io::BufWriter;
use std::mem::MaybeUninit;
use std::path::Path;

/// The seed of circuit and key.
const SEED: u64 = 1;

/// One circuit a call, the key resident (ours) or loaded (the predecessor's). The key's file goes to
/// `folder`, which needs 500 bytes a domain element, and is removed.
pub fn run(backend: &CudaBackend, log_n: u32, full: f64, runs: usize, folder: &Path) -> Result<Task> {
    let (r1cs, witness) = BenchShape::new(log_n, full)?.generate(SEED)?;
    // INSECURE, as every benchmark's key is.
    let waste = ToxicWaste::insecure_from_seed(SEED);
    let parameters = generate_parameters_with(&r1cs, &waste, backend.multiples())?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    parameters.write(BufWriter::new(file.as_file()))?;
    let srs = backend.load_srs(&parameters.into())?;
    let theirs = peer_c2::SRS::try_new(file.path().to_owned(), true).map_err(String::from)?;

    let owned = r1cs.assign(&witness)?;
    let circuit = owned.as_assignment();
    let c: Vec<Fr> = circuit.a.iter().zip(circuit.b).map(|(a, b)| a * b).collect();
    drop((r1cs, witness));
    let blinding = Blinding {
        r: Fr::from(0x1234_5678_9abc),
        s: Fr::from(0xcba9_8765_4321),
    };

    let expected = backend.prove_scoped(&srs, &[circuit], &[blinding])?[0];
    let verifier = PreparedVerifyingKey::from(srs.vk());
    if !verifier.verify(&expected, &circuit.inputs[1..])? {
        return Err(format!("proof 2^{log_n}: ours does not verify").into());
    }
    let percent = full * 100.0;
    let mut wrong = 0;
    let task = Task::run("proof", log_n, Some(percent), runs, |side| match side {
        Side::Ours => match backend.prove_scoped(&srs, &[circuit], &[blinding])?[0] == expected {
            true => Ok(()),
            false => Err(format!("proof 2^{log_n}, {percent} %: ours differ from each other").into()),
        },
        Side::Predecessor => {
            wrong += usize::from(predecessor(&circuit, &c, &blinding, &theirs) != expected);
            Ok(())
        }
    })?;
    if wrong > 0 {
        // It is not ours to mend; its times are still times.
        println!(
            "# proof 2^{log_n}, {percent} %: {wrong} of {} of the predecessor's proofs are wrong",
            runs + 1
        );
    }
    Ok(task)
}

/// Its own call, which panics where it fails.
fn predecessor(circuit: &Assignment<'_>, c: &[Fr], blinding: &Blinding, srs: &peer_c2::SRS) -> Proof {
    let assignment = peer_c2::Assignment::<Fr> {
        a_aux_density: circuit.a_aux_density.words().as_ptr().cast(),
        a_aux_bit_len: circuit.aux.len(),
        a_aux_popcount: circuit.a_aux_density.n_dense(),
        b_inp_density: circuit.b_input_density.words().as_ptr().cast(),
        b_inp_bit_len: circuit.inputs.len(),
        b_inp_popcount: circuit.b_input_density.n_dense(),
        b_aux_density: circuit.b_aux_density.words().as_ptr().cast(),
        b_aux_bit_len: circuit.aux.len(),
        b_aux_popcount: circuit.b_aux_density.n_dense(),
        a: circuit.a.as_ptr(),
        b: circuit.b.as_ptr(),
        c: c.as_ptr(),
        abc_size: circuit.a.len(),
        inp_assignment_data: circuit.inputs.as_ptr(),
        inp_assignment_size: circuit.inputs.len(),
        aux_assignment_data: circuit.aux.as_ptr(),
        aux_assignment_size: circuit.aux.len(),
    };
    let mut proofs = [MaybeUninit::<Proof>::uninit()];
    peer_c2::generate_groth16_proofs(&[assignment], &[blinding.r], &[blinding.s], &mut proofs, srs);
    // SAFETY: the call returned, so it wrote the proof, in the layout that our
    // type has for its callers' sake.
    unsafe { proofs[0].assume_init() }
}
