//! A few rows or columns, the cells of which are interleaved on one side.
//!
//! ```text
//! interleaved   a0 b0 c0 a1 b1 c1 ..      deinterleaved   a0 a1 ..   b0 b1 ..   c0 c1 ..
//! ```
//!
//! For counts of rows or columns that fill no vectors.

use super::block::is_few;
use super::run::Cells;
use super::{Dim, square};

/// On which side a tile has the cells of its few rows or columns interleaved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interleaved {
    Source,
    Target,
}

impl Interleaved {
    /// `None` for a tile that is moved in blocks.
    pub(super) fn of<T>(rows: Cells, columns: Cells) -> Option<Interleaved> {
        let (height, width) = (rows.away.len(), columns.away.len());
        if is_few::<T>(height) && columns.alternate(height) {
            Some(Interleaved::Source)
        } else if is_few::<T>(width) && rows.alternate(width) {
            Some(Interleaved::Target)
        } else {
            None
        }
    }

    /// Moves the cells of tiles that lie apart as `tiles` says.
    pub(super) fn transfer<T: Copy>(
        self,
        source: &[T],
        target: &mut [T],
        tiles: Dim,
        (rows, columns): (Cells, Cells),
    ) {
        match self {
            Interleaved::Source => {
                deinterleave(source, target, tiles, (rows.away, columns.away.len()));
            }
            Interleaved::Target => {
                interleave(source, target, tiles, (rows.away.len(), columns.away));
            }
        }
    }
}

/// Deinterleaves the cells of tiles that lie apart as `tiles` says. The rows of a tile, where they
/// stand in the target, get `columns` cells each.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn deinterleave<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (&[usize], usize),
) {
    macro_rules! known {
        ($($columns:literal)*) => {
            match columns {
                $($columns => deinterleave_tiles(source, target, tiles, (rows, $columns)),)*
                _ => deinterleave_tiles(source, target, tiles, (rows, columns)),
            }
        };
    }
    // Short loops are unrolled where the compiler knows how short.
    known!(4 8 16);
}

#[inline(always)]
fn deinterleave_tiles<T: Copy>(
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
                for ((a, b), group) in a.iter_mut().zip(b).zip(groups(source, columns)) {
                    [*a, *b] = *group;
                }
            }
            [a, b, c] if apart => {
                let (a, b, c) = (lanes.take(a), lanes.take(b), lanes.take(c));
                for (((a, b), c), group) in a.iter_mut().zip(b).zip(c).zip(groups(source, columns))
                {
                    [*a, *b, *c] = *group;
                }
            }
            // Longer ones are quicker row by row, but for squares.
            [a, b, c, d] if apart && (columns <= 16 || size_of::<T>() == 4) => {
                let (a, b, c, d) = (lanes.take(a), lanes.take(b), lanes.take(c), lanes.take(d));
                deinterleave_four([a, b, c, d], groups(source, columns));
            }
            _ => deinterleave_by_row(source, target, rows),
        }
    }
}

#[inline(always)]
fn deinterleave_four<T: Copy>([a, b, c, d]: [&mut [T]; 4], groups: &[[T; 4]]) {
    let squares = squares_of_four::<T>(groups.len());
    let ((a, a_rest), (b, b_rest)) = (fours_mut(a, squares), fours_mut(b, squares));
    let ((c, c_rest), (d, d_rest)) = (fours_mut(c, squares), fours_mut(d, squares));
    let (transposed, groups) = fours(groups, squares);
    for ((((a, b), c), d), square) in a.iter_mut().zip(b).zip(c).zip(d).zip(transposed) {
        let mut square = *square;
        square::transpose(&mut square);
        [*a, *b, *c, *d] = square;
    }
    let cells = a_rest.iter_mut().zip(b_rest).zip(c_rest).zip(d_rest);
    for ((((a, b), c), d), group) in cells.zip(groups) {
        [*a, *b, *c, *d] = *group;
    }
}

/// How many squares that are transposed in vectors so many groups of four cells hold.
fn squares_of_four<T>(groups: usize) -> usize {
    if size_of::<T>() == 4 { groups / 4 } else { 0 }
}

fn fours<T>(cells: &[T], squares: usize) -> (&[[T; 4]], &[T]) {
    let (whole, rest) = cells.split_at(4 * squares);
    (whole.as_chunks().0, rest)
}

fn fours_mut<T>(cells: &mut [T], squares: usize) -> (&mut [[T; 4]], &mut [T]) {
    let (whole, rest) = cells.split_at_mut(4 * squares);
    (whole.as_chunks_mut().0, rest)
}

/// So many groups of one cell for each row.
#[inline(always)]
fn groups<T, const ROWS: usize>(source: &[T], columns: usize) -> &[[T; ROWS]] {
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

fn deinterleave_by_row<T: Copy>(source: &[T], target: &mut [T], rows: &[usize]) {
    macro_rules! rows {
        ($($rows:literal)*) => {
            match rows.len() {
                $($rows => for at in 0..$rows {
                    let cells = target[rows[at]..].iter_mut();
                    for (cell, group) in cells.zip(source.as_chunks::<$rows>().0) {
                        *cell = group[at];
                    }
                },)*
                _ => {}
            }
        };
    }
    rows!(2 3 4 5 6 7 8);
}

/// Interleaves the cells of tiles that lie apart as `tiles` says: `rows` cells of each column.
///
/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn interleave<T: Copy>(
    source: &[T],
    target: &mut [T],
    tiles: Dim,
    (rows, columns): (usize, &[usize]),
) {
    macro_rules! known {
        ($($rows:literal)*) => {
            match rows {
                $($rows => interleave_tiles(source, target, tiles, ($rows, columns)),)*
                _ => interleave_tiles(source, target, tiles, (rows, columns)),
            }
        };
    }
    known!(4 8 16);
}

#[inline(always)]
fn interleave_tiles<T: Copy>(
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
                let groups = target.as_chunks_mut::<2>().0;
                groups.iter_mut().zip(cells).for_each(|(group, (a, b))| *group = [*a, *b]);
            }
            [a, b, c] => {
                let cells = column(a).iter().zip(column(b)).zip(column(c));
                let groups = target.as_chunks_mut::<3>().0;
                for (group, ((a, b), c)) in groups.iter_mut().zip(cells) {
                    *group = [*a, *b, *c];
                }
            }
            [a, b, c, d] => {
                let groups = &mut target.as_chunks_mut().0[..rows];
                interleave_four([column(a), column(b), column(c), column(d)], groups);
            }
            _ => interleave_by_column(target, columns, column),
        }
    }
}

fn interleave_by_column<'a, T: Copy + 'a>(
    target: &mut [T],
    columns: &[usize],
    column: impl Fn(usize) -> &'a [T],
) {
    macro_rules! columns {
        ($($columns:literal)*) => {
            match columns.len() {
                $($columns => for at in 0..$columns {
                    let groups = target.as_chunks_mut::<$columns>().0;
                    for (group, cell) in groups.iter_mut().zip(column(columns[at])) {
                        group[at] = *cell;
                    }
                },)*
                _ => {}
            }
        };
    }
    columns!(5 6 7 8);
}

#[inline(always)]
fn interleave_four<T: Copy>([a, b, c, d]: [&[T]; 4], groups: &mut [[T; 4]]) {
    let squares = squares_of_four::<T>(groups.len());
    let ((a, a_rest), (b, b_rest)) = (fours(a, squares), fours(b, squares));
    let ((c, c_rest), (d, d_rest)) = (fours(c, squares), fours(d, squares));
    let (transposed, groups) = fours_mut(groups, squares);
    for ((((square, a), b), c), d) in transposed.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *square = [*a, *b, *c, *d];
        square::transpose(square);
    }
    let cells = a_rest.iter().zip(b_rest).zip(c_rest).zip(d_rest);
    for (group, (((a, b), c), d)) in groups.iter_mut().zip(cells) {
        *group = [*a, *b, *c, *d];
    }
}
