//! A tile: rows that are contiguous in the source, columns that are in the target.
//!
//! Both are given as the places of their cells on the other side.

use super::ONE;
use super::block::{BYTES, VECTOR, blocks, byte_block, longest};
use super::interleave::Interleaved;
use super::run::Cells;

/// Fewer rows or columns make no squares.
const NARROW: usize = 4;

/// The side of a block of pieces.
const SIDE: usize = 8;

/// Moves single cells.
pub(super) fn cells<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: Cells,
    columns: Cells,
) {
    let (height, width) = (rows.away.len(), columns.away.len());
    if let Some(interleaved) = Interleaved::of::<T>(rows, columns) {
        let (source, target) = (&source[from..], &mut target[to..]);
        return interleaved.transfer(source, target, ONE, (rows, columns));
    }
    // Of interleaved bytes, as many as fill blocks.
    let wide = in_byte_blocks::<T>(height, columns);
    let high = in_byte_blocks::<T>(width, rows);
    for at in (0..wide).step_by((BYTES / height).max(1)) {
        byte_block(source, target, (from, to + at), rows.away, &columns.away[at..]);
    }
    for at in (0..high).step_by((BYTES / width).max(1)) {
        byte_block(
            source,
            target,
            (from + at, to),
            &rows.away[at..][..BYTES / width],
            columns.away,
        );
    }
    let (rows, columns) = (&rows.away[high..], &columns.away[wide..]);
    in_blocks(source, target, (from + high, to + wide), rows, columns);
}

/// How many cells of interleaved bytes fill whole blocks with a few lanes.
fn in_byte_blocks<T>(lanes: usize, cells: Cells) -> usize {
    let whole = matches!(lanes, 2 | 4 | 8) && cells.evenly.is_multiple_of(VECTOR / lanes);
    match size_of::<T>() == 1 && whole && cells.step == lanes {
        true => cells.away.len() - cells.away.len() % (BYTES / lanes),
        false => 0,
    }
}

fn in_blocks<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    rows: &[usize],
    columns: &[usize],
) {
    let longest = longest::<T>(rows.len().min(columns.len()) < NARROW);
    cuts(rows.len(), longest, |row, rows_length, height| {
        cuts(columns.len(), longest, |column, length, width| {
            let rows = (&rows[row..][..rows_length], height);
            let columns = (&columns[column..][..length], width);
            blocks(source, target, (from + row, to + column), rows, columns);
        });
    });
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
    let Some(side) = length.checked_ilog2().map(|log| longest.min(1 << log)) else { return };
    let whole = length - length % side;
    visit(0, whole, side);
    if whole < length {
        let side = (length - whole).next_power_of_two();
        visit(length - side, side, side);
    }
}
