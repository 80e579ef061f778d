//! Lookups by tables that consist of runs of consecutive indexes, such as the pages of a cache.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use itertools::Itertools;

use super::gather::{Gather, RowCount};
use crate::error::LayoutError;
use crate::relayout::LevelTraffic;

/// The number of consecutive rows, each wanted once, from which counting by digits is faster than looking at
/// each row.
const LEAST_BY_DIGITS: u64 = 64;

impl Gather {
    /// Counts the elements that a table of runs of consecutive indexes brings into the units of each level,
    /// innermost first. The indexes of the result take the rows of one run after another.
    ///
    /// Law: as [`traffic`](Gather::traffic) of the table that the runs make up.
    /// Cost: a relayout per run; where runs share rows, or are short, that of `traffic`.
    ///
    /// # Errors
    /// As [`traffic`](Gather::traffic); `NotDecided` where a long run's relayout [cannot be
    /// counted](crate::relayout::Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, Placement};
    /// use tensor_layout::einsum::Gather;
    /// let machine: Machine = "PE=4".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let cache = on("((4_PE, 1048576:8), (8:1))")?;
    /// let gather = Gather::new(&cache, &on("((4_PE, 262144:8), (8:1))")?, 0)?;
    /// // Two pages: the first goes from PE 0 to PE 0 and 1, the second from PE 3 to PE 2 and 3.
    /// let (page, last) = (1 << 19, 3 << 20);
    /// let traffic = gather.traffic_of_runs(&[0..page, last..last + page])?;
    /// assert_eq!(traffic[0].into, page * 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn traffic_of_runs(&self, runs: &[Range<u64>]) -> Result<Vec<LevelTraffic>, LayoutError> {
        let entries = runs.iter().map(|run| run.end.saturating_sub(run.start));
        self.check_length(entries.fold(0, u64::saturating_add))?;
        let extent = self.operand.layout().shape()[self.axis];
        let beyond = runs.iter().find(|run| !run.is_empty() && run.end > extent);
        if let Some(index) = beyond.map(|run| run.start.max(extent)) {
            return Err(LayoutError::index_out_of_range(self.axis, index, extent));
        }
        let mut rows = RowCount::new(self);
        for (entries, wanted) in pieces(runs) {
            let length = entries.end - entries.start;
            match wanted[..] {
                [at] if length >= LEAST_BY_DIGITS => {
                    let enters = self.rows_enter(entries, at..at + length)?;
                    let all = rows.into.iter_mut().zip(enters);
                    all.for_each(|(into, more)| *into = into.saturating_add(more));
                }
                _ => {
                    for (entry, at) in (0..length).cartesian_product(wanted) {
                        rows.add(entries.start + entry, at + entry)?;
                    }
                }
            }
        }
        Ok(self.levels(&rows.into))
    }
}

/// Cuts the rows that some runs take into pieces that are taken as a whole, each piece once: its rows, and
/// for each run that takes it the index of the result for its first row.
fn pieces(runs: &[Range<u64>]) -> Vec<(Range<u64>, Vec<u64>)> {
    // By rows: the runs that start there, each with its first index of the result, and those that end there.
    let mut ends: BTreeMap<u64, [Vec<(usize, u64)>; 2]> = BTreeMap::new();
    let mut wanted = 0;
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
        ends.entry(run.start).or_default()[0].push((number, wanted));
        ends.entry(run.end).or_default()[1].push((number, wanted));
        wanted += run.end - run.start;
    }
    let (mut open, mut pieces) = (BTreeSet::new(), Vec::new());
    for ((start, [opened, closed]), end) in
        ends.iter().zip(ends.keys().skip(1).map(Some).chain([None]))
    {
        open.retain(|run| !closed.contains(run));
        open.extend(opened.iter().copied());
        if let Some(end) = end.filter(|_| !open.is_empty()) {
            let at = |(run, wanted): &(usize, u64)| wanted + (start - runs[*run].start);
            pieces.push((*start..*end, open.iter().map(at).collect()));
        }
    }
    pieces
}
