//! A number per element, compiled: one function per axis, cut into vectors and bases.
//!
//! ```text
//! ((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))    8192 x 8192, packed: unit x 8192 + address
//!
//! row i      base(i)     = L2B and L1B digits of i, 64:128
//! column j   outer(j)    = MAB digit of j            16 of them
//!            inner(j)    = 128:1, 4_PE               512 numbers, made once
//! ```

use std::borrow::Cow;
use std::ops::Range;

use super::boxes::Boxes;
use super::flips::{AxisFlips, Flips};
use crate::algebra::quotients::QuotientSum;
use crate::algebra::strided::{StepsEvenly, StridedDigit, StridedDigits, place, sums};
use crate::algebra::{Layout, Subaxis, Target};
use crate::level::Level;
use crate::number::{seam, to_index, to_u64};

/// The longest inner vector: 8 KiB of u32 stay in a 32 KiB cache beside the rows.
pub(super) fn longest_vector() -> u64 {
    seam(2048, 7)
}

/// The longest vector of an axis that cannot be cut: 256 KiB of u32 stay in a second-level cache.
fn longest_uncut() -> u64 {
    seam(1 << 16, 31)
}

/// A weighted sum of coordinates: the sum of the numbers that the axes add.
///
/// Without digits of different axes that feed the same derived axis, a coordinate is a sum of one
/// function per axis, and so is every weighted sum of coordinates.
#[derive(Clone, Debug)]
pub(crate) struct WeightedSum {
    base: u64,
    axes: Vec<AxisFunction>,
    /// Bits that are XORed and added to the sum.
    pub(super) flips: Option<Flips>,
    /// The most that a copy adds.
    pub(crate) farthest_copy: u64,
    /// The layout with one level, whose coordinate is the sum less the base.
    weighed: Layout,
    /// True if the number is not a sum of one function per axis.
    pub(super) fused: bool,
    /// The greatest value, padding and copies included.
    pub(crate) reach: u64,
}

impl WeightedSum {
    /// The layout must not have digits of size 1: their strides may be too large to be weighed.
    pub(crate) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> WeightedSum {
        let weighed = layout.weighed(&weight);
        let (weighed, flips) = match weighed.has_xor() {
            false => (weighed, None),
            true => match Flips::take(&weighed) {
                Some((weighed, flips)) if !is_fused(&weighed) => (weighed, Some(flips)),
                _ => (weighed.in_sums().into_owned(), None),
            },
        };
        let sources = weighed.axes_per_derived();
        let copies = layout.replicas().iter().map(|r| (r.size - 1) * weight(r.level) * r.stride);
        WeightedSum {
            base: layout.weighed_offset(&weight),
            axes: (0..layout.rank())
                .map(|axis| AxisFunction::new(&weighed, axis, &sources))
                .collect(),
            farthest_copy: copies.sum(),
            reach: reach(layout, &weight),
            fused: is_fused(&weighed),
            flips,
            weighed,
        }
    }

    /// The same sum over the elements of a layout; `bare` is the layout of the elements alone, which may have fewer derived axes.
    pub(super) fn over(
        layout: &Layout,
        bare: Option<&Layout>,
        weight: impl Fn(Level) -> u64,
    ) -> WeightedSum {
        let sum = WeightedSum::new(bare.unwrap_or(layout), &weight);
        WeightedSum { reach: reach(layout, weight), ..sum }
    }

    /// The number of the element at `index`.
    #[inline]
    pub(crate) fn at(&self, index: &[u64]) -> u64 {
        if self.fused {
            return self.base + summed(&self.weighed, index);
        }
        let values = self.axes.iter().zip(index).map(|(axis, entry)| axis.value(*entry));
        let sum = self.base + values.sum::<u64>();
        match &self.flips {
            Some(flips) => sum + flips.at(index),
            None => sum,
        }
    }

    /// The base, and what each axis adds to it, by tables of at most `most` numbers; `None` if they do not add up axis by axis.
    pub(super) fn terms(&self, shape: &[u64], most: u64) -> Option<(u64, Vec<(usize, AxisTerm)>)> {
        if self.fused || self.flips.is_some() {
            return None;
        }
        let axes = self.axes.iter().zip(shape).enumerate();
        let terms = axes.filter_map(|(at, (axis, extent))| Some((at, axis.term(*extent, most)?)));
        Some((self.base, terms.collect()))
    }

    /// Windows as boxes of digits, first copies only.
    pub(crate) fn boxes(&self) -> Boxes<'_> {
        Boxes::new(&self.weighed, self.base, |_, stride| stride)
    }

    /// A lower and an upper bound of the numbers over a box, first copies only.
    pub(crate) fn bounds(&self, shape: &[Range<u64>]) -> (u64, u64) {
        let most = self.reach - self.farthest_copy;
        if self.fused {
            return (self.base, most);
        }
        let bounds = self.axes.iter().zip(shape).map(|(axis, range)| axis.bounds(range));
        let flips = self.flips.as_ref().map_or(0, |flips| flips.mask);
        let start = (self.base, self.base + flips);
        let (low, high) = bounds.fold(start, |sum, (low, high)| (sum.0 + low, sum.1 + high));
        // Digits of elements alone may have values beyond the last.
        (low, high.min(most))
    }
}

/// The greatest sum over all slots.
fn reach(layout: &Layout, weight: impl Fn(Level) -> u64) -> u64 {
    layout.used_levels().iter().map(|level| (layout.extent(*level) - 1) * weight(*level)).sum()
}

/// Returns whether digits of different axes feed one derived axis.
fn is_fused(layout: &Layout) -> bool {
    let sources = layout.axes_per_derived();
    let mut derived = layout.derived_axes().iter().zip(&sources);
    derived.any(|(derived, sources)| sources.len() != 1 && !derived.axis.subaxes.is_empty())
}

/// The sum of digit x step over all digits that land.
#[inline]
fn summed(weighed: &Layout, index: &[u64]) -> u64 {
    let mut sum = 0;
    weighed.land(index, |_, step| sum += step);
    sum
}

/// The number that an axis adds, as a function of its value.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all axes are digits, which points find in place"
)]
pub(super) enum AxisFunction {
    /// A sum of digit x stride, merged; as quotients too.
    Digits(StridedDigits, QuotientSum),
    /// Through derived axes, which no other axis feeds.
    Chained(Box<Layout>),
}

/// What an axis adds to the numbers of many points.
#[derive(Debug)]
pub(super) enum AxisTerm {
    /// A multiple of its value.
    Even(u64),
    /// A number for each of its values.
    Table(Vec<u64>),
    Function(Box<AxisFunction>),
}

impl AxisFunction {
    fn new(weighed: &Layout, axis: usize, sources: &[Vec<usize>]) -> AxisFunction {
        let (axes, mut end) = (&weighed.axes()[axis], 1);
        let lands = |&Subaxis { size, target }: &Subaxis| match target {
            Target::Land { stride, .. } => {
                let weight = end;
                end *= size;
                Some(StridedDigit { size, weight, stride })
            }
            Target::Feed { .. } => None,
        };
        let digits: Option<StridedDigits> = axes.subaxes.iter().rev().map(lands).collect();
        if let Some(mut digits) = digits {
            digits.dedup_by(|major, minor| minor.takes_major(major));
            let even = digits.iter().map(|digit| (digit.weight, digit.stride));
            let quotients = QuotientSum::new(even, end);
            return AxisFunction::Digits(digits, quotients);
        }
        AxisFunction::Chained(Box::new(weighed.along(axis, sources)))
    }

    /// The function as the addend of many points; `None` if it adds nothing.
    fn term(&self, extent: u64, most: u64) -> Option<AxisTerm> {
        match self {
            AxisFunction::Digits(digits, _) => match digits[..] {
                [] => return None,
                [StridedDigit { weight: 1, stride, .. }] => return Some(AxisTerm::Even(stride)),
                _ => {}
            },
            AxisFunction::Chained(_) => {}
        }
        Some(match extent <= most {
            true => AxisTerm::Table(self.values(0..extent)),
            false => AxisTerm::Function(Box::new(self.clone())),
        })
    }

    #[inline]
    pub(super) fn value(&self, entry: u64) -> u64 {
        match self {
            AxisFunction::Digits(_, quotients) => quotients.value(entry),
            AxisFunction::Chained(layout) => summed(layout, &[entry]),
        }
    }

    fn values(&self, range: Range<u64>) -> Vec<u64> {
        match self {
            AxisFunction::Digits(digits, _) if range.start == 0 => {
                sums(digits.iter().map(|digit| (digit.size, digit.stride)), to_index(range.end))
            }
            _ => range.map(|entry| self.value(entry)).collect(),
        }
    }

    /// Digits above the highest one that changes within the range are known, the others free.
    fn bounds(&self, range: &Range<u64>) -> (u64, u64) {
        let (first, last) = (range.start, range.end.max(1) - 1);
        let bound = |(low, high), &StridedDigit { size, weight, stride }: &StridedDigit| {
            let (first, last) = (first / weight, last / weight);
            let (from, to) = match first / size == last / size {
                true => (first % size, last % size),
                false => (0, size - 1),
            };
            (low + from * stride, high + to * stride)
        };
        match self {
            AxisFunction::Digits(digits, _) => digits.iter().fold((0, 0), bound),
            AxisFunction::Chained(layout) => (0, layout.extent(Level::ADDR) - 1),
        }
    }
}

/// The trailing axes merged into one, as far as each continues evenly where the axis after it ends.
#[derive(Debug)]
pub(super) struct Trailing {
    /// Minor to major, of `base` + the values of `range`.
    digits: StridedDigits,
    base: u64,
    pub(super) range: Range<u64>,
    /// The number of axes that are not part of it.
    outside: usize,
}

impl Trailing {
    /// `None` without an axis whose digits all land, and where bits are flipped.
    pub(super) fn new(form: &WeightedSum, shape: &[Range<u64>]) -> Option<Trailing> {
        if form.flips.is_some() {
            return None;
        }
        let mut trailing: Option<Trailing> = None;
        for (outside, (axis, range)) in form.axes.iter().zip(shape).enumerate().rev() {
            let AxisFunction::Digits(digits, _) = axis else { break };
            let next = match &trailing {
                None => Some((digits.clone(), 0, range.clone())),
                Some(inner) => inner.joined(digits, range),
            };
            let Some((digits, base, range)) = next else { break };
            trailing = Some(Trailing { digits, base, range, outside });
        }
        trailing
    }

    /// The digit joined with that of the axis in front; `None` if they do not continue evenly.
    fn joined(
        &self,
        axis: &[StridedDigit],
        range: &Range<u64>,
    ) -> Option<(StridedDigits, u64, Range<u64>)> {
        let (base, stride, left) = self.run(self.range.start);
        let size = self.range.end - self.range.start;
        let mut minor = StridedDigit { size, weight: 1, stride };
        if size == 1 {
            minor.stride = axis.first().map_or(0, |next| next.stride);
        } else if left < size {
            return None;
        }
        let mut axis = axis.iter().map(|next| StridedDigit { weight: next.weight * size, ..*next });
        axis.next().is_none_or(|next| minor.takes_major(&next)).then_some(())?;
        let range = range.start * size..range.end.checked_mul(size)?;
        Some(([minor].into_iter().chain(axis).collect(), base, range))
    }

    /// Returns whether runs are longer than vectors.
    pub(super) fn is_long(&self) -> bool {
        let longest = self.digits.first().map_or(0, |minor| minor.size);
        longest.min(self.range.end - self.range.start) > longest_vector()
    }

    /// The number that a value adds, the step to the next value, and the number of values with that step.
    pub(super) fn run(&self, value: u64) -> (u64, u64, u64) {
        let left = self.range.end - value;
        let minor =
            self.digits.first().map(|minor| (minor.size - value % minor.size, minor.stride));
        let (until, step) = minor.unwrap_or((left, 0));
        (self.base + place(&self.digits, value), step, until.min(left))
    }

    /// The indexes of the axes outside.
    pub(super) fn outer<'a>(&self, form: &'a WeightedSum, shape: &[Range<u64>]) -> Outer<'a> {
        let (vector, flips) = (vec![0], Vec::new());
        let inner = Inner { vector, flips, outside: self.outside, block: 1 };
        Outer::new(form, shape, &inner)
    }
}

/// The inner vector: all trailing axes that fit, and a block of minor digits of the next one.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    pub(crate) vector: Vec<u64>,
    /// The bits that go with each number; empty where none are flipped.
    pub(super) flips: Vec<u64>,
    /// The number of axes outside of the vector; the last of them may be cut into blocks.
    outside: usize,
    /// The number of values of that axis the vector holds; 1 if the axis is not cut.
    block: u64,
}

impl Inner {
    /// The vector over a box that is not empty.
    pub(crate) fn new(form: &WeightedSum, shape: &[Range<u64>]) -> Inner {
        let flips = if form.flips.is_some() { vec![0] } else { Vec::new() };
        let mut inner = Inner { vector: vec![0], flips, outside: form.axes.len(), block: 1 };
        let length = |inner: &Inner| to_u64(inner.vector.len());
        while let Some(at) = inner.outside.checked_sub(1) {
            let (axis, range) = (&form.axes[at], &shape[at]);
            let extent = range.end - range.start;
            let fits = |limit: u64| extent <= limit / length(&inner);
            match axis {
                AxisFunction::Digits(digits, _) if !fits(longest_vector()) => {
                    let room = (longest_vector() / length(&inner)).max(1);
                    inner.block = block(digits, extent, room, form.flips.is_some());
                    inner.take(form, at, 0..inner.block);
                    return inner;
                }
                AxisFunction::Chained(_) if !fits(longest_uncut()) => break,
                _ => {}
            }
            inner.take(form, at, range.clone());
            inner.outside = at;
        }
        inner
    }

    /// Takes in values of the axis in front.
    fn take(&mut self, form: &WeightedSum, axis: usize, range: Range<u64>) {
        self.vector = spread(&self.vector, &form.axes[axis].values(range.clone()), |a, b| a + b);
        if let Some(flips) = &form.flips {
            self.flips = spread(&self.flips, &flips.axis(axis).values(range), |a, b| a ^ b);
        }
    }

    /// The vector of a row with these bits flipped.
    pub(super) fn flipped(&self, flips: u64) -> Cow<'_, [u64]> {
        if self.flips.is_empty() {
            return Cow::Borrowed(&self.vector);
        }
        self.vector.iter().zip(&self.flips).map(|(step, own)| step + (own ^ flips)).collect()
    }

    /// The bits that are flipped inside the vector: the others of a row are added to its base.
    pub(super) fn mask(&self) -> u64 {
        self.flips.iter().fold(0, |all, flips| all | flips)
    }
}

/// The size of the largest block of an axis that fits in `room` and ends at a digit boundary; a part of a
/// long even run will also do.
fn block(digits: &[StridedDigit], extent: u64, room: u64, flips: bool) -> u64 {
    let is_cut = |digit: &&StridedDigit| {
        digit.weight.checked_mul(digit.size).is_none_or(|end| end > room || end >= extent)
    };
    let Some(cut) = digits.iter().find(is_cut) else { return 1 };
    let most = room / cut.weight;
    // A divisor of the digit keeps blocks aligned; the major-most one does not wrap, but flips bits of its own.
    let wraps = flips || digits.last() != Some(cut);
    let is_aligned = |part: &u64| !wraps || cut.size.is_multiple_of(*part);
    cut.weight * (1..=most).rev().find(is_aligned).unwrap_or(1)
}

/// Every number with every value of an axis that runs slower.
fn spread(inner: &[u64], values: &[u64], with: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let mut vector = Vec::with_capacity(inner.len() * values.len());
    values.iter().for_each(|value| vector.extend(inner.iter().map(|step| with(*value, *step))));
    vector
}

/// The outer loop: a base, and the part of the vector that it is added to.
#[derive(Debug)]
pub(crate) struct Outer<'a> {
    base: u64,
    /// The flips that depend on no axis, and the bits that are flipped inside the vector.
    flips: u64,
    mask: u64,
    has_flips: bool,
    loops: Vec<Loop<'a>>,
    /// Numbers per value of the last outer axis.
    unit: usize,
    done: bool,
}

/// An outer axis; the last one in blocks.
#[derive(Debug)]
struct Loop<'a> {
    function: &'a AxisFunction,
    range: Range<u64>,
    /// The length of a block, and the first value of the first one.
    step: u64,
    first: u64,
    /// The first value of the current block, and the number that it adds.
    at: u64,
    adds: u64,
    flips: Option<AxisFlips<'a>>,
    flipped: u64,
}

/// A row: the vector with these bits flipped, plus a base, or a part of that.
#[derive(Debug)]
pub(super) struct VectorRow {
    pub(super) base: u64,
    pub(super) flips: u64,
    pub(super) part: Range<usize>,
}

impl<'a> Outer<'a> {
    pub(crate) fn new(form: &'a WeightedSum, shape: &[Range<u64>], inner: &Inner) -> Outer<'a> {
        let axes = form.axes.iter().zip(shape).enumerate().take(inner.outside);
        let loops = axes.map(|(at, (function, range))| {
            let step = if at + 1 == inner.outside { inner.block } else { 1 };
            let first = range.start - range.start % step;
            let flips = form.flips.as_ref().map(|flips| flips.axis(at));
            let range = range.clone();
            let mut outer =
                Loop { function, range, step, first, at: first, adds: 0, flips, flipped: 0 };
            outer.go_to(first);
            outer
        });
        let unit = inner.vector.len() / to_index(inner.block);
        let flips = form.flips.as_ref().map_or(0, |flips| flips.start);
        let (base, mask, has_flips) = (form.base, inner.mask(), form.flips.is_some());
        Outer { base, flips, mask, has_flips, loops: loops.collect(), unit, done: false }
    }

    /// Returns whether every row begins and ends at a multiple of a length.
    pub(super) fn is_cut_at(&self, length: u64) -> bool {
        let is_multiple = |values: u64| (values * to_u64(self.unit)).is_multiple_of(length);
        match self.loops.last() {
            None => is_multiple(1),
            Some(Loop { range, first, step, .. }) => {
                is_multiple(range.start - first)
                    && is_multiple(range.end - first)
                    && is_multiple(*step)
            }
        }
    }

    /// The next row.
    #[inline]
    pub(super) fn next(&mut self) -> Option<VectorRow> {
        if self.done {
            return None;
        }
        let mut base = self.base + self.loops.iter().map(|outer| outer.adds).sum::<u64>();
        let mut flips = 0;
        if self.has_flips {
            flips = self.loops.iter().fold(self.flips, |all, outer| all ^ outer.flipped);
            base += flips & !self.mask;
            flips &= self.mask;
        }
        let part = match self.loops.last() {
            None => 0..self.unit,
            Some(last) => {
                let unit = |at: u64| to_index(at - last.at) * self.unit;
                let until = last.range.end.min(last.at.saturating_add(last.step));
                unit(last.at.max(last.range.start))..unit(until)
            }
        };
        self.done = !self.loops.iter_mut().rev().any(Loop::advance);
        Some(VectorRow { base, flips, part })
    }
}

impl Loop<'_> {
    /// Advances to the next block; `false` if that is the first one again.
    #[inline]
    fn advance(&mut self) -> bool {
        let next = self.at.saturating_add(self.step);
        let goes_on = next < self.range.end;
        self.go_to(if goes_on { next } else { self.first });
        goes_on
    }

    #[inline]
    fn go_to(&mut self, at: u64) {
        (self.at, self.adds) = (at, self.function.value(at));
        if let Some(flips) = self.flips {
            self.flipped = flips.value(at);
        }
    }
}
