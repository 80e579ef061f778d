//! The cost of pricing a relayout, on pairs that a planner meets: mean, median and worst.
//!
//! `cargo bench -p benches --bench relayout` prints one line per shape on `mn-core-2`. The pairs are random but the same
//! at every run: each level splits one axis, above or below its address digit, or is replicated; the axes
//! nest in the address in any order.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]

mod cpu;

use std::hint::black_box;
use std::time::{Duration, Instant};

use tensor_layout::algebra::Subaxis;
use tensor_layout::candidates::Candidates;
use tensor_layout::notation::PadLayout;
use tensor_layout::relayout::{CostModel, PartId, Pricer, Relayout, traffic_between};
use tensor_layout::{Layout, Level, Machine, Placement};

/// The number of layouts of each shape; all pairs of them are priced.
const LAYOUTS: usize = 32;

/// A small random number generator (splitmix64) that yields the same numbers on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let limit = u64::try_from(limit).expect("small");
        usize::try_from((x ^ (x >> 31)) % limit).expect("below the limit")
    }
}

/// A random layout of the shape; each level is replicated with probability 1/4.
fn layout(draw: &mut Draw, machine: &Machine, shape: &[u64]) -> Layout {
    let mut above: Vec<Vec<(Level, u64)>> = vec![Vec::new(); shape.len()];
    let mut below = above.clone();
    for (level, size) in machine.levels() {
        let axis = draw.below(shape.len());
        match draw.below(4) {
            0 => {}
            1 => below[axis].push((level, size)),
            _ => above[axis].push((level, size)),
        }
    }
    let units = |levels: &[(Level, u64)]| levels.iter().map(|(_, size)| *size).product::<u64>();
    let words = |axis: usize| shape[axis].div_ceil(units(&above[axis]) * units(&below[axis]));
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, draw.below(at + 1));
    }
    let mut strides = vec![1; shape.len()];
    let mut stride = 1;
    for axis in order {
        strides[axis] = stride;
        stride *= words(axis);
    }
    let mut builder = Layout::builder();
    for (axis, extent) in shape.iter().enumerate() {
        let unit = |(level, size): &(Level, u64)| Subaxis::land(*size, *level, 1);
        let address = Subaxis::land(words(axis), Level::ADDR, strides[axis]);
        let digits =
            above[axis].iter().map(unit).chain([address]).chain(below[axis].iter().map(unit));
        builder = builder.axis(*extent, digits.collect::<Vec<_>>());
    }
    builder.build().expect("a layout")
}

fn line(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let count = u32::try_from(times.len().max(1)).map_or(f64::MAX, f64::from);
    let mean = times.iter().copied().map(micros).sum::<f64>() / count;
    let (median, worst) = (micros(times[times.len() / 2]), micros(times[times.len() - 1]));
    println!("| {name} | {mean:.1} | {median:.1} | {worst:.0} |");
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The best of three runs.
fn timed<T>(mut work: impl FnMut() -> T) -> (T, Duration) {
    let mut run = || {
        let start = Instant::now();
        let answer = black_box(work());
        (answer, start.elapsed())
    };
    let first = run();
    (0..2).map(|_| run()).fold(first, |best, next| if next.1 < best.1 { next } else { best })
}

/// Prices all pairs, exactly and by the lower bound, and all of them as one batch; with `WORST` set, shows
/// the slowest pair.
fn pairs(name: &str, placed: &[Placement]) {
    let (mut exact, mut busiest, mut flows) = (Vec::new(), Vec::new(), Vec::new());
    let mut worst = (Duration::ZERO, 0, 0);
    for (from, source) in placed.iter().enumerate() {
        for (to, destination) in placed.iter().enumerate() {
            let pair = || Relayout::new(black_box(source), black_box(destination)).expect("a pair");
            let (_, time) = timed(|| pair().traffic().expect("decided"));
            worst = worst.max((time, from, to));
            exact.push(time);
            let relayout = pair();
            for level in relayout.levels() {
                busiest.push(timed(|| relayout.busiest(*level).expect("decided")).1);
                // Fails where copies leave open which unit sends.
                let (answer, time) = timed(|| relayout.flows(*level));
                flows.extend(answer.is_ok().then_some(time));
            }
        }
    }
    line(&format!("`traffic`, {name}"), exact);
    line(&format!("`busiest` of a level, {name}"), busiest);
    line(&format!("`flows` of a level, {name}"), flows);
    if std::env::var_os("WORST").is_some() {
        let text = |at: usize| PadLayout::of(placed[at].layout()).map(|l| l.to_string());
        println!(
            "{:?} {} -> {}",
            worst.0,
            text(worst.1).expect("a text"),
            text(worst.2).expect("a text")
        );
    }
}

/// All pairs in one batch, where equal parts are priced once, in CPU time; and the speedup from two threads,
/// in wall-clock time.
fn batches(name: &str, placed: &[Placement]) {
    let all = |sources: &[Placement]| {
        traffic_between(black_box(sources), black_box(placed)).expect("decided")
    };
    let each =
        |time: Duration| micros(time) / f64::from(u32::try_from(placed.len().pow(2)).expect("few"));
    let (_, spent) = cpu::timed(|| (0..3).for_each(|_| drop(black_box(all(placed)))));
    // Long enough for the system to give the second thread a processor of its own.
    let often = |sources: &[Placement]| (0..20).for_each(|_| drop(black_box(all(sources))));
    let (_, alone) = timed(|| often(placed));
    let (a, b) = placed.split_at(placed.len() / 2);
    let (_, two) = timed(|| {
        std::thread::scope(|scope| {
            scope.spawn(|| often(a));
            often(b);
        });
    });
    println!("| `traffic_between`, {name} | {:.1} | | |", each(spent) / 3.0);
    println!("two threads are {:.2} times as fast", each(alone) / each(two));
}

/// A shared pricer: the time for a known pair, and the speedup when two threads fill it.
fn prices(name: &str, machine: &Machine, placed: &[Placement]) {
    let rates = machine.levels().map(|(level, _)| (level, 8));
    let machine = machine.clone().with_bandwidth(rates).expect("rates");
    let model = CostModel::new(&machine, 16).expect("a model");
    let filled = |threads: usize| {
        let pricer = Pricer::new(model.clone());
        let parts: Vec<PartId> =
            placed.iter().map(|placement| pricer.part(placement).expect("a part")).collect();
        let price = |first: usize| {
            for from in parts.iter().skip(first).step_by(threads) {
                parts.iter().for_each(|to| drop(pricer.traffic(*from, *to).expect("decided")));
            }
        };
        let start = Instant::now();
        std::thread::scope(|scope| {
            (1..threads).for_each(|first| drop(scope.spawn(move || price(first))));
            price(0);
        });
        (pricer, parts, start.elapsed())
    };
    // In turn, so that a busy machine affects both alike.
    let mut ratios: Vec<f64> = (0..25).map(|_| micros(filled(1).2) / micros(filled(2).2)).collect();
    ratios.sort_by(f64::total_cmp);
    let (pricer, parts, _) = filled(1);
    let known = || {
        for from in &parts {
            parts.iter().for_each(|to| drop(black_box(pricer.traffic(*from, *to).expect("known"))));
        }
    };
    let (_, time) = timed(|| (0..100).for_each(|_| known()));
    let hits = f64::from(u32::try_from(100 * parts.len().pow(2)).expect("few"));
    let (hit, two) = (1000.0 * micros(time) / hits, ratios[ratios.len() / 2]);
    println!(
        "a known pair of {name} takes {hit:.0} ns; two threads fill a pricer {two:.2} times as fast"
    );
}

/// Candidates per second of CPU time.
fn candidates(machine: &Machine, shape: &[u64]) {
    let walk = || Candidates::new(machine, shape).iter().expect("a space").take(100_000).count();
    // Schedulers count CPU time by the tick: small spaces are walked more often.
    let walks = 300_000 / walk().max(1) + 1;
    let (count, time) = cpu::timed(|| (0..walks).map(|_| walk()).sum::<usize>());
    let count = f64::from(u32::try_from(count).expect("few"));
    println!("candidates of {shape:?}: {:.0} a second", count / time.as_secs_f64());
}

/// The time per moved copy, where no element moves with its neighbours, and where all are sent to 256 PEs.
fn transfers(machine: &Machine) {
    let on = |text: &str| {
        let layout: Layout = text.parse().expect("a layout");
        Placement::of(layout).on(machine).build().expect("fits")
    };
    let rows = on("((8_L2B, 8_L1B, 16:1), (16_MAB, 4_PE, 16:16))");
    for (name, to) in [
        ("apart", on("((16:1, 8_L1B, 8_L2B), (16:16, 4_PE, 16_MAB))")),
        ("to 64 units each", on("((1024:1), (16_MAB, 4_PE, 16:1024))")),
    ] {
        let relayout = Relayout::new(&rows, &to).expect("a pair");
        let copies = || {
            let runs = relayout.transfers().expect("few copies");
            runs.map(|run| run.destinations.iter().map(|_| run.length).sum::<u64>()).sum::<u64>()
        };
        let (copies, time) = timed(copies);
        let all = f64::from(u32::try_from(copies).expect("few"));
        println!("transfers {name}: {:.2} us per copy of {copies}", micros(time) / all);
    }
}

fn main() {
    let machine = Machine::mn_core_2();
    let on = |layout: Layout| Placement::of(layout).on(&machine).build().expect("fits");
    println!("| microseconds | mean | median | worst |\n|---|---|---|---|");
    let shapes: [&[u64]; 7] = [
        &[8, 16, 128, 64],
        &[1024, 512],
        &[8, 1024, 1024],
        &[8, 1000, 1024],
        &[7, 1000, 960],
        &[13, 12, 197, 65],
        &[1500, 1536],
    ];
    for shape in shapes {
        let mut draw = Draw(1);
        let placed: Vec<Placement> =
            (0..LAYOUTS).map(|_| on(layout(&mut draw, &machine, shape))).collect();
        pairs(&format!("{shape:?}"), &placed);
        batches(&format!("{shape:?}"), &placed);
        prices(&format!("{shape:?}"), &machine, &placed);
    }
    transfers(&machine);
    for shape in [&[8, 16, 128, 64][..], &[1024, 512], &[7, 1000, 960], &[2; 8]] {
        candidates(&machine, shape);
    }
}
