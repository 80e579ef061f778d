//! A tile: rows that are contiguous in the source, columns that are in the target.

use super::block::{LARGE, blocks, longest};
use super::interleave::Interleaved;
use super::run::{TileCells, TileRun};
use crate::algebra::strided::StridedDigit;

/// The side of a block of pieces.
const SIDE: usize = 8;

/// A tile on its own.
const ONE: StridedDigit = StridedDigit { size: 1, weight: 0, stride: 0 };

/// Rows and columns, given as the places of their cells on the other side.
#[derive(Clone, Copy)]
pub(super) struct LoneTile<'a> {
    /// The place of the first cell in the source, and in the target.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) rows: TileCells<'a>,
    pub(super) columns: TileCells<'a>,
}

impl<'a> LoneTile<'a> {
    /// The first tile of both runs.
    pub(super) fn first(rows: &'a TileRun, columns: &'a TileRun) -> LoneTile<'a> {
        let [rows, columns] = [rows, columns].map(|run| run.cells(usize::MAX));
        LoneTile { from: 0, to: 0, rows, columns }
    }

    /// Moves single cells.
    pub(super) fn cells<T: Copy>(self, source: &[T], target: &mut [T]) {
        if const { size_of::<T>() > LARGE } {
            return self.large(source, target);
        }
        if let Some(interleaved) = Interleaved::of::<T>(self.rows, self.columns) {
            let (source, target) = (&source[self.from..], &mut target[self.to..]);
            return interleaved.transfer(source, target, ONE, (self.rows, self.columns));
        }
        let (rows, columns) = (self.rows.away, self.columns.away);
        let longest = longest::<T>(rows.len().min(columns.len()));
        cuts(rows.len(), longest, |row, rows_length, height| {
            cuts(columns.len(), longest, |column, length, width| {
                let rows = (&rows[row..][..rows_length], height);
                let columns = (&columns[column..][..length], width);
                blocks(source, target, (self.from + row, self.to + column), rows, columns);
            });
        });
    }

    /// Moves single cells that are large. As pieces of one cell, whose length the compiler does not know, they take three
    /// times as long.
    fn large<T: Copy>(self, source: &[T], target: &mut [T]) {
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

/// Cuts a length into sides (at, length, side) of blocks that are powers of two: first the longest, as
/// many as there are. The last block may overlap the one before it: then it moves some cells once more.
#[inline]
fn cuts(length: usize, longest: usize, mut visit: impl FnMut(usize, usize, usize)) {
    let Some(side) = length.checked_ilog2().map(|log| longest.min(1 << log)) else { return };
    let whole = length - length % side;
    visit(0, whole, side);
    if whole < length {
        let side = (length - whole).next_power_of_two();
        visit(length - side, side, side);
    }
}
