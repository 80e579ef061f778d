//! The conversion of a sharding to a layout: devices first, then the shard's own layout.

use itertools::Itertools;

use super::error::{manual, no_digits, shard_extents, too_many_devices, unknown, unreduced};
use super::order::{DeviceDigit, cut, major_first, merged, minor_product, shared_out};
use super::value::{Sharding, ShardingKind, Tiles};
use crate::algebra::{Layout, LayoutBuilder, Subaxis, split};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::machine::Machine;
use crate::words::counted;

/// The levels that a device number is split into, major to minor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) names: Vec<Level>,
    pub(super) sizes: Vec<u64>,
    /// Every device number is below this one: the last units of a machine may have no device.
    end: u64,
}

impl Levels {
    /// The index of the outermost level whose unit differs between devices, and the number of device
    /// numbers within one of its units.
    fn top(&self) -> (usize, u64) {
        let mut base = 1;
        for (at, size) in self.sizes.iter().enumerate().rev() {
            if at == 0 || base * size >= self.end {
                return (at, base);
            }
            base *= size;
        }
        (0, base)
    }

    /// The parts of a digit of the device number, major to minor, as (size, level, stride); `None` if the
    /// digit does not align with the levels.
    fn land(&self, digit: DeviceDigit) -> Option<Vec<(u64, Level, u64)>> {
        let (top, _) = self.top();
        let parts = cut(digit, self.sizes.get(top..)?)?.into_iter();
        parts.map(|(at, part)| Some((part.size, *self.names.get(top + at)?, part.weight))).collect()
    }

    fn subaxes(&self, digit: DeviceDigit) -> Option<Vec<Subaxis>> {
        let lands = self.land(digit)?.into_iter();
        Some(lands.map(|(size, level, stride)| Subaxis::land(size, level, stride)).collect())
    }

    /// The digits of a number that counts the steps of `run`. A run that ends at the last device may count
    /// on until its digits align with the levels.
    fn split(&self, run: DeviceDigit) -> Option<Vec<Subaxis>> {
        self.subaxes(run).or_else(|| {
            let (_, base) = self.top();
            let steps = self.end.div_ceil(base) * base / run.weight;
            let is_last = run.size * run.weight == self.end;
            is_last.then(|| self.subaxes(DeviceDigit { size: steps, ..run }))?
        })
    }

    /// The unit of a device in each level, major to minor.
    pub(super) fn units(&self, device: u64) -> Vec<(Level, u64)> {
        let mut units = vec![0; self.sizes.len()];
        split(device, self.sizes.iter().copied(), &mut units);
        self.names.iter().copied().zip(units).collect()
    }
}

/// The level of devices that only have numbers.
const DEVICE: Level = Level::literal("Device");

/// The level of a mesh axis.
fn axis_level(name: &str) -> Result<Level, LayoutError> {
    let level = Level::new(name)?;
    let is_index = name.strip_prefix('i').is_some_and(|n| n.parse::<u64>().is_ok());
    match !level.is_unit() || is_index {
        true => Err(fault!(
            Invalid,
            "a mesh axis cannot be called `{axis}`, because tables have a column of \
             that name: rename the axis",
            [axis = name.to_owned()]
        )),
        false => Ok(level),
    }
}

impl Sharding {
    /// The layout of a tensor: the devices that hold each element, and its place there by the shard's own
    /// layout.
    ///
    /// `shard` is the layout of the shard, whose extents are
    /// [`shard_extents`](Sharding::shard_extents). Levels are those of `machine`, the device
    /// number split in row-major order; without one, the axes of the mesh, or `Device` where the
    /// sharding has no mesh.
    /// Law: it agrees with [`shard`](Sharding::shard) and [`locate`](Sharding::locate).
    ///
    /// # Errors
    /// [`LayoutError`] where places are not specified (`manual`, `unreduced`), where a list of devices or
    /// copies are not digits of the device number, or the machine has fewer devices; `Invalid` for axes whose
    /// names no level can have.
    pub fn layout(
        &self,
        extents: &[u64],
        shard: &Layout,
        machine: Option<&Machine>,
    ) -> Result<Layout, LayoutError> {
        let wanted = self.shard_extents(extents)?;
        let found = shard.shape();
        if found != wanted {
            return Err(shard_extents(&found, &wanted));
        }
        let on_mesh = self.named.as_ref().filter(|_| machine.is_none());
        match &self.kind {
            ShardingKind::Tiled(tiles) => {
                tiles.check_places()?;
                let order = on_mesh.map_or(&tiles.order, |named| &named.places);
                let levels = self.levels(order.len(), order.end()?, machine)?;
                tiles.layout(order, &levels, extents, shard)
            }
            ShardingKind::Replicated(Some(devices)) => {
                let levels = self.levels(*devices, *devices, machine)?;
                let all = DeviceDigit { size: *devices, weight: 1 };
                Ok(copies(shard.to_builder(), &levels, &[all])?.build()?)
            }
            ShardingKind::Replicated(None) => Ok(shard.clone()),
            ShardingKind::Maximal(device) => {
                let count = device.checked_add(1).ok_or_else(too_many_devices)?;
                self.levels(1, count, machine)?.place(*device, shard)
            }
            ShardingKind::Manual => Err(manual()),
            ShardingKind::Unreduced => Err(unreduced()),
            ShardingKind::Unknown => Err(unknown()),
        }
    }

    /// The devices as a machine: the axes of the mesh, or `Device`; `None` if the sharding does not give
    /// their number.
    ///
    /// # Errors
    /// `Invalid` for axes whose names no level can have.
    pub fn machine(&self) -> Result<Option<Machine>, LayoutError> {
        let end = match &self.kind {
            ShardingKind::Maximal(device) => device.checked_add(1),
            ShardingKind::Tiled(tiles) => Some(tiles.order.end()?),
            _ => self.devices(),
        };
        let Some(end) = end else { return Ok(None) };
        let Levels { names, sizes, .. } = self.levels(end, end, None)?;
        if names.is_empty() {
            return Ok(None);
        }
        let levels = names.into_iter().zip(sizes);
        Ok(Some(levels.fold(Machine::builder("mesh"), |m, (l, n)| m.level(l, n)).build()?))
    }

    /// The levels of `devices` devices, whose numbers are below `end`.
    fn levels(
        &self,
        devices: u64,
        end: u64,
        machine: Option<&Machine>,
    ) -> Result<Levels, LayoutError> {
        match (machine, &self.named) {
            (None, Some(named)) => {
                let names = named.mesh.axes.iter().map(|(name, _)| axis_level(name));
                Ok(Levels { names: names.try_collect()?, sizes: named.mesh.sizes(), end })
            }
            _ => Levels::of(devices, end, machine),
        }
    }
}

impl Levels {
    /// The levels of a machine, or `Device`.
    pub(super) fn of(
        devices: u64,
        end: u64,
        machine: Option<&Machine>,
    ) -> Result<Levels, LayoutError> {
        let Some(machine) = machine else {
            return Ok(Levels { names: vec![DEVICE], sizes: vec![end], end });
        };
        let (names, sizes): (Vec<Level>, Vec<u64>) = machine.levels().unzip();
        let units: u64 = sizes.iter().product();
        let machine = || machine.described();
        if devices > units {
            return Err(fault!(
                Limit,
                "it has {devices}, but the {machine} has {units}",
                [
                    devices = counted(devices, "device"),
                    machine = machine(),
                    units = counted(units, "unit")
                ]
            ));
        }
        if end > units {
            let device = end - 1;
            return Err(LayoutError::no_such_device(device, units, machine()));
        }
        Ok(Levels { names, sizes, end })
    }

    /// The whole of a layout on one device.
    fn place(&self, device: u64, shard: &Layout) -> Result<Layout, LayoutError> {
        let builder = self.used(shard.to_builder());
        let units = self.units(device).into_iter();
        units.fold(builder, |builder, (level, unit)| builder.offset(level, unit)).build()
    }

    fn used(&self, builder: LayoutBuilder) -> LayoutBuilder {
        self.names.iter().fold(builder, |builder, level| builder.used(*level))
    }

    /// The runs of digits without copies in between, if they contain a digit that does not align with the
    /// levels. A run ends where copies begin, so it aligns wherever they do, and leaves room for them.
    fn numbers(&self, tile: &[DeviceDigit]) -> Vec<DeviceDigit> {
        let mut runs = merged(&major_first(tile.iter().copied()));
        let is_split = |digit: &&DeviceDigit| self.subaxes(**digit).is_none();
        runs.retain(|run| tile.iter().filter(is_split).any(|digit| run.has(*digit)));
        runs
    }
}

impl DeviceDigit {
    /// Returns whether a digit is part of this one.
    fn has(self, digit: DeviceDigit) -> bool {
        self.weight <= digit.weight && digit.weight / self.weight < self.size
    }
}

/// Adds copies along digits of the device number.
fn copies(
    builder: LayoutBuilder,
    levels: &Levels,
    digits: &[DeviceDigit],
) -> Result<LayoutBuilder, LayoutError> {
    let mut builder = levels.used(builder);
    for digit in digits {
        for (size, level, stride) in levels.land(*digit).ok_or_else(across_levels)? {
            builder = builder.replica(size, level, stride);
        }
    }
    Ok(builder)
}

fn across_levels() -> LayoutError {
    no_digits(fault!(NoDigits, "its copies are not digits of the levels of the machine"))
}

fn copies_of_tile() -> LayoutError {
    no_digits(fault!(NoDigits, "the copies of a tile are not digits of the device number"))
}

impl Tiles {
    fn layout(
        &self,
        order: &super::order::DeviceOrder,
        levels: &Levels,
        extents: &[u64],
        shard: &Layout,
    ) -> Result<Layout, LayoutError> {
        let digits = order.digits().ok_or_else(|| {
            no_digits(fault!(
                NoDigits,
                "in normal form its device list is irregular: the device number is not a \
                 strided function of the tile index"
            ))
        })?;
        let all: u64 = self.tiles.iter().product();
        let shares = shared_out(&digits, &[all, self.devices_per_tile()]);
        let shares = shares.ok_or_else(copies_of_tile)?;
        let [tile, replicas] = &shares[..] else { return Err(copies_of_tile()) };
        // Derived axis 0 is the tile number; then come the numbers made by runs of its digits that do not
        // align with the levels one by one, and the axes of the shard.
        let numbers = levels.numbers(tile);
        let first = 1 + numbers.len();
        let subaxes =
            tile.iter().map(|digit| match numbers.iter().position(|run| run.has(*digit)) {
                None => levels.subaxes(*digit),
                Some(at) => {
                    let weight = digit.weight / numbers.get(at)?.weight;
                    Some(vec![Subaxis::feed(digit.size, 1 + at, weight)])
                }
            });
        let subaxes: Option<Vec<Vec<Subaxis>>> = subaxes.collect();
        let mut builder = self.tensor_axes(extents, shard, first);
        builder = builder.derived(0, all, subaxes.ok_or_else(across_levels)?.concat());
        for run in numbers {
            builder = builder.derived(0, run.size, levels.split(run).ok_or_else(across_levels)?);
        }
        builder = shard_axes(builder, shard, first);
        Ok(copies(builder, levels, replicas)?.build()?.simplified())
    }

    /// Builds the axes of the tensor: in each dimension, the digit of the tile feeds the tile number, and the
    /// rest feeds an axis of the shard. Everything else of the shard (copies, offsets, levels, spans) is
    /// kept.
    fn tensor_axes(&self, extents: &[u64], shard: &Layout, first: usize) -> LayoutBuilder {
        let mut builder = shard.without_axes();
        let dims = extents.iter().zip(&self.tiles).zip(shard.axes());
        for (at, ((extent, tiles), axis)) in dims.enumerate() {
            let weight = minor_product(self.tiles.iter().copied(), at);
            let tile = Subaxis::feed(*tiles, 0, weight);
            let rest = Subaxis::feed(axis.extent.max(1), first + at, 1);
            builder = builder.axis(*extent, [tile, rest]);
        }
        builder
    }
}

/// The axes of the shard as derived axes after `first` others.
fn shard_axes(mut builder: LayoutBuilder, shard: &Layout, first: usize) -> LayoutBuilder {
    let behind = first + shard.rank();
    for axis in shard.axes() {
        let subaxes = axis.subaxes.iter().map(|subaxis| subaxis.shifted(behind));
        builder = builder.derived(0, axis.extent.max(1), subaxes.collect_vec());
    }
    for derived in shard.derived_axes() {
        builder = builder.derived_axis(derived.with(|subaxis| subaxis.shifted(behind)));
    }
    builder
}
