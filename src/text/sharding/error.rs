//! Faults that several files of shardings find.

use itertools::Itertools;

use crate::error::{LayoutError, fault};
use crate::words::{counted, cut};

/// Adds the remedy for a sharding whose devices, or the places in their shards, are not sums of digits.
pub(super) fn no_digits(error: LayoutError) -> LayoutError {
    error.with_help(
        "ask device by device: the commands `locate`, `table`, `same`, `relayout` and `explain` \
         do, and `ShardedShape::by_device`",
    )
}

pub(super) fn too_many_devices() -> LayoutError {
    fault!(TooLarge, "the number of devices does not fit in 64 bits")
}

pub(super) fn no_mesh() -> LayoutError {
    fault!(Missing, "the sharding names axes of a mesh that is not given")
        .with_help("add its axes with their sizes: `, mesh=x=2,y=4` after the sharding")
}

pub(super) fn two_meshes(own: String) -> LayoutError {
    fault!(Invalid, "the sharding already has a mesh, {own}; leave out `mesh=`", [own])
}

/// Tiles for another rank than that of the tensor.
pub(super) fn other_rank(tiles: usize, rank: usize) -> LayoutError {
    let tiles = counted(tiles, "dimension");
    fault!(Shape, "the sharding has tiles for {tiles}, but the tensor has {rank}", [tiles, rank])
}

/// A layout for a shard of other extents.
pub(crate) fn shard_extents(found: &[u64], wanted: &[u64]) -> LayoutError {
    let (found, wanted) = (list(found), list(wanted));
    fault!(
        Shape,
        "the shard has the extents ({wanted}), but its layout has ({found})",
        [wanted, found]
    )
}

pub(super) fn manual() -> LayoutError {
    fault!(Unsupported, "`manual` leaves the placement of the elements to the program")
}

pub(super) fn unreduced() -> LayoutError {
    fault!(Unsupported, "`unreduced` holds partial results, not copies")
}

pub(super) fn unknown() -> LayoutError {
    fault!(Unsupported, "`unknown` is not decided yet")
}

/// Numbers as HLO writes them, truncated to keep messages short.
pub(super) fn list(numbers: &[u64]) -> String {
    cut(&numbers.iter().join(","), 120)
}
