//! Lookups along an axis.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use itertools::Itertools;

use super::dense::plain;
use super::dense::unknown_axis;
use super::loops::Loops;
use crate::algebra::{Axis, Layout, Subaxis};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;
use crate::number::to_u64;
use crate::placement::Placement;
use crate::relayout::{LevelTraffic, NO_TRAFFIC, Relayout, holders_along, in_nodes_of_both};

/// The most pairs of a source row and a destination that are compared.
const MOST_PAIRS: usize = 1 << 16;

/// A lookup: along one axis, the result takes the operand rows that a table of indexes names.
///
/// ```
/// use tensor_layout::{Layout, Machine, Placement};
/// use tensor_layout::einsum::Gather;
/// let machine: Machine = "PE=4".parse()?;
/// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
/// let gather = Gather::new(&on("((4_PE, 2:8), (8:1))")?, &on("((4_PE:1), (8:1))")?, 0)?;
/// // Rows 0 and 6 are where they are wanted, row 3 is wanted twice from elsewhere.
/// assert_eq!(gather.traffic(&[0, 0, 3, 6])?[0].into, 8 + 8);
/// assert_eq!(gather.most()?[0].into, 4 * 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gather {
    pub(super) operand: Placement,
    result: Placement,
    pub(super) axis: usize,
    /// The levels, outermost first, including `Time` if it counts.
    path: Vec<Level>,
    /// Operand and result in the coordinates of the path.
    sides: (Arc<Layout>, Arc<Layout>),
}

/// The elements that enter the units of each level, outermost first, by the coordinates of the source row
/// and of the destination.
type RowMemo = HashMap<(Vec<u64>, Vec<u64>), Vec<u64>>;

impl Gather {
    /// Returns the layout of an operand with this extent along `axis` that makes every gather local: each
    /// unit holds the whole axis.
    ///
    /// Law: for any table, every element of the result finds its operand in its unit.
    ///
    /// # Errors
    /// [`LayoutError`] for an axis beyond the rank or a layout that is not plain.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::einsum::Gather;
    /// let result: Layout = "((4_PE, 2:8), (2_MAB:1, 8:1))".parse()?;
    /// let operand = Gather::local(&result, 0, 100)?;
    /// assert_eq!(operand, "((100:8), (2_MAB:1, 8:1); B@[4_PE:1])".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(result: &Layout, axis: usize, extent: u64) -> Result<Layout, LayoutError> {
        let rank = result.rank();
        if axis >= rank {
            return Err(unknown_axis(axis, rank));
        }
        let table = Axis { extent, subaxes: vec![Subaxis::land(extent.max(1), Level::ADDR, 1)] };
        let axes: Vec<usize> = (0..rank).map(|at| if at == axis { rank } else { at }).collect();
        Loops::new(result, vec![table])?.operand(&axes)
    }

    /// Pairs an operand with a result whose shape may differ only in `axis`.
    ///
    /// # Errors
    /// [`LayoutError`] for other shapes, or layouts that are not plain; also the errors of
    /// [`Relayout::new`] for machines, memories and lanes.
    pub fn new(
        operand: &Placement,
        result: &Placement,
        axis: usize,
    ) -> Result<Gather, LayoutError> {
        let (a, b) = (operand.layout().shape(), result.layout().shape());
        let others = |shape: &[u64]| {
            shape.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, n)| *n).collect_vec()
        };
        if axis >= a.len() || a.len() != b.len() || others(&a) != others(&b) {
            return Err(fault!(
                Shape,
                "{operand:?} and {result:?} differ in more than axis {axis}",
                [operand = a, result = b, axis]
            ));
        }
        plain(operand.layout()).and_then(|_| plain(result.layout()))?;
        let (path, sides) = (Vec::new(), in_nodes_of_both(operand, result)?);
        let (operand, result) = (operand.clone(), result.clone());
        let mut gather = Gather { operand, result, axis, path, sides };
        // Of empty parts of both, which agree in their shape.
        let pair = gather.pair(0..0, 0..0)?;
        pair.check_uncast()?;
        gather.path = pair.levels().to_vec();
        Ok(gather)
    }

    /// Counts the elements that a table brings into the units of each level, innermost first: the count is
    /// exact, and therefore a lower bound for every algorithm.
    ///
    /// Entry j of the table is the index of the operand for index j of the result.
    /// Law: agrees with an enumeration of the entries.
    /// Cost: a relayout for every pair of a unit that has a row and one that needs it, and a step per entry
    /// and level.
    ///
    /// # Errors
    /// [`LayoutError`] for a table of the wrong length;
    /// `OutOfRange` for an entry beyond the operand;
    /// `NotDecided` beyond 2^16 pairs; `Uneven` for
    /// copies that do not line up with the units that share a memory; also the errors of
    /// [`Relayout::traffic`].
    pub fn traffic(&self, table: &[u64]) -> Result<Vec<LevelTraffic>, LayoutError> {
        self.check_length(to_u64(table.len()))?;
        let mut rows = RowCount::new(self);
        (0..).zip(table).try_for_each(|(wanted, entry)| rows.add(*entry, wanted))?;
        Ok(self.levels(&rows.into))
    }

    /// Checks the number of entries of a table.
    pub(super) fn check_length(&self, entries: u64) -> Result<(), LayoutError> {
        let extent = self.result.layout().shape()[self.axis];
        if entries == extent {
            Ok(())
        } else {
            Err(fault!(
                Shape,
                "the table has {entries} entries for {extent} indexes",
                [entries, extent]
            ))
        }
    }

    /// Counts the most elements that any table brings into the units of each level, innermost first.
    ///
    /// Law: the maximum of [`traffic`](Gather::traffic) over all tables, level by level.
    /// Cost: as [`traffic`](Gather::traffic), for all pairs of units.
    ///
    /// # Errors
    /// As [`traffic`](Gather::traffic).
    pub fn most(&self) -> Result<Vec<LevelTraffic>, LayoutError> {
        let (sources, wanted) = (self.classes(&self.sides.0)?, self.classes(&self.sides.1)?);
        let mut memo = RowMemo::new();
        let mut into = vec![0_u64; self.path.len()];
        for (depth, into) in into.iter_mut().enumerate() {
            // For each unit: the number of indexes of the result in it, one of them, and its coordinates.
            let mut units: HashMap<&[u64], (u64, u64, &Vec<u64>)> = HashMap::new();
            for (at, (index, count)) in &wanted {
                units.entry(&at[..=depth]).or_insert((0, *index, at)).0 += count;
            }
            for (mut rows, index, at) in units.into_values() {
                let mut enters: Vec<(u64, u64)> = Vec::new();
                for (from, (entry, count)) in &sources {
                    let all = self.enters(&mut memo, (*entry, from.clone()), (index, at))?;
                    enters.push((all[depth], *count));
                }
                enters.sort_unstable_by(|a, b| b.cmp(a));
                for (each, count) in enters {
                    let rows_here = rows.min(count);
                    *into = into.saturating_add(each.saturating_mul(rows_here));
                    rows -= rows_here;
                }
            }
        }
        Ok(self.levels(&into))
    }

    /// The traffic of every level, innermost first, from that of the path.
    pub(super) fn levels(&self, into: &[u64]) -> Vec<LevelTraffic> {
        let (operand, result) = &self.sides;
        let holders = [result, operand].map(|side| holders_along(side, &self.path));
        let ([receivers, senders], machine) = (holders, self.operand.machine());
        let levels = self.path.iter().zip(into).zip(receivers.zip(senders));
        let level = |((level, into), (receivers, senders)): ((&Level, &u64), (u64, u64))| {
            // A group is no level of the layouts: any of them may hold elements.
            let all = machine.filter(|of| of.size(*level).is_none());
            let all = all.and_then(|of| of.units_of(*level)).unwrap_or(0);
            let (receivers, senders) = (receivers.max(all), senders.max(all));
            lookup_traffic(*level, *into, [receivers, senders])
        };
        let outermost_first = levels.map(level).collect_vec();
        outermost_first.into_iter().rev().collect()
    }

    /// The steps of an index along the axis alone, summed up for each level of the path.
    fn place(&self, layout: &Layout, index: u64) -> Result<Vec<u64>, LayoutError> {
        let extent = layout.shape()[self.axis];
        if index >= extent {
            return Err(LayoutError::index_out_of_range(self.axis, index, extent));
        }
        let mut place: Location = self.path.iter().map(|level| (*level, 0)).collect();
        let mut at = vec![0; layout.rank()];
        at[self.axis] = index;
        layout.land(&at, |level, step| place.add(level, step));
        Ok(self.path.iter().map(|level| place.get(*level).unwrap_or(0)).collect())
    }

    /// The indexes along the axis grouped by coordinates: one index of each group, and the size of the group.
    fn classes(&self, layout: &Layout) -> Result<HashMap<Vec<u64>, (u64, u64)>, LayoutError> {
        const MOST_INDEXES: u64 = 1 << 22;
        let extent = layout.shape()[self.axis];
        if extent > MOST_INDEXES {
            let question = "computing the traffic of any table";
            return Err(LayoutError::not_decided(question, MOST_INDEXES));
        }
        let mut classes: HashMap<Vec<u64>, (u64, u64)> = HashMap::new();
        for index in 0..extent {
            classes.entry(self.place(layout, index)?).or_insert((index, 0)).1 += 1;
        }
        Ok(classes)
    }

    /// The elements that enter the units of each level, outermost first, if row `entry` of the operand (at
    /// `from`) is wanted at index `wanted` of the result (at `at`).
    fn enters(
        &self,
        memo: &mut RowMemo,
        (entry, from): (u64, Vec<u64>),
        (wanted, at): (u64, &[u64]),
    ) -> Result<Vec<u64>, LayoutError> {
        let key = (from, at.to_vec());
        if let Some(known) = memo.get(&key) {
            return Ok(known.clone());
        }
        if memo.len() == MOST_PAIRS {
            let (question, budget) = ("computing the traffic of a table", to_u64(MOST_PAIRS));
            return Err(LayoutError::not_decided(question, budget));
        }
        let into = self.rows_enter(entry..entry + 1, wanted..wanted + 1)?;
        memo.insert(key, into.clone());
        Ok(into)
    }

    /// The elements that enter the units of each level, outermost first, if rows of the operand are wanted, in their
    /// order, at as many indexes of the result.
    pub(super) fn rows_enter(
        &self,
        entries: Range<u64>,
        wanted: Range<u64>,
    ) -> Result<Vec<u64>, LayoutError> {
        let traffic = self.pair(entries, wanted)?.traffic()?;
        Ok(traffic.levels.iter().rev().map(|level| level.into).collect())
    }

    /// Pairs rows of the operand with as many rows of the result.
    fn pair(&self, entries: Range<u64>, wanted: Range<u64>) -> Result<Relayout, LayoutError> {
        let rows = |placement: &Placement, rows: Range<u64>| {
            let part = placement.layout().slice(self.axis, rows.start, rows.end, 1)?;
            placement.builder_for(part).build()
        };
        Relayout::new(&rows(&self.operand, entries)?, &rows(&self.result, wanted)?)
    }
}

/// The elements that some entries of a table bring into the units of each level.
pub(super) struct RowCount<'a> {
    gather: &'a Gather,
    memo: RowMemo,
    /// The rows that each unit has received so far, level by level.
    seen: Vec<HashSet<(u64, Vec<u64>)>>,
    /// Outermost first.
    pub(super) into: Vec<u64>,
}

impl<'a> RowCount<'a> {
    pub(super) fn new(gather: &'a Gather) -> RowCount<'a> {
        let depth = gather.path.len();
        RowCount {
            gather,
            memo: RowMemo::new(),
            seen: vec![HashSet::new(); depth],
            into: vec![0; depth],
        }
    }

    /// Adds row `entry` of the operand, wanted at index `wanted` of the result.
    pub(super) fn add(&mut self, entry: u64, wanted: u64) -> Result<(), LayoutError> {
        let RowCount { gather, memo, seen, into } = self;
        let at = gather.place(&gather.sides.1, wanted)?;
        let from = gather.place(&gather.sides.0, entry)?;
        let enters = gather.enters(memo, (entry, from), (wanted, &at))?;
        for depth in 0..into.len() {
            // A row that a unit needs twice enters once. No two units that share a memory need it: rows that
            // differ only in the unit would collide in that memory.
            if seen[depth].insert((entry, at[..=depth].to_vec())) {
                into[depth] = into[depth].saturating_add(enters[depth]);
            }
        }
        Ok(())
    }
}

/// The traffic of a lookup: a row may enter every receiver, and leaves its unit once.
pub(super) fn lookup_traffic(
    level: Level,
    into: u64,
    [receivers, senders]: [u64; 2],
) -> LevelTraffic {
    LevelTraffic { level, into, receivers, senders, copies: receivers.max(1), ..NO_TRAFFIC }
}
