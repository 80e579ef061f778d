//! Bounds on the number of candidates, without walking them all.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::options::{Candidates, Orders};
use super::space::{LevelRule, Space};
use super::walk::{Layouts, SearchBudget};
use crate::error::LayoutError;
use crate::number::to_u64;

/// The walk ends after this many pauses, which are some thousand choices apart.
const MOST_PAUSES: u64 = 16;

impl Candidates {
    /// Returns bounds on the number of candidates. They are equal if the walk is short; otherwise they are
    /// the number found in about ten milliseconds and the product of all choices, dead ends included.
    ///
    /// Law: [`count`](Candidates::count) is between them. Cost: at most 2^16 choices.
    ///
    /// # Errors
    /// As [`iter`](Candidates::iter).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// use tensor_layout::candidates::Candidates;
    /// let all = Candidates::new(&Machine::mn_core_2(), &[1024, 1024]);
    /// assert_eq!(all.count_range()?, 2182..=2182);
    /// let parts = Candidates { level_parts: 2, ..all }.count_range()?;
    /// assert!(*parts.start() > 2182 && parts.end() > parts.start());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count_range(&self) -> Result<RangeInclusive<u128>, LayoutError> {
        let space = Arc::new(Space::new(self)?);
        let (mut least, mut pauses) = (0, 0);
        let mut goes_on = || {
            pauses += 1;
            pauses < MOST_PAUSES
        };
        let mut steps = SearchBudget::new("how many candidates there are", &mut goes_on);
        let is_over = Layouts::new(space.clone()).count_into(&mut least, &mut steps)?;
        Ok(if is_over { least..=least } else { least..=space.choices_at_most().max(least) })
    }
}

impl Space {
    /// The number of ways to make all choices, dead ends included.
    fn choices_at_most(&self) -> u128 {
        let mut most = u128::from(to_u64(self.times.len()));
        // The pieces that are in lists already: each is one more place for the next.
        let mut before = 0;
        for rule in &self.levels {
            let ways = rule.cuts.iter().map(|cut| self.ways(rule, cut, before));
            most = most.saturating_mul(ways.fold(0, u128::saturating_add));
            before += rule.cuts.iter().map(|cut| to_u64(cut.len())).max().unwrap_or(0);
        }
        most.saturating_mul(self.orders_at_most())
    }

    /// The number of ways to place the pieces of a cut.
    fn ways(&self, rule: &LevelRule, cut: &[u64], before: u64) -> u128 {
        let axes = self.axes.iter().filter(|axis| axis.allows(rule.level)).count();
        let sides = u64::from(self.major) + u64::from(self.minor);
        let lists = if rule.splits { to_u64(axes).saturating_mul(sides) } else { 0 };
        let places = (before..).take(cut.len()).map(|placed| {
            let between = if self.tree_order { 0 } else { placed };
            // None of the axes is a place too.
            u128::from(lists) + u128::from(between) + 1
        });
        places.fold(1, u128::saturating_mul)
    }

    /// The number of orders in which the axes nest.
    fn orders_at_most(&self) -> u128 {
        match self.orders {
            Orders::RowMajor => 1,
            Orders::All => {
                let axes = self.axes.iter().filter(|axis| axis.extent > 1).count();
                (1..=u128::from(to_u64(axes))).fold(1, u128::saturating_mul)
            }
        }
    }
}
