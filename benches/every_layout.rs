//! Every kind of layout against the speed of memory: part of `cargo bench -p benches --bench ratios`.
//!
//! Tables are compared with `slice::fill` of as many numbers, pack and unpack with `copy_from_slice` of the
//! tensor, all run in turn; then points and rows are measured in nanoseconds.

use std::hint::black_box;
use std::ops::ControlFlow;

use tensor_layout::program::Program;
use tensor_layout::{Found, LayoutText, Placement};
use tensor_layout_rows::{Format, write};

use super::timing::{Side, median, ratio};

/// The kind of a layout, which selects the bound it is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Every digit lands.
    Plain,
    /// Digits feed derived axes.
    Fused,
}

/// The layouts of the table: a name, the text, the bytes of an element.
const LAYOUTS: [(&str, Kind, usize); 22] = [
    ("((5_L2B, 7_L1B, 9:48), (5_MAB, 48:1, 5_PE))", Kind::Plain, 4),
    ("(1000,500)/((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))", Kind::Plain, 4),
    ("((512:64, 4_PE), (16_MAB, 2_L2B, 64:1))", Kind::Plain, 4),
    ("f32[1000,1000]{1,0:T(8,128)}", Kind::Plain, 4),
    ("bf16[1021,777]{1,0:T(8,128)(2,1)}", Kind::Plain, 2),
    ("bf16[1024,1024]{0,1:T(8,128)(2,1)}", Kind::Plain, 2),
    ("bf16[8,16,32,256]{3,1,2,0:T(8,128)(2,1)}", Kind::Plain, 2),
    ("f32[30,50,100]{2,1,0:T(*,128)}", Kind::Fused, 4),
    ("f32[640,1000]{1,0:T(8,100)(3,1)}", Kind::Fused, 4),
    ("((2048:1), (1024:2048))", Kind::Plain, 4),
    ("((4_PE, 25000:3), (3:1))", Kind::Plain, 4),
    // Ten more: odd sizes, rank 1 to 6, time, lanes, copies, several derived axes, bytes and words.
    ("(999983)/((4_PE, 250000:1))", Kind::Plain, 4),
    ("((3_Time, 341:1), (7_PE, 11:2387, 7:341))", Kind::Plain, 8),
    ("((16_PE, 32:64), (16_MAB, 64:1, 4_W))", Kind::Plain, 2),
    ("((64:64, 8_PE), (64:1, 4_MAB); B@[4_L2B:1])", Kind::Plain, 4),
    ("((7:1, 5_PE), (6:7), (5:42), (4:210), (3:840), (9:2520))", Kind::Plain, 1),
    ("u8[1000,1000]{0,1}", Kind::Plain, 1),
    ("f64[512,512]{0,1:T(8,128)}", Kind::Plain, 8),
    ("s8[1024,1000]{1,0:T(8,128)(4,1)}", Kind::Plain, 1),
    ("f32[100,30,70]{1,2,0:T(*,8,128)}", Kind::Fused, 4),
    ("bf16[33,65,129]{2,1,0:T(5,128)(3,1)}", Kind::Fused, 2),
    ("((4096:1), (4096:4096))", Kind::Plain, 4),
];

fn placement(text: &str) -> Placement {
    let layout = LayoutText::parse(text).expect("parses").lower().expect("lowers");
    Placement::of(layout).build().expect("sound")
}

/// One line of the table.
struct Line {
    packed: f64,
    inverse: f64,
    pack: f64,
    unpack: f64,
    point: f64,
    element: f64,
}

fn line(text: &str, bytes: usize, runs: usize) -> Line {
    let placement = placement(text);
    let program = placement.program().expect("compiles");
    let (elements, places) = (length(program.elements()), length(program.places()));
    let mut table = vec![0_u32; elements];
    let mut other = vec![0_u32; elements.max(places)];
    let packed = ratio(
        runs,
        Side(|| program.fill_packed(black_box(&mut table)).expect("fits")),
        Side(|| black_box(&mut other[..elements]).fill(black_box(0x0102_0304))),
    );
    let mut inverse_table = vec![0_u32; places];
    let inverse = ratio(
        runs,
        Side(|| program.fill_inverse(black_box(&mut inverse_table)).expect("fits")),
        Side(|| black_box(&mut other[..places]).fill(black_box(0x0102_0304))),
    );
    let (pack, unpack) = match bytes {
        1 => moves(&program, |n| n as u8, runs),
        2 => moves(&program, |n| n as u16, runs),
        4 => moves(&program, |n| n as u32, runs),
        _ => moves(&program, |n| n as u64, runs),
    };
    let (point, element) = points(&placement, &program);
    Line { packed, inverse, pack, unpack, point, element }
}

fn length(count: u64) -> usize {
    usize::try_from(count).expect("fits")
}

fn moves<T: Copy + PartialEq + Default + std::fmt::Debug>(
    program: &Program,
    number: impl Fn(usize) -> T,
    runs: usize,
) -> (f64, f64) {
    let (elements, places) = (length(program.elements()), length(program.places()));
    let tensor: Vec<T> = (0..elements).map(number).collect();
    let mut other = tensor.clone();
    let mut image = vec![T::default(); places];
    let pack = ratio(
        runs,
        Side(|| program.pack(&tensor, black_box(&mut image), T::default()).expect("fits")),
        Side(|| black_box(&mut other).copy_from_slice(black_box(&tensor))),
    );
    let mut back = vec![T::default(); elements];
    let unpack = ratio(
        runs,
        Side(|| program.unpack(&image, black_box(&mut back)).expect("fits")),
        Side(|| black_box(&mut other).copy_from_slice(black_box(&tensor))),
    );
    assert!(back == tensor);
    (pack, unpack)
}

/// Nanoseconds per point at random indexes, and per element at random places.
fn points(placement: &Placement, program: &Program) -> (f64, f64) {
    const POINTS: u64 = 1 << 15;
    let shape = placement.layout().shape();
    let indexes: Vec<u64> = (0..POINTS)
        .flat_map(|n| {
            let entry = |(axis, extent): (u64, &u64)| {
                n.wrapping_mul(2_654_435_761 + 40_504 * axis) % extent
            };
            (0..).zip(&shape).map(entry).collect::<Vec<_>>()
        })
        .collect();
    let point = median(9, || {
        let places = indexes.chunks(shape.len()).map(|index| program.place(index).expect("inside"));
        black_box(places.sum::<u64>());
    });
    let places: Vec<u64> =
        (0..POINTS).map(|n| n.wrapping_mul(2_654_435_761) % program.places()).collect();
    let element = median(9, || {
        let found = places.iter().map(|place| program.element(*place).expect("decided"));
        black_box(found.filter(|f| matches!(f, Found::Element(n) if n % 2 == 0)).count());
    });
    let each = |seconds: f64| seconds / POINTS as f64 * 1e9;
    (each(point), each(element))
}

/// Nanoseconds per row in memory, and million rows per second as CSV.
fn rows(text: &str) -> (f64, f64) {
    let placement = placement(text);
    let rows = placement.table().most_rows() as f64;
    let memory = median(7, || {
        let mut sum = 0;
        let _ = placement.table().for_each(|row| {
            sum += row.place[0] + row.index.map_or(0, |index| index[0]);
            ControlFlow::<()>::Continue(())
        });
        black_box(sum);
    });
    let csv = median(7, || {
        let mut sink = std::io::sink();
        write(&placement.table(), Format::Csv, &mut sink, &mut |_| {}).expect("writes");
    });
    (memory / rows * 1e9, rows / csv / 1e6)
}

pub(super) fn print() {
    println!(
        "\n{:60} {:>7} {:>7} {:>7} {:>7} {:>6} {:>7}",
        "every layout / fill, copy; ns", "packed", "inverse", "pack", "unpack", "point", "element"
    );
    for (text, _, bytes) in LAYOUTS {
        let Line { packed, inverse, pack, unpack, point, element } = line(text, bytes, 15);
        println!(
            "{text:60} {packed:>7.2} {inverse:>7.2} {pack:>7.2} {unpack:>7.2} {point:>6.1} {element:>7.1}"
        );
    }
    println!("\n{:60} {:>10} {:>14}", "rows", "ns each", "CSV, M rows/s");
    for (text, _, _) in LAYOUTS {
        let (memory, csv) = rows(text);
        println!("{text:60} {memory:>10.2} {csv:>14.1}");
    }
}

/// Bounds that only a lost fast path breaks, for one layout of each kind: (layout, packed, inverse,
/// pack, unpack).
const GATE: [(usize, f64, f64, f64, f64); 4] = [
    (0, 3.0, 6.0, 12.0, 12.0),
    (3, 3.0, 6.0, 10.0, 10.0),
    (7, 20.0, 30.0, 10.0, 10.0),
    (9, 3.0, 6.0, 25.0, 25.0),
];

/// The measurements that exceed the bounds of the gate.
pub(super) fn broken() -> Vec<String> {
    let mut broken = Vec::new();
    for (layout, packed, inverse, pack, unpack) in GATE {
        let (text, kind, bytes) = LAYOUTS[layout];
        let line = line(text, bytes, 9);
        let found = [line.packed, line.inverse, line.pack, line.unpack];
        for (what, (found, most)) in ["packed", "inverse", "pack", "unpack"]
            .into_iter()
            .zip(found.into_iter().zip([packed, inverse, pack, unpack]))
        {
            println!("{kind:?} {text} {what}: {found:.2}, at most {most}");
            if found > most {
                broken.push(format!("{text} {what}"));
            }
        }
    }
    broken
}
