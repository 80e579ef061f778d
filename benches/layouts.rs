//! Parse, print, locate, element, table: sanity, not records.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tensor_layout::{Format, HloReport, Layout, Machine, PadLayout, Placement, XlaShape};

const FULL: &str = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";

fn text(c: &mut Criterion) {
    let tree: PadLayout = FULL.parse().expect("parses");
    c.bench_function("parse", |b| b.iter(|| black_box(FULL).parse::<PadLayout>()));
    c.bench_function("print", |b| b.iter(|| black_box(&tree).to_string()));
    c.bench_function("lower", |b| b.iter(|| black_box(&tree).lower()));
}

fn xla(c: &mut Criterion) {
    const TILED: &str = "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}";
    let shape: XlaShape = TILED.parse().expect("parses");
    c.bench_function("xla parse", |b| b.iter(|| black_box(TILED).parse::<XlaShape>()));
    c.bench_function("xla print", |b| b.iter(|| black_box(&shape).to_string()));
    c.bench_function("xla lower", |b| b.iter(|| black_box(&shape).lower()));
    let line =
        format!("  %a = {TILED} add({TILED} %b, f32[] %c), metadata={{op_name=\"jit(f)\"}}\n");
    let dump = line.repeat(1 << 13);
    let mut group = c.benchmark_group("hlo");
    group.throughput(Throughput::Bytes(dump.len().try_into().unwrap_or(0)));
    group.bench_function("scan", |b| b.iter(|| HloReport::scan(dump.as_bytes(), |_| {})));
    group.finish();
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

criterion_group!(benches, text, xla, points, tables);
criterion_main!(benches);
