//! Solves a problem of the ASPLOS 2025 contest on intra-operator parallelism, and prints a line for each improvement.
//!
//! Usage: `iopddl FILE.json.. [--seconds N] [--copies N] [--out FILE]`
//!
//! Several files, or several copies of them in turn, become one large problem: one after the other in time, with costs
//! where some variables of neighbours differ. The choices are written as a list of numbers.

use std::cell::Cell;
use std::error::Error;
use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tensor_layout_plan::search::{Edge, FORBIDDEN, Limits, Memory, Problem, Progress};

/// A variable in so many is joined to its namesake in the next copy, at this cost where they differ.
const JOINED: (usize, u64) = (16, 1000);

/// The least time between two lines.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Arguments {
    files: Vec<String>,
    seconds: Option<u64>,
    copies: Option<usize>,
    out: Option<String>,
}

impl Arguments {
    fn read() -> Result<Arguments, Box<dyn Error>> {
        let mut arguments = Arguments::default();
        let mut given = std::env::args().skip(1);
        while let Some(argument) = given.next() {
            let mut value = || given.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--seconds" => arguments.seconds = Some(value()?.parse()?),
                "--copies" => arguments.copies = Some(value()?.parse()?),
                "--out" => arguments.out = Some(value()?),
                _ => arguments.files.push(argument),
            }
        }
        match arguments.files.is_empty() {
            true => Err("usage: iopddl FILE.json.. [--seconds N] [--copies N] [--out FILE]".into()),
            false => Ok(arguments),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read()?;
    let problem = problem(&arguments)?;
    let start = Instant::now();
    let until = arguments.seconds.map(|seconds| start + Duration::from_secs(seconds));
    let limits = match until {
        Some(_) => Limits { rounds: usize::MAX, decisions: usize::MAX, until, ..Limits::default() },
        None => Limits::default(),
    };
    let last = Cell::new((start, Progress::default()));
    let solution = problem.solve_watched(&limits, &|progress| {
        let (time, before) = last.get();
        if progress != before && time.elapsed() >= PAUSE {
            last.set((Instant::now(), progress));
            _ = line(start, progress.cost, progress.bound, "");
        }
        ControlFlow::Continue(())
    });
    let used = problem
        .memories
        .iter()
        .map(|memory| format!("  peak {} of {}", memory.peak(&solution.choices), memory.limit));
    let more = format!("{}  {:?}", used.collect::<String>(), solution.outcome());
    line(start, solution.cost, solution.bound, &more)?;
    if let Some(out) = arguments.out {
        std::fs::write(out, serde_json::to_string(&solution.choices)?)?;
    }
    Ok(())
}

fn line(start: Instant, cost: u64, bound: u64, more: &str) -> std::io::Result<()> {
    let seconds = start.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    match cost {
        FORBIDDEN.. => writeln!(out, "{seconds:8.2} s  no solution yet  bound {bound}{more}"),
        _ => {
            let hundredths = (u128::from(cost - bound) * 10_000).div_ceil(u128::from(cost.max(1)));
            let gap = format!("{}.{:02} %", hundredths / 100, hundredths % 100);
            writeln!(out, "{seconds:8.2} s  cost {cost}  bound {bound}  gap {gap}{more}")
        }
    }
}

/// The problem of the files, each read once.
fn problem(arguments: &Arguments) -> Result<Problem, Box<dyn Error>> {
    let read = |file: &String| -> Result<Problem, Box<dyn Error>> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        Ok(Problem::from_iopddl(&text).map_err(|error| format!("{file}: {error}"))?)
    };
    let parts: Vec<Problem> = arguments.files.iter().map(read).collect::<Result<_, _>>()?;
    let copies = arguments.copies.unwrap_or(parts.len());
    Ok(joined(parts.iter().cycle().take(copies))?)
}

/// Problems one after the other in time, under the limits of the first one.
fn joined<'a>(
    parts: impl Iterator<Item = &'a Problem>,
) -> Result<Problem, tensor_layout::LayoutError> {
    let (mut own, mut edges): (Vec<Vec<u64>>, Vec<Edge>) = (Vec::new(), Vec::new());
    let mut memories: Vec<Memory> = Vec::new();
    let (mut time, mut before) = (0, 0..0);
    for part in parts {
        let first = own.len();
        own.extend(part.own.iter().cloned());
        let moved =
            |edge: &Edge| Edge { from: edge.from + first, to: edge.to + first, ..edge.clone() };
        edges.extend(part.edges.iter().map(moved));
        let both = before.zip(first..own.len()).step_by(JOINED.0);
        let alike = both.filter(|(one, other)| own[*one].len() == own[*other].len());
        edges.extend(alike.map(|(one, other)| differ(one, other, own[one].len())));
        enter(&mut memories, part, (first, time));
        let uses = part.memories.iter().flat_map(|memory| &memory.uses);
        time += uses.map(|of| of.to).max().unwrap_or(0);
        before = first..own.len();
    }
    Problem::new(own, edges)?.with_memories(memories)
}

/// The cost of two variables that differ.
fn differ(from: usize, to: usize, choices: usize) -> Edge {
    let cost = |at: usize| if at.is_multiple_of(choices + 1) { 0 } else { JOINED.1 };
    Edge { from, to, costs: (0..choices * choices).map(cost).collect() }
}

fn enter(memories: &mut Vec<Memory>, part: &Problem, (first, time): (usize, u64)) {
    for (number, memory) in part.memories.iter().enumerate() {
        if memories.len() == number {
            memories.push(Memory { limit: memory.limit, uses: Vec::new() });
        }
        let uses = memory.uses.iter().cloned().map(|mut of| {
            of.variable += first;
            (of.from, of.to) = (of.from + time, of.to + time);
            of
        });
        memories[number].uses.extend(uses);
    }
}
