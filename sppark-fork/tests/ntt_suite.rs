//! Transforms against the definition, on the fake runtime (host-check) and on a card (cuda): the same cases.
#![cfg(any(feature = "cuda", feature = "host-check"))]

mod common;

use bls_fields::Fr;
use common::*;
use ff::Field;
use sppark_fork::{
    CudaError, Device, DeviceBuf, Event, NttDirection, NttOrder, NttTable, QuotientInput, QuotientSteps,
    Stream, NTT_MAX_LOG_N,
};
use std::sync::Arc;

#[cfg(feature = "host-check")]
fn device() -> Option<Arc<Device>> {
    let fake = sppark_fork::fake::FakeDevice::new(1 << 30, 2);
    Some(Device::open(fake.ordinal).unwrap())
}

#[cfg(feature = "cuda")]
fn device() -> Option<Arc<Device>> {
    sppark_fork::require_gpu()
}

const ORDERS: [NttOrder; 4] = [
    NttOrder::NaturalToNatural,
    NttOrder::NaturalToReversed,
    NttOrder::ReversedToNatural,
    NttOrder::ReversedToReversed,
];

fn arranged(values: &[Fr], is_reversed: bool) -> Vec<Element> {
    let values = to_elements(values);
    if is_reversed {
        reversed(&values)
    } else {
        values
    }
}

/// Runs every order and direction, on the domain and on the coset, from `coefficients` and their `values`.
fn check(
    table: &NttTable,
    stream: &Stream,
    coefficients: &[Fr],
    on_coset: bool,
    values: &[Fr],
    most_bits: u32,
) {
    for order in ORDERS {
        let reversed_in = matches!(order, NttOrder::ReversedToNatural | NttOrder::ReversedToReversed);
        let reversed_out = matches!(order, NttOrder::NaturalToReversed | NttOrder::ReversedToReversed);
        for direction in [NttDirection::Forward, NttDirection::Inverse] {
            let (from, to) = match direction {
                NttDirection::Forward => (coefficients, values),
                NttDirection::Inverse => (values, coefficients),
            };
            let mut data = DeviceBuf::from_slice(stream, &arranged(from, reversed_in)).unwrap();
            table
                .run_with_plan_on(stream, &mut data, direction, order, on_coset, most_bits)
                .unwrap();
            let mut result = vec![[0; 8]; from.len()];
            data.download(stream, 0, &mut result).unwrap();
            let expected = arranged(to, reversed_out);
            let first_wrong = (0..result.len()).find(|&i| result[i] != expected[i]);
            assert_eq!(
                first_wrong,
                None,
                "2^{}, {direction:?}, {order:?}, coset {on_coset}, passes of at most {most_bits} bits",
                from.len().trailing_zeros()
            );
        }
    }
}

fn coset() -> Fr {
    Fr::from(7)
}

#[test]
fn b024_transforms_equal_the_definition_at_every_size_order_and_coset() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 10).unwrap();
    for log_n in 0..=10u32 {
        let a = random(1 << log_n, log_n as u64);
        check(&table, &stream, &a, false, &naive(&a, Fr::ONE), 0);
        check(&table, &stream, &a, true, &naive(&a, coset()), 0);
    }
}

#[test]
fn b024_four_elements_give_the_written_values() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 4).unwrap();
    let element = |hex: &str| {
        hex.bytes().fold(Fr::ZERO, |value, digit| {
            value * Fr::from(16) + Fr::from(u64::from((digit as char).to_digit(16).unwrap()))
        })
    };
    let a: Vec<Fr> = (1..=4).map(Fr::from).collect();
    let on_domain = [
        "a",
        "73eda753299d7d4718963e6b1d9bce637bb7a3fe13f85bfefffdfffeffffffff",
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffeffffffff",
        "11aa3999cec0609a1d8060004ec0600000001fffffffffffe",
    ];
    let on_coset = [
        "5fe",
        "73eda753299d7a5a8b4d68d2059e4bc15bd396f4fc145bfefab1fffeffffff6f",
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffefffffb2b",
        "2eda7ec6f3604038c43f7ea0d0e03ea0000054dffffffffff6e",
    ];
    check(&table, &stream, &a, false, &on_domain.map(element), 0);
    check(&table, &stream, &a, true, &on_coset.map(element), 0);
}

#[test]
fn plans_of_many_passes_equal_the_definition() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 10).unwrap();
    for (log_n, most_bits) in [
        (4, 3),
        (6, 3),
        (7, 3),
        (8, 3),
        (9, 4),
        (9, 5),
        (10, 3),
        (10, 5),
        (10, 6),
        (10, 7),
    ] {
        let a = random(1 << log_n, 100 + log_n as u64);
        check(&table, &stream, &a, false, &naive(&a, Fr::ONE), most_bits);
        check(&table, &stream, &a, true, &naive(&a, coset()), most_bits);
    }
}

#[test]
fn extreme_values_stay_in_range() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 9).unwrap();
    let minus_one = -Fr::ONE;
    // The element whose Montgomery limbs are r - 1: the largest bytes that are a value.
    let largest = -Fr::from_largest_limbs();
    for value in [Fr::ZERO, Fr::ONE, minus_one, largest] {
        let a = vec![value; 1 << 9];
        check(&table, &stream, &a, false, &naive(&a, Fr::ONE), 0);
        check(&table, &stream, &a, true, &naive(&a, coset()), 0);
    }
}

trait LargestLimbs {
    fn from_largest_limbs() -> Fr;
}

impl LargestLimbs for Fr {
    // The element with Montgomery limbs 1 is 1/R; its negative has limbs r - 1.
    fn from_largest_limbs() -> Fr {
        let r = (0..256).fold(Fr::ONE, |power, _| power.double());
        r.invert().unwrap()
    }
}

/// A table larger than the transform has both its short tables in use: the low
/// part of the twiddles' exponents.
#[test]
fn a_larger_table_serves_smaller_transforms() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 20).unwrap();
    for log_n in [3, 6, 9] {
        let a = random(1 << log_n, 200);
        check(&table, &stream, &a, false, &naive(&a, Fr::ONE), 0);
        check(&table, &stream, &a, true, &naive(&a, coset()), 0);
    }
}

/// `NTT(delta_k)[i] = w^(ik)` is exact at any size, in every order.
fn check_deltas(device: &Arc<Device>, log_n: u32, places: &[usize]) {
    let stream = Stream::new(device).unwrap();
    let table = NttTable::new(&stream, log_n).unwrap();
    let n = 1usize << log_n;
    for &k in places {
        let mut point = Fr::ONE;
        let step = (0..log_n).rev().fold(Fr::ONE, |power, bit| {
            let power = power.square();
            if k >> bit & 1 == 1 {
                power * root(log_n)
            } else {
                power
            }
        });
        let values: Vec<Element> = (0..n)
            .map(|_| {
                let value = to_element(&point);
                point *= step;
                value
            })
            .collect();
        let mut delta = vec![[0; 8]; n];
        delta[k] = to_element(&Fr::ONE);
        let mut data = DeviceBuf::from_slice(&stream, &delta).unwrap();
        let mut result = vec![[0; 8]; n];
        table
            .run_on(
                &stream,
                &mut data,
                NttDirection::Forward,
                NttOrder::NaturalToNatural,
                false,
            )
            .unwrap();
        data.download(&stream, 0, &mut result).unwrap();
        assert!(result == values, "2^{log_n}, delta at {k}, forward");
        table
            .run_on(
                &stream,
                &mut data,
                NttDirection::Inverse,
                NttOrder::NaturalToReversed,
                false,
            )
            .unwrap();
        data.download(&stream, 0, &mut result).unwrap();
        assert!(result == reversed(&delta), "2^{log_n}, delta at {k}, inverse");
        table
            .run_on(
                &stream,
                &mut data,
                NttDirection::Forward,
                NttOrder::ReversedToNatural,
                true,
            )
            .unwrap();
        table
            .run_on(
                &stream,
                &mut data,
                NttDirection::Inverse,
                NttOrder::NaturalToReversed,
                true,
            )
            .unwrap();
        data.download(&stream, 0, &mut result).unwrap();
        assert!(
            result == reversed(&delta),
            "2^{log_n}, delta at {k}, over the coset and back"
        );
    }
}

#[test]
fn b024_delta_inputs_give_powers_of_the_root() {
    let Some(device) = device() else { return };
    for log_n in 11..=13 {
        let n = 1 << log_n;
        check_deltas(&device, log_n, &[1, n / 2 + 1, n - 1]);
    }
}

/// Every plan of a card's sizes; a minute on a card's host, which makes the powers,
/// and too long on the fake runtime.
#[cfg(feature = "cuda")]
#[test]
fn b024_delta_inputs_at_large_sizes() {
    let Some(device) = device() else { return };
    for log_n in 14..=23 {
        let n = 1 << log_n;
        check_deltas(&device, log_n, &[1, n / 2 + 1, n - 1]);
    }
    for log_n in 24..=27 {
        check_deltas(&device, log_n, &[(1 << log_n) - 12345]);
    }
}

/// Transforms on several streams that are shifted against each other, one waiting for another by events: the
/// same bytes every time. A race between blocks or streams would show as a difference between repeats.
#[test]
fn asynchronous_repeats_are_identical() {
    let Some(device) = device() else { return };
    let repeats = if cfg!(feature = "cuda") { 1000 } else { 12 };
    let log_ns: &[u32] = if cfg!(feature = "cuda") {
        &[5, 10, 13, 17, 20]
    } else {
        &[4, 7, 9]
    };
    let streams = [(); 3].map(|()| Stream::new(&device).unwrap());
    let table = NttTable::new(&streams[0], log_ns[log_ns.len() - 1]).unwrap();
    for (i, &log_n) in log_ns.iter().enumerate() {
        let input = to_elements(&random(1 << log_n, i as u64));
        let source = DeviceBuf::from_slice(&streams[0], &input).unwrap();
        let mut data = DeviceBuf::from_slice(&streams[0], &input).unwrap();
        let mut expected: Option<Vec<Element>> = None;
        for repeat in 0..repeats / log_ns.len() {
            let (copying, first, second) = (
                &streams[repeat % 3],
                &streams[(repeat + 1) % 3],
                &streams[(repeat / 3) % 3],
            );
            let (copied, halfway) = (Event::new(&device).unwrap(), Event::new(&device).unwrap());
            copying.delay_on((repeat as u64 * 37) % 200).unwrap();
            data.copy_from_on(copying, &source).unwrap();
            copied.record_on(copying).unwrap();
            first.wait_for(&copied).unwrap();
            table
                .run_on(
                    first,
                    &mut data,
                    NttDirection::Inverse,
                    NttOrder::NaturalToReversed,
                    true,
                )
                .unwrap();
            first.delay_on((repeat as u64 * 61) % 150).unwrap();
            halfway.record_on(first).unwrap();
            second.wait_for(&halfway).unwrap();
            table
                .run_on(
                    second,
                    &mut data,
                    NttDirection::Forward,
                    NttOrder::ReversedToNatural,
                    false,
                )
                .unwrap();
            let mut result = vec![[0; 8]; 1 << log_n];
            data.download(second, 0, &mut result).unwrap();
            match &expected {
                None => expected = Some(result),
                Some(expected) => assert!(*expected == result, "2^{log_n}, repeat {repeat}"),
            }
        }
    }
}

#[test]
fn the_quotient_equals_its_definition() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let table = NttTable::new(&stream, 8).unwrap();
    for log_n in [0, 1, 2, 3, 5, 8] {
        let n = 1usize << log_n;
        let (a, b) = (random(n, 1), random(n, 2));
        let c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
        let expected = to_elements(&quotient(&a, &b, &c));
        assert_eq!(
            expected[n - 1],
            [0; 8],
            "a satisfied circuit's quotient has n - 1 coefficients"
        );
        for c_from in [QuotientInput::ProductOfAB, QuotientInput::Given] {
            let mut buffers = [&a, &b, &c].map(|v| DeviceBuf::from_slice(&stream, &to_elements(v)).unwrap());
            if c_from == QuotientInput::ProductOfAB {
                buffers[2].fill_bytes_on(&stream, 0xff).unwrap();
            }
            let [x, y, z] = &mut buffers;
            table.quotient_on(&stream, x, y, z, c_from).unwrap();
            let mut h = vec![[0; 8]; n];
            x.download(&stream, 0, &mut h).unwrap();
            assert_eq!(h, expected, "2^{log_n}, {c_from:?}");
        }
    }
}

/// b, and c where it is given, come on another stream while a is transformed.
#[test]
fn the_quotient_in_two_steps_is_the_quotient() {
    let Some(device) = device() else { return };
    let (stream, copies) = (Stream::new(&device).unwrap(), Stream::new(&device).unwrap());
    let table = NttTable::new(&stream, 8).unwrap();
    let arrived = Event::new(&device).unwrap();
    for log_n in [0, 1, 3, 8] {
        let n = 1usize << log_n;
        let (a, b) = (random(n, 1), random(n, 2));
        let c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
        for c_from in [QuotientInput::ProductOfAB, QuotientInput::Given] {
            let [mut x, mut y, mut z] =
                [(); 3].map(|()| DeviceBuf::<[u32; 8]>::alloc(&device, 2 * n).unwrap());
            x.upload(&stream, 0, &to_elements(&a)).unwrap();
            let step = |[x, y, z]: [&mut DeviceBuf<[u32; 8]>; 3], steps| {
                table
                    .quotient_of_on(&stream, log_n, [x, y, z], c_from, steps)
                    .unwrap();
            };
            step([&mut x, &mut y, &mut z], QuotientSteps::OfA);
            let (late_b, late_c) = (to_elements(&b), to_elements(&c));
            // SAFETY: the vectors live until the stream is waited for by the download below.
            unsafe { y.upload_on(&copies, 0, &late_b) }.unwrap();
            if c_from == QuotientInput::Given {
                // SAFETY: as above
                unsafe { z.upload_on(&copies, 0, &late_c) }.unwrap();
            }
            arrived.record_on(&copies).unwrap();
            stream.wait_for(&arrived).unwrap();
            step([&mut x, &mut y, &mut z], QuotientSteps::Rest);
            let mut h = vec![[0; 8]; n];
            x.download(&stream, 0, &mut h).unwrap();
            assert_eq!(h, to_elements(&quotient(&a, &b, &c)), "2^{log_n}, {c_from:?}");
        }
    }
}

/// `h` by long division of `a b - c`, whose coefficients are convolutions.
fn quotient(a: &[Fr], b: &[Fr], c: &[Fr]) -> Vec<Fr> {
    let n = a.len();
    let coefficients = |values: &[Fr]| -> Vec<Fr> {
        // The inverse transform is the forward one with its output reversed, over n.
        let mut result = naive(values, Fr::ONE);
        result[1..].reverse();
        let inverse = Fr::from(n as u64).invert().unwrap();
        result.iter().map(|value| *value * inverse).collect()
    };
    let (a, b, c) = (coefficients(a), coefficients(b), coefficients(c));
    let mut rest = vec![Fr::ZERO; 2 * n];
    for i in 0..n {
        for j in 0..n {
            rest[i + j] += a[i] * b[j];
        }
        rest[i] -= c[i];
    }
    let mut h = vec![Fr::ZERO; n];
    for i in (0..n).rev() {
        h[i] = rest[n + i];
        let top = rest[n + i];
        rest[i] += top;
    }
    assert!(
        rest[..n].iter().all(|value| *value == Fr::ZERO),
        "the division leaves nothing"
    );
    h
}

#[test]
fn wrong_arguments_are_named() {
    let Some(device) = device() else { return };
    let stream = Stream::new(&device).unwrap();
    let message = |error: CudaError| {
        assert!(matches!(error, CudaError::Invalid { .. }), "{error}");
        error.to_string()
    };
    let text = message(NttTable::new(&stream, NTT_MAX_LOG_N + 1).unwrap_err());
    assert!(text.contains("2^29") && text.contains("2^28"), "{text}");
    let table = NttTable::new(&stream, 3).unwrap();
    let run = |n: usize| {
        let mut data = DeviceBuf::from_slice(&stream, &vec![[0u32; 8]; n]).unwrap();
        table
            .run_on(
                &stream,
                &mut data,
                NttDirection::Forward,
                NttOrder::NaturalToReversed,
                false,
            )
            .unwrap_err()
    };
    for (n, words) in [
        (6, "6 elements are no power of two"),
        (0, "0 elements"),
        (16, "up to 2^3"),
    ] {
        let text = message(run(n));
        assert!(text.contains(words), "{text}");
    }
    let mut narrow = DeviceBuf::from_slice(&stream, &[0u64; 8]).unwrap();
    let error = table
        .run_on(
            &stream,
            &mut narrow,
            NttDirection::Forward,
            NttOrder::NaturalToReversed,
            false,
        )
        .unwrap_err();
    assert!(message(error).contains("8 bytes, not 32"));
}
