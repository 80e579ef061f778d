//! A number per element, compiled: one function per axis, cut into vectors and bases.
//!
//! ```text
//! ((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))    8192 x 8192, packed: unit x 8192 + address
//!
//! row i      base(i)     = L2B and L1B digits of i, 64:128
//! column j   outer(j)    = MAB digit of j            16 of them
//!            inner(j)    = 128:1, 4_PE               512 numbers, made once
//! ```

use std::ops::Range;

use strength_reduce::StrengthReducedU64;

use crate::algebra::{Axis, Layout, Target};
use crate::level::Level;

/// The longest inner vector: 8 KiB of u32 stay in a 32 KiB cache beside the rows.
const LONGEST_VECTOR: u64 = 2048;

/// The longest vector of an axis that cannot be cut: 256 KiB of u32 stay in a second-level cache.
const LONGEST_UNCUT: u64 = 1 << 16;

/// A weighted sum of coordinates: what each axis adds.
///
/// Without digits of different axes that feed the same derived axis, a coordinate is a sum of one
/// function per axis, and so is every weighted sum of coordinates.
#[derive(Clone, Debug)]
pub(crate) struct WeightedSum {
    base: u64,
    axes: Vec<Function>,
    replicas: Vec<(u64, u64)>,
    /// (level, weight), where axes are fused.
    weights: Vec<(Level, u64)>,
    fused: bool,
    /// The greatest value, padding included.
    pub(crate) reach: u64,
}

impl WeightedSum {
    pub(crate) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> WeightedSum {
        let used = layout.used_levels().iter();
        let weights: Vec<(Level, u64)> = used.map(|level| (*level, weight(*level))).collect();
        let reach = weights.iter().map(|(level, weight)| (layout.extent(*level) - 1) * weight);
        let offsets = weights.iter().map(|(level, weight)| layout.offset(*level) * weight);
        let chains = Chains::new(layout, &weight);
        let replica = |r: &crate::algebra::Replica| (r.size, weight(r.level) * r.stride);
        WeightedSum {
            base: offsets.sum::<u64>() + chains.constant(),
            axes: (0..layout.rank()).map(|axis| chains.function(axis)).collect(),
            replicas: layout.replicas().iter().map(replica).collect(),
            reach: reach.sum(),
            fused: chains.is_fused(),
            weights,
        }
    }

    /// A sum of one digit per axis: (size, step).
    pub(crate) fn of_digits(
        base: u64,
        digits: impl Iterator<Item = (u64, u64)> + Clone,
    ) -> WeightedSum {
        let reach = digits.clone().map(|(size, step)| (size - 1) * step).sum::<u64>();
        WeightedSum {
            base,
            axes: digits.map(|digit| Function::Digits(Digits::new([digit].into_iter()))).collect(),
            replicas: Vec::new(),
            weights: Vec::new(),
            fused: false,
            reach: base + reach,
        }
    }

    /// Whether the number is no sum of one function per axis.
    pub(crate) fn is_fused(&self) -> bool {
        self.fused
    }

    /// The number of the element at `index`.
    pub(crate) fn at(&self, layout: &Layout, index: &[u64]) -> u64 {
        if self.fused {
            return self.through(layout, index);
        }
        let values = self.axes.iter().zip(index).map(|(axis, entry)| axis.value(*entry));
        self.base + values.sum::<u64>()
    }

    /// By the definition, through derived axes.
    fn through(&self, layout: &Layout, index: &[u64]) -> u64 {
        let offset = |(level, weight): &(Level, u64)| layout.offset(*level) * weight;
        let mut sum = self.weights.iter().map(offset).sum();
        layout.land(index, |level, step| {
            let weight = self.weights.iter().find(|(of, _)| *of == level);
            sum += step * weight.map_or(0, |(_, weight)| *weight);
        });
        sum
    }

    /// What each copy adds, in blocks: there may be very many.
    pub(crate) fn copies(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        const BLOCK: u64 = 1 << 12;
        let all: u64 = self.replicas.iter().map(|(size, _)| size).product();
        let copy = |number: u64| {
            let mut rest = number;
            let digits = self.replicas.iter().map(|(size, step)| {
                let digit = rest % size;
                rest /= size;
                digit * step
            });
            digits.sum()
        };
        let blocks = (0..all.div_ceil(BLOCK)).map(|block| block * BLOCK);
        blocks.map(move |from| (from..all.min(from + BLOCK)).map(copy).collect())
    }

    /// The most that a copy adds.
    pub(crate) fn farthest_copy(&self) -> u64 {
        self.replicas.iter().map(|(size, step)| (size - 1) * step).sum()
    }

    /// A lower and an upper bound of the numbers over a box, first copies only.
    pub(crate) fn bounds(&self, shape: &[Range<u64>]) -> (u64, u64) {
        if self.fused {
            return (0, self.reach);
        }
        let bounds = self.axes.iter().zip(shape).map(|(axis, range)| axis.bounds(range));
        bounds.fold((self.base, self.base), |sum, (low, high)| (sum.0 + low, sum.1 + high))
    }
}

/// The nodes of a layout, digit by digit, as one weight sees them.
struct Chains {
    nodes: Vec<Node>,
    /// For every node, the axes that feed it; an axis has itself.
    sources: Vec<Vec<usize>>,
}

/// An axis, or a derived axis with its start.
#[derive(Clone, Debug)]
struct Node {
    start: u64,
    /// Minor to major.
    digits: Vec<(u64, Step)>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Land(u64),
    /// The node, and the weight.
    Feed(usize, u64),
}

impl Chains {
    fn new(layout: &Layout, weight: &impl Fn(Level) -> u64) -> Chains {
        let rank = layout.rank();
        let step = |target: Target| match target {
            Target::Land { level, stride } => Step::Land(weight(level) * stride),
            Target::Feed { derived, weight } => Step::Feed(rank + derived, weight),
        };
        let digits = |axis: &Axis| -> Vec<(u64, Step)> {
            axis.subaxes.iter().rev().map(|s| (s.size, step(s.target))).collect()
        };
        let axes = layout.axes().iter().map(|axis| Node { start: 0, digits: digits(axis) });
        let derived = layout.derived_axes().iter();
        let derived = derived.map(|f| Node { start: f.start, digits: digits(&f.axis) });
        let own = (0..rank).map(|axis| vec![axis]);
        let sources = own.chain(layout.axes_per_derived()).collect();
        Chains { nodes: axes.chain(derived).collect(), sources }
    }

    fn is_fused(&self) -> bool {
        self.sources.iter().any(|sources| sources.len() > 1)
    }

    /// What the nodes that nothing feeds add.
    fn constant(&self) -> u64 {
        let nodes: Vec<Node> = self.keep(|node| self.sources[node].is_empty());
        Function::Chained(nodes).value(0)
    }

    fn function(&self, axis: usize) -> Function {
        let lands = |digit: &(u64, Step)| match digit.1 {
            Step::Land(step) => Some((digit.0, step)),
            Step::Feed(..) => None,
        };
        let digits: Option<Vec<(u64, u64)>> = self.nodes[axis].digits.iter().map(lands).collect();
        if let Some(digits) = digits {
            return Function::Digits(Digits::new(digits.into_iter()));
        }
        let mut nodes = self.keep(|node| self.sources[node].contains(&axis));
        // The value arrives at the first node; axes are fed by none.
        nodes.swap(0, axis);
        Function::Chained(nodes)
    }

    /// The nodes, those that are not kept without digits.
    fn keep(&self, keep: impl Fn(usize) -> bool) -> Vec<Node> {
        let empty = Node { start: 0, digits: Vec::new() };
        let nodes = self.nodes.iter().enumerate();
        nodes.map(|(at, node)| if keep(at) { node.clone() } else { empty.clone() }).collect()
    }
}

/// What an axis adds, as a function of its value.
#[derive(Clone, Debug)]
enum Function {
    Digits(Digits),
    /// Through derived axes, which no other axis feeds.
    Chained(Vec<Node>),
}

impl Function {
    #[inline]
    fn value(&self, entry: u64) -> u64 {
        match self {
            Function::Digits(digits) => digits.value(entry),
            Function::Chained(nodes) => through(nodes, entry),
        }
    }

    fn values(&self, range: Range<u64>) -> Vec<u64> {
        match self {
            Function::Digits(digits) if range.start == 0 => digits.values(range.end),
            _ => range.map(|entry| self.value(entry)).collect(),
        }
    }

    fn bounds(&self, range: &Range<u64>) -> (u64, u64) {
        match self {
            Function::Digits(digits) => digits.bounds(range),
            Function::Chained(nodes) => {
                let lands = nodes.iter().flat_map(|node| &node.digits).map(|digit| match digit {
                    (size, Step::Land(step)) => (size - 1) * step,
                    _ => 0,
                });
                (0, lands.sum())
            }
        }
    }
}

fn through(nodes: &[Node], entry: u64) -> u64 {
    let mut values: Vec<u64> = nodes.iter().map(|node| node.start).collect();
    if let Some(first) = values.first_mut() {
        *first += entry;
    }
    let mut sum = 0;
    for (at, node) in nodes.iter().enumerate() {
        let mut rest = values[at];
        for (size, step) in &node.digits {
            let digit = rest % size;
            rest /= size;
            match step {
                Step::Land(step) => sum += digit * step,
                Step::Feed(to, weight) => values[*to] += digit * weight,
            }
        }
    }
    sum
}

/// A sum of digit x step.
///
/// With `q(k) = value / place(k)` the digits are `q(k) - size(k) x q(k + 1)`, so that the sum is
/// one of `q(k) x change(k)`, where `change(k) = step(k) - size(k - 1) x step(k - 1)` modulo 2^64:
/// a shift or a reduced division, and a product, for each digit; nothing waits for another.
#[derive(Clone, Debug)]
struct Digits {
    /// (size, step), minor to major, none of size 1, neighbours that step evenly merged.
    digits: Vec<(u64, u64)>,
    /// (bits, change).
    shifts: Vec<(u32, u64)>,
    divides: Vec<(StrengthReducedU64, u64)>,
}

impl Digits {
    fn new(digits: impl Iterator<Item = (u64, u64)>) -> Digits {
        let digits = merged(digits);
        let (mut shifts, mut divides) = (Vec::new(), Vec::new());
        let (mut place, mut carried) = (1_u64, 0_u64);
        for (size, step) in &digits {
            let change = step.wrapping_sub(carried);
            match place.is_power_of_two() {
                true => shifts.push((place.trailing_zeros(), change)),
                false => divides.push((StrengthReducedU64::new(place), change)),
            }
            // The slots of an axis fit.
            place = place.saturating_mul(*size);
            carried = size.wrapping_mul(*step);
        }
        Digits { digits, shifts, divides }
    }

    #[inline]
    fn value(&self, entry: u64) -> u64 {
        let shifted = self.shifts.iter().fold(0_u64, |sum, (bits, change)| {
            sum.wrapping_add((entry >> bits).wrapping_mul(*change))
        });
        self.divides.iter().fold(shifted, |sum, (place, change)| {
            sum.wrapping_add((entry / *place).wrapping_mul(*change))
        })
    }

    /// The values of all entries below `end`, digit by digit.
    fn values(&self, end: u64) -> Vec<u64> {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let mut values = vec![0];
        for (size, step) in &self.digits {
            let inner = values.len();
            for digit in 1..*size {
                if values.len() >= end {
                    break;
                }
                values.extend_from_within(..inner);
                let from = values.len() - inner;
                values[from..].iter_mut().for_each(|value| *value += digit * step);
            }
        }
        values.truncate(end);
        values
    }

    /// Digits above the highest one that changes within the range are known, the others free.
    fn bounds(&self, range: &Range<u64>) -> (u64, u64) {
        let (mut first, mut last) = (range.start, range.end.max(1) - 1);
        let (mut low, mut high) = (0, 0);
        for (size, step) in &self.digits {
            match first == last {
                true => (low, high) = (low + first % size * step, high + first % size * step),
                false => {
                    let (from, to) = match first / size == last / size {
                        true => (first % size, last % size),
                        false => (0, size - 1),
                    };
                    (low, high) = (low + from * step, high + to * step);
                }
            }
            (first, last) = (first / size, last / size);
        }
        (low, high)
    }
}

/// Digits, minor to major, with neighbours that step evenly merged and unit digits dropped.
fn merged(digits: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (size, step) in digits.filter(|(size, _)| *size > 1) {
        match merged.last_mut() {
            Some((n, minor)) if minor.checked_mul(*n) == Some(step) => *n *= size,
            _ => merged.push((size, step)),
        }
    }
    merged
}

/// The inner vector: all trailing axes that fit, and a block of minor digits of the next one.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) vector: Vec<u64>,
    /// How many axes lie outside; the last of them may be cut into blocks.
    outside: usize,
    /// How many values of that axis the vector holds; 1 if it lies outside as a whole.
    block: u64,
}

impl Inner {
    /// The vector over a box that is not empty.
    pub(crate) fn new(form: &WeightedSum, shape: &[Range<u64>]) -> Inner {
        let mut vector = vec![0_u64];
        let mut outside = form.axes.len();
        let length = |vector: &[u64]| u64::try_from(vector.len()).unwrap_or(u64::MAX);
        while let Some(at) = outside.checked_sub(1) {
            let (axis, range) = (&form.axes[at], &shape[at]);
            let extent = range.end - range.start;
            let fits = |limit: u64| extent <= limit / length(&vector);
            let whole = fits(LONGEST_VECTOR)
                || (matches!(axis, Function::Chained(_)) && fits(LONGEST_UNCUT));
            if !whole {
                let Function::Digits(digits) = axis else { break };
                let block =
                    block(&digits.digits, extent, (LONGEST_VECTOR / length(&vector)).max(1));
                vector = spread(&vector, &digits.values(block));
                return Inner { vector, outside, block };
            }
            vector = spread(&vector, &axis.values(range.clone()));
            outside = at;
        }
        Inner { vector, outside, block: 1 }
    }
}

/// The largest block of an axis that has room and begins at a boundary of digits; a part of a long
/// even run is as good.
fn block(digits: &[(u64, u64)], extent: u64, room: u64) -> u64 {
    let mut block = 1_u64;
    for (at, (size, _)) in digits.iter().enumerate() {
        match block.checked_mul(*size).filter(|next| *next <= room && *next < extent) {
            Some(next) => block = next,
            // The major-most digit does not wrap: any part of it is even.
            None if at + 1 == digits.len() => return block * (room / block),
            // A divisor of the digit keeps blocks aligned.
            None => {
                let part = (1..=room / block).rev().find(|part| size.is_multiple_of(*part));
                return block * part.unwrap_or(1);
            }
        }
    }
    block
}

/// Every number plus every value of an axis that runs slower.
fn spread(inner: &[u64], values: &[u64]) -> Vec<u64> {
    let mut vector = Vec::with_capacity(inner.len() * values.len());
    values.iter().for_each(|value| vector.extend(inner.iter().map(|step| value + step)));
    vector
}

/// The outer loop: a base, and the part of the vector that goes with it.
#[derive(Debug)]
pub(crate) struct Outer<'a> {
    base: u64,
    loops: Vec<Loop<'a>>,
    /// Numbers per value of the last outer axis.
    unit: usize,
    done: bool,
}

/// An outer axis; the last one in blocks.
#[derive(Debug)]
struct Loop<'a> {
    function: &'a Function,
    range: Range<u64>,
    /// The length of a block, and the first value of the first one.
    step: u64,
    first: u64,
    /// The first value of the block at hand, and what it adds.
    at: u64,
    adds: u64,
}

impl<'a> Outer<'a> {
    pub(crate) fn new(form: &'a WeightedSum, shape: &[Range<u64>], inner: &Inner) -> Outer<'a> {
        let axes = form.axes.iter().zip(shape).enumerate().take(inner.outside);
        let loops = axes.map(|(at, (function, range))| {
            let step = if at + 1 == inner.outside { inner.block } else { 1 };
            let first = range.start - range.start % step;
            let adds = function.value(first);
            Loop { function, range: range.clone(), step, first, at: first, adds }
        });
        let unit = inner.vector.len() / usize::try_from(inner.block).unwrap_or(1);
        Outer { base: form.base, loops: loops.collect(), unit, done: false }
    }

    /// The next base, and the part of the vector that belongs to it.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(u64, Range<usize>)> {
        if self.done {
            return None;
        }
        let base = self.base + self.loops.iter().map(|outer| outer.adds).sum::<u64>();
        let part = match self.loops.last() {
            None => 0..self.unit,
            Some(last) => {
                let unit = |at: u64| usize::try_from(at - last.at).unwrap_or(0) * self.unit;
                let until = last.range.end.min(last.at.saturating_add(last.step));
                unit(last.at.max(last.range.start))..unit(until)
            }
        };
        self.done = !self.loops.iter_mut().rev().any(Loop::advance);
        Some((base, part))
    }
}

impl Loop<'_> {
    /// Goes on to the next block; `false` if that is the first one again.
    #[inline]
    fn advance(&mut self) -> bool {
        let next = self.at.saturating_add(self.step);
        let goes_on = next < self.range.end;
        self.at = if goes_on { next } else { self.first };
        self.adds = self.function.value(self.at);
        goes_on
    }
}
