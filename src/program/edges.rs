//! Padding at the end of axes, distinguished from elements by the major-most digit.
//!
//! ```text
//! 1000 rows, 16_L2B, 8_L1B, 8:8    row = 64 L2B + 8 L1B + Addr / 8    padding from 1000 = 15 x 64 + 40
//!
//! L2B below 15    an element
//! L2B 15          an element where the row, all digits together, is below 1000
//! ```

use crate::algebra::Layout;
use crate::algebra::decode::{chain, first_digit, worth_in};
use crate::algebra::quotients::QuotientSum;
use crate::algebra::strided::NodeDigit;

/// The end of an axis with padding.
#[derive(Clone, Debug)]
struct Edge {
    /// The major-most digit of the axis; all values with a digit below `full` are real.
    major: QuotientSum,
    full: u64,
    value: QuotientSum,
    extent: u64,
}

impl Edge {
    /// The end of axis `axis`, whose digits are among a chain of terms that make sums below `limit`.
    fn new(terms: &[NodeDigit], axis: usize, extent: u64, limit: u64) -> Option<Edge> {
        let of_axis = terms.iter().enumerate().filter(|(_, term)| term.node == axis);
        let (at, major) = of_axis.max_by_key(|(_, term)| term.digit.weight)?;
        let (value, full) = (worth_in(terms, axis, limit), extent / major.digit.weight);
        Some(Edge { major: first_digit(&terms[at..], limit), full, value, extent })
    }

    #[inline]
    fn is_inside(&self, sum: u64) -> bool {
        self.major.value(sum) < self.full || self.value.value(sum) < self.extent
    }
}

/// The ends of all axes with padding.
#[derive(Clone, Debug)]
pub(super) struct Edges(Vec<Edge>);

impl Edges {
    /// The edges of a layout without derived axes, all of whose digits of more than one value are terms;
    /// `None` if they do not make a chain.
    pub(super) fn new(
        layout: &Layout,
        terms: impl Iterator<Item = NodeDigit>,
        limit: u64,
    ) -> Option<Edges> {
        let axes = layout.axes().iter().enumerate();
        let mut padded = axes.filter(|(_, axis)| axis.extent < axis.slots()).peekable();
        if padded.peek().is_none() {
            return Some(Edges(Vec::new()));
        }
        let terms = chain(terms)?;
        padded
            .map(|(at, axis)| Edge::new(&terms, at, axis.extent, limit))
            .collect::<Option<_>>()
            .map(Edges)
    }

    /// Returns whether the digits of a sum are those of an element.
    #[inline]
    pub(super) fn hold(&self, sum: u64) -> bool {
        self.0.iter().all(|edge| edge.is_inside(sum))
    }
}
