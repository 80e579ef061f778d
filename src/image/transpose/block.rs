//! Blocks of cells that are transposed in registers.

use std::ops::RangeInclusive;

use super::square::transpose;

/// The bytes of a vector, and of a block of bytes.
pub(super) const VECTOR: usize = 16;
pub(super) const BYTES: usize = 256;

/// Whether so few rows or columns fill vectors, so that cells need not be interleaved one by one.
const fn fill_vectors<T>(lanes: usize) -> bool {
    match size_of::<T>() {
        1 => matches!(lanes, 2 | 4 | 8),
        2..=8 => lanes == 8,
        _ => false,
    }
}

/// So few rows or columns are interleaved.
const FEW: RangeInclusive<usize> = 2..=8;

/// Whether cells of so many rows or columns are interleaved one by one.
pub(super) fn is_few<T>(lanes: usize) -> bool {
    FEW.contains(&lanes) && !fill_vectors::<T>(lanes)
}

/// The longest side of a block, and of one that is too narrow for squares.
///
/// Lines whose distance is a power of two share a set of the first-level cache, which holds eight.
pub(super) const fn longest<T>(narrow: bool) -> usize {
    match size_of::<T>() {
        4..=8 if !narrow => 8,
        ..=8 => 16,
        _ => 4,
    }
}

/// Blocks of `height` rows and `width` columns each, which fill them. The sides are powers of two up to
/// 16.
#[inline]
pub(super) fn blocks<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    (rows, height): (&[usize], usize),
    (columns, width): (&[usize], usize),
) {
    macro_rules! sides {
        ($($height:literal: $($width:literal)*;)*) => {
            match (height, width) {
                $($(($height, $width) => {
                    let (rows, columns) = (rows.as_chunks().0, columns.as_chunks().0);
                    of_sides::<T, $height, $width>(source, target, at, rows, columns);
                })*)*
                _ => {}
            }
        };
    }
    sides! {
        16: 16 8 4 2 1;
        8: 16 8 4 2 1;
        4: 16 8 4 2 1;
        2: 16 8 4 2 1;
        1: 16 8 4 2 1;
    }
}

/// Each reads `WIDTH` pieces of `HEIGHT` cells, and writes `HEIGHT` pieces of `WIDTH`: lines of the target,
/// one after the other.
#[inline(never)]
fn of_sides<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[[usize; HEIGHT]],
    columns: &[[usize; WIDTH]],
) {
    let in_squares = |side| HEIGHT.is_multiple_of(side) && WIDTH.is_multiple_of(side);
    for (row, rows) in rows.iter().enumerate() {
        for (column, columns) in columns.iter().enumerate() {
            let at = (from + row * HEIGHT, to + column * WIDTH);
            match size_of::<T>() {
                1 if in_squares(16) => bytes::<T, 16, 16>(source, target, at, rows, columns),
                2 if in_squares(8) => squares::<T, 8, _, _>(source, target, at, rows, columns),
                2 if (HEIGHT, WIDTH) == (4, 16) => low(source, target, at, rows, columns),
                2 if (HEIGHT, WIDTH) == (16, 4) => narrow(source, target, at, rows, columns),
                4 if in_squares(4) => squares::<T, 4, _, _>(source, target, at, rows, columns),
                8 if in_squares(2) => squares::<T, 2, _, _>(source, target, at, rows, columns),
                _ => cells(source, target, at, rows, columns),
            }
        }
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
    // References to arrays: of slices the compiler makes no vectors.
    let piece = |at: usize| &source[from + columns[at]..].as_chunks::<HEIGHT>().0[0];
    let pieces: [&[T; HEIGHT]; WIDTH] = std::array::from_fn(piece);
    for row in (0..HEIGHT).step_by(SIDE) {
        let mut transposed = [[source[from]; WIDTH]; SIDE];
        for column in (0..WIDTH).step_by(SIDE) {
            let cells = |at: usize| pieces[column + at][row..].as_chunks::<SIDE>().0[0];
            let mut square: [[T; SIDE]; SIDE] = std::array::from_fn(cells);
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

/// The side of a square of halves.
const HALVES: usize = 8;

/// A square of halves whose lines are put together from pieces of `HEIGHT`: cells of as many columns
/// as fill it.
#[inline(always)]
fn low<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize; HEIGHT],
    columns: &[usize; WIDTH],
) {
    let mut square = [[source[from]; HALVES]; HALVES];
    for (at, away) in columns.iter().enumerate() {
        let cells = &mut square[at % HALVES][at / HALVES * HEIGHT..][..HEIGHT];
        cells.copy_from_slice(&source[from + away..][..HEIGHT]);
    }
    transpose(&mut square);
    for (at, away) in rows.iter().enumerate() {
        let line = &mut target[to + away..][..WIDTH];
        for (part, cells) in line.chunks_exact_mut(HALVES).enumerate() {
            cells.copy_from_slice(&square[part * HEIGHT + at]);
        }
    }
}

/// The same for lines that are taken apart afterwards.
#[inline(always)]
fn narrow<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize; HEIGHT],
    columns: &[usize; WIDTH],
) {
    let mut square = [[source[from]; HALVES]; HALVES];
    for (at, away) in columns.iter().enumerate() {
        let piece = &source[from + away..][..HEIGHT];
        for (part, cells) in piece.chunks_exact(HALVES).enumerate() {
            square[part * WIDTH + at].copy_from_slice(cells);
        }
    }
    transpose(&mut square);
    for (at, away) in rows.iter().enumerate() {
        let cells = &square[at % HALVES][at / HALVES * WIDTH..][..WIDTH];
        target[to + away..][..WIDTH].copy_from_slice(cells);
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
    let mut pieces = [[source[from]; HEIGHT]; WIDTH];
    for (piece, away) in pieces.iter_mut().zip(columns) {
        piece.copy_from_slice(&source[from + away..][..HEIGHT]);
    }
    for (at, away) in rows.iter().enumerate() {
        let mut transposed = [source[from]; WIDTH];
        for (cell, piece) in transposed.iter_mut().zip(&pieces) {
            *cell = piece[at];
        }
        target[to + away..][..WIDTH].copy_from_slice(&transposed);
    }
}

/// 256 bytes whose sides are powers of two from 2 to 128. Where there are fewer than 16 rows, as many
/// columns as fill a vector stand side by side in the source; where there are fewer than 16 columns,
/// rows in the target.
pub(super) fn byte_block<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    match rows.len() {
        2 => bytes::<T, 2, 128>(source, target, at, rows, columns),
        4 => bytes::<T, 4, 64>(source, target, at, rows, columns),
        8 => bytes::<T, 8, 32>(source, target, at, rows, columns),
        16 => bytes::<T, 16, 16>(source, target, at, rows, columns),
        32 => bytes::<T, 32, 8>(source, target, at, rows, columns),
        64 => bytes::<T, 64, 4>(source, target, at, rows, columns),
        _ => bytes::<T, 128, 2>(source, target, at, rows, columns),
    }
}

/// By log2 of the width perfect shuffles, which merge the first half of the bytes with the second: each
/// rotates the bits of the position of a byte by one.
#[inline(never)]
fn bytes<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    // Lengths that the compiler knows, so that all of it stays in registers.
    let known = (rows.first_chunk::<HEIGHT>(), columns.first_chunk::<WIDTH>());
    let (Some(rows), Some(columns)) = known else { return };
    let mut vectors = [[source[from]; VECTOR]; VECTOR];
    for (at, vector) in vectors.iter_mut().enumerate() {
        let from = from + stands::<HEIGHT, WIDTH>(at, columns);
        vector.copy_from_slice(&source[from..][..VECTOR]);
    }
    for _ in 0..WIDTH.ilog2() {
        let before = vectors;
        for at in 0..VECTOR / 2 {
            let (first, second) = (before[at], before[at + VECTOR / 2]);
            for cell in 0..VECTOR / 2 {
                vectors[2 * at][2 * cell] = first[cell];
                vectors[2 * at][2 * cell + 1] = second[cell];
                vectors[2 * at + 1][2 * cell] = first[VECTOR / 2 + cell];
                vectors[2 * at + 1][2 * cell + 1] = second[VECTOR / 2 + cell];
            }
        }
    }
    for (at, vector) in vectors.iter().enumerate() {
        let to = to + stands::<WIDTH, HEIGHT>(at, rows);
        target[to..][..VECTOR].copy_from_slice(vector);
    }
}

/// Where a vector of the block stands.
#[inline(always)]
fn stands<const PIECE: usize, const PIECES: usize>(
    vector: usize,
    pieces: &[usize; PIECES],
) -> usize {
    pieces[vector * VECTOR / PIECE] + vector * VECTOR % PIECE
}
