use super::*;
use groth16_core::params::KeyCounts;

const GIB: u64 = 1 << 30;

/// The bench circuit's shape, or, with `full_queries`, one where every wire is in A and B.
fn shape(log_n: u32, full_queries: bool) -> Shape {
    let n = 1usize << log_n;
    let (ic, l) = (36, n - n / 32 - 40);
    let (a, b) = match full_queries {
        true => (ic + l, ic + l),
        false => (ic + l * 97 / 100, l * 31 / 100),
    };
    Shape(KeyCounts {
        ic,
        h: n - 1,
        l,
        a,
        b_g1: b,
        b_g2: b,
    })
}

/// A partition of a 32 GiB sector: 130,278,869 rows and 130,169,893 private wires, 2^27; half of it for 2^26.
fn porep(log_n: u32) -> Shape {
    let part = |n: usize| n >> (27 - log_n);
    Shape(KeyCounts {
        ic: 328,
        h: (1 << log_n) - 1,
        l: part(130_169_893),
        a: 328 + part(129_753_292),
        b_g1: 1 + part(33_112_281),
        b_g2: 1 + part(33_112_281),
    })
}

fn room(device_bytes: u64, n_stages: usize) -> Room {
    Room {
        device_bytes,
        key_bytes: u64::MAX,
        n_stages,
        c_is_uploaded: false,
        is_one_stream: false,
        n_multiprocessors: 132,
    }
}

#[test]
fn plans_fit_and_more_memory_is_never_worse() {
    for log_n in (10..=28).step_by(3) {
        for full_queries in [false, true] {
            for n_stages in [1, 2] {
                let shape = shape(log_n, full_queries);
                let mut last_rung = usize::MAX;
                for gib in [4, 6, 8, 12, 16, 24, 32, 40, 48, 80, 96, 141] {
                    let room = room(gib * GIB, n_stages);
                    match Plan::new(&shape, &room, 0) {
                        Ok(plan) => {
                            assert!(
                                plan.peak_bytes <= room.device_bytes,
                                "2^{log_n}, {gib} GiB: {plan}"
                            );
                            assert!(plan.rung <= last_rung, "2^{log_n}, {gib} GiB: {plan}");
                            last_rung = plan.rung;
                        }
                        Err(CudaError::OutOfMemory {
                            need_bytes,
                            free_bytes,
                            ..
                        }) => {
                            assert_eq!(
                                last_rung,
                                usize::MAX,
                                "2^{log_n}: {gib} GiB do not do, and fewer did"
                            );
                            assert_eq!(free_bytes, Some(room.device_bytes));
                            assert!(need_bytes > room.device_bytes);
                            // The bytes that it asks for are enough.
                            let given = Room {
                                device_bytes: need_bytes,
                                ..room
                            };
                            assert_eq!(Plan::new(&shape, &given, 0).unwrap().peak_bytes, need_bytes);
                        }
                        Err(other) => panic!("{other}"),
                    }
                }
                if log_n <= 22 {
                    assert_eq!(last_rung, 0, "2^{log_n} fits 141 GiB at ease");
                }
            }
        }
    }
}

#[test]
fn every_rung_is_reached_by_some_limit_and_needs_what_it_says() {
    let shape = porep(20);
    let rungs = ladder(&shape, &room(u64::MAX, 2)).len();
    for rung in 0..rungs {
        let plan = Plan::new(&shape, &room(u64::MAX, 2), rung).unwrap();
        assert_eq!(plan.rung, rung);
        assert_eq!(plan.peak_bytes, plan.key_bytes + plan.layout.bytes().unwrap());
    }
    // Past the end: the most frugal, for a retry that can go no lower.
    assert_eq!(
        Plan::new(&shape, &room(u64::MAX, 2), usize::MAX).unwrap().rung,
        rungs - 1
    );
}

#[test]
fn a_sector_of_32_gib_fits_small_cards() {
    for (log_n, gib, streamed) in [
        (26, 16, true),
        (26, 24, true),
        (27, 24, true),
        (26, 48, false),
        (27, 80, false),
    ] {
        let plan = Plan::new(&porep(log_n), &room(gib * GIB, 2), 0).unwrap();
        assert!(plan.peak_bytes <= gib * GIB);
        assert_eq!(
            plan.is_resident(Part::H),
            !streamed,
            "2^{log_n} in {gib} GiB: {plan}"
        );
    }
    let ample = Plan::new(&porep(27), &room(139 * GIB, 2), 0).unwrap();
    assert_eq!(ample.rung, 0, "{ample}");
}

#[test]
fn a_budget_for_the_key_alone_streams_the_rest() {
    let shape = porep(20);
    let all = Plan::new(&shape, &room(u64::MAX, 1), 0).unwrap();
    for budget in [0, all.key_bytes / 2, all.key_bytes - 1] {
        let plan = Plan::new(
            &shape,
            &Room {
                key_bytes: budget,
                ..room(u64::MAX, 1)
            },
            0,
        )
        .unwrap();
        assert!(plan.key_bytes <= budget);
        assert!(!plan.is_resident(Part::H));
        assert_eq!(plan.sorting, Sorting::Apart, "{plan}");
    }
}

#[test]
fn an_msm_fits_the_least_workspace_of_its_plan_for_every_number_of_terms() {
    use crate::backend::msm_fit::fit;
    for part in [Part::H, Part::BG2] {
        for n_query in [0, 1, 77, 5000, 70_000, 1 << 22] {
            for bytes in [
                least_bytes(part, n_query, 132).unwrap(),
                ample_bytes(part, n_query, 132).unwrap(),
            ] {
                for n_terms in (0..=n_query).step_by((n_query / 40).max(1)).chain([n_query]) {
                    let config = fit(part, n_terms, 132, bytes).unwrap();
                    // All at once, or not in crumbs.
                    let batch = config.max_batch_points;
                    assert!(
                        batch == 0 || 2 * batch >= n_terms.min(1 << 16) as u64,
                        "{n_terms}: {config:?}"
                    );
                    let need = match part {
                        Part::BG2 => {
                            sppark_fork::msm_workspace_bytes::<sppark_fork::G2>(n_terms, &config, 132)
                        }
                        _ => sppark_fork::msm_workspace_bytes::<sppark_fork::G1>(n_terms, &config, 132),
                    };
                    assert!(
                        need.unwrap() <= bytes,
                        "{n_terms} of {n_query} terms of {part:?} in {bytes}: {config:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_second_workspace_is_had_where_it_pays_and_fits() {
    let sorting = |shape: &Shape, room: &Room| Plan::new(shape, room, 0).unwrap().sorting;
    for (log_n, expected) in [(10, Sorting::Beside), (24, Sorting::Beside), (25, Sorting::Apart)] {
        assert_eq!(sorting(&porep(log_n), &room(u64::MAX, 2)), expected, "2^{log_n}");
    }
    let shape = porep(20);
    let all = Plan::new(&shape, &room(u64::MAX, 2), 0).unwrap();
    assert!(all.layout.scratch.beside_bytes > 0);
    let less = room(all.peak_bytes - 1, 2);
    let one_stream = Room {
        is_one_stream: true,
        ..room(u64::MAX, 2)
    };
    assert_eq!(
        [less, one_stream].map(|room| sorting(&shape, &room)),
        [Sorting::Apart; 2]
    );
}

#[test]
fn counts_beyond_what_transforms_can_do_are_errors() {
    let mut shape = porep(27);
    shape.0.h = (1 << 29) - 1;
    let error = Plan::new(&shape, &room(1 << 50, 2), 0).unwrap_err();
    assert!(matches!(error, CudaError::Invalid { .. }), "{error}");
}
