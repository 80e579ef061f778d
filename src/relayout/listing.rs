//! What the values of an axis add that two layouts split in their own ways, counted in runs.
//!
//! ```text
//! x below 1500    x / 94 adds 4 each, x % 4 takes 1 each
//!
//! x / 94 is 0 for 94 values: 23 times each of 0, -1, -2, -3, and then 0 and -1 once more
//! x / 94 is 1 for the next 94, which begin in the middle of four; ..
//! ```
//!
//! The digit with the largest place is constant in runs. In a run what the other digits add repeats with
//! their common period, so whole periods are counted once and what is left of one is cut into runs
//! of the next digit. The cost is that of the runs and not of the values.

use num_integer::Integer;

use crate::algebra::work;

/// A digit of the values: `value / place % size`, and what a step adds to what is counted and to
/// what the values are chosen by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) place: u64,
    pub(super) size: u64,
    pub(super) step: i128,
    pub(super) choice: i128,
}

/// What the values below `options` add, with how many of them add it, as far as what they are chosen
/// by is as wanted. The same sum may come more than once.
pub(super) fn sums(options: u64, turns: &[Turn], wanted: i128) -> Vec<(i128, u64)> {
    let mut sums = Vec::new();
    each(options, turns, |added, choice, times| {
        sums.extend((choice == wanted).then_some((added, times)));
    });
    sums
}

/// Calls `take` with what the values below `options` add, what they are chosen by, and how many of
/// them there are.
pub(super) fn each(options: u64, turns: &[Turn], take: impl FnMut(i128, i128, u64)) {
    let mut list = List { turns: joined(turns), take };
    list.add(0, (0, options), Sum { added: 0, choice: 0, times: 1 });
}

/// Digits with the largest place first; those that are the same on both sides as one.
fn joined(turns: &[Turn]) -> Vec<(Turn, u64)> {
    let mut turns = turns.to_vec();
    turns.sort_unstable_by_key(|turn| (turn.place, turn.size));
    turns.dedup_by(|next, kept| {
        let same = (next.place, next.size) == (kept.place, kept.size);
        if same {
            kept.step += next.step;
            kept.choice += next.choice;
        }
        same
    });
    turns.retain(|turn| turn.step != 0 || turn.choice != 0);
    let mut period = 1_u64;
    let periods = turns.into_iter().map(|turn| {
        let own = turn.place.saturating_mul(turn.size);
        period = (period / period.gcd(&own)).saturating_mul(own);
        (turn, period)
    });
    let mut turns: Vec<(Turn, u64)> = periods.collect();
    turns.reverse();
    turns
}

/// What the digits so far add, and how many values stand for one.
#[derive(Clone, Copy)]
struct Sum {
    added: i128,
    choice: i128,
    times: u64,
}

struct List<F> {
    /// Each with the period of itself and those after it.
    turns: Vec<(Turn, u64)>,
    take: F,
}

impl<F: FnMut(i128, i128, u64)> List<F> {
    /// Adds the values from the first up to the second, by the digits from one on.
    fn add(&mut self, from: usize, (start, end): (u64, u64), sum: Sum) {
        let Some((turn, period)) = self.turns.get(from).copied() else {
            (self.take)(sum.added, sum.choice, sum.times * (end - start));
            return;
        };
        let whole = (end - start) / period;
        if whole > 1 {
            self.runs(from, turn, (0, period), Sum { times: sum.times * whole, ..sum });
        }
        let rest = if whole > 1 { start + whole * period } else { start };
        self.runs(from, turn, (rest, end), sum);
    }

    /// Cuts values into those with the same digit.
    fn runs(&mut self, from: usize, turn: Turn, (start, end): (u64, u64), sum: Sum) {
        let mut at = start;
        while at < end {
            work::count(1);
            let run = at / turn.place;
            let next = (run + 1).saturating_mul(turn.place).min(end);
            let digit = i128::from(run % turn.size);
            let added = sum.added + digit * turn.step;
            let choice = sum.choice + digit * turn.choice;
            self.add(from + 1, (at, next), Sum { added, choice, ..sum });
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn runs_give_what_every_value_gives() {
        let turn = |place, size, step, choice| Turn { place, size, step, choice };
        let cases = [
            (1500, vec![turn(94, 16, 4, 0), turn(1, 4, -1, 0)], 0),
            (1500, vec![turn(94, 16, 4, 0), turn(1, 94, 7, 0), turn(375, 4, 0, 1)], 2),
            (1000, vec![turn(63, 16, 1, 1), turn(1, 16, -1, 0), turn(16, 3, 5, -1)], 1),
            (960, vec![turn(1, 7, 1, 0), turn(7, 5, 1, 0), turn(1, 5, -3, 0)], 0),
            (100, vec![turn(5, 20, 3, 0), turn(5, 20, -3, 0)], 0),
            (0, vec![turn(1, 4, 1, 0)], 0),
        ];
        for (options, turns, wanted) in cases {
            let mut slow: BTreeMap<i128, u64> = BTreeMap::new();
            for value in 0..options {
                let digit = |turn: &Turn| i128::from(value / turn.place % turn.size);
                if turns.iter().map(|turn| digit(turn) * turn.choice).sum::<i128>() == wanted {
                    let sum = turns.iter().map(|turn| digit(turn) * turn.step).sum();
                    *slow.entry(sum).or_default() += 1;
                }
            }
            let mut fast: BTreeMap<i128, u64> = BTreeMap::new();
            for (sum, count) in sums(options, &turns, wanted) {
                *fast.entry(sum).or_default() += count;
            }
            assert_eq!(fast, slow, "{options} {turns:?}");
        }
    }

    #[test]
    fn long_axes_take_steps_by_their_runs() {
        let turn = |place, size, step| Turn { place, size, step, choice: 0 };
        let turns = [turn(65_625, 16, 4), turn(1, 4, -1)];
        let (_, steps) = work::of(|| sums(1_050_000, &turns, 0));
        assert!(steps < 200, "{steps}");
    }
}
