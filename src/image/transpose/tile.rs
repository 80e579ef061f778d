//! A tile: rows that are contiguous in the source, columns that are in the target.
//!
//! Both are given as the places of their cells on the other side.

use super::Dim;
use super::block::{BYTES, blocks, byte_block, longest};
use super::run::{FEW_LANES, Run};

/// A tile on its own.
pub(super) const ONE: Dim = Dim { count: 1, from: 0, to: 0 };

/// Fewer rows or columns make no squares.
const NARROW: usize = 4;

/// The side of a block of pieces.
const SIDE: usize = 8;

/// Moves single cells. `flat`: the columns stand side by side in the source, a row after the
/// other; the rows do in the target.
pub(super) fn turn<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    (rows, columns): (&[usize], &[usize]),
    flat: (bool, bool),
) {
    if flat.0 && FEW_LANES.contains(&rows.len()) {
        deal(source, target, at, (rows, columns));
    } else if flat.1 && FEW_LANES.contains(&columns.len()) {
        shuffle(source, target, at, (rows, columns));
    } else {
        let longest = longest::<T>(rows.len().min(columns.len()) < NARROW);
        cuts(rows.len(), longest, |row, rows_length, height| {
            cuts(columns.len(), longest, |column, length, width| {
                let rows = (&rows[row..][..rows_length], height);
                let columns = (&columns[column..][..length], width);
                blocks(source, target, (at.0 + row, at.1 + column), rows, columns);
            });
        });
    }
}

/// Moves pieces of several cells.
pub(super) fn pieces<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
    piece: usize,
) {
    for (part, columns) in columns.chunks(SIDE).enumerate() {
        for (row, to_row) in rows.iter().enumerate() {
            for (column, from_column) in columns.iter().enumerate() {
                let source = &source[from + from_column + row * piece..][..piece];
                let column = part * SIDE + column;
                short(source, &mut target[to + to_row + column * piece..][..piece]);
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
    let side = longest.min(1 << length.ilog2());
    let whole = length - length % side;
    visit(0, whole, side);
    if whole < length {
        let side = (length - whole).next_power_of_two();
        visit(length - side, side, side);
    }
}

/// Whether a run has so few cells that they are dealt or shuffled, one by one.
pub(super) fn is_few<T>(run: &Run) -> bool {
    FEW_LANES.contains(&run.away.len()) && turns_in_blocks::<T>(run.away.len(), BYTES) == 0
}

/// How many of the turns of a few bytes each fill whole blocks.
fn turns_in_blocks<T>(few: usize, turns: usize) -> usize {
    match size_of::<T>() == 1 && few.is_power_of_two() {
        true => turns - turns % (BYTES / few),
        false => 0,
    }
}

/// A few rows, side by side in the source: cells are dealt to them in turn.
fn deal<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
) {
    let few = rows.len();
    let source = &source[from..][..few * columns.len()];
    let whole = turns_in_blocks::<T>(few, columns.len());
    for at in (0..whole).step_by(BYTES / few) {
        byte_block(source, target, (at * few, to + at), rows, &columns[..BYTES / few]);
    }
    let left = columns.len() - whole;
    deal_cells(&source[whole * few..], &mut target[to + whole..], ONE, (rows, left));
}

/// Deals the cells of tiles that lie apart as `tiles` says. The rows of a tile, where they stand in
/// the target, get `columns` cells each.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
pub(super) fn deal_cells<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (&[usize], usize),
) {
    macro_rules! known {
        ($($columns:literal)*) => {
            match columns {
                $($columns => deal_tiles(source, target, tiles, (rows, $columns)),)*
                _ => deal_tiles(source, target, tiles, (rows, columns)),
            }
        };
    }
    // Short loops are unrolled where the compiler knows how short.
    known!(4 8 16);
}

#[inline(always)]
fn deal_tiles<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (&[usize], usize),
) {
    let apart = rows.is_sorted_by(|row, next| row + columns <= *next);
    for tile in 0..tiles.count {
        let source = &source[tile * tiles.from..][..rows.len() * columns];
        let target = &mut target[tile * tiles.to..];
        let mut lanes = Lanes { rest: &mut *target, passed: 0, length: columns };
        // Each by name: the compiler makes no vectors of an array of slices.
        match *rows {
            [a, b] if apart => {
                let (a, b) = (lanes.take(a), lanes.take(b));
                for ((a, b), turn) in a.iter_mut().zip(b).zip(turns(source, columns)) {
                    [*a, *b] = *turn;
                }
            }
            [a, b, c] if apart => {
                let (a, b, c) = (lanes.take(a), lanes.take(b), lanes.take(c));
                for (((a, b), c), turn) in a.iter_mut().zip(b).zip(c).zip(turns(source, columns)) {
                    [*a, *b, *c] = *turn;
                }
            }
            // Longer ones are quicker row by row.
            [a, b, c, d] if apart && columns <= 16 => {
                let (a, b, c, d) = (lanes.take(a), lanes.take(b), lanes.take(c), lanes.take(d));
                let cells = a.iter_mut().zip(b).zip(c).zip(d);
                for ((((a, b), c), d), turn) in cells.zip(turns(source, columns)) {
                    [*a, *b, *c, *d] = *turn;
                }
            }
            _ => deal_by_row(source, target, rows),
        }
    }
}

/// So many turns of one cell for each row.
#[inline(always)]
fn turns<T, const ROWS: usize>(source: &[T], columns: usize) -> &[[T; ROWS]] {
    &source.as_chunks().0[..columns]
}

/// Pieces of one length, taken front to back.
struct Lanes<'a, T> {
    rest: &'a mut [T],
    passed: usize,
    length: usize,
}

impl<'a, T> Lanes<'a, T> {
    #[inline]
    fn take(&mut self, at: usize) -> &'a mut [T] {
        let (_, rest) = std::mem::take(&mut self.rest).split_at_mut(at - self.passed);
        let (lane, rest) = rest.split_at_mut(self.length);
        (self.rest, self.passed) = (rest, at + self.length);
        lane
    }
}

fn deal_by_row<T: Copy>(source: &[T], target: &mut [T], rows: &[usize]) {
    macro_rules! rows {
        ($($rows:literal)*) => {
            match rows.len() {
                $($rows => for at in 0..$rows {
                    let cells = target[rows[at]..].iter_mut();
                    for (cell, turn) in cells.zip(source.as_chunks::<$rows>().0) {
                        *cell = turn[at];
                    }
                },)*
                _ => {}
            }
        };
    }
    rows!(2 3 4 5 6 7 8);
}

/// A few columns, side by side in the target: one cell of each in turn.
fn shuffle<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
) {
    let few = columns.len();
    let target = &mut target[to..][..few * rows.len()];
    let whole = turns_in_blocks::<T>(few, rows.len());
    for at in (0..whole).step_by(BYTES / few) {
        byte_block(source, target, (from + at, at * few), &rows[..BYTES / few], columns);
    }
    let left = rows.len() - whole;
    shuffle_cells(&source[from + whole..], &mut target[whole * few..], ONE, (left, columns));
}

/// Shuffles the cells of tiles that lie apart as `tiles` says: `rows` cells of each column.
pub(super) fn shuffle_cells<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (usize, &[usize]),
) {
    for tile in 0..tiles.count {
        let target = &mut target[tile * tiles.to..][..rows * columns.len()];
        shuffle_columns(&source[tile * tiles.from..], target, columns);
    }
}

/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn shuffle_columns<T: Copy>(source: &[T], target: &mut [T], columns: &[usize]) {
    let count = target.len() / columns.len();
    let column = |at: usize| &source[columns[at]..][..count];
    macro_rules! columns {
        ($($columns:literal)*) => {
            match columns.len() {
                2 => {
                    let cells = column(0).iter().zip(column(1));
                    let turns = target.as_chunks_mut::<2>().0;
                    turns.iter_mut().zip(cells).for_each(|(turn, (a, b))| *turn = [*a, *b]);
                }
                3 => {
                    let cells = column(0).iter().zip(column(1)).zip(column(2));
                    let turns = target.as_chunks_mut::<3>().0;
                    for (turn, ((a, b), c)) in turns.iter_mut().zip(cells) {
                        *turn = [*a, *b, *c];
                    }
                }
                4 => {
                    let cells = column(0).iter().zip(column(1)).zip(column(2)).zip(column(3));
                    let turns = target.as_chunks_mut::<4>().0;
                    for (turn, (((a, b), c), d)) in turns.iter_mut().zip(cells) {
                        *turn = [*a, *b, *c, *d];
                    }
                }
                $($columns => for at in 0..$columns {
                    let turns = target.as_chunks_mut::<$columns>().0;
                    for (turn, cell) in turns.iter_mut().zip(column(at)) {
                        turn[at] = *cell;
                    }
                },)*
                _ => {}
            }
        };
    }
    columns!(5 6 7 8);
}
