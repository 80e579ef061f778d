//! A sharding as a value: tiles per dimension, and the device that holds each tile.

use std::ops::Range;

use itertools::Itertools;

use super::error::{list, manual, other_rank, unknown, unreduced};
use super::order::{DeviceDigit, DeviceOrder, check_listed, count, shared_out};
use super::pieces::Pieces;
use super::{Mesh, MeshDims, SubgroupKind};
use crate::algebra::{check_index, split};
use crate::error::{LayoutError, fault};

/// A map from each device to the part of a tensor that it holds.
///
/// A dimension of extent d that is cut into n tiles has tiles of ceil(d / n); the last ones may be
/// short or empty. Tiles are counted in row-major order.
/// Law: the shards are those of XLA's `HloSharding`.
///
/// ```
/// use tensor_layout::sharding::{HloSharding, Sharding};
/// let text: HloSharding = "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}".parse()?;
/// let sharding = text.lower()?;
/// assert_eq!(sharding.to_hlo().to_string(),
///     "{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
/// assert_eq!(sharding.shard(&[10, 7], 6)?, Some(vec![5..10, 0..7]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    pub(super) kind: ShardingKind,
    /// The axes of a mesh, and the place of each tile in the mesh.
    pub(super) named: Option<Named>,
}

/// The kind of a sharding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShardingKind {
    /// Every device holds the whole tensor; the number of devices, if it is known.
    Replicated(Option<u64>),
    /// One device holds the whole tensor.
    Maximal(u64),
    /// The program itself decides the placement of the elements.
    Manual,
    /// Every device holds a partial result of the whole tensor.
    Unreduced,
    /// Not decided yet.
    Unknown,
    /// Tiles.
    Tiled(Tiles),
}

/// Tiles, and the groups of devices that have the same tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    pub(super) tiles: Vec<u64>,
    pub(super) groups: Vec<(SubgroupKind, u64)>,
    pub(super) order: DeviceOrder,
}

/// The mesh that a sharding was written with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) mesh: Mesh,
    pub(super) dims: MeshDims,
    /// The order from tiles to places of the mesh in row-major order.
    pub(super) places: DeviceOrder,
}

impl Tiles {
    /// Checks and normalises tiles, then groups of devices, and the order of all devices.
    pub(super) fn checked(
        dims: &[u64],
        kinds: &[SubgroupKind],
        order: DeviceOrder,
    ) -> Result<ShardingKind, LayoutError> {
        let (places, devices) = (count(dims)?, order.len());
        if places != devices {
            let dims = dims.to_vec();
            return Err(fault!(
                Invalid,
                "the product of [{dims}] is {places}, but the number of devices is {devices}",
                [dims = list(&dims), places, devices]
            ));
        }
        let Some(rank) = dims.len().checked_sub(kinds.len()) else {
            let (kinds, dims) = (kinds.len(), dims.len());
            return Err(fault!(
                Invalid,
                "there are {kinds} last tile dimensions, more than the {dims} of `devices=`",
                [kinds, dims]
            ));
        };
        let (tiles, last) = dims.split_at(rank);
        let groups = kinds.iter().copied().zip(last.iter().copied()).collect_vec();
        Tiles { tiles: tiles.to_vec(), groups, order }.normalised()
    }

    /// Groups in the order maximal, manual, unreduced, replicated, one of each kind, and copies in
    /// the order of their devices.
    ///
    /// Source: openxla/xla, `hlo_sharding.cc`, PartialTile and Subgroup.
    fn normalised(self) -> Result<ShardingKind, LayoutError> {
        let real = self.groups.iter().filter(|(_, size)| *size > 1).copied().collect_vec();
        let only = |groups: &[(SubgroupKind, u64)]| {
            groups.iter().map(|(kind, _)| *kind).all_equal_value().ok()
        };
        // If groups of size 1 hide that only one kind is left, XLA recognises two of the kinds only.
        let hidden = || only(&real).filter(|kind| *kind != SubgroupKind::Unreduced);
        let kind = only(&self.groups).or_else(hidden);
        if let (Some(kind), true) = (kind, self.tiles.iter().all(|tiles| *tiles == 1)) {
            match kind {
                SubgroupKind::Replicated => {
                    return Ok(ShardingKind::Replicated(Some(self.order.len())));
                }
                SubgroupKind::Manual => return Ok(ShardingKind::Manual),
                SubgroupKind::Unreduced => return Ok(ShardingKind::Unreduced),
                SubgroupKind::Maximal => {}
            }
        }
        let order = self.regrouped()?;
        let mut groups: Vec<(SubgroupKind, u64)> = Vec::new();
        for (kind, size) in real.into_iter().sorted_by_key(|(kind, _)| *kind) {
            match groups.last_mut() {
                Some((last, all)) if *last == kind => *all *= size,
                _ => groups.push((kind, size)),
            }
        }
        let order = match groups.last() {
            Some((SubgroupKind::Replicated, size)) => order.sorted_in_runs(*size)?,
            _ => order,
        };
        Ok(ShardingKind::Tiled(Tiles { tiles: self.tiles, groups, order }))
    }

    /// The order of devices with the groups by kind.
    fn regrouped(&self) -> Result<DeviceOrder, LayoutError> {
        let rank = self.tiles.len();
        let by_kind = (0..self.groups.len()).sorted_by_key(|at| self.groups.get(*at).map(|g| g.0));
        let places = (0..rank).chain(by_kind.map(|at| rank + at)).collect_vec();
        self.order.transposed(&self.sizes(), &places)
    }

    /// The mixed radix of the positions: the tiles of each dimension, then the sizes of the groups.
    fn sizes(&self) -> Vec<u64> {
        self.tiles.iter().chain(self.groups.iter().map(|(_, size)| size)).copied().collect()
    }

    /// The number of devices that have each tile.
    pub(super) fn devices_per_tile(&self) -> u64 {
        self.groups.iter().map(|(_, size)| size).product()
    }

    /// The digits of the device number in each dimension, then in each group.
    pub(super) fn shares(&self, order: &DeviceOrder) -> Option<Vec<Vec<DeviceDigit>>> {
        shared_out(&order.digits()?, &self.sizes())
    }

    /// The tile of a device.
    fn tile(&self, device: u64) -> Option<Vec<u64>> {
        let number = self.order.position(device)? / self.devices_per_tile();
        let mut tile = vec![0; self.tiles.len()];
        split(number, self.tiles.iter().copied(), &mut tile);
        Some(tile)
    }
}

impl Sharding {
    pub(super) fn of(kind: ShardingKind) -> Sharding {
        Sharding { kind, named: None }
    }

    /// The mesh that the sharding was written with.
    #[must_use]
    pub fn mesh(&self) -> Option<&Mesh> {
        self.named.as_ref().map(|named| &named.mesh)
    }

    /// The reduction that combines partial results, if it was written: `sum`, `max` and so on.
    #[must_use]
    pub fn reduction(&self) -> Option<&str> {
        self.named.as_ref().and_then(|named| named.dims.reduction.as_deref())
    }

    /// The number of devices, if the sharding gives it.
    #[must_use]
    pub fn devices(&self) -> Option<u64> {
        match &self.kind {
            ShardingKind::Tiled(tiles) => Some(tiles.order.len()),
            ShardingKind::Replicated(devices) => *devices,
            _ => None,
        }
    }

    /// The number of tiles in each dimension of a tensor of this rank.
    ///
    /// # Errors
    /// [`LayoutError`] for tiles of a different rank.
    pub fn tiles(&self, rank: usize) -> Result<Vec<u64>, LayoutError> {
        match &self.kind {
            ShardingKind::Tiled(tiles) if tiles.tiles.len() == rank => Ok(tiles.tiles.clone()),
            ShardingKind::Tiled(tiles) => Err(other_rank(tiles.tiles.len(), rank)),
            _ => Ok(vec![1; rank]),
        }
    }

    /// The extents of a shard in memory: the same for all devices, `ceil(extent / tiles)`.
    ///
    /// # Errors
    /// As [`tiles`](Sharding::tiles).
    pub fn shard_extents(&self, extents: &[u64]) -> Result<Vec<u64>, LayoutError> {
        Ok(self.pieces(extents)?.iter().map(Pieces::longest).collect())
    }

    /// The tiles of every dimension.
    pub(super) fn pieces(&self, extents: &[u64]) -> Result<Vec<Pieces>, LayoutError> {
        let tiles = self.tiles(extents.len())?;
        let dims = extents.iter().zip(tiles);
        Ok(dims.map(|(extent, tiles)| Pieces::tiles(*extent, tiles)).collect())
    }

    /// The part that a device holds, dimension by dimension; ranges of trailing devices may be
    /// short or empty. `None` for a device without a part.
    ///
    /// Cost: O(rank + digits).
    ///
    /// # Errors
    /// As [`tiles`](Sharding::tiles); a sharding that does not determine the part of each device: `manual`,
    /// `unknown`.
    pub fn shard(
        &self,
        extents: &[u64],
        device: u64,
    ) -> Result<Option<Vec<Range<u64>>>, LayoutError> {
        let part = self.part(&self.pieces(extents)?, device)?;
        Ok(part.map(|part| part.into_iter().flatten().collect()))
    }

    /// The elements that a device holds in each dimension, in the order of its shard.
    pub(super) fn part(
        &self,
        pieces: &[Pieces],
        device: u64,
    ) -> Result<Option<Vec<Vec<Range<u64>>>>, LayoutError> {
        let whole = || vec![0; pieces.len()];
        let tile = match &self.kind {
            ShardingKind::Tiled(tiled) => {
                tiled.check_places()?;
                tiled.tile(device)
            }
            ShardingKind::Replicated(devices) => {
                devices.is_none_or(|devices| device < devices).then(whole)
            }
            ShardingKind::Maximal(only) => (device == *only).then(whole),
            ShardingKind::Unreduced => Some(whole()),
            ShardingKind::Manual => return Err(manual()),
            ShardingKind::Unknown => return Err(unknown()),
        };
        let held = |(pieces, tile): (&Pieces, u64)| pieces.of_tile(tile);
        Ok(tile.map(|tile| pieces.iter().zip(tile).map(held).collect()))
    }

    /// The devices that hold an element, and its index in their shards.
    ///
    /// # Errors
    /// As [`shard`](Sharding::shard); indexes outside the tensor; an unknown number of replicas.
    pub fn locate(
        &self,
        extents: &[u64],
        index: &[u64],
    ) -> Result<(Vec<u64>, Vec<u64>), LayoutError> {
        self.find(&self.pieces(extents)?, index)
    }

    /// The devices that hold an element, and its index in their shards.
    pub(super) fn find(
        &self,
        pieces: &[Pieces],
        index: &[u64],
    ) -> Result<(Vec<u64>, Vec<u64>), LayoutError> {
        check_index(pieces.iter().map(Pieces::extent), index)?;
        let tiles = self.tiles(pieces.len())?;
        let found = pieces.iter().zip(index).map(|(pieces, index)| pieces.find(*index));
        let (places, local): (Vec<u64>, Vec<u64>) = found.unzip();
        let tile = places.iter().zip(&tiles).fold(0, |number, (tile, tiles)| number * tiles + tile);
        Ok((self.holders(tile)?, local))
    }

    /// The devices that hold a tile, by its row-major number.
    pub(super) fn holders(&self, tile: u64) -> Result<Vec<u64>, LayoutError> {
        Ok(match &self.kind {
            ShardingKind::Tiled(tiled) => {
                tiled.check_places()?;
                let each = check_listed(tiled.devices_per_tile())?;
                let positions = (0..each).map(|copy| tile * each + copy);
                positions.filter_map(|position| tiled.order.device(position)).collect()
            }
            ShardingKind::Maximal(only) => vec![*only],
            ShardingKind::Replicated(Some(devices)) => (0..check_listed(*devices)?).collect(),
            ShardingKind::Replicated(None) => {
                return Err(fault!(Missing, "it does not say how many devices have a copy"));
            }
            ShardingKind::Manual => return Err(manual()),
            ShardingKind::Unreduced => return Err(unreduced()),
            ShardingKind::Unknown => return Err(unknown()),
        })
    }

    /// The number of devices that hold each element; `None` if they do not hold copies or are not counted.
    #[must_use]
    pub fn copies(&self) -> Option<u64> {
        match &self.kind {
            ShardingKind::Replicated(devices) => *devices,
            ShardingKind::Maximal(_) => Some(1),
            ShardingKind::Tiled(tiles) if self.says_places() => Some(tiles.devices_per_tile()),
            _ => None,
        }
    }

    /// Returns whether the sharding determines the elements of each device: not with `manual`, `unreduced` or
    /// `unknown` parts.
    pub(crate) fn says_places(&self) -> bool {
        match &self.kind {
            ShardingKind::Tiled(tiles) => tiles.check_places().is_ok(),
            ShardingKind::Replicated(_) | ShardingKind::Maximal(_) => true,
            ShardingKind::Manual | ShardingKind::Unreduced | ShardingKind::Unknown => false,
        }
    }
}

impl Tiles {
    /// Rejects groups whose devices do not hold copies.
    pub(super) fn check_places(&self) -> Result<(), LayoutError> {
        let other = self.groups.iter().find(|(kind, _)| *kind != SubgroupKind::Replicated);
        Err(match other {
            None => return Ok(()),
            Some((SubgroupKind::Manual, _)) => {
                fault!(Unsupported, "the contents of its `manual` devices are not known")
            }
            Some((SubgroupKind::Unreduced, _)) => {
                fault!(Unsupported, "its `unreduced` devices hold partial results")
            }
            Some(_) => {
                fault!(Unsupported, "which of its `maximal` devices holds the tile is not known")
            }
        })
    }
}
