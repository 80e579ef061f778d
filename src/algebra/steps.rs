//! Values that step evenly although they pass through derived axes.
//!
//! ```text
//! axis of 6, weight 2 -> value 0 2 4 6 8 10, split into 4:3 x 3:1
//!
//! digits of the index     minor digit      major digit
//! 2 at 1                  2 a              0             0 + 2 <= 3: nothing wraps
//! 3 at 2                  0                b
//!
//! place = 6 a + b: the plain axis (3:1, 2:6)
//! ```
//!
//! A digit of the index adds a constant to every value that it feeds, as long as no digit of a
//! derived axis wraps. So digits of the index are found minor to major: each runs until something
//! would wrap. If a single step then wraps, the place is not a sum of digits, and the index at which it wraps
//! proves it. Wraps can cancel only where neighbouring runs step evenly; every index is then enumerated.

use itertools::Itertools;

use crate::algebra::fed::greatest_sum;
use crate::algebra::layout::{Axis, Combine, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::radix::{Indexes, product};
use crate::algebra::strided::{NodeDigit, StepsEvenly, goes_on};
use crate::algebra::xor::xor_product;
use crate::error::{ErrorKind, LayoutError};
use crate::level::Level;

/// The greatest number of indexes that are enumerated where wraps may cancel.
const MOST_INDEXES: u64 = 1 << 16;

/// Some axes of a layout that derived axes connect, with those derived axes.
pub(super) struct Component<'a> {
    layout: &'a Layout,
    /// The tensor axes.
    axes: &'a [usize],
    /// The tensor axes, then the derived ones that they feed, normalised.
    nodes: Vec<AxisState>,
    /// True if an XOR may differ from a sum for real indexes.
    has_flips: bool,
}

/// An axis in merged digits, minor to major.
struct AxisState {
    /// The number of the axis in the layout.
    number: usize,
    combine: Combine,
    start: u64,
    digits: Vec<Subaxis>,
}

/// The places of the elements along some axes: that of index 0, and the digits of every axis, major to
/// minor.
pub(super) struct Plain {
    pub(super) origin: Vec<(Level, u64)>,
    pub(super) axes: Vec<Vec<Subaxis>>,
}

/// The change of the coordinates per step, for the levels that it moves.
type AxisStep = Vec<(Level, u64)>;

/// A digit of the index along an axis of the component.
type LinearDigit = NodeDigit<()>;

/// The component as a linear function of runs, valid while no constraint is broken.
#[derive(Default)]
struct Linear {
    origin: Vec<(Level, u64)>,
    /// The change of the place per step of each run.
    steps: Vec<AxisStep>,
    constraints: Vec<Constraint>,
}

/// A digit that must not wrap: the sum of step x coefficient over the runs is at most the limit.
struct Constraint {
    limit: u64,
    coefficients: Vec<u64>,
}

/// The outcome of looking for the digits whose sum a place is.
enum Elimination {
    Yes(Vec<LinearDigit>),
    No,
    /// Wraps may cancel.
    Open,
}

impl<'a> Component<'a> {
    /// `greatest` holds the greatest value of every axis of the layout, `derived` the derived axes.
    pub(super) fn new(
        layout: &'a Layout,
        axes: &'a [usize],
        derived: &[usize],
        greatest: &[u64],
    ) -> Component<'a> {
        let numbers = axes.iter().copied().chain(derived.iter().map(|d| layout.rank() + d));
        let node = |number: usize| {
            let (combine, start, axis) = match number.checked_sub(layout.rank()) {
                None => (Combine::Sum, 0, &layout.axes[number]),
                Some(derived) => {
                    let DerivedAxis { combine, start, axis } = &layout.derived[derived];
                    (*combine, *start, axis)
                }
            };
            let mut digits = merged_digits(axis, greatest[number]);
            digits.reverse();
            AxisState { number, combine, start, digits }
        };
        let has_flips = layout.flips_in(derived);
        Component { layout, axes, nodes: numbers.map(node).collect(), has_flips }
    }

    /// Returns the elements as plain digits; `None` if they are not a sum of digits, or an XOR is too large.
    ///
    /// # Errors
    /// `NotDecided` where wraps may cancel and there are more than 2^16 indexes.
    pub(super) fn plain(&self) -> Result<Option<Plain>, LayoutError> {
        if self.has_flips {
            return self.by_bits();
        }
        let mut runs = Vec::new();
        for axis in 0..self.axes.len() {
            match self.runs(axis) {
                Elimination::Yes(found) => runs.extend(found),
                Elimination::No => return Ok(None),
                Elimination::Open => return self.by_looking(),
            }
        }
        let linear = self.linear(&runs);
        match linear.constraints.iter().find_map(|constraint| self.worst(&runs, constraint)) {
            None => Ok(linear.plain(&runs, &self.extents())),
            Some(index) if self.is_sum(&index) => self.by_looking(),
            Some(_) => Ok(None),
        }
    }

    fn extent(&self, axis: usize) -> u64 {
        self.layout.axes[self.axes[axis]].extent
    }

    fn extents(&self) -> Vec<u64> {
        (0..self.axes.len()).map(|axis| self.extent(axis)).collect()
    }

    /// Finds the digits of the index along one axis, the others at 0.
    fn runs(&self, axis: usize) -> Elimination {
        let extent = self.extent(axis);
        let (mut runs, mut place): (Vec<LinearDigit>, u64) = (Vec::new(), 1);
        while place < extent {
            let size = extent.div_ceil(place);
            runs.push(LinearDigit::of_value(axis, place, size));
            let linear = self.linear(&runs);
            let broken = linear.constraints.iter().find_map(|c| self.worst(&runs, c));
            let Some(index) = broken else { break };
            let room = linear.constraints.iter().filter_map(|c| c.room(&runs)).min().unwrap_or(0);
            if room == 0 {
                let sums = self.is_sum_of_runs(&runs, axis, index[axis]);
                return if sums || linear.has_even_runs(&runs) {
                    Elimination::Open
                } else {
                    Elimination::No
                };
            }
            if let Some(last) = runs.last_mut() {
                last.digit.size = size.min(room + 1);
                // Below the extent, or this was the last one.
                place = place.saturating_mul(last.digit.size);
            }
        }
        Elimination::Yes(runs)
    }

    /// Returns the component as a linear function of the runs, and the constraints under which nothing wraps.
    fn linear(&self, runs: &[LinearDigit]) -> Linear {
        let mut linear = Linear { steps: vec![Vec::new(); runs.len()], ..Linear::default() };
        // Per node, the value at index 0, and its change per step of each run.
        let mut values: Vec<(u64, Vec<u64>)> =
            self.nodes.iter().map(|node| (node.start, vec![0; runs.len()])).collect();
        for (value, run) in runs.iter().enumerate() {
            values[run.node].1[value] = run.digit.weight;
        }
        for at in 0..self.nodes.len() {
            let (mut origin, mut adds) = std::mem::take(&mut values[at]);
            let digits = &self.nodes[at].digits;
            for (number, digit) in digits.iter().enumerate() {
                let is_last = number + 1 == digits.len();
                // The value stays below the extent, so that the major-most digit never wraps.
                let size = if is_last { u64::MAX } else { digit.size };
                let part = |value: u64| if is_last { value } else { value % size };
                let (first, steps) = (part(origin), adds.iter().map(|add| part(*add)));
                let steps: Vec<u64> = steps.collect();
                self.send(digit.target, first, &steps, &mut values, &mut linear);
                if !is_last {
                    let limit = size - 1 - first;
                    linear.constraints.push(Constraint { limit, coefficients: steps });
                    origin /= size;
                    adds.iter_mut().for_each(|add| *add /= size);
                }
            }
        }
        linear
    }

    /// Adds a digit to the place or the value of the derived axis that it targets.
    fn send(
        &self,
        target: Target,
        first: u64,
        steps: &[u64],
        values: &mut [(u64, Vec<u64>)],
        linear: &mut Linear,
    ) {
        match target {
            Target::Land { level, stride } => {
                add(&mut linear.origin, level, first * stride);
                for (sum, step) in linear.steps.iter_mut().zip(steps) {
                    // A run that is longer than it can be is cut later.
                    add(sum, level, step.saturating_mul(stride));
                }
            }
            Target::Feed { derived, weight } => {
                let number = self.layout.rank() + derived;
                let Some(to) = self.nodes.iter().position(|node| node.number == number) else {
                    return;
                };
                match self.nodes[to].combine {
                    Combine::Sum => values[to].0 += first * weight,
                    Combine::Xor => values[to].0 ^= xor_product(weight, first),
                }
                for (sum, step) in values[to].1.iter_mut().zip(steps) {
                    *sum = sum.saturating_add(step.saturating_mul(weight));
                }
            }
        }
    }

    /// Returns an index at which a constraint is broken, if there is one.
    fn worst(&self, runs: &[LinearDigit], constraint: &Constraint) -> Option<Vec<u64>> {
        let mut total = 0_u64;
        let mut index = vec![0; self.axes.len()];
        for (axis, entry) in index.iter_mut().enumerate() {
            let own = runs.iter().zip(&constraint.coefficients).filter(|(run, _)| run.node == axis);
            let own: Vec<(LinearDigit, u64)> = own.map(|(run, step)| (*run, *step)).collect();
            let last = self.extent(axis) - 1;
            let top = |run: &LinearDigit| run.digit.of(last);
            let digits = own.iter().map(|(run, step)| (run.digit.size, top(run), *step));
            let most = greatest_sum(digits.rev());
            total = total.saturating_add(most);
            *entry = greatest_index(&own, last, most);
        }
        (total > constraint.limit).then_some(index)
    }

    /// Returns the difference of the places of an index and of index 0, per used level; the axes
    /// outside the component stay at 0.
    fn step(&self, index: &[u64]) -> Vec<i128> {
        let place = |index: &[u64]| {
            let mut whole = vec![0; self.layout.rank()];
            self.axes.iter().zip(index).for_each(|(axis, entry)| whole[*axis] = *entry);
            self.layout.slot(&whole)
        };
        let (origin, there) = (place(&vec![0; index.len()]), place(index));
        let both = origin.iter().zip(there.iter());
        both.map(|((_, from), (_, to))| i128::from(to) - i128::from(from)).collect()
    }

    /// Returns the [`step`](Component::step) to an index with one entry, the others at 0.
    fn step_along(&self, axis: usize, entry: u64) -> Vec<i128> {
        let mut index = vec![0; self.axes.len()];
        index[axis] = entry;
        self.step(&index)
    }

    /// Returns whether the step to an index is the sum of those along the axes.
    fn is_sum(&self, index: &[u64]) -> bool {
        let along = index.iter().enumerate().map(|(axis, entry)| self.step_along(axis, *entry));
        self.step(index) == sum(along, self.layout.used.len())
    }

    /// Returns whether the step to an entry of an axis is the sum of those of its runs.
    fn is_sum_of_runs(&self, runs: &[LinearDigit], axis: usize, entry: u64) -> bool {
        let own = runs.iter().filter(|run| run.node == axis);
        let parts = own.map(|run| self.step_along(axis, run.digit.of(entry) * run.digit.weight));
        self.step_along(axis, entry) == sum(parts, self.layout.used.len())
    }

    /// Decides a component with an XOR: usually two bits of two axes show that their steps do not add up.
    /// Otherwise all indexes are enumerated, if they are few; a larger XOR is left as it is.
    fn by_bits(&self) -> Result<Option<Plain>, LayoutError> {
        let bits = |axis: usize| {
            (0..u64::BITS).map(|bit| 1_u64 << bit).take_while(move |bit| *bit < self.extent(axis))
        };
        for [first, second] in (0..self.axes.len()).array_combinations() {
            for (a, b) in bits(first).cartesian_product(bits(second)) {
                let mut index = vec![0; self.axes.len()];
                (index[first], index[second]) = (a, b);
                if !self.is_sum(&index) {
                    return Ok(None);
                }
            }
        }
        match self.by_looking() {
            Err(error) if error.kind() == ErrorKind::NotDecided => Ok(None),
            looked => looked,
        }
    }

    /// Reads the digits off the places of all indexes, and checks every one.
    fn by_looking(&self) -> Result<Option<Plain>, LayoutError> {
        let extents = self.extents();
        let question = "checking whether an axis steps evenly";
        let not_decided = || LayoutError::not_decided(question, MOST_INDEXES);
        product(extents.iter().copied()).filter(|n| *n <= MOST_INDEXES).ok_or_else(not_decided)?;
        let found =
            (0..self.axes.len()).map(|axis| self.read_off(axis)).collect::<Option<Vec<_>>>();
        let Some(found) = found else { return Ok(None) };
        let (runs, steps): (Vec<_>, Vec<_>) = found.into_iter().flatten().unzip();
        for index in Indexes::new(extents.clone()) {
            let mut axes = index.iter().enumerate();
            let steps = axes.all(|(axis, entry)| self.is_sum_of_runs(&runs, axis, *entry));
            if !steps || !self.is_sum(&index) {
                return Ok(None);
            }
        }
        let origin = self.linear(&[]).origin;
        Ok(Linear { origin, steps, constraints: Vec::new() }.plain(&runs, &extents))
    }

    /// Returns the runs of an axis with their steps, each as long as its steps are even.
    fn read_off(&self, axis: usize) -> Option<Vec<(LinearDigit, AxisStep)>> {
        let extent = self.extent(axis);
        let (mut found, mut place) = (Vec::new(), 1);
        while place < extent {
            let step = self.step_along(axis, place);
            let goes_on = |n: &u64| {
                let wanted = step.iter().map(|step| step * i128::from(*n));
                n * place < extent && wanted.eq(self.step_along(axis, n * place))
            };
            let size = u64::try_from((1..).take_while(goes_on).count()).ok()? + 1;
            let mut moving = Vec::new();
            for (level, step) in self.layout.used.iter().zip(step) {
                add(&mut moving, *level, u64::try_from(step).ok()?);
            }
            found.push((LinearDigit::of_value(axis, place, size), moving));
            place *= size;
        }
        Some(found)
    }
}

/// Returns the sum of steps, per level.
fn sum(steps: impl Iterator<Item = Vec<i128>>, levels: usize) -> Vec<i128> {
    steps.fold(vec![0; levels], |sum, step| sum.iter().zip(step).map(|(a, b)| a + b).collect())
}

impl Constraint {
    /// Returns the number of steps that the last run may take while all others are at their greatest; `None`
    /// if the last run has no part in this constraint.
    fn room(&self, runs: &[LinearDigit]) -> Option<u64> {
        let (step, others) = self.coefficients.split_last()?;
        let taken =
            runs.iter().zip(others).map(|(run, step)| (run.digit.size - 1).saturating_mul(*step));
        let taken = taken.fold(0_u64, u64::saturating_add);
        self.limit.saturating_sub(taken).checked_div(*step)
    }
}

impl Linear {
    /// Returns whether some run continues the one before it: it steps by all of that run.
    fn has_even_runs(&self, runs: &[LinearDigit]) -> bool {
        let digits = runs.iter().zip(&self.steps);
        digits.tuple_windows().any(|((run, step), (_, next))| {
            let times =
                |(level, step): &(Level, u64)| Some((*level, step.checked_mul(run.digit.size)?));
            step.iter().map(times).collect::<Option<AxisStep>>().as_ref() == Some(next)
        })
    }

    /// Returns the runs as subaxes; `None` if a step lands in several levels.
    fn plain(self, runs: &[LinearDigit], extents: &[u64]) -> Option<Plain> {
        let mut plain = Plain { origin: self.origin, axes: vec![Vec::new(); extents.len()] };
        for (run, step) in runs.iter().zip(self.steps) {
            let (level, stride) = match step[..] {
                [] => (Level::ADDR, 0),
                [step] => step,
                _ => return None,
            };
            plain.axes[run.node].push(Subaxis::land(run.digit.size, level, stride));
        }
        for (axis, extent) in plain.axes.iter_mut().zip(extents) {
            *axis = merged(axis.iter().rev().copied());
            cut(axis, extent - 1);
        }
        Some(plain)
    }
}

/// Adds to the coordinate of a level; steps of 0 leave no trace.
fn add(sum: &mut Vec<(Level, u64)>, level: Level, step: u64) {
    match sum.iter_mut().find(|(of, _)| *of == level) {
        Some((_, at)) => *at = at.saturating_add(step),
        None if step > 0 => sum.push((level, step)),
        None => {}
    }
}

/// Returns the index of an axis, up to `last`, at which the sum of step x coefficient is `most`.
fn greatest_index(runs: &[(LinearDigit, u64)], last: u64, most: u64) -> u64 {
    let sum = |index: u64| {
        let parts = runs.iter().map(|(run, step)| run.digit.of(index).saturating_mul(*step));
        parts.fold(0_u64, u64::saturating_add)
    };
    // The values up to the last are boxes: its digits up to some position, one less there, then any.
    let corners =
        runs.iter().filter_map(|(run, _)| (last - last % run.digit.weight).checked_sub(1));
    [0].into_iter().chain(corners).chain([last]).find(|index| sum(*index) == most).unwrap_or(last)
}

/// Returns the digits of an axis that values up to `greatest` need, major to minor, merged.
pub(crate) fn merged_digits(axis: &Axis, greatest: u64) -> Vec<Subaxis> {
    let tops = axis.reaches(greatest);
    let reached = axis.subaxes.iter().zip(tops).filter(|(_, top)| *top > 0);
    // Only the first digit that moves is cut; the others run through.
    let mut digits = merged(reached.map(|(s, top)| Subaxis { size: top + 1, target: s.target }));
    cut(&mut digits, greatest);
    digits
}

/// Cuts the major-most digit to the size that values up to `greatest` need.
fn cut(digits: &mut [Subaxis], greatest: u64) {
    let rest: u64 = digits.iter().skip(1).map(|digit| digit.size).product();
    if let Some(major) = digits.first_mut() {
        major.size = major.size.min(greatest / rest + 1);
    }
}

/// Merges neighbouring digits, major to minor, that step evenly.
pub(super) fn merged(digits: impl Iterator<Item = Subaxis>) -> Vec<Subaxis> {
    let normal = |digit: Subaxis| Subaxis { target: normal(digit.target), ..digit };
    let mut digits: Vec<Subaxis> = digits.map(normal).collect();
    digits.dedup_by(|minor, major| major.takes_minor(minor));
    digits
}

impl Layout {
    /// Merges neighbouring digits that step evenly; the map is the same.
    pub(crate) fn with_merged_digits(mut self) -> Layout {
        for axis in self.nodes_mut() {
            axis.subaxes = merged(axis.subaxes.iter().copied());
        }
        self
    }
}

/// Normalises a target with stride 0, whose level has no effect, to level `Addr`.
fn normal(target: Target) -> Target {
    match target {
        Target::Land { stride: 0, .. } => Target::Land { level: Level::ADDR, stride: 0 },
        _ => target,
    }
}

impl StepsEvenly for Subaxis {
    fn with_minor(&self, minor: &Subaxis) -> Option<Subaxis> {
        let even = match (self.target, minor.target) {
            (Target::Land { level: a, stride: major }, Target::Land { level: b, stride }) => {
                a == b && goes_on(minor.size, stride, major)
            }
            (Target::Feed { derived: a, weight: major }, Target::Feed { derived: b, weight }) => {
                a == b && goes_on(minor.size, weight, major)
            }
            _ => false,
        };
        even.then(|| Subaxis { size: self.size * minor.size, ..*minor })
    }
}
