//! The traffic between every pair of units of a level.

use itertools::Itertools;

use super::numbered::{NumberedSides, sums};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::number::{to_index, to_u64};
use crate::relayout::count::options::BUDGET;
use crate::relayout::count::traffic::copies_in;
use crate::relayout::count::traffic::fit;
use crate::relayout::pair::{Relayout, Role};

/// The maximum number of units of a level.
const MOST_UNITS: u64 = 1 << 8;

/// The traffic between every pair of units of a level. A group of units is named by its first unit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Flows {
    /// The level.
    pub level: Level,
    /// The sending unit of every row.
    pub from: Vec<u64>,
    /// The receiving unit of every column.
    pub to: Vec<u64>,
    /// One row per sender: the number of destination copies that each receiver gets from it.
    pub counts: Vec<Vec<u64>>,
}

impl Relayout {
    /// Counts the destination copies by their source and destination coordinates in a level, one row per
    /// source; copies that stay are counted where both are equal.
    ///
    /// Units are distinguished only by their coordinate in this level, regardless of the levels above it:
    /// above the outermost level that [`traffic`](Relayout::traffic) crosses, nothing changes. A memory of a
    /// group of units is one row or column, named by its first unit.
    /// Law: the counts sum up to elements x [copies](Relayout::copies); between different units they
    /// are those of [`transfers`](Relayout::transfers) between units that differ in the level.
    /// Cost: by the digits and the pairs of units.
    ///
    /// # Errors
    /// `Unknown` for a level that paths do not go through or that is below one of the memories, for a source
    /// with copies in several units of the level, any of which could send, and for more than 256 units; as
    /// [`traffic`](Relayout::traffic).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine, Placement};
    /// use tensor_layout::relayout::Relayout;
    /// let machine: Machine = "PE=2".parse()?;
    /// let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build();
    /// let relayout = Relayout::new(&on("((2_PE, 3:2), (2:1))")?, &on("((6:1), (2_PE))")?)?;
    /// let flows = relayout.flows(Level::PE)?;
    /// assert_eq!((&flows.from[..], &flows.to[..]), (&[0, 1][..], &[0, 1][..]));
    /// assert_eq!(flows.counts, [[3, 3], [3, 3]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flows(&self, level: Level) -> Result<Flows, LayoutError> {
        let depth = self.depth_of(level)?;
        let level = self.units[..depth].last().copied().unwrap_or(level);
        let path = self.nodes_of(level);
        let [rows, columns] = [Role::Source, Role::Target].map(|side| self.units_in(side, &path));
        if rows.is_empty() || columns.is_empty() {
            return Err(self.not_on_paths(level));
        }
        if self.elements() > 0 && copies_in(&self.source, &path) > 1 {
            return Err(fault!(
                Unsupported,
                "several units of `{level}` hold copies of an element, so it is open \
                 which of them sends it",
                [level]
            )
            .with_help("transfers choose one of them, the nearest"));
        }
        if to_u64(rows.len().max(columns.len())) > MOST_UNITS {
            return Err(fault!(
                Limit,
                "`{level}` has more than {most} units, the most between which flows are counted",
                [level, most = MOST_UNITS]
            ));
        }
        let mut counts = vec![vec![0; columns.len()]; rows.len()];
        if self.elements() > 0 {
            self.count_flows(&path, (&rows, &columns), &mut counts)?;
        }
        Ok(Flows { level, from: rows, to: columns, counts })
    }

    /// A level with the groups of its units, which make up its coordinate.
    fn nodes_of(&self, level: Level) -> Vec<Level> {
        let units = |level: Level| self.in_units((level, 0)).0;
        let nodes = self.units.iter().copied().filter(|node| units(*node) == units(level));
        nodes.take_while_inclusive(|node| *node != level).collect()
    }

    /// The units of one side, by the coordinates that its own nodes give; at most one too many.
    fn units_in(&self, side: Role, path: &[Level]) -> Vec<u64> {
        let own = path.iter().filter(|level| self.is_inside(side, **level));
        let steps: Vec<(Level, u64)> =
            own.map(|level| (*level, self.in_units((*level, 1)).1)).collect();
        let Some((_, least)) = steps.last() else { return Vec::new() };
        let layout = self.layout(side);
        let last = steps.iter().fold(0_u64, |sum, (level, step)| {
            sum.saturating_add((layout.extent(*level) - 1).saturating_mul(*step))
        });
        (0..=last / least).take(to_index(MOST_UNITS + 1)).map(|at| at * least).collect()
    }

    /// Counts the elements by their coordinates on both sides.
    fn count_flows(
        &self,
        path: &[Level],
        (rows, columns): (&[u64], &[u64]),
        counts: &mut [Vec<u64>],
    ) -> Result<(), LayoutError> {
        let mut budget = BUDGET;
        let numbered = NumberedSides::new(self, path, &mut budget)?;
        let mut flows = vec![(numbered.start, 1)];
        for part in &numbered.parts {
            flows = sums(&flows, &part.options, &mut budget)?;
        }
        let elsewhere = u128::from(self.copies()) / copies_in(&self.target, path);
        let unit = |side: Role, number| -> u64 {
            let at = path.iter().copied().zip(numbered.unit(number));
            let at = at.filter(|(level, _)| self.is_inside(side, *level));
            at.map(|at| self.in_units(at).1).sum()
        };
        for (flow, count) in flows {
            let row = rows.binary_search(&unit(Role::Source, flow.source));
            let column = columns.binary_search(&unit(Role::Target, flow.target));
            if let (Ok(row), Ok(column)) = (row, column) {
                counts[row][column] += fit(count * elsewhere)?;
            }
        }
        Ok(())
    }
}
