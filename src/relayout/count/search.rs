//! Counting the ways in which a sum of choices is 0.
//!
//! ```text
//! 4 a + b - 4 c - d = 0    a, c below 8, b, d below 4        32 solutions
//!
//! after  a       sums 0 4 8 .. 28
//!        a c     sums -4 0 4 only: b and d can add at most 3
//!        a c b   ..
//! ```
//!
//! Choices are taken in the order of their weights, heaviest first; only those options of each are tried that
//! the rest can bring back to 0, and equal sums are counted together. So the number of simultaneous sums
//! grows not with the digits, but with how far their weights are from lining up.

use num_integer::Integer;

use super::options::not_decided;
use super::options::{BUDGET, Options, merge};
use crate::algebra::work;
use crate::error::LayoutError;
use crate::number::{to_index, to_u64};

impl Options<i128> {
    /// The least and the greatest amount that it adds.
    fn bounds(&self) -> (i128, i128) {
        match self {
            Options::Digit { size, step } => {
                let most = (i128::from(*size) - 1) * step;
                (most.min(0), most.max(0))
            }
            Options::Listed(rows) => {
                let end = |row: Option<&(i128, u128)>| row.map_or(0, |row| row.0);
                (end(rows.first()), end(rows.last()))
            }
        }
    }

    /// The weight by which choices are sorted: the step of a digit or the greatest amount of a list; of
    /// lists of one width, the shorter one is heavier.
    fn weight(&self) -> (i128, usize) {
        match self {
            Options::Digit { step, .. } => (step.abs(), 0),
            Options::Listed(rows) => {
                let (least, most) = self.bounds();
                (most.abs().max(least.abs()), usize::MAX - rows.len())
            }
        }
    }

    /// Calls `take` with every amount from `least` to `most`, and the number of options that add it.
    fn between(&self, least: i128, most: i128, mut take: impl FnMut(i128, u128)) {
        match self {
            Options::Digit { size, step } => {
                let (from, to) = if *step > 0 { (least, most) } else { (-most, -least) };
                let from = Integer::div_ceil(&from, &step.abs()).max(0);
                let to = Integer::div_floor(&to, &step.abs()).min(i128::from(*size) - 1);
                let mut digit = from;
                while digit <= to {
                    take(digit * step, 1);
                    digit += 1;
                }
            }
            Options::Listed(rows) => {
                let from = rows.partition_point(|row| row.0 < least);
                for (sum, count) in rows[from..].iter().take_while(|row| row.0 <= most) {
                    take(*sum, *count);
                }
            }
        }
    }
}

/// Partial sums with the number of ways to make them, ascending.
type SumSearch = Vec<(i128, u128)>;

/// The number of ways to choose so that `start` plus all that is added is 0.
///
/// As soon as the choices that are left have no more combinations than the next step would make sums,
/// they are divided between two lists of sums, which are then joined.
pub(crate) fn count_zeros(
    start: i128,
    mut terms: Vec<Options<i128>>,
    budget: &mut u64,
) -> Result<u128, LayoutError> {
    terms.sort_by_cached_key(|term| std::cmp::Reverse(term.weight()));
    // The least and the greatest sum of the terms from each one on, and the number of their combinations.
    let mut rest = vec![(0, 0, 1_u64); terms.len() + 1];
    for (at, term) in terms.iter().enumerate().rev() {
        let ((least, most), (low, high, ways)) = (term.bounds(), rest[at + 1]);
        rest[at] = (low + least, high + most, ways.saturating_mul(term.count()));
    }
    let mut sums: SumSearch = vec![(start, 1)];
    for (at, term) in terms.iter().enumerate() {
        let held = to_u64(sums.len());
        if rest[at].2 <= held.saturating_mul(term.count()) {
            return met(sums, &terms[at..], budget);
        }
        let (low, high, _) = rest[at + 1];
        sums = expanded(&sums, term, (-high, -low), budget)?;
    }
    Ok(sums.iter().map(|(_, count)| count).sum())
}

/// The number of ways to bring a sum back to 0 with all of the terms.
///
/// Each is added to the shorter one of two lists, those with many options first, so that neither list
/// grows much beyond what the largest term makes.
fn met(sums: SumSearch, terms: &[Options<i128>], budget: &mut u64) -> Result<u128, LayoutError> {
    let mut terms: Vec<&Options<i128>> = terms.iter().collect();
    terms.sort_by_key(|term| std::cmp::Reverse(term.count()));
    let (mut long, mut short) = (sums, vec![(0, 1)]);
    for (at, term) in terms.iter().enumerate() {
        let others = terms[at + 1..].iter().map(|term| term.bounds()).chain([ends(&long)]);
        let (low, high) = others.fold((0, 0), |sum, (least, most)| (sum.0 + least, sum.1 + most));
        short = expanded(&short, term, (-high, -low), budget)?;
        if short.len() > long.len() {
            std::mem::swap(&mut short, &mut long);
        }
    }
    Ok(joined(&long, &short))
}

/// The least and the greatest sum.
fn ends(sums: &SumSearch) -> (i128, i128) {
    (sums.first().map_or(0, |sum| sum.0), sums.last().map_or(0, |sum| sum.0))
}

/// All sums with one more term, as far as they are within `bounds`.
///
/// The longer of both lists is read once for every entry of the shorter one, so the result is in few
/// ascending runs, which a stable sort merges.
fn expanded(
    sums: &SumSearch,
    term: &Options<i128>,
    bounds: (i128, i128),
    budget: &mut u64,
) -> Result<SumSearch, LayoutError> {
    let few = to_u64(sums.len()) <= term.count();
    let mut next = Expansion { sums: Vec::new(), bounds, budget };
    if few {
        sums.iter().try_for_each(|(sum, ways)| {
            next.add(|(least, most), take| {
                let added = |added, options| take(sum + added, ways * options);
                term.between(least - sum, most - sum, added);
            })
        })?;
    } else {
        term.each(|added, options| {
            next.add(|(least, most), take| {
                let from = sums.partition_point(|(sum, _)| sum + added < least);
                let reached = sums[from..].iter().take_while(|(sum, _)| sum + added <= most);
                reached.for_each(|(sum, ways)| take(sum + added, ways * options));
            })
        })?;
    }
    merge(&mut next.sums);
    Ok(next.sums)
}

/// Sums on the way to those with one more term.
struct Expansion<'a> {
    sums: SumSearch,
    bounds: (i128, i128),
    budget: &'a mut u64,
}

impl Expansion<'_> {
    /// Adds a run of sums, as far as the budget goes.
    fn add(
        &mut self,
        run: impl FnOnce((i128, i128), &mut dyn FnMut(i128, u128)),
    ) -> Result<(), LayoutError> {
        let spent = || not_decided(BUDGET);
        *self.budget = self.budget.checked_sub(1).ok_or_else(spent)?;
        let before = self.sums.len();
        let left = to_index(*self.budget);
        let mut many = false;
        run(self.bounds, &mut |sum, ways| {
            many |= self.sums.len() - before >= left;
            if !many {
                self.sums.push((sum, ways));
            }
        });
        let made = self.sums.len() - before;
        work::count(1 + made);
        let made = to_u64(made);
        *self.budget = self.budget.checked_sub(made).filter(|_| !many).ok_or_else(spent)?;
        Ok(())
    }
}

/// The number of pairs of both lists that add up to 0.
fn joined(sums: &SumSearch, others: &SumSearch) -> u128 {
    let mut others = others.iter().rev().peekable();
    let mut total = 0;
    for (sum, count) in sums {
        while others.next_if(|(other, _)| *other > -sum).is_some() {}
        if let Some((_, ways)) = others.peek().filter(|(other, _)| *other == -sum) {
            total += count * ways;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(start: i128, terms: Vec<Options<i128>>) -> u128 {
        count_zeros(start, terms, &mut BUDGET.clone()).unwrap()
    }

    #[test]
    fn the_picture_at_the_top_is_true() {
        let digit = Options::digit;
        assert_eq!(count(0, vec![digit(8, 4), digit(4, 1), digit(8, -4), digit(4, -1)]), 32);
        assert_eq!(count(1, vec![digit(8, 4)]), 0);
        assert_eq!(count(-28, vec![digit(8, 4)]), 1);
        assert_eq!(count(0, vec![digit(8, 4), digit(6, -4)]), 6);
        assert_eq!(count(3, vec![digit(8, -1), Options::listed(vec![(2, 1), (0, 3), (2, 4)])]), 8);
    }
}
