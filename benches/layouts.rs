//! Parse, print, locate, element, table: a sanity check, not a record of speed.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tensor_layout::algebra::Subaxis;
use tensor_layout::candidates::Candidates;
use tensor_layout::notation::PadLayout;
use tensor_layout::relayout::Relayout;
use tensor_layout::xla::{XlaArray, XlaDtype, XlaParser, XlaShape};
use tensor_layout::{Layout, LayoutText, Level, Machine, Placement};
use tensor_layout_hlo::scan::ScanReport;
use tensor_layout_hlo::{HloDump, HloReport, HloSummary};
use tensor_layout_rows::{Format, write};

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
    let real = include_str!("../crates/hlo/tests/data/sharded.txt").repeat(1 << 7);
    group.throughput(Throughput::Bytes(real.len().try_into().unwrap_or(0)));
    group.bench_function("scan a real dump", |b| {
        b.iter(|| HloReport::scan(real.as_bytes(), |_| {}));
    });
    group.bench_function("instructions of a real dump", |b| {
        b.iter(|| {
            let mut dump = HloDump::new(real.as_bytes());
            let mut operands = 0;
            while let Ok(Some(computation)) = dump.next_computation() {
                operands += computation.instructions().map(|i| i.operands().len()).sum::<usize>();
            }
            operands
        });
    });
    group.bench_function("layouts of a real dump", |b| {
        b.iter(|| ScanReport::read(real.as_bytes(), XlaParser::strict(), |_| {}));
    });
    group.bench_function("summary of a real dump", |b| {
        b.iter(|| {
            let (mut dump, mut summary) =
                (HloDump::new(real.as_bytes()), HloSummary::new(Some(20)));
            while let Ok(Some(computation)) = dump.next_computation() {
                summary.add(computation).expect("fits");
            }
            summary.finish();
            summary
        });
    });
    group.finish();
}

fn points(c: &mut Criterion) {
    let layout: Layout = FULL.parse().expect("parses");
    let place = layout.locate(&[100, 37]).expect("in range");
    c.bench_function("locate", |b| b.iter(|| layout.locate(black_box(&[100, 37]))));
    c.bench_function("element", |b| b.iter(|| layout.element(black_box(&place))));
}

/// Layouts of six subaxes, each with 2^20 and with 2^60 elements.
fn algebra(c: &mut Criterion) {
    for (size, text, other, map, space) in [
        (
            "2^20",
            "((16_L2B:1, 8_L1B:1, 8:16), (16_MAB:1, 16:1, 4_PE:1))",
            "((16_L2B:1, 2_L1B:4, 4_L1B:1, 8:16), (16_MAB:1, 16:1, 4_PE:1))",
            "((32_i1:32, 32_i1:1), (1024_i0:1))",
            [
                (Level::L2B, 16),
                (Level::L1B, 8),
                (Level::MAB, 16),
                (Level::PE, 4),
                (Level::ADDR, 2048),
            ],
        ),
        (
            "2^60",
            "((16_L2B:1, 8_L1B:1, 8388608:16777216), (16_MAB:1, 16777216:1, 4_PE:1))",
            "((16_L2B:1, 2_L1B:4, 4_L1B:1, 8388608:16777216), (16_MAB:1, 16777216:1, 4_PE:1))",
            "((32768_i1:32768, 32768_i1:1), (1073741824_i0:1))",
            [
                (Level::L2B, 16),
                (Level::L1B, 8),
                (Level::MAB, 16),
                (Level::PE, 4),
                (Level::ADDR, 1 << 48),
            ],
        ),
    ] {
        let [f, same, map]: [Layout; 3] =
            [text, other, map].map(|text| text.parse().expect("parses"));
        let mut group = c.benchmark_group(format!("algebra {size}"));
        group.bench_function("canonical", |b| b.iter(|| black_box(&f).canonical()));
        group.bench_function("same_map", |b| b.iter(|| black_box(&f).same_map(black_box(&same))));
        group.bench_function("compose", |b| b.iter(|| black_box(&f).compose(black_box(&map))));
        group.bench_function("left_inverse", |b| b.iter(|| black_box(&f).left_inverse()));
        group.bench_function("complement", |b| {
            b.iter(|| black_box(&f).complement(black_box(&space)));
        });
        group.bench_function("collision", |b| b.iter(|| black_box(&f).collision()));
        group.finish();
    }
}

/// Traffic between two layouts with the same number of elements; the transpose mixes every level.
fn relayout(c: &mut Criterion) {
    for (name, source, destination) in [
        ("1k, PE and address exchanged", FULL, "((16_L2B, 8_L1B, 8:8), (16_MAB, 4_PE, 8:1))"),
        ("1k, everything mixed", FULL, "((16_MAB, 8:8, 4_PE, 2_L1B:4), (16_L2B, 4_L1B:1, 8:1))"),
        (
            "8k, transposed",
            "((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))",
            "((128:64, 4_PE, 16_MAB), (64:1, 8_L1B, 16_L2B))",
        ),
        (
            "2^60, transposed",
            "((16_L2B:1, 8_L1B:1, 8388608:16777216), (16_MAB:1, 16777216:1, 4_PE:1))",
            "((8388608:1, 16_L2B:1, 8_L1B:1), (16777216:8388608, 16_MAB:1, 4_PE:1))",
        ),
        (
            "1000 x 500, truncated, everything mixed",
            "(1000,500)/((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))",
            "(1000,500)/((16_MAB, 8:8, 4_PE, 2_L1B:4), (16_L2B, 4_L1B:1, 8:1))",
        ),
        (
            "96000 x 16, 3 x 4 against 2 x 6",
            "((8000:64, 3_MAB, 4:16), (16:1))",
            "((8000:96, 2_MAB, 6:16), (16:1))",
        ),
    ] {
        let machine = Machine::mn_core();
        let on = |text: &str| {
            Placement::of(text.parse().expect("parses")).on(&machine).build().expect("fits")
        };
        let (source, destination) = (on(source), on(destination));
        c.bench_function(&format!("relayout {name}"), |b| {
            b.iter(|| Relayout::new(black_box(&source), black_box(&destination))?.traffic());
        });
    }
}

/// Candidates of a shape, with unit axes, and with many axes: none may hang.
fn candidates(c: &mut Criterion) {
    const MOST: usize = 10_000;
    let machine = Machine::mn_core();
    let mut group = c.benchmark_group("candidates");
    group.throughput(Throughput::Elements(10_000)).sample_size(20);
    for (name, shape) in [
        ("8x16x128x64", &[8, 16, 128, 64][..]),
        ("1x8x16x128x64x1", &[1, 8, 16, 128, 64, 1]),
        ("2^8", &[2; 8]),
        ("8^9", &[8; 9]),
    ] {
        let all = Candidates::new(&machine, shape);
        group.bench_function(name, |b| {
            b.iter(|| all.iter().expect("has options").take(MOST).filter(Result::is_ok).count());
        });
    }
    group.finish();
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
            let written = write(&placement.table(), Format::Csv, &mut csv, &mut |_| {});
            (written.is_ok(), csv)
        });
    });
    group.finish();
}

/// Calls that once took seconds or did not return; unit tests count their steps.
fn large(c: &mut Criterion) {
    let mut group = c.benchmark_group("large");
    let lowered = |text: &str| LayoutText::parse(text).and_then(|text| text.lower());
    let long = lowered("18446744073709551615:1").expect("lowers");
    let long = Placement::of(long).build().and_then(|placement| placement.program());
    let program = long.expect("compiles");
    group
        .bench_function("the first run of 2^64 - 1 elements", |b| b.iter(|| program.runs().next()));
    let tiled = lowered("f32[4,5,6,7,8,9,10]{0,3,6,5,4,2,1:T(8,128)}").expect("lowers");
    let dtype = XlaDtype::from_name("f32").expect("is a type");
    group.bench_function("to_xla_array of rank 7", |b| b.iter(|| XlaArray::of(&tiled, dtype)));
    let units = (0..30_000).fold(Layout::builder(), |builder, _| builder.axis(1, []));
    let units = units.build().expect("builds");
    group.bench_function("reshape of 30,000 unit axes", |b| b.iter(|| units.reshape(&[1])));
    let digits = (0..40).map(|n| Subaxis::land(2, Level::ADDR, 1_600_000 + 37 * n * n));
    let digits = Layout::builder().axis(1 << 40, digits).build().expect("builds");
    group.bench_function("used_in of 40 digits", |b| b.iter(|| digits.used_in(Level::ADDR)));
    let machine: Machine = "PE=8192".parse().expect("is a machine");
    let [one, all] = ["((1_PE, 4:1))", "((4:1))"].map(|text| {
        Placement::of(text.parse().expect("lowers")).on(&machine).build().expect("fits")
    });
    group.bench_function("transfers to 8,192 copies", |b| {
        b.iter(|| Relayout::new(&one, &all)?.transfers().map(Iterator::count));
    });
    group.finish();
}

criterion_group!(benches, text, xla, points, algebra, relayout, candidates, tables, large);
criterion_main!(benches);
