//! Equality in grades, each with a witness for "no".

use std::collections::BTreeSet;
use std::fmt;

use itertools::{EitherOrBoth, Itertools};

use crate::algebra::canonical::Coordinates;
use crate::algebra::element::Found;
use crate::algebra::layout::{Layout, Subaxis};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

/// How many copies are compared by enumeration before the answer is "not decided".
const MOST_COPIES: u64 = 1 << 20;

/// How many places of one element a witness shows.
const MOST_SHOWN: usize = 64;

/// Why two layouts are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The logical extents differ.
    Shapes(Vec<u64>, Vec<u64>),
    /// The used levels differ, and there is no element to show it.
    Levels(Vec<Level>, Vec<Level>),
    /// An element has other places.
    Element {
        /// Its index.
        index: Vec<u64>,
        /// Its places in the first layout, at most 64 of them.
        first: Vec<Location>,
        /// Its places in the second layout, at most 64 of them.
        second: Vec<Location>,
    },
    /// All elements are the same, but a place answers otherwise.
    Place {
        /// The place.
        place: Location,
        /// What the first layout has there.
        first: Found,
        /// What the second layout has there.
        second: Found,
    },
}

impl Layout {
    /// Whether both are the same map: equal shapes and used levels, and every place answers alike:
    /// the same index, padding, a hole, or outside. `None` means yes.
    ///
    /// Law: as enumeration of all indexes and places.
    /// Cost: that of the canonical forms, whatever the sizes, without derived axes and where sets
    /// of coordinates can be listed; else up to 2^20 copies are compared one by one.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) past that; as [`canonical`](Layout::canonical).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Layout};
    /// use tensor_layout::algebra::Difference;
    /// let layout = |text: &str| text.parse::<Layout>().unwrap();
    /// assert_eq!(layout("(3)/((2:2, 2:1))").same_map(&layout("(3)/((4:1))"))?, None);
    /// let difference = layout("(3)/((4:1))").same_map(&layout("(3:1)"))?.unwrap();
    /// assert_eq!(difference.to_string(), "at Addr=3 one has padding, the other nothing (outside)");
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
        if let Some(difference) = self.elements_differ(other, MOST_COPIES)? {
            return Ok(Some(difference));
        }
        if self.used != other.used {
            return Ok(Some(Difference::Levels(self.used.clone(), other.used.clone())));
        }
        self.padding_differs(other)
    }

    /// Whether every index has the same set of places, padding aside. `None` means yes.
    ///
    /// Law: as enumeration. Cost and errors: as [`same_map`](Layout::same_map).
    ///
    /// # Errors
    /// As [`same_map`](Layout::same_map).
    pub fn same_up_to_padding(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        match self.shapes_differ(other) {
            Some(difference) => Ok(Some(difference)),
            None => self.elements_differ(other, MOST_COPIES),
        }
    }

    /// Whether `self` serves where `other` is wanted: for every index its places contain those of
    /// `other`. `None` means yes.
    ///
    /// A level that `self` does not use holds a copy everywhere, so it serves any coordinate.
    /// Law: as enumeration.
    /// Cost: as [`same_map`](Layout::same_map).
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
        let (first, second) = (self.shape(), other.shape());
        (first != second).then_some(Difference::Shapes(first, second))
    }

    fn witness(&self, other: &Layout, index: Vec<u64>) -> Difference {
        let places = |layout: &Layout| match layout.locate_all(&index) {
            Ok(copies) => copies.take(MOST_SHOWN).collect(),
            Err(_) => Vec::new(),
        };
        Difference::Element { first: places(self), second: places(other), index }
    }

    /// The first index found whose sets of places differ; shapes are equal.
    fn elements_differ(
        &self,
        other: &Layout,
        most: u64,
    ) -> Result<Option<Difference>, LayoutError> {
        if self.elements() == 0 {
            return Ok(None);
        }
        let differs = |index: Vec<u64>| Ok(Some(self.witness(other, index)));
        let origin = vec![0; self.rank()];
        if self.used != other.used || self.offsets != other.offsets {
            return differs(origin);
        }
        let (a, b) = (self.simplified()?, other.simplified()?);
        match a.copies_of()?.same(&b.copies_of()?) {
            Some(true) => {}
            Some(false) => return differs(origin),
            None => return a.compare_each(&b, most, |a, b| a == b),
        }
        if a.derived.is_empty() && b.derived.is_empty() {
            let index = first_difference(&a.axes_of_elements(), &b.axes_of_elements());
            return Ok(index.map(|index| self.witness(other, index)));
        }
        if a == b {
            return Ok(None);
        }
        a.compare_each(&b, most, |a, b| a == b)
    }

    /// Compares index by index the sets of places, cut to the levels that `self` uses.
    fn compare_each(
        &self,
        other: &Layout,
        most: u64,
        agree: impl Fn(&BTreeSet<Location>, &BTreeSet<Location>) -> bool,
    ) -> Result<Option<Difference>, LayoutError> {
        let question = "whether two layouts put every element in the same places";
        let not_decided = LayoutError::NotDecided { question, budget: most };
        let copies = self.copies().max(other.copies());
        let work = self.elements().checked_mul(copies).filter(|work| *work <= most);
        for index in self.corners() {
            let few = copies <= 1 << 10;
            if few && !agree(&self.places(&index)?, &other.places(&index)?) {
                return Ok(Some(self.witness(other, index)));
            }
        }
        work.ok_or(not_decided)?;
        for index in self.indexes() {
            if !agree(&self.places(&index)?, &other.places(&index)?) {
                return Ok(Some(self.witness(other, index)));
            }
        }
        Ok(None)
    }

    fn places(&self, index: &[u64]) -> Result<BTreeSet<Location>, LayoutError> {
        Ok(self.locate_all(index)?.collect())
    }

    /// Indexes at which layouts often differ: on every axis 1, the middle and the last.
    fn corners(&self) -> Vec<Vec<u64>> {
        let mut corners = vec![self.axes.iter().map(|axis| axis.extent - 1).collect_vec()];
        for (at, axis) in self.axes.iter().enumerate() {
            for entry in [1, axis.extent / 2, axis.extent - 1] {
                let mut index = vec![0; self.rank()];
                index[at] = entry.min(axis.extent - 1);
                corners.push(index);
            }
        }
        corners
    }

    fn copies_of(&self) -> Result<Product, LayoutError> {
        let replicas = self.replicas.iter().map(|r| (r.level, (r.size, r.stride)));
        Ok(Product::of(replicas.collect()))
    }

    /// A place at which padding differs; elements, offsets and used levels are the same.
    fn padding_differs(&self, other: &Layout) -> Result<Option<Difference>, LayoutError> {
        let (a, b) = (self.simplified()?, other.simplified()?);
        let all = |layout: &Layout| {
            let terms = layout.landings().map(|l| (l.level, (l.size, l.stride)));
            Product::of(terms.collect())
        };
        let differs = |level: Level, coordinate: u64| -> Result<Option<Difference>, LayoutError> {
            let mut place: Location = self.used.iter().map(|l| (*l, self.offset(*l))).collect();
            place.set(level, coordinate);
            let (first, second) = (self.element(&place)?, other.element(&place)?);
            let same = first == second;
            Ok((!same).then_some(Difference::Place { place, first, second }))
        };
        for &level in &self.used {
            let (mine, theirs) = (all(&a).in_level(level), all(&b).in_level(level));
            if let Some(step) = mine.first_difference(&theirs)?
                && let Some(difference) = differs(level, self.offset(level) + step)?
            {
                return Ok(Some(difference));
            }
        }
        for &level in &self.used {
            let (mine, theirs) = (self.span(level), other.span(level));
            if mine != theirs
                && let Some(difference) = differs(level, mine.min(theirs))?
            {
                return Ok(Some(difference));
            }
        }
        Ok(None)
    }

    /// An index whose coordinates in `level`, the only one here, `self` does not have all.
    fn unserved(&self, other: &Layout, level: Level) -> Result<Option<Vec<u64>>, LayoutError> {
        let (a, b) = (self.simplified()?, other.simplified()?);
        let (mine, theirs) = (a.copies_of()?.in_level(level), b.copies_of()?.in_level(level));
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
        let difference = a.compare_each(&b, MOST_COPIES, BTreeSet::is_superset)?;
        Ok(difference.and_then(|difference| match difference {
            Difference::Element { index, .. } => Some(index),
            _ => None,
        }))
    }
}

/// The smallest index at which merged digits of the axes differ: on one axis, the others at 0.
///
/// From the minor end, equal digits are skipped; where targets differ the index is 1 step of that
/// digit, where sizes differ it is the smaller size.
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

/// A set of places that is a product of coordinates per level; levels at 0 only are left out.
struct Product(Vec<(Level, Coordinates)>);

impl Product {
    fn of(terms: Vec<(Level, (u64, u64))>) -> Product {
        Product(crate::algebra::canonical::coordinate_sets(terms))
    }

    /// `None` where a set is too tangled to tell.
    fn same(&self, other: &Product) -> Option<bool> {
        let tangled =
            |p: &Product| p.0.iter().any(|(_, set)| matches!(set, Coordinates::Tangled(_)));
        match self.0 == other.0 {
            true => Some(true),
            false => (!tangled(self) && !tangled(other)).then_some(false),
        }
    }

    fn in_level(&self, level: Level) -> Coordinates {
        let set = self.0.iter().find(|(of, _)| *of == level).map(|(_, set)| set.clone());
        set.unwrap_or(Coordinates::Nested(Vec::new()))
    }
}

impl Coordinates {
    fn is_origin(&self) -> bool {
        *self == Coordinates::Nested(Vec::new())
    }

    /// Whether the set has this coordinate; `None` where that is too tangled to tell.
    fn holds(&self, coordinate: u64) -> Option<bool> {
        match self {
            Coordinates::Listed(all) => Some(all.binary_search(&coordinate).is_ok()),
            Coordinates::Tangled(_) => None,
            Coordinates::Nested(terms) => {
                let greedy = terms.iter().rev().fold(coordinate, |rest, (size, stride)| {
                    rest - stride * (rest / stride).min(size - 1)
                });
                Some(greedy == 0)
            }
        }
    }

    /// Whether the set has all coordinates of another; `None` where that takes too long to tell.
    fn holds_all(&self, other: &Coordinates) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        other.list(1 << 16)?.into_iter().try_fold(true, |all, at| Some(all && self.holds(at)?))
    }

    /// The coordinates, ascending, if there are at most this many.
    fn list(&self, most: u64) -> Option<Vec<u64>> {
        let terms = match self {
            Coordinates::Listed(all) => return Some(all.clone()),
            Coordinates::Tangled(_) => return None,
            Coordinates::Nested(terms) => terms,
        };
        let count = terms.iter().try_fold(1_u64, |n, (size, _)| n.checked_mul(*size))?;
        (count <= most).then(|| {
            terms.iter().fold(vec![0], |list, (size, stride)| {
                (0..*size)
                    .flat_map(|digit| list.iter().map(move |at| at + digit * stride))
                    .collect()
            })
        })
    }

    /// The smallest coordinate that one set has and the other has not.
    fn first_difference(&self, other: &Coordinates) -> Result<Option<u64>, LayoutError> {
        if self == other {
            return Ok(None);
        }
        if let (Coordinates::Nested(a), Coordinates::Nested(b)) = (self, other) {
            return Ok(nested_difference(a, b));
        }
        let question = "whether two layouts have the same padding";
        let most = 1 << 20;
        let not_decided = || LayoutError::NotDecided { question, budget: most };
        let mine: BTreeSet<u64> = self.list(most).ok_or_else(not_decided)?.into_iter().collect();
        let theirs: BTreeSet<u64> = other.list(most).ok_or_else(not_decided)?.into_iter().collect();
        Ok(mine.symmetric_difference(&theirs).next().copied())
    }
}

/// The smallest difference of two sets in their one nested form.
///
/// Up to the first term that differs both sets agree. There, either the smaller stride begins
/// something that the other set does not have, or the run of the smaller size ends: then the next
/// step of the longer run, or the next stride of the other set if that comes first.
fn nested_difference(a: &[(u64, u64)], b: &[(u64, u64)]) -> Option<u64> {
    let at = a
        .iter()
        .zip_longest(b)
        .position(|pair| !matches!(pair, EitherOrBoth::Both(x, y) if x == y))?;
    match (a.get(at), b.get(at)) {
        (Some((n, stride)), Some((m, other))) if stride == other => {
            let shorter = if n < m { a } else { b };
            let end = n.min(m) * stride;
            Some(shorter.get(at + 1).map_or(end, |(_, next)| end.min(*next)))
        }
        (x, y) => x.into_iter().chain(y).map(|(_, stride)| *stride).min(),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Shapes(first, second) => {
                write!(
                    f,
                    "the shapes are ({}) and ({})",
                    first.iter().join(","),
                    second.iter().join(",")
                )
            }
            Difference::Levels(first, second) => {
                write!(
                    f,
                    "the used levels are {} and {}",
                    first.iter().join(", "),
                    second.iter().join(", ")
                )
            }
            Difference::Element { index, first, second } => write!(
                f,
                "element ({}) is at {} in one, at {} in the other",
                index.iter().join(", "),
                shown(first),
                shown(second)
            ),
            Difference::Place { place, first, second } => {
                write!(f, "at {place} one has {}, the other {}", found(first), found(second))
            }
        }
    }
}

/// A few places.
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
