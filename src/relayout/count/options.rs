//! Options to add, counted by the amount that they add.

use std::ops::AddAssign;

use crate::algebra::work;
use crate::error::LayoutError;
use crate::number::{to_index, to_u64};

/// The number of sums that may be made before the answer is "not decided".
pub(crate) const BUDGET: u64 = 1 << 22;

/// The error for digits that make more sums, boxes or values than the budget allows.
pub(crate) fn not_decided(budget: u64) -> LayoutError {
    LayoutError::not_decided("counting the elements that move", budget)
}

/// Takes some sums off the budget.
pub(crate) fn spend(budget: &mut u64, sums: u64) -> Result<(), LayoutError> {
    *budget = budget.checked_sub(sums).ok_or_else(|| not_decided(BUDGET))?;
    work::count(to_index(sums));
    Ok(())
}

/// A choice of something to add.
#[derive(Clone, Debug)]
pub(crate) enum Options<S> {
    /// A digit below `size` times a step, which is not 0.
    Digit { size: u64, step: S },
    /// (amount, number of options that add it), ascending, each amount once.
    Listed(Vec<(S, u128)>),
}

impl<S: Copy + Ord + Default + AddAssign> Options<S> {
    pub(crate) fn digit(size: u64, step: S) -> Options<S> {
        match step == S::default() {
            true => Options::Listed(vec![(step, size.into())]),
            false => Options::Digit { size, step },
        }
    }

    pub(crate) fn listed(mut sums: Vec<(S, u128)>) -> Options<S> {
        merge(&mut sums);
        Options::Listed(sums)
    }

    /// The number of different sums.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Options::Digit { size, .. } => *size,
            Options::Listed(sums) => to_u64(sums.len()),
        }
    }

    /// The number of options.
    pub(crate) fn total(&self) -> u128 {
        match self {
            Options::Digit { size, .. } => (*size).into(),
            Options::Listed(sums) => sums.iter().map(|(_, count)| count).sum(),
        }
    }

    /// Calls `take` with every amount and the number of options that add it, until it fails.
    #[inline]
    pub(crate) fn each<E>(&self, mut take: impl FnMut(S, u128) -> Result<(), E>) -> Result<(), E> {
        match self {
            Options::Listed(sums) => sums.iter().try_for_each(|(sum, count)| take(*sum, *count)),
            Options::Digit { size, step } => {
                let mut sum = S::default();
                (0..*size).try_for_each(|_| {
                    let added = sum;
                    sum += *step;
                    take(added, 1)
                })
            }
        }
    }
}

/// Sorts the sums and merges equal ones; fast where they come in few ascending runs.
pub(crate) fn merge<S: Copy + Ord>(sums: &mut Vec<(S, u128)>) {
    if !sums.is_sorted_by(|a, b| a.0 < b.0) {
        sums.sort_by_key(|sum| sum.0);
        sums.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
    }
}
