//! The map from places to elements: one place, one unit, a subtree, everything.
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
//! If packed strides nest, a place decodes to one value of each digit, from the major one down; the number of
//! the element is a sum over the digits. Padding is recognised by the digits of each axis (`edges.rs`);
//! derived axes and windows need the values of all axes.

use std::ops::Range;

use super::boxes::weights;
use super::edges::Edges;
use crate::algebra::decode::{DigitDecoder, Feeders};
use crate::algebra::strided::NodeDigit;
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Axis, Destination, Digit, Layout, nests};
use crate::level::Level;
use crate::location::Found;

/// The digits of places, minor to major by packed stride.
#[derive(Clone, Debug)]
pub(super) struct Backward {
    /// Replicas belong to a node after all axes.
    terms: Vec<NodeDigit>,
    /// True if a place decodes to at most one value of each digit.
    pub(super) nests: bool,
    /// The packed number where all digits are 0.
    pub(super) base: u64,
}

impl Backward {
    pub(super) fn new(layout: &Layout, weight: impl Fn(Level) -> u64) -> Backward {
        let copies = layout.nodes().count();
        let land = |digit: &Digit| match digit.to {
            Destination::Level(level) => Some(NodeDigit::new(
                &Digit { stride: weight(level) * digit.stride, ..*digit },
                copies,
            )),
            Destination::Derived(_) => None,
        };
        let mut terms: Vec<NodeDigit> = layout.digits().iter().filter_map(land).collect();
        terms.sort_by_key(|term| term.digit.stride);
        let nests = nests(terms.iter().map(|term| (term.digit.size - 1, term.digit.stride)));
        Backward { terms, nests, base: layout.weighed_offset(weight) }
    }
}

/// A way from packed numbers to elements.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    base: u64,
    digits: DigitDecoder,
    decode: Decode,
}

/// The way from decoded digits to an element.
#[derive(Clone, Debug)]
enum Decode {
    /// The number of the element directly.
    Number(Edges),
    Axes(Axes),
}

/// The values of the axes, to be compared with their extents and with the window.
#[derive(Clone, Debug)]
struct Axes {
    feeders: Feeders,
    open: Vec<OpenAxis>,
}

#[derive(Clone, Debug)]
struct OpenAxis {
    extent: u64,
    window: Range<u64>,
    /// The number that a step adds to the number of the element.
    weight: u64,
}

impl Lookup {
    /// The lookup for packed numbers below `places`; `None` if digits that land, or that feed a derived axis,
    /// do not nest.
    pub(super) fn new(
        backward: &Backward,
        layout: &Layout,
        window: &[Range<u64>],
        places: u64,
    ) -> Option<Lookup> {
        if !backward.nests {
            return None;
        }
        let (base, weights) = (backward.base, weights(window));
        let terms = || backward.terms.iter().copied();
        let whole = |(axis, window): (&Axis, &Range<u64>)| *window == (0..axis.extent);
        if layout.derived_axes().is_empty()
            && layout.axes().iter().zip(window).all(whole)
            && let Some(edges) = Edges::new(layout, terms(), places)
        {
            // The number that a digit adds to the number of the element; replicas add nothing.
            let numbers = terms().map(|NodeDigit { node, digit }| {
                let weight =
                    weights.get(node).map_or(0, |weight| weight.wrapping_mul(digit.weight));
                NodeDigit { node: 0, digit: StridedDigit { weight, ..digit } }
            });
            let digits = DigitDecoder::new(numbers, places);
            return Some(Lookup { base, digits, decode: Decode::Number(edges) });
        }
        let open = layout.axes().iter().zip(window).zip(weights);
        let open = open.map(|((Axis { extent, .. }, window), weight)| OpenAxis {
            extent: *extent,
            window: window.clone(),
            weight,
        });
        let axes = Axes { feeders: Feeders::new(layout)?, open: open.collect() };
        Some(Lookup {
            base,
            digits: DigitDecoder::new(terms(), places),
            decode: Decode::Axes(axes),
        })
    }

    #[inline]
    pub(super) fn held(&self, place: u64) -> Found<u64> {
        const FEW: usize = 12;
        let Some(steps) = place.checked_sub(self.base) else { return Found::Hole };
        let axes = match &self.decode {
            Decode::Number(edges) => {
                let mut number = [0];
                return match self.digits.add(steps, &mut number) {
                    false => Found::Hole,
                    true if edges.hold(steps) => Found::Element(number[0]),
                    true => Found::Padding,
                };
            }
            Decode::Axes(axes) => axes,
        };
        match [0; FEW].get_mut(..=axes.feeders.nodes()) {
            Some(values) => self.held_with(axes, steps, values),
            None => self.held_with(axes, steps, &mut vec![0; axes.feeders.nodes() + 1]),
        }
    }

    #[inline(always)]
    fn held_with(&self, axes: &Axes, steps: u64, values: &mut [u64]) -> Found<u64> {
        if !self.digits.add(steps, values) {
            return Found::Hole;
        }
        if !axes.feeders.resolve(values) {
            return Found::Padding;
        }
        let (mut number, mut inside) = (0_u64, true);
        for (OpenAxis { extent, window, weight }, value) in axes.open.iter().zip(&*values) {
            if value >= extent {
                return Found::Padding;
            }
            inside &= window.contains(value);
            number = number.wrapping_add(value.wrapping_sub(window.start).wrapping_mul(*weight));
        }
        if inside { Found::Element(number) } else { Found::Hole }
    }
}
