//! Columns of halves, laced four by four: what the compiler makes vectors of for cells of two bytes.
//!
//! ```text
//! a0 a1 a2 ..                              row 0: a0 b0 c0 d0 | e0 f0 g0 h0 | ..
//! b0 b1 b2 ..     a0 b0 c0 d0 a1 b1 ..     row 1: a1 b1 c1 d1 | e1 f1 g1 h1 | ..
//! ```

/// How many columns are laced at once: as many as fill a line.
const COLUMNS: usize = 32;

const QUADS: usize = COLUMNS / 4;

/// How many rows; four of their cells after the other, for every four columns.
const ROWS: usize = 128;
type Laced<T> = [[[T; 4]; ROWS]; QUADS];

/// Whether a tile is laced: halves only, and enough of them.
pub(super) fn is_laced<T>(rows: usize, columns: usize) -> bool {
    align_of::<T>() == 2 && size_of::<T>() == 2 && rows >= 16 && columns >= COLUMNS
}

/// Moves the cells of a tile; the last columns may be moved once more.
pub(super) fn lace<T: Copy>(
    source: &[T],
    target: &mut [T],
    (from, to): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
) {
    let mut laced = [[[source[from]; 4]; ROWS]; QUADS];
    let last = columns.len() - COLUMNS;
    for column in (0..columns.len()).step_by(COLUMNS).map(|column| column.min(last)) {
        let quads = &columns[column..].as_chunks::<4>().0[..QUADS];
        for (part, rows) in rows.chunks(ROWS).enumerate() {
            let source = &source[from + part * ROWS..];
            for (laced, columns) in laced.iter_mut().zip(quads) {
                quad(source, &mut laced[..rows.len()], columns);
            }
            spread(&laced, &mut target[to + column..], rows);
        }
    }
}

/// A function of its own, so that the compiler knows that the sides do not overlap.
#[inline(never)]
fn quad<T: Copy>(source: &[T], laced: &mut [[T; 4]], columns: &[usize; 4]) {
    let [a, b, c, d] = columns.map(|column| &source[column..][..laced.len()]);
    for ((((cells, a), b), c), d) in laced.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *cells = [*a, *b, *c, *d];
    }
}

#[inline(never)]
fn spread<T: Copy>(laced: &Laced<T>, target: &mut [T], rows: &[usize]) {
    for (at, row) in rows.iter().enumerate().take(ROWS) {
        let line = &mut target[*row..][..COLUMNS];
        for (cells, laced) in line.as_chunks_mut().0.iter_mut().zip(laced) {
            *cells = laced[at];
        }
    }
}
