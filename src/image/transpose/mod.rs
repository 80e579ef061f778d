//! Moving a grid of cells from one order into another, so that both sides stream.
//!
//! ```text
//! (7:1, 6:7, 5:42, 9:210)    a tensor of 7 x 6 x 5 x 9    size  weight  stride
//! minor on the target's side, a run of 7 x 6                 7     270       1
//!                                                            6      45       7
//!                                                            5       9      42
//! minor on the source's side, a run of 9                     9       1     210
//!
//! a tile of both: 42 pieces of 9 cells are read, and 9 pieces of 42 cells are written
//! ```
//!
//! Cells that are contiguous on both sides are copied. Otherwise the digits that are minor on the source's
//! side make one run and those that are minor on the target's side another, each at least four cache
//! lines long where the grid allows, so that few pages are open at once. The two runs span tiles, which
//! are read and written in whole pieces and transposed in registers, so that the order of the sides
//! does not matter.
//!
//! Moves are planned first, in code that does not depend on the type of the cells. The blocks are much code: with the feature `simd`
//! they are compiled for [numbers](super::numbers) and their pieces alone, and other cells are moved one by one.

mod block;
mod interleave;
mod run;
mod square;
mod tile;

use std::ops::Range;

use interleave::Interleaved;
use run::{LINE, TileRun, runs};
use tile::tiles;

#[cfg(feature = "simd")]
use super::numbers::Numbers;
use crate::algebra::strided::{StridedDigit, StridedDigits, each, walk};
use crate::number::{seam, to_index, to_u64};

/// The most cells that are moved one by one.
fn few() -> u64 {
    seam(32, 2)
}

/// Moves the cells `from + sum of weights` of the source to `to + sum of strides` of the target.
///
/// The caller has checked that all of them are there, and gives the digits minor to major on the
/// target's side, merged. Adjacent copies are made from the cells that the first one wrote.
pub(super) fn transfer<T: Copy, const IN_BLOCKS: bool>(
    source: &[T],
    target: &mut [T],
    at: (u64, u64),
    digits: &[StridedDigit],
) {
    if size_of::<T>() == 0 {
        // All values of a type of size 0 are equal.
        return;
    }
    let Some(copied) = Copied::of(digits, size_of::<T>()) else {
        return every::<T, IN_BLOCKS>(source, target, at, digits);
    };
    every::<T, IN_BLOCKS>(source, target, at, &copied.cells);
    copied.each(at.1, &mut |run, copy| target.copy_within(run, copy));
}

/// Cells whose copies are made from the first, run by run.
struct Copied {
    cells: StridedDigits,
    copies: StridedDigits,
    /// The cells of a run, which are contiguous in the target, and the number of digits that they are.
    run: usize,
    taken: usize,
}

impl Copied {
    /// Returns `None` if there are no copies, or if a run is shorter than a cache line.
    fn of(digits: &[StridedDigit], bytes: usize) -> Option<Copied> {
        if digits.iter().all(|digit| digit.weight > 0) {
            return None;
        }
        let (copies, cells): (StridedDigits, StridedDigits) =
            digits.iter().copied().partition(|digit| digit.weight == 0);
        let mut run = 1;
        let goes_on = |digit: &&StridedDigit| {
            let goes_on = digit.stride == run;
            run *= if goes_on { digit.size } else { 1 };
            goes_on
        };
        let taken = cells.iter().take_while(goes_on).count();
        let run = to_index(run);
        (run * bytes >= LINE).then_some(Copied { cells, copies, run, taken })
    }

    /// Calls `visit` with every run of the target and with the start of each of its copies; the first cell of
    /// the target is at `to`.
    fn each(&self, to: u64, visit: &mut dyn FnMut(Range<usize>, usize)) {
        walk(&self.cells[self.taken..], (0, to), &mut |_, first| {
            walk(&self.copies, (0, first), &mut |_, copy| {
                if copy != first {
                    let first = to_index(first);
                    visit(first..first + self.run, to_index(copy));
                }
            });
        });
    }
}

/// Moves cell by cell, every copy from the source.
fn every<T: Copy, const IN_BLOCKS: bool>(
    source: &[T],
    target: &mut [T],
    at: (u64, u64),
    digits: &[StridedDigit],
) {
    if digits.iter().map(|digit| digit.size).product::<u64>() <= few() {
        return one_by_one(source, target, at, digits);
    }
    let grid = PieceGrid::of(at, digits);
    if const { IN_BLOCKS }
        && let Some((grid, piece)) = grid.of_whole_pieces()
        && grid.transfer_pieces(source, target, piece)
    {
        return;
    }
    grid.transfer::<T, IN_BLOCKS>(source, target);
}

fn one_by_one<T: Copy>(source: &[T], target: &mut [T], at: (u64, u64), digits: &[StridedDigit]) {
    each(digits, at, &mut |from, to| target[to_index(to)] = source[to_index(from)]);
}

/// Pieces of so many contiguous cells.
struct PieceGrid {
    at: (u64, u64),
    digits: StridedDigits,
    piece: usize,
}

impl PieceGrid {
    fn of(at: (u64, u64), digits: &[StridedDigit]) -> PieceGrid {
        let piece = digits.first().filter(|digit| (digit.weight, digit.stride) == (1, 1));
        let digits = &digits[usize::from(piece.is_some())..];
        PieceGrid {
            at,
            digits: digits.into(),
            piece: piece.map_or(1, |piece| to_index(piece.size)),
        }
    }

    /// The grid whose cells are the pieces, and the length of these: short pieces that line up on both sides.
    fn of_whole_pieces(&self) -> Option<(PieceGrid, usize)> {
        let piece = to_u64(self.piece);
        let whole = |step: u64| step.is_multiple_of(piece).then(|| step / piece);
        let shorter = |digit: &StridedDigit| {
            let (weight, stride) = (whole(digit.weight)?, whole(digit.stride)?);
            Some(StridedDigit { weight, stride, ..*digit })
        };
        if !matches!(piece, 2 | 4 | 8) {
            return None;
        }
        let at = (whole(self.at.0)?, whole(self.at.1)?);
        let digits = self.digits.iter().map(shorter).collect::<Option<StridedDigits>>()?;
        Some((PieceGrid { at, digits, piece: 1 }, self.piece))
    }

    /// Moves pieces of so many cells as cells of as many bytes; `false` without a move if the cells are no numbers.
    #[cfg(feature = "simd")]
    fn transfer_pieces<T: Copy>(&self, source: &[T], target: &mut [T], piece: usize) -> bool {
        Numbers::with_bytes(source, target, &mut |source, target| {
            self.transfer_bytes(source, target, piece * size_of::<T>());
        })
    }

    /// Moves pieces of so many cells as cells of their own.
    #[cfg(not(feature = "simd"))]
    fn transfer_pieces<T: Copy>(&self, source: &[T], target: &mut [T], piece: usize) -> bool {
        let (from, to) = (source, target);
        match piece {
            2 => self.transfer::<[T; 2], true>(from.as_chunks().0, to.as_chunks_mut().0),
            4 => self.transfer::<[T; 4], true>(from.as_chunks().0, to.as_chunks_mut().0),
            8 => self.transfer::<[T; 8], true>(from.as_chunks().0, to.as_chunks_mut().0),
            _ => return false,
        }
        true
    }

    /// Moves cells of so many bytes.
    #[cfg(feature = "simd")]
    #[inline(never)]
    fn transfer_bytes(&self, source: &[u8], target: &mut [u8], bytes: usize) {
        macro_rules! of_width {
            ($($width:literal)*) => {
                match bytes {
                    $($width => self.transfer::<[u8; $width], true>(
                        source.as_chunks().0,
                        target.as_chunks_mut().0,
                    ),)*
                    _ => {}
                }
            };
        }
        of_width!(2 4 8 16 32 64);
    }

    fn transfer<T: Copy, const IN_BLOCKS: bool>(&self, source: &[T], target: &mut [T]) {
        let mut digits = self.digits.clone();
        if let Some((rows, columns)) = runs(&mut digits, self.piece, size_of::<T>()) {
            return self.tiles::<T, IN_BLOCKS>(source, target, &digits, (&rows, &columns));
        }
        let is_long =
            |minor: &&StridedDigit| minor.size >= 8 && minor.weight > 0 && minor.stride > 0;
        match self.digits.first().filter(is_long).copied() {
            Some(minor) if self.piece == 1 => walk(&self.digits[1..], self.at, &mut |from, to| {
                line(&source[to_index(from)..], &mut target[to_index(to)..], minor);
            }),
            _ if self.piece == 1 => one_by_one(source, target, self.at, &self.digits),
            _ => walk(&self.digits, self.at, &mut |from, to| {
                let source = &source[to_index(from)..][..self.piece];
                target[to_index(to)..][..self.piece].copy_from_slice(source);
            }),
        }
    }

    /// The tiles of both runs, for every value of the other digits.
    fn tiles<T: Copy, const IN_BLOCKS: bool>(
        &self,
        source: &[T],
        target: &mut [T],
        digits: &[StridedDigit],
        (rows, columns): (&TileRun, &TileRun),
    ) {
        let [first_rows, first_columns] = [rows, columns].map(|run| run.cells(usize::MAX));
        let is_one = rows.tiles == 1 && columns.tiles == 1 && self.piece == 1;
        if const { IN_BLOCKS }
            && is_one
            && let Some(interleaved) = Interleaved::of(first_rows, first_columns, size_of::<T>())
        {
            let (tiles, outer) = interleaved.split(digits);
            return walk(&outer, self.at, &mut |from, to| {
                let (source, target) = (&source[to_index(from)..], &mut target[to_index(to)..]);
                interleaved.transfer(source, target, tiles, (first_rows, first_columns));
            });
        }
        walk(digits, self.at, &mut |from, to| {
            tiles(rows, columns, (to_index(from), to_index(to)), &mut |tile| match self.piece {
                1 => tile.cells::<T, IN_BLOCKS>(source, target),
                piece => tile.pieces(source, target, piece),
            });
        });
    }
}

/// Moves the cells of one digit, which are not contiguous on one side or both.
fn line<T: Copy>(source: &[T], target: &mut [T], digit: StridedDigit) {
    let [size, from, to] = [digit.size, digit.weight, digit.stride].map(to_index);
    let values = source.iter().step_by(from);
    if to == 1 {
        target[..size].iter_mut().zip(values).for_each(|(cell, value)| *cell = *value);
    } else {
        let cells = target.iter_mut().step_by(to).take(size);
        cells.zip(values).for_each(|(cell, value)| *cell = *value);
    }
}
