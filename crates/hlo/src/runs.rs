//! The number of times computations run in one run of the program, and sums over such a run.
//!
//! ```text
//! runs(entry) = 1        runs(body) += runs(caller) x n        runs(condition) += runs(caller) x (n + 1)
//! total(c) = own(c) + n total(body) + (n + 1) total(condition) + the greatest of the branches + ..
//!
//! The greatest is taken for each sum by itself.
//! ```

use itertools::Itertools;

use tensor_layout::LayoutError;

use crate::HloInstruction;
use crate::roles::{Call, CallTimes, Calls, index};

/// The number of times something runs in one run of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HloRuns {
    /// The number of times it runs, as far as known: a loop of unknown length counts once, and a branch
    /// counts as taken; `u64::MAX` stands for every greater number.
    pub times: u64,
    /// Set if it is in a loop whose length is not in the dump.
    pub is_unknown: bool,
    /// Set if it is in a branch, which may not run at all.
    pub is_branch: bool,
}

impl HloRuns {
    /// The runs of something that runs exactly once.
    pub const ONCE: HloRuns = HloRuns { times: 1, is_unknown: false, is_branch: false };

    /// The number of runs; `None` inside a loop of unknown length.
    #[must_use]
    pub fn known(self) -> Option<u64> {
        (!self.is_unknown).then_some(self.times)
    }

    /// The mark after a row: empty for exactly one run, else ` x48`, ` x ?`, ` x48 x ?`, ` x48 at most` or
    /// ` x2^64 or more`.
    #[must_use]
    pub fn mark(self) -> String {
        let branch = if self.is_branch { " at most" } else { "" };
        match self.known() {
            Some(1) if !self.is_branch => String::new(),
            Some(u64::MAX) if !self.is_branch => " x2^64 or more".into(),
            Some(u64::MAX) => " x ?".into(),
            Some(times) => format!(" x{times}{branch}"),
            None if self.times > 1 => format!(" x{} x ?", self.times),
            None => " x ?".into(),
        }
    }

    fn plus(self, other: HloRuns) -> HloRuns {
        HloRuns {
            times: self.times.saturating_add(other.times),
            is_unknown: self.is_unknown || other.is_unknown,
            is_branch: self.is_branch || other.is_branch,
        }
    }

    fn through(self, times: CallTimes) -> HloRuns {
        let (n, is_unknown) = (times.count(), times.is_unknown());
        HloRuns {
            times: self.times.saturating_mul(n),
            is_unknown: self.is_unknown || is_unknown,
            is_branch: self.is_branch || times == CallTimes::Branch,
        }
    }
}

impl CallTimes {
    fn count(self) -> u64 {
        match self {
            CallTimes::Once | CallTimes::Branch => 1,
            CallTimes::Loop(n) => n.unwrap_or(1),
            CallTimes::Condition(n) => n.unwrap_or(0).saturating_add(1),
        }
    }

    fn is_unknown(self) -> bool {
        matches!(self, CallTimes::Loop(None) | CallTimes::Condition(None))
    }
}

impl HloInstruction<'_> {
    /// The number of times the body of a `while` runs, where the dump says so: `known_trip_count`.
    #[must_use]
    pub fn trip_count(&self) -> Option<u64> {
        let config = self.attribute("backend_config")?;
        let (_, count) = config.split_once("known_trip_count")?;
        let (_, count) = count.split_once('n')?;
        let count = count.trim_start_matches(['"', '\\', ':', ' ']);
        let digits = count.bytes().take_while(u8::is_ascii_digit).count();
        count.get(..digits)?.parse().ok()
    }
}

/// Sums over one run of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepSums {
    sums: Vec<u128>,
    /// Set if the sums are a lower bound: something in them is in a loop of unknown length.
    pub is_at_least: bool,
    /// Set if the sums are an upper bound: something in them is in a branch.
    pub is_at_most: bool,
}

impl StepSums {
    pub(super) fn note(&mut self, runs: HloRuns) {
        self.is_at_least |= runs.is_unknown;
        self.is_at_most |= runs.is_branch;
    }

    pub(super) fn add(&mut self, sums: &[u128]) {
        self.sums.resize(self.sums.len().max(sums.len()), 0);
        add_all(&mut self.sums, sums);
    }

    /// The sum at a position.
    ///
    /// # Errors
    /// `TooLarge` from 2^64 on.
    pub fn bytes(&self, at: usize) -> Result<u64, LayoutError> {
        let sum = self.sums.get(at).copied().unwrap_or(0);
        u64::try_from(sum).map_err(|_| crate::bytes::too_large("the number of bytes"))
    }

    /// The words before a sum: `at least`, `at most`, `about`.
    #[must_use]
    pub fn bound(&self) -> &'static str {
        match (self.is_at_least, self.is_at_most) {
            (false, false) => "",
            (true, false) => "at least ",
            (false, true) => "at most ",
            (true, true) => "about ",
        }
    }
}

/// The computations of a module, callers before callees, and the runs of each.
#[derive(Clone, Debug, Default)]
pub(super) struct ComputationRuns {
    /// The calls by caller, then by the instruction that calls.
    calls: Vec<Call>,
    /// The computations that nothing calls come first: `roots` of them.
    order: Vec<u32>,
    roots: usize,
    runs: Vec<HloRuns>,
}

impl ComputationRuns {
    /// Computes the runs by calls whose [roles](Calls::roles) are settled; calls of a computation by itself
    /// are not counted.
    pub(super) fn of(calls: &Calls) -> ComputationRuns {
        let mut sorted = calls.all().to_vec();
        sorted.sort_unstable_by_key(|call| (call.caller, call.site));
        let mut callers = vec![0_usize; calls.len()];
        for call in &sorted {
            callers.get_mut(index(call.callee)).into_iter().for_each(|count| *count += 1);
        }
        let at_first = |count: &usize| if *count == 0 { HloRuns::ONCE } else { HloRuns::default() };
        let runs = callers.iter().map(at_first).collect();
        let roots = (0..).zip(&callers).filter(|(_, count)| **count == 0);
        let order = roots.map(|(number, _)| number).collect_vec();
        let mut all = ComputationRuns { calls: sorted, roots: order.len(), order, runs };
        let mut next = 0;
        while let Some(caller) = all.order.get(next).copied() {
            next += 1;
            let own = all.get(caller);
            for call in of_caller(&all.calls, caller) {
                let at = index(call.callee);
                if let (Some(runs), Some(count)) = (all.runs.get_mut(at), callers.get_mut(at)) {
                    *runs = runs.plus(own.through(call.times));
                    *count -= 1;
                    if *count == 0 {
                        all.order.push(call.callee);
                    }
                }
            }
        }
        all
    }

    pub(super) fn get(&self, number: u32) -> HloRuns {
        self.runs.get(index(number)).copied().unwrap_or(HloRuns::ONCE)
    }

    /// Returns the sums over one run of the program, given those that each computation has by itself; to each
    /// sum, the branch of a conditional counts that adds most to it, so that all sums are upper bounds.
    pub(super) fn total(&self, own: &[Vec<u128>]) -> Vec<u128> {
        let width = own.iter().map(Vec::len).max().unwrap_or(0);
        let mut totals: Vec<Vec<u128>> = own.to_vec();
        totals.iter_mut().for_each(|sums| sums.resize(width, 0));
        for caller in self.order.iter().rev().copied() {
            let mut sum = totals.get(index(caller)).cloned().unwrap_or_default();
            for site in of_caller(&self.calls, caller).chunk_by(|a, b| a.site == b.site) {
                add_all(&mut sum, &site_total(site, &totals));
            }
            totals.get_mut(index(caller)).into_iter().for_each(|total| total.clone_from(&sum));
        }
        let mut all = vec![0; width];
        for root in self.order.iter().take(self.roots) {
            add_all(&mut all, totals.get(index(*root)).map_or(&[], Vec::as_slice));
        }
        all
    }
}

/// The calls of one computation, in a list that is sorted by caller.
fn of_caller(calls: &[Call], caller: u32) -> &[Call] {
    let start = calls.partition_point(|call| call.caller < caller);
    let all = calls.get(start..).unwrap_or_default();
    all.get(..all.partition_point(|call| call.caller == caller)).unwrap_or_default()
}

/// Returns the sums that an instruction adds by its callees, each as often as it runs; of branches the
/// greatest, sum by sum.
fn site_total(site: &[Call], totals: &[Vec<u128>]) -> Vec<u128> {
    let (mut sum, mut branch): (Vec<u128>, Vec<u128>) = (Vec::new(), Vec::new());
    for call in site {
        let Some(total) = totals.get(index(call.callee)) else { continue };
        let times = u128::from(call.times.count());
        let total: Vec<u128> = total.iter().map(|n| n.saturating_mul(times)).collect();
        if call.times == CallTimes::Branch {
            branch.resize(total.len(), 0);
            branch.iter_mut().zip(total).for_each(|(most, n)| *most = n.max(*most));
        } else {
            sum.resize(total.len(), 0);
            add_all(&mut sum, &total);
        }
    }
    sum.resize(sum.len().max(branch.len()), 0);
    add_all(&mut sum, &branch);
    sum
}

fn add_all(sum: &mut [u128], other: &[u128]) {
    sum.iter_mut().zip(other).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
}
