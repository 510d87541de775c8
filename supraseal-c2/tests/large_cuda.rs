//! Proofs of some size on a card, byte for byte those of the CPU. Sizes as log2 in `G16_TEST_LOG_N`
//! (`16,18`); small unless set. On the fake runtime it runs at a size that emulation can bear.
#![cfg(any(feature = "cuda", feature = "host-check"))]

use bench_shapes::BenchShape;
use groth16_core::setup::{generate_parameters, ToxicWaste};
use groth16_core::*;
use supraseal_c2::backend::{CudaBackend, CudaConfig};

fn sizes() -> Vec<u32> {
    let list = std::env::var("G16_TEST_LOG_N").unwrap_or_else(|_| "7".into());
    list.split(',').map(|k| k.parse().expect("a size")).collect()
}

#[test]
fn large_proofs_equal_the_cpu() {
    let config = CudaConfig {
        // The fake runtime has no device until one is made.
        #[cfg(feature = "host-check")]
        gpus: Some(vec![supraseal_c2::backend::fake_device()]),
        ..CudaConfig::default()
    };
    let backend = match CudaBackend::new(&config) {
        Ok(backend) => backend,
        Err(error) => {
            assert!(std::env::var_os("G16_REQUIRE_GPU").is_none(), "{error}");
            println!("skipped: {error}");
            return;
        }
    };
    for log_n in sizes() {
        for full in [0.01, 0.2, 0.6, 0.98] {
            let (r1cs, witness) = BenchShape::new(log_n, full).unwrap().generate(9).unwrap();
            let key: Srs = generate_parameters(&r1cs, &ToxicWaste::insecure_from_seed(5))
                .unwrap()
                .into();
            let srs = backend.load_srs(&key).unwrap();
            let cpu = CpuBackend.load_srs(&key).unwrap();
            let assignment = r1cs.assign(&witness).unwrap();
            let circuits = [assignment.as_assignment(); 3];
            let blindings = [(17u64, 23u64), (0, 0), (1, 2)].map(|(r, s)| Blinding {
                r: r.into(),
                s: s.into(),
            });
            let proofs = backend.prove_scoped(&srs, &circuits, &blindings).unwrap();
            let expected = CpuBackend.prove_scoped(&cpu, &circuits, &blindings).unwrap();
            assert_eq!(proofs, expected, "2^{log_n}, {full}");
            println!("2^{log_n}, {full} full: three proofs equal the CPU's");
        }
    }
}
