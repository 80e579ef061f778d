//! Counting the elements for which two layouts agree, level by level.

use std::cmp::Ordering;

use itertools::Itertools;

use super::digit::{Adds, DigitChoice};
use super::equations::system;
use super::options::not_decided;
use super::refine::{Common, CommonLanding, refine};
use crate::algebra::{Indexes, Layout, product, split};
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::{seam, to_u64};
use crate::relayout::pair::{Relayout, Role};

/// The most values of an axis that ends within its digits that are listed.
fn most_truncated() -> u64 {
    seam(1 << 12, 4)
}

/// The most boxes that the elements of truncated axes are cut into.
const MOST_BOXES: u64 = 1 << 14;

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coordinate {
    /// The coordinate in a level.
    In(Level),
    /// A number, by its place among the numbers that are given with the question.
    Given(usize),
}

/// A comparison: the coordinate of the source with that of the target.
pub(crate) type Compared = (Coordinate, Coordinate);

/// A level that is compared with itself on the other side.
pub(crate) fn both(level: Level) -> Compared {
    (Coordinate::In(level), Coordinate::In(level))
}

/// The digits that make up the elements, and the coordinates that are compared: in comparison k, sum 2 k
/// is the source's and sum 2 k + 1 the target's.
pub(crate) struct Counter<'a> {
    relayout: &'a Relayout,
    compared: Vec<Compared>,
    pub(crate) groups: Vec<AxisGroup>,
    /// The copies of both sides, each with the number of the sum in which they differ.
    pub(crate) copies: Vec<(usize, DigitChoice<u64>)>,
    /// The sums where every digit is 0.
    pub(crate) start: Vec<u64>,
}

/// The digits of a group of axes that are truncated together, minor to major.
pub(crate) struct AxisGroup {
    pub(crate) choices: Vec<DigitChoice<u64>>,
    /// The greatest value: that of the last element, digit by digit.
    last: Vec<u64>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(
        relayout: &'a Relayout,
        compared: Vec<Compared>,
    ) -> Result<Counter<'a>, LayoutError> {
        let common = refine(&relayout.source, &relayout.target, most_truncated())?;
        let (groups, copies, start) = (Vec::new(), Vec::new(), Vec::new());
        let mut counter = Counter { relayout, compared, groups, copies, start };
        let shape = relayout.target.shape();
        counter.start = counter.sums(&vec![0; shape.len()]);
        counter.copies = counter.copies();
        for digits in common {
            let choices = digits.iter().map(|digit| counter.choice(digit, &shape)).collect();
            let axes = digits.first().map_or(&[][..], |digit| &digit.axes);
            let elements: u64 = axes.iter().map(|axis| shape[*axis]).product();
            counter.groups.push(AxisGroup::new(choices, elements));
        }
        Ok(counter)
    }

    /// For every k, the number of (element, choice of copies in the comparisons up to k) for which both sides
    /// agree in the comparisons up to k. Entries that are not `wanted` have no meaning.
    ///
    /// Copies of the source that differ in one coordinate differ in its comparison, so at most one agrees.
    pub(crate) fn counts(
        &self,
        given: &[u64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<u128>, LayoutError> {
        let boxes: Vec<u64> = self.groups.iter().map(AxisGroup::boxes).collect();
        let few = product(boxes.iter().copied()).is_some_and(|boxes| boxes <= MOST_BOXES);
        if !few {
            return Err(not_decided(MOST_BOXES));
        }
        let (origin, mut counts) = (self.with_given(given), vec![0; self.compared.len()]);
        for chosen in Indexes::new(boxes) {
            let (mut start, mut choices) = (origin.clone(), Vec::new());
            for (group, at) in self.groups.iter().zip(chosen) {
                group.take(at, &mut start, &mut choices);
            }
            let mut system = system(&start, &choices, &self.copies);
            for (at, total) in counts.iter_mut().enumerate() {
                system.add(at);
                let count = if wanted(at) { system.count()? } else { 1 };
                if count == 0 {
                    break;
                }
                *total += count;
            }
        }
        Ok(counts)
    }

    fn with_given(&self, given: &[u64]) -> Vec<u64> {
        let mut start = self.start.clone();
        let coordinates = self.compared.iter().flat_map(|(source, target)| [source, target]);
        for (sum, coordinate) in start.iter_mut().zip(coordinates) {
            if let Coordinate::Given(number) = coordinate {
                *sum += given.get(*number).copied().unwrap_or(0);
            }
        }
        start
    }

    /// The level of one side in every comparison; `None` for a given number.
    fn levels(&self, side: Role) -> impl Iterator<Item = Option<Level>> + '_ {
        self.compared.iter().map(move |compared| match side.of(compared) {
            Coordinate::In(level) => Some(*level),
            Coordinate::Given(_) => None,
        })
    }

    /// The sum that a step of a landing adds to, and the amount; `None` if its level is not compared.
    fn step(&self, (side, level, stride): CommonLanding) -> Option<(usize, u64)> {
        let comparison = self.levels(side).position(|found| found == Some(level))?;
        Some((2 * comparison + usize::from(side == Role::Target), stride))
    }

    /// The coordinates of both sides.
    fn sums(&self, index: &[u64]) -> Vec<u64> {
        let of = |side| coordinates(self.relayout.layout(side), index, self.levels(side));
        of(Role::Source).into_iter().interleave(of(Role::Target)).collect()
    }

    /// The copies of both sides.
    fn copies(&self) -> Vec<(usize, DigitChoice<u64>)> {
        let copies = |side| {
            self.relayout.layout(side).replicas().iter().filter_map(move |replica| {
                let step = self.step((side, replica.level, replica.stride))?;
                Some((step.0, DigitChoice::digit(replica.size, step)))
            })
        };
        copies(Role::Source).chain(copies(Role::Target)).collect()
    }

    /// Converts a common digit into a choice. The least amounts that a listed one adds go to `start`.
    fn choice(&mut self, common: &Common, shape: &[u64]) -> DigitChoice<u64> {
        let adds = match &common.digits {
            Some(digits) => {
                let steps = digits.iter().filter_map(|d| Some(d.with(self.step(d.stride)?)));
                Adds::Digits(steps.collect())
            }
            None => Adds::Listed(self.rows(common.indexes(shape))),
        };
        DigitChoice { options: common.size, adds }
    }

    /// The amounts that every index adds to the sums, less the least of each sum, which `start` takes.
    fn rows(&mut self, indexes: impl Iterator<Item = Vec<u64>>) -> Vec<Vec<u64>> {
        let mut rows: Vec<Vec<u64>> = indexes.map(|index| self.sums(&index)).collect();
        for (sum, start) in self.start.iter_mut().enumerate() {
            // The least amount replaces that of index 0, because no sum of digits may be below 0.
            let (least, first) = (rows.iter().map(|row| row[sum]).min(), rows.first());
            let (least, first) = (least.unwrap_or(0), first.map_or(0, |row| row[sum]));
            // A least coordinate of all so far: what is in between may not fit.
            *start = start.wrapping_sub(first).wrapping_add(least);
            rows.iter_mut().for_each(|row| row[sum] -= least);
        }
        rows
    }
}

/// The coordinates of the first copy of an element in some levels; 0 where there is none.
pub(crate) fn coordinates(
    layout: &Layout,
    index: &[u64],
    levels: impl IntoIterator<Item = Option<Level>>,
) -> Vec<u64> {
    let levels: Vec<Option<Level>> = levels.into_iter().collect();
    let offset = |level: &Option<Level>| level.map_or(0, |level| layout.offset(level));
    let mut at: Vec<u64> = levels.iter().map(offset).collect();
    layout.land(index, |level, step| {
        if let Some(sum) = levels.iter().position(|of| *of == Some(level)) {
            at[sum] += step;
        }
    });
    at
}

impl AxisGroup {
    fn new(choices: Vec<DigitChoice<u64>>, elements: u64) -> AxisGroup {
        let mut last = vec![0; choices.len()];
        let sizes = choices.iter().rev().map(|choice| choice.options);
        split(elements - 1, sizes, &mut last);
        last.reverse();
        AxisGroup { choices, last }
    }

    /// Returns whether every combination of digits is an element.
    pub(crate) fn is_full(&self) -> bool {
        let mut all = self.choices.iter().zip(&self.last);
        all.all(|(choice, last)| *last == choice.options - 1)
    }

    /// The number of boxes that make up a truncated group, one per digit. Box `k` has the digits above `k` as
    /// in the last element, digit `k` below that of the last element, and the others free; box 0 includes the
    /// last element.
    pub(crate) fn boxes(&self) -> u64 {
        if self.is_full() { 1 } else { to_u64(self.choices.len()) }
    }

    /// Adds the digits of a box to the choices, and what it fixes to the start.
    pub(crate) fn take(&self, at: u64, start: &mut [u64], choices: &mut Vec<DigitChoice<u64>>) {
        if self.is_full() {
            choices.extend_from_slice(&self.choices);
            return;
        }
        for ((digit, choice), last) in (0..).zip(&self.choices).zip(&self.last) {
            match digit.cmp(&at) {
                Ordering::Greater => choice.add(*last, start),
                Ordering::Equal => choices.push(choice.first(*last + u64::from(at == 0))),
                Ordering::Less => choices.push(choice.clone()),
            }
        }
    }
}
