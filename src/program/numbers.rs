//! Numbers of a grid written into a table: base + sum of digit x step, at places that are such a
//! sum too.
//!
//! ```text
//! inverse of ((4_PE, 3:8), (8:1))     at = PE x 24 + Addr     value = i x 8 + j
//!
//! line      at  value
//! 4_PE      24     24     outer
//! 3:8, 8:1   1      1     a run of 24 cells
//! ```

use std::ops::Range;

use smallvec::SmallVec;

use super::boxes::{Grid, Step};
use super::cell::{Cell, Steps};
use super::weighted_sum::LONGEST_VECTOR;
use crate::number::to_index;

/// The longest run that is counted; a vector is worth its making for longer ones.
const SHORT_RUN: u64 = 256;

/// The longest piece that is written cell by cell; [`again`] has a case for every length up to it.
const FEW: u64 = 8;

/// A free digit as a table sees it.
#[derive(Clone, Copy, Debug)]
struct Line {
    count: u64,
    /// How many cells one step goes on, and what it adds to the number there.
    at: u64,
    value: u64,
}

/// Which of the two sums of a grid says where, and what is written there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Write<T> {
    /// The place of every element.
    Places,
    /// The number of every element, where it lives.
    Elements,
    /// The same cell at every place.
    Mark(T),
}

impl<T: Cell> Write<T> {
    /// Writes what a grid has in a range of places; the table is that of the range.
    pub(super) fn within(self, grid: &Grid, places: &Range<u64>, table: &mut [T]) {
        grid.within(places, &mut |grid| self.grid(grid, places.start, table));
    }

    /// What is written for an element and its place.
    pub(super) fn cell(self, element: u64, place: u64) -> T {
        match self {
            Write::Places => T::wrapped(place),
            Write::Elements => T::wrapped(element),
            Write::Mark(mark) => mark,
        }
    }

    /// Writes the cells of a grid; the table begins at `start`, and every sum of the steps lies in it.
    pub(super) fn grid(self, grid: &Grid, start: u64, table: &mut [T]) {
        let places = matches!(self, Write::Places);
        let (at, number) =
            if places { (grid.element, grid.place) } else { (grid.place, grid.element) };
        let by = if places { Step::by_element } else { Step::by_place };
        let numbers = |step: &Step| match self {
            Write::Places | Write::Elements => *step,
            Write::Mark(_) => Step { element: 0, ..*step },
        };
        let line = |step: &Step| {
            let (at, value) = by(step);
            Line { count: step.count, at, value }
        };
        let mut first = if let Write::Mark(mark) = self { mark } else { T::wrapped(number) };
        let steps = Step::joined(grid.steps.iter().map(numbers), by);
        let mut lines: SmallVec<[Line; 8]> = steps.iter().rev().map(line).collect();
        // Of elements in one place the last one counts.
        for line in lines.iter().filter(|line| line.at == 0) {
            first = first.plus(T::wrapped((line.count - 1).wrapping_mul(line.value)));
        }
        lines.retain(|line| line.at > 0);
        write(&lines, to_index(at - start), first, table);
    }
}

fn write<T: Cell>(lines: &[Line], at: usize, first: T, table: &mut [T]) {
    let (dense, outer) = dense(lines);
    let (outer, inner) = lines.split_at(outer);
    match outer.split_last() {
        // A line that goes on where the piece ends, but is too long.
        Some((long, outer)) if long.at == dense => {
            let cells = to_index(dense * long.count);
            let parts = Parts::new(*long, inner, dense);
            each(outer, at, first, &mut |at, first| parts.write(&mut table[at..at + cells], first));
        }
        Some((apart, outer)) if dense <= FEW && dense <= apart.at => {
            let (count, step) = (to_index(apart.count), to_index(apart.at));
            let values: Vec<T> = values(inner).into_iter().map(T::wrapped).collect();
            let length = (count - 1) * step + values.len();
            each(outer, at, first, &mut |at, first| {
                again(&mut table[at..at + length], (step, apart.value), first, &values);
            });
        }
        _ => {
            let piece = Piece::new(inner);
            each(outer, at, first, &mut |at, first| {
                piece.write(&mut table[at..at + to_index(dense)], first);
            });
        }
    }
}

/// From the minor end, the cells of lines that fill a piece of the table without gaps, and how many
/// lines are outside.
fn dense(lines: &[Line]) -> (u64, usize) {
    let mut dense = 1_u64;
    let mut outer = lines.len();
    while let Some(line) = outer.checked_sub(1).map(|minor| lines[minor])
        && line.at == dense
        && dense.saturating_mul(line.count) <= LONGEST_VECTOR
    {
        dense *= line.count;
        outer -= 1;
    }
    (dense, outer)
}

/// A line of dense pieces that follow each other, part by part.
struct Parts<T> {
    piece: Piece<T>,
    /// The cells of a part, and what one part adds to the number.
    cells: usize,
    adds: u64,
}

impl<T: Cell> Parts<T> {
    fn new(line: Line, inner: &[Line], dense: u64) -> Parts<T> {
        let count = (LONGEST_VECTOR / dense).clamp(1, line.count);
        let piece = Piece::new(&[&[Line { count, ..line }], inner].concat());
        Parts { piece, cells: to_index(count * dense), adds: count.wrapping_mul(line.value) }
    }

    fn write(&self, table: &mut [T], first: T) {
        for (cells, part) in table.chunks_mut(self.cells).zip(0_u64..) {
            self.piece.write(cells, first.plus(T::wrapped(part.wrapping_mul(self.adds))));
        }
    }
}

/// A few cells again and again, `step` cells and `adds` apart.
fn again<T: Cell>(table: &mut [T], (step, adds): (usize, u64), first: T, values: &[T]) {
    macro_rules! lengths {
        ($($length:literal)*) => {
            match values.len() {
                $($length => {
                    let Some(values) = values.first_chunk::<$length>() else { return };
                    for (cells, number) in table.chunks_mut(step).zip(0_u64..) {
                        let first = first.plus(T::wrapped(number.wrapping_mul(adds)));
                        let Some(cells) = cells.first_chunk_mut() else { return };
                        *cells = values.map(|value| first.plus(value));
                    }
                })*
                _ => {}
            }
        };
    }
    lengths!(1 2 3 4 5 6 7 8);
}

/// Calls `visit` with the first cell and the first number of every piece, outer lines slowest.
fn each<T: Cell>(lines: &[Line], at: usize, first: T, visit: &mut dyn FnMut(usize, T)) {
    let Some((major, rest)) = lines.split_first() else { return visit(at, first) };
    let (step, value) = (to_index(major.at), T::wrapped(major.value));
    let (mut at, mut first) = (at, first);
    for left in (0..major.count).rev() {
        each(rest, at, first, visit);
        if left > 0 {
            (at, first) = (at + step, first.plus(value));
        }
    }
}

/// What is added in the cells of dense lines, modulo 2^64.
fn values(lines: &[Line]) -> Vec<u64> {
    let mut values = vec![0_u64];
    for line in lines.iter().rev() {
        let inner = values.len();
        for step in 1..line.count {
            values.extend_from_within(..inner);
            let from = values.len() - inner;
            let adds = step.wrapping_mul(line.value);
            values[from..].iter_mut().for_each(|v| *v = v.wrapping_add(adds));
        }
    }
    values
}

/// Cells without gaps, ready to be moved: a progression, or anything.
enum Piece<T> {
    Run(T),
    Vector(Steps<T>),
}

impl<T: Cell> Piece<T> {
    /// The lines are dense.
    fn new(lines: &[Line]) -> Piece<T> {
        match lines {
            [] => Piece::Run(T::wrapped(0)),
            [run] if run.count <= SHORT_RUN || run.value == 0 => Piece::Run(T::wrapped(run.value)),
            _ => Piece::Vector(Steps::new(&values(lines))),
        }
    }

    #[inline]
    fn write(&self, cells: &mut [T], first: T) {
        match self {
            Piece::Run(step) => T::run(cells, first, *step),
            Piece::Vector(steps) => steps.write(cells, first, 0),
        }
    }
}
