//! Clusters: how the blocks of a GPU share a tensor before their warps do.

use super::keys::Keys;
use super::tile::{Basis, Input, TritonTile};
use crate::error::ParseError;

/// The keys of clusters, of today and before.
const KEYS: [&str; 4] = ["CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder"];

/// Rejects keys other than those of a cluster and the encoding's own.
pub(super) fn check_keys(keys: Keys<'_>, own: &[&str]) -> Result<(), ParseError> {
    keys.check_known(&[own, &KEYS].concat())
}

/// The number of parts each dimension has, and the part of each bit of the block.
#[derive(Debug)]
pub(super) struct Cluster {
    bases: Vec<Basis>,
    split: Vec<u64>,
}

impl Cluster {
    /// The cluster that the keys describe; a single block without such keys.
    pub(super) fn of(keys: Keys<'_>, rank: usize) -> Result<Cluster, ParseError> {
        let mut tile = TritonTile::new(rank);
        if keys.has("CGALayout") {
            for basis in keys.bases("CGALayout", rank)? {
                tile.push(Input::Block, basis);
            }
        } else if KEYS.iter().any(|key| keys.has(key)) {
            let blocks = keys.powers("CTAsPerCGA", rank)?;
            let split = keys.powers("CTASplitNum", rank)?;
            for dim in keys.order("CTAOrder", rank)? {
                if split[dim] > blocks[dim] {
                    let why = "a dimension is split into more parts than it has blocks";
                    return Err(keys.refuse_key("CTASplitNum", why));
                }
                tile.grow(Input::Block, dim, split[dim]);
                tile.copy(Input::Block, blocks[dim] / split[dim]);
            }
        }
        let bases = tile.bases(Input::Block).to_vec();
        let ones = |dim: usize| bases.iter().filter(|basis| basis[dim] > 0).count();
        let split = (0..rank).map(|dim| 1 << ones(dim).min(62)).collect();
        Ok(Cluster { bases, split })
    }

    /// The cluster over the operand of a product, whose blocks hold copies along the summed dimension.
    pub(super) fn summed(mut self, dim: usize) -> Cluster {
        self.bases.iter_mut().for_each(|basis| basis[dim] = 0);
        self.split[dim] = 1;
        self
    }

    /// The shape that each block has: blocks beyond the extent of a dimension hold copies.
    pub(super) fn part(&self, shape: &[u64]) -> Vec<u64> {
        shape.iter().zip(&self.split).map(|(extent, parts)| (extent / parts).max(1)).collect()
    }

    /// Fits the tile of a block to its part of a tensor of this shape, in the order of `append`, and adds the blocks.
    pub(super) fn fit(&self, mut tile: TritonTile, shape: &[u64], append: &[usize]) -> TritonTile {
        tile.fit(&self.part(shape), append);
        *tile.bases_mut(Input::Block) = self.blocks(shape);
        tile
    }

    /// The bases of the bits of the block, for a tensor of this shape.
    pub(super) fn blocks(&self, shape: &[u64]) -> Vec<Basis> {
        let part = self.part(shape);
        let times = |basis: &Basis| {
            let sides = basis.iter().zip(&part).zip(shape);
            let at = |((at, part), extent): ((&u64, &u64), &u64)| {
                at.checked_mul(*part).filter(|at| at < extent).unwrap_or(0)
            };
            sides.map(at).collect()
        };
        self.bases.iter().map(times).collect()
    }
}
