//! Rows in the order of their places, made without sorting wherever strides nest.

use std::ops::ControlFlow;

use super::order::Slots;
use crate::algebra::{Layout, nests, product};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;
use crate::placement::{Placement, check_columns};

/// The rows of an address table: one per element and copy, sorted by place.
///
/// The columns are [`Placement::columns`], the most significant first.
/// Law: the rows are all elements with all their places; with padding also every other slot.
/// Cost: constant per slot, in constant memory, where the strides in each level nest; a level whose strides
/// do not nest is listed and sorted, at most 2^24 rows at a time.
///
/// ```
/// use std::ops::{ControlFlow, Range};
/// use tensor_layout::{Layout, Placement};
/// let placement = Placement::of("((2_PE, 2:1), (3:2))".parse()?).build()?;
/// let mut rows = Vec::new();
/// let _ = placement.table().for_each(|row| {
///     rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec)));
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert_eq!(rows.len(), 12);
/// assert_eq!(rows[1], (vec![0, 1], Some(vec![1, 0]))); // PE 0, Addr 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table<'a> {
    pub(super) placement: &'a Placement,
    at: Location,
    /// True if the columns that `at` fixes are left out of the output.
    partition: bool,
    pub(super) padding: bool,
    /// The number of the part from 0, and the number of parts.
    part: (u64, u64),
}

/// One row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row<'a> {
    /// One coordinate per column.
    pub place: &'a [u64],
    /// The element there; `None` for padding.
    pub index: Option<&'a [u64]>,
}

impl Placement {
    /// The address table of this placement.
    #[must_use]
    pub fn table(&self) -> Table<'_> {
        Table {
            placement: self,
            at: Location::default(),
            partition: false,
            padding: false,
            part: (0, 1),
        }
    }
}

impl<'a> Table<'a> {
    /// Keeps the rows of a unit or subtree: those with these coordinates.
    ///
    /// # Errors
    /// `Unknown` for a level that is not a column, `OutOfRange` for a coordinate out of range.
    pub fn at(mut self, place: &Location) -> Result<Table<'a>, LayoutError> {
        check_columns(self.placement.columns(), place, self.placement.machine())?;
        for (level, at) in place.iter() {
            let size = self.placement.end(level);
            if at >= size {
                return Err(LayoutError::coordinate_out_of_range(level, at, size));
            }
        }
        place.iter().for_each(|(level, at)| self.at.set(level, at));
        if let Some((_, memory)) = self.placement.memory() {
            memory.name(&mut self.at);
        }
        Ok(self)
    }

    /// Restricts the table like [`at`](Table::at) and leaves those columns out of the output: one file of a
    /// table that is partitioned by the Hive convention, `L2B=0/L1B=3/part.parquet`.
    ///
    /// # Errors
    /// As [`at`](Table::at).
    pub fn partition(mut self, place: &Location) -> Result<Table<'a>, LayoutError> {
        self.partition = true;
        self.at(place)
    }

    /// Adds the slots that hold no element.
    #[must_use]
    pub fn with_padding(mut self, padding: bool) -> Table<'a> {
        self.padding = padding;
        self
    }

    /// Keeps one of `parts` parts, `part` counted from 0: about as many slots each.
    ///
    /// Law: the parts in order are the table. A part starts immediately, wherever it is in the table.
    ///
    /// # Errors
    /// `OutOfRange` unless `part < parts`.
    pub fn part(mut self, part: u64, parts: u64) -> Result<Table<'a>, LayoutError> {
        if part >= parts {
            return Err(fault!(
                OutOfRange,
                "part {part} is out of range: {parts} parts are numbered from 0",
                [part, parts]
            ));
        }
        self.part = (part, parts);
        Ok(self)
    }

    /// The levels of the columns.
    #[must_use]
    pub fn columns(&self) -> &'a [Level] {
        self.placement.columns()
    }

    /// The numbers of the columns that are written.
    pub(super) fn written_columns(&self) -> Vec<usize> {
        let written = |at: &usize| !self.partition || self.at.get(self.columns()[*at]).is_none();
        (0..self.columns().len()).filter(written).collect()
    }

    fn written_levels(&self) -> impl Iterator<Item = Level> + '_ {
        self.written_columns().into_iter().map(|at| self.columns()[at])
    }

    /// The names of the columns that are written: the levels, then `i0`, `i1`, ..
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        super::names_of(self.written_levels(), self.rank())
    }

    /// Rejects columns with the same name, which formats that find columns by name cannot hold.
    ///
    /// # Errors
    /// `Unsupported` for a level with the name of an entry of the index.
    pub fn check_names(&self) -> Result<(), LayoutError> {
        super::check_names(self.written_levels(), self.rank())
    }

    /// The number of axes, and thus of entries in an index.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.placement.layout().rank()
    }

    /// An upper bound on the number of rows, exact for an unrestricted table.
    #[must_use]
    pub fn most_rows(&self) -> u64 {
        let layout = self.placement.with_copies();
        let all = if self.padding { layout.slots() } else { layout.elements() * layout.copies() };
        if self.at.iter().len() == 0 { all } else { all.min(self.most_slots(layout)) }
    }

    /// The slots with the fixed coordinates, or more where several slots of a level share one.
    fn most_slots(&self, layout: &Layout) -> u64 {
        let digits = layout.digits();
        let slots = self.columns().iter().map(|level| {
            let digits = || digits.in_level(*level).map(|(_, digit)| digit);
            match self.at.get(*level).is_some() && nests(digits().map(|d| (d.size - 1, d.stride))) {
                true => Some(1),
                false => product(digits().map(|digit| digit.size)),
            }
        });
        slots.collect::<Option<Vec<u64>>>().and_then(product).unwrap_or(u64::MAX)
    }

    /// Calls `visit` with every row, in order, until it breaks.
    ///
    /// # Errors
    /// `Limit` where more rows would have to be sorted than allowed, `Collision` where different elements give
    /// a derived axis the same value, `NotDecided` as [`Layout::element`](crate::Layout::element).
    pub fn for_each<B>(
        &self,
        mut visit: impl FnMut(Row<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        let Some(mut slots) = self.slots()? else { return Ok(ControlFlow::Continue(())) };
        while let Some(block) = slots.next_block()? {
            for at in 0..block.len() {
                let (place, index) = block.row(at);
                if let ControlFlow::Break(value) = visit(Row { place, index }) {
                    return Ok(ControlFlow::Break(value));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The slots of the table, in order; `None` if there are none.
    pub(super) fn slots(&self) -> Result<Option<Slots<'a>>, LayoutError> {
        if !self.padding && self.placement.layout().elements() == 0 {
            return Ok(None);
        }
        let layout = self.placement.with_copies();
        let slots = Slots::new(layout, self.columns(), &self.at, self.padding)?;
        if slots.as_ref().is_some_and(Slots::searches) {
            self.placement.check_injective()?;
        }
        Ok(slots.map(|mut slots| {
            slots.keep_part(self.part.0, self.part.1);
            slots
        }))
    }
}
