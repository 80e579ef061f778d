//! Parse, print, locate, element, table: sanity, not records.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tensor_layout::{Format, Layout, Machine, PadLayout, Placement};

const FULL: &str = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";

fn text(c: &mut Criterion) {
    let tree: PadLayout = FULL.parse().expect("parses");
    c.bench_function("parse", |b| b.iter(|| black_box(FULL).parse::<PadLayout>()));
    c.bench_function("print", |b| b.iter(|| black_box(&tree).to_string()));
    c.bench_function("lower", |b| b.iter(|| black_box(&tree).lower()));
}

fn points(c: &mut Criterion) {
    let layout: Layout = FULL.parse().expect("parses");
    let place = layout.locate(&[100, 37]).expect("in range");
    c.bench_function("locate", |b| b.iter(|| layout.locate(black_box(&[100, 37]))));
    c.bench_function("element", |b| b.iter(|| layout.element(black_box(&place))));
}

fn tables(c: &mut Criterion) {
    let layout: Layout = FULL.parse().expect("parses");
    let placement = Placement::of(layout).on(&Machine::mn_core()).build().expect("fits");
    let mut group = c.benchmark_group("table 1k");
    group.throughput(Throughput::Elements(524_288)).sample_size(20);
    group.bench_function("rows", |b| {
        b.iter(|| {
            let mut sum = 0;
            let _ = placement.table().for_each(|row| {
                sum += row.place.iter().sum::<u64>();
                ControlFlow::<()>::Continue(())
            });
            sum
        });
    });
    group.bench_function("csv", |b| {
        b.iter(|| {
            let mut csv = Vec::new();
            let written = placement.table().write(Format::Csv, &mut csv, &mut |_| {});
            (written.is_ok(), csv)
        });
    });
    group.finish();
}

criterion_group!(benches, text, points, tables);
criterion_main!(benches);
