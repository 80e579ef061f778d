//! An upper bound on the solutions of equations, without looking for them.
//!
//! ```text
//! a + 7 b - c = 0,  c - 3 d = 0        a, b, c, d below 7, 9, 63, 21: at most 7 x 9 solutions
//!
//! given a and b the first leaves one c, given c the second leaves one d
//! ```
//!
//! A digit in an equation has one value once the others have theirs. So equations are taken one after
//! the other, each with a digit that those before it do not have: the digits that remain free multiply.
//! A value that both sides split in their own way may bring several equations at once; it takes as many
//! values as agree with all the digits that are then given.

use super::digit::{Adds, DigitChoice, PeriodicDigit, Step};
use super::system::System;
use crate::number::to_u64;

/// A choice, with the equations that it is to solve, and how many options are left to it.
struct Elimination {
    equations: Vec<usize>,
    options: u64,
    left: u64,
}

impl System {
    /// No fewer than [`count`](System::count).
    pub(super) fn count_at_most(&self) -> u128 {
        if self.impossible {
            return 0;
        }
        let options = self.choices.iter().flatten().map(|choice| u128::from(choice.options));
        let mut most = options.fold(1, u128::saturating_mul);
        let (mut open, mut solved) = (self.kept.clone(), Vec::new());
        while let Some(pivot) = self.best(&open, &solved) {
            most = most / u128::from(pivot.options) * u128::from(pivot.left);
            open.retain(|equation| !pivot.equations.contains(equation));
            solved.extend(pivot.equations);
        }
        most
    }

    /// What saves most among the choices that no solved equation has; of equals a split one.
    fn best(&self, open: &[usize], solved: &[usize]) -> Option<Elimination> {
        let pivots = (0..self.choices.len()).filter_map(|number| {
            let choice = self.choices[number].as_ref()?;
            let is_fresh = !solved.iter().any(|of| self.members[*of].contains(&number));
            let own = open.iter().copied().filter(|of| self.members[*of].contains(&number));
            let pivot = if is_fresh { self.pivot(choice, own) } else { None }?;
            let saves = pivot.options / pivot.left.max(1);
            (pivot.left < pivot.options).then_some((saves, choice.as_digit().is_none(), pivot))
        });
        let best = pivots.max_by_key(|(saves, is_split, _)| (*saves, *is_split));
        best.map(|(.., pivot)| pivot)
    }

    fn pivot(
        &self,
        choice: &DigitChoice<i128>,
        equations: impl Iterator<Item = usize>,
    ) -> Option<Elimination> {
        let options = choice.options;
        if choice.as_digit().is_none() {
            let equations: Vec<usize> = equations.filter(|of| choice.is_told(*of)).collect();
            let left = choice.options_at_most(&equations);
            return Some(Elimination { equations, options, left });
        }
        // The equation with the fewest other digits, which it shuts out.
        let digits = |of: &usize| self.members[*of].iter().filter(|at| self.digit(**at).is_some());
        let only = equations.min_by_key(|of| digits(of).count())?;
        Some(Elimination { equations: vec![only], options, left: 1 })
    }
}

impl DigitChoice<i128> {
    /// Returns whether what it adds to an equation tells a digit of the number.
    fn is_told(&self, equation: usize) -> bool {
        match &self.adds {
            Adds::PeriodicDigits(all) => {
                all.iter().filter(|digit| digit.step.0 == equation).count() == 1
            }
            Adds::Listed(_) => true,
        }
    }

    /// The number of options that add the same to some equations, at most.
    fn options_at_most(&self, equations: &[usize]) -> u64 {
        match &self.adds {
            Adds::PeriodicDigits(digits) => {
                let given = digits.iter().filter(|digit| equations.contains(&digit.step.0));
                agreeing(self.options, given.collect())
            }
            Adds::Listed(rows) => {
                let added = |row: &Vec<i128>| -> Vec<i128> {
                    equations.iter().map(|equation| row[*equation]).collect()
                };
                let mut all: Vec<Vec<i128>> = rows.iter().map(added).collect();
                all.sort_unstable();
                to_u64(all.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0))
            }
        }
    }
}

/// The number of values below `options` that have some given digits, at most: of each digit the runs of values
/// that have it, from the major-most down, and what is left of the shortest run.
fn agreeing(options: u64, mut digits: Vec<&PeriodicDigit<Step<i128>>>) -> u64 {
    digits.sort_by_key(|digit| std::cmp::Reverse(digit.place));
    let (mut runs, mut length, mut start_divides) = (1_u64, options, u64::MAX);
    for digit in digits {
        let period = digit.place.saturating_mul(digit.size);
        // A run that starts at a multiple of the period meets no more than its length holds.
        let is_even = start_divides == u64::MAX || start_divides.is_multiple_of(period);
        let reach = if is_even { length - 1 } else { length - 1 + digit.place - 1 };
        runs = runs.saturating_mul(reach / period + 1);
        start_divides = if is_even || length >= digit.place { digit.place } else { 1 };
        length = length.min(digit.place);
    }
    runs.saturating_mul(length)
}
