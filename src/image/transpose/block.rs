//! Blocks of cells that are turned in registers: what the compiler makes vectors of.

/// The bytes of a block of bytes.
pub(super) const BYTES: usize = 256;

/// The side of a block of words that is turned as one, and of a smaller one where that does not fit.
const WORDS: usize = 16;
const FEWER_WORDS: usize = 4;

/// A block whose sides are known when the crate is compiled; they are powers of two up to 16.
#[inline]
pub(super) fn block<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    macro_rules! sides {
        ($($height:literal: $($width:literal)*;)*) => {
            match (rows.len(), columns.len()) {
                (16, 16) if size_of::<T>() == 1 => byte_block(source, target, at, rows, columns),
                $($(($height, $width) => {
                    words::<T, $height, $width>(source, target, at, rows, columns);
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

/// Reads `WIDTH` pieces of `HEIGHT` cells, and writes `HEIGHT` pieces of `WIDTH`.
#[inline(never)]
fn words<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    let in_squares = HEIGHT.is_multiple_of(FEWER_WORDS) && WIDTH.is_multiple_of(FEWER_WORDS);
    let as_one = match size_of::<T>() {
        ..4 => true,
        4 => !in_squares || (HEIGHT, WIDTH) == (WORDS, WORDS),
        _ => !in_squares,
    };
    if as_one {
        return cells::<T, HEIGHT, WIDTH>(source, target, (from, to), rows, columns);
    }
    for (row, rows) in rows.chunks_exact(FEWER_WORDS).enumerate() {
        for (column, columns) in columns.chunks_exact(FEWER_WORDS).enumerate() {
            let at = (from + row * FEWER_WORDS, to + column * FEWER_WORDS);
            cells::<T, FEWER_WORDS, FEWER_WORDS>(source, target, at, rows, columns);
        }
    }
}

#[inline(always)]
fn cells<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    // Lengths that the compiler knows.
    let known = (rows.first_chunk::<HEIGHT>(), columns.first_chunk::<WIDTH>());
    let (Some(rows), Some(columns)) = known else { return };
    let mut pieces = [[source[from]; HEIGHT]; WIDTH];
    for (piece, away) in pieces.iter_mut().zip(columns) {
        piece.copy_from_slice(&source[from + away..][..HEIGHT]);
    }
    for (at, away) in rows.iter().enumerate() {
        let mut turned = [source[from]; WIDTH];
        for (cell, piece) in turned.iter_mut().zip(&pieces) {
            *cell = piece[at];
        }
        target[to + away..][..WIDTH].copy_from_slice(&turned);
    }
}

/// 256 bytes whose sides are powers of two from 2 to 128. Where there are fewer than 16 rows they
/// stand side by side in the source, where there are fewer than 16 columns in the target.
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

const SIDE: usize = 16;

/// As often as the width is halved, the first half of the bytes is merged with the second, byte
/// by byte: each time the place of a byte, written in bits, turns by one.
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
    let mut vectors = [[source[from]; SIDE]; SIDE];
    for (at, vector) in vectors.iter_mut().enumerate() {
        let from = from + stands::<HEIGHT, WIDTH>(at, columns);
        vector.copy_from_slice(&source[from..][..SIDE]);
    }
    for _ in 0..WIDTH.ilog2() {
        let before = vectors;
        for at in 0..SIDE / 2 {
            let (first, second) = (before[at], before[at + SIDE / 2]);
            for cell in 0..SIDE / 2 {
                vectors[2 * at][2 * cell] = first[cell];
                vectors[2 * at][2 * cell + 1] = second[cell];
                vectors[2 * at + 1][2 * cell] = first[SIDE / 2 + cell];
                vectors[2 * at + 1][2 * cell + 1] = second[SIDE / 2 + cell];
            }
        }
    }
    for (at, vector) in vectors.iter().enumerate() {
        let to = to + stands::<WIDTH, HEIGHT>(at, rows);
        target[to..][..SIDE].copy_from_slice(vector);
    }
}

/// Where a vector of the block stands, if its pieces are so long.
#[inline(always)]
fn stands<const PIECE: usize, const PIECES: usize>(
    vector: usize,
    pieces: &[usize; PIECES],
) -> usize {
    match PIECE < SIDE {
        true => vector * SIDE,
        false => pieces[vector * SIDE / PIECE] + vector * SIDE % PIECE,
    }
}
