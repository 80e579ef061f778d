//! Rows of a sharded tensor, device by device.

use std::io::Write;
use std::ops::{ControlFlow, Range};

use itertools::Itertools;

use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::placement::{Placement, check_columns};
use crate::rows::{Format, Lines, Row, WriteError, check_names, names_of};
use crate::text::sharding::{DeviceShards, nth};

/// The rows of the address table of a [sharded tensor](DeviceShards), in the order of the devices.
///
/// Law: the rows are all elements with all their places; with padding also every other slot of the
/// shards.
///
/// ```
/// use tensor_layout::rows::Format;
/// use tensor_layout::sharding::ShardedShape;
/// let sharded: ShardedShape = "f32[3], sharding={devices=[2]1,0}".parse()?;
/// let mut table = Vec::new();
/// sharded.by_device(None)?.table().write(Format::Csv, &mut table)?;
/// assert_eq!(String::from_utf8(table)?, "Device,Addr,i0\n0,0,2\n1,0,0\n1,1,1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DeviceTable<'a> {
    shards: &'a DeviceShards,
    at: Location,
    padding: bool,
}

impl DeviceShards {
    /// The address table of the shards.
    #[must_use]
    pub fn table(&self) -> DeviceTable<'_> {
        DeviceTable { shards: self, at: Location::default(), padding: false }
    }
}

impl DeviceTable<'_> {
    /// Keeps the rows with these coordinates.
    ///
    /// # Errors
    /// `Unknown` for a level that is not a column, `OutOfRange` for a coordinate out of range.
    pub fn at(mut self, place: &Location) -> Result<Self, LayoutError> {
        check_columns(&self.shards.columns(), place, None)?;
        for (level, at) in place.iter() {
            let size = self.shards.levels().find(|(of, _)| *of == level).map(|(_, size)| size);
            let size = size.unwrap_or_else(|| self.shards.shard.span(level));
            if at >= size {
                return Err(LayoutError::coordinate_out_of_range(level, at, size));
            }
            self.at.set(level, at);
        }
        Ok(self)
    }

    /// Adds the slots of the shards that hold no element.
    #[must_use]
    pub fn with_padding(mut self, padding: bool) -> Self {
        self.padding = padding;
        self
    }

    /// Calls `visit` with every row, in order, until it breaks.
    ///
    /// # Errors
    /// As [`Table::for_each`](crate::rows::Table::for_each) of the shard.
    pub fn for_each<B>(
        &self,
        mut visit: impl FnMut(Row<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, LayoutError> {
        let shards = self.shards;
        let is_unit = |level: Level| shards.levels().any(|(of, _)| of == level);
        let (units, inside): (Vec<_>, Vec<_>) =
            self.at.iter().partition(|(level, _)| is_unit(*level));
        let shard = Placement::of(shards.shard.clone()).build()?;
        let rows = shard.table().with_padding(self.padding).at(&inside.into_iter().collect())?;
        for device in &shards.devices {
            let path = shards.units(*device);
            let part = shards.part(*device)?;
            let (Some(part), true) = (part, units.iter().all(|unit| path.contains(unit))) else {
                continue;
            };
            let path = path.into_iter().map(|(_, unit)| unit).collect_vec();
            let found = rows.for_each(|row| {
                let index = row.index.and_then(|local| within(local, &part));
                if index.is_none() && !self.padding {
                    return ControlFlow::Continue(());
                }
                let place = path.iter().chain(row.place).copied().collect_vec();
                visit(Row { place: &place, index: index.as_deref() })
            })?;
            if found.is_break() {
                return Ok(found);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Writes the table.
    ///
    /// # Errors
    /// [`WriteError`]; CSV cannot have a level with the name of an entry of the index (`Unsupported`).
    pub fn write(&self, format: Format, out: &mut dyn Write) -> Result<(), WriteError> {
        let (columns, rank) = (self.shards.columns(), self.shards.extents.len());
        if format == Format::Csv {
            check_names(columns.iter().copied(), rank)?;
            writeln!(out, "{}", names_of(columns.iter().copied(), rank).join(","))?;
        }
        let written = (0..columns.len()).collect_vec();
        let mut lines = Lines::new(format, &columns, &written, rank);
        let stopped = self.for_each(|row| match lines.row(row.place, row.index, out) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        })?;
        match stopped {
            ControlFlow::Break(error) => Err(error.into()),
            ControlFlow::Continue(()) => Ok(lines.finish(out)?),
        }
    }
}

/// The index in the tensor of an index in a shard; `None` for the padding of a short shard.
fn within(local: &[u64], part: &[Vec<Range<u64>>]) -> Option<Vec<u64>> {
    local.iter().zip(part).map(|(local, held)| nth(held, *local)).collect()
}
