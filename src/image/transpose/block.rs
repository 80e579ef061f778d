//! Blocks of cells that are transposed in registers.

use std::ops::Range;

use super::square::transpose;

/// The bytes of a cell above which cells are moved one by one.
pub(super) const LARGE: usize = 16;

/// Returns whether cells of `lanes` rows or columns are interleaved one by one: a few that fill no vectors.
pub(super) fn is_few(lanes: usize, bytes: usize) -> bool {
    match bytes {
        2..=8 => (2..8).contains(&lanes),
        ..=LARGE => (2..=8).contains(&lanes),
        _ => false,
    }
}

/// A tile with fewer rows or columns is narrow: two of them are moved in blocks beside a side of [`LONG`], and
/// otherwise one by one.
const NARROW: usize = 4;

/// The longest side of all blocks.
const LONG: usize = 16;

/// The longest side of a block, in a tile that is not narrow.
///
/// Lines whose distance is a power of two share a set of the first-level cache, which holds eight.
const fn longest<T>() -> usize {
    match size_of::<T>() {
        ..4 => LONG,
        4..=8 => 8,
        _ => NARROW,
    }
}

/// Returns whether rows and columns are cut into blocks of these sides: others are not compiled.
const fn is_cut<T>(height: usize, width: usize) -> bool {
    match (height, width) {
        (1, _) | (_, 1) | (2, LONG) | (LONG, 2) => true,
        _ => height <= longest::<T>() && width <= longest::<T>(),
    }
}

/// Cuts a length into blocks with sides of 1, 2, 4, 8 or 16, depending on the other length of a tile: first
/// as many of the longest side as there are. The last block may overlap the one before it; it then moves some
/// cells once more.
fn cuts(
    length: usize,
    other: usize,
    longest: usize,
) -> impl Iterator<Item = (Range<usize>, usize)> {
    let side = match length {
        2..NARROW if other >= LONG => 2,
        ..NARROW => 1,
        _ => longest.min(1 << length.ilog2()),
    };
    let whole = length - length % side;
    let rest = match length - whole {
        0 => 0,
        _ if side == LONG && (2..NARROW).contains(&other) => LONG,
        1 => 1,
        rest => rest.next_power_of_two().max(NARROW),
    };
    [(0..whole, side), (length - rest..length, rest)].into_iter().take(1 + rest.min(1))
}

/// Moves the cells of rows and columns in blocks, which fill them.
#[inline]
pub(super) fn blocks<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    let is_narrow = rows.len().min(columns.len()) < NARROW;
    let longest = if is_narrow { LONG } else { longest::<T>() };
    for (row, height) in cuts(rows.len(), columns.len(), longest) {
        for (column, width) in cuts(columns.len(), rows.len(), longest) {
            let at = (from + row.start, to + column.start);
            let (rows, columns) = (&rows[row.clone()], &columns[column]);
            macro_rules! of_sides {
                ($($height:literal: $($width:literal)*;)*) => {
                    match (height, width) {
                        $($(($height, $width) if const { is_cut::<T>($height, $width) } => {
                            let (rows, columns) = (rows.as_chunks().0, columns.as_chunks().0);
                            of_sides::<T, $height, $width>(source, target, at, rows, columns);
                        })*)*
                        _ => {}
                    }
                };
            }
            of_sides! {
                16: 16 8 4 2 1;
                8: 16 8 4 1;
                4: 16 8 4 1;
                2: 16;
                1: 16 8 4 1;
            }
        }
    }
}

/// The side of the squares that fill a block and the vectors of the processor; 0 if none do.
const fn side_of_squares<T>(height: usize, width: usize) -> usize {
    match size_of::<T>() {
        bytes @ (1 | 2 | 4 | 8) => {
            let side = 16 / bytes;
            if height.is_multiple_of(side) && width.is_multiple_of(side) { side } else { 0 }
        }
        _ => 0,
    }
}

/// Moves blocks of these sides. Each reads `WIDTH` pieces of `HEIGHT` cells and writes `HEIGHT` pieces of
/// `WIDTH` cells: lines of the target, one after the other.
#[inline(never)]
fn of_sides<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[[usize; HEIGHT]],
    columns: &[[usize; WIDTH]],
) {
    for (row, rows) in rows.iter().enumerate() {
        for (column, columns) in columns.iter().enumerate() {
            let at = (from + row * HEIGHT, to + column * WIDTH);
            match const { side_of_squares::<T>(HEIGHT, WIDTH) } {
                16 => square::<T, 16>(source, target, at, rows, columns),
                8 => squares::<T, 8, _, _>(source, target, at, rows, columns),
                4 => squares::<T, 4, _, _>(source, target, at, rows, columns),
                2 => squares::<T, 2, _, _>(source, target, at, rows, columns),
                _ => cells(source, target, at, rows, columns),
            }
        }
    }
}

/// The pieces of a block: references to arrays, because the compiler does not vectorize slices. A loop is less code for each of
/// the many blocks than `std::array::from_fn`.
#[inline(always)]
fn pieces<'a, T, const HEIGHT: usize, const WIDTH: usize>(
    source: &'a [T],
    from: usize,
    columns: &[usize; WIDTH],
) -> [&'a [T; HEIGHT]; WIDTH] {
    let piece = |away: usize| &source[from + away..].as_chunks::<HEIGHT>().0[0];
    let mut pieces = [piece(columns[0]); WIDTH];
    for (at, away) in pieces.iter_mut().zip(columns) {
        *at = piece(*away);
    }
    pieces
}

/// One square that fills the block.
#[inline(always)]
fn square<T: Copy, const SIDE: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    let mut square = [[source[from]; SIDE]; SIDE];
    for (cells, away) in square.iter_mut().zip(columns) {
        *cells = source[from + away..].as_chunks().0[0];
    }
    transpose(&mut square);
    for (cells, away) in square.iter().zip(rows) {
        target[to + away..][..SIDE].copy_from_slice(cells);
    }
}

#[inline(always)]
fn squares<T: Copy, const SIDE: usize, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize; HEIGHT],
    columns: &[usize; WIDTH],
) {
    let pieces = pieces::<T, HEIGHT, WIDTH>(source, from, columns);
    for row in (0..HEIGHT).step_by(SIDE) {
        let mut transposed = [[source[from]; WIDTH]; SIDE];
        for column in (0..WIDTH).step_by(SIDE) {
            let mut square = [[source[from]; SIDE]; SIDE];
            for (cells, piece) in square.iter_mut().zip(&pieces[column..]) {
                *cells = piece[row..].as_chunks().0[0];
            }
            transpose(&mut square);
            for (transposed, cells) in transposed.iter_mut().zip(&square) {
                transposed[column..column + SIDE].copy_from_slice(cells);
            }
        }
        for (at, transposed) in transposed.iter().enumerate() {
            target[to + rows[row + at]..][..WIDTH].copy_from_slice(transposed);
        }
    }
}

#[inline(always)]
fn cells<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize; HEIGHT],
    columns: &[usize; WIDTH],
) {
    let pieces = pieces::<T, HEIGHT, WIDTH>(source, from, columns);
    for (at, away) in rows.iter().enumerate() {
        for (cell, piece) in target[to + away..][..WIDTH].iter_mut().zip(&pieces) {
            *cell = piece[at];
        }
    }
}
