//! Decoding: splits a coordinate into digits and adds each digit times its weight to the axis that it belongs to.

use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::layout::{DerivedAxis, Layout};
use crate::algebra::quotients::QuotientSum;
use crate::algebra::solve::nests;
use crate::algebra::strided::{NodeDigit, StepsEvenly};
use crate::algebra::xor_decode::XorDecoder;

/// Merges neighbouring terms of one node, minor to major, where one continues the other; drops size 1.
fn merged(terms: impl Iterator<Item = NodeDigit>) -> Vec<NodeDigit> {
    let mut terms: Vec<NodeDigit> = terms.filter(|term| term.digit.size > 1).collect();
    terms.dedup_by(|major, minor| minor.takes_major(major));
    terms
}

fn divides(minor: &NodeDigit, major: &NodeDigit) -> bool {
    major.digit.stride.is_multiple_of(minor.digit.stride)
}

/// Merges terms that are minor to major; `None` unless the stride of each divides the next.
pub(crate) fn chain(terms: impl Iterator<Item = NodeDigit>) -> Option<Vec<NodeDigit>> {
    let terms = merged(terms);
    terms.is_sorted_by(divides).then_some(terms)
}

/// Returns the value that the digits of a sum below `limit` add to `node`; the terms are a [`chain`].
pub(crate) fn worth_in(terms: &[NodeDigit], node: usize, limit: u64) -> QuotientSum {
    let worth = |term: &NodeDigit| if term.node == node { term.digit.weight } else { 0 };
    QuotientSum::new(terms.iter().map(|term| (term.digit.stride, worth(term))), limit)
}

/// Returns the minor-most digit of a sum below `limit`: `sum % terms[1].stride / terms[0].stride`.
pub(crate) fn first_digit(terms: &[NodeDigit], limit: u64) -> QuotientSum {
    QuotientSum::new(terms.iter().map(|term| term.digit.stride).zip([1, 0]), limit)
}

/// The digits of a sum, major to minor.
#[derive(Clone, Debug)]
pub(crate) struct DigitDecoder(Vec<DigitChain>);

impl DigitDecoder {
    /// Prepares the decoder for sums below `limit`; the terms are minor to major, and nest.
    pub(crate) fn new(terms: impl Iterator<Item = NodeDigit>, limit: u64) -> DigitDecoder {
        let terms = merged(terms);
        let groups = terms.chunk_by(divides).map(|terms| DigitChain::new(terms, limit));
        let mut groups: Vec<DigitChain> = groups.collect();
        groups.reverse();
        DigitDecoder(groups)
    }

    /// Adds digit x weight to the values of the nodes, modulo 2^64; returns `false` if no digits have
    /// this sum.
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

/// Digits, minor to major, where each stride divides the next.
#[derive(Clone, Debug)]
struct DigitChain {
    /// The first sum beyond the major-most digit: its size x stride.
    end: u64,
    /// The digits, with their sizes, that are smaller than the next stride allows: greater values belong
    /// to no sum.
    gaps: Vec<(QuotientSum, u64)>,
    /// The value that the digits add to each node, by its number.
    adds: Vec<(usize, QuotientSum)>,
    /// The remainder below the smallest stride; `None` if that stride is 1.
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

    /// Adds digit x weight to the values of the nodes and returns the remainder; `None` if no digits fit.
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
    /// The derived axes, last to first.
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
        /// The digit with the smallest weight in the derived axis, and the weights of the others, ascending.
        minor: Option<NodeDigit>,
        above: Vec<u64>,
    },
    Flipped(XorDecoder),
}

impl FedDigits {
    /// Returns `None` if the digits do not nest, or flip dependent bits.
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

    /// Returns `None` if the digits that feed a derived axis do not nest, or flip dependent bits.
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

    /// Completes the values of all nodes, which hold the sums of the landing digits: adds the digits
    /// that feed. Returns `false` if a derived axis has padding or a value that no digits give.
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

    /// Returns the change of the index while the value of a derived axis grows in steps of `step`: (tensor
    /// axis, change of its entry per step, number of values including this one).
    ///
    /// `None` for an XOR, if `step` is not a multiple of the smallest weight that feeds the axis, or if the
    /// digit with that weight is not a digit of a tensor axis. The run ends before padding, and before this
    /// digit would carry.
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
