//! From places to elements: one place, one unit, a subtree, everything.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))     packed = PE x 24 + Addr     element = i x 8 + j
//!
//! digit   packed stride   adds to the element
//! 4_PE         24              3 x 8
//! 3:8           8                  8
//! 8:1           1                  1
//! ```
//!
//! Where packed strides nest, a place has one digit each, found from the major one down; the
//! number of the element is a sum over the digits. An axis with padding adds a sum of its own,
//! which is compared with its extent.

use std::ops::Range;

use strength_reduce::StrengthReducedU64;

use super::compiled::{Program, weights};
use crate::algebra::{Axis, DerivedAxis, Destination, Digit, Found, Layout, nests};
use crate::error::LayoutError;
use crate::level::Level;

/// What several axes say together: padding before a hole before an element.
fn either(found: Option<Found<u64>>, other: Option<Found<u64>>) -> Option<Found<u64>> {
    if other == Some(Found::Padding) { other } else { found.or(other) }
}

/// The digits of places, major to minor by packed stride.
#[derive(Clone, Debug)]
pub(super) struct Backward {
    pub(super) digits: Vec<PlaceDigit>,
    /// Whether a place has one digit each at most.
    pub(super) nests: bool,
    /// The packed number where all digits are 0.
    base: u64,
}

/// A digit that lands, as packed numbers see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceDigit {
    pub(super) digit: Digit,
    /// Its number among the digits of the layout.
    pub(super) number: usize,
    pub(super) level: Level,
    /// In packed numbers.
    pub(super) stride: u64,
}

impl PlaceDigit {
    /// The digit with its stride in packed numbers.
    fn packed(&self) -> Digit {
        Digit { step: self.stride, ..self.digit }
    }

    /// What a step adds to the number of the element; no digit is in a derived axis.
    fn adds(&self, weights: &[u64]) -> u64 {
        self.digit.axis.map_or(0, |axis| weights[axis].wrapping_mul(self.digit.place))
    }

    /// What a step adds to the value of an axis.
    fn adds_to(&self, axis: usize) -> u64 {
        if self.digit.axis == Some(axis) { self.digit.place } else { 0 }
    }
}

impl Backward {
    pub(super) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> Backward {
        let all = layout.digits();
        let land = |(number, digit): (usize, &Digit)| match digit.to {
            Destination::Level(level) => Some(PlaceDigit {
                digit: *digit,
                number,
                level,
                stride: weight(level) * digit.step,
            }),
            Destination::Derived(_) => None,
        };
        let mut digits: Vec<PlaceDigit> = all.iter().enumerate().filter_map(land).collect();
        digits.sort_by_key(|digit| std::cmp::Reverse(digit.stride));
        let terms = digits.iter().map(|place| (place.digit.size - 1, place.stride));
        let nests = nests(terms.collect());
        let offset = |level: &Level| layout.offset(*level) * weight(*level);
        let base = layout.used_levels().iter().map(offset).sum();
        Backward { digits, nests, base }
    }
}

/// A way from packed numbers to elements.
#[derive(Clone, Debug)]
pub(super) enum Lookup {
    Direct(Direct),
    Derived(Unfold),
}

impl Lookup {
    /// `None` where digits that land, or that feed a derived axis, do not nest.
    pub(super) fn new(
        backward: &Backward,
        layout: &Layout,
        window: &[Range<u64>],
    ) -> Option<Lookup> {
        let direct = || Lookup::Direct(Direct::new(backward, layout, window));
        match layout.derived_axes() {
            _ if !backward.nests => None,
            [] => Some(direct()),
            _ => Unfold::new(backward, layout, window).map(Lookup::Derived),
        }
    }

    #[inline]
    fn held(&self, place: u64) -> Found<u64> {
        match self {
            Lookup::Direct(lookup) => lookup.held(place),
            Lookup::Derived(lookup) => lookup.held(place),
        }
    }
}

/// A lookup where every digit lands.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    base: u64,
    number: Greedy,
    /// The number of the element where all digits are 0, modulo 2^64.
    origin: u64,
    /// Axes whose digits can leave the window, with their values.
    checks: Vec<(OpenAxis, Greedy)>,
}

/// A sum over the digits of a packed number: (packed stride, size, what a step adds), major to
/// minor.
#[derive(Clone, Debug)]
struct Greedy(Vec<(Divisor, u64, u64)>);

impl Greedy {
    fn new(digits: &[PlaceDigit], adds: impl Fn(&PlaceDigit) -> u64) -> Greedy {
        let digits =
            merged(digits.iter().map(|place| (place.stride, place.digit.size, adds(place))));
        let split = |(stride, size, adds)| (Divisor::new(stride), size, adds);
        Greedy(digits.into_iter().map(split).collect())
    }

    /// Modulo 2^64; `None` where no digits give the number.
    #[inline]
    fn sum(&self, steps: u64) -> Option<u64> {
        let (mut rest, mut sum) = (steps, 0_u64);
        for (stride, size, adds) in &self.0 {
            let digit = stride.quotient(rest);
            if digit >= *size {
                return None;
            }
            rest -= stride.times(digit);
            sum = sum.wrapping_add(digit.wrapping_mul(*adds));
        }
        (rest == 0).then_some(sum)
    }
}

/// An axis whose value has to be compared with its extent and with the window.
#[derive(Clone, Debug)]
struct OpenAxis {
    axis: usize,
    extent: u64,
    window: Range<u64>,
}

impl OpenAxis {
    /// The axes of a layout, with their windows.
    fn every(layout: &Layout, window: &[Range<u64>]) -> Vec<OpenAxis> {
        let axes = layout.axes().iter().zip(window).enumerate();
        let open = |(axis, (Axis { extent, .. }, window)): (usize, (&Axis, &Range<u64>))| {
            OpenAxis { axis, extent: *extent, window: window.clone() }
        };
        axes.map(open).collect()
    }

    /// Those that some digits leave.
    fn all(layout: &Layout, window: &[Range<u64>]) -> Vec<OpenAxis> {
        let open = |axis: &OpenAxis| axis.window != (0..layout.axes()[axis.axis].slots());
        OpenAxis::every(layout, window).into_iter().filter(open).collect()
    }

    /// What a place holds instead of an element, if this axis says so.
    fn held(&self, value: u64) -> Option<Found<u64>> {
        match value {
            value if value >= self.extent => Some(Found::Padding),
            value if !self.window.contains(&value) => Some(Found::Hole),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Divisor {
    Shift(u32),
    Divide(StrengthReducedU64),
}

impl Divisor {
    fn new(stride: u64) -> Divisor {
        match stride.is_power_of_two() {
            true => Divisor::Shift(stride.trailing_zeros()),
            false => Divisor::Divide(StrengthReducedU64::new(stride)),
        }
    }

    #[inline]
    fn quotient(self, value: u64) -> u64 {
        match self {
            Divisor::Shift(bits) => value >> bits,
            Divisor::Divide(stride) => value / stride,
        }
    }

    #[inline]
    fn times(self, digit: u64) -> u64 {
        match self {
            Divisor::Shift(bits) => digit << bits,
            Divisor::Divide(stride) => digit * stride.get(),
        }
    }
}

impl Direct {
    fn new(backward: &Backward, layout: &Layout, window: &[Range<u64>]) -> Direct {
        let weights = weights(window);
        let number = Greedy::new(&backward.digits, |digit| digit.adds(&weights));
        let checks = OpenAxis::all(layout, window).into_iter().map(|open| {
            let value = Greedy::new(&backward.digits, |digit| digit.adds_to(open.axis));
            (open, value)
        });
        let (checks, origin) = (checks.collect(), origin(&weights, window));
        Direct { base: backward.base, number, origin, checks }
    }

    #[inline]
    fn held(&self, place: u64) -> Found<u64> {
        let steps = place.checked_sub(self.base);
        let Some((steps, number)) = steps.and_then(|steps| Some((steps, self.number.sum(steps)?)))
        else {
            return Found::Hole;
        };
        let values = self.checks.iter().map(|(open, value)| open.held(value.sum(steps)?));
        let held = values.fold(None, either);
        held.unwrap_or(Found::Element(number.wrapping_add(self.origin)))
    }
}

/// The number of index 0, modulo 2^64.
fn origin(weights: &[u64], window: &[Range<u64>]) -> u64 {
    let steps = weights.iter().zip(window).map(|(weight, range)| weight.wrapping_mul(range.start));
    steps.fold(0_u64, u64::wrapping_sub)
}

/// A lookup through derived axes: digits that land give their values, the last of which gives the
/// digits that feed it, and so on down to the tensor axes.
#[derive(Clone, Debug)]
pub(super) struct Unfold {
    base: u64,
    digits: Vec<Part>,
    feeders: Feeders,
    axes: Vec<OpenAxis>,
    weights: Vec<u64>,
}

/// A digit of a sum, and the node that it belongs to.
#[derive(Clone, Copy, Debug)]
struct Part {
    step: Divisor,
    size: u64,
    /// One past the last node for copies.
    node: usize,
    /// What a step is worth in the value of the node.
    worth: u64,
}

impl Part {
    fn new(digit: &Digit, nodes: usize) -> Part {
        let step = Divisor::new(digit.step.max(1));
        let node = digit.axis.unwrap_or(nodes);
        Part { step, size: digit.size, node, worth: digit.place }
    }
}

/// Writes a sum in digits, adding them to the values of their nodes; `false` if it has none.
#[inline]
fn split(sum: u64, digits: &[Part], values: &mut [u64]) -> bool {
    let mut rest = sum;
    for Part { step, size, node, worth } in digits {
        let digit = step.quotient(rest);
        if digit >= *size {
            return false;
        }
        rest -= step.times(digit);
        values[*node] += digit * worth;
    }
    rest == 0
}

/// Derived axes read backward: from their values to the digits that feed them.
#[derive(Clone, Debug)]
pub(crate) struct Feeders {
    nodes: usize,
    /// Last to first.
    derived: Vec<Fed>,
}

/// A derived axis, and the digits that feed it, descending by weight.
#[derive(Clone, Debug)]
struct Fed {
    start: u64,
    extent: u64,
    feeders: Vec<Part>,
}

impl Feeders {
    /// `None` where digits that feed a derived axis do not nest.
    pub(crate) fn new(layout: &Layout) -> Option<Feeders> {
        let digits = layout.digits();
        let nodes = layout.nodes().count();
        let fed = |(number, derived): (usize, &DerivedAxis)| {
            let to = digits.to(Destination::Derived(number)).map(|(_, digit)| digit);
            let mut feeders: Vec<&Digit> = to.filter(|digit| digit.size > 1).collect();
            feeders.sort_by_key(|digit| std::cmp::Reverse(digit.step));
            let apart = nests(feeders.iter().map(|digit| (digit.size - 1, digit.step)).collect());
            let feeders = feeders.into_iter().map(|digit| Part::new(digit, nodes)).collect();
            apart.then_some(Fed { start: derived.start, extent: derived.axis.extent, feeders })
        };
        let derived = layout.derived_axes().iter().enumerate().rev().map(fed);
        Some(Feeders { nodes, derived: derived.collect::<Option<_>>()? })
    }

    /// Adds to the values of all nodes what their digits that feed are worth, given what those
    /// that land are; `false` where a derived axis holds padding.
    #[inline]
    pub(crate) fn resolve(&self, values: &mut [u64]) -> bool {
        (0..self.nodes).rev().zip(&self.derived).all(|(node, fed)| {
            let value = Some(values[node]).filter(|value| *value < fed.extent);
            let sum = value.and_then(|value| value.checked_sub(fed.start));
            sum.is_some_and(|sum| split(sum, &fed.feeders, values))
        })
    }

    /// How the index changes while the value of a derived axis grows by `step` again and again:
    /// (tensor axis, what each step adds to it, for how many values, this one included).
    ///
    /// `None` where the digit that feeds the least is not moved by whole steps of its own, or does
    /// not belong to the tensor; the last value before padding or before that digit is full ends it.
    pub(crate) fn run(&self, node: usize, value: u64, step: u64) -> Option<(usize, u64, u64)> {
        let fed = self.derived.get((self.nodes - 1).checked_sub(node)?)?;
        let (minor, above) = fed.feeders.split_last()?;
        let is_tensor = minor.node < self.nodes - self.derived.len();
        let turns = minor.step.quotient(step);
        if !is_tensor || turns == 0 || minor.step.times(turns) != step {
            return None;
        }
        let sum = value.checked_sub(fed.start)?;
        let rest = above
            .iter()
            .fold(sum, |rest, Part { step, .. }| rest - step.times(step.quotient(rest)));
        let left = minor.size.checked_sub(minor.step.quotient(rest))?.div_ceil(turns);
        let inside = fed.extent.checked_sub(value)?.div_ceil(step);
        Some((minor.node, turns * minor.worth, left.min(inside)))
    }
}

impl Unfold {
    /// `None` where digits that feed a derived axis do not nest.
    fn new(backward: &Backward, layout: &Layout, window: &[Range<u64>]) -> Option<Unfold> {
        let nodes = layout.nodes().count();
        Some(Unfold {
            base: backward.base,
            digits: backward.digits.iter().map(|place| Part::new(&place.packed(), nodes)).collect(),
            feeders: Feeders::new(layout)?,
            axes: OpenAxis::every(layout, window),
            weights: weights(window),
        })
    }

    #[inline]
    fn held(&self, place: u64) -> Found<u64> {
        const FEW: usize = 12;
        match [0; FEW].get_mut(..=self.feeders.nodes) {
            Some(values) => self.held_with(place, values),
            None => self.held_with(place, &mut vec![0; self.feeders.nodes + 1]),
        }
    }

    #[inline]
    fn held_with(&self, place: u64, values: &mut [u64]) -> Found<u64> {
        let steps = place.checked_sub(self.base);
        if !steps.is_some_and(|steps| split(steps, &self.digits, values)) {
            return Found::Hole;
        }
        if !self.feeders.resolve(values) {
            return Found::Padding;
        }
        let held = self.axes.iter().zip(&*values).map(|(axis, value)| axis.held(*value));
        held.fold(None, either).unwrap_or_else(|| {
            let axes = self.axes.iter().zip(&*values).zip(&self.weights);
            let steps = axes.map(|((axis, value), weight)| (value - axis.window.start) * weight);
            Found::Element(steps.sum())
        })
    }
}

/// Neighbours that step evenly in both numbers, as one.
fn merged(digits: impl Iterator<Item = (u64, u64, u64)>) -> Vec<(u64, u64, u64)> {
    let mut merged: Vec<(u64, u64, u64)> = Vec::new();
    for (stride, size, adds) in digits {
        match merged.last_mut() {
            Some(major) if major.0 == stride * size && Some(major.2) == adds.checked_mul(size) => {
                *major = (stride, major.1 * size, adds);
            }
            _ => merged.push((stride, size, adds)),
        }
    }
    merged
}

impl Program {
    /// What the place with a packed number holds.
    ///
    /// Law: `element(place(i))` is the row-major number of `i`.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) as [`Layout::element`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Found, Placement};
    /// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
    /// let program = placement.program()?;
    /// assert_eq!(program.place(&[3, 5])?, 3 * 21 + 5); // PE 3, address 5
    /// assert_eq!(program.element(3 * 21 + 5)?, Found::Element(26));
    /// assert_eq!(program.element(3 * 21 + 14)?, Found::Padding); // row 11
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn element(&self, place: u64) -> Result<Found<u64>, LayoutError> {
        if place >= self.places() {
            return Ok(Found::Outside);
        }
        match self.lookup() {
            Some(lookup) => Ok(lookup.held(place)),
            None => self.element_by_definition(place),
        }
    }

    fn element_by_definition(&self, place: u64) -> Result<Found<u64>, LayoutError> {
        let mut location = self.location(place);
        for level in self.compiled.layout.used_levels() {
            location.set(*level, location.get(*level).unwrap_or(0));
        }
        Ok(match self.compiled.layout.element(&location)? {
            Found::Element(index) => self.number(&index).map_or(Found::Hole, Found::Element),
            Found::Padding => Found::Padding,
            Found::Hole | Found::Outside => Found::Hole,
        })
    }

    /// The row-major number within the window.
    pub(crate) fn number(&self, index: &[u64]) -> Option<u64> {
        let mut entries = index.iter().zip(&self.shape);
        entries.try_fold(0, |number, (entry, range)| {
            let at = range.contains(entry).then(|| entry - range.start)?;
            Some(number * (range.end - range.start) + at)
        })
    }
}
