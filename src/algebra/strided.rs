//! Digits seen from both of their sides: the change of the index and of the place per step. Tables,
//! boxes, rows and transpositions are sums over such digits.
//!
//! ```text
//! ((4_PE, 3:8), (8:1))     index = 8 i + j     place = 24 PE + Addr
//!
//! digit   size  weight  stride
//! 8:1        8       1       1
//! 3:8        3       8       8     a step of it is all of the digit before, on both sides:
//! 4_PE       4      24      24     so is the next one, and all three count as 96, 1, 1
//! ```
//!
//! Law: merging keeps the pairs of index and place, and the number of times that each occurs; where the
//! weights are those of a mixed radix, [`place`] and the [`QuotientSum`](super::quotients::QuotientSum) of
//! the digits map the index of a pair to its place.

use smallvec::SmallVec;

use crate::algebra::digits::Digit;
use crate::algebra::radix::digits;
use crate::number::to_index;

/// A digit between an index and a place; in mixed radix, the digit of an index is `index / weight % size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StridedDigit<S = u64> {
    pub(crate) size: u64,
    /// The change of the index per step.
    pub(crate) weight: u64,
    /// The change of the place per step: a number, or a step in one of several sums.
    pub(crate) stride: S,
}

impl<S> StridedDigit<S> {
    /// Returns this digit with another step of the place.
    pub(crate) fn with<T>(&self, stride: T) -> StridedDigit<T> {
        StridedDigit { size: self.size, weight: self.weight, stride }
    }

    /// Returns the digit of an index in mixed radix.
    #[inline]
    pub(crate) fn of(&self, index: u64) -> u64 {
        index / self.weight % self.size
    }

    /// The greatest value of the digit for indexes below `limit`.
    pub(crate) fn greatest(&self, limit: u64) -> u64 {
        (self.size - 1).min(limit.saturating_sub(1) / self.weight)
    }

    /// Returns whether the digit of every index below `limit` is the index itself.
    pub(crate) fn is_whole(&self, limit: u64) -> bool {
        self.weight == 1 && self.size >= limit
    }
}

/// Digits of a sum; few sums have more than 8, and the others need no allocation.
pub(crate) type StridedDigits = SmallVec<[StridedDigit; 8]>;

impl From<&Digit> for StridedDigit {
    fn from(digit: &Digit) -> StridedDigit {
        StridedDigit { size: digit.size, weight: digit.weight, stride: digit.stride }
    }
}

impl StridedDigit {
    /// One value, which moves nothing.
    pub(crate) const ONE: StridedDigit = StridedDigit { size: 1, weight: 0, stride: 0 };

    /// Returns the digit with index and place exchanged.
    pub(crate) fn flipped(self) -> StridedDigit {
        StridedDigit { size: self.size, weight: self.stride, stride: self.weight }
    }
}

/// A digit that a neighbour may continue. Neighbours of a list are merged by `dedup_by`.
pub(crate) trait StepsEvenly: Sized {
    /// Returns both digits as one if one step of this digit is all steps of the digit below it.
    fn with_minor(&self, minor: &Self) -> Option<Self>;

    /// Takes in the digit below this one, if it can.
    fn takes_minor(&mut self, minor: &Self) -> bool {
        self.with_minor(minor).map(|both| *self = both).is_some()
    }

    /// Takes in the digit above this one, if it can.
    fn takes_major(&mut self, major: &Self) -> bool {
        major.with_minor(self).map(|both| *self = both).is_some()
    }
}

/// Returns whether a step of `major` is all `size` steps of `minor`.
#[inline]
pub(crate) fn goes_on(size: u64, minor: u64, major: u64) -> bool {
    minor.checked_mul(size) == Some(major)
}

impl StepsEvenly for StridedDigit {
    /// On both sides.
    fn with_minor(&self, minor: &StridedDigit) -> Option<StridedDigit> {
        let even = goes_on(minor.size, minor.weight, self.weight)
            && goes_on(minor.size, minor.stride, self.stride);
        even.then(|| StridedDigit { size: minor.size * self.size, ..*minor })
    }
}

impl StepsEvenly for NodeDigit {
    fn with_minor(&self, minor: &NodeDigit) -> Option<NodeDigit> {
        let digit = self.digit.with_minor(&minor.digit).filter(|_| self.node == minor.node)?;
        Some(NodeDigit { digit, ..*minor })
    }
}

/// A digit of a sum: its stride is its step in the sum, and its weight its step in the value of `node`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeDigit<S = u64> {
    pub(crate) node: usize,
    pub(crate) digit: StridedDigit<S>,
}

impl NodeDigit<()> {
    /// The digit `value / weight % size` of the value of a node, without a step of a place.
    pub(crate) fn of_value(node: usize, weight: u64, size: u64) -> NodeDigit<()> {
        NodeDigit { node, digit: StridedDigit { size, weight, stride: () } }
    }
}

impl NodeDigit {
    /// Takes the digit of an axis, or of a replica, which counts as node `copies`.
    pub(crate) fn new(digit: &Digit, copies: usize) -> NodeDigit {
        NodeDigit { node: digit.axis.unwrap_or(copies), digit: digit.into() }
    }
}

/// Sorts digits minor to major by place, drops those that move nothing, and merges neighbours that step
/// evenly.
pub(crate) fn merged(digits: impl IntoIterator<Item = StridedDigit>) -> StridedDigits {
    let moves = |digit: &StridedDigit| digit.size > 1 && (digit.weight, digit.stride) != (0, 0);
    let mut digits: StridedDigits = digits.into_iter().filter(moves).collect();
    digits.sort_unstable_by_key(|digit| (digit.stride, digit.weight));
    digits.dedup_by(|major, minor| minor.takes_major(major));
    digits
}

/// Returns the place of an index with these digits, minor to major.
#[inline]
pub(crate) fn place(strided: &[StridedDigit], index: u64) -> u64 {
    let values = digits(index, strided.iter().map(|digit| digit.size));
    values.zip(strided).map(|(value, digit)| value * digit.stride).sum()
}

/// Calls `visit` with index and place of every combination of digits, the last digit slowest,
/// modulo 2^64.
pub(crate) fn each(
    digits: &[StridedDigit],
    (mut index, mut place): (u64, u64),
    visit: &mut impl FnMut(u64, u64),
) {
    let Some((major, minor)) = digits.split_last() else { return visit(index, place) };
    for _ in 0..major.size {
        match minor {
            // Saves a call per innermost step.
            [] => visit(index, place),
            _ => each(minor, (index, place), visit),
        }
        (index, place) = (index.wrapping_add(major.weight), place.wrapping_add(major.stride));
    }
}

/// As [`each`], compiled once: for visits that do more than a step.
pub(crate) fn walk(digits: &[StridedDigit], at: (u64, u64), visit: &mut dyn FnMut(u64, u64)) {
    each(digits, at, &mut |index, place| visit(index, place));
}

/// Returns the first `most` sums of digits (size, step), the first digit fastest, modulo 2^64.
pub(crate) fn sums(digits: impl Iterator<Item = (u64, u64)> + Clone, most: usize) -> Vec<u64> {
    let all = digits.clone().fold(1_u64, |all, (size, _)| all.saturating_mul(size));
    let mut sums = Vec::with_capacity(to_index(all).min(most).max(1));
    sums.push(0_u64);
    for (size, step) in digits {
        let inner = sums.len();
        sums.resize(inner.saturating_mul(to_index(size)).min(most.max(inner)), 0);
        for at in inner..sums.len() {
            sums[at] = sums[at - inner].wrapping_add(step);
        }
    }
    sums.truncate(most);
    sums
}

#[cfg(test)]
mod tests {
    use itertools::{Itertools, iproduct};

    use super::{StridedDigit, each, merged, place, sums};
    use crate::algebra::quotients::QuotientSum;

    fn pairs(digits: &[StridedDigit]) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        each(digits, (5, 7), &mut |index, place| pairs.push((index, place)));
        pairs
    }

    /// All digits of a few sizes and strides, with the weights of a mixed radix.
    fn all() -> impl Iterator<Item = Vec<StridedDigit>> {
        let digits = || iproduct!([1, 2, 3], [0, 1, 2, 3, 4, 6]);
        iproduct!(digits(), digits(), digits()).map(|(a, b, c)| {
            let mut weight = 1;
            let digit = |(size, stride)| {
                weight *= size;
                StridedDigit { size, weight: weight / size, stride }
            };
            [a, b, c].map(digit).to_vec()
        })
    }

    #[test]
    fn merged_digits_have_the_same_pairs_of_index_and_place() {
        for digits in all() {
            let [plain, merged] = [pairs(&digits), pairs(&merged(digits.clone()))]
                .map(|pairs| pairs.into_iter().sorted().collect_vec());
            assert_eq!(plain, merged, "{digits:?}");
        }
        let even = [(3, 8, 8), (4, 24, 24), (1, 5, 5), (8, 1, 1)];
        let digit = |(size, weight, stride)| StridedDigit { size, weight, stride };
        assert_eq!(merged(even.map(digit))[..], [digit((96, 1, 1))]);
    }

    #[test]
    fn an_index_leads_to_its_place_each_way() {
        for digits in all() {
            let limit = digits.iter().map(|digit| digit.size).product();
            let even = digits.iter().map(|digit| (digit.weight, digit.stride));
            let quotients = QuotientSum::new(even, limit);
            let listed = sums(digits.iter().map(|digit| (digit.size, digit.stride)), usize::MAX);
            for (at, (index, there)) in pairs(&digits).into_iter().enumerate() {
                let ways = [place(&digits, index - 5), quotients.value(index - 5), listed[at]];
                assert_eq!(ways, [there - 7; 3], "{digits:?}");
            }
        }
        assert_eq!(sums([(3, 1), (4, 10)].into_iter(), 5), [0, 1, 2, 10, 11]);
    }
}
