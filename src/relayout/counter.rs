//! Counting the elements for which two layouts agree, level by level.

use std::cmp::Ordering;

use super::equations::system;
use super::pair::{Relayout, Side};
use super::parts::{Part, Rows, Start, Step, Table, Turn};
use super::refine::{Digit, Group, Kind, Landing, Piece, refine};
use super::refuse::not_decided;
use super::system::System;
use crate::algebra::{Indexes, Layout, product};
use crate::error::LayoutError;
use crate::level::Level;

/// The most values of an axis that ends within its digits that are listed.
const MOST_TRUNCATED: u64 = 1 << 12;

/// The most boxes that the elements of truncated axes are cut into.
const MOST_BOXES: u64 = 1 << 14;

/// One side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coordinate {
    /// The coordinate in a level.
    In(Level),
    /// A number, by its place among the numbers that are given with the question.
    Given(usize),
}

/// What is compared: source and target.
pub(super) type Compared = (Coordinate, Coordinate);

/// The same level on both sides.
pub(super) fn both(level: Level) -> Compared {
    (Coordinate::In(level), Coordinate::In(level))
}

/// The digits that make up the elements, and the coordinates that are compared.
pub(super) struct Counter<'a> {
    relayout: &'a Relayout,
    compared: Vec<Compared>,
    pub(super) groups: Vec<Group>,
    /// What the digits of every group add.
    pub(super) parts: Vec<Vec<Part>>,
    /// The copies of both sides, each with the comparison in which they lie apart.
    pub(super) copies: Vec<(usize, Part)>,
    /// The coordinates of both sides where every digit is 0.
    pub(super) start: Start,
}

impl<'a> Counter<'a> {
    pub(super) fn new(
        relayout: &'a Relayout,
        compared: Vec<Compared>,
    ) -> Result<Counter<'a>, LayoutError> {
        let Relayout { source, target, .. } = relayout;
        let groups = refine(source, target, MOST_TRUNCATED)?;
        let (copies, parts, start) = (Vec::new(), Vec::new(), (Vec::new(), Vec::new()));
        let mut counter = Counter { relayout, compared, groups, parts, copies, start };
        counter.start = counter.origin();
        counter.copies = counter.copies();
        let mut start = counter.start.clone();
        let groups = counter.groups.iter();
        let parts = groups.map(|group| {
            let digits = group.digits.iter().map(|digit| counter.part(digit, &mut start));
            digits.collect()
        });
        counter.parts = parts.collect();
        counter.start = start;
        Ok(counter)
    }

    /// The number of (element, choice of copies in what was compared so far) where both sides agree
    /// on the first coordinates, for every number of them; where `wanted` says no, any number.
    ///
    /// Copies of the source that lie apart in one coordinate differ there, so at most one agrees.
    pub(super) fn counts(
        &self,
        given: &[u64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<u128>, LayoutError> {
        let mut counts = vec![0; self.compared.len()];
        self.for_each_system(given, |mut system| {
            for (at, total) in counts.iter_mut().enumerate() {
                system.add(at);
                let count = if wanted(at) { system.count()? } else { 1 };
                if count == 0 {
                    break;
                }
                *total += count;
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// The same, at most.
    pub(super) fn counts_at_most(&self) -> Result<Vec<u128>, LayoutError> {
        let mut counts = vec![0; self.compared.len()];
        self.for_each_system(&[], |mut system| {
            for (at, total) in counts.iter_mut().enumerate() {
                system.add(at);
                *total = u128::saturating_add(*total, system.count_at_most());
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// The equations of every box of elements.
    fn for_each_system(
        &self,
        given: &[u64],
        mut take: impl FnMut(System) -> Result<(), LayoutError>,
    ) -> Result<(), LayoutError> {
        let boxes: Vec<u64> = self.groups.iter().map(Group::boxes).collect();
        let few = product(boxes.iter().copied()).is_some_and(|boxes| boxes <= MOST_BOXES);
        if !few {
            return Err(not_decided(MOST_BOXES));
        }
        let origin = self.with_given(given);
        for chosen in Indexes::new(boxes) {
            let (mut start, mut choices) = (origin.clone(), Vec::new());
            for ((group, parts), at) in self.groups.iter().zip(&self.parts).zip(chosen) {
                group.take(parts, at, &mut start, &mut choices);
            }
            take(system(&start, &choices, &self.copies))?;
        }
        Ok(())
    }

    fn with_given(&self, given: &[u64]) -> Start {
        let mut start = self.start.clone();
        for (at, (source, target)) in self.compared.iter().enumerate() {
            for (side, sums) in [(source, &mut start.0), (target, &mut start.1)] {
                if let Coordinate::Given(number) = side {
                    sums[at] += given.get(*number).copied().unwrap_or(0);
                }
            }
        }
        start
    }

    /// The levels of one side, where it has levels.
    fn levels(&self, side: Side) -> impl Iterator<Item = Option<Level>> + '_ {
        self.compared.iter().map(move |compared| match side.of(compared) {
            Coordinate::In(level) => Some(*level),
            Coordinate::Given(_) => None,
        })
    }

    fn number(&self, side: Side, level: Level) -> Option<usize> {
        self.levels(side).position(|found| found == Some(level))
    }

    fn step(&self, side: Side, (level, stride): Landing) -> Option<Step> {
        Some((self.number(side, level)?, stride))
    }

    fn origin(&self) -> Start {
        let index = vec![0; self.relayout.source.rank()];
        (self.coordinates(Side::Source, &index), self.coordinates(Side::Target, &index))
    }

    fn coordinates(&self, side: Side, index: &[u64]) -> Vec<u64> {
        coordinates(self.relayout.layout(side), index, self.levels(side))
    }

    /// The copies of both sides.
    fn copies(&self) -> Vec<(usize, Part)> {
        let mut copies = Vec::new();
        for side in [Side::Source, Side::Target] {
            for replica in self.relayout.layout(side).replicas() {
                let Some(step) = self.step(side, (replica.level, replica.stride)) else { continue };
                let (source, target) = match side {
                    Side::Source => (Some(step), None),
                    Side::Target => (None, Some(step)),
                };
                copies.push((step.0, Part::Digit { size: replica.size, source, target }));
            }
        }
        copies
    }

    /// What a digit adds. The least that a listed one adds goes to the start.
    fn part(&self, digit: &Digit, start: &mut Start) -> Part {
        let options = digit.size;
        let turns = |side: Side, pieces: &[Piece]| {
            let turn = |piece: &Piece| {
                let step = self.step(side, piece.landing)?;
                Some(Turn { place: piece.place, size: piece.size, step })
            };
            pieces.iter().filter_map(turn).collect()
        };
        match &digit.kind {
            Kind::Common { source, target } => Part::Digit {
                size: options,
                source: source.and_then(|landing| self.step(Side::Source, landing)),
                target: target.and_then(|landing| self.step(Side::Target, landing)),
            },
            Kind::Split { source, target } => {
                let (source, target) = (turns(Side::Source, source), turns(Side::Target, target));
                Part::Table(Table { options, rows: Rows::Split { source, target } })
            }
            Kind::Listed(indexes) => {
                let rows = Rows::Listed(self.rows(indexes, start));
                Part::Table(Table { options, rows })
            }
        }
    }

    /// What every index adds on both sides.
    fn rows(&self, indexes: &[Vec<u64>], start: &mut Start) -> Vec<(Vec<u64>, Vec<u64>)> {
        let side = |side: Side, start: &mut Vec<u64>| -> Vec<Vec<u64>> {
            let rows: Vec<Vec<u64>> =
                indexes.iter().map(|index| self.coordinates(side, index)).collect();
            let least: Vec<u64> = (0..self.compared.len())
                .map(|at| rows.iter().map(|row| row[at]).min().unwrap_or(0))
                .collect();
            // Instead of what index 0 has, the least: no sum of digits is below 0.
            for ((start, least), origin) in start.iter_mut().zip(&least).zip(&rows[0]) {
                *start = *start + least - origin;
            }
            let above = |row: &Vec<u64>| row.iter().zip(&least).map(|(at, low)| at - low).collect();
            rows.iter().map(above).collect()
        };
        let a = side(Side::Source, &mut start.0);
        let b = side(Side::Target, &mut start.1);
        a.into_iter().zip(b).collect()
    }
}

/// The coordinates of the first copy of an element in some levels; 0 where there is none.
pub(super) fn coordinates(
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

impl Group {
    /// Adds the parts of a box to the choices, and what it fixes to the start.
    pub(super) fn take(&self, parts: &[Part], at: u64, start: &mut Start, choices: &mut Vec<Part>) {
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
