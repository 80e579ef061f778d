//! A window as boxes of digits, in each of which element and place are plain sums.
//!
//! ```text
//! (10)/((3:7, 4_PE))      element = 4 x digit(3) + digit(4)     10 of 12 values are real
//!
//! box 1   digit(3) 0..2, digit(4) 0..4      8 elements
//! box 2   digit(3) 2,    digit(4) 0..2      the row that is cut
//! ```
//!
//! A range of an axis is cut where its digits wrap: whole blocks in the middle, and the rest at either end. A
//! digit that feeds a derived axis passes its range on, and that axis is then cut in the same way. Digits
//! that feed one axis count as one range if together they step evenly through the tensor. Otherwise one of
//! them is left free, the one that is cut into the fewest pieces, and the others are enumerated: steps after
//! which the same minor digits return differ only in the major digit, and evenly, so they are taken together.
//!
//! ```text
//! 100 rows of 70, fused, in tiles of 8      row r begins at 70 r; 70 x 4 = 35 x 8
//!
//! rows 0, 4, 8, ..  begin with digit 0 of a tile, 35 tiles apart: boxes of 25 rows
//! rows 1, 5, 9, ..  begin with digit 6, and so on
//! ```

use std::borrow::Cow;
use std::ops::Range;

use num_integer::Integer;

use crate::algebra::strided::{StridedDigit, StridedDigits, each, merged};
use crate::algebra::{Destination, Digit, Digits, Layout};
use crate::level::Level;
use crate::number::to_index;

/// Elements whose number and place are both sums over digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepGrid {
    pub(crate) element: u64,
    pub(crate) place: u64,
    /// The digits that map the number of the element to the place, in no order.
    pub(crate) steps: StridedDigits,
}

impl StepGrid {
    /// Calls `visit` with the number and the place of every element.
    pub(crate) fn each(&self, visit: &mut impl FnMut(u64, u64)) {
        each(&self.steps, (self.element, self.place), visit);
    }

    /// The greatest place.
    pub(crate) fn last(&self) -> u64 {
        self.place + reach(&self.steps)
    }

    /// The step with the greatest stride.
    fn major(&self) -> Option<usize> {
        (0..self.steps.len()).max_by_key(|at| self.steps[*at].stride)
    }

    /// Calls `visit` with grids that hold the elements together, in the order of the major step; where steps nest, each reaches over
    /// at most so many places.
    pub(crate) fn in_parts(&self, most: u64, visit: &mut dyn FnMut(&StepGrid)) {
        let major = self.major().filter(|_| reach(&self.steps) >= most);
        let Some(major) = major else { return visit(self) };
        let mut part = self.clone();
        let StridedDigit { size, weight, stride } = part.steps.swap_remove(major);
        let together = (most / stride).clamp(1, size);
        let (element, place, minor) = (self.element, self.place, part.steps.len());
        for from in (0..size).step_by(to_index(together)) {
            (part.element, part.place) = (element + from * weight, place + from * stride);
            match together.min(size - from) {
                1 => part.in_parts(most, visit),
                size => {
                    part.steps.push(StridedDigit { size, weight, stride });
                    visit(&part);
                    part.steps.truncate(minor);
                }
            }
        }
    }

    /// Calls `visit` with grids that hold the elements in a range of places.
    pub(crate) fn within(&self, places: &Range<u64>, visit: &mut dyn FnMut(&StepGrid)) {
        let last = self.last();
        if last < places.start || self.place >= places.end {
            return;
        }
        let major = self.major();
        let is_cut = self.place < places.start || last >= places.end;
        let Some(major) = major.filter(|_| is_cut) else { return visit(self) };
        let mut rest = self.clone();
        let StridedDigit { size, weight, stride } = rest.steps.swap_remove(major);
        let reach = reach(&rest.steps);
        // The steps that touch the range, and those that are inside as a whole.
        let before = |limit: u64| limit.saturating_sub(self.place).div_ceil(stride).min(size);
        let touch = before(places.start.saturating_sub(reach))..before(places.end);
        let first = before(places.start);
        let whole = first..before(places.end.saturating_sub(reach)).max(first);
        let mut cut = |from: u64, size: u64| {
            rest.element = self.element + from * weight;
            rest.place = self.place + from * stride;
            let known = rest.steps.len();
            rest.steps.extend((size > 1).then_some(StridedDigit { size, weight, stride }));
            rest.within(places, visit);
            rest.steps.truncate(known);
        };
        (touch.start..whole.start).chain(whole.end..touch.end).for_each(|at| cut(at, 1));
        if !whole.is_empty() {
            cut(whole.start, whole.end - whole.start);
        }
    }
}

/// The distance of the greatest place of some steps from the least.
fn reach(steps: &[StridedDigit]) -> u64 {
    steps.iter().map(|step| (step.size - 1) * step.stride).sum()
}

/// A range of an axis, and the number that one step in it adds to the number of the element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisRange {
    pub(crate) start: u64,
    pub(crate) count: u64,
    pub(crate) weight: u64,
}

impl AxisRange {
    /// An empty range may end before it starts.
    pub(crate) fn new(range: Range<u64>, weight: u64) -> AxisRange {
        AxisRange { start: range.start, count: range.end.saturating_sub(range.start), weight }
    }
}

/// Cuts ranges of the axes of a layout into grids.
#[derive(Debug)]
pub(crate) struct Boxes<'a> {
    /// Without XOR axes: their values are not sums.
    layout: Cow<'a, Layout>,
    base: u64,
    digits: Digits,
    /// The node that each digit adds to, and how much it adds; places count as a node after all others.
    targets: Vec<(usize, u64)>,
    /// The value of each digit that has only one.
    pub(super) fixed: Vec<Option<u64>>,
    /// Includes all copies, not only the first.
    pub(super) copies: bool,
}

impl<'a> Boxes<'a> {
    /// First copies only; `stride` gives the number that a step of so many elements in a level adds.
    pub(crate) fn new(
        layout: &'a Layout,
        base: u64,
        stride: impl Fn(Level, u64) -> u64,
    ) -> Boxes<'a> {
        let layout = layout.in_sums();
        let (digits, places) = (layout.digits(), layout.nodes().count());
        let target = |digit: &Digit| match digit.to {
            Destination::Level(level) => (places, stride(level, digit.stride)),
            Destination::Derived(_) if digit.stride == 0 => (places, 0),
            Destination::Derived(derived) => (layout.rank() + derived, digit.stride),
        };
        let targets = digits.iter().map(target).collect();
        let fixed = vec![None; digits.len()];
        Boxes { layout, base, digits, targets, fixed, copies: false }
    }

    /// Calls `visit` with grids that hold every index of the ranges once, with every copy.
    pub(crate) fn visit(&self, ranges: &[AxisRange], visit: &mut dyn FnMut(&StepGrid)) {
        if ranges.iter().all(|range| range.count > 0) {
            let nodes = self.layout.nodes().count();
            Cutter { boxes: self, ranges, nodes, visit }
                .node(0, Branch { element: 0, chosen: None });
        }
    }
}

/// A digit that counts from `start`: the rest of a range rarely begins at 0.
#[derive(Clone, Copy, Debug)]
struct Progression {
    start: u64,
    digit: StridedDigit,
}

impl Progression {
    fn single(start: u64) -> Progression {
        Progression { start, digit: StridedDigit { size: 1, weight: 0, stride: 1 } }
    }

    /// A part of its values: `size` of them, from another start.
    fn part(self, start: u64, size: u64) -> Progression {
        Progression { start, digit: StridedDigit { size, ..self.digit } }
    }

    /// The step with this value, and the weight of the steps before it; `None` if no step has this value.
    fn only(self, value: u64) -> Option<(Progression, u64)> {
        let ahead = value.checked_sub(self.start)?;
        let at = ahead / self.digit.stride.max(1);
        let found = at < self.digit.size && at * self.digit.stride == ahead;
        found.then_some((Progression::single(value), at * self.digit.weight))
    }

    /// The progression with every value multiplied by `step`.
    fn times(self, step: u64) -> Progression {
        let stride = self.digit.stride.wrapping_mul(step);
        let digit = StridedDigit { stride, ..self.digit };
        Progression { start: self.start.wrapping_mul(step), digit }
    }
}

/// A branch of the cut: the number of its first element, and the values chosen so far.
#[derive(Clone, Copy)]
struct Branch<'a> {
    element: u64,
    chosen: Option<&'a Chosen<'a>>,
}

/// Values of a digit as they add to a node or to the place, and those before, all on the stack.
struct Chosen<'a> {
    to: usize,
    values: Progression,
    before: Option<&'a Chosen<'a>>,
}

impl<'a> Branch<'a> {
    fn ahead(self, element: u64) -> Branch<'a> {
        Branch { element: self.element + element, ..self }
    }

    /// The values of a digit that adds `step` to a node, after the values chosen so far.
    fn choose(self, (to, step): (usize, u64), values: Progression) -> Chosen<'a> {
        Chosen { to, values: values.times(step), before: self.chosen }
    }

    /// The values chosen for a node: the sum of all starts, and the digits.
    fn added(self, to: usize) -> (u64, impl Iterator<Item = StridedDigit>) {
        let all = std::iter::successors(self.chosen, |chosen| chosen.before);
        let own = all.filter(move |chosen| chosen.to == to).map(|chosen| chosen.values);
        let start = own.clone().fold(0, |sum: u64, values| sum.wrapping_add(values.start));
        (start, own.map(|values| values.digit).filter(|digit| digit.size > 1))
    }
}

struct Cutter<'a> {
    boxes: &'a Boxes<'a>,
    ranges: &'a [AxisRange],
    nodes: usize,
    visit: &'a mut dyn FnMut(&StepGrid),
}

impl Cutter<'_> {
    /// Cuts the nodes from `node` on.
    fn node(&mut self, node: usize, frame: Branch<'_>) {
        // A node whose digits all have size 1 has only one value and is skipped. The recursion is therefore
        // at most as deep as a place has bits.
        let digits = &self.boxes.digits;
        let moves = |node: &usize| digits.of(*node).iter().any(|digit| digit.size > 1);
        let moving = (node..self.nodes).find(moves);
        let Some(node) = moving else { return self.show(frame) };
        let (start, mut terms) = match self.ranges.get(node) {
            Some(AxisRange { start, count, weight }) => {
                (*start, merged([StridedDigit { size: *count, weight: *weight, stride: 1 }]))
            }
            None => {
                let derived = &self.boxes.layout.derived_axes()[node - self.ranges.len()];
                let (fed, digits) = frame.added(node);
                (derived.start + fed, merged(digits))
            }
        };
        let by_turns = |term: &StridedDigit| self.turn(node, term.stride).min(term.size);
        let all = terms.iter().fold(1_u64, |all, term| all.saturating_mul(by_turns(term)));
        let cheapest = (0..terms.len()).filter(|at| self.goes_through(node, terms[*at].stride));
        let cheapest = cheapest.min_by_key(|at| {
            (all / by_turns(&terms[*at])).saturating_mul(self.pieces(node, terms[*at].size))
        });
        let free = cheapest.map_or(Progression::single(0).digit, |at| terms.remove(at));
        self.terms(node, Progression { start, digit: free }, &terms, frame);
    }

    /// Shows the grid of a branch, with the copies.
    fn show(&mut self, frame: Branch<'_>) {
        let (start, digits) = frame.added(self.nodes);
        let (mut place, mut steps) =
            (self.boxes.base.wrapping_add(start), digits.collect::<StridedDigits>());
        let copies = self.boxes.digits.numbers_of(self.nodes);
        for copy in copies.filter(|_| self.boxes.copies) {
            let stride = self.boxes.targets[copy].1;
            match self.boxes.fixed[copy] {
                Some(at) => place = place.wrapping_add(at.wrapping_mul(stride)),
                None => {
                    let size = self.boxes.digits.digit(copy).size;
                    steps.push(StridedDigit { size, weight: 0, stride });
                }
            }
        }
        (self.visit)(&StepGrid { element: frame.element, place, steps });
    }

    /// The number of steps of a term after which the same minor digits come again.
    fn turn(&self, node: usize, stride: u64) -> u64 {
        match self.boxes.digits.of(node).first() {
            Some(major) if self.boxes.fixed[self.boxes.digits.numbers_of(node).start].is_none() => {
                major.weight / major.weight.gcd(&stride)
            }
            _ => u64::MAX,
        }
    }

    /// Returns whether, for each digit, its step is a multiple or a divisor of the term's step.
    fn goes_through(&self, node: usize, stride: u64) -> bool {
        let mut digits = self.boxes.digits.of(node).iter().map(|digit| digit.weight);
        digits.all(|place| place.is_multiple_of(stride) || stride.is_multiple_of(place))
    }

    /// The approximate number of pieces into which a node cuts the values of a term that passes through
    /// its digits: at most one at either end of the blocks of each.
    fn pieces(&self, node: usize, size: u64) -> u64 {
        self.boxes.digits.of(node).iter().fold(1_u64, |all, _| all.saturating_mul(3)).min(size)
    }

    /// Cuts a node whose values are `values` plus those of the terms. Terms are enumerated in turns: from one
    /// turn to the next, only the major digit changes.
    fn terms(
        &mut self,
        node: usize,
        values: Progression,
        terms: &[StridedDigit],
        frame: Branch<'_>,
    ) {
        let Some((&StridedDigit { size, weight, stride }, rest)) = terms.split_first() else {
            return self.digit(node, 0, values, frame);
        };
        let turn = self.turn(node, stride);
        for at in 0..turn.min(size) {
            let values = Progression { start: values.start + at * stride, ..values };
            let frame = frame.ahead(at * weight);
            let size = (size - at).div_ceil(turn);
            if size == 1 {
                self.terms(node, values, rest, frame);
                continue;
            }
            let stride = turn * stride / self.boxes.digits.of(node)[0].weight;
            let digit = StridedDigit { size, weight: turn * weight, stride };
            let target = self.boxes.targets[self.boxes.digits.numbers_of(node).start];
            let chosen = frame.choose(target, Progression { start: 0, digit });
            self.terms(node, values, rest, Branch { chosen: Some(&chosen), ..frame });
        }
    }

    /// Cuts the digits of a node from `at` on, which write the values of a progression.
    fn digit(&mut self, node: usize, at: usize, values: Progression, frame: Branch<'_>) {
        let digits = self.boxes.digits.of(node).iter().enumerate().skip(at);
        let moving = digits.map(|(at, digit)| (at, *digit)).find(|(_, digit)| digit.size > 1);
        let Some((at, Digit { weight: worth, .. })) = moving else {
            return self.node(node + 1, frame);
        };
        let Progression { start, digit: StridedDigit { size, weight, stride } } = values;
        if size == 1 || stride.is_multiple_of(worth) {
            let digit = StridedDigit { stride: stride / worth, ..values.digit };
            let steps = Progression { start: start / worth, digit };
            self.choose(node, at, (steps, Progression::single(start % worth)), frame);
        } else if worth.is_multiple_of(stride) {
            self.blocks(node, at, (values, worth), frame);
        } else {
            for k in 0..size {
                let single = Progression::single(start + k * stride);
                self.digit(node, at, single, frame.ahead(k * weight));
            }
        }
    }

    /// Cuts into blocks where a step of the digit is a whole number of steps of the progression: the end
    /// of a block, whole blocks, the beginning of one.
    fn blocks(
        &mut self,
        node: usize,
        at: usize,
        (values, worth): (Progression, u64),
        frame: Branch<'_>,
    ) {
        let Progression { start, digit: StridedDigit { size, weight, stride } } = values;
        let (within, lead, per_block) = (start % worth, start % stride, worth / stride);
        let left = (worth - within).div_ceil(stride).min(size);
        let head = if within == lead && left == per_block { 0 } else { left };
        if head > 0 {
            let steps = Progression::single(start / worth);
            self.choose(node, at, (steps, values.part(within, head)), frame);
        }
        let first = start.saturating_add(head.saturating_mul(stride)) / worth;
        let (whole, tail) = ((size - head) / per_block, (size - head) % per_block);
        if whole > 0 {
            let digit = StridedDigit { size: whole, weight: weight * per_block, stride: 1 };
            let both = (Progression { start: first, digit }, values.part(lead, per_block));
            self.choose(node, at, both, frame.ahead(head * weight));
        }
        if tail > 0 {
            let both = (Progression::single(first + whole), values.part(lead, tail));
            self.choose(node, at, both, frame.ahead((head + whole * per_block) * weight));
        }
    }

    /// Lets a digit take the values `steps`, and cuts those after it, which write `rest`.
    fn choose(
        &mut self,
        node: usize,
        at: usize,
        (steps, rest): (Progression, Progression),
        frame: Branch<'_>,
    ) {
        let number = self.boxes.digits.numbers_of(node).start + at;
        let kept = self.boxes.fixed[number].map_or(Some((steps, 0)), |value| steps.only(value));
        let Some((steps, skipped)) = kept else { return };
        let chosen = frame.choose(self.boxes.targets[number], steps);
        let frame = Branch { chosen: Some(&chosen), ..frame };
        self.digit(node, at + 1, rest, frame.ahead(skipped));
    }
}

/// The number that one step of each axis adds to the row-major number within the window.
pub(super) fn weights(window: &[Range<u64>]) -> Vec<u64> {
    let mut weights = vec![1_u64; window.len()];
    for axis in (1..window.len()).rev() {
        let extent = window[axis].end - window[axis].start;
        weights[axis - 1] = weights[axis].wrapping_mul(extent);
    }
    weights
}
