//! A window as boxes of digits, in each of which element and place are plain sums.
//!
//! ```text
//! (10)/((3:7, 4_PE))      element = 4 x digit(3) + digit(4)     10 of 12 values are real
//!
//! box 1   digit(3) 0..2, digit(4) 0..4      8 elements
//! box 2   digit(3) 2,    digit(4) 0..2      the row that is cut
//! ```
//!
//! A range of an axis is cut where its digits wrap: whole blocks in the middle, and what is left
//! at either end. A digit that feeds a derived axis hands its range on, and that axis is cut in
//! turn. Digits that feed one axis together, and step evenly through the tensor together, count
//! as one range; where they do not, one is left free, which is cut into the fewest pieces, and the
//! others are taken by turns: steps that come back to the same minor digits differ in the major digit
//! only, and evenly.
//!
//! ```text
//! 100 rows of 70, fused, in tiles of 8      row r begins at 70 r; 70 x 4 = 35 x 8
//!
//! rows 0, 4, 8, ..  begin with digit 0 of a tile, 35 tiles apart: boxes of 25 rows
//! rows 1, 5, 9, ..  begin with digit 6, and so on
//! ```

use std::ops::Range;

use num_integer::Integer;
use smallvec::SmallVec;

use crate::algebra::{Destination, Digit, Digits, Layout};
use crate::level::Level;

/// Elements whose number and place are both sums over digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) element: u64,
    pub(crate) place: u64,
    /// In no order.
    pub(crate) steps: Vec<Step>,
}

impl Grid {
    /// Calls `visit` with the number and the place of every element.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(u64, u64)) {
        fn digits(steps: &[Step], element: u64, place: u64, visit: &mut dyn FnMut(u64, u64)) {
            let Some((first, rest)) = steps.split_first() else { return visit(element, place) };
            for at in 0..first.count {
                digits(rest, element + at * first.element, place + at * first.place, visit);
            }
        }
        digits(&self.steps, self.element, self.place, visit);
    }

    /// Calls `visit` with grids that hold the elements in a range of places.
    pub(crate) fn within(&self, places: &Range<u64>, visit: &mut dyn FnMut(&Grid)) {
        let reach = |steps: &[Step]| steps.iter().map(|s| (s.count - 1) * s.place).sum::<u64>();
        let last = self.place + reach(&self.steps);
        if last < places.start || self.place >= places.end {
            return;
        }
        if self.place >= places.start && last < places.end {
            return visit(self);
        }
        let Some(major) = (0..self.steps.len()).max_by_key(|at| self.steps[*at].place) else {
            return;
        };
        let mut rest = self.clone();
        let Step { count, element, place } = rest.steps.swap_remove(major);
        let reach = reach(&rest.steps);
        // The steps that touch the range, and those that lie inside as a whole.
        let before = |limit: u64| limit.saturating_sub(self.place).div_ceil(place).min(count);
        let touch = before(places.start.saturating_sub(reach))..before(places.end);
        let whole = before(places.start)..before(places.end.saturating_sub(reach));
        let mut cut = |from: u64, count: u64| {
            rest.element = self.element + from * element;
            rest.place = self.place + from * place;
            let known = rest.steps.len();
            if count > 1 {
                rest.steps.push(Step { count, element, place });
            }
            rest.within(places, visit);
            rest.steps.truncate(known);
        };
        if whole.is_empty() {
            return touch.for_each(|at| cut(at, 1));
        }
        (touch.start..whole.start).for_each(|at| cut(at, 1));
        cut(whole.start, whole.end - whole.start);
        (whole.end..touch.end).for_each(|at| cut(at, 1));
    }
}

/// A free digit of a [`Grid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) count: u64,
    /// What one step adds to the number of the element, and to the place.
    pub(crate) element: u64,
    pub(crate) place: u64,
}

/// Steps of a grid, of which few have more: no allocation for each grid.
pub(crate) type Steps = SmallVec<[Step; 8]>;

impl Step {
    /// Minor to major on the side of `by`, without those that move nothing, and with those joined
    /// that count through each other on both sides.
    pub(crate) fn joined(
        steps: impl IntoIterator<Item = Step>,
        by: impl Fn(&Step) -> (u64, u64),
    ) -> Steps {
        let moves = |step: &Step| step.count > 1 && (step.element, step.place) != (0, 0);
        let mut steps: Steps = steps.into_iter().filter(moves).collect();
        steps.sort_unstable_by_key(by);
        steps.dedup_by(|major, minor| {
            let goes_on = |minor_step: u64, step| minor_step.checked_mul(minor.count) == Some(step);
            let joins = goes_on(minor.element, major.element) && goes_on(minor.place, major.place);
            if joins {
                minor.count *= major.count;
            }
            joins
        });
        steps
    }

    /// Minor to major by elements.
    pub(crate) fn by_element(&self) -> (u64, u64) {
        (self.element, self.place)
    }

    /// Minor to major by places.
    pub(crate) fn by_place(&self) -> (u64, u64) {
        (self.place, self.element)
    }
}

/// A range of an axis, and what one step in it adds to the number of the element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisRange {
    pub(crate) start: u64,
    pub(crate) count: u64,
    pub(crate) weight: u64,
}

/// Cuts ranges of the axes of a layout into grids.
#[derive(Debug)]
pub(crate) struct Boxes<'a> {
    layout: &'a Layout,
    base: u64,
    digits: Digits,
    /// What one step of each digit adds to the place; 0 for one that feeds.
    strides: Vec<u64>,
    fixed: Vec<Option<u64>>,
    copies: bool,
}

impl<'a> Boxes<'a> {
    /// First copies only; `stride` tells what a step of so many elements in a level adds.
    pub(crate) fn new(
        layout: &'a Layout,
        base: u64,
        stride: impl Fn(Level, u64) -> u64,
    ) -> Boxes<'a> {
        let digits = layout.digits();
        let stride = |digit: &Digit| match digit.to {
            Destination::Level(level) => stride(level, digit.step),
            Destination::Derived(_) => 0,
        };
        let strides = digits.iter().map(stride).collect();
        let fixed = vec![None; digits.len()];
        Boxes { layout, base, digits, strides, fixed, copies: false }
    }

    /// With all copies.
    pub(crate) fn with_copies(self) -> Boxes<'a> {
        Boxes { copies: true, ..self }
    }

    /// Keeps one value of a digit.
    pub(crate) fn fix(&mut self, digit: usize, value: u64) {
        self.fixed[digit] = Some(value);
    }

    /// Calls `visit` with grids that hold every index of the ranges once, with every copy.
    pub(crate) fn visit(&self, ranges: &[AxisRange], visit: &mut dyn FnMut(&Grid)) {
        if ranges.iter().any(|range| range.count == 0) {
            return;
        }
        let nodes = self.layout.rank() + self.layout.derived_axes().len();
        let mut values = vec![Value::default(); nodes];
        for (value, range) in values.iter_mut().zip(ranges) {
            value.start = range.start;
            value.terms.push(Step { place: 1, count: range.count, element: range.weight });
        }
        for (value, derived) in values[ranges.len()..].iter_mut().zip(self.layout.derived_axes()) {
            value.start = derived.start;
        }
        let grid = Grid { element: 0, place: self.base, steps: Vec::new() };
        Cutter { boxes: self, values, turns: Vec::new(), grid, visit }.node(0);
    }
}

/// What is known of the value of a node: a start, and what free digits add.
#[derive(Clone, Debug, Default)]
struct Value {
    start: u64,
    /// What they add to the value stands as their place.
    terms: Vec<Step>,
}

/// `start + weight x k` for k below `count`, where each k is worth `element`.
#[derive(Clone, Copy, Debug)]
struct Progression {
    start: u64,
    weight: u64,
    count: u64,
    element: u64,
}

impl Progression {
    fn single(start: u64) -> Progression {
        Progression { start, weight: 1, count: 1, element: 0 }
    }

    /// The step with this value, and what the steps before it are worth; `None` if it has none.
    fn only(&self, value: u64) -> Option<(Progression, u64)> {
        let ahead = value.checked_sub(self.start)?;
        let at = ahead / self.weight.max(1);
        let found = at < self.count && at * self.weight == ahead;
        found.then_some((Progression::single(value), at * self.element))
    }
}

struct Cutter<'a> {
    boxes: &'a Boxes<'a>,
    values: Vec<Value>,
    /// What terms of the node being cut add to its major digit alone, as their place.
    turns: Vec<Step>,
    grid: Grid,
    visit: &'a mut dyn FnMut(&Grid),
}

impl Cutter<'_> {
    /// Cuts the nodes from `node` on.
    fn node(&mut self, node: usize) {
        if node == self.values.len() {
            let copies = self.boxes.digits.numbers_of(node);
            return self.copies(if self.boxes.copies { copies } else { 0..0 });
        }
        let Value { start, terms } = std::mem::take(&mut self.values[node]);
        let mut joined = Step::joined(terms.iter().copied(), Step::by_place);
        let by_turns = |term: &Step| self.turn(node, term.place).min(term.count);
        let all = joined.iter().fold(1_u64, |all, term| all.saturating_mul(by_turns(term)));
        let cheapest = (0..joined.len()).filter(|at| self.goes_through(node, joined[*at].place));
        let cheapest = cheapest.min_by_key(|at| {
            (all / by_turns(&joined[*at])).saturating_mul(self.pieces(node, joined[*at].count))
        });
        let free = cheapest.map(|at| joined.remove(at));
        self.terms(node, start, &joined, free);
        self.values[node] = Value { start, terms };
    }

    /// After how many steps of a term the same minor digits come again.
    fn turn(&self, node: usize, weight: u64) -> u64 {
        match self.boxes.digits.of(node).first() {
            Some(major) if self.boxes.fixed[self.boxes.digits.numbers_of(node).start].is_none() => {
                major.place / major.place.gcd(&weight)
            }
            _ => u64::MAX,
        }
    }

    /// Whether a step of each digit is a whole number of steps of the term, or the other way round.
    fn goes_through(&self, node: usize, weight: u64) -> bool {
        let mut digits = self.boxes.digits.of(node).iter().map(|digit| digit.place);
        digits.all(|place| place.is_multiple_of(weight) || weight.is_multiple_of(place))
    }

    /// Into how many pieces a node about cuts the values of a term that goes through its digits:
    /// at most one at either end of the blocks of each.
    fn pieces(&self, node: usize, count: u64) -> u64 {
        let digits = self.boxes.digits.of(node);
        digits.iter().fold(1_u64, |pieces, _| pieces.saturating_mul(3)).min(count)
    }

    /// Adds the copies, and shows the grid.
    fn copies(&mut self, copies: Range<usize>) {
        let (known, place) = (self.grid.steps.len(), self.grid.place);
        for copy in copies {
            let stride = self.boxes.strides[copy];
            match self.boxes.fixed[copy] {
                Some(at) => self.grid.place = self.grid.place.wrapping_add(at.wrapping_mul(stride)),
                None => {
                    let count = self.boxes.digits.digit(copy).size;
                    self.grid.steps.push(Step { count, element: 0, place: stride });
                }
            }
        }
        (self.visit)(&self.grid);
        self.grid.steps.truncate(known);
        self.grid.place = place;
    }

    /// Cuts a node whose value is `start`, what the terms add, which are taken by turns, and what
    /// the free one adds.
    fn terms(&mut self, node: usize, start: u64, terms: &[Step], free: Option<Step>) {
        let Some((&Step { count, place: weight, element }, rest)) = terms.split_first() else {
            let values =
                free.map_or(Progression::single(start), |Step { count, place, element }| {
                    Progression { start, weight: place, count, element }
                });
            return self.digit(node, 0, values);
        };
        let (before, known, turn) = (self.grid.element, self.turns.len(), self.turn(node, weight));
        for at in 0..turn.min(count) {
            let count = (count - at).div_ceil(turn);
            if count > 1 {
                self.turns.push(Step { count, element: turn * element, place: turn * weight });
            }
            self.grid.element = before + at * element;
            self.terms(node, start + at * weight, rest, free);
            self.turns.truncate(known);
        }
        self.grid.element = before;
    }

    /// Cuts the digits of a node from `at` on, which write the values of a progression.
    fn digit(&mut self, node: usize, at: usize, values: Progression) {
        let Progression { start, weight, count, element } = values;
        let Some(&Digit { place: worth, .. }) = self.boxes.digits.of(node).get(at) else {
            return self.node(node + 1);
        };
        let (first, within) = (start / worth, start % worth);
        if count == 1 {
            self.choose(node, at, Progression::single(first), Progression::single(within));
        } else if weight.is_multiple_of(worth) {
            let steps = Progression { start: first, weight: weight / worth, count, element };
            self.choose(node, at, steps, Progression::single(within));
        } else if worth.is_multiple_of(weight) {
            self.blocks(node, at, values);
        } else {
            let before = self.grid.element;
            for k in 0..count {
                self.grid.element = before + k * element;
                self.digit(node, at, Progression::single(start + k * weight));
            }
            self.grid.element = before;
        }
    }

    /// The same where a step of the digit is a whole number of steps of the progression: the end
    /// of a block, whole blocks, the beginning of one.
    fn blocks(&mut self, node: usize, at: usize, values: Progression) {
        let Progression { start, weight, count, element } = values;
        let worth = self.boxes.digits.of(node)[at].place;
        let (within, lead, per_block) = (start % worth, start % weight, worth / weight);
        let part = |start, count| Progression { start, weight, count, element };
        let left = (worth - within).div_ceil(weight).min(count);
        let head = if within == lead && left == per_block { 0 } else { left };
        let before = self.grid.element;
        if head > 0 {
            self.choose(node, at, Progression::single(start / worth), part(within, head));
        }
        let first = start.saturating_add(head.saturating_mul(weight)) / worth;
        let (whole, tail) = ((count - head) / per_block, (count - head) % per_block);
        if whole > 0 {
            self.grid.element = before + head * element;
            let element = element * per_block;
            let steps = Progression { start: first, weight: 1, count: whole, element };
            self.choose(node, at, steps, part(lead, per_block));
        }
        if tail > 0 {
            self.grid.element = before + (head + whole * per_block) * element;
            self.choose(node, at, Progression::single(first + whole), part(lead, tail));
        }
        self.grid.element = before;
    }

    /// Lets a digit take the values `steps`, the major one with what turns add, and cuts those
    /// after it, which write `rest`.
    fn choose(&mut self, node: usize, at: usize, steps: Progression, rest: Progression) {
        let number = self.boxes.digits.numbers_of(node).start + at;
        let (digit, stride) = (*self.boxes.digits.digit(number), self.boxes.strides[number]);
        let kept = self.boxes.fixed[number].map_or(Some((steps, 0)), |value| steps.only(value));
        let Some((Progression { start, weight, count, element }, skipped)) = kept else { return };
        let turns = if at == 0 { std::mem::take(&mut self.turns) } else { Vec::new() };
        let by_turns = turns.iter().map(|turn| Step { place: turn.place / digit.place, ..*turn });
        let steps = std::iter::once(Step { count, element, place: weight }).chain(by_turns);
        let steps = steps.filter(|step| step.count > 1);
        let (place, before, known) = (self.grid.place, self.grid.element, self.grid.steps.len());
        self.grid.element = before + skipped;
        match digit.to {
            Destination::Derived(derived) if digit.step > 0 => {
                let worth = digit.step;
                let to = self.boxes.layout.rank() + derived;
                let (fed, terms) = (self.values[to].start, self.values[to].terms.len());
                self.values[to].start = fed + start * worth;
                let fed_by = |step: Step| Step { place: step.place * worth, ..step };
                self.values[to].terms.extend(steps.map(fed_by));
                self.digit(node, at + 1, rest);
                self.values[to].start = fed;
                self.values[to].terms.truncate(terms);
            }
            _ => {
                self.grid.place = place.wrapping_add(start.wrapping_mul(stride));
                let placed = |step: Step| Step { place: step.place.wrapping_mul(stride), ..step };
                self.grid.steps.extend(steps.map(placed));
                self.digit(node, at + 1, rest);
                self.grid.steps.truncate(known);
                self.grid.place = place;
            }
        }
        self.grid.element = before;
        if at == 0 {
            self.turns = turns;
        }
    }
}
