//! Exact traffic per level, by counting solutions.

use std::cmp::Ordering;

use super::equations::{Part, Start, agreements};
use super::pair::{Distance, Relayout};
use super::refine::{Digit, Group, Kind, refine};
use crate::algebra::{Indexes, Layout, Replica, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The most boxes that the elements of truncated axes are cut into.
const MOST_BOXES: u64 = 1 << 14;

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
    /// [`NotDecided`](LayoutError::NotDecided) where that period, the number of boxes of truncated
    /// axes or that of different partial sums is beyond the budget.
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
            let alone = alone || elements == 0;
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

/// The digits that make up the elements.
struct Counter<'a> {
    relayout: &'a Relayout,
    groups: Vec<Group>,
}

impl<'a> Counter<'a> {
    fn new(relayout: &'a Relayout) -> Result<Counter<'a>, LayoutError> {
        let empty = relayout.elements() == 0;
        let groups = if empty { Vec::new() } else { refine(&relayout.source, &relayout.target)? };
        Ok(Counter { relayout, groups })
    }

    /// The number of (element, choice of copies in some levels) where both layouts agree on those
    /// levels.
    ///
    /// Copies of the source within a level lie apart, so at most one of them agrees.
    fn matches(&self, levels: &[Level]) -> Result<u128, LayoutError> {
        if self.relayout.elements() == 0 {
            return Ok(0);
        }
        let Relayout { source, target, .. } = self.relayout;
        let mut start = (at_origin(source, levels), at_origin(target, levels));
        let parts: Vec<Vec<Part>> = self
            .groups
            .iter()
            .map(|group| {
                group.digits.iter().map(|digit| self.part(digit, levels, &mut start)).collect()
            })
            .collect();
        let replicas = |layout: &Layout, part: fn(u64, (usize, u64)) -> Part| -> Vec<Part> {
            let sum = |r: &Replica| levels.iter().position(|level| *level == r.level);
            let replicas = layout.replicas().iter();
            replicas.filter_map(|r| Some(part(r.size, (sum(r)?, r.stride)))).collect()
        };
        let mut copies =
            replicas(source, |size, step| Part::Digit { size, source: Some(step), target: None });
        copies.extend(replicas(target, |size, step| Part::Digit {
            size,
            source: None,
            target: Some(step),
        }));
        let mut total = 0;
        let boxes: Vec<u64> = self.groups.iter().map(Group::boxes).collect();
        let few = product(boxes.iter().copied()).is_some_and(|boxes| boxes <= MOST_BOXES);
        if !few {
            let question = "how many elements move";
            return Err(LayoutError::NotDecided { question, budget: MOST_BOXES });
        }
        for chosen in Indexes::new(boxes) {
            let (mut start, mut choices) = (start.clone(), copies.clone());
            for ((group, parts), at) in self.groups.iter().zip(&parts).zip(chosen) {
                group.take(parts, at, &mut start, &mut choices);
            }
            total += agreements(&start, &choices)?;
        }
        Ok(total)
    }

    /// What a digit adds in some levels. The least that a listed one adds goes to the start.
    fn part(&self, digit: &Digit, levels: &[Level], start: &mut Start) -> Part {
        let sum = |landing: &Option<(Level, u64)>| {
            let (level, stride) = (*landing)?;
            Some((levels.iter().position(|of| *of == level)?, stride))
        };
        let indexes = match &digit.kind {
            Kind::Common { source, target } => {
                let (source, target) = (sum(source), sum(target));
                return Part::Digit { size: digit.size, source, target };
            }
            Kind::Listed(indexes) => indexes,
        };
        let Relayout { source, target, .. } = self.relayout;
        let side = |layout: &Layout, start: &mut Vec<u64>| -> Vec<Vec<u64>> {
            let rows: Vec<Vec<u64>> =
                indexes.iter().map(|index| coordinates(layout, index, levels)).collect();
            let least: Vec<u64> = (0..levels.len())
                .map(|sum| rows.iter().map(|row| row[sum]).min().unwrap_or(0))
                .collect();
            // Instead of what index 0 has, the least: no sum of digits is below 0.
            for ((start, least), origin) in start.iter_mut().zip(&least).zip(&rows[0]) {
                *start = *start + least - origin;
            }
            let above = |row: &Vec<u64>| row.iter().zip(&least).map(|(at, low)| at - low).collect();
            rows.iter().map(above).collect()
        };
        let (a, b) = (side(source, &mut start.0), side(target, &mut start.1));
        Part::Table(a.into_iter().zip(b).collect())
    }
}

/// The coordinates of index 0 in some levels.
fn at_origin(layout: &Layout, levels: &[Level]) -> Vec<u64> {
    coordinates(layout, &vec![0; layout.rank()], levels)
}

/// The coordinates of the first copy of an element in some levels.
pub(super) fn coordinates(layout: &Layout, index: &[u64], levels: &[Level]) -> Vec<u64> {
    let mut at: Vec<u64> = levels.iter().map(|level| layout.offset(*level)).collect();
    layout.land(index, |level, step| {
        if let Some(sum) = levels.iter().position(|of| *of == level) {
            at[sum] += step;
        }
    });
    at
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

    /// Adds the parts of a box to the choices, and what it fixes to the start.
    fn take(&self, parts: &[Part], at: u64, start: &mut Start, choices: &mut Vec<Part>) {
        if self.is_full() {
            choices.extend_from_slice(parts);
            return;
        }
        for ((digit, part), last) in (0..).zip(parts).zip(&self.last) {
            match digit.cmp(&at) {
                Ordering::Greater => part.add(*last, start),
                Ordering::Equal => choices.push(part.first(if at == 0 { last + 1 } else { *last })),
                Ordering::Less => choices.push(part.clone()),
            }
        }
    }
}
