//! Exact traffic per level, by counting solutions.

use super::pair::{Distance, Relayout};
use super::refine::{Group, Kind, refine};
use super::solutions::{Choice, count};
use crate::algebra::{Indexes, Layout, Replica};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// What a relayout moves, and how far at least.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// The number of elements.
    pub elements: u64,
    /// How many places each has in the destination, over all time slices.
    pub copies: u64,
    /// How many destination copies have their nearest source copy how far away, nearest first; they
    /// sum up to elements x copies.
    pub by_distance: Vec<(Distance, u64)>,
    /// Per level, innermost first: what enters and leaves its units.
    pub levels: Vec<LevelTraffic>,
}

/// What crosses the border of the units of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelTraffic {
    /// The level; a unit is the whole path from the root.
    pub level: Level,
    /// The number of (element, unit) pairs where the destination holds the element in the unit and
    /// the source does not: each has to enter the unit at least once, whatever the algorithm.
    pub into: u64,
    /// The number of elements that have to leave their unit; `None` where copies of the source in
    /// several units leave open which one sends.
    pub out_of: Option<u64>,
}

impl Traffic {
    /// The number of destination copies whose nearest source copy is this far away.
    #[must_use]
    pub fn count(&self, distance: Distance) -> u64 {
        let found = self.by_distance.iter().find(|(of, _)| *of == distance);
        found.map_or(0, |(_, count)| *count)
    }

    /// The farthest that anything moves.
    #[must_use]
    pub fn farthest(&self) -> Distance {
        let moved = self.by_distance.iter().rev().find(|(_, count)| *count > 0);
        moved.map_or(Distance::InPlace, |(distance, _)| *distance)
    }
}

impl Relayout {
    /// Counts what moves, exactly.
    ///
    /// Padding is never moved, holes are never read.
    /// Law: the counts of `by_distance` sum up to elements x copies; a layout to itself is all in
    /// place; they are those that enumerating every element gives.
    /// Cost: by the digits, whatever the size of the tensor; where digits do not line up, by the
    /// period after which they do.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) where that period or the number of different partial
    /// sums is beyond the budget.
    pub fn traffic(&self) -> Result<Traffic, LayoutError> {
        let counter = Counter::new(self)?;
        let (elements, copies) = (self.elements(), self.copies());
        let all = u128::from(elements) * u128::from(copies);
        let mut levels = Vec::new();
        let mut by_distance = Vec::new();
        let mut matched = all;
        for depth in 1..=self.units.len() {
            let path = &self.units[..depth];
            let held = copies_in(&self.target, path);
            // Pairs of an element and a unit that both layouts have.
            let both = if matched == 0 { 0 } else { counter.matches(path)? };
            let below = both * u128::from(copies) / held;
            by_distance.push((Distance::Level(path[depth - 1]), matched - below));
            matched = below;
            let into = u128::from(elements) * held - both;
            let alone = copies_in(&self.source, path) == 1;
            let out_of = alone.then_some(if held > 1 { u128::from(elements) } else { into });
            levels.push((path[depth - 1], into, out_of));
        }
        let everywhere: Vec<Level> = self.units.iter().chain(&self.inner).copied().collect();
        let in_place = if matched == 0 { 0 } else { counter.matches(&everywhere)? };
        by_distance.push((Distance::Address, matched - in_place));
        by_distance.push((Distance::InPlace, in_place));
        by_distance.reverse();
        let by_distance = by_distance.into_iter().map(|(distance, n)| Ok((distance, fit(n)?)));
        let levels = levels.into_iter().rev().map(|(level, into, out_of)| {
            Ok(LevelTraffic { level, into: fit(into)?, out_of: out_of.map(fit).transpose()? })
        });
        Ok(Traffic {
            elements,
            copies,
            by_distance: by_distance.collect::<Result<_, LayoutError>>()?,
            levels: levels.collect::<Result<_, LayoutError>>()?,
        })
    }
}

fn fit(count: u128) -> Result<u64, LayoutError> {
    u64::try_from(count).map_err(|_| LayoutError::too_large(Site::Layout, "the traffic"))
}

/// How many copies of an element lie apart in some levels.
fn copies_in(layout: &Layout, levels: &[Level]) -> u128 {
    let inside = layout.replicas().iter().filter(|replica| levels.contains(&replica.level));
    inside.map(|replica| u128::from(replica.size)).product()
}

/// The boxes of digits that make up the elements.
struct Counter<'a> {
    relayout: &'a Relayout,
    groups: Vec<Group>,
    /// Destination minus source of the element with index 0.
    start: Vec<(Level, i128)>,
}

impl<'a> Counter<'a> {
    fn new(relayout: &'a Relayout) -> Result<Counter<'a>, LayoutError> {
        let empty = relayout.elements() == 0;
        let groups = if empty { Vec::new() } else { refine(&relayout.source, &relayout.target)? };
        let origin = vec![0; relayout.source.rank()];
        let levels = relayout.units.iter().chain(&relayout.inner);
        let start =
            levels.map(|level| (*level, if empty { 0 } else { relayout.apart(&origin, *level) }));
        Ok(Counter { relayout, groups, start: start.collect() })
    }

    /// The number of (element, choice of copies in some levels) where both layouts agree on those
    /// levels.
    ///
    /// Copies of the source within a level lie apart, so at most one of them agrees.
    fn matches(&self, levels: &[Level]) -> Result<u128, LayoutError> {
        if self.relayout.elements() == 0 {
            return Ok(0);
        }
        let start: Vec<i128> = levels.iter().map(|level| self.at_origin(*level)).collect();
        let replicas = |layout: &Layout, sign: i128| -> Vec<Choice> {
            let inside = layout.replicas().iter().filter(|r| levels.contains(&r.level));
            let step = |r: &Replica, level| {
                if level == r.level { sign * i128::from(r.stride) } else { 0 }
            };
            let steps = |r: &Replica| levels.iter().map(|level| step(r, *level)).collect();
            inside.map(|r| Choice::Digit { size: r.size, steps: steps(r) }).collect()
        };
        let mut copies = replicas(&self.relayout.target, 1);
        copies.extend(replicas(&self.relayout.source, -1));
        let parts: Vec<Vec<Choice>> =
            self.groups.iter().map(|group| self.choices(group, levels)).collect();
        let mut total = 0;
        for chosen in Indexes::new(self.groups.iter().map(Group::boxes).collect()) {
            let (mut start, mut choices) = (start.clone(), copies.clone());
            for ((group, parts), at) in self.groups.iter().zip(&parts).zip(chosen) {
                take(group, parts, at, &mut start, &mut choices);
            }
            total += count(&start, &choices)?;
        }
        Ok(total)
    }

    fn at_origin(&self, level: Level) -> i128 {
        self.start.iter().find(|(of, _)| *of == level).map_or(0, |(_, apart)| *apart)
    }

    /// What the digits of a group add in some levels.
    fn choices(&self, group: &Group, levels: &[Level]) -> Vec<Choice> {
        let choice = |kind: &Kind, size: u64| match kind {
            Kind::Common { source, target } => {
                let step = |landing: &Option<(Level, u64)>, level: Level| {
                    landing.filter(|(of, _)| *of == level).map_or(0, |(_, s)| i128::from(s))
                };
                let steps = levels.iter().map(|level| step(target, *level) - step(source, *level));
                Choice::Digit { size, steps: steps.collect() }
            }
            Kind::Listed(indexes) => {
                let row = |index: &Vec<u64>| {
                    let apart =
                        |level: &Level| self.relayout.apart(index, *level) - self.at_origin(*level);
                    levels.iter().map(apart).collect()
                };
                Choice::Table(indexes.iter().map(row).collect())
            }
        };
        group.digits.iter().map(|digit| choice(&digit.kind, digit.size)).collect()
    }
}

impl Relayout {
    /// Destination minus source of the coordinates of an element in a level, first copies.
    pub(super) fn apart(&self, index: &[u64], level: Level) -> i128 {
        let at = |layout: &Layout| {
            let mut at = i128::from(layout.offset(level));
            layout.land(index, |of, step| at += if of == level { i128::from(step) } else { 0 });
            at
        };
        at(&self.target) - at(&self.source)
    }
}

impl Group {
    /// A truncated group is a sum of boxes, one per digit. Box `k` has the digits above `k` as in
    /// the last element, digit `k` below, and the others free; box 0 includes the last element.
    fn boxes(&self) -> u64 {
        let boxes = if self.is_full() { 1 } else { self.digits.len() };
        u64::try_from(boxes).unwrap_or(1)
    }

    fn is_full(&self) -> bool {
        self.digits.iter().zip(&self.last).all(|(digit, last)| *last == digit.size - 1)
    }
}

/// Adds the choices of a box, and to the start what it fixes.
fn take(group: &Group, parts: &[Choice], at: u64, start: &mut [i128], choices: &mut Vec<Choice>) {
    if group.is_full() {
        choices.extend_from_slice(parts);
        return;
    }
    for ((digit, part), last) in (0..).zip(parts).zip(&group.last) {
        if digit > at {
            part.add(*last, start);
        } else if digit == at {
            choices.push(first(part, if at == 0 { last + 1 } else { *last }));
        } else {
            choices.push(part.clone());
        }
    }
}

/// The first options of a choice only.
fn first(choice: &Choice, options: u64) -> Choice {
    match choice {
        Choice::Digit { steps, .. } => Choice::Digit { size: options, steps: steps.clone() },
        Choice::Table(rows) => {
            let options = usize::try_from(options).unwrap_or(usize::MAX);
            Choice::Table(rows.iter().take(options).cloned().collect())
        }
    }
}
