//! What pricing a relayout costs, on pairs that a planner meets: mean, median and worst.
//!
//! `cargo bench --bench relayout`; every line is one shape on `mn-core-2`, its pairs drawn at random
//! but always the same: each level goes to one axis, above or below its address digit, or is
//! replicated; the axes nest in the address in any order.
#![allow(clippy::expect_used, reason = "a bench of a broken layout must stop")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tensor_layout::algebra::Subaxis;
use tensor_layout::relayout::Relayout;
use tensor_layout::{Layout, Level, Machine, Placement};

/// How many layouts of each shape; all pairs of them are priced.
const LAYOUTS: usize = 32;

/// A small generator of the same numbers on every machine (splitmix64).
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

/// A layout of the shape: a level in four is replicated.
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
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let count = u32::try_from(times.len().max(1)).map_or(f64::MAX, f64::from);
    let mean = times.iter().copied().map(micros).sum::<f64>() / count;
    let (median, worst) = (micros(times[times.len() / 2]), micros(times[times.len() - 1]));
    println!("| {name} | {mean:.1} | {median:.1} | {worst:.0} |");
}

/// Prices all pairs; each three times, the best counts.
fn pairs(name: &str, placed: &[Placement]) {
    let mut times = Vec::new();
    for source in placed {
        for destination in placed {
            let timed = |_| {
                let start = Instant::now();
                let relayout = Relayout::new(black_box(source), black_box(destination));
                black_box(relayout.and_then(|relayout| relayout.traffic())).expect("decided");
                start.elapsed()
            };
            times.extend((0..3).map(timed).min());
        }
    }
    line(&format!("`traffic`, {name}"), times);
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
    }
}
