//! From a place back to its element.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::algebra::digits::{Destination, Digits};
use crate::algebra::layout::{Axis, Combine, Layout, Target};
use crate::algebra::nested_element::NestedDecoder;
use crate::algebra::radix::join;
use crate::algebra::solve::{Budget, Sum};
use crate::algebra::xor::BitSystem;
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::{Found, Location};

impl Layout {
    /// Finds the element, padding or hole at a place.
    ///
    /// The place may omit a level outside [`used_levels`](Layout::used_levels) or give it any coordinate,
    /// because all units of that level hold a copy. If no subaxis lands in `Addr`, an omitted `Addr` is
    /// address 0.
    /// Law: `element(locate(i)) == i` for every index and every copy; every other place is padding, a hole
    /// or outside. If padding shares a place with an element, the element is returned.
    /// Cost: O(subaxes) where strides nest; else a search with a budget.
    ///
    /// # Errors
    /// `Missing` for a place without a coordinate in a used level; `NotDecided` past the budget.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Layout, Level, Location};
    /// let layout: Layout = "(10,7)/((3:7, 4_PE), (7:1))".parse()?;
    /// let at = |pe, address| Location::from_iter([(Level::PE, pe), (Level::ADDR, address)]);
    /// assert_eq!(layout.element(&at(1, 15))?, Found::Element(vec![9, 1]));
    /// assert_eq!(layout.element(&at(2, 15))?, Found::Padding);
    /// assert_eq!(layout.element(&at(4, 0))?, Found::Outside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn element(&self, place: &Location) -> Result<Found, LayoutError> {
        if let Some(index) = self.element_of_quotients(place) {
            return Ok(Found::Element(index));
        }
        match NestedDecoder::new(self).and_then(|decoder| decoder.element(place)) {
            Some(found) => Ok(found),
            None => Decoder::new(self).element(place),
        }
    }

    /// The index whose digits are quotients of the place by their strides, if that is its place: most elements are found so,
    /// without sorting digits or keeping them. `None` says nothing.
    fn element_of_quotients(&self, place: &Location) -> Option<Vec<u64>> {
        if !self.derived.is_empty() {
            return None;
        }
        // Each coordinate, and what the digits leave of it.
        let mut places = SmallVec::<[(u64, u64); 8]>::new();
        let mut coordinates = place.iter();
        for used in &self.used {
            let (_, at) = coordinates.find(|(level, _)| level == used)?;
            let at = at.checked_sub(self.offset(*used))?;
            places.push((at, at));
        }
        let mut digit = |level: &Level, size: u64, stride: u64| {
            // By reference: comparing a fresh copy of a level would wait until it is stored.
            let number = self.used.iter().position(|used| used == level)?;
            let (at, rest) = places.get_mut(number)?;
            let digit = at.checked_div(stride)? % size;
            *rest = rest.checked_sub(digit * stride)?;
            Some(digit)
        };
        let mut index = Vec::with_capacity(self.axes.len());
        for axis in &self.axes {
            let (mut value, mut weight) = (0, 1);
            for subaxis in axis.subaxes.iter().rev().filter(|subaxis| subaxis.size > 1) {
                let Target::Land { level, stride } = &subaxis.target else { return None };
                value += digit(level, subaxis.size, *stride)? * weight;
                weight *= subaxis.size;
            }
            index.push((value < axis.extent).then_some(value)?);
        }
        for copies in &self.replicas {
            digit(&copies.level, copies.size, copies.stride)?;
        }
        places.iter().all(|(_, rest)| *rest == 0).then_some(index)
    }
}

/// A layout read backward: one sum per used level, then one per derived axis, last to first.
///
/// Solving the sums of all levels determines the digits that land. Derived axes come after the digits that
/// feed them, so they are solved from last to first: the digits of each are then known, they determine its
/// value, and its sum determines the digits that feed it.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    layout: &'a Layout,
    levels: Vec<LevelSum>,
    feeders: Vec<FeederSum>,
    digits: Digits,
}

/// The digits that feed a derived axis, prepared for finding those with a given value.
#[derive(Debug)]
enum FeederSum {
    Sum(Sum),
    Xor(BitSystem),
}

#[derive(Debug)]
struct LevelSum {
    level: Level,
    offset: u64,
    extent: u64,
    span: u64,
    sum: Sum,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(layout: &'a Layout) -> Decoder<'a> {
        let digits = layout.digits();
        let levels = layout.used.iter().map(|&level| {
            let (offset, sum) = (layout.offset(level), digits.sum(Destination::Level(level)));
            let extent = 1 + offset + sum.greatest();
            LevelSum {
                level,
                offset,
                extent,
                span: layout.given_span(level).unwrap_or(extent),
                sum,
            }
        });
        let feeders =
            layout.derived.iter().enumerate().map(|(number, derived)| match derived.combine {
                Combine::Sum => FeederSum::Sum(digits.sum(Destination::Derived(number))),
                Combine::Xor => FeederSum::Xor(BitSystem::of_slots(&digits, number)),
            });
        Decoder { layout, levels: levels.collect(), feeders: feeders.collect(), digits }
    }

    pub(crate) fn element(&self, place: &Location) -> Result<Found, LayoutError> {
        let mut targets = Vec::with_capacity(self.levels.len());
        let mut hole = false;
        for LevelSum { level, offset, extent, span, .. } in &self.levels {
            let at =
                place.get(*level).or_else(|| (*level == Level::ADDR && *extent == 1).then_some(0));
            let at = at.ok_or_else(|| {
                fault!(
                    Missing,
                    "the location lacks a coordinate in `{level}`, which the layout uses",
                    [level = *level]
                )
                .with_help("add `{level}=0` or another coordinate")
            })?;
            if at >= *span {
                return Ok(Found::Outside);
            }
            hole |= at < *offset || at >= *extent;
            targets.push(at.saturating_sub(*offset));
        }
        if hole {
            return Ok(Found::Hole);
        }
        let mut digits = vec![0; self.digits.len()];
        let mut search = PlaceSearch { decoder: self, targets, padding: false };
        let mut budget = Budget::new("finding the element at a place");
        match search.level(0, &mut digits, &mut budget)? {
            ControlFlow::Break(index) => Ok(Found::Element(index)),
            ControlFlow::Continue(()) if search.padding => Ok(Found::Padding),
            ControlFlow::Continue(()) => Ok(Found::Hole),
        }
    }

    /// Returns the index whose landing digits are those of the given values of all axes, if its own values
    /// are real.
    pub(crate) fn index(&self, values: &[u64]) -> Result<Option<Vec<u64>>, LayoutError> {
        let mut digits = vec![0; self.digits.len()];
        let mut rest = &mut digits[..];
        for (axis, value) in self.layout.nodes().zip(values) {
            let (own, others) = rest.split_at_mut(axis.subaxes.len());
            axis.digits(*value, own);
            rest = others;
        }
        let mut budget = Budget::new("finding the element at a place");
        Ok(self.derived(self.feeders.len(), &mut digits, &mut budget)?.break_value())
    }

    /// Solves derived axes below `end`, last to first, then reads the index off the tensor axes.
    fn derived(
        &self,
        end: usize,
        digits: &mut [u64],
        budget: &mut Budget,
    ) -> Result<ControlFlow<Vec<u64>>, LayoutError> {
        let Some(at) = end.checked_sub(1) else {
            return Ok(self.read_index(digits));
        };
        let derived = &self.layout.derived[at];
        let Some(value) = self.real_value(self.layout.rank() + at, &derived.axis, digits) else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut go_on = |digits: &mut [u64], budget: &mut Budget| self.derived(at, digits, budget);
        match (&self.feeders[at], value.checked_sub(derived.start)) {
            (FeederSum::Xor(system), _) => {
                system.solve(value ^ derived.start, digits, budget, &mut go_on)
            }
            (FeederSum::Sum(sum), Some(fed)) => sum.solve(fed, digits, budget, &mut go_on),
            (FeederSum::Sum(_), None) => Ok(ControlFlow::Continue(())),
        }
    }

    fn read_index(&self, digits: &[u64]) -> ControlFlow<Vec<u64>> {
        let axes = self.layout.axes.iter().enumerate();
        match axes.map(|(node, axis)| self.real_value(node, axis, digits)).collect() {
            Some(index) => ControlFlow::Break(index),
            None => ControlFlow::Continue(()),
        }
    }

    /// Returns the value of an axis from its digits, if it is below the extent.
    fn real_value(&self, node: usize, axis: &Axis, digits: &[u64]) -> Option<u64> {
        let value = join(axis.sizes(), &digits[self.digits.numbers_of(node)]);
        (value < axis.extent).then_some(value)
    }
}

/// A search for the element at one place.
struct PlaceSearch<'a> {
    decoder: &'a Decoder<'a>,
    targets: Vec<u64>,
    /// Set when some digits land at the place, whether an element has them or not.
    padding: bool,
}

impl PlaceSearch<'_> {
    /// Solves the levels from `at` on, each for every solution of the levels before it.
    fn level(
        &mut self,
        at: usize,
        digits: &mut [u64],
        budget: &mut Budget,
    ) -> Result<ControlFlow<Vec<u64>>, LayoutError> {
        // Levels in which nothing moves were checked against their extent of 1; not descending
        // into them bounds the depth.
        let moving = |(level, _): &(&LevelSum, u64)| !level.sum.is_empty();
        let rest = self.decoder.levels.iter().zip(self.targets.iter().copied()).skip(at);
        let Some((next, (level, target))) = rest.enumerate().find(|(_, pair)| moving(pair)) else {
            self.padding = true;
            return self.decoder.derived(self.decoder.feeders.len(), digits, budget);
        };
        level.sum.solve(target, digits, budget, &mut |digits, budget| {
            self.level(at + next + 1, digits, budget)
        })
    }
}
