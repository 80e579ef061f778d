//! The sums that the values of an axis make where two layouts split it differently, counted in runs.
//!
//! ```text
//! x below 1500    x / 94 adds 4 each, x % 4 takes 1 each
//!
//! x / 94 is 0 for 94 values: 23 times each of 0, -1, -2, -3, and then 0 and -1 once more
//! x / 94 is 1 for the next 94, which begin in the middle of four; ..
//! ```
//!
//! The digit with the largest place is constant in runs. In a run, the sums of the other digits repeat with
//! their common period, so whole periods are counted once and the rest is cut into runs of the next
//! digit. The cost depends on the number of runs, not on the number of values.

use super::digit::{Adds, DigitChoice, Step};
use crate::algebra::strided::StridedDigit;
use crate::algebra::work;
use crate::number::lcm;

/// Two sums: the one that is counted and the one that selects values, or the units of both sides.
pub(crate) type Both = [i128; 2];

impl<N: Copy> DigitChoice<N> {
    /// Calls `take` with the sums that its numbers make, each with the count of numbers; `step` and `row`
    /// convert a step and a listed row. A sum may come more than once.
    pub(crate) fn each(
        &self,
        step: impl Fn(Step<N>) -> Both,
        row: impl Fn(&[N]) -> Both,
        mut take: impl FnMut(Both, u64),
    ) {
        match &self.adds {
            Adds::Digits(digits) => {
                let digits = digits.iter().map(|digit| digit.with(step(digit.stride)));
                each(self.options, digits.collect(), take);
            }
            Adds::Listed(rows) => rows.iter().for_each(|added| take(row(added), 1)),
        }
    }
}

/// Calls `take` with the sums of the digits of the values below `options`, each with a count of values.
fn each(options: u64, digits: Vec<StridedDigit<Both>>, take: impl FnMut(Both, u64)) {
    let mut list = List { digits: joined(digits), take };
    list.add(0, (0, options), ListedSum { added: [0; 2], times: 1 });
}

/// Adds the second pair to the first, `times` times.
fn plus([a, b]: Both, [x, y]: Both, times: i128) -> Both {
    [a + x * times, b + y * times]
}

/// Sorts digits by place, largest first, combines those with equal place and size, and adds to each the
/// period of itself and those after it.
fn joined(mut digits: Vec<StridedDigit<Both>>) -> Vec<(StridedDigit<Both>, u64)> {
    digits.sort_unstable_by_key(|digit| (digit.weight, digit.size));
    digits.dedup_by(|next, kept| {
        let same = (next.weight, next.size) == (kept.weight, kept.size);
        if same {
            kept.stride = plus(kept.stride, next.stride, 1);
        }
        same
    });
    digits.retain(|digit| digit.stride != [0; 2]);
    let mut period = 1_u64;
    let periods = digits.into_iter().map(|digit| {
        let own = digit.weight.saturating_mul(digit.size);
        period = lcm(period, own).unwrap_or(u64::MAX);
        (digit, period)
    });
    let mut digits: Vec<_> = periods.collect();
    digits.reverse();
    digits
}

/// The sum of the digits so far, and the number of times that each value counts.
#[derive(Clone, Copy)]
struct ListedSum {
    added: Both,
    times: u64,
}

struct List<F> {
    /// Each with the period of itself and those after it.
    digits: Vec<(StridedDigit<Both>, u64)>,
    take: F,
}

impl<F: FnMut(Both, u64)> List<F> {
    /// Counts the values from `start` up to `end`, by the digits from number `from` on.
    fn add(&mut self, from: usize, (start, end): (u64, u64), sum: ListedSum) {
        let Some((digit, period)) = self.digits.get(from).copied() else {
            (self.take)(sum.added, sum.times * (end - start));
            return;
        };
        let whole = (end - start) / period;
        if whole > 1 {
            self.runs(from, digit, (0, period), ListedSum { times: sum.times * whole, ..sum });
        }
        let rest = if whole > 1 { start + whole * period } else { start };
        self.runs(from, digit, (rest, end), sum);
    }

    /// Cuts the values into runs in which `digit` is constant.
    fn runs(
        &mut self,
        from: usize,
        digit: StridedDigit<Both>,
        (start, end): (u64, u64),
        sum: ListedSum,
    ) {
        let mut at = start;
        while at < end {
            work::count(1);
            let run = at / digit.weight;
            let next = (run + 1).saturating_mul(digit.weight).min(end);
            let added = plus(sum.added, digit.stride, i128::from(run % digit.size));
            self.add(from + 1, (at, next), ListedSum { added, ..sum });
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The sums of the values whose second sum is `wanted`, each with the number of values.
    fn sums(options: u64, digits: &[StridedDigit<Both>], wanted: i128) -> BTreeMap<i128, u64> {
        let mut sums = BTreeMap::new();
        each(options, digits.to_vec(), |[added, choice], values| {
            if choice == wanted {
                *sums.entry(added).or_default() += values;
            }
        });
        sums
    }

    fn digit(place: u64, size: u64, step: i128, choice: i128) -> StridedDigit<Both> {
        StridedDigit { size, weight: place, stride: [step, choice] }
    }

    #[test]
    fn runs_give_what_every_value_gives() {
        let cases = [
            (1500, vec![digit(94, 16, 4, 0), digit(1, 4, -1, 0)], 0),
            (1500, vec![digit(94, 16, 4, 0), digit(1, 94, 7, 0), digit(375, 4, 0, 1)], 2),
            (1000, vec![digit(63, 16, 1, 1), digit(1, 16, -1, 0), digit(16, 3, 5, -1)], 1),
            (960, vec![digit(1, 7, 1, 0), digit(7, 5, 1, 0), digit(1, 5, -3, 0)], 0),
            (100, vec![digit(5, 20, 3, 0), digit(5, 20, -3, 0)], 0),
            (0, vec![digit(1, 4, 1, 0)], 0),
        ];
        for (options, digits, wanted) in cases {
            let mut slow: BTreeMap<i128, u64> = BTreeMap::new();
            for value in 0..options {
                let adds = |at: usize| {
                    let digit = |d: &StridedDigit<Both>| {
                        i128::from(value / d.weight % d.size) * d.stride[at]
                    };
                    digits.iter().map(digit).sum::<i128>()
                };
                if adds(1) == wanted {
                    *slow.entry(adds(0)).or_default() += 1;
                }
            }
            assert_eq!(sums(options, &digits, wanted), slow, "{options} {digits:?}");
        }
    }

    #[test]
    fn long_axes_take_steps_by_their_runs() {
        let digits = [digit(65_625, 16, 4, 0), digit(1, 4, -1, 0)];
        let (_, steps) = work::of(|| sums(1_050_000, &digits, 0));
        assert!(steps < 200, "{steps}");
    }
}
