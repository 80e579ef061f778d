//! The CPU time of the stream of HLO instructions, compared with reading the lines alone.
//!
//! `cargo bench -p tensor-layout-hlo`: a dump of 100 MB that repeats the tests' sample.
#![allow(clippy::expect_used, reason = "a bench of a broken dump must stop")]

#[path = "../../../benches/cpu.rs"]
mod cpu;

use std::hint::black_box;
use std::io::BufRead;

use tensor_layout_hlo::{HloDump, HloReport};

const SAMPLE: &str = include_str!("../tests/data/sharded.txt");
const BYTES: usize = 100_000_000;

fn dump() -> Vec<u8> {
    let mut text = Vec::with_capacity(BYTES + SAMPLE.len());
    while text.len() < BYTES {
        text.extend_from_slice(SAMPLE.as_bytes());
        text.push(b'\n');
    }
    text
}

fn lines(text: &[u8]) -> usize {
    let mut lines = 0;
    let mut line = Vec::new();
    let mut input = text;
    while input.read_until(b'\n', &mut line).expect("bytes") > 0 {
        lines += 1;
        line.clear();
    }
    lines
}

/// Every instruction with its operands resolved.
fn instructions(text: &[u8]) -> usize {
    let mut dump = HloDump::new(text);
    let mut seen = 0;
    while let Some(computation) = dump.next_computation().expect("bytes") {
        for instruction in computation.instructions() {
            seen += 1 + instruction.operands().len();
            black_box((instruction.name(), instruction.opcode(), instruction.shape_text()));
        }
    }
    seen
}

/// Reads every instruction, with its attributes and `op_name`.
fn attributes(text: &[u8]) -> usize {
    let mut dump = HloDump::new(text);
    let mut seen = 0;
    while let Some(computation) = dump.next_computation().expect("bytes") {
        for instruction in computation.instructions() {
            seen += instruction.attributes().iter().count();
            black_box(instruction.op_name());
        }
    }
    seen
}

fn report(text: &[u8]) -> usize {
    let report = HloReport::scan(text, |_| ()).expect("bytes");
    black_box(&report);
    text.len()
}

/// One way through the text; what it counted.
type Way = fn(&[u8]) -> usize;

fn main() {
    let text = dump();
    let ways: [(&str, Way); 4] = [
        ("lines alone", lines),
        ("instructions, operands resolved", instructions),
        ("with attributes and op_name", attributes),
        ("report of shapes", report),
    ];
    println!("| {} bytes | MB/s | counted |\n|---|---|---|", text.len());
    for (name, way) in ways {
        let runs = (0..3).map(|_| cpu::timed(|| black_box(way(black_box(&text)))));
        let (counted, time) = runs.min_by_key(|(_, time)| *time).expect("three runs");
        let bytes = f64::from(u32::try_from(text.len()).expect("small"));
        println!("| {name} | {:.0} | {counted} |", bytes / 1e6 / time.as_secs_f64());
    }
}
