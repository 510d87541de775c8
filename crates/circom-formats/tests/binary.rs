//! `.r1cs` and `.wtns`: what is read, what is written, and each way in which a file can be wrong.

mod common;

use bls_fields::Fr;
use circom_formats::*;
use common::{patched, sections, vector, with_sections};
use ff::{Field, PrimeField};

const R1CS_FILES: [&str; 4] = ["mul.r1cs", "zero.r1cs", "binp.r1cs", "mul_circom.r1cs"];
const WTNS_FILES: [&str; 6] = [
    "mul.wtns",
    "binp.wtns",
    "mul_short.wtns",
    "mul_long.wtns",
    "mul_wrong.wtns",
    "mul_one2.wtns",
];

fn written(r1cs: &R1cs) -> Vec<u8> {
    let mut out = Vec::new();
    write_r1cs(r1cs, &mut out).unwrap();
    out
}

#[test]
fn vectors_are_read_and_written_byte_for_byte() {
    for name in R1CS_FILES {
        assert_eq!(
            written(&read_r1cs(&vector(name)).unwrap()),
            vector(name),
            "{name}"
        );
    }
    for name in WTNS_FILES {
        let mut out = Vec::new();
        write_wtns(&read_wtns(&vector(name)).unwrap(), &mut out).unwrap();
        assert_eq!(out, vector(name), "{name}");
    }
}

#[test]
fn binp_is_what_its_description_says() {
    let r1cs = read_r1cs(&vector("binp.r1cs")).unwrap();
    assert_eq!((r1cs.n_wires, r1cs.n_public(), r1cs.n_private_inputs), (5, 2, 2));
    // x·p1 = w and w·(3·p2 + 1) = 6·p1, wires ONE, p1, p2, x, w
    let rows = |rows: &[&[(u32, u64)]]| {
        let mut out = SparseRows::default();
        for row in rows {
            out.push_row(row.iter().map(|&(wire, value)| (wire, Fr::from(value))));
        }
        out
    };
    assert_eq!(r1cs.a, rows(&[&[(3, 1)], &[(4, 1)]]));
    assert_eq!(r1cs.b, rows(&[&[(1, 1)], &[(2, 3), (0, 1)]]));
    assert_eq!(r1cs.c, rows(&[&[(4, 1)], &[(1, 6)]]));
    assert_eq!((r1cs.n_constraints(), r1cs.b.n_terms()), (2, 3));

    let witness = read_wtns(&vector("binp.wtns")).unwrap();
    let half = Fr::from(2).invert().unwrap();
    assert_eq!(
        witness,
        [1.into(), 2.into(), 1.into(), Fr::from(3) * half, 3.into()]
    );
}

/// The constraint system that the format's specification ends with, over our field.
#[test]
fn example_of_the_specification() {
    let row = |terms: &[(u32, u64)]| terms.iter().map(|&(w, v)| (w, Fr::from(v))).collect::<Vec<_>>();
    let mut r1cs = R1cs {
        n_wires: 7,
        n_public_outputs: 1,
        n_public_inputs: 2,
        n_private_inputs: 3,
        ..R1cs::default()
    };
    for (a, b, c) in [
        (
            row(&[(5, 3), (6, 8)]),
            row(&[(0, 2), (2, 20), (3, 12)]),
            row(&[(0, 5), (2, 7)]),
        ),
        (row(&[(1, 4), (4, 8), (5, 3)]), row(&[(3, 44), (6, 6)]), row(&[])),
        (row(&[(6, 4)]), row(&[(0, 6), (2, 11), (3, 5)]), row(&[(6, 600)])),
    ] {
        r1cs.a.push_row(a);
        r1cs.b.push_row(b);
        r1cs.c.push_row(c);
    }
    let file = written(&r1cs);
    let lengths: Vec<_> = sections(&file)
        .iter()
        .map(|(s, at, c)| (*s, *at, c.len()))
        .collect();
    assert_eq!(lengths, [(1, 24, 0x40), (2, 100, 0x288), (3, 760, 0x38)]);
    // The last term of the last constraint: wire 6, coefficient 600.
    assert_eq!(file[712..720], [6, 0, 0, 0, 0x58, 2, 0, 0]);
    assert_eq!(read_r1cs(&file).unwrap(), r1cs);
}

#[test]
fn sections_in_any_order_and_unknown_ones_skipped() {
    let want = read_r1cs(&vector("binp.r1cs")).unwrap();
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for order in orders {
        let file = with_sections(&vector("binp.r1cs"), |sections| {
            *sections = order.map(|i| sections[i].clone()).into();
            sections.insert(1, (77, vec![1; 100]));
            sections.insert(0, (0, vec![]));
            sections.push((u32::MAX, vec![2]));
            // Unknown ones may even repeat.
            sections.push((u32::MAX, vec![3]));
        });
        assert_eq!(read_r1cs(&file).as_ref(), Ok(&want));
    }
    let file = with_sections(&vector("binp.wtns"), |sections| {
        sections.reverse();
        sections.push((3, vec![0; 9]));
    });
    assert_eq!(read_wtns(&file), read_wtns(&vector("binp.wtns")));
}

#[test]
fn every_truncation_is_an_error_and_so_is_every_byte_too_many() {
    let file = vector("binp.r1cs");
    for n in 0..file.len() {
        match read_r1cs(&file[..n]) {
            Err(FormatError::Truncated {
                offset, have, need, ..
            }) => {
                assert!(have < need && offset + have == n as u64, "{n}");
            }
            other => panic!("{n}: {other:?}"),
        }
    }
    assert_eq!(
        read_r1cs(&[&file[..], &[0]].concat()),
        Err(FormatError::TrailingBytes {
            format: Format::R1cs,
            offset: 428,
            have: 1
        })
    );
    let file = vector("mul.wtns");
    for n in 0..file.len() {
        assert!(
            matches!(read_wtns(&file[..n]), Err(FormatError::Truncated { .. })),
            "{n}"
        );
    }
    assert!(matches!(
        read_wtns(&[&file[..], &[1; 7]].concat()),
        Err(FormatError::TrailingBytes {
            offset: 204,
            have: 7,
            ..
        })
    ));
}

#[test]
fn kind_and_version() {
    let bad_magic = |have: &[u8; 4], want: &[u8; 4], format| FormatError::BadMagic {
        format,
        have: *have,
        want: *want,
    };
    assert_eq!(
        read_r1cs(&vector("mul.wtns")),
        Err(bad_magic(b"wtns", b"r1cs", Format::R1cs))
    );
    assert_eq!(
        read_wtns(&vector("mul.r1cs")),
        Err(bad_magic(b"r1cs", b"wtns", Format::Wtns))
    );
    for have in [0u8, 2] {
        let result = read_r1cs(&patched(&vector("mul.r1cs"), 4, &[have]));
        assert!(
            matches!(result, Err(FormatError::BadVersion { have: h, want: 1, .. }) if h == u32::from(have)),
            "{result:?}"
        );
    }
    assert!(matches!(
        read_wtns(&patched(&vector("mul.wtns"), 4, &[1])),
        Err(FormatError::BadVersion { have: 1, want: 2, .. })
    ));
}

#[test]
fn missing_and_duplicate_sections() {
    for section in 1..=3u32 {
        let file = with_sections(&vector("mul.r1cs"), |s| s.retain(|(n, _)| *n != section));
        assert_eq!(
            read_r1cs(&file),
            Err(FormatError::MissingSection {
                format: Format::R1cs,
                section
            })
        );
        let file = with_sections(&vector("mul.r1cs"), |s| s.push(s[section as usize - 1].clone()));
        assert!(
            matches!(read_r1cs(&file), Err(FormatError::DuplicateSection { section: s, offset: 276, .. }) if s == section)
        );
    }
    let file = with_sections(&vector("mul.wtns"), |s| s.truncate(1));
    assert!(matches!(
        read_wtns(&file),
        Err(FormatError::MissingSection { section: 2, .. })
    ));
}

#[test]
fn lengths_and_counts_that_do_not_fit() {
    let file = vector("mul.r1cs");
    // Number of sections, length of each section, number of constraints, number of terms: as large as can be.
    for (at, n_bytes) in [
        (8, 4),
        (16, 8),
        (92, 8),
        (224, 8),
        (84, 4),
        (100, 4),
        (140, 4),
        (180, 4),
    ] {
        for fill in [0xff, 0x7f] {
            let result = read_r1cs(&patched(&file, at, &vec![fill; n_bytes]));
            assert!(
                matches!(result, Err(FormatError::Truncated { .. })),
                "{at}: {result:?}"
            );
        }
    }
    // One constraint more than there is.
    assert_eq!(
        read_r1cs(&patched(&file, 84, &[2])),
        Err(FormatError::Truncated {
            format: Format::R1cs,
            section: Some(2),
            offset: 220,
            have: 0,
            need: 4
        })
    );
    // One less; a header with a byte too many; a map for another number of wires.
    let too_long = |file: &[u8]| match read_r1cs(file) {
        Err(FormatError::BadSectionLength {
            section, have, need, ..
        }) => (section, have, need),
        other => panic!("{other:?}"),
    };
    assert_eq!(too_long(&patched(&file, 84, &[0])), (2, 120, 0));
    assert_eq!(too_long(&with_sections(&file, |s| s[0].1.push(0))), (1, 65, 64));
    assert_eq!(too_long(&patched(&file, 60, &[5])), (3, 32, 40));

    let result = read_wtns(&patched(&vector("mul.wtns"), 60, &[0xff; 4]));
    let need = 32 * u64::from(u32::MAX);
    assert!(
        matches!(result, Err(FormatError::BadSectionLength { section: 2, have: 128, need: n, .. }) if n == need)
    );
}

#[test]
fn header_counts() {
    let counts = |n_wires: u32, out: u32, input: u32, private: u32| {
        let words: Vec<u8> = [n_wires, out, input, private]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        read_r1cs(&patched(&vector("mul.r1cs"), 60, &words))
    };
    assert!(counts(4, 1, 0, 2).is_ok() && counts(4, 1, 2, 0).is_ok() && counts(4, 0, 0, 0).is_ok());
    for (n_wires, out, input, private, n_inputs) in [
        (0, 0, 0, 0, 0),
        (4, 4, 0, 0, 4),
        (4, 2, 1, 1, 4),
        (4, u32::MAX, u32::MAX, u32::MAX, 3 * u64::from(u32::MAX)),
    ] {
        assert_eq!(
            counts(n_wires, out, input, private),
            Err(FormatError::HeaderCounts { n_wires, n_inputs })
        );
    }
}

#[test]
fn values_not_below_r() {
    let mut modulus = (-Fr::ONE).to_repr();
    modulus[0] += 1;
    for bytes in [modulus, [0xff; 32]] {
        assert_eq!(
            read_r1cs(&patched(&vector("mul.r1cs"), 148, &bytes)),
            Err(FormatError::Coefficient {
                constraint: 0,
                matrix: Matrix::B,
                wire: 3,
                offset: 148
            })
        );
        assert_eq!(
            read_wtns(&patched(&vector("mul.wtns"), 140, &bytes)),
            Err(FormatError::WitnessValue { wire: 2, offset: 140 })
        );
    }
}

#[test]
fn custom_gates_only_if_there_are_any() {
    let with = |section: u32, content: &[u8]| {
        read_r1cs(&with_sections(&vector("mul.r1cs"), |s| {
            s.push((section, content.to_vec()))
        }))
    };
    for section in [4, 5] {
        assert!(with(section, &[]).is_ok() && with(section, &[0; 4]).is_ok());
        assert_eq!(
            with(section, &[2, 0, 0, 0, b'g', 0]),
            Err(FormatError::CustomGates { section, count: 2 })
        );
        assert!(matches!(
            with(section, &[0; 3]),
            Err(FormatError::Truncated { .. })
        ));
    }
}

#[test]
fn other_fields_have_names() {
    let goldilocks = 0xffff_ffff_0000_0001u64.to_le_bytes();
    let file = with_sections(&vector("mul.r1cs"), |s| {
        s[0].1 = [&8u32.to_le_bytes()[..], &goldilocks, &s[0].1[36..]].concat();
    });
    let got = |file: &[u8]| match read_r1cs(file) {
        Err(FormatError::CurveMismatch { got, .. }) => got,
        other => panic!("{other:?}"),
    };
    assert_eq!(got(&file), "goldilocks");
    let unknown = patched(&vector("mul.r1cs"), 28, &[0; 32]);
    assert_eq!(
        got(&patched(&unknown, 28, &[0xab, 0xcd])),
        "the unknown field modulo 0xcdab"
    );
}

#[test]
fn what_does_not_fit_together_is_not_written() {
    let whole = read_r1cs(&vector("binp.r1cs")).unwrap();
    let breaks: [fn(&mut R1cs); 6] = [
        |r| r.n_public_inputs = 5,
        |r| r.a.columns[1] = 5,
        |r| r.b.push_row([]),
        |r| r.c.row_ends[1] = 3,
        |r| r.c.row_ends[0] = 3,
        |r| r.b.values.truncate(2),
    ];
    for (i, break_it) in breaks.iter().enumerate() {
        let mut r1cs = whole.clone();
        break_it(&mut r1cs);
        let mut out = Vec::new();
        let error = write_r1cs(&r1cs, &mut out).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{i}");
        assert!(error.get_ref().is_some_and(|e| e.is::<FormatError>()), "{i}");
        assert!(out.is_empty(), "{i}");
    }
}
