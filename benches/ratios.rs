//! Tables and points against hand-written rivals, as ratios: `cargo bench -p benches --bench ratios`.
//!
//! Each line runs our code and a rival in turn, many times, and prints both medians and the median of the
//! pairwise ratios, so that noise on the machine affects both alike.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]
#![allow(clippy::as_conversions, reason = "rivals are written as a person would write them")]

mod every_layout;
mod timing;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ndarray::ArrayViewMut2;
use tensor_layout::program::Program;
use tensor_layout::{Found, LayoutText, Level, Machine, Placement};
use tensor_layout_hlo::{HloComputation, HloDump, HloMemory, HloReport, HloSummary};

const FULL_1K: &str = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";
const FULL_8K: &str = "((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))";

fn placement(text: &str) -> Placement {
    let layout = text.parse().expect("parses");
    Placement::of(layout).on(&Machine::mn_core()).build().expect("fits")
}

fn program(text: &str) -> Program {
    placement(text).program().expect("compiles")
}

/// Bounds on the ratios, checked by the gate. They are well above the values measured on a quiet machine: where another thread
/// shares the core, code that uses all of it takes up to twice as long, and a rival that waits for divisions or memory does not.
const GATE: [(&str, f64); 22] = [
    ("packed 1k / row base + column vector", 1.5),
    ("packed 1k / division per element", 0.2),
    ("packed 8k / slice::fill", 2.5),
    ("packed 8k / row base + column vector", 1.5),
    ("inverse 1k / packed 1k", 3.0),
    ("columns 1k / hand-written loop", 2.0),
    ("65536 points / division by run-time sizes", 2.0),
    ("units of 8192 words / reading as many numbers", 8.0),
    ("swizzled table / plain", 2.5),
    ("swizzled inverse table / plain", 6.0),
    ("swizzled unpack of u16 / plain", 4.5),
    ("swizzled pack of u16 / plain", 4.5),
    ("swizzled unpack of u32 / plain", 2.0),
    ("swizzled pack of u32 / plain", 2.0),
    ("swizzled unpack of u64 / plain", 2.0),
    ("swizzled pack of u64 / plain", 2.0),
    ("swizzled points / plain", 4.0),
    ("swizzled elements of places / plain", 10.0),
    ("packed fused rows / slice::fill", 1.5),
    ("pack of fused rows / slice::fill and nested loops", 1.25),
    ("rows of a dump / its shapes", 3.1),
    ("memory of a dump / its shapes", 4.0),
];

/// The names of lines that broke the gate.
static BROKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Median times in seconds, and the median ratio.
fn compare(name: &str, runs: usize, mut ours: impl FnMut(), mut rival: impl FnMut()) {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let pairs: Vec<(f64, f64)> =
        (0..runs + 3).map(|_| (time(&mut ours), time(&mut rival))).skip(3).collect();
    let median = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let [a, b] = [0, 1].map(|side| {
        median(pairs.iter().map(|pair| if side == 0 { pair.0 } else { pair.1 }).collect())
    });
    let ratio = median(pairs.iter().map(|(a, b)| a / b).collect());
    println!("{name:48} {:>12} {:>12} {ratio:>8.2}", readable(a), readable(b));
    if GATE.iter().any(|(gated, most)| *gated == name && ratio > *most) {
        BROKEN.lock().expect("one thread").insert(name.into());
    }
}

fn readable(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.2} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}

/// Packed number by division, with extents and strides known at run time.
fn by_division(i: u64, j: u64, rows: [u64; 2], columns: [u64; 2], words: u64, stride: u64) -> u64 {
    let (l2b, l1b, row) = (i / (rows[0] * rows[1]), i / rows[1] % rows[0], i % rows[1]);
    let (mab, column, pe) =
        (j / (columns[0] * columns[1]), j / columns[1] % columns[0], j % columns[1]);
    (((l2b * 8 + l1b) * 16 + mab) * 4 + pe) * words + row * stride + column
}

/// Compares two ways to fill one buffer: pages of two buffers of this size are not equally fast.
fn compare_filling(
    name: &str,
    runs: usize,
    buffer: &mut [u32],
    ours: impl Fn(&mut [u32]),
    rival: impl Fn(&mut [u32]),
) {
    let buffer = RefCell::new(buffer);
    let filling = |fill: &dyn Fn(&mut [u32])| fill(black_box(&mut **buffer.borrow_mut()));
    compare(name, runs, || filling(&ours), || filling(&rival));
}

fn tables(size: &str, text: &str, n: usize, m: usize, words: u64, runs: usize) {
    let program = program(text);
    let mut table = vec![0_u32; n * m];
    let fill = |table: &mut [u32]| program.fill_packed(table).expect("fits");
    compare_filling(&format!("packed {size} / slice::fill"), runs, &mut table, fill, |table| {
        table.fill(black_box(0x0102_0304));
    });
    let (rows, columns) = ([8, n as u64 / 128], [m as u64 / 64, 4]);
    let stride = m as u64 / 64;
    let at =
        |i: usize, j: usize| by_division(i as u64, j as u64, rows, columns, words, stride) as u32;
    let vector: Vec<u32> = (0..m).map(|j| at(0, j)).collect();
    let by_rows = |table: &mut [u32]| {
        for (i, row) in table.chunks_exact_mut(m).enumerate() {
            let base = at(i, 0);
            row.iter_mut().zip(&vector).for_each(|(cell, step)| *cell = base + step);
        }
    };
    let name = format!("packed {size} / row base + column vector");
    compare_filling(&name, runs, &mut table, fill, by_rows);
    let mut other = vec![0_u32; n * m];
    by_rows(&mut other);
    fill(&mut table);
    assert_eq!(table, other);
    let (rows, columns) = (black_box(rows), black_box(columns));
    let name = format!("packed {size} / division per element");
    compare_filling(&name, runs.min(9), &mut table, fill, |table| {
        for (i, row) in table.chunks_exact_mut(m).enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = by_division(i as u64, j as u64, rows, columns, words, stride) as u32;
            }
        }
    });
    let name = format!("packed {size} / ndarray row loop");
    compare_filling(&name, runs, &mut table, fill, |table| {
        let mut array = ArrayViewMut2::from_shape((n, m), table).expect("fits");
        for (i, mut row) in array.rows_mut().into_iter().enumerate() {
            let base = at(i, 0);
            row.iter_mut().zip(&vector).for_each(|(cell, step)| *cell = base + step);
        }
    });
    assert_eq!(program.places(), program.elements(), "a table and its inverse have one length");
    let name = format!("inverse {size} / packed {size}");
    let inverse = |table: &mut [u32]| program.fill_inverse(table).expect("fits");
    compare_filling(&name, runs, &mut table, inverse, fill);
}

/// Five columns at once, ours and by hand.
fn columns_1k(runs: usize) {
    let program = program(FULL_1K);
    let make = || ([0; 4].map(|_| vec![0_u8; 1024 * 512]), vec![0_u16; 1024 * 512]);
    let ((mut units, mut addresses), (mut hand, mut hand_addresses)) = (make(), make());
    let levels = [Level::L2B, Level::L1B, Level::MAB, Level::PE];
    let by_hand =
        |i: usize, j: usize| [(i / 64) as u8, (i / 8 % 8) as u8, (j / 32) as u8, (j % 4) as u8];
    let vectors: [Vec<u8>; 4] =
        [0, 1, 2, 3].map(|at| (0..512).map(|j| by_hand(0, j)[at]).collect());
    let steps: Vec<u16> = (0..512).map(|j| (j / 4 % 8) as u16).collect();
    compare(
        "columns 1k / hand-written loop",
        runs,
        || {
            for (level, column) in levels.iter().zip(&mut units) {
                program.fill_column(*level, black_box(column)).expect("fits");
            }
            program.fill_column(Level::ADDR, black_box(&mut addresses)).expect("fits");
        },
        || {
            for i in 0..1024 {
                let base = by_hand(i, 0);
                for ((column, vector), base) in hand.iter_mut().zip(&vectors).zip(base) {
                    let row = &mut column[i * 512..(i + 1) * 512];
                    row.iter_mut().zip(vector).for_each(|(cell, step)| *cell = base + step);
                }
                let (row, base) = (&mut hand_addresses[i * 512..(i + 1) * 512], (i % 8 * 8) as u16);
                row.iter_mut().zip(&steps).for_each(|(cell, step)| *cell = base + step);
            }
            black_box((&mut hand, &mut hand_addresses));
        },
    );
    assert_eq!((units, addresses), (hand, hand_addresses));
}

fn points(runs: usize) {
    const POINTS: u64 = 1 << 16;
    let program = program(FULL_1K);
    let index = |n: u64| [n.wrapping_mul(2_654_435_761) % 1024, n.wrapping_mul(40_503) % 512];
    let (rows, columns) = (black_box([8, 8]), black_box([8, 4]));
    compare(
        "65536 points / division by run-time sizes",
        runs,
        || {
            let sum = (0..POINTS).map(|n| program.place(&index(n)).expect("inside")).sum::<u64>();
            black_box(sum);
        },
        || {
            let at = |n| {
                let [i, j] = index(n);
                by_division(i, j, rows, columns, 64, 8)
            };
            black_box((0..POINTS).map(at).sum::<u64>());
        },
    );
}

/// 4096 x 64 elements with the 128-byte swizzle of 16-bit elements, compared with the unswizzled layout.
fn swizzled(runs: usize) {
    const POINTS: u64 = 1 << 12;
    let of = |text: &str| {
        let layout = LayoutText::parse(text).and_then(|text| text.lower()).expect("parses");
        Placement::of(layout).build().expect("fits").program().expect("compiles")
    };
    let programs = [of("S<3,3,3> o 0 o (4096,64):(64,1)"), of("(4096,64):(64,1)")];
    let mut tables = [vec![0_u32; 4096 * 64], vec![0_u32; 4096 * 64]];
    let [ours, plain] = &programs;
    let [table, rival] = &mut tables;
    compare(
        "swizzled table / plain",
        runs,
        || ours.fill_packed(black_box(&mut table[..])).expect("fits"),
        || plain.fill_packed(black_box(&mut rival[..])).expect("fits"),
    );
    compare(
        "swizzled inverse table / plain",
        runs,
        || ours.fill_inverse(black_box(&mut table[..])).expect("fits"),
        || plain.fill_inverse(black_box(&mut rival[..])).expect("fits"),
    );
    moved::<u16>("u16", &programs, runs);
    moved::<u32>("u32", &programs, runs);
    moved::<u64>("u64", &programs, runs);
    let index = |n: u64| [n.wrapping_mul(2_654_435_761) % 4096, n.wrapping_mul(40_503) % 64];
    let places = |program: &Program| {
        black_box((0..POINTS).map(|n| program.place(&index(n)).expect("inside")).sum::<u64>());
    };
    compare("swizzled points / plain", runs, || places(ours), || places(plain));
    let elements = |program: &Program| {
        (0..POINTS).for_each(|n| drop(black_box(program.element(n * 61))));
    };
    compare("swizzled elements of places / plain", runs, || elements(ours), || elements(plain));
}

/// Packing and unpacking cells of a width.
fn moved<T: Copy + Default>(name: &str, [ours, plain]: &[Program; 2], runs: usize) {
    let tensor = vec![T::default(); 4096 * 64];
    let [mut image, mut rival] = [tensor.clone(), tensor.clone()];
    let pack = |program: &Program, image: &mut [T]| {
        program.pack(black_box(&tensor), black_box(image), T::default()).expect("fits");
    };
    let unpack = |program: &Program, tensor: &mut [T]| {
        program.unpack(black_box(&image), black_box(tensor)).expect("fits");
    };
    let [mut back, mut plain_back] = [tensor.clone(), tensor.clone()];
    compare(
        &format!("swizzled unpack of {name} / plain"),
        runs,
        || unpack(ours, &mut back),
        || unpack(plain, &mut plain_back),
    );
    compare(
        &format!("swizzled pack of {name} / plain"),
        runs,
        || pack(ours, &mut image),
        || pack(plain, &mut rival),
    );
}

/// Every element of some PEs in address order, and lookups at single places.
fn backward(runs: usize) {
    let program = program(FULL_8K);
    let units: Vec<_> = program.units().step_by(97).take(16).collect();
    let mut unit = vec![0_u32; 8192];
    let source: Vec<u32> = (0..8192).collect();
    compare(
        "units of 8192 words / reading as many numbers",
        runs,
        || {
            for at in &units {
                program.fill_inverse_at(at, &mut unit).expect("a unit");
                black_box(unit.iter().map(|n| u64::from(*n)).sum::<u64>());
            }
        },
        || {
            for _ in &units {
                black_box(black_box(&source).iter().map(|n| u64::from(*n)).sum::<u64>());
            }
        },
    );
    const POINTS: u64 = 1 << 16;
    let place = |n: u64| n.wrapping_mul(2_654_435_761) % (1 << 26);
    compare(
        "65536 elements at places / making the places",
        runs,
        || {
            let held = (0..POINTS).map(|n| program.element(place(n)).expect("decided"));
            black_box(held.filter(|held| matches!(held, Found::Element(n) if n % 2 == 0)).count());
        },
        || {
            black_box((0..POINTS).map(|n| black_box(place(n))).sum::<u64>());
        },
    );
}

/// Rows of fused axes in tiles that follow each other, most of which is padding.
fn fused(runs: usize) {
    let layout =
        LayoutText::parse("f32[100,30,70]{1,2,0:T(*,8,128)}").and_then(|text| text.lower());
    let placement = Placement::of(layout.expect("parses")).build().expect("fits");
    let program = placement.program().expect("compiles");
    let tensor: Vec<u32> = (0..210_000).collect();
    let mut table = tensor.clone();
    compare_filling(
        "packed fused rows / slice::fill",
        runs,
        &mut table,
        |table| program.fill_packed(table).expect("fits"),
        |table| table.fill(black_box(0x0102_0304)),
    );
    let mut image = vec![0_u32; 896_000];
    compare_filling(
        "pack of fused rows / slice::fill and nested loops",
        runs,
        &mut image,
        |image| program.pack(black_box(&tensor), image, 7).expect("fits"),
        |image| {
            image.fill(black_box(7));
            let parts = image.chunks_exact_mut(70 * 128).zip(tensor.chunks_exact(30 * 70));
            for (image, tensor) in parts {
                for (column, row) in tensor.chunks_exact(70).enumerate() {
                    image[column..].iter_mut().step_by(128).zip(row).for_each(|(at, n)| *at = *n);
                }
            }
        },
    );
}

/// Reports on a dump of many modules, compared with that of its shapes.
fn dumps(runs: usize) {
    let text = include_str!("../crates/hlo/tests/data/sharded.txt").repeat(16);
    let shapes = || drop(black_box(HloReport::scan(text.as_bytes(), |_| ()).expect("reads")));
    let read = |each: &mut dyn FnMut(HloComputation<'_>)| {
        let mut dump = HloDump::new(text.as_bytes());
        while let Some(computation) = dump.next_computation().expect("reads") {
            each(computation);
        }
    };
    let rows = || {
        let mut summary = HloSummary::new(None);
        read(&mut |computation| summary.add(computation).expect("fits"));
        summary.finish();
        black_box(summary.rows().count());
    };
    compare("rows of a dump / its shapes", runs, rows, shapes);
    let memory = || {
        let mut memory = HloMemory::new(Some(20));
        read(&mut |computation| memory.add(computation).expect("fits"));
        memory.finish().expect("fits");
        black_box(memory.modules().len());
    };
    compare("memory of a dump / its shapes", runs, memory, shapes);
}

/// The cost of one more subaxis, for packed tables of 2^20 elements and for points.
fn growth_of_subaxes() {
    println!("\n{:48} {:>12} {:>12}", "growth with the number of subaxes", "table", "per point");
    let mut table = vec![0_u32; 1 << 20];
    for subaxes in [1_usize, 2, 4, 8, 16, 20] {
        // Digits in reversed order, so that none merge.
        let bits = |at: usize| (at + 1) * 20 / subaxes - at * 20 / subaxes;
        let mut low = 0;
        let digits: Vec<String> = (0..subaxes)
            .map(|at| {
                let text = format!("{}:{}", 1 << bits(at), 1 << low);
                low += bits(at);
                text
            })
            .collect();
        let layout = format!("(({}))", digits.join(", ")).parse().expect("parses");
        let program = Placement::of(layout).build().and_then(|p| p.program()).expect("compiles");
        let fill = median_time(11, || program.fill_packed(black_box(&mut table)).expect("fits"));
        let points = median_time(11, || {
            let place = |n: u64| program.place(&[n.wrapping_mul(40_503) % (1 << 20)]);
            black_box((0..1 << 16).map(|n| place(n).expect("inside")).sum::<u64>());
        });
        let name = format!("{subaxes} subaxes");
        println!("{name:48} {:>12} {:>12}", readable(fill), readable(points / f64::from(1 << 16)));
    }
}

fn median_time(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// A tensor of f32 into the memory of all units and back, against a copy of as many bytes.
fn moves(name: &str, text: &str, runs: usize) {
    let program = program(text);
    let length = usize::try_from(program.elements()).expect("fits");
    let tensor: Vec<f32> = (0..length).map(|n| n as f32).collect();
    let mut image = vec![0.0_f32; usize::try_from(program.places()).expect("fits")];
    let mut back = vec![0.0_f32; length];
    let mut other = vec![0.0_f32; length];
    compare(
        &format!("pack {name} / copy_from_slice"),
        runs,
        || program.pack(&tensor, black_box(&mut image), 0.0).expect("fits"),
        || black_box(&mut other).copy_from_slice(&tensor),
    );
    compare(
        &format!("unpack {name} / copy_from_slice"),
        runs,
        || program.unpack(&image, black_box(&mut back)).expect("fits"),
        || black_box(&mut other).copy_from_slice(&tensor),
    );
    assert_eq!(tensor, back);
}

fn growth() {
    println!("\n{:48} {:>12} {:>12}", "growth with the tensor", "table", "per element");
    for bits in [10, 14, 18, 22, 26, 28] {
        let text =
            format!("((16_L2B, 8_L1B, {}:1), (4_PE, 2:{}))", 1 << (bits - 10), 1 << (bits - 10));
        let layout = text.parse().expect("parses");
        let program = Placement::of(layout).build().and_then(|p| p.program()).expect("compiles");
        let mut table = vec![0_u32; 1 << bits];
        let time = median_time(11, || program.fill_packed(black_box(&mut table)).expect("fits"));
        let name = format!("2^{bits} elements");
        println!("{name:48} {:>12} {:>12}", readable(time), readable(time / f64::from(1 << bits)));
    }
}

/// Prints all lines of the gate, and returns the names of those that exceed their bounds.
fn gated() -> BTreeSet<String> {
    println!("{:48} {:>12} {:>12} {:>8}", "ours / rival", "ours", "rival", "ratio");
    tables("1k", FULL_1K, 1024, 512, 64, 301);
    tables("8k", FULL_8K, 8192, 8192, 8192, 21);
    columns_1k(301);
    points(101);
    backward(101);
    swizzled(101);
    fused(101);
    dumps(31);
    std::mem::take(&mut BROKEN.lock().expect("one thread"))
}

/// Fails if a line exceeds its bound in each of up to five turns: other work on a shared machine, which takes time from
/// one side of a ratio, comes and goes, and a lost fast path stays.
fn gate() -> ExitCode {
    let mut broken = gated();
    for _ in 1..5 {
        if broken.is_empty() {
            break;
        }
        println!("broken in all turns until now: {broken:?}");
        // A turn takes 15 seconds, and other work often minutes.
        std::thread::sleep(Duration::from_secs(20));
        broken = &broken & &gated();
    }
    let outcome = if broken.is_empty() { "the gate holds" } else { "broken:" };
    println!("{outcome} {}", Vec::from_iter(broken.iter().map(String::as_str)).join(", "));
    ExitCode::from(u8::from(!broken.is_empty()))
}

/// `cargo bench -p benches --bench ratios` prints everything, `-- layouts` the layouts of every kind alone; `-- gate` prints
/// the lines of the gate, and fails if one exceeds its bound.
fn main() -> ExitCode {
    let has = |word: &str| std::env::args().any(|argument| argument == word);
    if has("layouts") {
        every_layout::print();
        return ExitCode::SUCCESS;
    }
    if has("gate") {
        return gate();
    }
    gated();
    moves("runs of 128, 8k", "((16_L2B, 8_L1B, 64:128), (16_MAB, 4_PE, 128:1))", 11);
    moves("neighbours on 4 PEs, 8k", FULL_8K, 11);
    growth();
    growth_of_subaxes();
    every_layout::print();
    // Bounds for layouts of every kind, not yet part of the gate: they were set on a busy machine.
    println!("beyond the bounds: {:?}", every_layout::broken());
    ExitCode::SUCCESS
}
