//! A few rows or columns: cells are dealt out to them in turn, or shuffled from them.
//!
//! ```text
//! a0 b0 c0 a1 b1 c1 ..   dealt to rows      a0 a1 ..   b0 b1 ..   c0 c1 ..
//! ```
//!
//! For counts of rows or columns that fill no vectors.

use super::{Dim, square};

/// Deals the cells of tiles that lie apart as `tiles` says. The rows of a tile, where they stand in
/// the target, get `columns` cells each.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
pub(super) fn deal<T: Copy>(
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
            // Longer ones are quicker row by row, but for squares.
            [a, b, c, d] if apart && (columns <= 16 || size_of::<T>() == 4) => {
                let (a, b, c, d) = (lanes.take(a), lanes.take(b), lanes.take(c), lanes.take(d));
                deal_four([a, b, c, d], turns(source, columns));
            }
            _ => deal_by_row(source, target, rows),
        }
    }
}

#[inline(always)]
fn deal_four<T: Copy>([a, b, c, d]: [&mut [T]; 4], turns: &[[T; 4]]) {
    let squares = squares_of_four::<T>(turns.len());
    let ((a, a_rest), (b, b_rest)) = (fours_mut(a, squares), fours_mut(b, squares));
    let ((c, c_rest), (d, d_rest)) = (fours_mut(c, squares), fours_mut(d, squares));
    let (turned, turns) = fours(turns, squares);
    for ((((a, b), c), d), square) in a.iter_mut().zip(b).zip(c).zip(d).zip(turned) {
        let mut square = *square;
        square::turn(&mut square);
        [*a, *b, *c, *d] = square;
    }
    let cells = a_rest.iter_mut().zip(b_rest).zip(c_rest).zip(d_rest);
    for ((((a, b), c), d), turn) in cells.zip(turns) {
        [*a, *b, *c, *d] = *turn;
    }
}

/// How many squares that are turned in vectors so many turns of four cells hold.
fn squares_of_four<T>(turns: usize) -> usize {
    if size_of::<T>() == 4 { turns / 4 } else { 0 }
}

fn fours<T>(cells: &[T], squares: usize) -> (&[[T; 4]], &[T]) {
    let (whole, rest) = cells.split_at(4 * squares);
    (whole.as_chunks().0, rest)
}

fn fours_mut<T>(cells: &mut [T], squares: usize) -> (&mut [[T; 4]], &mut [T]) {
    let (whole, rest) = cells.split_at_mut(4 * squares);
    (whole.as_chunks_mut().0, rest)
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

/// Shuffles the cells of tiles that lie apart as `tiles` says: `rows` cells of each column.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
pub(super) fn shuffle<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (usize, &[usize]),
) {
    macro_rules! known {
        ($($rows:literal)*) => {
            match rows {
                $($rows => shuffle_tiles(source, target, tiles, ($rows, columns)),)*
                _ => shuffle_tiles(source, target, tiles, (rows, columns)),
            }
        };
    }
    known!(4 8 16);
}

#[inline(always)]
fn shuffle_tiles<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (usize, &[usize]),
) {
    for tile in 0..tiles.count {
        let target = &mut target[tile * tiles.to..][..rows * columns.len()];
        let column = |away: usize| &source[tile * tiles.from + away..][..rows];
        match *columns {
            [a, b] => {
                let cells = column(a).iter().zip(column(b));
                let turns = target.as_chunks_mut::<2>().0;
                turns.iter_mut().zip(cells).for_each(|(turn, (a, b))| *turn = [*a, *b]);
            }
            [a, b, c] => {
                let cells = column(a).iter().zip(column(b)).zip(column(c));
                let turns = target.as_chunks_mut::<3>().0;
                for (turn, ((a, b), c)) in turns.iter_mut().zip(cells) {
                    *turn = [*a, *b, *c];
                }
            }
            [a, b, c, d] => {
                let turns = &mut target.as_chunks_mut().0[..rows];
                shuffle_four([column(a), column(b), column(c), column(d)], turns);
            }
            _ => shuffle_by_column(target, columns, column),
        }
    }
}

fn shuffle_by_column<'a, T: Copy + 'a>(
    target: &mut [T],
    columns: &[usize],
    column: impl Fn(usize) -> &'a [T],
) {
    macro_rules! columns {
        ($($columns:literal)*) => {
            match columns.len() {
                $($columns => for at in 0..$columns {
                    let turns = target.as_chunks_mut::<$columns>().0;
                    for (turn, cell) in turns.iter_mut().zip(column(columns[at])) {
                        turn[at] = *cell;
                    }
                },)*
                _ => {}
            }
        };
    }
    columns!(5 6 7 8);
}

#[inline(always)]
fn shuffle_four<T: Copy>([a, b, c, d]: [&[T]; 4], turns: &mut [[T; 4]]) {
    let squares = squares_of_four::<T>(turns.len());
    let ((a, a_rest), (b, b_rest)) = (fours(a, squares), fours(b, squares));
    let ((c, c_rest), (d, d_rest)) = (fours(c, squares), fours(d, squares));
    let (turned, turns) = fours_mut(turns, squares);
    for ((((square, a), b), c), d) in turned.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *square = [*a, *b, *c, *d];
        square::turn(square);
    }
    let cells = a_rest.iter().zip(b_rest).zip(c_rest).zip(d_rest);
    for (turn, (((a, b), c), d)) in turns.iter_mut().zip(cells) {
        *turn = [*a, *b, *c, *d];
    }
}
