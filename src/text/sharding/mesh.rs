//! Meshes: the checks, and the conversion of axes to digits of the place in the mesh.

use itertools::Itertools;

use super::lower::order_of;
use super::order::{DeviceDigit, DeviceOrder, count, major_first, minor_product};
use super::value::{Named, Sharding, ShardingKind, Tiles};
use super::{Mesh, MeshAxis, MeshDims, SubgroupKind, TileDevices};
use crate::error::{LayoutError, fault};
use crate::machine::Machine;
use crate::words::{counted, cut};

impl From<&Machine> for Mesh {
    /// The units of a machine: an axis per level.
    fn from(machine: &Machine) -> Mesh {
        let axes = machine.levels().map(|(level, size)| (level.to_string(), size));
        Mesh { axes: axes.collect(), devices: None }
    }
}

impl Mesh {
    /// The number of devices.
    pub(super) fn len(&self) -> Result<u64, LayoutError> {
        count(&self.sizes())
    }

    /// The device of a mesh without axes that names one: the whole tensor is on it.
    ///
    /// Source: openxla/shardy, `attrs.td`, maximal shardings.
    pub(super) fn maximal(&self) -> Option<u64> {
        match &self.devices {
            Some(TileDevices::List(devices)) if self.axes.is_empty() => match devices[..] {
                [device] => Some(device),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn sizes(&self) -> Vec<u64> {
        self.axes.iter().map(|(_, size)| *size).collect()
    }

    /// Rejects names that repeat or are numbers, sizes of 0, and device lists that are not permutations of
    /// the devices or that write out the default order.
    pub(crate) fn check(&self) -> Result<(), LayoutError> {
        if self.maximal().is_some() {
            return Ok(());
        }
        if let Some(name) = self.axes.iter().map(|(name, _)| name).duplicates().next() {
            return Err(fault!(
                Invalid,
                "axis '{axis}' appears twice in the mesh",
                [axis = name.clone()]
            ));
        }
        let is_number = |name: &&String| name.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(name) = self.axes.iter().map(|(name, _)| name).find(is_number) {
            return Err(fault!(
                Invalid,
                "axis '{axis}' would be read as the number of an axis: give it a name \
                 with a letter",
                [axis = name.clone()]
            ));
        }
        self.order().map(|_| ())
    }

    /// The order of the devices, by places of the mesh in row-major order.
    pub(super) fn order(&self) -> Result<DeviceOrder, LayoutError> {
        let devices = self.len()?;
        let iota = DeviceOrder::iota(&[devices], &[])?;
        let Some(written) = &self.devices else { return Ok(iota) };
        if let TileDevices::List(list) = written
            && let Some(&device) = list.iter().find(|device| **device >= devices)
        {
            return Err(fault!(
                Invalid,
                "`device_ids` lists device {device}, but the mesh has only {devices}",
                [device, devices = counted(devices, "device")]
            ));
        }
        let order = order_of(written)?;
        if order.len() != devices {
            let listed = order.len();
            return Err(fault!(
                Invalid,
                "`device_ids` lists {listed}, but the mesh has {devices}",
                [listed = counted(listed, "device"), devices]
            ));
        }
        if order == iota && devices > 1 {
            return Err(fault!(
                Invalid,
                "`device_ids` repeats the order that a mesh has anyway; leave it out"
            ));
        }
        Ok(order)
    }

    /// The devices at the places of the mesh, in row-major order.
    ///
    /// # Errors
    /// An invalid mesh, or more than 2^22 devices.
    pub fn device_order(&self) -> Result<Vec<u64>, LayoutError> {
        let order = self.order()?;
        order.check_listed()?;
        Ok(order.iter().collect())
    }

    /// The number of an axis, the product of the sizes in front of its part, and the digit that the axis or
    /// part is in the place in the mesh.
    fn digit(&self, axis: &MeshAxis) -> Result<(usize, u64, DeviceDigit), LayoutError> {
        let MeshAxis { name, part } = axis;
        let axis = || name.clone();
        let mut axes = self.axes.iter().enumerate();
        let Some((at, (_, whole))) = axes.find(|(_, (known, _))| known == name) else {
            let known = self.axes.iter().map(|(name, _)| name.clone()).collect_vec();
            return Err(fault!(
                Unknown,
                "'{axis}' is not an axis of the mesh, {known}",
                [axis = axis(), known = of_mesh(&known)]
            ));
        };
        let whole = *whole;
        let minor = minor_product(self.axes.iter().map(|(_, size)| *size), at);
        let (before, size) = part.unwrap_or((1, whole));
        let divides = |used: &u64| *used > 0 && whole.is_multiple_of(*used);
        let Some(used) = before.checked_mul(size).filter(divides) else {
            return Err(fault!(
                Invalid,
                "'{axis}':({before}){size} is not a part: {before} x {size} does not \
                 divide {whole}",
                [axis = axis(), before, size, whole]
            ));
        };
        if part.is_some() && size == 1 {
            return Err(fault!(
                Invalid,
                "'{axis}':({before})1 is a part of size 1, which does not split anything",
                [axis = axis(), before]
            ));
        }
        if part.is_some() && size == whole {
            return Err(fault!(
                Invalid,
                "'{axis}':(1){size} is the whole axis: write '{axis}'",
                [axis = axis(), size]
            ));
        }
        Ok((at, before, DeviceDigit { size, weight: minor * (whole / used) }))
    }
}

/// The axes that a list names, as digits; lists that must be in the order of the mesh are checked.
struct Used<'a> {
    mesh: &'a Mesh,
    /// The axis, the product of the sizes in front of the part, and the digit.
    parts: Vec<(usize, u64, DeviceDigit)>,
}

impl Used<'_> {
    fn take(&mut self, axes: &[MeshAxis]) -> Result<Vec<DeviceDigit>, LayoutError> {
        let mut digits = Vec::new();
        let mut last: Option<(usize, u64)> = None;
        for axis in axes {
            let (at, pre, digit) = self.mesh.digit(axis)?;
            if last == Some((at, pre)) && axis.part.is_some() {
                return Err(fault!(
                    Invalid,
                    "two parts of '{axis}' are side by side: write them as one",
                    [axis = axis.name.clone()]
                ));
            }
            self.check_free(axis, at, pre, digit)?;
            self.parts.push((at, pre, digit));
            digits.push(digit);
            last = Some((at, pre.saturating_mul(digit.size)));
        }
        Ok(digits)
    }

    /// Rejects an axis that is already used, or parts of one that do not fit side by side.
    fn check_free(
        &self,
        axis: &MeshAxis,
        at: usize,
        pre: u64,
        new: DeviceDigit,
    ) -> Result<(), LayoutError> {
        let axis = || axis.name.clone();
        for (_, other_pre, other) in self.parts.iter().filter(|part| part.0 == at) {
            let (major, minor) = if pre < *other_pre { (new, *other) } else { (*other, new) };
            let (low, high) = if pre < *other_pre { (pre, *other_pre) } else { (*other_pre, pre) };
            if low == high || low.saturating_mul(major.size) > high {
                return Err(fault!(Invalid, "axis '{axis}' is used twice", [axis = axis()]));
            }
            if major.weight % (minor.weight * minor.size) != 0 {
                return Err(fault!(
                    Invalid,
                    "two parts of '{axis}' do not fit side by side",
                    [axis = axis()]
                ));
            }
        }
        Ok(())
    }

    /// The digits of the mesh that no part covers.
    fn rest(&self) -> Vec<DeviceDigit> {
        let mut rest = Vec::new();
        let mut base: u64 = self.mesh.sizes().iter().product();
        for (at, (_, size)) in self.mesh.axes.iter().enumerate() {
            let mut top = base;
            base /= size;
            let parts = self.parts.iter().filter(|part| part.0 == at).map(|part| part.2);
            for DeviceDigit { size, weight } in major_first(parts) {
                rest.push(DeviceDigit { size: top / (weight * size), weight: weight * size });
                top = weight;
            }
            rest.push(DeviceDigit { size: top / base, weight: base });
        }
        rest.into_iter().filter(|digit| digit.size > 1).collect()
    }
}

/// Rejects a list of axes that is not in the order of the mesh.
fn check_sorted(mesh: &Mesh, axes: &[MeshAxis], list: &'static str) -> Result<(), LayoutError> {
    let keys: Vec<(usize, u64)> =
        axes.iter().map(|axis| mesh.digit(axis).map(|(at, pre, _)| (at, pre))).try_collect()?;
    if keys.is_sorted() {
        Ok(())
    } else {
        Err(fault!(Invalid, "the axes of `{list}` must be in the order of the mesh", [list]))
    }
}

/// The order in which the digits of some axes are the minor ones, and the number of devices they span.
pub(super) fn minor(mesh: &Mesh, axes: &[MeshAxis]) -> Result<(DeviceOrder, u64), LayoutError> {
    mesh.check()?;
    let mut used = Used { mesh, parts: Vec::new() };
    let digits = used.take(axes)?;
    let size = digits.iter().map(|digit| digit.size).product();
    let order = used.rest().into_iter().chain(digits).collect();
    Ok((DeviceOrder::of(order).then(&mesh.order()?)?, size))
}

impl Sharding {
    /// Gives the axes of a mesh their meaning: tiles in the order of the dimensions, then the axes that no
    /// dimension uses.
    ///
    /// Source: openxla/xla, `named_sharding.h`, VerifyNamedSharding; openxla/shardy, `attrs.td`.
    pub(super) fn on_mesh(mesh: &Mesh, dims: &MeshDims) -> Result<Sharding, LayoutError> {
        mesh.check()?;
        check_sorted(mesh, &dims.replicated, "replicated")?;
        check_sorted(mesh, &dims.unreduced, "unreduced")?;
        check_sorted(mesh, &dims.manual, "manual")?;
        let mut used = Used { mesh, parts: Vec::new() };
        let per_dim: Vec<Vec<DeviceDigit>> =
            dims.dims.iter().map(|dim| used.take(&dim.axes)).try_collect()?;
        let manual = used.take(&dims.manual)?;
        let unreduced = used.take(&dims.unreduced)?;
        let replicated = used.rest();
        // Axes that are listed as replicated would hold copies anyway; the check is that nothing else uses
        // them.
        used.take(&dims.replicated)?;
        let size = |digits: &[DeviceDigit]| digits.iter().map(|digit| digit.size).product::<u64>();
        let groups = [
            (SubgroupKind::Manual, manual),
            (SubgroupKind::Unreduced, unreduced),
            (SubgroupKind::Replicated, replicated),
        ];
        let mut sizes = per_dim.iter().map(|digits| size(digits)).collect_vec();
        let mut kinds = Vec::new();
        let mut order = per_dim.concat();
        for (kind, digits) in groups.into_iter().filter(|(_, digits)| !digits.is_empty()) {
            sizes.push(size(&digits));
            kinds.push(kind);
            order.extend(digits);
        }
        let places = DeviceOrder::of(order);
        let devices = places.then(&mesh.order()?)?;
        let kind = match sizes.is_empty() {
            true => ShardingKind::Replicated(Some(mesh.len()?)),
            false => Tiles::checked(&sizes, &kinds, devices)?,
        };
        let kind = match kind {
            ShardingKind::Tiled(tiles) if tiles.order.len() == 1 => {
                ShardingKind::Replicated(Some(1))
            }
            kind => kind,
        };
        let named = Named { mesh: mesh.clone(), dims: dims.clone(), places };
        Ok(Sharding { kind, named: Some(named) })
    }
}

fn of_mesh(axes: &[String]) -> String {
    let names = axes.iter().map(|name| format!("'{name}'")).join(", ");
    match axes.is_empty() {
        true => "which has no axes".to_owned(),
        false => format!("whose axes are {}", cut(&names, 200)),
    }
}
