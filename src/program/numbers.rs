//! Numbers of a grid written into a table: base + sum of digit x weight, at cells base + sum of digit x
//! stride.
//!
//! ```text
//! inverse of ((4_PE, 3:8), (8:1))     cell = PE x 24 + Addr     number = i x 8 + j
//!
//! digit     stride  weight
//! 3:8, 8:1       1       1     a run of 24 cells
//! 4_PE          24      24     outer
//! ```

use std::ops::Range;

use super::boxes::StepGrid;
use super::cell::{Cell, Steps};
use super::weighted_sum::longest_vector;
use crate::algebra::strided::{StridedDigit, each, merged, sums};
use crate::number::{seam, to_index, to_u64};

/// The longest run that is counted; longer ones are worth a vector.
fn short_run() -> u64 {
    seam(256, 5)
}

/// The longest piece that is written cell by cell; [`again`] has a case for every length up to it.
const FEW: usize = 8;

/// The sum of a grid that gives the cell to write at, and the content of the cell.
#[derive(Clone, Copy, Debug)]
pub(super) enum Write<T> {
    /// The place of every element.
    Places,
    /// The number of every element, at its place.
    Elements,
    /// Fills every place with one cell.
    Mark(T),
}

impl<T: Cell> Write<T> {
    /// Writes the cells of a grid in a range of places; the table is that of the range.
    pub(super) fn within(self, grid: &StepGrid, places: &Range<u64>, table: &mut [T]) {
        grid.within(places, &mut |grid| self.grid(grid, places.start, table));
    }

    /// The cell for an element and its place.
    pub(super) fn cell(self, element: u64, place: u64) -> T {
        match self {
            Write::Places => T::wrapped(place),
            Write::Elements => T::wrapped(element),
            Write::Mark(mark) => mark,
        }
    }

    /// Writes the cells of a grid; the table begins at `start` and contains every sum of the steps.
    pub(super) fn grid(self, grid: &StepGrid, start: u64, table: &mut [T]) {
        let digit = |digit: &StridedDigit| match self {
            Write::Places => digit.flipped(),
            Write::Elements => *digit,
            Write::Mark(_) => StridedDigit { weight: 0, ..*digit },
        };
        let at = if matches!(self, Write::Places) { grid.element } else { grid.place };
        let mut first = self.cell(grid.element, grid.place);
        let mut digits = merged(grid.steps.iter().map(digit));
        // Of several elements in one place, the last one is written.
        while let Some(still) = digits.first().copied().filter(|digit| digit.stride == 0) {
            first = first.plus(T::wrapped((still.size - 1).wrapping_mul(still.weight)));
            digits.remove(0);
        }
        write(&digits, to_index(at - start), first, table);
    }
}

fn write<T: Cell>(digits: &[StridedDigit], at: usize, first: T, table: &mut [T]) {
    let (dense, inner) = dense(digits);
    let (inner, outer) = digits.split_at(inner);
    match outer.split_first() {
        // A digit that continues at the end of the piece, but is too long.
        Some((long, outer)) if to_index(long.stride) == dense => {
            let cells = dense * to_index(long.size);
            let parts = DensePieces::new(*long, inner, dense);
            pieces(outer, at, first, |at, first| parts.write(&mut table[at..at + cells], first));
        }
        Some((apart, outer)) if dense <= FEW && dense <= to_index(apart.stride) => {
            let step = to_index(apart.stride);
            let values: Vec<T> = values(inner).into_iter().map(T::wrapped).collect();
            let length = (to_index(apart.size) - 1) * step + values.len();
            pieces(outer, at, first, |at, first| {
                again(&mut table[at..at + length], (step, apart.weight), first, &values);
            });
        }
        _ => {
            let piece = TablePiece::new(inner);
            pieces(outer, at, first, |at, first| piece.write(&mut table[at..at + dense], first));
        }
    }
}

/// Calls `write` with the first cell and the first number of every piece.
fn pieces<T: Cell>(outer: &[StridedDigit], at: usize, first: T, mut write: impl FnMut(usize, T)) {
    each(outer, (0, to_u64(at)), &mut |adds, at| write(to_index(at), first.plus(T::wrapped(adds))));
}

/// The number of cells the first digits fill without gaps, and the number of those digits.
fn dense(digits: &[StridedDigit]) -> (usize, usize) {
    let fits = |dense: u64, digit: &StridedDigit| {
        let end = dense.saturating_mul(digit.size);
        (digit.stride == dense && end <= longest_vector()).then_some(end)
    };
    let (mut dense, mut inner) = (1, 0);
    while let Some(end) = digits.get(inner).and_then(|digit| fits(dense, digit)) {
        (dense, inner) = (end, inner + 1);
    }
    (to_index(dense), inner)
}

/// A digit whose pieces follow each other without gaps, written part by part.
struct DensePieces<T> {
    piece: TablePiece<T>,
    /// The cells of a part, and the number that one part adds.
    cells: usize,
    adds: u64,
}

impl<T: Cell> DensePieces<T> {
    fn new(long: StridedDigit, inner: &[StridedDigit], dense: usize) -> DensePieces<T> {
        let size = (longest_vector() / to_u64(dense)).clamp(1, long.size);
        let piece = TablePiece::new(&[inner, &[StridedDigit { size, ..long }]].concat());
        DensePieces { piece, cells: to_index(size) * dense, adds: size.wrapping_mul(long.weight) }
    }

    fn write(&self, table: &mut [T], first: T) {
        for (cells, part) in table.chunks_mut(self.cells).zip(0_u64..) {
            self.piece.write(cells, first.plus(T::wrapped(part.wrapping_mul(self.adds))));
        }
    }
}

/// Writes `values` repeatedly, each time `step` cells further on and greater by `adds`.
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

/// The numbers added in the cells of dense digits.
fn values(digits: &[StridedDigit]) -> Vec<u64> {
    sums(digits.iter().map(|digit| (digit.size, digit.weight)), usize::MAX)
}

/// Cells without gaps, to which a first number is added: a progression, or arbitrary numbers.
enum TablePiece<T> {
    Run(T),
    Vector(Steps<T>),
}

impl<T: Cell> TablePiece<T> {
    /// The digits are dense.
    fn new(digits: &[StridedDigit]) -> TablePiece<T> {
        match digits {
            [] => TablePiece::Run(T::wrapped(0)),
            [run] if run.size <= short_run() || run.weight == 0 => {
                TablePiece::Run(T::wrapped(run.weight))
            }
            _ => TablePiece::Vector(Steps::new(&values(digits))),
        }
    }

    #[inline]
    fn write(&self, cells: &mut [T], first: T) {
        match self {
            TablePiece::Run(step) => T::run(cells, first, *step),
            TablePiece::Vector(steps) => steps.write(cells, first, 0),
        }
    }
}
