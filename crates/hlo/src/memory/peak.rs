//! The peaks: the greatest sum of live buffers over the schedule, and the buffers that are live then.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use itertools::Itertools;

use crate::HloBytes;
use crate::memory::buffers::Buffers;
use crate::memory::error::HloMemoryError;
use crate::memory::graph::{ComputationGraph, Graph, Kind};
use crate::memory::interface::Interface;
use crate::memory::leaves::Leaf;
use crate::memory::schedule::{ComputationSpan, Schedule};
use crate::memory::space::HloMemorySpace;
use crate::roles::Calls;
use tensor_layout::LayoutError;
use tensor_layout::internals;
use tensor_layout::xla::XlaSizes;

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
struct Life {
    buffer: usize,
    start: usize,
    end: usize,
    array: usize,
    computation: u32,
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
    pub(super) buffers: &'m Buffers,
    pub(super) interface: &'m Interface,
    pub(super) entry: u32,
}

impl Live<'_> {
    /// The peak of every memory space, with the `top` greatest buffers of each.
    pub(super) fn peaks(&self, top: Option<usize>) -> Result<Vec<HloPeak>, HloMemoryError> {
        let mut lives = Vec::new();
        for (number, span) in self.schedule.computations() {
            if let Some(body) = self.graph.body(number) {
                self.add_lives(number, span, body, &mut lives);
            }
        }
        lives.sort_unstable();
        let mut spaces: BTreeMap<HloMemorySpace, Vec<&[Life]>> = BTreeMap::new();
        for buffer in lives.chunk_by(|a, b| a.buffer == b.buffer) {
            let (_, space) = self.sizes(buffer);
            spaces.entry(space).or_default().push(buffer);
        }
        let peak = |(space, buffers): (HloMemorySpace, Vec<&[Life]>)| {
            let time = self.greatest(&buffers)?;
            Ok(self.peak(space, &buffers, time, top)?)
        };
        let peaks = spaces.into_iter().map(peak).collect::<Result<Vec<_>, HloMemoryError>>()?;
        Ok(peaks.into_iter().filter(|peak| peak.bytes.allocated > 0).collect())
    }

    /// Adds the lives of the arrays of a computation.
    fn add_lives(
        &self,
        number: u32,
        span: &ComputationSpan,
        body: &ComputationGraph,
        lives: &mut Vec<Life>,
    ) {
        let (base, _) = self.buffers.arrays(number, 0);
        let count = (0..body.len()).map(|node| self.buffers.arrays(number, node).1).sum();
        let mut ends = vec![0_usize; count];
        let mut use_at = |(first, count): (usize, usize), time: usize| {
            let range = first - base..first - base + count;
            ends.get_mut(range).into_iter().flatten().for_each(|end| *end = time.max(*end));
        };
        for node in 0..body.len() {
            for (at, operand) in body.operands(node) {
                let arrays = self.used(number, body, node, at, operand);
                use_at(arrays, self.time_of_use(number, span, body, node));
            }
        }
        use_at(self.buffers.arrays(number, body.root), span.end);
        if number == self.entry {
            self.keep_arguments(body, span, use_at);
        }
        for node in 0..body.len() {
            let start = match body.kind(node) {
                Kind::Parameter(_) => span.start,
                _ => span.time(node),
            };
            let (first, count) = self.buffers.arrays(number, node);
            lives.extend((first..first + count).map(|array| {
                let end = ends.get(array - base).copied().unwrap_or(0);
                let end = end.max(start).max(span.time(node));
                let buffer = self.buffers.buffer(array);
                Life { buffer, start, end, array, computation: number, node }
            }));
        }
    }

    /// Returns the arrays of an operand that an instruction uses: one member for a `get-tuple-element`.
    fn used(
        &self,
        number: u32,
        body: &ComputationGraph,
        node: usize,
        at: usize,
        operand: usize,
    ) -> (usize, usize) {
        let (first, count) = self.buffers.arrays(number, operand);
        match body.links(node).find(|link| link.operand == at) {
            Some(link) if body.kind(node) == Kind::Element => (first + link.from, link.count),
            _ => (first, count),
        }
    }

    /// Returns the time at which an instruction is done with its operands: a loop or a call hands them over
    /// at the start of the callee.
    fn time_of_use(
        &self,
        number: u32,
        span: &ComputationSpan,
        body: &ComputationGraph,
        node: usize,
    ) -> usize {
        let handed_over = || {
            let site = body.sites(node).last()?;
            self.schedule.start_for(self.calls.number(&site.name)?, (number, node))
        };
        match body.kind(node) {
            Kind::While | Kind::Call => handed_over().unwrap_or_else(|| span.time(node)),
            _ => span.time(node),
        }
    }

    /// Extends the lives of parameters of the program that are not donated to its end.
    fn keep_arguments(
        &self,
        body: &ComputationGraph,
        span: &ComputationSpan,
        mut use_at: impl FnMut((usize, usize), usize),
    ) {
        for (parameter, node) in body.parameters() {
            let Some(shape) = self.graph.shapes.get(body.shape(node)) else { continue };
            let (first, count) = self.buffers.arrays(self.entry, node);
            for leaf in 0..count {
                let is_donated = !self.interface.aliases.is_empty()
                    && self.interface.is_donated(parameter, &shape.path(leaf));
                if !is_donated {
                    use_at((first + leaf, 1), span.end);
                }
            }
        }
    }

    /// The sizes of a buffer, those of its greatest array, and its memory space.
    fn sizes(&self, buffer: &[Life]) -> (XlaSizes, HloMemorySpace) {
        let leaf = |life: &Life| {
            let shape =
                self.graph.shapes.get(self.graph.body(life.computation)?.shape(life.node))?;
            let (first, _) = self.buffers.arrays(life.computation, life.node);
            shape.leaves().get(life.array - first).copied()
        };
        let leaves = buffer.iter().rev().filter_map(leaf);
        let Leaf { sizes, space } =
            leaves.max_by_key(|leaf| leaf.sizes.allocated_bytes).unwrap_or_default();
        (sizes, HloMemorySpace(space))
    }

    /// Returns the first time at which the sum of live bytes is greatest.
    fn greatest(&self, buffers: &[&[Life]]) -> Result<usize, LayoutError> {
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
        let greatest = sums.enumerate().min_by_key(|(time, sum)| (Reverse(*sum), *time));
        let (time, sum) = greatest.unwrap_or_default();
        match u64::try_from(sum) {
            Ok(_) => Ok(time),
            Err(_) => Err(internals::too_large("the number of live bytes")),
        }
    }

    fn peak(
        &self,
        space: HloMemorySpace,
        buffers: &[&[Life]],
        time: usize,
        top: Option<usize>,
    ) -> Result<HloPeak, LayoutError> {
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
        let (computation, node) = self.schedule.at(time).unwrap_or((self.entry, 0));
        let (name, _, op_name, _, line) = self.texts(computation, node);
        Ok(HloPeak {
            space,
            bytes,
            name,
            line,
            op_name,
            computation: self.calls.name(computation).to_owned(),
            live: live.collect(),
        })
    }

    /// Name, opcode, operation, source and line of an instruction.
    fn texts(
        &self,
        computation: u32,
        node: usize,
    ) -> (String, String, Option<String>, Option<String>, u64) {
        let body = self.graph.body(computation);
        let found = body.and_then(|body| Some((body, body.held.rows().get(node)?)));
        let Some((body, row)) = found else { return Default::default() };
        let text = body.held.text(row);
        let (op_name, source) = text.origin(&self.calls.module);
        (text.name.to_owned(), text.opcode.to_owned(), op_name, source, row.line)
    }

    fn line_at(&self, time: usize) -> u64 {
        let row = |(computation, node): (u32, usize)| {
            Some(self.graph.body(computation)?.held.rows().get(node)?.line)
        };
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
        let (name, opcode, op_name, source, line) = self.texts(life.computation, life.node);
        let shape = self.graph.shapes.get(self.graph.body(life.computation)?.shape(life.node))?;
        let (first, _) = self.buffers.arrays(life.computation, life.node);
        let (text, place) = shape.text(life.array - first);
        let is_argument = life.computation == self.entry && opcode == "parameter";
        Some(HloLive {
            name,
            opcode,
            place,
            shape: text,
            bytes: sizes.into(),
            line,
            computation: self.calls.name(life.computation).to_owned(),
            op_name,
            source,
            lives: (self.line_at(start), self.line_at(end)),
            is_argument,
        })
    }
}

/// Returns the time spans in which a buffer is live, from the sorted lives of its arrays; spans that
/// touch are merged.
fn stretches(buffer: &[Life]) -> impl Iterator<Item = (usize, usize)> {
    buffer.iter().map(|life| (life.start, life.end)).coalesce(|a, b| {
        if b.0 <= a.1.saturating_add(1) { Ok((a.0, a.1.max(b.1))) } else { Err((a, b)) }
    })
}
