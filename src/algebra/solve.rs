//! Bounded sums: finding the digits that add up to a given value.
//!
//! ```text
//! 12 a + 8 b + 3 c = 31, all digits below 4
//!
//! a = 0   8 b + 3 c = 31: at most 33        b = 3 leaves 7, no multiple of 3; b = 2 leaves 15 > 9
//! a = 1   8 b + 3 c = 19                    b = 2 leaves 3: c = 1
//! ```
//!
//! Decoding solves this twice: for the digits of a level, given a coordinate, and for the digits that feed a
//! derived axis, given its value. Collisions solve it for differences of digits. The heaviest digit comes
//! first; the greatest sum of the later ones, and the common divisor of their weights, leave few values for
//! each. Where the weights nest (each is more than all smaller ones can add up to) there is at most one
//! answer, found greedily; elsewhere this is bounded subset-sum, searched with a budget.

use std::ops::ControlFlow;

use num_integer::Integer;
use smallvec::SmallVec;

use crate::algebra::work;
use crate::error::LayoutError;

/// The number of steps a search may take before the answer is "not decided".
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
        work::count(1);
        let spent = || LayoutError::not_decided(self.question, BUDGET);
        self.left = self.left.checked_sub(1).ok_or_else(spent)?;
        Ok(())
    }
}

/// Returns whether different digits always add up to different values: in ascending order of weight, each
/// weight is more than all smaller terms can add. A sufficient condition; terms are
/// (greatest digit, weight).
pub(crate) fn nests(terms: impl Iterator<Item = (u64, u64)>) -> bool {
    let mut terms: SmallVec<[_; 8]> = terms.filter(|(top, _)| *top > 0).collect();
    terms.sort_unstable_by_key(|(_, weight)| *weight);
    let mut reach = 0_u64;
    terms.into_iter().all(|(top, weight)| {
        let clear = weight > reach;
        reach = reach.saturating_add(top.saturating_mul(weight));
        clear
    })
}

/// A digit that takes part in a sum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<N = u64> {
    /// The number of the digit in the caller's list.
    pub(crate) digit: usize,
    pub(crate) size: N,
    pub(crate) weight: N,
}

/// The receiver of the digits that a search chooses.
pub(crate) trait Choices<N> {
    /// The value with which a solution stops the search.
    type Found;

    /// The least value that a digit may take now.
    fn least(&self, _term: &Term<N>) -> u64 {
        0
    }

    /// Takes a value for a digit; `false` where that cannot lead to a solution.
    fn choose(&mut self, term: &Term<N>, value: N) -> bool;

    /// Takes the choice back.
    fn take_back(&mut self, _term: &Term<N>, _value: N) {}

    /// Looks at a solution: every digit has a value.
    fn found(&mut self, budget: &mut Budget) -> Result<ControlFlow<Self::Found>, LayoutError>;
}

/// A sum of weight x digit, prepared for being solved.
#[derive(Clone, Debug)]
pub(crate) struct Sum<N = u64> {
    /// The terms, descending by weight.
    terms: Vec<Term<N>>,
    /// The greatest sum of the terms from each position on.
    reach: Vec<N>,
    /// The greatest common divisor of the weights from each position on.
    step: Vec<N>,
}

/// Of `u64`, or `u128` where sums may be twice as large.
impl<N: Integer + Copy + From<u64>> Sum<N> {
    /// Prepares a sum; the terms add up to at most the greatest number (invariant 4 of a layout). Digits
    /// of size 1 stay 0 and take no part, which also bounds the depth of the search: 64 larger ones
    /// would exceed invariant 4.
    pub(crate) fn new(mut terms: Vec<Term<N>>) -> Sum<N> {
        terms.retain(|term| term.size > N::one());
        terms.sort_by_key(|term| std::cmp::Reverse(term.weight));
        let zeros = vec![N::zero(); terms.len() + 1];
        let (mut reach, mut step) = (zeros.clone(), zeros);
        for (at, term) in terms.iter().enumerate().rev() {
            reach[at] = reach[at + 1] + (term.size - N::one()) * term.weight;
            step[at] = step[at + 1].gcd(&term.weight);
        }
        Sum { terms, reach, step }
    }

    /// Returns whether no digit moves, so that 0 is the only value.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The greatest sum.
    pub(crate) fn greatest(&self) -> N {
        self.reach[0]
    }

    /// Passes every solution to `choices`, until one stops the search.
    pub(crate) fn search<C: Choices<N>>(
        &self,
        target: N,
        choices: &mut C,
        budget: &mut Budget,
    ) -> Result<ControlFlow<C::Found>, LayoutError> {
        self.descend(0, target, choices, budget)
    }

    fn descend<C: Choices<N>>(
        &self,
        at: usize,
        rest: N,
        choices: &mut C,
        budget: &mut Budget,
    ) -> Result<ControlFlow<C::Found>, LayoutError> {
        budget.step()?;
        let Some(term) = self.terms.get(at) else {
            let is_solution = rest == N::zero();
            return if is_solution { choices.found(budget) } else { Ok(ControlFlow::Continue(())) };
        };
        if rest > self.reach[at] || !rest.is_multiple_of(&self.step[at]) {
            return Ok(ControlFlow::Continue(()));
        }
        let (least, most) = self.range(at, rest);
        let mut value = least.max(choices.least(term).into());
        while value <= most {
            if choices.choose(term, value) {
                let found = self.descend(at + 1, rest - value * term.weight, choices, budget)?;
                if found.is_break() {
                    return Ok(found);
                }
                choices.take_back(term, value);
            }
            value = value + N::one();
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the least and the greatest value of a digit for which the later digits can add the rest.
    fn range(&self, at: usize, rest: N) -> (N, N) {
        let term = &self.terms[at];
        let most = term.size - N::one();
        if term.weight == N::zero() {
            return (N::zero(), most);
        }
        let after = self.reach[at + 1];
        let least = if rest > after { (rest - after).div_ceil(&term.weight) } else { N::zero() };
        (least, most.min(rest / term.weight))
    }
}

/// A function that gets the digits of every solution, and continues the search or stops it with a value.
pub(crate) type OnSolution<'a, B> =
    dyn FnMut(&mut [u64], &mut Budget) -> Result<ControlFlow<B>, LayoutError> + 'a;

/// Writes digits into a list and calls a function with every solution.
struct WrittenDigits<'a, 'f, B> {
    digits: &'a mut [u64],
    found: &'a mut OnSolution<'f, B>,
}

impl<B> Choices<u64> for WrittenDigits<'_, '_, B> {
    type Found = B;

    fn choose(&mut self, term: &Term, value: u64) -> bool {
        self.digits[term.digit] = value;
        true
    }

    fn found(&mut self, budget: &mut Budget) -> Result<ControlFlow<B>, LayoutError> {
        (self.found)(self.digits, budget)
    }
}

impl Sum {
    /// Calls `found` with every solution written into `digits`, until it breaks.
    pub(crate) fn solve<B>(
        &self,
        target: u64,
        digits: &mut [u64],
        budget: &mut Budget,
        found: &mut OnSolution<'_, B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        self.search(target, &mut WrittenDigits { digits, found }, budget)
    }
}
