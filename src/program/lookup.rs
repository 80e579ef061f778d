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
use crate::algebra::{Axis, DerivedAxis, Found, Layout, Target, nests};
use crate::error::LayoutError;
use crate::level::Level;

/// What several axes say together: padding before a hole before an element.
fn either(found: Option<Found<u64>>, other: Option<Found<u64>>) -> Option<Found<u64>> {
    if other == Some(Found::Padding) { other } else { found.or(other) }
}

/// The digits of places, major to minor by packed stride.
#[derive(Clone, Debug)]
pub(super) struct Backward {
    pub(super) digits: Vec<Digit>,
    /// Whether a place has one digit each at most.
    pub(super) nests: bool,
    /// The packed number where all digits are 0.
    base: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub(super) level: Level,
    pub(super) size: u64,
    /// In packed numbers.
    pub(super) stride: u64,
    /// The node, none for copies, and which of its digits, or of the copies, this is.
    pub(super) node: Option<usize>,
    pub(super) at: usize,
    /// What one step is worth in the value of the node.
    pub(super) worth: u64,
}

impl Digit {
    /// What a step adds to the number of the element; no digit is in a derived axis.
    fn adds(&self, weights: &[u64]) -> u64 {
        self.node.map_or(0, |axis| weights[axis].wrapping_mul(self.worth))
    }

    /// What a step adds to the value of an axis.
    fn adds_to(&self, axis: usize) -> u64 {
        if self.node == Some(axis) { self.worth } else { 0 }
    }
}

impl Backward {
    pub(super) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> Backward {
        let mut digits = Vec::new();
        for (node, axis) in layout.nodes().enumerate() {
            let mut worth = 1;
            for (at, subaxis) in axis.subaxes.iter().enumerate().rev() {
                let size = subaxis.size;
                if let Target::Land { level, stride } = subaxis.target {
                    let stride = weight(level) * stride;
                    digits.push(Digit { level, size, stride, node: Some(node), at, worth });
                }
                worth *= size;
            }
        }
        digits.extend(layout.replicas().iter().enumerate().map(|(at, replica)| {
            let stride = weight(replica.level) * replica.stride;
            Digit { level: replica.level, size: replica.size, stride, node: None, at, worth: 0 }
        }));
        digits.sort_by_key(|digit| std::cmp::Reverse(digit.stride));
        let nests = nests(digits.iter().map(|digit| (digit.size - 1, digit.stride)).collect());
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
    fn new(digits: &[Digit], adds: impl Fn(&Digit) -> u64) -> Greedy {
        let digits = merged(digits.iter().map(|digit| (digit.stride, digit.size, adds(digit))));
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
    digits: Vec<Split>,
    /// Last to first.
    derived: Vec<Fed>,
    axes: Vec<OpenAxis>,
    weights: Vec<u64>,
    nodes: usize,
}

/// A digit of a sum, and where it goes.
#[derive(Clone, Copy, Debug)]
struct Split {
    step: Divisor,
    size: u64,
    /// The node, one past the last for copies, and what a step is worth in its value.
    node: usize,
    worth: u64,
}

/// A derived axis and the digits that feed it, descending by weight.
#[derive(Clone, Debug)]
struct Fed {
    start: u64,
    extent: u64,
    feeders: Vec<Split>,
}

/// Writes a sum in digits, adding them to the values of their nodes; `false` if it has none.
#[inline]
fn split(sum: u64, digits: &[Split], values: &mut [u64]) -> bool {
    let mut rest = sum;
    for Split { step, size, node, worth } in digits {
        let digit = step.quotient(rest);
        if digit >= *size {
            return false;
        }
        rest -= step.times(digit);
        values[*node] += digit * worth;
    }
    rest == 0
}

impl Unfold {
    /// `None` where digits that feed a derived axis do not nest.
    fn new(backward: &Backward, layout: &Layout, window: &[Range<u64>]) -> Option<Unfold> {
        let nodes = layout.nodes().count();
        let land = |digit: &Digit| Split {
            step: Divisor::new(digit.stride),
            size: digit.size,
            node: digit.node.unwrap_or(nodes),
            worth: digit.worth,
        };
        let mut feeds: Vec<Vec<(u64, Split)>> = vec![Vec::new(); layout.derived_axes().len()];
        for (node, axis) in layout.nodes().enumerate() {
            let mut worth = 1;
            for subaxis in axis.subaxes.iter().rev() {
                if let Target::Feed { derived, weight } = subaxis.target {
                    let step = Divisor::new(weight.max(1));
                    feeds[derived].push((weight, Split { step, size: subaxis.size, node, worth }));
                }
                worth *= subaxis.size;
            }
        }
        let apart = |fed: &Vec<(u64, Split)>| {
            nests(fed.iter().map(|(weight, split)| (split.size - 1, *weight)).collect())
        };
        if !feeds.iter().all(apart) {
            return None;
        }
        let fed = |(derived, mut feeders): (&DerivedAxis, Vec<(u64, Split)>)| {
            feeders.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
            let feeders = feeders.into_iter().map(|(_, split)| split).collect();
            Fed { start: derived.start, extent: derived.axis.extent, feeders }
        };
        Some(Unfold {
            base: backward.base,
            digits: backward.digits.iter().map(land).collect(),
            derived: layout.derived_axes().iter().zip(feeds).rev().map(fed).collect(),
            axes: OpenAxis::every(layout, window),
            weights: weights(window),
            nodes,
        })
    }

    #[inline]
    fn held(&self, place: u64) -> Found<u64> {
        const FEW: usize = 12;
        if self.nodes < FEW {
            return self.held_with(place, &mut [0; FEW]);
        }
        self.held_with(place, &mut vec![0; self.nodes + 1])
    }

    #[inline]
    fn held_with(&self, place: u64, values: &mut [u64]) -> Found<u64> {
        let steps = place.checked_sub(self.base);
        if !steps.is_some_and(|steps| split(steps, &self.digits, values)) {
            return Found::Hole;
        }
        for (node, fed) in (0..self.nodes).rev().zip(&self.derived) {
            let value = Some(values[node]).filter(|value| *value < fed.extent);
            let sum = value.and_then(|value| value.checked_sub(fed.start));
            if !sum.is_some_and(|sum| split(sum, &fed.feeders, values)) {
                return Found::Padding;
            }
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
