//! Decoding: splits a coordinate into digits and adds each digit times its weight to the axis that it belongs to.

use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::layout::{DerivedAxis, Layout};
use crate::algebra::quotients::QuotientSum;
use crate::algebra::solve::nests;
use crate::algebra::strided::NodeDigit;
use crate::algebra::xor_decode::XorDecoder;

/// Terms minor to major, with those of a node that go on in each other as one.
fn merged(terms: impl Iterator<Item = NodeDigit>) -> Vec<NodeDigit> {
    let mut terms: Vec<NodeDigit> = terms.filter(|term| term.digit.size > 1).collect();
    terms.dedup_by(|major, minor| major.node == minor.node && minor.digit.takes(major.digit));
    terms
}

fn divides(minor: &NodeDigit, major: &NodeDigit) -> bool {
    major.digit.stride.is_multiple_of(minor.digit.stride)
}

/// Terms, merged, of which the stride of each divides the next; `None` where one does not.
pub(crate) fn chain(terms: impl Iterator<Item = NodeDigit>) -> Option<Vec<NodeDigit>> {
    let terms = merged(terms);
    terms.is_sorted_by(divides).then_some(terms)
}

/// What the digits of a sum below `limit` add to the value of a node. The terms are a chain.
pub(crate) fn worth_in(terms: &[NodeDigit], node: usize, limit: u64) -> QuotientSum {
    let worth = |term: &NodeDigit| if term.node == node { term.digit.weight } else { 0 };
    QuotientSum::new(terms.iter().map(|term| (term.digit.stride, worth(term))), limit)
}

/// The first digit of a sum below `limit`: how many of its steps the second one leaves.
pub(crate) fn first_digit(terms: &[NodeDigit], limit: u64) -> QuotientSum {
    QuotientSum::new(terms.iter().map(|term| term.digit.stride).zip([1, 0]), limit)
}

/// The digits of a sum, major to minor.
#[derive(Clone, Debug)]
pub(crate) struct DigitDecoder(Vec<DigitChain>);

impl DigitDecoder {
    /// For sums below `limit`. Terms are minor to major, and nest.
    pub(crate) fn new(terms: impl Iterator<Item = NodeDigit>, limit: u64) -> DigitDecoder {
        let terms = merged(terms);
        let groups = terms.chunk_by(divides).map(|terms| DigitChain::new(terms, limit));
        let mut groups: Vec<DigitChain> = groups.collect();
        groups.reverse();
        DigitDecoder(groups)
    }

    /// Adds what the digits are worth to the values of their nodes, modulo 2^64; `false` if no
    /// digits make the sum.
    #[inline(always)]
    pub(crate) fn add(&self, sum: u64, values: &mut [u64]) -> bool {
        let mut rest = sum;
        for group in &self.0 {
            let Some(left) = group.add(rest, values) else { return false };
            rest = left;
        }
        rest == 0
    }
}

/// Digits of which the stride of each divides that of the one above.
#[derive(Clone, Debug)]
struct DigitChain {
    /// Sums from here on are beyond the first digit.
    end: u64,
    /// Digits that could be as large as the stride above allows, but are not: what they are, and
    /// their sizes.
    gaps: Vec<(QuotientSum, u64)>,
    /// What is added to the value of a node.
    adds: Vec<(usize, QuotientSum)>,
    /// What the digits leave.
    left: Option<QuotientSum>,
}

impl DigitChain {
    fn new(terms: &[NodeDigit], limit: u64) -> DigitChain {
        let (minor, major) = (terms[0].digit, terms[terms.len() - 1].digit);
        let gap = |at: usize| {
            let (minor, major) = (terms[at].digit, terms.get(at + 1)?.digit);
            (major.stride / minor.stride != minor.size)
                .then(|| (first_digit(&terms[at..], limit), minor.size))
        };
        let mut nodes: Vec<usize> = terms.iter().map(|term| term.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let adds = |node: usize| (node, worth_in(terms, node, limit));
        let left = || QuotientSum::new([(1, 1), (minor.stride, 0)].into_iter(), limit);
        DigitChain {
            end: major.stride.saturating_mul(major.size),
            gaps: (0..terms.len()).filter_map(gap).collect(),
            adds: nodes.into_iter().map(adds).collect(),
            left: (minor.stride > 1).then(left),
        }
    }

    /// What is left of the sum; `None` if no digits make it.
    #[inline(always)]
    fn add(&self, sum: u64, values: &mut [u64]) -> Option<u64> {
        if sum >= self.end || self.gaps.iter().any(|(digit, size)| digit.value(sum) >= *size) {
            return None;
        }
        for (node, adds) in &self.adds {
            values[*node] = values[*node].wrapping_add(adds.value(sum));
        }
        Some(self.left.as_ref().map_or(0, |left| left.value(sum)))
    }
}

/// Derived axes read backward: from their values to the digits that feed them.
#[derive(Clone, Debug)]
pub(crate) struct Feeders {
    nodes: usize,
    /// Last to first.
    derived: Vec<Fed>,
}

/// A derived axis, and the digits that feed it.
#[derive(Clone, Debug)]
struct Fed {
    start: u64,
    extent: u64,
    digits: FedDigits,
}

#[derive(Clone, Debug)]
enum FedDigits {
    Added {
        digits: DigitDecoder,
        /// The one that feeds the least, and the strides of those above, minor to major.
        minor: Option<NodeDigit>,
        above: Vec<u64>,
    },
    Flipped(XorDecoder),
}

impl FedDigits {
    /// `None` where they do not nest, or flip dependent bits.
    fn new(digits: &Digits, number: usize, derived: &DerivedAxis, nodes: usize) -> Option<Self> {
        if derived.is_xor() {
            return XorDecoder::new(digits, number, nodes).map(FedDigits::Flipped);
        }
        let to = digits.to(Destination::Derived(number)).map(|(_, digit)| digit);
        let mut feeders: Vec<&Digit> = to.filter(|digit| digit.size > 1).collect();
        feeders.sort_by_key(|digit| digit.stride);
        let apart = nests(feeders.iter().map(|digit| (digit.size - 1, digit.stride)));
        let terms: Vec<NodeDigit> =
            feeders.iter().map(|digit| NodeDigit::new(digit, nodes)).collect();
        apart.then(|| FedDigits::Added {
            digits: DigitDecoder::new(terms.iter().copied(), derived.axis.extent),
            minor: terms.first().copied(),
            above: terms.iter().skip(1).map(|term| term.digit.stride).collect(),
        })
    }
}

impl Feeders {
    /// The number of axes, derived ones included.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// `None` where digits that feed a derived axis do not nest, or flip dependent bits.
    pub(crate) fn new(layout: &Layout) -> Option<Feeders> {
        let digits = layout.digits();
        let nodes = layout.nodes().count();
        let fed = |(number, derived): (usize, &DerivedAxis)| {
            let digits = FedDigits::new(&digits, number, derived, nodes)?;
            Some(Fed { start: derived.start, extent: derived.axis.extent, digits })
        };
        let derived = layout.derived_axes().iter().enumerate().rev().map(fed);
        Some(Feeders { nodes, derived: derived.collect::<Option<_>>()? })
    }

    /// Adds to the values of all nodes what their digits that feed are worth, given what those
    /// that land are; `false` where a derived axis holds padding.
    #[inline]
    pub(crate) fn resolve(&self, values: &mut [u64]) -> bool {
        for (node, fed) in (0..self.nodes).rev().zip(&self.derived) {
            let value = values[node];
            let is_made = value < fed.extent
                && match &fed.digits {
                    FedDigits::Added { digits, .. } => {
                        value >= fed.start && digits.add(value - fed.start, values)
                    }
                    FedDigits::Flipped(digits) => digits.add(value ^ fed.start, values),
                };
            if !is_made {
                return false;
            }
        }
        true
    }

    /// How the index changes while the value of a derived axis grows by `step` again and again:
    /// (tensor axis, what each step adds to it, for how many values, this one included).
    ///
    /// `None` where the digit that feeds the least is not moved by whole steps of its own, or does
    /// not belong to the tensor; the last value before padding or before that digit is full ends it.
    pub(crate) fn run(&self, node: usize, value: u64, step: u64) -> Option<(usize, u64, u64)> {
        let fed = self.derived.get((self.nodes - 1).checked_sub(node)?)?;
        let FedDigits::Added { minor, above, .. } = &fed.digits else { return None };
        let NodeDigit { node, digit: minor } = (*minor)?;
        let is_tensor = node < self.nodes - self.derived.len();
        let turns = step / minor.stride;
        if !is_tensor || turns == 0 || minor.stride * turns != step {
            return None;
        }
        let sum = value.checked_sub(fed.start)?;
        let rest = above.iter().rev().fold(sum, |rest, step| rest % step);
        let left = minor.size.checked_sub(rest / minor.stride)?.div_ceil(turns);
        let inside = fed.extent.checked_sub(value)?.div_ceil(step);
        Some((node, turns * minor.weight, left.min(inside)))
    }
}
