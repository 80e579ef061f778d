//! Answers about a sharded tensor, device by device, for any numbering of its devices.
//!
//! ```text
//! f32[6], sharding={devices=[2]1,0}     element 4 -> tile 1 -> device 0, Addr 1
//! ```

use std::ops::Range;

use itertools::Itertools;

use super::error::too_many_devices;
use super::layout::Levels;
use super::order::check_listed;
use super::pieces::Pieces;
use super::shape::ShardedShape;
use super::value::Sharding;
use crate::algebra::Layout;
use crate::error::{LayoutError, ParseError};
use crate::level::Level;
use crate::location::Location;
use crate::machine::Machine;
use crate::number::to_u64;

/// A sharded tensor, whose questions are answered from the parts that its devices hold.
///
/// A [layout](ShardedShape::lower) is made of digits. Device numbers that are listed in an arbitrary order
/// are not digits, nor are copies that share a digit with the tiles, nor pieces of different lengths that successive
/// cuts leave; questions about single devices can still be answered.
/// Law: if there is a layout, the answers are those of the layout.
///
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// let sharded: ShardedShape = "f32[6], sharding={devices=[3]2,0,1}".parse()?;
/// let places = sharded.by_device(None)?.locate_all(&[1])?;
/// assert_eq!(places[0].to_string(), "Device=2,Addr=1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceShards {
    sharding: Sharding,
    /// The pieces of each dimension that its tiles consist of.
    pub(crate) pieces: Vec<Pieces>,
    pub(crate) extents: Vec<u64>,
    /// The layout of every device's shard.
    pub(crate) shard: Layout,
    /// The numbers of the devices, in ascending order.
    pub(crate) devices: Vec<u64>,
    levels: Levels,
}

impl ShardedShape {
    /// The shards device by device: the levels are those of the machine, or `Device`.
    ///
    /// # Errors
    /// [`LayoutError`] if the sharding does not determine the part of each device, the machine has fewer units
    /// than devices, or there are more than 2^22 devices; also the errors of
    /// [`XlaArray::lower`](crate::xla::XlaArray::lower) for the shard.
    pub fn by_device(&self, machine: Option<&Machine>) -> Result<DeviceShards, ParseError> {
        let shard = self.shard().map_err(|error| self.refuse(error))?.lower()?;
        let shards = || {
            let (sharding, pieces) = self.held()?;
            DeviceShards::new(sharding, pieces, self.extents()?, shard, machine)
        };
        shards().map_err(|error| self.refuse(error))
    }
}

impl DeviceShards {
    fn new(
        sharding: Sharding,
        pieces: Vec<Pieces>,
        extents: Vec<u64>,
        shard: Layout,
        machine: Option<&Machine>,
    ) -> Result<DeviceShards, LayoutError> {
        let tiles = sharding.tiles(extents.len())?.iter().product();
        check_listed(tiles)?;
        let devices: Vec<Vec<u64>> = (0..tiles).map(|tile| sharding.holders(tile)).try_collect()?;
        let devices = devices.into_iter().flatten().sorted().collect_vec();
        let end = devices.last().map_or(Some(0), |last| last.checked_add(1));
        let end = end.ok_or_else(too_many_devices)?;
        let levels = Levels::of(to_u64(devices.len()), end, machine)?;
        Ok(DeviceShards { sharding, pieces, extents, shard, devices, levels })
    }

    /// Returns the shards with every address moved up by `base`.
    ///
    /// # Errors
    /// `TooLarge` where an address would not fit in 64 bits.
    pub fn with_base(mut self, base: u64) -> Result<DeviceShards, LayoutError> {
        self.shard = self.shard.with_offset(Level::ADDR, base)?;
        Ok(self)
    }

    /// The extents of the whole tensor.
    #[must_use]
    pub fn extents(&self) -> &[u64] {
        &self.extents
    }

    /// The numbers of the devices, in ascending order.
    #[must_use]
    pub fn devices(&self) -> &[u64] {
        &self.devices
    }

    /// The number of devices that hold each element.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.sharding.copies().unwrap_or(1)
    }

    /// The levels that the device number is split into, major to minor, with their sizes.
    pub fn levels(&self) -> impl Iterator<Item = (Level, u64)> + '_ {
        self.levels.names.iter().copied().zip(self.levels.sizes.iter().copied())
    }

    /// The levels of a place: those of the device number, then those of the shard.
    #[must_use]
    pub fn columns(&self) -> Vec<Level> {
        self.levels().map(|(level, _)| level).chain(self.shard.columns()).collect()
    }

    /// The unit of a device in each level, major to minor.
    pub(crate) fn units(&self, device: u64) -> Vec<(Level, u64)> {
        self.levels.units(device)
    }

    /// The elements that a device holds in each dimension, in the order of its shard.
    pub(crate) fn part(&self, device: u64) -> Result<Option<Vec<Vec<Range<u64>>>>, LayoutError> {
        self.sharding.part(&self.pieces, device)
    }

    /// The devices that hold an element, and its index in their shards.
    pub(crate) fn find(&self, index: &[u64]) -> Result<(Vec<u64>, Vec<u64>), LayoutError> {
        self.sharding.find(&self.pieces, index)
    }

    /// For each level, the number of its units that hold an element; a unit is the whole path from the
    /// outermost level.
    ///
    /// # Errors
    /// As [`Sharding::shard`].
    pub fn filled_units(&self) -> Result<Vec<(Level, u64)>, LayoutError> {
        let mut filled = Vec::new();
        for device in &self.devices {
            let holds = |ranges: &Vec<Range<u64>>| ranges.iter().any(|range| !range.is_empty());
            if self.part(*device)?.is_some_and(|part| part.iter().all(holds)) {
                filled.push(*device);
            }
        }
        let below = self.units_below();
        let paths = |below: &u64| filled.iter().map(|device| device / below).dedup().count();
        let counts = below.iter().map(|below| to_u64(paths(below)));
        Ok(self.levels().map(|(level, _)| level).zip(counts).collect())
    }

    /// The number of devices in one unit of each level.
    pub(crate) fn units_below(&self) -> Vec<u64> {
        let sizes = &self.levels.sizes;
        (1..=sizes.len()).map(|at| sizes.iter().skip(at).product()).collect()
    }

    /// Every place of an element, in the order of the devices.
    ///
    /// Cost: O(copies x digits).
    ///
    /// # Errors
    /// As [`Sharding::locate`].
    pub fn locate_all(&self, index: &[u64]) -> Result<Vec<Location>, LayoutError> {
        let (devices, local) = self.find(index)?;
        let inside = self.shard.locate(&local)?;
        let place = |device: u64| self.units(device).into_iter().chain(inside.iter()).collect();
        Ok(devices.into_iter().sorted().map(place).collect())
    }
}
