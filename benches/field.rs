//! One operation of each field: products both in a chain, one waiting for the other, and side by side.

#![allow(missing_docs)] // criterion's macros make public items without any

use bls_fields::{batch_invert, FieldOps, Fp, Fp2, Fr, FrRepr};
use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use ff::Field;
use std::hint::black_box;

/// Operations an iteration, so that the loop around them does not count.
const N: usize = 1 << 10;

fn base_field<F: FieldOps>(c: &mut Criterion, name: &str) {
    // Distinct elements: 2, 4, 8, ... times something.
    let step = F::ONE.add(&F::ONE).add(&F::ONE).square();
    let elements: Vec<F> = std::iter::successors(Some(step), |x| Some(x.mul(&step).add(&F::ONE)))
        .take(N)
        .collect();
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("mul, chain", |bench| {
        bench.iter(|| elements.iter().fold(step, |product, x| product.mul(x)))
    });
    let each = |operation: fn(&F, &F) -> F| {
        let elements = elements.clone();
        move |bench: &mut criterion::Bencher<'_>| {
            let mut out = elements.clone();
            bench.iter(|| {
                for (out, x) in out.iter_mut().zip(&elements) {
                    *out = operation(out, x);
                }
                black_box(&mut out);
            })
        }
    };
    group.bench_function("mul", each(F::mul));
    group.bench_function("square", each(|x, _| x.square()));
    group.bench_function("add", each(F::add));
    group.bench_function("sub", each(F::sub));
    group.bench_function("batch_invert", |bench| {
        bench.iter_batched_ref(
            || elements.clone(),
            |elements| batch_invert(elements),
            BatchSize::SmallInput,
        )
    });
    group.finish();
}

fn scalar_field(c: &mut Criterion) {
    let elements = benches::elements(N);
    let mut group = c.benchmark_group("Fr");
    group.throughput(Throughput::Elements(N as u64));
    group.bench_function("mul, chain", |bench| {
        bench.iter(|| elements.iter().fold(Fr::ONE, |product, x| product * x))
    });
    group.bench_function("mul", |bench| {
        let mut out = elements.clone();
        bench.iter(|| {
            out.iter_mut().zip(&elements).for_each(|(out, x)| *out *= x);
            black_box(&mut out);
        })
    });
    group.bench_function("add", |bench| {
        let mut out = elements.clone();
        bench.iter(|| {
            out.iter_mut().zip(&elements).for_each(|(out, x)| *out += x);
            black_box(&mut out);
        })
    });
    group.bench_function("to a scalar", |bench| {
        let mut out = vec![FrRepr::default(); N];
        bench.iter(|| {
            out.iter_mut()
                .zip(&elements)
                .for_each(|(out, x)| *out = FrRepr::from(*x));
            black_box(&mut out);
        })
    });
    group.finish();
}

fn fields(c: &mut Criterion) {
    scalar_field(c);
    base_field::<Fp>(c, "Fp");
    base_field::<Fp2>(c, "Fp2");
}

criterion_group!(benches, fields);
criterion_main!(benches);
