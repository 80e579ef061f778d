//! Ends of a search: limits, and somebody who watches it.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Instant;

use super::problem::FORBIDDEN;

/// The limits of a search. With the same numbers and without a deadline, the same problem has the same solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most costs of all tables that elimination makes.
    pub cells: usize,
    /// The most rounds of improvements where the tables are too large; a round visits each variable about once.
    pub rounds: usize,
    /// The most decisions between a choice and the others of its variable, where a gap is left after all rounds.
    pub decisions: usize,
    /// A seed for the choice of improvements.
    pub seed: u64,
    /// A time at which rounds and decisions end; what comes before them is not interrupted.
    pub until: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { cells: 1 << 24, rounds: 100, decisions: 1000, seed: 0, until: None }
    }
}

/// The state of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The cost of the best solution so far, [`FORBIDDEN`] if there is none.
    pub cost: u64,
    /// A cost that no solution is below.
    pub bound: u64,
}

/// The limits and the watcher, asked after each step.
pub(super) struct Control<'a> {
    pub(super) limits: &'a Limits,
    watch: &'a dyn Fn(Progress) -> ControlFlow<()>,
    progress: Cell<Progress>,
    stopped: Cell<bool>,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { cost: FORBIDDEN, bound: 0 }
    }
}

impl<'a> Control<'a> {
    pub(super) fn new(
        limits: &'a Limits,
        watch: &'a dyn Fn(Progress) -> ControlFlow<()>,
    ) -> Control<'a> {
        let progress = Cell::new(Progress::default());
        Control { limits, watch, progress, stopped: Cell::new(false) }
    }

    /// False after the deadline and after the watcher has ended the search.
    pub(super) fn on(&self) -> bool {
        let late = || self.limits.until.is_some_and(|until| Instant::now() >= until);
        let ends = || (self.watch)(self.progress.get()).is_break();
        if !self.stopped.get() && (late() || ends()) {
            self.stopped.set(true);
        }
        !self.stopped.get()
    }

    /// The cost of a better solution.
    pub(super) fn found(&self, cost: u64) {
        let progress = self.progress.get();
        self.progress.set(Progress { cost: progress.cost.min(cost), ..progress });
    }

    /// A cost that no solution is below.
    pub(super) fn proved(&self, bound: u64) {
        let progress = self.progress.get();
        self.progress
            .set(Progress { bound: progress.bound.max(bound).min(progress.cost), ..progress });
    }
}
