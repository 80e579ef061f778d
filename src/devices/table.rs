//! Rows of a sharded tensor, device by device.

use std::ops::{ControlFlow, Range};

use itertools::Itertools;

use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::placement::{Placement, check_columns};
use crate::rows::Row;
use crate::text::sharding::{DeviceShards, nth};

/// The rows of the address table of a [sharded tensor](DeviceShards), in the order of the devices.
///
/// Law: the rows are all elements with all their places; with padding also every other slot of the
/// shards.
///
/// ```
/// use std::ops::ControlFlow;
/// use tensor_layout::sharding::ShardedShape;
/// let sharded: ShardedShape = "f32[3], sharding={devices=[2]1,0}".parse()?;
/// let mut rows = Vec::new();
/// let _ = sharded.by_device(None)?.table().for_each(|row| {
///     rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec))); // Device, Addr and i0
///     ControlFlow::<()>::Continue(())
/// })?;
/// assert_eq!(rows, [[0, 0, 2], [1, 0, 0], [1, 1, 1]].map(|[d, at, i]| (vec![d, at], Some(vec![i]))));
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

    /// The levels of the columns.
    #[must_use]
    pub fn columns(&self) -> Vec<Level> {
        self.shards.columns()
    }

    /// The number of axes, and thus of entries in an index.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shards.extents.len()
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
}

/// The index in the tensor of an index in a shard; `None` for the padding of a short shard.
fn within(local: &[u64], part: &[Vec<Range<u64>>]) -> Option<Vec<u64>> {
    local.iter().zip(part).map(|(local, held)| nth(held, *local)).collect()
}
