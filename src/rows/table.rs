//! Rows in the order of their places, made without sorting wherever strides nest.

use std::ops::ControlFlow;

use super::order::{Block, Slots};
use crate::algebra::{Layout, nests, product};
use crate::error::{LayoutError, fault};
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
    placement: &'a Placement,
    at: Location,
    /// True if the columns that `at` fixes are left out of the output.
    partition: bool,
    padding: bool,
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

    /// The placement that the rows are of.
    #[must_use]
    pub fn placement(&self) -> &'a Placement {
        self.placement
    }

    /// Returns whether slots that hold no element have rows.
    #[must_use]
    pub fn has_padding(&self) -> bool {
        self.padding
    }

    /// The numbers of the columns that are written: those that a [`partition`](Table::partition) does not fix.
    #[must_use]
    pub fn written_columns(&self) -> Vec<usize> {
        let written =
            |at: &usize| !self.partition || self.at.get(self.placement.columns()[*at]).is_none();
        (0..self.placement.columns().len()).filter(written).collect()
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
        let slots = self.placement.columns().iter().map(|level| {
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
        let mut blocks = self.blocks()?;
        while let Some(block) = blocks.next_block()? {
            for row in block.rows() {
                if let ControlFlow::Break(value) = visit(row) {
                    return Ok(ControlFlow::Break(value));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The rows in the blocks in which they are made, for files that keep a table column by column.
    ///
    /// Law: the rows of all blocks are those of [`for_each`](Table::for_each).
    ///
    /// # Errors
    /// As [`for_each`](Table::for_each).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let placement = Placement::of("((2_PE, 2:1), (3:2))".parse()?).build()?;
    /// let (mut blocks, mut addresses) = (placement.table().blocks()?, Vec::new());
    /// while let Some(block) = blocks.next_block()? {
    ///     addresses.extend(block.column(1, 0..block.rows().len()));
    /// }
    /// assert_eq!(addresses, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn blocks(&self) -> Result<Blocks<'a>, LayoutError> {
        if !self.padding && self.placement.layout().elements() == 0 {
            return Ok(Blocks(None));
        }
        let layout = self.placement.with_copies();
        let slots = Slots::new(layout, self.placement.columns(), &self.at, self.padding)?;
        if slots.as_ref().is_some_and(Slots::searches) {
            self.placement.check_injective()?;
        }
        Ok(Blocks(slots.map(|mut slots| {
            slots.keep_part(self.part.0, self.part.1);
            slots
        })))
    }
}

/// The rows of a table in [blocks](Table::blocks), in order.
#[derive(Clone, Debug)]
pub struct Blocks<'a>(Option<Slots<'a>>);

impl Blocks<'_> {
    /// Makes the next block; `None` after the last.
    ///
    /// # Errors
    /// As [`Table::for_each`].
    pub fn next_block(&mut self) -> Result<Option<&Block>, LayoutError> {
        self.0.as_mut().map_or(Ok(None), Slots::next_block)
    }
}
