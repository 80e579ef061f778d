//! Exact traffic per level, by counting solutions.

use std::cmp::Ordering;

use super::equations::system;
use super::pair::{Distance, Relayout};
use super::parts::{Part, Rows, Start, Table, Turn};
use super::refine::{Digit, Group, Kind, Landing, Piece, refine, split_axis};
use crate::algebra::{Indexes, Layout, Replica, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The most values of an axis that ends within its digits that are listed.
const MOST_TRUNCATED: u64 = 1 << 12;

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
        let depth = self.units.len();
        let all = self.counts(depth + self.inner.len())?;
        let (levels, matched) = self.level_traffic(&all[..depth])?;
        let copies = u128::from(self.copies());
        let mut by_distance = Vec::new();
        let mut before = u128::from(self.elements()) * copies;
        for (at, matched) in matched.into_iter().enumerate() {
            let (distance, parted) = (Distance::Level(self.name(at)), fit(before - matched)?);
            match by_distance.last_mut() {
                Some((last, count)) if *last == distance => *count += parted,
                _ => by_distance.push((distance, parted)),
            }
            before = matched;
        }
        if self.memories.is_some() {
            by_distance.push((Distance::Memory, fit(before)?));
        } else {
            let in_place = all.last().copied().unwrap_or(before);
            by_distance.push((Distance::Address, fit(before - in_place)?));
            by_distance.push((Distance::InPlace, fit(in_place)?));
        }
        by_distance.reverse();
        Ok(Traffic { elements: self.elements(), copies: self.copies(), by_distance, levels })
    }

    /// What enters and leaves the units of the levels from the root down to `level`, innermost
    /// first: the same as in [`traffic`](Relayout::traffic), cheaper the higher the level.
    ///
    /// # Errors
    /// [`LevelMissing`](LayoutError::LevelMissing) for a level that paths do not go through; as
    /// [`traffic`](Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "L2B=2,PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let relayout = Relayout::new(&on("((2_L2B, 4_PE, 8:1))")?, &on("((4_PE, 2_L2B, 8:1))")?)?;
    /// let above = relayout.traffic_down_to(Level::L2B)?;
    /// assert_eq!((above.len(), above[0].into), (1, 32)); // of 64 elements
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn traffic_down_to(&self, level: Level) -> Result<Vec<LevelTraffic>, LayoutError> {
        let mut names = (0..self.units.len()).map(|at| self.name(at));
        let at = names.rposition(|name| name == level);
        let depth = at.ok_or(LayoutError::LevelMissing { level })? + 1;
        Ok(self.level_traffic(&self.counts(depth)?)?.0)
    }

    /// What enters and leaves the units of all levels.
    pub(super) fn traffic_of_levels(&self) -> Result<Vec<LevelTraffic>, LayoutError> {
        Ok(self.level_traffic(&self.counts(self.units.len())?)?.0)
    }

    /// What crosses the borders of every level, innermost first, given the pairs of an element and
    /// a unit that both layouts have; and the destination copies for which that holds.
    fn level_traffic(&self, both: &[u128]) -> Result<(Vec<LevelTraffic>, Vec<u128>), LayoutError> {
        let elements = u128::from(self.elements());
        let (mut levels, mut matched) = (Vec::new(), Vec::new());
        for (depth, both) in (1..).zip(both) {
            let path = &self.units[..depth];
            let held = copies_in(&self.target, path);
            matched.push(both * u128::from(self.copies()) / held);
            let into = elements * held - both;
            let alone = copies_in(&self.source, path) == 1 || elements == 0;
            let out_of = alone.then_some(if held > 1 { elements } else { into });
            let level = self.name(depth - 1);
            if levels.last().is_some_and(|last: &LevelTraffic| last.level == level) {
                // The units of a level, below the memories that they share.
                levels.pop();
            }
            levels.push(LevelTraffic {
                level,
                into: fit(into)?,
                out_of: out_of.map(fit).transpose()?,
            });
        }
        levels.reverse();
        Ok((levels, matched))
    }

    /// For the first levels of the path one after the other, then for the memory: how many pairs of
    /// an element and its copies within them both sides have.
    fn counts(&self, depth: usize) -> Result<Vec<u128>, LayoutError> {
        if self.elements() == 0 {
            return Ok(vec![0; depth]);
        }
        Counter::new(self)?.counts(depth)
    }
}

fn fit(count: u128) -> Result<u64, LayoutError> {
    u64::try_from(count).map_err(|_| LayoutError::too_large(Site::Layout, "the traffic"))
}

/// How many copies of an element lie apart in some levels.
pub(super) fn copies_in(layout: &Layout, levels: &[Level]) -> u128 {
    let inside = layout.replicas().iter().filter(|replica| levels.contains(&replica.level));
    inside.map(|replica| u128::from(replica.size)).product()
}

/// The digits that make up the elements.
struct Counter<'a> {
    relayout: &'a Relayout,
    /// The path, then the memory.
    levels: Vec<Level>,
    groups: Vec<Group>,
}

impl<'a> Counter<'a> {
    fn new(relayout: &'a Relayout) -> Result<Counter<'a>, LayoutError> {
        let levels = relayout.units.iter().chain(&relayout.inner).copied().collect();
        let mut groups = refine(&relayout.source, &relayout.target)?;
        for group in &mut groups {
            list_truncated(group, relayout);
        }
        Ok(Counter { relayout, levels, groups })
    }

    /// The number of (element, choice of copies in the first levels) where both layouts agree on
    /// those levels, for every depth.
    ///
    /// Copies of the source within a level lie apart, so at most one of them agrees.
    fn counts(&self, depth: usize) -> Result<Vec<u128>, LayoutError> {
        let Relayout { source, target, .. } = self.relayout;
        let origin = vec![0; source.rank()];
        let side = |layout: &Layout| coordinates(layout, &origin, &self.levels);
        let mut start = (side(source), side(target));
        let parts: Vec<Vec<Part>> = self
            .groups
            .iter()
            .map(|group| group.digits.iter().map(|digit| self.part(digit, &mut start)).collect())
            .collect();
        let boxes: Vec<u64> = self.groups.iter().map(Group::boxes).collect();
        let few = product(boxes.iter().copied()).is_some_and(|boxes| boxes <= MOST_BOXES);
        if !few {
            let question = "how many elements move";
            return Err(LayoutError::NotDecided { question, budget: MOST_BOXES });
        }
        let copies = self.copies();
        let mut counts = vec![0; depth];
        for chosen in Indexes::new(boxes) {
            let (mut start, mut choices) = (start.clone(), Vec::new());
            for ((group, parts), at) in self.groups.iter().zip(&parts).zip(chosen) {
                group.take(parts, at, &mut start, &mut choices);
            }
            let mut system = system(&start, &choices, &copies);
            for (level, total) in counts.iter_mut().enumerate() {
                system.add(level);
                // The address alone is no distance: the lane comes with it.
                let counts = level < self.relayout.units.len() || level + 1 == depth;
                let count = if counts { system.count()? } else { 1 };
                if count == 0 {
                    break;
                }
                *total += count;
            }
        }
        Ok(counts)
    }

    /// The copies of both sides, each with the level in which they lie apart.
    fn copies(&self) -> Vec<(usize, Part)> {
        let Relayout { source, target, .. } = self.relayout;
        let step = |replica: &Replica| Some((self.number(replica.level)?, replica.stride));
        let mut copies = Vec::new();
        for replica in source.replicas() {
            let part = Part::Digit { size: replica.size, source: step(replica), target: None };
            copies.extend(self.number(replica.level).map(|level| (level, part)));
        }
        for replica in target.replicas() {
            let part = Part::Digit { size: replica.size, source: None, target: step(replica) };
            copies.extend(self.number(replica.level).map(|level| (level, part)));
        }
        copies
    }

    fn number(&self, level: Level) -> Option<usize> {
        self.levels.iter().position(|of| *of == level)
    }

    /// What a digit adds. The least that a listed one adds goes to the start.
    fn part(&self, digit: &Digit, start: &mut Start) -> Part {
        let step = |(level, stride): Landing| Some((self.number(level)?, stride));
        let options = digit.size;
        let turns = |pieces: &[Piece]| {
            let turn = |piece: &Piece| {
                let step = step(piece.landing)?;
                Some(Turn { place: piece.place, size: piece.size, step })
            };
            pieces.iter().filter_map(turn).collect()
        };
        match &digit.kind {
            Kind::Common { source, target } => Part::Digit {
                size: options,
                source: source.and_then(step),
                target: target.and_then(step),
            },
            Kind::Split { source, target } => {
                let rows = Rows::Split { source: turns(source), target: turns(target) };
                Part::Table(Table { options, rows })
            }
            Kind::Listed(indexes) => {
                let rows = Rows::Listed(self.rows(indexes, start));
                Part::Table(Table { options, rows })
            }
        }
    }

    /// What every index adds on both sides.
    fn rows(&self, indexes: &[Vec<u64>], start: &mut Start) -> Vec<(Vec<u64>, Vec<u64>)> {
        let side = |layout: &Layout, start: &mut Vec<u64>| -> Vec<Vec<u64>> {
            let rows: Vec<Vec<u64>> =
                indexes.iter().map(|index| coordinates(layout, index, &self.levels)).collect();
            let least: Vec<u64> = (0..self.levels.len())
                .map(|level| rows.iter().map(|row| row[level]).min().unwrap_or(0))
                .collect();
            // Instead of what index 0 has, the least: no sum of digits is below 0.
            for ((start, least), origin) in start.iter_mut().zip(&least).zip(&rows[0]) {
                *start = *start + least - origin;
            }
            let above = |row: &Vec<u64>| row.iter().zip(&least).map(|(at, low)| at - low).collect();
            rows.iter().map(above).collect()
        };
        let a = side(&self.relayout.source, &mut start.0);
        let b = side(&self.relayout.target, &mut start.1);
        a.into_iter().zip(b).collect()
    }
}

/// A short axis that ends within its digits is one list of values instead of a sum of boxes.
fn list_truncated(group: &mut Group, relayout: &Relayout) {
    let [axis] = group.axes()[..] else { return };
    let extent = relayout.source.axes()[axis].extent;
    if group.is_full() || extent > MOST_TRUNCATED {
        return;
    }
    if let Some(kind) = split_axis(&relayout.source, &relayout.target, axis) {
        group.digits = vec![Digit { axes: vec![axis], place: 1, size: extent, kind }];
        group.last = vec![extent - 1];
    }
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

    /// The axes of its digits.
    fn axes(&self) -> Vec<usize> {
        self.digits.first().map_or(Vec::new(), |digit| digit.axes.clone())
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
