//! The blocks of a file that contain wanted cells.

use std::ops::Range;

use crate::algebra::strided::sums;
use crate::number::{to_index, to_u64};

/// The blocks of a part of a file; a wanted cell marks its block.
pub(super) struct Touched {
    cells: u64,
    /// Cells per block.
    block: u64,
    blocks: Vec<bool>,
}

impl Touched {
    pub(super) fn new(cells: u64, block: u64) -> Touched {
        Touched { cells, block, blocks: vec![false; to_index(cells.div_ceil(block))] }
    }

    /// The number of cells the part has.
    pub(super) fn cells(&self) -> u64 {
        self.cells
    }

    /// Marks the blocks of the cells at `first` plus any sum of (size, step), and those between cells that
    /// are at most a block apart.
    pub(super) fn add(&mut self, first: u64, steps: impl Iterator<Item = (u64, u64)>) {
        let (near, far): (Vec<_>, Vec<_>) = steps.partition(|(_, step)| *step <= self.block);
        let span: u64 = near.iter().map(|(size, step)| (size - 1) * step).sum();
        for ahead in sums(far.into_iter(), usize::MAX) {
            let block = |cell: u64| to_index(cell / self.block);
            self.blocks[block(first + ahead)..=block(first + ahead + span)].fill(true);
        }
    }

    /// The cells of blocks that are marked, neighbours joined.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        let mut end = 0;
        let alike = self.blocks.chunk_by(|block, next| block == next).map(move |alike| {
            let start = end;
            end = self.cells.min(start + to_u64(alike.len()) * self.block);
            (alike[0], start..end)
        });
        alike.filter(|(marked, _)| *marked).map(|(_, range)| range)
    }
}
