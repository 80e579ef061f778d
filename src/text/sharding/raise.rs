//! The conversion of a layout over the units of a machine back to a sharding, if there is one.

use itertools::Itertools;

use super::SubgroupKind;
use super::order::{DeviceDigit, DeviceOrder};
use super::value::{Sharding, Tiles};
use crate::algebra::{Axis, Layout, LayoutBuilder, Subaxis, Target};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::machine::Machine;

impl Sharding {
    /// Derives a sharding and the layout of its shard from a layout: the units of the machine, numbered
    /// row-major, are the devices.
    ///
    /// The digits of an axis that land in units must be major to those that stay in a unit, and cut the
    /// axis into parts of ceil(extent / parts). Levels that the layout does not use are copies.
    /// Law: [`layout`](Sharding::layout) of both equals the original up to padding.
    ///
    /// # Errors
    /// [`LayoutError`], with the axis and its numbers.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// use tensor_layout::sharding::Sharding;
    /// let machine: Machine = "HOST=2,CHIP=4".parse()?;
    /// let layout = "((4_CHIP, 2:7), (7:1))".parse()?;
    /// let (sharding, shard) = Sharding::of_layout(&layout, &machine)?;
    /// assert_eq!(sharding.to_hlo().to_string(),
    ///     "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
    /// assert_eq!(shard, "((2:7), (7:1))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_layout(
        layout: &Layout,
        machine: &Machine,
    ) -> Result<(Sharding, Layout), LayoutError> {
        let layout = layout.simplified();
        let units = SplitUnits::of(machine);
        units.check(&layout)?;
        let parts: Vec<AxisSplit> =
            layout.axes().iter().enumerate().map(|(n, axis)| units.part(n, axis)).try_collect()?;
        let copies = units.copies(&layout)?;
        let tiles = parts.iter().map(|part| part.tiles).collect_vec();
        let digits = parts.iter().flat_map(|part| &part.digits).chain(&copies).copied();
        let order = units.order(digits.collect())?;
        let copies = copies.iter().map(|digit| digit.size).product::<u64>();
        let kinds = if copies > 1 { vec![SubgroupKind::Replicated] } else { Vec::new() };
        let dims = tiles.iter().copied().chain(kinds.iter().map(|_| copies)).collect_vec();
        let kind = Tiles::checked(&dims, &kinds, order)?;
        Ok((Sharding::of(kind), shard(&layout, &parts, &units)?))
    }
}

/// The units of a machine as devices: each level, its size, and the number of devices in one step of it.
struct SplitUnits(Vec<(Level, u64, u64)>);

/// An axis taken apart: the digits of the device number, and the rest, which stays in a unit.
struct AxisSplit {
    tiles: u64,
    digits: Vec<DeviceDigit>,
    extent: u64,
    subaxes: Vec<Subaxis>,
}

impl SplitUnits {
    fn of(machine: &Machine) -> SplitUnits {
        let mut weight = 1;
        let mut units = Vec::new();
        for (level, size) in machine.levels().collect_vec().into_iter().rev() {
            units.push((level, size, weight));
            weight *= size;
        }
        SplitUnits(units)
    }

    fn weight(&self, level: Level) -> Option<u64> {
        self.0.iter().find(|(of, ..)| *of == level).map(|(.., weight)| *weight)
    }

    /// The digit of the device number that a landing is; `None` for one within a unit.
    fn digit(&self, size: u64, level: Level, stride: u64) -> Option<DeviceDigit> {
        let weight = self.weight(level)?;
        Some(DeviceDigit { size, weight: stride.saturating_mul(weight) })
    }

    fn digit_of(&self, subaxis: &Subaxis) -> Option<DeviceDigit> {
        match subaxis.target {
            Target::Land { level, stride } => self.digit(subaxis.size, level, stride),
            Target::Feed { .. } => None,
        }
    }

    /// Rejects layouts that no sharding has: units chosen by derived axes, and a first unit other than 0.
    fn check(&self, layout: &Layout) -> Result<(), LayoutError> {
        let mut derived = layout.derived_axes().iter().flat_map(|derived| &derived.axis.subaxes);
        if derived.any(|subaxis| subaxis.size > 1 && self.digit_of(subaxis).is_some()) {
            return Err(fault!(
                Inexpressible,
                "its units depend on a derived axis, which a sharding cannot express"
            ));
        }
        let moved = self.0.iter().find(|(level, ..)| layout.offset(*level) > 0);
        let Some(&(level, ..)) = moved else { return Ok(()) };
        Err(fault!(
            Inexpressible,
            "the layout starts at unit {first} of `{level}`; a sharding must start at unit 0",
            [first = layout.offset(level), level]
        ))
    }

    fn part(&self, number: usize, axis: &Axis) -> Result<AxisSplit, LayoutError> {
        let real = axis.subaxes.iter().filter(|subaxis| subaxis.size > 1).copied().collect_vec();
        let digits = real.iter().map_while(|subaxis| self.digit_of(subaxis)).collect_vec();
        let subaxes = real[digits.len()..].to_vec();
        if let Some(level) = subaxes.iter().find_map(|subaxis| match subaxis.target {
            Target::Land { level, .. } => self.weight(level).map(|_| level),
            Target::Feed { .. } => None,
        }) {
            return Err(fault!(
                Inexpressible,
                "axis {axis} is interleaved over `{level}` (a digit in memory is major \
                 to it), so no unit holds a box of the tensor",
                [axis = number, level]
            ));
        }
        let tiles = digits.iter().map(|digit| digit.size).product();
        let (extent, part) = (axis.extent, subaxes.iter().map(|s| s.size).product());
        let wanted = extent.div_ceil(tiles);
        if tiles > 1 && extent > 0 && wanted != part {
            let axis = number;
            return Err(fault!(
                Inexpressible,
                "axis {axis} of extent {extent} is cut into {tiles} parts of {part}; a \
                 sharding cuts it into parts of {wanted}",
                [axis, extent, tiles, part, wanted]
            ));
        }
        Ok(AxisSplit { tiles, digits, extent: wanted, subaxes })
    }

    /// Copies, as digits of the device number: replicas, and levels that the layout does not use.
    fn copies(&self, layout: &Layout) -> Result<Vec<DeviceDigit>, LayoutError> {
        let real = layout.replicas().iter().filter(|replica| replica.size > 1);
        let written = real.map(|replica| {
            let digit = self.digit(replica.size, replica.level, replica.stride);
            let level = replica.level;
            digit.ok_or_else(|| {
                fault!(
                    Inexpressible,
                    "its copies in `{level}` are within a unit, not on other devices",
                    [level]
                )
            })
        });
        let absent = self.0.iter().filter(|(level, ..)| !layout.used_levels().contains(level));
        let absent =
            absent.map(|(_, size, weight)| Ok(DeviceDigit { size: *size, weight: *weight }));
        written.chain(absent).collect()
    }

    /// The order of these digits, major to minor, if every device has one number.
    fn order(&self, digits: Vec<DeviceDigit>) -> Result<DeviceOrder, LayoutError> {
        let units = self.0.iter().map(|(_, size, _)| size).product();
        let mut next = Some(1_u64);
        for digit in digits.iter().filter(|d| d.size > 1).sorted_by_key(|digit| digit.weight) {
            next = next.filter(|next| *next == digit.weight);
            next = next.and_then(|next| next.checked_mul(digit.size));
        }
        match next == Some(units) {
            true => Ok(DeviceOrder::of(digits)),
            false => Err(fault!(
                Inexpressible,
                "the layout does not use each of the {units} units of the machine \
                 exactly once; a sharding needs a part for every device",
                [units]
            )),
        }
    }
}

/// The layout within a unit.
fn shard(layout: &Layout, parts: &[AxisSplit], units: &SplitUnits) -> Result<Layout, LayoutError> {
    let mut builder: LayoutBuilder = Layout::builder();
    for part in parts {
        builder = builder.axis(part.extent, part.subaxes.iter().copied());
    }
    for derived in layout.derived_axes() {
        builder = builder.derived_axis(derived.clone());
    }
    for level in layout.used_levels().iter().filter(|level| units.weight(**level).is_none()) {
        builder = builder.used(*level).offset(*level, layout.offset(*level));
        builder = builder.span(*level, layout.span(*level));
    }
    Ok(builder.build()?.simplified())
}
