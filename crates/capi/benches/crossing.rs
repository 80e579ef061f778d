//! The cost of crossing: each call in a loop of C++ and in a loop of Rust, in one run.
//!
//! `cargo bench --profile release -p tensor-layout-capi --bench crossing`; a call that costs over 60 ns more than in Rust, and 10 % of
//! it for two loops that run at different times, is a failure.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::as_conversions,
    reason = "a bench may panic, and prints rounded times"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use tensor_layout::candidates::Candidates;
use tensor_layout::program::Program;
use tensor_layout::relayout::{CostModel, Pricer, Relayout};
use tensor_layout::{Found, Layout, LayoutText, Level, Location, Machine, Placement};

/// The most that a call from C++ may cost beyond its time in Rust.
const MOST_NS: f64 = 60.0;

/// Times in nanoseconds, the least of several rounds.
type Times = BTreeMap<String, f64>;

fn timed<T>(times: &mut Times, name: &str, calls: u64, mut call: impl FnMut(u64) -> T) {
    let mut round = || {
        let began = Instant::now();
        (0..calls).for_each(|at| drop(black_box(call(at))));
        began.elapsed().as_secs_f64() * 1e9 / calls as f64
    };
    let least = (0..7).map(|_| round()).fold(f64::INFINITY, f64::min);
    keep(times, name, least);
}

fn keep(times: &mut Times, name: &str, time: f64) {
    let least = times.entry(name.to_owned()).or_insert(time);
    *least = least.min(time);
}

fn in_rust(times: &mut Times) {
    let text = "((8_L2B, 8_L1B, 16:16), (16_MAB, 4:1, 4_PE, 4_W))";
    let parse = |text: &str| -> Layout { LayoutText::parse(text).unwrap().lower().unwrap() };
    let machine: Machine = "mn-core-2".parse().unwrap();
    let (layout, other) = (parse(text), parse("((16_MAB, 4:16, 16:1), (8_L2B, 8_L1B, 4_PE, 4_W))"));
    let on = |layout: &Layout| -> Placement {
        Placement::of(layout.clone()).on(&machine).element_bits(16).build().unwrap()
    };
    let (placement, target) = (on(&layout), on(&other));
    let table: Program = placement.program().unwrap();
    let between = || Relayout::new(&placement, &target).unwrap().traffic().unwrap();
    let traffic = between();
    let model = CostModel::new(&machine, 16).unwrap();
    let pricer = Pricer::new(model.clone());
    let (from, to) = (pricer.part(&placement).unwrap(), pricer.part(&target).unwrap());
    let mut place: Location = placement.columns().iter().map(|level| (*level, 0)).collect();

    timed(times, "Layout.parse", 2000, |_| parse(black_box(text)));
    timed(times, "Layout.clone", 100_000, |_| layout.clone());
    timed(times, "Layout.rank", 1_000_000, |_| black_box(&layout).rank());
    timed(times, "Layout.shape", 1_000_000, |_| {
        black_box(&layout).axes().iter().map(|axis| axis.extent).sum::<u64>()
    });
    timed(times, "Layout.same_map", 2000, |_| layout.same_map(&other).unwrap().is_none());
    timed(times, "Layout.permute", 20_000, |_| layout.permute(&[1, 0]).unwrap());
    timed(times, "Layout.left_inverse", 2000, |_| layout.left_inverse().unwrap());
    timed(times, "Placement.on", 2000, |_| on(&layout));
    timed(times, "Placement.locate", 200_000, |at| placement.locate(&[at % 1024, 37]).unwrap());
    timed(times, "Placement.element", 50_000, |at| {
        place.set(Level::L2B, at % 8);
        let Found::Element(index) = placement.element(&place).unwrap() else { unreachable!() };
        index[0]
    });
    timed(times, "Table.place", 1_000_000, |at| table.place(&[at % 1024, 37]).unwrap());
    timed(times, "Table.element", 1_000_000, |at| table.element(at % 65_536).unwrap());
    timed(times, "an error", 100_000, |_| table.place(black_box(&[4096, 37])).unwrap_err());
    timed(times, "Traffic.between", 500, |_| between());
    timed(times, "CostModel.cost", 20_000, |_| model.of_traffic(&traffic).unwrap());
    timed(times, "Pricer.part", 20_000, |_| pricer.part(&placement).unwrap());
    timed(times, "Pricer.cost", 1_000_000, |_| pricer.cost(from, to).unwrap());
    let all = Candidates { level_parts: 2, ..Candidates::new(&machine, &[1024, 1024]) };
    let mut walk = all.iter().unwrap();
    timed(times, "CandidateWalk.next", 5000, |_| walk.next().unwrap().unwrap());
}

/// Compiles the program in C++; the libraries are beside this one.
fn compiled(dir: &Path) -> Option<Command> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = env::current_exe().unwrap().parent().unwrap().to_owned();
    let mut command = Command::new("c++");
    command.args(["-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti", "-I"]);
    command.arg(package.join("include")).arg(package.join("benches/crossing.cpp"));
    command.arg(libraries.join("libtensor_layout_c.a")).args(["-lpthread", "-ldl", "-lm", "-o"]);
    let status = command.arg(dir.join("crossing")).status().ok()?;
    assert!(status.success());
    Some(Command::new(dir.join("crossing")))
}

fn main() {
    let dir = env::temp_dir().join(format!("crossing-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let (mut cpp, mut rust) = (Times::new(), Times::new());
    let Some(mut program) = compiled(&dir) else {
        return eprintln!("without a compiler for C++ there is nothing to measure");
    };
    for _ in 0..5 {
        in_rust(&mut rust);
        let said = program.output().unwrap();
        for line in String::from_utf8(said.stdout).unwrap().lines() {
            let (name, time) = line.rsplit_once(' ').unwrap();
            keep(&mut cpp, name, time.parse().unwrap());
        }
    }
    fs::remove_dir_all(&dir).unwrap();
    assert!(cpp.keys().eq(rust.keys()));
    println!("{:20} {:>10} {:>10} {:>8}", "ns per call", "Rust", "C++", "more");
    for (name, time) in &cpp {
        println!("{name:20} {:10.1} {time:10.1} {:8.1}", rust[name], time - rust[name]);
    }
    let slow = cpp.iter().filter(|(name, time)| **time > MOST_NS + 1.1 * rust[*name]);
    let slow: Vec<&String> = slow.map(|(name, _)| name).collect();
    assert!(slow.is_empty(), "more than {MOST_NS} ns beyond Rust: {slow:?}");
}
