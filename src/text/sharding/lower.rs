//! The conversion of the notations to the value.

use itertools::Itertools;

use super::error::{no_digits, no_mesh};
use super::hlo::{HloForm, WholeKind};
use super::notations::manual_axes;
use super::order::DeviceOrder;
use super::pieces::{Cut, Pieces};
use super::value::{Sharding, ShardingKind, Tiles};
use super::{
    DimAxes, HloSharding, Mesh, MeshAxis, MeshDims, PartitionSpec, Placements, SdySharding,
    TileDevices, TorchPlacement,
};
use crate::error::{LayoutError, fault};
use crate::words::{counted, cut};

impl HloSharding {
    /// Returns the sharding that the text describes: the part of each device.
    ///
    /// # Errors
    /// [`LayoutError`] for a tuple, and for everything that crashes XLA or that XLA should not accept: a wrong
    /// number of devices, a device that appears twice, a transpose that is not a permutation, more last tile
    /// dimensions than dimensions, a mesh with repeated names, unknown or repeated axes, parts that do not
    /// divide their axis.
    pub fn lower(&self) -> Result<Sharding, LayoutError> {
        let kind = match &self.form {
            HloForm::Tuple(members) => {
                return Err(fault!(
                    Argument,
                    "this is a tuple of {members} shardings: ask for one of them",
                    [members = members.len()]
                ));
            }
            HloForm::Named(mesh, dims) => return Sharding::on_mesh(mesh, dims),
            HloForm::NamedWhole(mesh, WholeKind::Replicated) => {
                return Sharding::on_mesh(mesh, &MeshDims::default());
            }
            HloForm::NamedWhole(mesh, kind) => {
                mesh.check()?;
                whole(*kind)
            }
            HloForm::Whole(kind) => whole(*kind),
            HloForm::Maximal(device) | HloForm::NamedMaximal(device) => {
                ShardingKind::Maximal(*device)
            }
            HloForm::Tiles { dims, devices, last, .. } => {
                Tiles::checked(dims, last, order_of(devices)?)?
            }
        };
        Ok(Sharding::of(kind))
    }
}

pub(super) fn order_of(devices: &TileDevices) -> Result<DeviceOrder, LayoutError> {
    match devices {
        TileDevices::Iota(dims, permutation) => DeviceOrder::iota(dims, permutation),
        TileDevices::List(devices) => DeviceOrder::list(devices.clone()),
    }
}

fn whole(kind: WholeKind) -> ShardingKind {
    match kind {
        WholeKind::Replicated => ShardingKind::Replicated(None),
        WholeKind::Manual => ShardingKind::Manual,
        WholeKind::Unreduced => ShardingKind::Unreduced,
        WholeKind::Unknown => ShardingKind::Unknown,
    }
}

/// The mesh of a sharding: written in it, or given separately.
fn mesh_of<'a>(
    written: Option<&'a Mesh>,
    given: Option<&'a Mesh>,
) -> Result<&'a Mesh, LayoutError> {
    written.or(given).ok_or_else(no_mesh)
}

impl SdySharding {
    /// Returns the sharding that the text describes; `mesh` is used if the text does not write its mesh out.
    ///
    /// # Errors
    /// As [`HloSharding::lower`]; a mesh that is neither in the text nor given.
    pub fn lower(&self, mesh: Option<&Mesh>) -> Result<Sharding, LayoutError> {
        if !self.dims.manual.is_empty() {
            return Err(manual_axes("a Shardy sharding"));
        }
        let mesh = mesh_of(self.mesh.as_ref(), mesh)?;
        match mesh.maximal() {
            Some(device) if self.dims == MeshDims::default() => {
                Ok(Sharding::of(ShardingKind::Maximal(device)))
            }
            _ => Sharding::on_mesh(mesh, &self.dims),
        }
    }
}

impl PartitionSpec {
    /// Returns the sharding that the text describes for a tensor of rank `rank`; `mesh` is used if the
    /// text has none.
    ///
    /// # Errors
    /// As [`HloSharding::lower`]; no mesh; more entries than dimensions.
    pub fn lower(&self, mesh: Option<&Mesh>, rank: usize) -> Result<Sharding, LayoutError> {
        let mesh = mesh_of(self.mesh.as_ref(), mesh)?;
        let mut dims = self.dims.clone();
        if dims.dims.len() > rank {
            let entries = dims.dims.len();
            return Err(fault!(
                Shape,
                "{entries} for a tensor of rank {rank}",
                [entries = counted(entries, "entry"), rank]
            ));
        }
        dims.dims.resize(rank, DimAxes::default());
        // A set is unordered.
        for axes in [&mut dims.unreduced, &mut dims.replicated] {
            axes.sort_by_key(|axis| mesh.axes.iter().position(|(name, _)| *name == axis.name));
        }
        Sharding::on_mesh(mesh, &dims)
    }
}

impl Placements {
    /// Returns the sharding that the placements describe for a tensor with these extents.
    ///
    /// PyTorch cuts successively: a second `Shard` of a dimension cuts the chunk that the first left,
    /// rounding up again. The result is one cut over the product if both agree on every element, as they do
    /// for a tensor without elements. A `_StridedShard` is a cut below those that follow it where these cut its
    /// parts.
    ///
    /// # Errors
    /// As [`HloSharding::lower`]; a number of placements that differs from the number of axes; a dimension
    /// where successive cuts differ from one cut, with the first element on which they differ; pieces of parts
    /// that are not cut further, or not evenly.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::sharding::{Mesh, Placements};
    /// let mesh: Mesh = "x=2,y=2".parse()?;
    /// let twice: Placements = "[Shard(0), Shard(0)]".parse()?;
    /// assert!(twice.lower(&mesh, &[8]).is_ok());
    /// let refused = twice.lower(&mesh, &[5]).unwrap_err().to_string();
    /// assert!(refused.contains("element 3"), "{refused}");
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn lower(&self, mesh: &Mesh, extents: &[u64]) -> Result<Sharding, LayoutError> {
        let (mut dims, cuts) = self.cuts(mesh, extents)?;
        // A tensor without elements has the same parts for any cuts.
        let has_elements = !extents.contains(&0);
        for (dim, (of, cuts)) in dims.dims.iter_mut().zip(&cuts).enumerate() {
            let extent = extents.get(dim).copied().filter(|_| has_elements).unwrap_or(0);
            of.axes =
                in_one_cut(dim, extent, cuts)?.into_iter().map(|cut| cut.axis.clone()).collect();
        }
        Sharding::on_mesh(mesh, &dims)
    }

    /// The devices of every tile, and the pieces of every dimension, where cuts in turn are not one cut.
    pub(super) fn in_turn(
        &self,
        mesh: &Mesh,
        extents: &[u64],
    ) -> Result<(Sharding, Vec<Pieces>), LayoutError> {
        let (mut dims, cuts) = self.cuts(mesh, extents)?;
        for (of, cuts) in dims.dims.iter_mut().zip(&cuts) {
            of.axes = cuts.iter().map(|cut| cut.axis.clone()).collect();
        }
        let pieces = extents.iter().zip(&cuts).map(|(extent, cuts)| Pieces::in_turn(*extent, cuts));
        Ok((Sharding::on_mesh(mesh, &dims)?, pieces.try_collect()?))
    }

    /// The cuts of every dimension in turn, and everything but them.
    fn cuts(&self, mesh: &Mesh, extents: &[u64]) -> Result<(MeshDims, Vec<Vec<Cut>>), LayoutError> {
        let (placements, axes) = (self.placements.len(), mesh.axes.len());
        if placements != axes {
            return Err(fault!(
                Shape,
                "the sharding has {placements}, but the mesh has {axes}",
                [placements = counted(placements, "placement"), axes = counted(axes, "axis")]
            ));
        }
        let mut dims =
            MeshDims { dims: vec![DimAxes::default(); extents.len()], ..MeshDims::default() };
        let mut cuts: Vec<Vec<Cut>> = vec![Vec::new(); extents.len()];
        for (placement, (name, size)) in self.placements.iter().zip(&mesh.axes) {
            let axis = MeshAxis { name: name.clone(), part: None };
            match placement {
                TorchPlacement::Replicate => {}
                TorchPlacement::Partial(reduction) => {
                    dims.unreduced.push(axis);
                    // PyTorch's own.
                    let default = "sum".to_owned();
                    let reduction = if reduction.is_empty() { &default } else { reduction };
                    let first = dims.reduction.get_or_insert_with(|| reduction.clone());
                    if first != reduction {
                        let (first, second) = (first.clone(), reduction.clone());
                        return Err(fault!(
                            Invalid,
                            "partial results are reduced by `{first}` and by `{second}`, but a \
                             sharding has one reduction",
                            [first, second]
                        ));
                    }
                }
                TorchPlacement::Shard(dim) | TorchPlacement::StridedShard { dim, .. } => {
                    let parts = match placement {
                        TorchPlacement::StridedShard { parts, .. } => *parts,
                        _ => 1,
                    };
                    let cuts = cuts.get_mut(shard_dim(*dim, extents.len())?);
                    cuts.into_iter().for_each(|cuts| {
                        cuts.push(Cut { axis: axis.clone(), size: *size, parts });
                    });
                }
            }
        }
        Ok((dims, cuts))
    }
}

/// The cuts in the order, major to minor, in which they are one cut over their product.
///
/// From the last on: pieces of `n` parts are below the cuts that make these parts.
fn in_one_cut(dim: usize, extent: u64, cuts: &[Cut]) -> Result<Vec<&Cut>, LayoutError> {
    let sizes = cuts.iter().map(|cut| cut.size).collect_vec();
    if cuts.iter().all(|cut| cut.parts == 1) {
        if extent > 0 {
            check_cuts(dim, extent, &sizes)?;
        }
        return Ok(cuts.iter().collect());
    }
    let parts = || {
        no_digits(fault!(
            NoDigits,
            "the devices hold pieces of parts of dimension {dim}, whose extent is \
             {extent}, and these are not tiles",
            [dim, extent]
        ))
    };
    let mut order: Vec<&Cut> = Vec::new();
    for cut in cuts.iter().rev() {
        let (mut above, mut at) = (1_u64, 0);
        while above < cut.parts {
            let next = order.get(at).ok_or_else(parts)?;
            above = above.checked_mul(next.size).ok_or_else(parts)?;
            at += 1;
        }
        if above != cut.parts {
            return Err(parts());
        }
        order.insert(at, cut);
    }
    let tiles = super::order::count(&sizes)?;
    if extent.is_multiple_of(tiles) { Ok(order) } else { Err(parts()) }
}

/// The dimension of `Shard(dim)`: negative ones count from the last, which is -1.
///
/// Source: pytorch/pytorch, `torch/distributed/tensor/_utils.py`, normalize_dim.
fn shard_dim(dim: i64, rank: usize) -> Result<usize, LayoutError> {
    let distance = usize::try_from(dim.unsigned_abs()).ok();
    let at = match dim < 0 {
        true => distance.and_then(|distance| rank.checked_sub(distance)),
        false => distance.filter(|at| *at < rank),
    };
    at.ok_or_else(|| {
        fault!(
            Shape,
            "`Shard({dim})` names a dimension that a tensor of rank {rank} lacks",
            [dim, rank]
        )
    })
}

/// Rejects successive cuts that differ from one cut over their product.
///
/// After each cut but the last, chunks must be as long as the cuts below make them, or hold the
/// last element. Only chunks with elements matter, and the last two of those decide.
fn check_cuts(dim: usize, extent: u64, cuts: &[u64]) -> Result<(), LayoutError> {
    let tiles = super::order::count(cuts)?;
    let size = extent.div_ceil(tiles);
    let Some(first) = first_difference(extent, cuts, size, 0) else { return Ok(()) };
    let cuts = cuts.to_vec();
    Err(no_digits(fault!(
        NoDigits,
        "applying {shards} to extent {extent} is not the same as cutting it once \
         into {tiles} tiles of {size}; the first difference is element {first}",
        [shards = shards(dim, &cuts), extent, tiles, size, first]
    )))
}

/// The first element of a chunk of `length` elements at `start` that successive cuts put on another device,
/// or in another place of its shard, than a single cut into tiles of `size` from `start` on.
fn first_difference(length: u64, cuts: &[u64], size: u64, start: u64) -> Option<u64> {
    let (cut, below) = cuts.split_first()?;
    let chunk = length.div_ceil(*cut);
    // One cut has this many elements for each of the devices of this cut, or more than any chunk.
    let wanted = size.saturating_mul(below.iter().product());
    if chunk == 0 {
        return None;
    }
    let full = length / chunk;
    // Chunks of the same length have the same fault, if any; the first one has it first.
    let inside = first_difference(chunk.min(length), below, size, start);
    let boundary =
        (chunk != wanted && length > chunk.min(wanted)).then(|| start + chunk.min(wanted));
    let last = (!length.is_multiple_of(chunk) && chunk == wanted)
        .then(|| first_difference(length % chunk, below, size, start + full * chunk))
        .flatten();
    inside.into_iter().chain(boundary).chain(last).min()
}

/// The placements that cut a dimension in turn.
fn shards(dim: usize, cuts: &[u64]) -> String {
    cut(&cuts.iter().map(|cut| format!("Shard({dim}) over {cut}")).join(", "), 200)
}
