//! The peaks: the greatest sum of live buffers over the schedule, and the buffers that are live then.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use itertools::Itertools;

use crate::HloBytes;
use crate::memory::body::{ComputationGraph, Kind};
use crate::memory::buffers::Buffers;
use crate::memory::graph::Graph;
use crate::memory::interface::Interface;
use crate::memory::leaves::Leaf;
use crate::memory::schedule::{ComputationRun, Schedule};
use crate::memory::space::HloMemorySpace;
use crate::roles::Calls;
use tensor_layout::LayoutError;
use tensor_layout::xla::XlaSizes;
use tensor_layout_words::{to_index, to_u64};

/// The time at which the most bytes are live in a memory space.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloPeak {
    /// The memory space; spaces are separate memories, and their sums are never added.
    pub space: HloMemorySpace,
    /// The sums over all buffers that are live.
    pub bytes: HloBytes,
    /// The name of the instruction that runs at that time.
    pub name: String,
    /// The line of that instruction.
    pub line: u64,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The computation that it is in.
    pub computation: String,
    /// The greatest live buffers, greatest first.
    pub live: Vec<HloLive>,
    /// The number of instructions that run before that time.
    pub time: u64,
    /// The sum of live bytes over the schedule: the times at which it changes, and its value from then on. It begins
    /// at time 0 and ends with the number of instructions that run, at which nothing is live.
    pub curve: Vec<(u64, u64)>,
}

/// A buffer that is live at the peak.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloLive {
    /// The instruction that last wrote it, or that names it at the peak.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// The path of the array in the shape of the instruction, as `{1}`; empty if the shape is one array.
    pub place: String,
    /// The shape of the array.
    pub shape: String,
    /// The bytes of its elements, and those that are allocated.
    pub bytes: HloBytes,
    /// The line of the instruction.
    pub line: u64,
    /// The computation of the instruction.
    pub computation: String,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The line of the program that it comes from, as `file:line`.
    pub source: Option<String>,
    /// The lines of the instructions between which it is live, both included.
    pub lives: (u64, u64),
    /// Set if the instruction is a parameter of the entry.
    pub is_argument: bool,
}

/// The time span in which one array of a buffer is live, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Life {
    pub(super) buffer: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) array: usize,
    run: usize,
    node: usize,
}

impl Life {
    fn holds(&self, time: usize) -> bool {
        (self.start..=self.end).contains(&time)
    }
}

/// The inputs of the search for the peaks.
pub(super) struct Live<'m> {
    pub(super) graph: &'m Graph,
    pub(super) calls: &'m Calls,
    pub(super) schedule: &'m Schedule,
    pub(super) buffers: Buffers,
    pub(super) interface: &'m Interface,
}

impl<'m> Live<'m> {
    /// The peak of every memory space, with the `top` greatest buffers of each.
    pub(super) fn peaks(mut self, top: Option<usize>) -> Result<Vec<HloPeak>, LayoutError> {
        let mut lives = Vec::new();
        for (run, span) in self.schedule.runs() {
            if let Some(body) = self.graph.body(span.computation) {
                self.add_lives(run, span, body, &mut lives);
            }
        }
        lives.sort_unstable();
        self.share(&mut lives);
        lives.sort_unstable();
        let mut spaces: BTreeMap<HloMemorySpace, Vec<&[Life]>> = BTreeMap::new();
        for buffer in lives.chunk_by(|a, b| a.buffer == b.buffer) {
            let (_, space) = self.sizes(buffer);
            spaces.entry(space).or_default().push(buffer);
        }
        let peak = |(space, buffers): (HloMemorySpace, Vec<&[Life]>)| {
            let curve = self.curve(&buffers)?;
            self.peak(space, &buffers, curve, top)
        };
        let peaks = spaces.into_iter().map(peak).collect::<Result<Vec<_>, LayoutError>>()?;
        Ok(peaks.into_iter().filter(|peak| peak.bytes.allocated > 0).collect())
    }

    /// The computation of a run.
    pub(super) fn body(&self, run: usize) -> Option<&'m ComputationGraph> {
        self.graph.body(self.schedule.computation(run)?)
    }

    /// The name of the computation of a run.
    fn name(&self, run: usize) -> &str {
        self.schedule.computation(run).map_or("", |number| self.calls.name(number))
    }

    /// Adds the lives of the arrays of a run.
    fn add_lives(
        &self,
        run: usize,
        span: &ComputationRun,
        body: &ComputationGraph,
        lives: &mut Vec<Life>,
    ) {
        let (base, _) = self.buffers.arrays(run, 0);
        let count = (0..body.len()).map(|node| self.buffers.arrays(run, node).1).sum();
        let mut ends = vec![0_usize; count];
        let mut use_at = |(first, count): (usize, usize), time: usize| {
            let range = first - base..first - base + count;
            ends.get_mut(range).into_iter().flatten().for_each(|end| *end = time.max(*end));
        };
        for node in 0..body.len() {
            for (at, operand) in body.operands(node) {
                let arrays = self.used(run, body, node, at, operand);
                use_at(arrays, self.time_of_use(run, span, body, node));
            }
        }
        use_at(self.buffers.arrays(run, body.root), span.end);
        if run == Schedule::ENTRY {
            self.arguments(body, |arrays| use_at(arrays, span.end));
        }
        for node in 0..body.len() {
            let start = match body.kind(node) {
                Kind::Parameter(_) => span.start,
                _ => span.time(node),
            };
            let (first, count) = self.buffers.arrays(run, node);
            lives.extend((first..first + count).map(|array| {
                let end = ends.get(array - base).copied().unwrap_or(0);
                let end = end.max(start).max(span.time(node));
                let buffer = self.buffers.buffer(array);
                Life { buffer, start, end, array, run, node }
            }));
        }
    }

    /// Returns the arrays of an operand that an instruction uses: one member for a `get-tuple-element`.
    fn used(
        &self,
        run: usize,
        body: &ComputationGraph,
        node: usize,
        at: usize,
        operand: usize,
    ) -> (usize, usize) {
        let (first, count) = self.buffers.arrays(run, operand);
        let is_element = body.kind(node) == Kind::Element;
        let mut links = is_element.then(|| body.links(node)).into_iter().flatten();
        let link = links.find(|link| link.operand == at);
        link.map_or((first, count), |link| (first + link.from, link.count))
    }

    /// Returns the time at which an instruction is done with its operands: a loop or a call hands them over
    /// at the start of the callee.
    fn time_of_use(
        &self,
        run: usize,
        span: &ComputationRun,
        body: &ComputationGraph,
        node: usize,
    ) -> usize {
        let handed_over = || {
            let last = body.sites(node).len().checked_sub(1)?;
            self.schedule.start(run, node, last)
        };
        match body.kind(node) {
            Kind::While | Kind::Call => handed_over().unwrap_or_else(|| span.time(node)),
            _ => span.time(node),
        }
    }

    /// Passes on the arrays of the parameters of the program that are not donated, which live to its end.
    pub(super) fn arguments(&self, body: &ComputationGraph, mut each: impl FnMut((usize, usize))) {
        let is_donated = self.interface.is_donated();
        for (parameter, node) in body.parameters() {
            let Some(shape) = self.graph.shapes.get(body.shape(node)) else { continue };
            let (first, count) = self.buffers.arrays(Schedule::ENTRY, node);
            if self.interface.aliases.is_empty() {
                each((first, count));
                continue;
            }
            let kept = shape.paths.iter().enumerate();
            for (leaf, _) in kept.filter(|(_, path)| !is_donated(parameter, path)) {
                each((first + leaf, 1));
            }
        }
    }

    /// The sizes of a buffer, those of its greatest array, and its memory space.
    fn sizes(&self, buffer: &[Life]) -> (XlaSizes, HloMemorySpace) {
        let leaf = |life: &Life| {
            let shape = self.graph.shapes.get(self.body(life.run)?.shape(life.node))?;
            let (first, _) = self.buffers.arrays(life.run, life.node);
            shape.leaves().get(life.array - first).copied()
        };
        let leaves = buffer.iter().rev().filter_map(leaf);
        let Leaf { sizes, space } =
            leaves.max_by_key(|leaf| leaf.sizes.allocated_bytes).unwrap_or_default();
        (sizes, HloMemorySpace(space))
    }

    /// Returns the [curve](HloPeak::curve) of the sum of live bytes.
    fn curve(&self, buffers: &[&[Life]]) -> Result<Vec<(u64, u64)>, LayoutError> {
        let mut changes = vec![0_i128; self.schedule.len() + 1];
        for buffer in buffers {
            let bytes = i128::from(self.sizes(buffer).0.allocated_bytes);
            for (start, end) in stretches(buffer) {
                for (time, change) in [(start, bytes), (end + 1, -bytes)] {
                    changes.get_mut(time).into_iter().for_each(|sum| *sum += change);
                }
            }
        }
        let sums = changes.iter().scan(0_i128, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        let steps = (0..).zip(sums).dedup_by(|(_, before), (_, sum)| before == sum);
        let bytes = |sum: i128| {
            u64::try_from(sum).map_err(|_| crate::bytes::too_large("the number of live bytes"))
        };
        let steps = steps.map(|(time, sum)| Ok((time, bytes(sum)?)));
        let mut curve = steps.collect::<Result<Vec<_>, LayoutError>>()?;
        let end = (to_u64(self.schedule.len()), 0);
        if curve.last().is_some_and(|last| *last != end) {
            curve.push(end);
        }
        Ok(curve)
    }

    fn peak(
        &self,
        space: HloMemorySpace,
        buffers: &[&[Life]],
        curve: Vec<(u64, u64)>,
        top: Option<usize>,
    ) -> Result<HloPeak, LayoutError> {
        // The first of the times at which the sum is greatest.
        let greatest = curve.iter().min_by_key(|(time, sum)| (Reverse(*sum), *time));
        let moment = greatest.map_or(0, |(time, _)| *time);
        let time = to_index(moment);
        let mut bytes = HloBytes::default();
        let mut rows: Vec<(&[Life], XlaSizes)> = Vec::new();
        for buffer in buffers.iter().filter(|buffer| buffer.iter().any(|life| life.holds(time))) {
            let (sizes, _) = self.sizes(buffer);
            bytes.add(sizes)?;
            rows.push((buffer, sizes));
        }
        rows.sort_by_key(|(_, sizes)| Reverse(sizes.allocated_bytes));
        rows.truncate(top.unwrap_or(usize::MAX));
        let live = rows.into_iter().filter_map(|(buffer, sizes)| self.live(buffer, sizes, time));
        let (run, node) = self.schedule.at(time).unwrap_or((Schedule::ENTRY, 0));
        let (name, _, op_name, _, line) = self.texts(run, node);
        Ok(HloPeak {
            space,
            bytes,
            name,
            line,
            op_name,
            computation: self.name(run).to_owned(),
            live: live.collect(),
            time: moment,
            curve,
        })
    }

    /// Name, opcode, operation, source and line of an instruction.
    fn texts(
        &self,
        run: usize,
        node: usize,
    ) -> (String, String, Option<String>, Option<String>, u64) {
        let body = self.body(run);
        let found = body.and_then(|body| Some((body, body.held.rows().get(node)?)));
        let Some((body, row)) = found else { return Default::default() };
        let text = body.held.text(row);
        let (op_name, source) = text.origin_texts(&self.calls.module);
        (text.name.to_owned(), text.opcode.to_owned(), op_name, source, row.line)
    }

    fn line_at(&self, time: usize) -> u64 {
        let row = |(run, node): (usize, usize)| Some(self.body(run)?.held.rows().get(node)?.line);
        self.schedule.at(time).and_then(row).unwrap_or(0)
    }

    fn live(&self, buffer: &[Life], sizes: XlaSizes, time: usize) -> Option<HloLive> {
        // Prefer the instruction that wrote the buffer, which people know: a loop may only pass it on.
        let rank = |life: &&Life| {
            let is_value = self.buffers.is_value(life.array);
            (
                is_value && life.holds(time),
                is_value && life.start <= time,
                life.holds(time),
                life.start,
            )
        };
        let life = buffer.iter().max_by_key(rank)?;
        let (start, end) =
            stretches(buffer).find(|(start, end)| (*start..=*end).contains(&time))?;
        let (name, opcode, op_name, source, line) = self.texts(life.run, life.node);
        let shape = self.graph.shapes.get(self.body(life.run)?.shape(life.node))?;
        let (first, _) = self.buffers.arrays(life.run, life.node);
        let (text, place) = shape.text(life.array - first);
        let is_argument = life.run == Schedule::ENTRY && opcode == "parameter";
        Some(HloLive {
            name,
            opcode,
            place,
            shape: text,
            bytes: sizes.into(),
            line,
            computation: self.name(life.run).to_owned(),
            op_name,
            source,
            lives: (self.line_at(start), self.line_at(end)),
            is_argument,
        })
    }
}

/// Returns the time spans in which a buffer is live, from the sorted lives of its arrays; spans that
/// touch are merged.
pub(super) fn stretches(buffer: &[Life]) -> impl Iterator<Item = (usize, usize)> {
    buffer.iter().map(|life| (life.start, life.end)).coalesce(|a, b| {
        if b.0 <= a.1.saturating_add(1) { Ok((a.0, a.1.max(b.1))) } else { Err((a, b)) }
    })
}
