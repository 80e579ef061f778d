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
//! number of the element is a sum over the digits, and so a whole table is the forward one of
//! another form. An axis with padding adds a sum of its own, which is compared with its extent.

use std::ops::Range;

use strength_reduce::StrengthReducedU64;

use crate::algebra::{Axis, Found, Layout, Target, nests};
use crate::error::LayoutError;
use crate::level::Level;
use crate::program::Program;

/// What several axes say together: padding before a hole before an element.
pub(super) fn either(found: Option<Found<u64>>, other: Option<Found<u64>>) -> Option<Found<u64>> {
    if other == Some(Found::Padding) { other } else { found.or(other) }
}

/// The digits of places, major to minor by packed stride, which nest.
#[derive(Clone, Debug)]
pub(super) struct Backward {
    pub(super) digits: Vec<Digit>,
    /// The packed number where all digits are 0.
    base: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub(super) level: Level,
    pub(super) size: u64,
    /// In packed numbers.
    pub(super) stride: u64,
    /// The axis, none for copies, and what the digit is worth in its value.
    pub(super) axis: Option<usize>,
    pub(super) place: u64,
}

impl Digit {
    /// What a step adds to the number of the element.
    pub(super) fn adds(&self, weights: &[u64]) -> u64 {
        self.axis.map_or(0, |axis| weights[axis].wrapping_mul(self.place))
    }

    /// What a step adds to the value of an axis.
    pub(super) fn adds_to(&self, axis: usize) -> u64 {
        if self.axis == Some(axis) { self.place } else { 0 }
    }
}

impl Backward {
    /// `None` where strides do not nest, or digits feed derived axes.
    pub(super) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> Option<Backward> {
        let mut digits = Vec::new();
        for (number, axis) in layout.axes().iter().enumerate() {
            let mut place = 1;
            for subaxis in axis.subaxes.iter().rev() {
                let Target::Land { level, stride } = subaxis.target else { return None };
                let (size, stride) = (subaxis.size, weight(level) * stride);
                digits.push(Digit { level, size, stride, axis: Some(number), place });
                place *= size;
            }
        }
        digits.extend(layout.replicas().iter().map(|replica| {
            let stride = weight(replica.level) * replica.stride;
            Digit { level: replica.level, size: replica.size, stride, axis: None, place: 0 }
        }));
        digits.retain(|digit| digit.size > 1);
        digits.sort_by_key(|digit| std::cmp::Reverse(digit.stride));
        let tops = digits.iter().map(|digit| (digit.size - 1, digit.stride)).collect();
        let offset = |level: &Level| layout.offset(*level) * weight(*level);
        let base = layout.used_levels().iter().map(offset).sum();
        let nested = layout.derived_axes().is_empty() && nests(tops);
        nested.then_some(Backward { digits, base })
    }
}

/// A lookup by packed number.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
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
pub(super) struct OpenAxis {
    pub(super) axis: usize,
    extent: u64,
    window: Range<u64>,
}

impl OpenAxis {
    /// Those of a layout.
    pub(super) fn all(layout: &Layout, window: &[Range<u64>]) -> Vec<OpenAxis> {
        let axes = layout.axes().iter().zip(window).enumerate();
        let open = axes.filter(|(_, (axis, window))| **window != (0..axis.slots()));
        open.map(|(axis, (Axis { extent, .. }, window))| OpenAxis {
            axis,
            extent: *extent,
            window: window.clone(),
        })
        .collect()
    }

    pub(super) fn holds(&self, least: u64, greatest: u64) -> bool {
        self.window.start <= least && greatest < self.window.end
    }

    /// What a place holds instead of an element, if this axis says so.
    pub(super) fn held(&self, value: u64) -> Option<Found<u64>> {
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

impl Lookup {
    pub(super) fn new(backward: &Backward, layout: &Layout, window: &[Range<u64>]) -> Lookup {
        let weights = weights(window);
        let number = Greedy::new(&backward.digits, |digit| digit.adds(&weights));
        let checks = OpenAxis::all(layout, window).into_iter().map(|open| {
            let value = Greedy::new(&backward.digits, |digit| digit.adds_to(open.axis));
            (open, value)
        });
        let (checks, origin) = (checks.collect(), origin(&weights, window));
        Lookup { base: backward.base, number, origin, checks }
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

/// What one step of each axis adds to the row-major number within the window.
pub(super) fn weights(window: &[Range<u64>]) -> Vec<u64> {
    let mut weights = vec![1_u64; window.len()];
    for axis in (1..window.len()).rev() {
        let extent = window[axis].end - window[axis].start;
        weights[axis - 1] = weights[axis].wrapping_mul(extent);
    }
    weights
}

/// The number of index 0, modulo 2^64.
pub(super) fn origin(weights: &[u64], window: &[Range<u64>]) -> u64 {
    let steps = weights.iter().zip(window).map(|(weight, range)| weight.wrapping_mul(range.start));
    steps.fold(0_u64, u64::wrapping_sub)
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
        match &self.lookup {
            Some(lookup) => Ok(lookup.held(place)),
            None => self.element_by_definition(place),
        }
    }

    fn element_by_definition(&self, place: u64) -> Result<Found<u64>, LayoutError> {
        let mut location = self.location(place);
        for level in self.layout.used_levels() {
            location.set(*level, location.get(*level).unwrap_or(0));
        }
        Ok(match self.layout.element(&location)? {
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
