//! Whole proofs: the toy keys' published bytes, setup against the same keys, and that wrong inputs are refused.

mod toy;

use bls_fields::Fr;
use groth16_core::*;
use toy::*;

fn prove(parameters: Parameters, r1cs: &R1cs, witness: &[Fr], r: u64, s: u64) -> Result<Proof> {
    let backend = CpuBackend;
    let srs = backend.load_srs(&parameters.into())?;
    let blinding = Blinding {
        r: r.into(),
        s: s.into(),
    };
    let scoped = {
        let owned = r1cs.assign(witness)?;
        backend.prove_scoped(&srs, &[owned.as_assignment()], &[blinding])?
    };
    let job = Job::new(&*srs, vec![(r1cs.assign(witness)?, blinding)])?;
    let submitted = backend.submit(&srs, job)?.wait()?;
    assert_eq!(scoped, submitted);
    Ok(scoped[0])
}

fn key(name: &str) -> Parameters {
    Parameters::read(vector_path(name), ParamsCheck::Subgroup).unwrap()
}

#[test]
fn toy_proofs_have_the_published_bytes() {
    let mul_witness = elements(&[1, 33, 3, 11]);
    let cases = [
        ("mul", mul(), &mul_witness, elements(&[33])),
        ("zero", zero(), &mul_witness, elements(&[33])),
        ("binp", binp(), &binp_witness(), elements(&[2, 1])),
    ];
    for (name, r1cs, witness, public) in cases {
        for (r, s) in [(0, 0), (3, 5)] {
            let parameters = key(&format!("{name}.params"));
            let vk = PreparedVerifyingKey::from(&parameters.vk);
            let proof = prove(parameters, &r1cs, witness, r, s).unwrap();
            let row = if name == "zero" { "mul" } else { name };
            assert_eq!(
                proof.to_bytes().to_vec(),
                vector_hex(&format!("P-{row}-{r}-{s}")),
                "{name} {r} {s}"
            );
            assert!(vk.verify(&proof, &public).unwrap());
            assert_eq!(Proof::from_bytes(&proof.to_bytes()).unwrap(), proof);
        }
    }
}

#[test]
fn setup_makes_the_published_keys() {
    for (name, r1cs) in [("mul", mul()), ("zero", zero()), ("binp", binp())] {
        let mut bytes = Vec::new();
        let parameters = setup::generate_parameters(&r1cs, &toy_waste()).unwrap();
        parameters.write(&mut bytes).unwrap();
        assert_eq!(bytes, vector_bytes(&format!("{name}.params")), "{name}");
        assert_eq!(bytes.len() as u64, parameters.encoded_bytes());
    }
}
