//! Instruction counts, which noise does not affect: `cargo bench -p benches --features gungraun --bench instructions`.
//!
//! Needs valgrind, and `cargo install gungraun-runner` in the version that Cargo.lock names.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]
#![allow(missing_docs, reason = "the macros make items without docs")]

use std::hint::black_box;

use gungraun::{library_benchmark, library_benchmark_group, main};
use tensor_layout::notation::PadLayout;
use tensor_layout::program::Program;
use tensor_layout::xla::XlaShape;
use tensor_layout::{Layout, Machine, Placement};

const FULL: &str = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";
const TILED: &str = "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}";

fn program() -> Program {
    placement().program().expect("compiles")
}

fn placement() -> Placement {
    let layout = FULL.parse().expect("parses");
    Placement::of(layout).on(&Machine::mn_core()).build().expect("fits")
}

fn table() -> (Program, Vec<u32>) {
    (program(), vec![0; 1024 * 512])
}

fn layouts() -> (Layout, Layout) {
    let other = "((16_L2B:1, 2_L1B:4, 4_L1B:1, 8:8), (16_MAB:1, 8:1, 4_PE:1))";
    (FULL.parse().expect("parses"), other.parse().expect("parses"))
}

#[library_benchmark]
#[bench::pad_layout(FULL)]
fn parse(text: &str) -> PadLayout {
    black_box(text).parse().expect("parses")
}

#[library_benchmark]
#[bench::xla_shape(TILED)]
fn parse_xla(text: &str) -> XlaShape {
    black_box(text).parse().expect("parses")
}

#[library_benchmark]
#[bench::full(placement())]
fn compile(placement: Placement) -> Program {
    placement.program().expect("compiles")
}

#[library_benchmark]
#[bench::full(table())]
fn packed((program, mut table): (Program, Vec<u32>)) -> Vec<u32> {
    program.fill_packed(&mut table).expect("fits");
    table
}

#[library_benchmark]
#[bench::full(table())]
fn inverse((program, mut table): (Program, Vec<u32>)) -> Vec<u32> {
    program.fill_inverse(&mut table).expect("fits");
    table
}

#[library_benchmark]
#[bench::full(program())]
fn thousand_points(program: Program) -> u64 {
    (0..1000).map(|n| program.place(&[n, n % 512]).expect("inside")).sum()
}

#[library_benchmark]
#[bench::six_subaxes(layouts())]
fn same_map((a, b): (Layout, Layout)) -> bool {
    a.same_map(&b).expect("decided").is_none()
}

library_benchmark_group!(
    name = counts,
    benchmarks = [parse, parse_xla, compile, packed, inverse, thousand_points, same_map]
);

main!(library_benchmark_groups = counts);
