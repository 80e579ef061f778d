//! Exact traffic per level, by counting solutions.

use std::sync::Arc;

use super::counter::{Counter, both};
use crate::algebra::{Axis, Layout, LayoutBuilder, Replica, Subaxis, Target};
use crate::error::{LayoutError, Site};
use crate::level::Level;
use crate::location::Location;
use crate::relayout::nodes::Paths;
use crate::relayout::pair::{Distance, Relayout, Role};

/// The traffic of a relayout: destination copies by distance, and elements across borders by level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Traffic {
    /// The number of elements.
    pub elements: u64,
    /// The number of places each has in the destination, over all time slices.
    pub copies: u64,
    /// The number of destination copies by the distance to their nearest source copy, nearest first; they
    /// sum up to elements x copies.
    pub by_distance: Vec<(Distance, u64)>,
    /// The traffic into and out of the units of every level, innermost first.
    pub levels: Vec<LevelTraffic>,
}

/// The traffic across the border of the units of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LevelTraffic {
    /// The level; a unit is the whole path from the root.
    pub level: Level,
    /// The number of (element, unit) pairs where the destination holds the element in the unit and
    /// the source does not: each has to enter the unit at least once, regardless of the algorithm. A memory
    /// above the level holds nothing in its units.
    pub into: u64,
    /// The number of elements that have to leave a unit; `None` where copies of the source in several units
    /// leave open which one sends, or whether any has to.
    pub out_of: Option<u64>,
    /// An upper bound on the number of units that the destination uses, which include the receivers.
    pub receivers: u64,
    /// An upper bound on the number of units that the source uses, which include the senders.
    pub senders: u64,
    /// The number of elements of the tensor; 0 where it is not known.
    #[cfg_attr(feature = "serde", serde(default))]
    pub elements: u64,
    /// The number of units of the level in which the destination has each element.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub copies: u64,
    /// The number of units of the level in which the source has each element.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub source_copies: u64,
    /// At the level of the node that has the destination's memory, the number of (element, unit) pairs that have to
    /// arrive in that memory: all pairs if the source is in another memory. 0 at other levels.
    #[cfg_attr(feature = "serde", serde(default))]
    pub arriving: u64,
    /// At the level of the node that has the source's memory, the number of elements that have to leave such
    /// a memory: all elements if the destination is in another memory. 0 at other levels.
    #[cfg_attr(feature = "serde", serde(default))]
    pub departing: u64,
    /// True if what enters and leaves are partial sums, which may be added up on the way.
    #[cfg_attr(feature = "serde", serde(default))]
    pub adds: bool,
}

/// No elements, one copy of each.
pub(crate) const NO_TRAFFIC: LevelTraffic = LevelTraffic {
    level: Level::ADDR,
    elements: 0,
    into: 0,
    out_of: None,
    receivers: 0,
    senders: 0,
    copies: 1,
    source_copies: 1,
    arriving: 0,
    departing: 0,
    adds: false,
};

#[cfg(feature = "serde")]
fn one() -> u64 {
    1
}

impl Traffic {
    /// The number of destination copies whose nearest source copy is this far away.
    #[must_use]
    pub fn count(&self, distance: Distance) -> u64 {
        let found = self.by_distance.iter().find(|(of, _)| *of == distance);
        found.map_or(0, |(_, count)| *count)
    }

    /// The farthest distance that anything moves.
    #[must_use]
    pub fn farthest(&self) -> Distance {
        let moved = self.by_distance.iter().rev().find(|(_, count)| *count > 0);
        moved.map_or(Distance::InPlace, |(distance, _)| *distance)
    }
}

impl Relayout {
    /// Counts what moves, exactly.
    ///
    /// Padding is never moved, and holes are never read.
    /// Law: the counts of `by_distance` sum up to elements x copies; from a layout to itself, everything is
    /// in place; the counts equal those of enumerating every element.
    /// Cost: depends on the digits, not on the size of the tensor; where digits do not line up, on the period
    /// after which they do.
    ///
    /// # Errors
    /// `NotDecided` where that period, the number of boxes of truncated axes or that of different partial sums
    /// is beyond the budget.
    pub fn traffic(&self) -> Result<Traffic, LayoutError> {
        let depth = self.units.len();
        let all = self.counts(depth + self.inner().count())?;
        let (copies, mut by_distance) = (u128::from(self.copies()), Vec::new());
        let mut before = u128::from(self.elements()) * copies;
        let within = copies_along(&self.target, &self.units);
        for ((at, both), within) in all[..depth].iter().enumerate().zip(within) {
            // The destination copies for which both sides have the unit.
            let matched = both * copies / within;
            by_distance.push((Distance::Level(self.units[at]), fit(before - matched)?));
            before = matched;
        }
        if self.is_between_memories() {
            // Between memories at different nodes a border is crossed.
            let beside = self.paths.sides.0.len() == self.paths.sides.1.len();
            by_distance.extend(beside.then_some((Distance::Memory, fit(before)?)));
        } else {
            let in_place = if self.is_cast() { 0 } else { all.last().copied().unwrap_or(before) };
            by_distance.push((Distance::Address, fit(before - in_place)?));
            by_distance.push((Distance::InPlace, fit(in_place)?));
        }
        by_distance.reverse();
        let levels = self.level_traffic(&all[..depth])?;
        Ok(Traffic { elements: self.elements(), copies: self.copies(), by_distance, levels })
    }

    /// Counts the traffic of the levels from the root down to `level`, innermost first: equal to that in
    /// [`traffic`](Relayout::traffic), but cheaper the higher the level.
    ///
    /// # Errors
    /// `Unknown` for a level that paths do not go through; as [`traffic`](Relayout::traffic).
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
        let depth = self.depth_of(level)?;
        self.level_traffic(&self.counts(depth)?)
    }

    /// Counts the traffic of all levels, innermost first.
    pub(crate) fn traffic_of_levels(&self) -> Result<Vec<LevelTraffic>, LayoutError> {
        self.level_traffic(&self.counts(self.units.len())?)
    }

    /// The traffic of every level, innermost first, given the number of (element, unit) pairs that both
    /// layouts have in each level, outermost first.
    pub(crate) fn level_traffic(&self, both: &[u128]) -> Result<Vec<LevelTraffic>, LayoutError> {
        let elements = u128::from(self.elements());
        let path = &self.units[..both.len()];
        let [sent, held] = [&self.source, &self.target].map(|side| copies_along(side, path));
        let [senders, receivers] =
            [&self.source, &self.target].map(|side| holders_along(side, path));
        let copies = sent.zip(held).zip(senders.zip(receivers));
        let level = |((level, both), ((sent, held), (senders, receivers)))| {
            let (level, both): (&Level, &u128) = (level, both);
            let inside = |side| self.is_inside(side, *level);
            let into = elements * held - both;
            let alone = sent == 1 || elements == 0;
            let (into, out_of) = match (inside(Role::Source), inside(Role::Target)) {
                (false, _) => (into, Some(0)),
                // All leave a unit, whichever has them.
                (true, false) => (0, Some(elements)),
                (true, true) => (into, alone.then_some(if held > 1 { elements } else { into })),
            };
            let (into, out_of) = (fit(into)?, out_of.map(fit).transpose()?);
            let between = self.is_between_memories() || self.paths.sides.0 != self.paths.sides.1;
            let is_last = |path: &[Level]| path.last() == Some(level);
            let arriving = match is_last(&self.paths.sides.1) {
                true if between => fit(elements * held)?,
                true => into,
                false => 0,
            };
            let departing = match is_last(&self.paths.sides.0) {
                true if between => self.elements(),
                true => out_of.unwrap_or(0),
                false => 0,
            };
            let (level, copies, source_copies) = (*level, fit(held)?, fit(sent)?);
            let counts = LevelTraffic { level, into, out_of, receivers, senders, ..NO_TRAFFIC };
            let counts = LevelTraffic { elements: self.elements(), arriving, departing, ..counts };
            Ok(LevelTraffic { copies, source_copies, ..counts })
        };
        let outermost_first: Result<Vec<LevelTraffic>, LayoutError> =
            path.iter().zip(both).zip(copies).map(level).collect();
        outermost_first.map(|mut levels| {
            levels.reverse();
            levels
        })
    }

    /// The number of pairs of an element and its copies within all levels of the path both sides have.
    pub(crate) fn places_in_common(&self) -> Result<u64, LayoutError> {
        let counts = self.counts(self.units.len())?;
        fit(counts.last().copied().unwrap_or(u128::from(self.elements())))
    }

    /// The number of pairs of an element and its copies that both sides have, within the first levels of the
    /// path one after the other, then within the memory.
    fn counts(&self, depth: usize) -> Result<Vec<u128>, LayoutError> {
        if self.elements() == 0 {
            return Ok(vec![0; depth]);
        }
        let levels = self.units.iter().copied().chain(self.inner()).take(depth);
        let counter = Counter::new(self, levels.map(both).collect())?;
        // The address alone is not a distance: the lane comes with it.
        counter.counts(&[], |at| at < self.units.len() || at + 1 == depth)
    }
}

/// The number of copies of an element that differ in some levels.
pub(crate) fn copies_in(layout: &Layout, levels: &[Level]) -> u128 {
    copies_along(layout, levels).last().unwrap_or(1)
}

/// As [`copies_in`], for the first level, the first two, and so on.
fn copies_along<'a>(layout: &'a Layout, levels: &'a [Level]) -> impl Iterator<Item = u128> + 'a {
    levels.iter().scan(1, |all, level| {
        let inside = layout.replicas().iter().filter(|replica| replica.level == *level);
        *all *= inside.map(|replica| u128::from(replica.size)).product::<u128>();
        Some(*all)
    })
}

impl Layout {
    /// The number of elements at places with the given coordinates, such as those in a unit; every copy counts.
    ///
    /// Levels that are not in `at` are free; in a level that the layout does not use, every coordinate is 0.
    /// Law: the numbers of all coordinates in a level add up to elements x copies.
    /// Cost: as [`Relayout::traffic`].
    ///
    /// # Errors
    /// As [`Relayout::traffic`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(10,7)/((3:7, 4_PE), (7:1))".parse()?;
    /// assert_eq!(layout.elements_at(&"PE=0".parse()?)?, 3 * 7);
    /// assert_eq!(layout.elements_at(&"PE=3".parse()?)?, 2 * 7); // one of its rows is padding
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elements_at(&self, at: &Location) -> Result<u64, LayoutError> {
        if at.iter().any(|(level, coordinate)| coordinate >= self.extent(level)) {
            return Ok(0);
        }
        let levels: Vec<Level> = at.iter().map(|(level, _)| level).collect();
        let is_here = |copies: &&Replica| levels.contains(&copies.level);
        let (here, elsewhere): (Vec<&Replica>, Vec<_>) = self.replicas().iter().partition(is_here);
        // Copies as elements of their own: a relayout counts those that coincide once.
        let axis = |all: LayoutBuilder, of: &Replica| {
            all.axis(of.size, [Subaxis::land(of.size, of.level, of.stride)])
        };
        let each = self.only(|level| levels.contains(&level)).with_replicas_where(|_| false);
        let each = here.into_iter().fold(each.to_builder(), axis).build()?;
        // The number of times that they agree with a layout that puts every element there.
        let mut there = Layout::builder();
        for axis in each.axes() {
            there = there.axis(axis.extent, [Subaxis::land(axis.extent.max(1), Level::ADDR, 0)]);
        }
        for (level, coordinate) in at.iter() {
            there = there.used(level).offset(level, coordinate);
        }
        let relayout =
            Relayout::of(Arc::new(each), Arc::new(there.build()?), Paths::through(levels), None)?;
        let elsewhere: u128 = elsewhere.iter().map(|copies| u128::from(copies.size)).product();
        fit(u128::from(relayout.places_in_common()?) * elsewhere)
    }
}

/// An upper bound on the number of units of the innermost of some levels that hold an element.
///
/// Law: no fewer than enumeration finds. Cost: by the digits.
pub(crate) fn holders_at_most(layout: &Layout, path: &[Level]) -> u64 {
    let some = u64::from(layout.elements() > 0);
    holders_along(layout, path).last().unwrap_or(some)
}

/// As [`holders_at_most`], for the first level, the first two, and so on.
pub(crate) fn holders_along<'a>(
    layout: &'a Layout,
    path: &'a [Level],
) -> impl Iterator<Item = u64> + 'a {
    let some = u64::from(layout.elements() > 0);
    let each = path.iter().map(|level| coordinates(layout, *level));
    each.scan(some, |all, level| {
        *all = all.saturating_mul(level);
        Some(*all)
    })
}

/// An upper bound on the number of coordinates used in a level: the combinations of its digits or the
/// coordinates up to the last, whichever are fewer.
fn coordinates(layout: &Layout, level: Level) -> u64 {
    let axes = layout.nodes().flat_map(|axis| tops(axis, level));
    let copies = layout.replicas().iter().filter(|replica| replica.level == level);
    let copies = copies.map(|replica| (replica.size - 1, replica.stride));
    let (apart, last) = axes.chain(copies).fold((1_u64, 0_u64), |(apart, last), (top, stride)| {
        (apart.saturating_mul(top + 1), last.saturating_add(top.saturating_mul(stride)))
    });
    apart.min(last.saturating_add(1))
}

/// The greatest values of the digits of an axis in a level, with their strides.
fn tops(axis: &Axis, level: Level) -> impl Iterator<Item = (u64, u64)> + '_ {
    let reaches = axis.reaches(axis.extent.saturating_sub(1));
    axis.subaxes.iter().zip(reaches).filter_map(move |(subaxis, top)| match subaxis.target {
        Target::Land { level: of, stride } if of == level => Some((top, stride)),
        Target::Land { .. } | Target::Feed { .. } => None,
    })
}

/// Converts a count for callers to 64 bits.
pub(crate) fn fit(count: u128) -> Result<u64, LayoutError> {
    u64::try_from(count).map_err(|_| LayoutError::too_large(Site::Layout, "the traffic"))
}
