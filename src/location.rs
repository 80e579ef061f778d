//! A place: one coordinate per level.

use std::fmt;

use itertools::Itertools;

use crate::level::Level;

/// A place: one coordinate per level, in the order of [`Level`].
///
/// ```
/// use tensor_layout::{Level, Location};
/// let place = Location::from_iter([(Level::ADDR, 33), (Level::L2B, 1)]);
/// assert_eq!(place.to_string(), "L2B=1,Addr=33");
/// assert_eq!(place.get(Level::PE), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    coordinates: Vec<(Level, u64)>,
}

impl Location {
    /// Returns the coordinate in `level`, if the place has one.
    #[must_use]
    pub fn get(&self, level: Level) -> Option<u64> {
        self.search(level).ok().map(|at| self.coordinates[at].1)
    }

    /// Sets the coordinate in `level`.
    pub fn set(&mut self, level: Level, coordinate: u64) {
        // Mostly the levels come in order.
        if self.coordinates.last().is_none_or(|(last, _)| *last < level) {
            return self.coordinates.push((level, coordinate));
        }
        match self.search(level) {
            Ok(at) => self.coordinates[at].1 = coordinate,
            Err(at) => self.coordinates.insert(at, (level, coordinate)),
        }
    }

    /// Iterates over the levels with their coordinates, in the order of [`Level`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Level, u64)> + '_ {
        self.coordinates.iter().copied()
    }

    /// Adds `step` to the coordinate in `level`, or sets it if there is none.
    ///
    /// Invariant 4 of [`Layout`](crate::Layout) keeps the sum within `u64`.
    pub(crate) fn add(&mut self, level: Level, step: u64) {
        match self.search(level) {
            Ok(at) => self.coordinates[at].1 += step,
            Err(at) => self.coordinates.insert(at, (level, step)),
        }
    }

    /// Returns the position of a level or, as an error, the one to insert it at.
    fn search(&self, level: Level) -> Result<usize, usize> {
        self.coordinates.binary_search_by(|(name, _)| name.cmp(&level))
    }
}

impl FromIterator<(Level, u64)> for Location {
    fn from_iter<I: IntoIterator<Item = (Level, u64)>>(coordinates: I) -> Location {
        let coordinates = coordinates.into_iter();
        let mut location = Location { coordinates: Vec::with_capacity(coordinates.size_hint().0) };
        coordinates.for_each(|(level, at)| location.set(level, at));
        location
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&assigned(self.iter()))
    }
}

/// `L2B=2,PE=4`
pub(crate) fn assigned(numbers: impl IntoIterator<Item = (Level, u64)>) -> String {
    numbers.into_iter().map(|(level, number)| format!("{level}={number}")).join(",")
}

/// The content of a place: an element, given by its index (in a [`Program`](crate::program::Program), by its
/// row-major number), or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Found<E = Vec<u64>> {
    /// The element.
    Element(E),
    /// A slot of the layout that holds no element.
    Padding,
    /// A place that the layout skips.
    Hole,
    /// A place beyond the machine or, where it gives no size, beyond the layout.
    Outside,
}
