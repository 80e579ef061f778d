//! Memories of limited size: usages of choices while their variables are alive.

use serde::{Deserialize, Serialize};

/// A limit on the sum of usages at each time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The most that all variables alive at a time use; [`FORBIDDEN`](super::FORBIDDEN) or more means no limit.
    pub limit: u64,
    /// The usages. A variable may have several.
    pub uses: Vec<Use>,
}

/// The usage of a variable while it is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The variable.
    pub variable: usize,
    /// The first time at which it is alive.
    pub from: u64,
    /// The first time after it; a variable that ends where it starts, or before that, uses nothing.
    pub to: u64,
    /// The usage of each choice.
    pub amounts: Vec<u64>,
}

impl Memory {
    /// The largest sum of usages at any time.
    #[must_use]
    pub fn peak(&self, choices: &[usize]) -> u128 {
        self.steps(choices).into_iter().map(|(_, used)| used).max().unwrap_or(0)
    }

    /// The sum of usages from each time on at which it changes.
    pub(crate) fn steps(&self, choices: &[usize]) -> Vec<(u64, u128)> {
        let alive = self.uses.iter().filter(|of| of.from < of.to);
        let mut events: Vec<(u64, bool, u64)> = alive
            .flat_map(|of| {
                let amount = of.amounts[choices[of.variable]];
                [(of.from, true, amount), (of.to, false, amount)]
            })
            .collect();
        // At one time, those that end are before those that start.
        events.sort_unstable();
        let mut used = 0_u128;
        let mut steps: Vec<(u64, u128)> = Vec::new();
        for (time, starts, amount) in events {
            let amount = u128::from(amount);
            used = if starts { used + amount } else { used - amount };
            match steps.last_mut().filter(|(last, _)| *last == time) {
                Some(step) => step.1 = used,
                None => steps.push((time, used)),
            }
        }
        steps
    }
}
