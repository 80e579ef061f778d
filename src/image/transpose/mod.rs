//! Moving a grid of cells from one order into another, so that both sides stream.
//!
//! ```text
//! (7:1, 6:7, 5:42, 9:210)    a tensor of 7 x 6 x 5 x 9    from  to    size
//! minor on the target's side, a run of 7 x 6                270   1       7
//!                                                            45   7       6
//!                                                             9  42       5
//! minor on the source's side, a run of 9                      1 210       9
//!
//! a tile of both: 42 pieces of 9 cells are read, and 9 pieces of 42 cells are written
//! ```
//!
//! What is contiguous on both sides is copied. Otherwise the digits that are minor on the source's
//! side make one run and those that are minor on the target's side another, each at least four cache
//! lines long where the grid allows, so that few pages are open at once. The two runs span tiles, which
//! are read and written in whole pieces and transposed in registers, so that the order of the sides
//! does not matter.

mod block;
mod interleave;
mod run;
mod square;
mod tile;

use std::cmp::Reverse;

use interleave::Interleaved;
use run::{Cells, Run, runs};

/// A digit of the grid: how many cells, and how far apart on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    pub(super) count: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A tile on its own.
const ONE: Dim = Dim { count: 1, from: 0, to: 0 };

/// The bytes of a cache line.
const LINE: usize = 64;

/// So few cells are moved one by one.
const FEW: usize = 32;

/// Moves the cells `from + sum` of the source to `to + sum` of the target.
///
/// The caller has checked that all of them are there, and gives the digits major to minor on the
/// target's side, joined. Copies of cells that lie side by side are made of what the first one
/// wrote.
pub(super) fn transfer<T: Copy>(source: &[T], target: &mut [T], at: (usize, usize), dims: &[Dim]) {
    if size_of::<T>() == 0 {
        // All of them are alike.
        return;
    }
    let (copies, cells): (Vec<Dim>, Vec<Dim>) = dims.iter().partition(|dim| dim.from == 0);
    let (mut run, mut outer) = (1, &cells[..]);
    while let Some((minor, rest)) = outer.split_last().filter(|(minor, _)| minor.to == run) {
        (run, outer) = (run * minor.count, rest);
    }
    if copies.is_empty() || run * size_of::<T>() < LINE {
        return every(source, target, at, dims);
    }
    every(source, target, at, &cells);
    each(outer, 0, at.1, &mut |_, first| {
        each(&copies, 0, first, &mut |_, copy| {
            if copy != first {
                target.copy_within(first..first + run, copy);
            }
        });
    });
}

/// The same, every copy from the source.
fn every<T: Copy>(source: &[T], target: &mut [T], at: (usize, usize), dims: &[Dim]) {
    if dims.iter().map(|dim| dim.count).product::<usize>() <= FEW {
        return each(dims, at.0, at.1, &mut |from, to| target[to] = source[from]);
    }
    // Short pieces that line up on both sides are cells of their own.
    let piece = dims.last().filter(|dim| dim.from == 1 && dim.to == 1).map_or(1, |dim| dim.count);
    let lines_up = |size: usize| {
        let rest = &dims[..dims.len() - 1];
        let mut steps = rest.iter().flat_map(|dim| [dim.from, dim.to]).chain([at.0, at.1]);
        steps.all(|step| step.is_multiple_of(size))
    };
    macro_rules! pieces {
        ($($size:literal)*) => {
            match piece {
                $($size if lines_up($size) => {
                    let (source, target) = (source.as_chunks().0, target.as_chunks_mut().0);
                    let shorter = |dim: &Dim| {
                        Dim { count: dim.count, from: dim.from / $size, to: dim.to / $size }
                    };
                    let dims = dims[..dims.len() - 1].iter().map(shorter).collect();
                    grid::<[T; $size]>(source, target, (at.0 / $size, at.1 / $size), dims);
                })*
                _ => grid(source, target, at, dims.to_vec()),
            }
        };
    }
    pieces!(2 4 8);
}

/// The same for digits that are joined.
fn grid<T: Copy>(source: &[T], target: &mut [T], (from, to): (usize, usize), mut dims: Vec<Dim>) {
    let piece = dims.pop_if(|dim| dim.from == 1 && dim.to == 1).map_or(1, |dim| dim.count);
    if let Some((rows, columns)) = runs::<T>(&mut dims, piece) {
        return tiles(source, target, (from, to), &dims, (&rows, &columns), piece);
    }
    let Some(minor) = dims.pop() else {
        return target[to..to + piece].copy_from_slice(&source[from..from + piece]);
    };
    match piece {
        1 => each(&dims, from, to, &mut |from, to| minor.line(source, target, from, to)),
        _ => each(&dims, from, to, &mut |from, to| minor.pieces(source, target, from, to, piece)),
    }
}

/// The tiles of both runs, for every value of the other digits.
fn tiles<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    dims: &[Dim],
    (rows, columns): (&Run, &Run),
    piece: usize,
) {
    let whole = (rows.cells(usize::MAX), columns.cells(usize::MAX));
    let is_one = rows.tiles == 1 && columns.tiles == 1 && piece == 1;
    if is_one && interleaved(source, target, (from, to), dims, whole) {
        return;
    }
    let mut tile = |at, row: Cells, column: Cells| match piece {
        1 => tile::cells(source, target, at, row, column),
        _ => tile::pieces(source, target, at, (row.away, column.away), piece),
    };
    each(dims, from, to, &mut |from, to| {
        rows.each(|row, (row_from, row_to)| {
            columns.each(|column, (column_from, column_to)| {
                tile((from + row_from + column_from, to + row_to + column_to), row, column);
            });
        });
    });
}

/// Short tiles of interleaved cells, without a look at each tile; `false` for others.
fn interleaved<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    dims: &[Dim],
    (rows, columns): (Cells, Cells),
) -> bool {
    let Some(interleaved) = Interleaved::of::<T>(rows, columns) else { return false };
    let mut dims = dims.to_vec();
    if interleaved == Interleaved::Source {
        // In the order of the side on which tiles are contiguous; that of the target is given.
        dims.sort_by_key(|dim| Reverse(dim.from));
    }
    let tiles = dims.pop().unwrap_or(ONE);
    each(&dims, from, to, &mut |from, to| {
        interleaved.transfer(&source[from..], &mut target[to..], tiles, (rows, columns));
    });
    true
}

fn each(dims: &[Dim], from: usize, to: usize, visit: &mut dyn FnMut(usize, usize)) {
    let Some((major, rest)) = dims.split_first() else { return visit(from, to) };
    for at in 0..major.count {
        each(rest, from + at * major.from, to + at * major.to, visit);
    }
}

impl Dim {
    /// Cells that lie apart on one side or both.
    fn line<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize) {
        let values = source[from..].iter().step_by(self.from.max(1));
        if self.from == 0 || self.to == 0 {
            (0..self.count)
                .for_each(|at| target[to + at * self.to] = source[from + at * self.from]);
        } else if self.to == 1 {
            target[to..to + self.count].iter_mut().zip(values).for_each(|(cell, v)| *cell = *v);
        } else {
            let cells = target[to..].iter_mut().step_by(self.to).take(self.count);
            cells.zip(values).for_each(|(cell, value)| *cell = *value);
        }
    }

    fn pieces<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize, piece: usize) {
        for at in 0..self.count {
            let (from, to) = (from + at * self.from, to + at * self.to);
            target[to..to + piece].copy_from_slice(&source[from..from + piece]);
        }
    }
}
