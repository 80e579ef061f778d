//! Several grades of equality, each with a witness if the answer is "no".

use std::collections::BTreeSet;
use std::fmt;

use itertools::{EitherOrBoth, Itertools};

use crate::algebra::coordinates::PlaceSet;
use crate::algebra::layout::{Layout, Subaxis};
use crate::algebra::strided::sums;
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::{Found, Location};
use crate::number::to_index;

/// The number of copies that are compared by enumeration before the answer is "not decided".
const MOST_COPIES: u64 = 1 << 20;

/// The number of places of one element a witness shows.
pub(crate) const MOST_SHOWN: usize = 64;

/// The reason two layouts are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The logical extents differ.
    Shapes(Vec<u64>, Vec<u64>),
    /// The used levels differ, but no element shows it.
    Levels(Vec<Level>, Vec<Level>),
    /// An element has different places.
    Element {
        /// Its index.
        index: Vec<u64>,
        /// Its places in the first layout, at most 64 of them.
        first: Vec<Location>,
        /// Its places in the second layout, at most 64 of them.
        second: Vec<Location>,
    },
    /// All elements have the same places, but the layouts disagree on whether some other place is padding, a
    /// hole or outside.
    Place {
        /// The place.
        place: Location,
        /// The content of the place in the first layout.
        first: Found,
        /// The content of the place in the second layout.
        second: Found,
    },
}

impl Layout {
    /// Compares two maps: returns `None` if they are the same, else a difference.
    ///
    /// Maps are the same if their shapes and used levels are equal and every place has the same content:
    /// an element by its index, padding, a hole, or outside.
    ///
    /// Law: agrees with an enumeration of all indexes and places.
    /// Cost: that of the canonical forms, regardless of the sizes, if there are no derived axes and the sets
    /// of coordinates can be listed; otherwise up to 2^20 copies are compared one by one.
    ///
    /// # Errors
    /// `NotDecided` for more copies; also the errors of [`canonical`](Layout::canonical).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Layout};
    /// use tensor_layout::algebra::Difference;
    /// let layout = |text: &str| text.parse::<Layout>().unwrap();
    /// assert_eq!(layout("(3)/((2:2, 2:1))").same_map(&layout("(3)/((4:1))"))?, None);
    /// let difference = layout("(3)/((4:1))").same_map(&layout("(3:1)"))?.unwrap();
    /// assert_eq!(difference.to_string(), "at Addr=3 the first has padding, the second has nothing (outside)");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn same_map(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        if let Some(difference) = self.shapes_differ(other) {
            return Ok(Some(difference));
        }
        let (a, b) = (self.canonical()?, other.canonical()?);
        if a == b {
            return Ok(None);
        }
        if let Some(index) = self.elements_differ(other)? {
            return Ok(Some(self.witness(other, index)));
        }
        if self.used != other.used {
            return Ok(Some(Difference::Levels(self.used.clone(), other.used.clone())));
        }
        self.padding_differs(other)
    }

    /// Returns a difference in shape or in the places of an element, ignoring padding; `None` if there is
    /// none.
    ///
    /// Law: agrees with an enumeration of all indexes. Cost: that of [`same_map`](Layout::same_map).
    ///
    /// # Errors
    /// As [`same_map`](Layout::same_map).
    pub fn same_up_to_padding(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        if let Some(difference) = self.shapes_differ(other) {
            return Ok(Some(difference));
        }
        Ok(self.elements_differ(other)?.map(|index| self.witness(other, index)))
    }

    /// Returns a reason why `self` cannot be used where `other` is needed; `None` if it can, that is, if the
    /// places of every index include those in `other`.
    ///
    /// A level that `self` does not use holds a copy everywhere, so it serves any coordinate. If one layout
    /// has extra leading axes and the remaining axes agree, the extra axes are treated as copies.
    /// Law: agrees with an enumeration of all indexes.
    /// Cost: that of [`same_map`](Layout::same_map).
    ///
    /// # Errors
    /// As [`same_map`](Layout::same_map).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let everywhere: Layout = "((12:8), (8:1))".parse()?;
    /// let on_pe_0: Layout = "((1_PE, 12:8), (8:1))".parse()?;
    /// assert_eq!(everywhere.serves(&on_pe_0)?, None);
    /// assert!(on_pe_0.serves(&everywhere)?.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn serves(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        if self.rank() != other.rank() {
            let copied = |of: &Layout, than: &Layout| {
                of.with_leading_copies(of.rank().saturating_sub(than.rank()))
            };
            if let (Some(a), Some(b)) = (copied(self, other), copied(other, self))
                && a.shape() == b.shape()
            {
                return a.serves(&b);
            }
        }
        if let Some(difference) = self.shapes_differ(other) {
            return Ok(Some(difference));
        }
        if self.elements() == 0 {
            return Ok(None);
        }
        if self.used.iter().any(|level| !other.used.contains(level)) {
            return Ok(Some(self.witness(other, vec![0; self.rank()])));
        }
        for level in self.used.clone() {
            let (mine, theirs) = (self.project(level), other.project(level));
            if let Some(index) = mine.unserved(&theirs, level)? {
                return Ok(Some(self.witness(other, index)));
            }
        }
        Ok(None)
    }

    fn shapes_differ(&self, other: &Layout) -> Option<Difference> {
        let (first, second) = (self.axes.iter(), other.axes.iter());
        let same = first.map(|axis| axis.extent).eq(second.map(|axis| axis.extent));
        (!same).then(|| Difference::Shapes(self.shape(), other.shape()))
    }

    fn witness(&self, other: &Layout, index: Vec<u64>) -> Difference {
        let places = |layout: &Layout| match layout.locate_all(&index) {
            Ok(copies) => copies.take(MOST_SHOWN).collect(),
            Err(_) => Vec::new(),
        };
        Difference::Element { first: places(self), second: places(other), index }
    }

    /// Returns an index at which the sets of places differ; shapes are equal.
    fn elements_differ(&self, other: &Layout) -> Result<Option<Vec<u64>>, LayoutError> {
        if self.elements() == 0 {
            return Ok(None);
        }
        let origin = vec![0; self.rank()];
        if self.used != other.used {
            return Ok(Some(origin));
        }
        let (a, b) = (self.simplified(), other.simplified());
        match PlaceSet::of_copies(&a).same(&PlaceSet::of_copies(&b)) {
            Some(true) => {}
            Some(false) => return Ok(Some(origin)),
            None => return a.compare_places(&b),
        }
        if a == b {
            return Ok(None);
        }
        let (a, b) = (a.of_elements_if_decided()?, b.of_elements_if_decided()?);
        // A derived axis that is left may hold a part of the offset in one layout only.
        if a.derived.is_empty() && b.derived.is_empty() {
            if a.offsets != b.offsets {
                return Ok(Some(origin));
            }
            return Ok(first_difference(&a.axes_of_elements(), &b.axes_of_elements()));
        }
        match a == b {
            true => Ok(None),
            false => a.compare_places(&b),
        }
    }

    fn compare_places(&self, other: &Layout) -> Result<Option<Vec<u64>>, LayoutError> {
        self.compare_each(other, |index| Ok(self.places(index)? == other.places(index)?))
    }

    /// Returns an index at which both layouts do not `agree`; up to 2^20 copies are compared.
    fn compare_each(
        &self,
        other: &Layout,
        agree: impl Fn(&[u64]) -> Result<bool, LayoutError>,
    ) -> Result<Option<Vec<u64>>, LayoutError> {
        let question = "comparing the places of every element in two layouts";
        let copies = self.copies().max(other.copies());
        let corners = if copies <= 1 << 10 { self.corners() } else { Vec::new() };
        let work = self.elements().checked_mul(copies);
        let is_decided = work.is_some_and(|work| work <= MOST_COPIES);
        let all = is_decided.then(|| self.indexes()).into_iter().flatten();
        for index in corners.into_iter().chain(all) {
            if !agree(&index)? {
                return Ok(Some(index));
            }
        }
        if is_decided { Ok(None) } else { Err(LayoutError::not_decided(question, MOST_COPIES)) }
    }

    fn places(&self, index: &[u64]) -> Result<BTreeSet<Location>, LayoutError> {
        Ok(self.locate_all(index)?.collect())
    }

    /// Returns indexes at which layouts often differ: the first and the last, and on every axis 1, the
    /// middle and the last.
    fn corners(&self) -> Vec<Vec<u64>> {
        let last = self.axes.iter().map(|axis| axis.extent - 1).collect_vec();
        let mut corners = vec![vec![0; self.rank()], last];
        for (at, axis) in self.axes.iter().enumerate() {
            for entry in [1, axis.extent / 2, axis.extent - 1] {
                let mut index = vec![0; self.rank()];
                index[at] = entry.min(axis.extent - 1);
                corners.push(index);
            }
        }
        corners
    }

    /// Returns a place at which padding differs; elements and used levels are the same.
    fn padding_differs(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        // Without elements offsets may differ: the first slot of the layout with the smaller offset is not a
        // slot of the other.
        let apart = self.used.iter().find(|level| self.offset(**level) != other.offset(**level));
        if let Some(level) = apart {
            let first = if self.offset(*level) < other.offset(*level) { self } else { other };
            return self.answer_differs(other, first.slot_at(&[]));
        }
        let (a, b) = (self.simplified(), other.simplified());
        let (mine, theirs) = (PlaceSet::of_slots(&a), PlaceSet::of_slots(&b));
        for &level in &self.used {
            if let Some(step) = mine.in_level(level).first_difference(&theirs.in_level(level))? {
                let place = self.slot_at(&[(level, self.offset(level) + step)]);
                return self.answer_differs(other, place);
            }
        }
        for &level in &self.used {
            let (mine, theirs) = (self.span(level), other.span(level));
            if mine != theirs {
                let place = self.slot_at(&[(level, mine.min(theirs))]);
                return self.answer_differs(other, place);
            }
        }
        Ok(None)
    }

    /// Returns the place at the offsets of the used levels, except for the coordinates `elsewhere`.
    fn slot_at(&self, elsewhere: &[(Level, u64)]) -> Location {
        let offsets = self.used.iter().map(|level| (*level, self.offset(*level)));
        offsets.chain(elsewhere.iter().copied()).collect()
    }

    fn answer_differs(
        &self,
        other: &Layout,
        place: Location,
    ) -> Result<Option<Difference>, LayoutError> {
        let (first, second) = (self.element(&place)?, other.element(&place)?);
        Ok((first != second).then_some(Difference::Place { place, first, second }))
    }

    /// Returns an index that has a coordinate in `level`, the only level here, in `other` but not in `self`.
    fn unserved(&self, other: &Layout, level: Level) -> Result<Option<Vec<u64>>, LayoutError> {
        let (a, b) = (self.simplified(), other.simplified());
        let copies = |layout: &Layout| PlaceSet::of_copies(layout).in_level(level);
        let (mine, theirs) = (copies(&a), copies(&b));
        let plain = a.derived.is_empty() && b.derived.is_empty();
        let difference = match plain && a.offset(level) == b.offset(level) {
            true => first_difference(&a.axes_of_elements(), &b.axes_of_elements()),
            false => Some(vec![0; self.rank()]),
        };
        match (difference, mine.holds_all(&theirs)) {
            (None, Some(true)) => return Ok(None),
            (None, Some(false)) => return Ok(Some(vec![0; self.rank()])),
            (Some(index), _) if plain && mine.is_origin() => {
                // Without copies, the one place of every index must be the same.
                let at = |layout: &Layout| layout.locate(&index).ok().and_then(|p| p.get(level));
                if at(&a) != at(&b) {
                    return Ok(Some(index));
                }
            }
            _ => {}
        }
        a.compare_coordinates(&b, level)
    }

    /// As [`unserved`](Layout::unserved), element by element. Copies are at the same distances of every element, so they are
    /// listed once.
    fn compare_coordinates(
        &self,
        other: &Layout,
        level: Level,
    ) -> Result<Option<Vec<u64>>, LayoutError> {
        let distances = |layout: &Layout| {
            let digits = layout.replicas.iter().map(|of| (of.size, of.stride));
            // If there are more, nothing is compared.
            let mut all = sums(digits, to_index(MOST_COPIES));
            all.sort_unstable();
            all
        };
        let (mine, theirs) = (distances(self), distances(other));
        let coordinate = |layout: &Layout, index: &[u64]| {
            let mut at = layout.offset(level);
            layout.land(index, |_, step| at += step);
            at
        };
        self.compare_each(other, |index| {
            let [at, needed] = [self, other].map(|layout| coordinate(layout, index));
            let is_held = |distance: &u64| {
                let distance = (needed + distance).checked_sub(at);
                distance.is_some_and(|distance| mine.binary_search(&distance).is_ok())
            };
            Ok(theirs.iter().all(is_held))
        })
    }
}

/// Returns the smallest index at which merged digits of the axes differ: on one axis, the others at 0.
///
/// From the minor end, equal digits are skipped; if targets differ, the index is 1 step of that digit; if
/// sizes differ, it is the smaller size.
fn first_difference(a: &[Vec<Subaxis>], b: &[Vec<Subaxis>]) -> Option<Vec<u64>> {
    let differs = |a: &[Subaxis], b: &[Subaxis]| {
        let mut weight = 1;
        for pair in a.iter().rev().zip_longest(b.iter().rev()) {
            match pair {
                EitherOrBoth::Both(x, y) if x == y => weight *= x.size,
                EitherOrBoth::Both(x, y) if x.target == y.target => {
                    return Some(x.size.min(y.size) * weight);
                }
                _ => return Some(weight),
            }
        }
        None
    };
    let on_axis = a.iter().zip(b).map(|(a, b)| differs(a, b)).collect_vec();
    let axis = on_axis.iter().position(Option::is_some)?;
    let mut index = vec![0; on_axis.len()];
    index[axis] = on_axis[axis]?;
    Some(index)
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Shapes(first, second) => {
                let [first, second] = [first, second].map(|shape| shape.iter().join(","));
                write!(f, "the shapes are ({first}) and ({second})")
            }
            Difference::Levels(first, second) => {
                let [first, second] = [first, second].map(|levels| levels.iter().join(", "));
                write!(f, "the used levels are {first} and {second}")
            }
            Difference::Element { index, first, second } => write!(
                f,
                "element ({}) is at {} in the first layout and at {} in the second",
                index.iter().join(", "),
                shown(first),
                shown(second)
            ),
            Difference::Place { place, first, second } => {
                let [first, second] = [first, second].map(found);
                write!(f, "at {place} the first has {first}, the second has {second}")
            }
        }
    }
}

/// Writes at most four places.
fn shown(places: &[Location]) -> String {
    const MOST: usize = 4;
    let head = places.iter().take(MOST).join(" and ");
    if places.len() > MOST { format!("{head} and more") } else { head }
}

fn found(found: &Found) -> String {
    match found {
        Found::Element(index) => format!("element ({})", index.iter().join(", ")),
        Found::Padding => "padding".into(),
        Found::Hole => "a hole".into(),
        Found::Outside => "nothing (outside)".into(),
    }
}
