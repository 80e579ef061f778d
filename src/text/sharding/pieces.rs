//! The pieces of a dimension that devices hold, also where they are not tiles of one size.
//!
//! ```text
//! [Shard(0), Shard(0)] of 5 on x=2,y=2
//!
//! along x   0 1 2 | 3 4            rounded up
//! along y   0 1 | 2 || 3 | 4       each again: tiles 0 to 3 hold 2, 1, 1 and 1 elements
//! ```
//!
//! Law: where cuts in turn are one cut, both give every element the same tile and place.

use std::ops::Range;

use itertools::Itertools;

use super::MeshAxis;
use super::order::check_listed;
use crate::error::LayoutError;
use crate::number::to_u64;

/// A cut of a dimension along one axis of the mesh.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) axis: MeshAxis,
    pub(super) size: u64,
    /// The number of parts of which it takes a piece each; 1 for `Shard`.
    pub(super) parts: u64,
}

/// A dimension of a sharded tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    extent: u64,
    cut: Repr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Repr {
    /// Tiles of this size.
    Tiles(u64),
    /// The pieces that begin at an element, with their end, tile and first place in its shard; and the pieces of
    /// each tile. Both ascend.
    Listed { pieces: Vec<Piece>, tiles: Vec<Vec<Range<u64>>> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    range: Range<u64>,
    tile: u64,
    /// The number of the first element in the shard.
    first: u64,
}

impl Pieces {
    /// One cut into tiles of one size.
    pub(super) fn tiles(extent: u64, tiles: u64) -> Pieces {
        Pieces { extent, cut: Repr::Tiles(extent.div_ceil(tiles)) }
    }

    /// Cuts in turn, each of what the cuts before have left.
    ///
    /// Cost: O(pieces).
    pub(super) fn in_turn(extent: u64, cuts: &[Cut]) -> Result<Pieces, LayoutError> {
        let mut tiles = vec![vec![0..extent]];
        let mut most = 1_u64;
        for cut in cuts {
            most = most.saturating_mul(cut.parts.min(extent.max(1))).saturating_mul(cut.size);
            check_listed(most)?;
            tiles = tiles.iter().flat_map(|held| units(held, cut)).collect();
        }
        let pieces = (0..).zip(&tiles).flat_map(|(tile, held)| {
            let first = move |first: &mut u64, range: &Range<u64>| {
                let piece = Piece { range: range.clone(), tile, first: *first };
                *first += range.end - range.start;
                Some(piece)
            };
            held.iter().scan(0, first)
        });
        let pieces = pieces.sorted_by_key(|piece| piece.range.start).collect();
        Ok(Pieces { extent, cut: Repr::Listed { pieces, tiles } })
    }

    pub(crate) fn extent(&self) -> u64 {
        self.extent
    }

    /// The extent of a shard in memory: that of the longest.
    pub(crate) fn longest(&self) -> u64 {
        match &self.cut {
            Repr::Tiles(size) => *size,
            Repr::Listed { tiles, .. } => {
                tiles.iter().map(Vec::as_slice).map(length).max().unwrap_or(0)
            }
        }
    }

    /// The number of tiles as long as the longest.
    pub(crate) fn full(&self) -> u64 {
        match &self.cut {
            Repr::Tiles(size) => self.extent.checked_div(*size).unwrap_or(0),
            Repr::Listed { tiles, .. } => {
                let longest = self.longest();
                let is_full = |held: &&Vec<Range<u64>>| longest > 0 && length(held) == longest;
                to_u64(tiles.iter().filter(is_full).count())
            }
        }
    }

    /// The number of tiles with elements.
    pub(crate) fn filled(&self) -> u64 {
        match &self.cut {
            Repr::Tiles(0) => 0,
            Repr::Tiles(size) => self.extent.div_ceil(*size),
            Repr::Listed { tiles, .. } => {
                to_u64(tiles.iter().filter(|held| length(held) > 0).count())
            }
        }
    }

    /// The number of pieces.
    pub(crate) fn count(&self) -> u64 {
        match &self.cut {
            Repr::Tiles(size) => self.extent.checked_div(*size).unwrap_or(0).saturating_add(1),
            Repr::Listed { pieces, .. } => to_u64(pieces.len()),
        }
    }

    /// The tile of an element, and its number in the shard.
    pub(super) fn find(&self, at: u64) -> (u64, u64) {
        match &self.cut {
            Repr::Tiles(size) => (at / size, at % size),
            Repr::Listed { pieces, .. } => {
                let piece = piece_of(pieces, at);
                piece.map_or((0, at), |piece| (piece.tile, piece.first + (at - piece.range.start)))
            }
        }
    }

    /// The end of the piece that has an element.
    pub(crate) fn end(&self, at: u64) -> u64 {
        match &self.cut {
            Repr::Tiles(size) => (at / size + 1).saturating_mul(*size).min(self.extent),
            Repr::Listed { pieces, .. } => {
                piece_of(pieces, at).map_or(self.extent, |piece| piece.range.end)
            }
        }
    }

    /// The elements of a tile, in the order of the shard.
    pub(super) fn of_tile(&self, tile: u64) -> Vec<Range<u64>> {
        match &self.cut {
            Repr::Tiles(size) => {
                let bound = |tile: u64| size.saturating_mul(tile).min(self.extent);
                let whole = bound(tile)..bound(tile.saturating_add(1));
                Vec::from([whole])
            }
            Repr::Listed { tiles, .. } => {
                let held = usize::try_from(tile).ok().and_then(|tile| tiles.get(tile));
                held.cloned().unwrap_or_default()
            }
        }
    }
}

/// The last piece that begins at or before an element.
fn piece_of(pieces: &[Piece], at: u64) -> Option<&Piece> {
    let after = pieces.partition_point(|piece| piece.range.start <= at);
    pieces.get(after.checked_sub(1)?)
}

/// The element with this number among those that are held.
pub(crate) fn nth(held: &[Range<u64>], number: u64) -> Option<u64> {
    let end = number.checked_add(1)?;
    within(held, &(number..end)).next().map(|range| range.start)
}

fn length(held: &[Range<u64>]) -> u64 {
    held.iter().map(|range| range.end - range.start).sum()
}

/// The elements that each unit of an axis takes of those that are held: its piece of every part.
///
/// Source: pytorch/pytorch, `torch/distributed/tensor/placement_types.py`, _StridedShard.
fn units(held: &[Range<u64>], cut: &Cut) -> Vec<Vec<Range<u64>>> {
    let mut units: Vec<_> = (0..cut.size).map(|_| Vec::new()).collect();
    for part in chunks(0..length(held), cut.parts) {
        for (unit, piece) in units.iter_mut().zip(chunks(part, cut.size)) {
            unit.extend(within(held, &piece));
        }
    }
    units
}

/// At most `number` chunks of one length, the last one shorter.
fn chunks(range: Range<u64>, number: u64) -> impl Iterator<Item = Range<u64>> {
    let size = (range.end - range.start).div_ceil(number).max(1);
    let step = usize::try_from(size).unwrap_or(usize::MAX);
    let end = range.end;
    range.step_by(step).map(move |start| start..start.saturating_add(size).min(end))
}

/// The elements with the numbers `wanted` among those that are held.
fn within(held: &[Range<u64>], wanted: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let cut = move |first: &mut u64, range: &Range<u64>| {
        let (before, length) = (*first, range.end - range.start);
        *first += length;
        let place = |at: u64| range.start + at.saturating_sub(before).min(length);
        Some(place(wanted.start)..place(wanted.end))
    };
    held.iter().scan(0, cut).filter(|range| !range.is_empty())
}
