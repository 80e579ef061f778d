//! A tile: rows that are contiguous in the source, columns that are in the target.

use super::block::{LARGE, blocks};
use super::interleave::Interleaved;
use super::run::{TileCells, TileRun};
use crate::algebra::strided::StridedDigit;

/// The side of a block of pieces.
const SIDE: usize = 8;

/// Rows and columns, given as the places of their cells on the other side.
#[derive(Clone, Copy)]
pub(super) struct LoneTile<'a> {
    /// The place of the first cell in the source, and in the target.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rows: TileCells<'a>,
    pub(super) columns: TileCells<'a>,
}

impl LoneTile<'_> {
    /// Moves single cells.
    pub(super) fn cells<T: Copy, const IN_BLOCKS: bool>(self, source: &[T], target: &mut [T]) {
        if const { !IN_BLOCKS || size_of::<T>() > LARGE } {
            return self.one_by_one(source, target);
        }
        if let Some(interleaved) = Interleaved::of(self.rows, self.columns, size_of::<T>()) {
            let (source, target) = (&source[self.from..], &mut target[self.to..]);
            return interleaved.transfer(
                source,
                target,
                StridedDigit::ONE,
                (self.rows, self.columns),
            );
        }
        let (rows, columns) = (self.rows.away, self.columns.away);
        blocks(source, target, (self.from, self.to), rows, columns);
    }

    /// Moves single cells, such as large ones. As pieces of one cell, whose length the compiler does not know,
    /// they take three times as long.
    fn one_by_one<T: Copy>(self, source: &[T], target: &mut [T]) {
        for (part, columns) in self.columns.away.chunks(SIDE).enumerate() {
            for (row, to_row) in self.rows.away.iter().enumerate() {
                let to = self.to + to_row + part * SIDE;
                for (column, cell) in columns.iter().zip(&mut target[to..][..columns.len()]) {
                    *cell = source[self.from + column + row];
                }
            }
        }
    }

    /// Moves pieces of several cells.
    pub(super) fn pieces<T: Copy>(self, source: &[T], target: &mut [T], piece: usize) {
        for (part, columns) in self.columns.away.chunks(SIDE).enumerate() {
            for (row, to_row) in self.rows.away.iter().enumerate() {
                for (column, from_column) in columns.iter().enumerate() {
                    let source = &source[self.from + from_column + row * piece..][..piece];
                    let to = self.to + to_row + (part * SIDE + column) * piece;
                    short(source, &mut target[to..][..piece]);
                }
            }
        }
    }
}

/// Copies a few cells without a call: as two pieces that may overlap.
#[inline]
fn short<T: Copy>(source: &[T], target: &mut [T]) {
    macro_rules! twice {
        ($($side:literal)*) => {
            match source.len() {
                $($side.. if source.len() <= 2 * $side => {
                    let last = source.len() - $side;
                    target[..$side].copy_from_slice(&source[..$side]);
                    target[last..][..$side].copy_from_slice(&source[last..]);
                })*
                _ => target.copy_from_slice(source),
            }
        };
    }
    twice!(2 4 8 16);
}

/// Calls `visit` with every tile of both runs, whose first cells are at `from` and `to`.
pub(super) fn tiles(
    rows: &TileRun,
    columns: &TileRun,
    (from, to): (usize, usize),
    visit: &mut dyn FnMut(LoneTile<'_>),
) {
    for (rows, (row_from, row_to)) in rows.each() {
        for (columns, (column_from, column_to)) in columns.each() {
            let (from, to) = (from + row_from + column_from, to + row_to + column_to);
            visit(LoneTile { from, to, rows, columns });
        }
    }
}
