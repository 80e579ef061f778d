//! Sums split into the digits that make them, and those added to the values that they are worth.

use crate::algebra::digits::{Destination, Digit};
use crate::algebra::layout::{DerivedAxis, Layout};
use crate::algebra::quotients::QuotientSum;
use crate::algebra::solve::nests;

/// A digit of a sum, and what it is worth in the value of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) step: u64,
    pub(crate) size: u64,
    pub(crate) node: usize,
    pub(crate) worth: u64,
}

impl Term {
    /// Whether both count as one.
    fn goes_on(&self, minor: &Term) -> bool {
        let whole = |major: u64, step: u64| step.checked_mul(minor.size) == Some(major);
        self.node == minor.node && whole(self.step, minor.step) && whole(self.worth, minor.worth)
    }

    /// How many steps of `minor` one of this digit is.
    fn ratio(&self, minor: &Term) -> u64 {
        self.step / minor.step
    }

    /// The digit of a sum below `limit`: how many of its steps are left by the digit above.
    pub(crate) fn below(&self, major: Option<&Term>, limit: u64) -> QuotientSum {
        let carried = |major: &Term| (major.step, major.ratio(self).wrapping_neg());
        QuotientSum::new([(self.step, 1)].into_iter().chain(major.map(carried)), limit)
    }
}

/// Terms that descend by step, with those that go on in each other as one.
fn merged(terms: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut merged: Vec<Term> = Vec::new();
    for minor in terms.filter(|term| term.size > 1) {
        match merged.last_mut().filter(|major| major.goes_on(&minor)) {
            Some(major) => *major = Term { size: major.size * minor.size, ..minor },
            None => merged.push(minor),
        }
    }
    merged
}

fn divides(major: &Term, minor: &Term) -> bool {
    major.step.is_multiple_of(minor.step)
}

/// Terms, merged, of which the step of each divides that of the one above; `None` where one does not.
pub(crate) fn chain(terms: impl Iterator<Item = Term>) -> Option<Vec<Term>> {
    let terms = merged(terms);
    terms.is_sorted_by(divides).then_some(terms)
}

/// What the digits of a sum below `limit` add to the value of a node. The terms are a chain.
pub(crate) fn worth_in(terms: &[Term], node: usize, limit: u64) -> QuotientSum {
    let worth = |term: &Term| if term.node == node { term.worth } else { 0 };
    let change = |(at, term): (usize, &Term)| {
        let carried = |minor: &Term| term.ratio(minor).wrapping_mul(worth(minor));
        (term.step, worth(term).wrapping_sub(terms.get(at + 1).map_or(0, carried)))
    };
    QuotientSum::new(terms.iter().enumerate().map(change), limit)
}

/// The digits of a sum.
#[derive(Clone, Debug)]
pub(crate) struct Split(Vec<Group>);

impl Split {
    /// For sums below `limit`. Terms descend by step, and nest.
    pub(crate) fn new(terms: impl Iterator<Item = Term>, limit: u64) -> Split {
        let terms = merged(terms);
        Split(terms.chunk_by(divides).map(|terms| Group::new(terms, limit)).collect())
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

/// Digits of which the step of each divides that of the one above.
#[derive(Clone, Debug)]
struct Group {
    /// Sums from here on are beyond the first digit.
    end: u64,
    /// Digits that could be as large as the step above allows, but are not: what they are, and
    /// their sizes.
    gaps: Vec<(QuotientSum, u64)>,
    /// What is added to the value of a node.
    adds: Vec<(usize, QuotientSum)>,
    /// What the digits leave.
    left: Option<QuotientSum>,
}

impl Group {
    fn new(terms: &[Term], limit: u64) -> Group {
        let (first, last) = (terms[0], terms[terms.len() - 1]);
        let gap = |pair: &[Term]| {
            let [major, minor] = pair else { return None };
            (major.ratio(minor) != minor.size)
                .then(|| (minor.below(Some(major), limit), minor.size))
        };
        let mut nodes: Vec<usize> = terms.iter().map(|term| term.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let adds = |node: usize| (node, worth_in(terms, node, limit));
        let left =
            || QuotientSum::new([(1, 1), (last.step, last.step.wrapping_neg())].into_iter(), limit);
        Group {
            end: first.step.saturating_mul(first.size),
            gaps: terms.windows(2).filter_map(gap).collect(),
            adds: nodes.into_iter().map(adds).collect(),
            left: (last.step > 1).then(left),
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

/// A derived axis, and the digits that feed it, descending by weight.
#[derive(Clone, Debug)]
struct Fed {
    start: u64,
    extent: u64,
    /// The one that feeds the least apart, and the steps of those above.
    feeders: Split,
    minor: Option<Term>,
    above: Vec<u64>,
}

impl Feeders {
    /// How many axes there are, derived ones included.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// `None` where digits that feed a derived axis do not nest.
    pub(crate) fn new(layout: &Layout) -> Option<Feeders> {
        let digits = layout.digits();
        let nodes = layout.nodes().count();
        let fed = |(number, derived): (usize, &DerivedAxis)| {
            let to = digits.to(Destination::Derived(number)).map(|(_, digit)| digit);
            let mut feeders: Vec<&Digit> = to.filter(|digit| digit.size > 1).collect();
            feeders.sort_by_key(|digit| std::cmp::Reverse(digit.step));
            let apart = nests(feeders.iter().map(|digit| (digit.size - 1, digit.step)));
            let term = |digit: &&Digit| Term {
                step: digit.step,
                size: digit.size,
                node: digit.axis.unwrap_or(nodes),
                worth: digit.place,
            };
            let terms: Vec<Term> = feeders.iter().map(term).collect();
            let extent = derived.axis.extent;
            let above = terms.iter().rev().skip(1).rev().map(|term| term.step);
            apart.then(|| Fed {
                start: derived.start,
                extent,
                feeders: Split::new(terms.iter().copied(), extent),
                minor: terms.last().copied(),
                above: above.collect(),
            })
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
            if value >= fed.extent || value < fed.start {
                return false;
            }
            if !fed.feeders.add(value - fed.start, values) {
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
        let minor = fed.minor?;
        let is_tensor = minor.node < self.nodes - self.derived.len();
        let turns = step / minor.step;
        if !is_tensor || turns == 0 || minor.step * turns != step {
            return None;
        }
        let sum = value.checked_sub(fed.start)?;
        let rest = fed.above.iter().fold(sum, |rest, step| rest % step);
        let left = minor.size.checked_sub(rest / minor.step)?.div_ceil(turns);
        let inside = fed.extent.checked_sub(value)?.div_ceil(step);
        Some((minor.node, turns * minor.worth, left.min(inside)))
    }
}
