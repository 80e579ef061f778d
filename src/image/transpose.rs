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
/// The caller has checked that all of them are there, and gives the digits major to minor on the
/// target's side, joined.
pub(super) fn transfer<T: Copy>(
    source: &[T],
    target: &mut [T],
    at: (usize, usize),
    dims: Vec<Dim>,
) {
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
                _ => grid(source, target, at, dims),
            }
        };
    }
    pieces!(2 4 8);
}

/// The same for digits that are joined.
fn grid<T: Copy>(source: &[T], target: &mut [T], (from, to): (usize, usize), mut dims: Vec<Dim>) {
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
            let few = 2..=8;
            if tile.columns.from == tile.rows.count && few.contains(&tile.rows.count) {
                Box::new(|from, to| tile.deal(source, target, from, to))
            } else if tile.rows.to == tile.columns.count && few.contains(&tile.columns.count) {
                Box::new(|from, to| tile.shuffle(source, target, from, to))
            } else {
                Box::new(|from, to| tile.turn(source, target, from, to))
            }
        }
        (false, _) => Box::new(|from, to| tile.pieces(source, target, from, to, piece)),
    };
    each(&outer, from, to, &mut *visit);
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

    /// A few rows, side by side in the source: cells are dealt to them in turn.
    fn deal<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize) {
        let (count, step) = (self.columns.count, self.rows.to);
        let source = &source[from..from + count * self.rows.count];
        if self.rows.count == 2 && step >= count {
            let (first, second) = target[to..].split_at_mut(step);
            let cells = first.iter_mut().zip(second).zip(source.as_chunks().0);
            return cells.for_each(|((a, b), turn)| [*a, *b] = *turn);
        }
        macro_rules! rows {
            ($($rows:literal)*) => {
                match self.rows.count {
                    $($rows => for at in 0..$rows {
                        let cells = &mut target[to + at * step..][..count];
                        for (cell, turn) in cells.iter_mut().zip(source.as_chunks::<$rows>().0) {
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
    fn shuffle<T: Copy>(self, source: &[T], target: &mut [T], from: usize, to: usize) {
        let (count, step) = (self.rows.count, self.columns.from);
        let column = |at: usize| &source[from + at * step..][..count];
        let target = &mut target[to..to + count * self.columns.count];
        macro_rules! columns {
            ($($columns:literal)*) => {
                match self.columns.count {
                    2 => {
                        let cells = column(0).iter().zip(column(1));
                        let turns = target.as_chunks_mut::<2>().0;
                        turns.iter_mut().zip(cells).for_each(|(turn, (a, b))| *turn = [*a, *b]);
                    }
                    4 => {
                        let cells = column(0).iter().zip(column(1)).zip(column(2)).zip(column(3));
                        for (turn, (((a, b), c), d)) in target.as_chunks_mut::<4>().0.iter_mut().zip(cells) {
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
        columns!(3 5 6 7 8);
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
    // What the compiler makes of it: shuffles of 4 x 4 words, of 16 bytes, else single cells.
    if size_of::<T>() >= 4 && HEIGHT.is_multiple_of(4) && WIDTH.is_multiple_of(4) {
        for row in (0..HEIGHT).step_by(4) {
            for column in (0..WIDTH).step_by(4) {
                let at = (from + column * from_step + row, to + row * to_step + column);
                cells::<T, 4, 4>(source, target, at, (from_step, to_step));
            }
        }
    } else if size_of::<T>() == 1 && HEIGHT == 16 && WIDTH == 16 {
        bytes(source, target, (from, to), (from_step, to_step));
    } else {
        cells::<T, HEIGHT, WIDTH>(source, target, (from, to), (from_step, to_step));
    }
}

#[inline]
fn cells<T: Copy, const HEIGHT: usize, const WIDTH: usize>(
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
        let mut turned = [source[from]; WIDTH];
        for (cell, piece) in turned.iter_mut().zip(&pieces) {
            *cell = piece[at];
        }
        target[to + at * to_step..][..WIDTH].copy_from_slice(&turned);
    }
}

/// 16 x 16 bytes: four times the first half of the pieces is merged with the second, cell by cell.
#[inline]
fn bytes<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (from_step, to_step): (usize, usize),
) {
    const SIDE: usize = 16;
    let mut pieces = [[source[from]; SIDE]; SIDE];
    for (at, piece) in pieces.iter_mut().enumerate() {
        piece.copy_from_slice(&source[from + at * from_step..][..SIDE]);
    }
    for _ in 0..SIDE.ilog2() {
        let before = pieces;
        for at in 0..SIDE / 2 {
            let (first, second) = (before[at], before[at + SIDE / 2]);
            for cell in 0..SIDE / 2 {
                pieces[2 * at][2 * cell] = first[cell];
                pieces[2 * at][2 * cell + 1] = second[cell];
                pieces[2 * at + 1][2 * cell] = first[SIDE / 2 + cell];
                pieces[2 * at + 1][2 * cell + 1] = second[SIDE / 2 + cell];
            }
        }
    }
    for (at, piece) in pieces.iter().enumerate() {
        target[to + at * to_step..][..SIDE].copy_from_slice(piece);
    }
}
