//! From a sharding to a layout: devices in front, the shard's own layout behind.

use itertools::Itertools;
use num_integer::Integer;

use super::order::{Digit, cut, refused, shared_out};
use super::value::{Sharding, ShardingKind, Tiles};
use crate::algebra::{Layout, LayoutBuilder, Subaxis};
use crate::error::{LayoutError, ShardingFault};
use crate::level::Level;
use crate::machine::Machine;

/// The levels that a device number is split into, major to minor.
struct Levels {
    names: Vec<Level>,
    sizes: Vec<u64>,
}

impl Levels {
    /// Where a digit of the device number lands, major to minor; `None` where it does not line up.
    fn land(&self, digit: Digit) -> Option<Vec<(u64, Level, u64)>> {
        let parts = cut(digit, &self.sizes)?.into_iter();
        parts.map(|(at, part)| Some((part.size, *self.names.get(at)?, part.weight))).collect()
    }

    fn subaxes(&self, digit: Digit) -> Option<Vec<Subaxis>> {
        let lands = self.land(digit)?.into_iter();
        Some(lands.map(|(size, level, stride)| Subaxis::land(size, level, stride)).collect())
    }

    /// The digits of a multiple of `weight`, to split a derived axis that counts the multiples;
    /// `None` where they do not line up.
    fn multiples(&self, weight: u64) -> Option<Vec<Subaxis>> {
        let devices: u64 = self.sizes.iter().product();
        self.subaxes(Digit { size: devices / weight, weight })
    }
}

/// The level of devices that have numbers only.
fn device_level() -> Result<Level, LayoutError> {
    Ok(Level::new("Device")?)
}

/// The level of a mesh axis.
fn axis_level(name: &str) -> Result<Level, LayoutError> {
    let level = Level::new(name)?;
    let is_index = name.strip_prefix('i').is_some_and(|n| n.parse::<u64>().is_ok());
    match !level.is_unit() || is_index {
        true => Err(refused(ShardingFault::ReservedAxis { axis: name.into() })),
        false => Ok(level),
    }
}

impl Sharding {
    /// The layout of a tensor: which devices hold an element, and where the shard's own layout
    /// puts it there.
    ///
    /// `shard` is the layout of the shard, whose extents are
    /// [`shard_extents`](Sharding::shard_extents). Levels are those of `machine`, the device
    /// number split in row-major order; without one, the axes of the mesh, or `Device` where the
    /// sharding has no mesh.
    /// Law: [`shard`](Sharding::shard) and [`locate`](Sharding::locate) say the same.
    ///
    /// # Errors
    /// [`Sharding`](LayoutError::Sharding) where places are not said (`manual`, `unreduced`), where
    /// a list of devices or copies are not digits of the device number, or the machine has fewer
    /// devices; [`LevelName`](LayoutError::LevelName) for axes whose names no level can have.
    pub fn layout(
        &self,
        extents: &[u64],
        shard: &Layout,
        machine: Option<&Machine>,
    ) -> Result<Layout, LayoutError> {
        let wanted = self.shard_extents(extents)?;
        let found = shard.shape();
        if found != wanted {
            return Err(refused(ShardingFault::ShardExtents { found, wanted }));
        }
        let on_mesh = self.named.as_ref().filter(|_| machine.is_none());
        match &self.kind {
            ShardingKind::Tiled(tiles) => {
                tiles.check_places()?;
                let order = on_mesh.map_or(&tiles.order, |named| &named.places);
                let levels = self.levels(order.len(), machine)?;
                tiles.layout(order, &levels, extents, shard)
            }
            ShardingKind::Replicated(devices) => match devices {
                Some(devices) => {
                    let levels = self.levels(*devices, machine)?;
                    let all = Digit { size: *devices, weight: 1 };
                    copies(shard.to_builder(), &levels, &[all])?.build()
                }
                None => Ok(shard.clone()),
            },
            ShardingKind::Maximal(device) => {
                let beyond = || refused(ShardingFault::TooManyDevices);
                let count = device.checked_add(1).ok_or_else(beyond)?;
                self.levels(count, machine)?.place(*device, shard)
            }
            ShardingKind::Manual => Err(refused(ShardingFault::Manual)),
            ShardingKind::Unreduced => Err(refused(ShardingFault::Unreduced)),
            ShardingKind::Unknown => Err(refused(ShardingFault::Unknown)),
        }
    }

    /// The devices as a machine: the axes of the mesh, or `Device`; `None` where the sharding does
    /// not say how many there are.
    ///
    /// # Errors
    /// [`LevelName`](LayoutError::LevelName) for axes whose names no level can have.
    pub fn machine(&self) -> Result<Option<Machine>, LayoutError> {
        let devices = match &self.kind {
            ShardingKind::Maximal(device) => device.checked_add(1),
            _ => self.devices(),
        };
        let Some(devices) = devices else { return Ok(None) };
        let Levels { names, sizes } = self.levels(devices, None)?;
        let levels = names.into_iter().zip(sizes);
        match levels.len() {
            0 => Ok(None),
            _ => levels.fold(Machine::builder("mesh"), |m, (l, n)| m.level(l, n)).build().map(Some),
        }
    }

    fn levels(&self, devices: u64, machine: Option<&Machine>) -> Result<Levels, LayoutError> {
        if let Some(machine) = machine {
            let (names, sizes): (Vec<Level>, Vec<u64>) = machine.levels().unzip();
            let units: u64 = sizes.iter().product();
            if devices > units {
                let machine = machine.described();
                return Err(refused(ShardingFault::FewerUnits { devices, machine, units }));
            }
            return Ok(Levels { names, sizes });
        }
        match &self.named {
            None => Ok(Levels { names: vec![device_level()?], sizes: vec![devices] }),
            Some(named) => {
                let names = named.mesh.axes.iter().map(|(name, _)| axis_level(name));
                Ok(Levels { names: names.try_collect()?, sizes: named.mesh.sizes() })
            }
        }
    }
}

impl Levels {
    /// The whole of a layout on one device.
    fn place(&self, device: u64, shard: &Layout) -> Result<Layout, LayoutError> {
        let (mut rest, mut builder) = (device, self.used(shard.to_builder()));
        for (level, size) in self.names.iter().zip(&self.sizes).rev() {
            builder = builder.offset(*level, rest % size);
            rest /= size;
        }
        builder.build()
    }

    fn used(&self, builder: LayoutBuilder) -> LayoutBuilder {
        self.names.iter().fold(builder, |builder, level| builder.used(*level))
    }
}

/// Adds copies along digits of the device number.
fn copies(
    builder: LayoutBuilder,
    levels: &Levels,
    digits: &[Digit],
) -> Result<LayoutBuilder, LayoutError> {
    let mut builder = levels.used(builder);
    for digit in digits {
        let not_digits = || refused(ShardingFault::CopiesAcrossLevels);
        for (size, level, stride) in levels.land(*digit).ok_or_else(not_digits)? {
            builder = builder.replica(size, level, stride);
        }
    }
    Ok(builder)
}

impl Tiles {
    fn layout(
        &self,
        order: &super::order::DeviceOrder,
        levels: &Levels,
        extents: &[u64],
        shard: &Layout,
    ) -> Result<Layout, LayoutError> {
        let digits = order.digits().ok_or_else(|| refused(ShardingFault::ListedDevices))?;
        let all: u64 = self.tiles.iter().product();
        let shares = shared_out(&digits, &[all, self.devices_per_tile()]);
        let no_copies = || refused(ShardingFault::CopiesOfTile);
        let shares = shares.ok_or_else(no_copies)?;
        let [tile, replicas] = &shares[..] else { return Err(no_copies()) };
        // Derived axis 0 is the tile number, axis 1 the device number where its digits do not line
        // up with the levels; then come the axes of the shard.
        let lands: Option<Vec<Vec<Subaxis>>> =
            tile.iter().map(|digit| levels.subaxes(*digit)).collect();
        let first = if lands.is_some() { 1 } else { 2 };
        let mut builder = self.tensor_axes(extents, shard, first);
        builder = match lands {
            Some(lands) => builder.derived(0, all, lands.concat()),
            None => {
                // What the levels below the common weight say is left to the copies.
                let common = tile.iter().fold(0, |common, digit| digit.weight.gcd(&common)).max(1);
                let (weight, digits) = match levels.multiples(common) {
                    Some(digits) => (common, digits),
                    None => (1, levels.multiples(1).ok_or_else(no_copies)?),
                };
                let tile =
                    tile.iter().map(|digit| Digit { weight: digit.weight / weight, ..*digit });
                let reach = tile.clone().map(|digit| (digit.size - 1) * digit.weight).sum::<u64>();
                let feed = |digit: Digit| Subaxis::feed(digit.size, 1, digit.weight);
                let number = builder.derived(0, all, tile.map(feed));
                number.derived(0, reach + 1, digits)
            }
        };
        builder = shard_axes(builder, shard, first);
        Ok(copies(builder, levels, replicas)?.build()?.simplified())
    }

    /// Every dimension: the digit of its tile feeds the tile number, the rest an axis of the shard.
    /// What else the shard has (copies, offsets, levels, spans) stays.
    fn tensor_axes(&self, extents: &[u64], shard: &Layout, first: usize) -> LayoutBuilder {
        let mut builder = shard.without_axes();
        let dims = extents.iter().zip(&self.tiles).zip(shard.axes());
        for (at, ((extent, tiles), axis)) in dims.enumerate() {
            let weight = self.tiles.iter().skip(at + 1).product();
            let tile = Subaxis::feed(*tiles, 0, weight);
            let rest = Subaxis::feed(axis.extent.max(1), first + at, 1);
            builder = builder.axis(*extent, [tile, rest]);
        }
        builder
    }
}

/// The axes of the shard as derived axes behind `first` others.
fn shard_axes(mut builder: LayoutBuilder, shard: &Layout, first: usize) -> LayoutBuilder {
    let behind = first + shard.rank();
    for axis in shard.axes() {
        let subaxes = axis.subaxes.iter().map(|subaxis| subaxis.shifted(behind));
        builder = builder.derived(0, axis.extent.max(1), subaxes.collect_vec());
    }
    for derived in shard.derived_axes() {
        let subaxes = derived.axis.subaxes.iter().map(|subaxis| subaxis.shifted(behind));
        builder = builder.derived(derived.start, derived.axis.extent, subaxes.collect_vec());
    }
    builder
}
