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

mod block;
mod interleave;
mod run;
mod square;
mod tile;

use interleave::Interleaved;
use run::{LINE, TileRun, runs};
use tile::LoneTile;

use crate::algebra::strided::{StridedDigit, StridedDigits, each};
use crate::number::{seam, to_index};

/// The most cells that are moved one by one.
fn few() -> u64 {
    seam(32, 2)
}

/// Moves the cells `from + sum of weights` of the source to `to + sum of strides` of the target.
///
/// The caller has checked that all of them are there, and gives the digits minor to major on the
/// target's side, merged. Adjacent copies are made from the cells that the first one wrote.
pub(super) fn transfer<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (u64, u64),
    digits: &[StridedDigit],
) {
    if size_of::<T>() == 0 {
        // All values of a type of size 0 are equal.
        return;
    }
    let (copies, cells): (StridedDigits, StridedDigits) =
        digits.iter().copied().partition(|digit| digit.weight == 0);
    let (mut run, mut outer) = (1, &cells[..]);
    while let Some((minor, rest)) = outer.split_first().filter(|(minor, _)| minor.stride == run) {
        (run, outer) = (run * minor.size, rest);
    }
    let run = to_index(run);
    if copies.is_empty() || run * size_of::<T>() < LINE {
        return every(source, target, at, digits);
    }
    every(source, target, at, &cells);
    each(outer, (0, at.1), &mut |_, first| {
        each(&copies, (0, first), &mut |_, copy| {
            if copy != first {
                let first = to_index(first);
                target.copy_within(first..first + run, to_index(copy));
            }
        });
    });
}

/// Moves cell by cell, every copy from the source.
fn every<T: Copy>(source: &[T], target: &mut [T], at: (u64, u64), digits: &[StridedDigit]) {
    if digits.iter().map(|digit| digit.size).product::<u64>() <= few() {
        let mut cell = |from, to| target[to_index(to)] = source[to_index(from)];
        return each(digits, at, &mut cell);
    }
    // Short pieces that line up on both sides are cells of their own.
    let piece = digits.first().filter(|digit| (digit.weight, digit.stride) == (1, 1));
    let digits = &digits[usize::from(piece.is_some())..];
    let piece = piece.map_or(1, |piece| to_index(piece.size));
    let lines_up = |size: u64| {
        let steps = digits.iter().flat_map(|digit| [digit.weight, digit.stride]);
        steps.chain([at.0, at.1]).all(|step| step.is_multiple_of(size))
    };
    macro_rules! pieces {
        ($($size:literal)*) => {
            match piece {
                $($size if lines_up($size) => {
                    let shorter = |digit: &StridedDigit| StridedDigit {
                        weight: digit.weight / $size,
                        stride: digit.stride / $size,
                        ..*digit
                    };
                    let (source, target) = (source.as_chunks().0, target.as_chunks_mut().0);
                    let (at, digits) = ((at.0 / $size, at.1 / $size), digits.iter().map(shorter));
                    grid::<[T; $size]>(source, target, at, digits.collect(), 1);
                })*
                _ => grid(source, target, at, digits.into(), piece),
            }
        };
    }
    pieces!(2 4 8);
}

/// Moves pieces of `piece` cells.
fn grid<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (u64, u64),
    mut digits: StridedDigits,
    piece: usize,
) {
    if let Some((rows, columns)) = runs::<T>(&mut digits, piece) {
        return tiles(source, target, at, &digits, (&rows, &columns), piece);
    }
    let is_long = |minor: &&StridedDigit| minor.size >= 8 && minor.weight > 0 && minor.stride > 0;
    match digits.first().filter(is_long).copied() {
        Some(minor) if piece == 1 => each(&digits[1..], at, &mut |from, to| {
            line(&source[to_index(from)..], &mut target[to_index(to)..], minor);
        }),
        _ if piece == 1 => each(&digits, at, &mut |from, to| {
            target[to_index(to)] = source[to_index(from)];
        }),
        _ => each(&digits, at, &mut |from, to| {
            let source = &source[to_index(from)..][..piece];
            target[to_index(to)..][..piece].copy_from_slice(source);
        }),
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

/// The tiles of both runs, for every value of the other digits.
fn tiles<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (u64, u64),
    digits: &[StridedDigit],
    (rows, columns): (&TileRun, &TileRun),
    piece: usize,
) {
    let first = LoneTile::first(rows, columns);
    let is_one = rows.tiles == 1 && columns.tiles == 1 && piece == 1;
    if let Some(interleaved) = Interleaved::of::<T>(first.rows, first.columns).filter(|_| is_one) {
        // The order of the side on which tiles are contiguous; the digits come in that of the target.
        let mut digits: StridedDigits = digits.into();
        if matches!(interleaved, Interleaved::Source) {
            digits.sort_by_key(|digit| digit.weight);
        }
        let (tiles, outer) = match digits.split_first() {
            Some((tiles, outer)) => (*tiles, outer),
            None => (StridedDigit { size: 1, weight: 0, stride: 0 }, &digits[..]),
        };
        return each(outer, at, &mut |from, to| {
            let (source, target) = (&source[to_index(from)..], &mut target[to_index(to)..]);
            interleaved.transfer(source, target, tiles, (first.rows, first.columns));
        });
    }
    each(digits, at, &mut |from, to| {
        let (from, to) = (to_index(from), to_index(to));
        rows.each(|row, (row_from, row_to)| {
            columns.each(|column, (column_from, column_to)| {
                let (from, to) = (from + row_from + column_from, to + row_to + column_to);
                let tile = LoneTile { from, to, rows: row, columns: column };
                match piece {
                    1 => tile.cells(source, target),
                    _ => tile.pieces(source, target, piece),
                }
            });
        });
    });
}
