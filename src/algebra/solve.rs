//! Bounded sums: which digits add up to a given value.
//!
//! Going backward asks the same question twice: which digits of a level give this coordinate, and
//! which digits that feed a derived axis give this value. Where the weights nest (each is more
//! than all smaller ones can add up to) there is at most one answer, found greedily; elsewhere
//! this is bounded subset-sum, searched with pruning and a budget.

use std::ops::ControlFlow;

use num_integer::Integer;

use crate::error::LayoutError;

/// How many steps a search may take before the answer is "not decided".
pub(crate) const BUDGET: u64 = 1 << 22;

/// Counts the steps of a search.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
    question: &'static str,
}

impl Budget {
    pub(crate) fn new(question: &'static str) -> Budget {
        Budget { left: BUDGET, question }
    }

    pub(crate) fn step(&mut self) -> Result<(), LayoutError> {
        let spent = LayoutError::NotDecided { question: self.question, budget: BUDGET };
        self.left = self.left.checked_sub(1).ok_or(spent)?;
        Ok(())
    }
}

/// Whether different digits always add up to different values: in ascending order of weight, each
/// weight is more than all smaller terms can add. A sufficient condition; terms are
/// (greatest digit, weight).
pub(crate) fn nests(mut terms: Vec<(u64, u64)>) -> bool {
    terms.retain(|(top, _)| *top > 0);
    terms.sort_unstable_by_key(|(_, weight)| *weight);
    let mut reach = 0_u64;
    terms.into_iter().all(|(top, weight)| {
        let clear = weight > reach;
        reach = reach.saturating_add(top.saturating_mul(weight));
        clear
    })
}

/// What to do with a solution: go on, or stop with a value.
pub(crate) type OnSolution<'a, B> =
    dyn FnMut(&mut [u64], &mut Budget) -> Result<ControlFlow<B>, LayoutError> + 'a;

/// A digit that takes part in a sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The number of the digit in the caller's list.
    pub(crate) digit: usize,
    pub(crate) size: u64,
    pub(crate) weight: u64,
}

/// A sum of weight x digit, prepared for being solved.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// Descending by weight.
    terms: Vec<Term>,
    /// What the terms from here on add at most.
    reach: Vec<u64>,
    /// The greatest common divisor of the weights from here on.
    step: Vec<u64>,
}

impl Sum {
    /// The terms may add up to at most `u64::MAX` (invariant 4 of a layout). Digits of size 1
    /// stay 0 and take no part, which also bounds the depth of the search: 64 larger ones would
    /// exceed invariant 4.
    pub(crate) fn new(mut terms: Vec<Term>) -> Sum {
        terms.retain(|term| term.size > 1);
        terms.sort_by_key(|term| std::cmp::Reverse(term.weight));
        let (mut reach, mut step) = (vec![0; terms.len() + 1], vec![0; terms.len() + 1]);
        for (at, term) in terms.iter().enumerate().rev() {
            reach[at] = reach[at + 1] + (term.size - 1) * term.weight;
            step[at] = step[at + 1].gcd(&term.weight);
        }
        Sum { terms, reach, step }
    }

    /// Whether no digit moves, so that 0 is the only value.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Calls `found` with every solution written into `digits`, until it breaks.
    pub(crate) fn solve<B>(
        &self,
        target: u64,
        digits: &mut [u64],
        budget: &mut Budget,
        found: &mut OnSolution<'_, B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        self.descend(0, target, digits, budget, found)
    }

    fn descend<B>(
        &self,
        at: usize,
        rest: u64,
        digits: &mut [u64],
        budget: &mut Budget,
        found: &mut OnSolution<'_, B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        budget.step()?;
        let Some(term) = self.terms.get(at) else {
            return if rest == 0 { found(digits, budget) } else { Ok(ControlFlow::Continue(())) };
        };
        if rest > self.reach[at] || (rest > 0 && !rest.is_multiple_of(self.step[at])) {
            return Ok(ControlFlow::Continue(()));
        }
        let (least, most) = match term.weight {
            0 => (0, term.size - 1),
            weight => (
                rest.saturating_sub(self.reach[at + 1]).div_ceil(weight),
                (rest / weight).min(term.size - 1),
            ),
        };
        for digit in least..=most {
            digits[term.digit] = digit;
            let rest = rest - digit * term.weight;
            if let ControlFlow::Break(value) = self.descend(at + 1, rest, digits, budget, found)? {
                return Ok(ControlFlow::Break(value));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
