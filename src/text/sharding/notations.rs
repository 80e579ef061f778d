//! The conversion of the value back to the notations.

use std::cmp::Reverse;

use itertools::Itertools;

use super::hlo::{HloForm, WholeKind};
use super::order::{DeviceDigit, DeviceOrder, cut, major_first, merged, minor_product};
use super::value::{Sharding, ShardingKind, Tiles};
use super::{
    DimAxes, HloSharding, Mesh, MeshAxis, MeshDims, PartitionSpec, SdySharding, SubgroupKind,
    TileDevices,
};
use crate::error::{LayoutError, fault};
use crate::words::counted;

const ON_MESH: &str = "a sharding on a mesh";

impl Sharding {
    /// The sharding as XLA prints it: tiles and devices, in normal form. It cannot name the
    /// [reduction](Sharding::reduction) of partial results.
    ///
    /// Law: the text that XLA gives for the same sharding.
    #[must_use]
    pub fn to_hlo(&self) -> HloSharding {
        HloSharding::of(match &self.kind {
            ShardingKind::Replicated(_) => HloForm::Whole(WholeKind::Replicated),
            ShardingKind::Manual => HloForm::Whole(WholeKind::Manual),
            ShardingKind::Unreduced => HloForm::Whole(WholeKind::Unreduced),
            ShardingKind::Unknown => HloForm::Whole(WholeKind::Unknown),
            ShardingKind::Maximal(device) => HloForm::Maximal(*device),
            ShardingKind::Tiled(tiles) => tiles.to_hlo(),
        })
    }

    /// The axes of a mesh for every dimension of a tensor of rank `rank`.
    ///
    /// Law: lowered on the mesh, it returns the same sharding.
    fn to_mesh_dims(&self, mesh: &Mesh, rank: usize) -> Result<MeshDims, LayoutError> {
        let refuse = |reason| inexpressible(ON_MESH, reason);
        let devices = mesh.len()?;
        if let Some(found) = self.devices().filter(|found| *found != devices) {
            return Err(refuse(fault!(
                Inexpressible,
                "it has {found}, but the mesh has {devices}",
                [found = counted(found, "device"), devices]
            )));
        }
        let mut dims = MeshDims { dims: vec![DimAxes::default(); rank], ..MeshDims::default() };
        let tiles = match &self.kind {
            ShardingKind::Replicated(_) => return Ok(dims),
            ShardingKind::Tiled(tiles) => tiles,
            _ => return Err(refuse(fault!(Inexpressible, "it is one word for the whole tensor"))),
        };
        self.tiles(rank)?;
        // The order from devices to places of the mesh: the inverse of the mesh's own order.
        let order = mesh.order()?.inverse()?;
        let places = tiles.order.then(&order)?;
        let uneven =
            || refuse(fault!(Inexpressible, "its tiles do not line up with the axes of the mesh"));
        let shares = tiles.shares(&places).ok_or_else(uneven)?;
        // Groups are sets of axes, in the order of the mesh.
        let in_order = |(at, digits): (usize, &Vec<DeviceDigit>)| match at < rank {
            true => digits.clone(),
            false => merged(&major_first(digits.iter().copied())),
        };
        let axes = shares.iter().enumerate().map(in_order).map(|digits| mesh.axes_of(&digits));
        let axes: Vec<Vec<MeshAxis>> = axes.collect::<Option<_>>().ok_or_else(uneven)?;
        let (per_dim, per_group) = axes.split_at(rank.min(axes.len()));
        for (dim, axes) in dims.dims.iter_mut().zip(per_dim) {
            dim.axes.clone_from(axes);
        }
        for ((kind, _), axes) in tiles.groups.iter().zip(per_group) {
            self.group(*kind, axes, &mut dims)?;
        }
        Ok(dims)
    }

    /// Adds a group of devices along these axes to `dims`.
    fn group(
        &self,
        kind: SubgroupKind,
        axes: &[MeshAxis],
        dims: &mut MeshDims,
    ) -> Result<(), LayoutError> {
        match kind {
            SubgroupKind::Replicated => {}
            SubgroupKind::Manual => dims.manual = axes.to_vec(),
            SubgroupKind::Unreduced => {
                dims.unreduced = axes.to_vec();
                dims.reduction = self.reduction().map(str::to_owned);
            }
            SubgroupKind::Maximal => {
                return Err(inexpressible(
                    ON_MESH,
                    fault!(Inexpressible, "it has `maximal` devices"),
                ));
            }
        }
        Ok(())
    }

    /// The sharding as Shardy writes it, with the mesh written out.
    ///
    /// # Errors
    /// [`LayoutError`] where tiles do not consist of whole digits of the axes; `manual` axes; reductions other
    /// than `sum`, `max` and `min`.
    pub fn to_sdy(&self, mesh: &Mesh, rank: usize) -> Result<SdySharding, LayoutError> {
        let dims = self.dims_on(mesh, rank)?;
        const NOTATION: &str = "a Shardy sharding";
        if !dims.manual.is_empty() {
            return Err(manual_axes(NOTATION));
        }
        check_reduction(NOTATION, &dims, &["sum", "max", "min"])?;
        let devices = match &mesh.devices {
            Some(TileDevices::Iota(..)) => Some(TileDevices::List(mesh.device_order()?)),
            devices => devices.clone(),
        };
        let mesh = Mesh { axes: mesh.axes.clone(), devices };
        Ok(SdySharding { mesh_name: None, mesh: Some(mesh), dims })
    }

    /// The sharding as JAX writes it.
    ///
    /// # Errors
    /// [`LayoutError`] where tiles do not consist of whole axes, and for `manual` axes; reductions other than
    /// `sum`.
    pub fn to_partition_spec(
        &self,
        mesh: &Mesh,
        rank: usize,
    ) -> Result<PartitionSpec, LayoutError> {
        let mut dims = self.dims_on(mesh, rank)?;
        const NOTATION: &str = "a PartitionSpec";
        let all = dims.dims.iter().flat_map(|dim| &dim.axes).chain(&dims.unreduced);
        let mut parts = all.filter_map(|axis| axis.part.map(|part| (&axis.name, part)));
        if let Some((axis, (before, size))) = parts.next() {
            let axis = axis.clone();
            return Err(inexpressible(
                NOTATION,
                fault!(
                    Inexpressible,
                    "it needs the part '{axis}':({before}){size} of an axis",
                    [axis, before, size]
                ),
            ));
        }
        if !dims.manual.is_empty() {
            return Err(manual_axes(NOTATION));
        }
        check_reduction(NOTATION, &dims, &["sum"])?;
        dims.replicated.clear();
        Ok(PartitionSpec { mesh: Some(mesh.clone()), dims })
    }

    /// The axes as written if they were written on this mesh, otherwise as derived from the value.
    fn dims_on(&self, mesh: &Mesh, rank: usize) -> Result<MeshDims, LayoutError> {
        match &self.named {
            Some(named) if named.mesh == *mesh && named.dims.dims.len() == rank => {
                Ok(named.dims.clone())
            }
            _ => self.to_mesh_dims(mesh, rank),
        }
    }
}

/// Checks that the notation has a word for the reduction of partial results.
fn check_reduction(
    notation: &'static str,
    dims: &MeshDims,
    words: &[&str],
) -> Result<(), LayoutError> {
    match dims.reduction.as_deref().filter(|reduction| !words.contains(reduction)) {
        Some(reduction) => {
            let reduction = reduction.to_owned();
            Err(inexpressible(
                notation,
                fault!(
                    Inexpressible,
                    "its partial results are reduced by `{reduction}`",
                    [reduction]
                ),
            ))
        }
        None => Ok(()),
    }
}

impl Tiles {
    fn to_hlo(&self) -> HloForm {
        let devices = match self.order.to_iota() {
            Some((dims, permutation)) => TileDevices::Iota(dims, permutation),
            None => TileDevices::List(self.order.iter().collect()),
        };
        let sizes = self.groups.iter().map(|(_, size)| *size);
        let last = self.groups.iter().map(|(kind, _)| *kind).collect_vec();
        HloForm::Tiles {
            dims: self.tiles.iter().copied().chain(sizes).collect(),
            devices,
            short: last == [SubgroupKind::Replicated],
            last,
        }
    }
}

impl DeviceOrder {
    /// The inverse order: at each device number, it has the position of that device.
    pub(super) fn inverse(&self) -> Result<DeviceOrder, LayoutError> {
        if let (false, Some(digits)) = (self.is_list(), self.digits()) {
            // The digits swap roles: sorted by their weights in devices, each weighs its step in positions.
            let minor = |at| minor_product(digits.iter().map(|digit| digit.size), at);
            let swapped = digits.iter().enumerate().map(|(at, digit)| {
                (digit.weight, DeviceDigit { size: digit.size, weight: minor(at) })
            });
            let swapped =
                swapped.sorted_by_key(|(weight, _)| Reverse(*weight)).map(|(_, digit)| digit);
            return Ok(DeviceOrder::of(swapped.collect()));
        }
        self.check_listed()?;
        let by_device = (0..).zip(self.iter()).sorted_by_key(|(_, device)| *device);
        DeviceOrder::list(by_device.map(|(position, _)| position).collect())
    }
}

impl Mesh {
    /// The axes, or parts of them, that digits of the place in the mesh are.
    fn axes_of(&self, digits: &[DeviceDigit]) -> Option<Vec<MeshAxis>> {
        let sizes = self.sizes();
        let mut axes = Vec::new();
        for digit in digits {
            for (at, DeviceDigit { size, weight }) in cut(*digit, &sizes)? {
                let (name, whole) = self.axes.get(at)?;
                if whole % (weight * size) != 0 {
                    return None;
                }
                let part = (size != *whole).then(|| (whole / (weight * size), size));
                axes.push(MeshAxis { name: name.clone(), part });
            }
        }
        Some(axes)
    }
}

fn inexpressible(notation: &'static str, reason: LayoutError) -> LayoutError {
    reason.of_task(format!("{notation} cannot express this sharding"))
}

/// The error for manual axes, which only HLO has.
pub(super) fn manual_axes(notation: &'static str) -> LayoutError {
    inexpressible(notation, fault!(Inexpressible, "it has manual axes"))
}
