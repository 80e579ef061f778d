//! The digits that are contiguous on one side, as a run of cells.

use super::block::is_few;
use super::{Dim, LINE};

/// The most cells of a run in one tile: the places of both runs stay in the first-level cache.
const LONGEST: usize = 512;

/// Shorter runs take another digit.
const SHORT: usize = 4 * LINE;

/// Cells that are contiguous on one side, cut into tiles.
pub(super) struct Run {
    /// Where the cells of a tile stand on the other side.
    pub(super) away: Vec<usize>,
    /// How far apart they stand there, in chunks of so many that stand evenly.
    pub(super) step: usize,
    pub(super) evenly: usize,
    /// How many tiles the run has; the last one may be shorter.
    pub(super) tiles: usize,
    /// All cells.
    length: usize,
    /// How far one tile is from the next on the source's side, and on the target's.
    tile_step: (usize, usize),
}

/// The cells of a run that are in one tile.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    /// Where they stand on the other side.
    pub(super) away: &'a [usize],
    /// How far apart, in chunks of so many that stand evenly.
    pub(super) step: usize,
    pub(super) evenly: usize,
}

impl Run {
    /// Calls `visit` with what a tile holds, and how far its first cell is from that of the run.
    pub(super) fn each(&self, mut visit: impl FnMut(Cells, (usize, usize))) {
        for tile in 0..self.tiles {
            let left = self.length - tile * self.away.len();
            visit(self.cells(left), (tile * self.tile_step.0, tile * self.tile_step.1));
        }
    }

    /// The first cells of a tile.
    pub(super) fn cells(&self, most: usize) -> Cells<'_> {
        let away = &self.away[..most.min(self.away.len())];
        Cells { away, step: self.step, evenly: self.evenly }
    }
}

impl Cells<'_> {
    /// Whether they stand on the other side evenly, and with so many lanes fill it.
    pub(super) fn alternate(&self, lanes: usize) -> bool {
        self.step == lanes && self.evenly >= self.away.len()
    }
}

/// Takes the runs that are contiguous in the source and in the target from the digits, both in
/// pieces of so many cells; `None` where one of them is not there, or a piece fills a line.
pub(super) fn runs<T>(dims: &mut Vec<Dim>, piece: usize) -> Option<(Run, Run)> {
    if piece * size_of::<T>() >= LINE {
        return None;
    }
    let (mut rows, mut columns) =
        (Taken::new(Side::Source, piece), Taken::new(Side::Target, piece));
    let rest = dims.clone();
    if !columns.take(dims) || !rows.take(dims) {
        *dims = rest;
        return None;
    }
    if interleaves::<T>(&rows, &columns)
        && rows.length * columns.length * size_of::<T>() >= 2 * LINE
    {
        return Some((rows.run(), columns.run()));
    }
    let is_short = |taken: &Taken| taken.length * size_of::<T>() < SHORT;
    // The shorter one first.
    let mut goes_on = true;
    while goes_on {
        let shorter = if rows.length < columns.length { &mut rows } else { &mut columns };
        goes_on = is_short(shorter) && shorter.take(dims);
    }
    for run in [&mut rows, &mut columns] {
        while is_short(run) && run.take(dims) {}
    }
    Some((rows.run(), columns.run()))
}

/// Whether one of them is short and contiguous on the other side too, so that cells are interleaved.
fn interleaves<T>(rows: &Taken, columns: &Taken) -> bool {
    is_few::<T>(columns.length) && rows.dims[0].to == columns.length
        || is_few::<T>(rows.length) && columns.dims[0].from == rows.length
}

#[derive(Clone, Copy)]
enum Side {
    Source,
    Target,
}

/// The digits of a run, minor to major.
struct Taken {
    side: Side,
    dims: Vec<Dim>,
    /// In cells.
    length: usize,
}

impl Taken {
    fn new(side: Side, piece: usize) -> Taken {
        Taken { side, dims: Vec::new(), length: piece }
    }

    /// The step on this side, and on the other one.
    fn steps(&self, dim: &Dim) -> (usize, usize) {
        match self.side {
            Side::Source => (dim.from, dim.to),
            Side::Target => (dim.to, dim.from),
        }
    }

    /// Takes the digit with which the run goes on, if there is one.
    fn take(&mut self, dims: &mut Vec<Dim>) -> bool {
        let at = dims.iter().position(|dim| self.steps(dim).0 == self.length);
        let Some(dim) = at.map(|at| dims.remove(at)) else { return false };
        self.length *= dim.count;
        self.dims.push(dim);
        true
    }

    /// The last digit is cut where the run is too long for a tile.
    fn run(&self) -> Run {
        let length = self.dims.iter().map(|dim| dim.count).product::<usize>();
        let mut away = Vec::with_capacity(length.min(LONGEST));
        let (mut step, mut evenly, mut tile_step) = (0, 1, (0, 0));
        away.push(0);
        for dim in &self.dims {
            let (inner, far) = (away.len(), self.steps(dim).1);
            let count = dim.count.min((LONGEST / inner).max(1));
            for at in inner..count * inner {
                away.push(away[at - inner] + far);
            }
            step = if inner == 1 { far } else { step };
            evenly = if evenly == inner && far == inner * step { count * inner } else { evenly };
            tile_step = (count * dim.from, count * dim.to);
        }
        Run { tiles: length.div_ceil(away.len()), step, evenly, length, away, tile_step }
    }
}
