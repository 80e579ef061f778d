//! Limits as rows: at each time that matters, the usages of the variables alive are at most the room of its row.

use std::ops::Range;

use tensor_layout_words::gcd;

use super::memory::Memory;
use super::problem::{FORBIDDEN, sum};

/// Usages of a variable, the same in some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) rows: Range<usize>,
    /// The usage of each choice that is left.
    pub(super) amounts: Vec<u64>,
}

/// The room of each row, and what the choices of each variable use of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) room: Vec<u64>,
    /// The price of a unit in each row.
    pub(super) prices: Vec<u64>,
    pub(super) uses: Vec<Vec<Usage>>,
    /// True after the room became less.
    pub(super) changed: bool,
}

impl Rows {
    pub(super) fn new(memories: &[Memory], variables: usize) -> Rows {
        let mut rows = Rows { uses: vec![Vec::new(); variables], ..Rows::default() };
        memories.iter().for_each(|memory| rows.enter(memory));
        rows.prices = vec![0; rows.room.len()];
        rows
    }

    fn enter(&mut self, memory: &Memory) {
        if memory.limit >= FORBIDDEN {
            return;
        }
        let amounts = memory.uses.iter().flat_map(|of| &of.amounts);
        let unit = amounts.fold(0, |unit, of| gcd(unit, *of));
        let unit = unit.max(1);
        let times = times(memory);
        let first = self.room.len();
        for of in memory.uses.iter().filter(|of| of.from < of.to) {
            let row = |time: u64| first + times.partition_point(|row| *row < time);
            let rows = row(of.from)..row(of.to);
            let amounts = of.amounts.iter().map(|amount| amount.min(&FORBIDDEN) / unit).collect();
            let all = std::mem::take(&mut self.uses[of.variable]);
            self.uses[of.variable] = united(all, vec![Usage { rows, amounts }]);
        }
        self.room.resize(first + times.len(), memory.limit / unit);
    }

    /// The least room of some rows.
    fn least(&self, rows: &Range<usize>) -> u64 {
        self.room[rows.clone()].iter().copied().min().unwrap_or(u64::MAX)
    }

    /// True for each choice whose usage is within the room.
    pub(super) fn fitting(&self, variable: usize, choices: usize) -> Vec<bool> {
        let mut fits = vec![true; choices];
        for of in &self.uses[variable] {
            let least = self.least(&of.rows);
            fits.iter_mut().zip(&of.amounts).for_each(|(fits, amount)| *fits &= *amount <= least);
        }
        fits
    }

    /// True if a choice never uses more than another one.
    pub(super) fn covers(&self, variable: usize, other: usize, choice: usize) -> bool {
        self.uses[variable].iter().all(|of| of.amounts[other] <= of.amounts[choice])
    }

    /// Takes what all choices of a variable use from the room. Returns false if there is less.
    pub(super) fn settle(&mut self, variable: usize) -> bool {
        let mut uses = std::mem::take(&mut self.uses[variable]);
        let mut enough = true;
        for of in &mut uses {
            let least = of.amounts.iter().copied().min().unwrap_or(0);
            if least > 0 {
                enough &= self.take(&of.rows, least);
                of.amounts.iter_mut().for_each(|amount| *amount -= least);
            }
        }
        uses.retain(|of| of.amounts.iter().any(|amount| *amount > 0));
        self.uses[variable] = uses;
        enough
    }

    fn take(&mut self, rows: &Range<usize>, amount: u64) -> bool {
        self.changed = true;
        let mut enough = true;
        for room in &mut self.room[rows.clone()] {
            enough &= *room >= amount;
            *room = room.saturating_sub(amount);
        }
        enough
    }

    /// Takes what one choice uses from the room. Returns false if there is less.
    pub(super) fn spend(&mut self, uses: &[Usage], choice: usize) -> bool {
        let mut enough = true;
        for of in uses {
            enough &= self.take(&of.rows, of.amounts[choice]);
        }
        enough
    }

    /// Keeps some choices of a variable.
    pub(super) fn restrict(&mut self, variable: usize, keep: &[usize]) {
        for of in &mut self.uses[variable] {
            of.amounts = keep.iter().map(|at| of.amounts[*at]).collect();
        }
    }

    /// Adds the usages of a variable, whose choice is a function of that of another one, to those of the other one.
    pub(super) fn merge(&mut self, variable: usize, into: usize, function: &[usize]) {
        let uses = std::mem::take(&mut self.uses[variable]);
        let amounts = |of: &Usage| function.iter().map(|choice| of.amounts[*choice]).collect();
        let uses = uses.iter().map(|of| Usage { rows: of.rows.clone(), amounts: amounts(of) });
        let all = std::mem::take(&mut self.uses[into]);
        self.uses[into] = united(all, uses.collect());
    }

    /// The usage of each row, by the positions of their choices.
    pub(super) fn used(&self, at: &[usize]) -> Vec<u64> {
        let mut used = vec![0; self.room.len()];
        for (uses, at) in self.uses.iter().zip(at) {
            for of in uses {
                used[of.rows.clone()]
                    .iter_mut()
                    .for_each(|used| *used = sum(*used, of.amounts[*at]));
            }
        }
        used
    }

    /// Changes what is used in each row as a variable changes its position.
    pub(super) fn change(&self, variable: usize, (from, to): (usize, usize), used: &mut [u64]) {
        for of in &self.uses[variable] {
            let rows = used[of.rows.clone()].iter_mut();
            rows.for_each(|used| *used = *used - of.amounts[from] + of.amounts[to]);
        }
    }

    /// Keeps the rows that may be exceeded and that no neighbour implies. Those without a price only.
    pub(super) fn thin(&mut self) {
        let keep = self.binding();
        if keep.iter().all(|keep| *keep) {
            return;
        }
        let mut index = vec![0; keep.len() + 1];
        (0..keep.len()).for_each(|row| index[row + 1] = index[row] + usize::from(keep[row]));
        for uses in &mut self.uses {
            uses.iter_mut().for_each(|of| of.rows = index[of.rows.start]..index[of.rows.end]);
            uses.retain(|of| !of.rows.is_empty());
        }
        let kept = |of: &[u64]| {
            of.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(of, _)| *of).collect()
        };
        (self.room, self.prices) = (kept(&self.room), kept(&self.prices));
    }

    fn binding(&self) -> Vec<bool> {
        let mut most = vec![0_u128; self.room.len()];
        let (mut starts, mut ends) = (most.clone(), vec![0_u128; self.room.len() + 1]);
        for of in self.uses.iter().flatten() {
            let largest = u128::from(of.amounts.iter().copied().max().unwrap_or(0));
            most[of.rows.clone()].iter_mut().for_each(|most| *most += largest);
            starts[of.rows.start] += 1;
            ends[of.rows.end] += 1;
        }
        let mut keep: Vec<bool> = (0..self.room.len())
            .map(|row| self.prices[row] > 0 || most[row] > u128::from(self.room[row]))
            .collect();
        // A row implies its neighbour if all that is alive there is alive here, and there is at least as much room.
        for row in 1..keep.len() {
            if !keep[row - 1] || !keep[row] {
                continue;
            }
            if self.prices[row - 1] == 0 && ends[row] == 0 && self.room[row - 1] >= self.room[row] {
                keep[row - 1] = false;
            } else if self.prices[row] == 0
                && starts[row] == 0
                && self.room[row] >= self.room[row - 1]
            {
                keep[row] = false;
            }
        }
        keep
    }

    /// The number of usages in each row.
    pub(super) fn users(&self) -> Vec<usize> {
        let mut users = vec![0; self.room.len()];
        let all = self.uses.iter().flatten();
        all.for_each(|of| users[of.rows.clone()].iter_mut().for_each(|users| *users += 1));
        users
    }

    /// The largest share of the room of a row that a choice may use, in 4096ths; `None` if it uses nothing.
    pub(super) fn share(&self, variable: usize) -> Option<u64> {
        let share = |of: &Usage| {
            let most = of.amounts.iter().copied().max().unwrap_or(0);
            most.saturating_mul(1 << 12) / self.least(&of.rows).max(1)
        };
        self.uses[variable].iter().map(share).max()
    }
}

/// The times of rows that imply all others: the last ones at which variables start before one ends.
fn times(memory: &Memory) -> Vec<u64> {
    let alive = memory.uses.iter().filter(|of| of.from < of.to);
    let mut events: Vec<(u64, bool)> =
        alive.flat_map(|of| [(of.from, true), (of.to, false)]).collect();
    events.sort_unstable();
    let mut times = Vec::new();
    for (one, next) in events.iter().zip(&events[1.min(events.len())..]) {
        if one.1 && !next.1 {
            times.push(one.0);
        }
    }
    times
}

/// Usages of one variable in rows that do not meet.
fn united(all: Vec<Usage>, more: Vec<Usage>) -> Vec<Usage> {
    let both = || all.iter().chain(&more);
    let mut cuts: Vec<usize> = both().flat_map(|of| [of.rows.start, of.rows.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut united: Vec<Usage> = Vec::new();
    for cut in cuts.windows(2) {
        let rows = cut[0]..cut[1];
        let mut inside = both().filter(|of| of.rows.start <= rows.start && rows.end <= of.rows.end);
        let Some(first) = inside.next() else { continue };
        let mut amounts = first.amounts.clone();
        inside.for_each(|of| {
            amounts.iter_mut().zip(&of.amounts).for_each(|(all, of)| *all = sum(*all, *of));
        });
        match united.last_mut() {
            Some(last) if last.rows.end == rows.start && last.amounts == amounts => {
                last.rows.end = rows.end;
            }
            _ => united.push(Usage { rows, amounts }),
        }
    }
    united
}
