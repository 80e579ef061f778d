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

use super::boxes::Boxes;
use crate::algebra::quotients::QuotientSum;
use crate::algebra::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::level::Level;
use crate::number::{to_index, to_u64};

/// The longest inner vector: 8 KiB of u32 stay in a 32 KiB cache beside the rows.
pub(super) const LONGEST_VECTOR: u64 = 2048;

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
    /// The layout with one level, whose coordinate is the sum less the base.
    weighed: Layout,
    fused: bool,
    /// The greatest value, padding and copies included.
    pub(crate) reach: u64,
}

impl WeightedSum {
    /// The layout has no digits of size 1: their strides may be too large to be weighed.
    pub(crate) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> WeightedSum {
        let used = layout.used_levels().iter();
        let reach = used.clone().map(|level| (layout.extent(*level) - 1) * weight(*level));
        let offsets = used.map(|level| layout.offset(*level) * weight(*level));
        let sources = layout.axes_per_derived();
        let (weighed, constant) = weighed(layout, &weight, &sources);
        let replica = |r: &crate::algebra::Replica| (r.size, weight(r.level) * r.stride);
        WeightedSum {
            base: offsets.sum::<u64>() + constant,
            axes: (0..layout.rank()).map(|axis| Function::new(&weighed, axis, &sources)).collect(),
            replicas: layout.replicas().iter().map(replica).collect(),
            reach: reach.sum(),
            fused: sources.iter().any(|sources| sources.len() > 1),
            weighed,
        }
    }

    /// Whether the number is more than a sum of one function per axis.
    pub(crate) fn is_fused(&self) -> bool {
        self.fused
    }

    /// The number of the element at `index`.
    #[inline]
    pub(crate) fn at(&self, index: &[u64]) -> u64 {
        if self.fused {
            return self.base + summed(&self.weighed, index);
        }
        let values = self.axes.iter().zip(index).map(|(axis, entry)| axis.value(*entry));
        self.base + values.sum::<u64>()
    }

    /// Windows as boxes of digits, first copies only.
    pub(crate) fn boxes(&self) -> Boxes<'_> {
        Boxes::new(&self.weighed, self.base, |_, stride| stride)
    }

    /// The most that a copy adds.
    pub(crate) fn farthest_copy(&self) -> u64 {
        self.replicas.iter().map(|(size, step)| (size - 1) * step).sum()
    }

    /// A lower and an upper bound of the numbers over a box, first copies only.
    pub(crate) fn bounds(&self, shape: &[Range<u64>]) -> (u64, u64) {
        if self.fused {
            return (self.base, self.reach - self.farthest_copy());
        }
        let bounds = self.axes.iter().zip(shape).map(|(axis, range)| axis.bounds(range));
        bounds.fold((self.base, self.base), |sum, (low, high)| (sum.0 + low, sum.1 + high))
    }
}

/// The sum of digit x step over all that lands.
#[inline]
fn summed(weighed: &Layout, index: &[u64]) -> u64 {
    let mut sum = 0;
    weighed.land(index, |_, step| sum += step);
    sum
}

/// A layout in which everything lands in one level.
fn one_level(axes: Vec<Axis>, derived: Vec<DerivedAxis>) -> Layout {
    Layout {
        axes,
        derived,
        replicas: Vec::new(),
        offsets: Vec::new(),
        used: vec![Level::ADDR],
        spans: Vec::new(),
    }
}

fn idle() -> DerivedAxis {
    DerivedAxis { start: 0, axis: Axis { extent: 1, subaxes: Vec::new() } }
}

/// The layout with strides weighed and all levels as one. Derived axes that no tensor axis feeds
/// never move: they are gone, and what they add comes beside the layout.
fn weighed(
    layout: &Layout,
    weight: &impl Fn(Level) -> u64,
    sources: &[Vec<usize>],
) -> (Layout, u64) {
    let weigh = |subaxis: &Subaxis| match subaxis.target {
        Target::Land { level, stride } => {
            Subaxis::land(subaxis.size, Level::ADDR, weight(level) * stride)
        }
        Target::Feed { .. } => *subaxis,
    };
    let axis = |axis: &Axis| Axis {
        extent: axis.extent,
        subaxes: axis.subaxes.iter().map(weigh).collect(),
    };
    let derived = layout.derived_axes().iter();
    let mut derived: Vec<DerivedAxis> =
        derived.map(|d| DerivedAxis { start: d.start, axis: axis(&d.axis) }).collect();
    let mut constant = 0;
    for unfed in (0..derived.len()).filter(|derived| sources[*derived].is_empty()) {
        let DerivedAxis { start, axis } = std::mem::replace(&mut derived[unfed], idle());
        let mut digits = vec![0; axis.subaxes.len()];
        axis.digits(start, &mut digits);
        for (subaxis, digit) in axis.subaxes.iter().zip(digits) {
            match subaxis.target {
                Target::Land { stride, .. } => constant += digit * stride,
                Target::Feed { derived: to, weight } => derived[to].start += digit * weight,
            }
        }
    }
    (one_level(layout.axes().iter().map(axis).collect(), derived), constant)
}

/// What an axis adds, as a function of its value.
#[derive(Clone, Debug)]
enum Function {
    Digits(Digits),
    /// Through derived axes, which no other axis feeds.
    Chained(Box<Layout>),
}

impl Function {
    fn new(weighed: &Layout, axis: usize, sources: &[Vec<usize>]) -> Function {
        let lands = |digit: &Subaxis| match digit.target {
            Target::Land { stride, .. } => Some((digit.size, stride)),
            Target::Feed { .. } => None,
        };
        let axes = &weighed.axes()[axis];
        let digits: Option<Vec<(u64, u64)>> = axes.subaxes.iter().rev().map(lands).collect();
        if let Some(digits) = digits {
            return Function::Digits(Digits::new(digits.into_iter()));
        }
        let derived = weighed.derived_axes().iter().zip(sources);
        let derived = derived.map(|(derived, sources)| match sources.contains(&axis) {
            true => derived.clone(),
            false => idle(),
        });
        Function::Chained(Box::new(one_level(vec![axes.clone()], derived.collect())))
    }

    #[inline]
    fn value(&self, entry: u64) -> u64 {
        match self {
            Function::Digits(digits) => digits.value(entry),
            Function::Chained(layout) => summed(layout, &[entry]),
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
            Function::Chained(layout) => (0, layout.extent(Level::ADDR) - 1),
        }
    }
}

/// A sum of digit x step.
#[derive(Clone, Debug)]
struct Digits {
    /// (size, step), minor to major, none of size 1, neighbours that step evenly merged.
    digits: Vec<(u64, u64)>,
    sum: QuotientSum,
}

impl Digits {
    fn new(digits: impl Iterator<Item = (u64, u64)>) -> Digits {
        let digits = merged(digits);
        let (mut place, mut carried) = (1_u64, 0_u64);
        let term = |(size, step): &(u64, u64)| {
            let term = (place, step.wrapping_sub(carried));
            // The slots of an axis fit.
            place = place.saturating_mul(*size);
            carried = size.wrapping_mul(*step);
            term
        };
        let terms: Vec<(u64, u64)> = digits.iter().map(term).collect();
        Digits { sum: QuotientSum::new(terms.into_iter(), place), digits }
    }

    #[inline]
    fn value(&self, entry: u64) -> u64 {
        self.sum.value(entry)
    }

    /// The values of all entries below `end`, digit by digit.
    fn values(&self, end: u64) -> Vec<u64> {
        let end = to_index(end);
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

/// The last axes as one, as far as each goes on evenly where the one behind it ends.
#[derive(Debug)]
pub(super) struct Trailing {
    /// (size, step), minor to major, of `base` + the values of `range`.
    digits: Vec<(u64, u64)>,
    base: u64,
    pub(super) range: Range<u64>,
    /// How many axes lie outside.
    outside: usize,
}

impl Trailing {
    /// `None` without an axis whose digits all land.
    pub(super) fn new(form: &WeightedSum, shape: &[Range<u64>]) -> Option<Trailing> {
        let mut trailing: Option<Trailing> = None;
        for (outside, (axis, range)) in form.axes.iter().zip(shape).enumerate().rev() {
            let Function::Digits(digits) = axis else { break };
            let joined = match trailing.take() {
                None => Trailing {
                    digits: digits.digits.clone(),
                    base: 0,
                    range: range.clone(),
                    outside,
                },
                Some(inner) => match inner.joined(digits, range) {
                    Ok(joined) => Trailing { outside, ..joined },
                    Err(inner) => return Some(inner),
                },
            };
            trailing = Some(joined);
        }
        trailing
    }

    /// The same with the values of the axis in front.
    fn joined(self, axis: &Digits, range: &Range<u64>) -> Result<Trailing, Trailing> {
        let (place, step, left) = self.run(self.range.start);
        let length = self.range.end - self.range.start;
        if length > 1 && left < length {
            return Err(self);
        }
        let base = place;
        let Some(((size, next), major)) = axis.digits.split_first() else {
            return Ok(Trailing { outside: 0, ..self });
        };
        if length == 1 {
            return Ok(Trailing {
                digits: axis.digits.clone(),
                base,
                range: range.clone(),
                outside: 0,
            });
        }
        let ends = (length.checked_mul(*size), range.end.checked_mul(length));
        match (step.checked_mul(length) == Some(*next), ends) {
            (true, (Some(size), Some(end))) => {
                let digits = [&[(size, step)], major].concat();
                Ok(Trailing { digits, base, range: range.start * length..end, outside: 0 })
            }
            _ => Err(self),
        }
    }

    /// Whether runs are longer than vectors.
    pub(super) fn is_long(&self) -> bool {
        let longest = self.digits.first().map_or(0, |(size, _)| *size);
        longest.min(self.range.end - self.range.start) > LONGEST_VECTOR
    }

    /// What a value adds, the step with which it goes on, and how many values it does so.
    pub(super) fn run(&self, value: u64) -> (u64, u64, u64) {
        let (mut rest, mut place) = (value, self.base);
        for (size, step) in &self.digits {
            place += rest % size * step;
            rest /= size;
        }
        let left = self.range.end - value;
        let minor = self.digits.first().map(|(size, step)| (size - value % size, *step));
        let (until, step) = minor.unwrap_or((left, 0));
        (place, step, until.min(left))
    }

    /// The indexes of the axes outside.
    pub(super) fn outer<'a>(&self, form: &'a WeightedSum, shape: &[Range<u64>]) -> Outer<'a> {
        let inner = Inner { vector: vec![0], outside: self.outside, block: 1 };
        Outer::new(form, shape, &inner)
    }
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
        let length = |vector: &[u64]| to_u64(vector.len());
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
        let unit = inner.vector.len() / to_index(inner.block);
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
                let unit = |at: u64| to_index(at - last.at) * self.unit;
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
