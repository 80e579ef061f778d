//! From which unit of a level to which.

use super::numbered::{Numbered, sums};
use super::options::BUDGET;
use super::pair::Relayout;
use super::refuse::fit;
use super::traffic::copies_in;
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_index;

/// The most units of a level.
const MOST_UNITS: u64 = 1 << 8;

/// How much moves from which unit of a level to which.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flows {
    /// The level.
    pub level: Level,
    /// The unit of every row, which sends.
    pub from: Vec<u64>,
    /// The unit of every column, which receives.
    pub to: Vec<u64>,
    /// A row per sender: the destination copies that come from it to each receiver.
    pub counts: Vec<Vec<u64>>,
}

impl Relayout {
    /// How many destination copies come from each coordinate of a level to each, a row per source;
    /// what stays is where both are the same.
    ///
    /// Units are told apart by this level alone, whatever is above it: at the outermost level that
    /// [`traffic`](Relayout::traffic) crosses nothing changes above. Units that share a memory, the
    /// higher one of two, are one, named by the first of them.
    /// Law: the counts sum up to elements x [copies](Relayout::copies); between different units they
    /// are those of [`transfers`](Relayout::transfers) between units that differ in the level.
    /// Cost: by the digits and the pairs of units.
    ///
    /// # Errors
    /// [`LevelMissing`](LayoutError::LevelMissing) for a level that paths do not go through;
    /// [`NotDecided`](LayoutError::NotDecided) where the source has copies apart in the level, so
    /// that several units could send, beyond 256 units, or as [`traffic`](Relayout::traffic).
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
        if !self.units.contains(&level) {
            return Err(LayoutError::LevelMissing { level });
        }
        let (rows, columns) = (self.source.extent(level), self.target.extent(level));
        let copied = self.elements() > 0 && copies_in(&self.source, &[level]) > 1;
        if copied || rows.max(columns) > MOST_UNITS {
            let question = "from which unit to which elements move";
            return Err(LayoutError::NotDecided { question, budget: MOST_UNITS });
        }
        let mut counts = vec![vec![0; to_index(columns)]; to_index(rows)];
        if self.elements() > 0 {
            self.count_flows(level, &mut counts)?;
        }
        let units = |count| (0..count).map(|at| self.in_units((level, at)).1).collect();
        Ok(Flows { level, from: units(rows), to: units(columns), counts })
    }

    /// Counts the elements by their coordinates on both sides.
    fn count_flows(&self, level: Level, counts: &mut [Vec<u64>]) -> Result<(), LayoutError> {
        let mut budget = BUDGET;
        let numbered = Numbered::new(self, &[level], &mut budget)?;
        let mut flows = vec![(numbered.start, 1)];
        for part in &numbered.parts {
            flows = sums(&flows, &part.options, &mut budget)?;
        }
        let elsewhere = u128::from(self.copies()) / copies_in(&self.target, &[level]);
        let unit = |number| to_index(numbered.unit(number).first().copied().unwrap_or(0));
        for (flow, count) in flows {
            counts[unit(flow.source)][unit(flow.target)] = fit(count * elsewhere)?;
        }
        Ok(())
    }
}
