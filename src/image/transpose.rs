//! Moving a grid of cells from one order into another, so that both sides stream.
//!
//! ```text
//! 8192 columns of a row over 4 PEs       from  to    size
//! column of a PE                            4   1    2048    minor on the target's side
//! PE                                        1  2048     4    minor on the source's side
//!
//! a tile of both: 16 x 4 cells are read as 16 pieces of 4 and written as 4 pieces of 16
//! ```
//!
//! What is contiguous on both sides is copied. Otherwise the two digits that are minor on either
//! side make small tiles, which are turned in registers or the first-level cache; long digits of
//! the target are cut, so that the lines of the source that a strip of tiles touches stay cached.

/// A digit of the grid: how many cells, and how far apart on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    pub(super) count: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The most rows of the target's minor digit in a strip of tiles.
const STRIP: usize = 512;

/// The bytes of a piece that is copied rather than moved in tiles.
const PIECE_BYTES: usize = 64;

/// Moves the cells `from + sum` of the source to `to + sum` of the target.
///
/// The caller has checked that all of them are there.
pub(super) fn transfer<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    dims: Vec<Dim>,
) {
    let mut dims = joined(dims);
    let piece = dims.pop_if(|dim| dim.from == 1 && dim.to == 1).map_or(1, |dim| dim.count);
    let minor = (0..dims.len()).min_by_key(|at| dims[*at].from);
    let (Some(minor), Some(last)) = (minor, dims.len().checked_sub(1)) else {
        target[to..to + piece].copy_from_slice(&source[from..from + piece]);
        return;
    };
    // The other digits in the order of the target.
    let tile = Tile { columns: dims[last], rows: dims[minor] };
    let single = minor == last || piece * size_of::<T>() >= PIECE_BYTES;
    let outer: Vec<Dim> = match single {
        true => dims[..last].to_vec(),
        false => (0..last).filter(|at| *at != minor).map(|at| dims[at]).collect(),
    };
    let mut visit: Box<dyn FnMut(usize, usize) + '_> = match (single, piece) {
        (true, 1) => Box::new(|from, to| tile.columns.line(source, target, from, to)),
        (true, _) => Box::new(|from, to| tile.columns.pieces(source, target, from, to, piece)),
        (false, 1) if tile.rows.from == 1 && tile.columns.to == 1 => {
            Box::new(|from, to| tile.turn(source, target, from, to))
        }
        (false, _) => Box::new(|from, to| tile.pieces(source, target, from, to, piece)),
    };
    each(&outer, from, to, &mut *visit);
}

/// Descending on the target's side, with those joined that step evenly on both.
fn joined(mut dims: Vec<Dim>) -> Vec<Dim> {
    dims.retain(|dim| dim.count > 1);
    dims.sort_unstable_by_key(|dim| (dim.to, dim.from));
    dims.dedup_by(|major, minor| {
        let goes_on = |minor_step: usize, step| minor_step.checked_mul(minor.count) == Some(step);
        let joins = goes_on(minor.from, major.from) && goes_on(minor.to, major.to);
        if joins {
            minor.count *= major.count;
        }
        joins
    });
    dims.reverse();
    dims
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

/// Two digits: the minor one of the target, the columns, and the minor one of the source.
#[derive(Clone, Copy)]
struct Tile {
    columns: Dim,
    rows: Dim,
}

impl Tile {
    /// Short pieces, in tiles of 8 x 8.
    fn pieces<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize, piece: usize) {
        const SIDE: usize = 8;
        for column in (0..self.columns.count).step_by(SIDE) {
            let columns = Dim { count: SIDE.min(self.columns.count - column), ..self.columns };
            for row in 0..self.rows.count {
                let from = from + column * columns.from + row * self.rows.from;
                let to = to + column * columns.to + row * self.rows.to;
                columns.pieces(source, target, from, to, piece);
            }
        }
    }

    /// Single cells, neighbours along the rows in the source and along the columns in the target.
    fn turn<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize) {
        for strip in (0..self.columns.count).step_by(STRIP) {
            let end = self.columns.count.min(strip + STRIP);
            let mut row = 0;
            while row < self.rows.count {
                let height = side(self.rows.count - row);
                let mut column = strip;
                while column < end {
                    let width = side(end - column);
                    let from = from + column * self.columns.from + row;
                    let to = to + column + row * self.rows.to;
                    let steps = (self.columns.from, self.rows.to);
                    block(source, target, (from, to), steps, (height, width));
                    column += width;
                }
                row += height;
            }
        }
    }
}

/// The side of the next tile.
fn side(left: usize) -> usize {
    match left {
        16.. => 16,
        8.. => 8,
        4.. => 4,
        2.. => 2,
        _ => 1,
    }
}

/// A tile whose sides are known when the crate is compiled.
fn block<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    steps: (usize, usize),
    sides: (usize, usize),
) {
    macro_rules! sides {
        ($($height:literal: $($width:literal)*;)*) => {
            match sides {
                $($(($height, $width) => turn::<T, $height, $width>(source, target, at, steps),)*)*
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
#[inline]
fn turn<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (from_step, to_step): (usize, usize),
) {
    let mut pieces = [[source[from]; HEIGHT]; WIDTH];
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.copy_from_slice(&source[from + at * from_step..][..HEIGHT]);
    }
    for at in 0..HEIGHT {
        let cells = &mut target[to + at * to_step..][..WIDTH];
        for (cell, piece) in cells.iter_mut().zip(&pieces) {
            *cell = piece[at];
        }
    }
}
