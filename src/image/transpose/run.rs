//! The digits that are contiguous on one side, as a run of cells.

use super::block::is_few;
use crate::algebra::strided::{StridedDigit, StridedDigits, sums};
use crate::number::{seam, to_index, to_u64};

/// The bytes of a cache line.
pub(super) const LINE: usize = 64;

/// The most cells of a run in one tile: the places of both runs stay in the first-level cache.
fn longest() -> u64 {
    seam(512, 5)
}

/// The most pieces of so many bytes of a run in a tile that is moved in blocks. Rows of 1 KiB are enough for whole lines; more of
/// them, of which each is on a page of its own, do not stay in the second-level cache.
fn longest_in_blocks(bytes: usize) -> u64 {
    seam(to_u64((1024 / bytes.max(1)).clamp(256, 512)), 5)
}

/// The number of bytes below which a run takes another digit.
const SHORT: usize = 4 * LINE;

/// Cells that are contiguous on one side, cut into tiles.
pub(super) struct TileRun {
    /// The places of the cells of a tile on the other side, and their distance if that is even.
    away: Vec<usize>,
    step: Option<usize>,
    /// The number of tiles the run has; the last one may be shorter.
    pub(super) tiles: usize,
    /// All cells.
    length: usize,
    /// The distance from one tile to the next on the source's side, and on the target's.
    tile_step: (usize, usize),
}

/// The cells of a run that are in one tile.
#[derive(Clone, Copy)]
pub(super) struct TileCells<'a> {
    /// The places of the cells on the other side, and their distance if that is even.
    pub(super) away: &'a [usize],
    pub(super) step: Option<usize>,
}

impl TileRun {
    /// The cells of every tile, and the distance of its first cell from that of the run on the source's side and on the
    /// target's.
    pub(super) fn each(&self) -> impl Iterator<Item = (TileCells<'_>, (usize, usize))> {
        (0..self.tiles).map(|tile| {
            let left = self.length - tile * self.away.len();
            (self.cells(left), (tile * self.tile_step.0, tile * self.tile_step.1))
        })
    }

    /// The first cells of a tile.
    pub(super) fn cells(&self, most: usize) -> TileCells<'_> {
        TileCells { away: &self.away[..most.min(self.away.len())], step: self.step }
    }
}

/// Takes the runs that are contiguous in the source and in the target from the digits, both in
/// pieces of `piece` cells of so many bytes; `None` if one of them does not exist, or a piece fills a line.
pub(super) fn runs(
    digits: &mut StridedDigits,
    piece: usize,
    bytes: usize,
) -> Option<(TileRun, TileRun)> {
    if piece * bytes >= LINE {
        return None;
    }
    let (mut rows, mut columns) =
        (TakenDigits::new(StridedDigit::flipped, piece), TakenDigits::new(|digit| digit, piece));
    let rest = digits.clone();
    if !columns.take(digits) || !rows.take(digits) {
        *digits = rest;
        return None;
    }
    if interleaves(&rows, &columns, bytes)
        && rows.length * columns.length * bytes.max(4) >= 2 * LINE
    {
        return Some((rows.run(longest()), columns.run(longest())));
    }
    let is_short = |taken: &TakenDigits| taken.length * bytes < SHORT;
    // The shorter one first.
    let mut goes_on = true;
    while goes_on {
        let shorter = if rows.length < columns.length { &mut rows } else { &mut columns };
        goes_on = is_short(shorter) && shorter.take(digits);
    }
    for run in [&mut rows, &mut columns] {
        while is_short(run) && run.take(digits) {}
    }
    let longest = longest_in_blocks(piece * bytes);
    Some((rows.run(longest), columns.run(longest)))
}

/// Returns whether one of them is short and contiguous on the other side too, so that cells are interleaved.
fn interleaves(rows: &TakenDigits, columns: &TakenDigits, bytes: usize) -> bool {
    let beside = |few: &TakenDigits, many: &TakenDigits| {
        is_few(few.length, bytes) && to_index(many.digits[0].weight) == few.length
    };
    beside(columns, rows) || beside(rows, columns)
}

/// The digits of a run, minor to major.
struct TakenDigits {
    /// Turns a digit so that its stride is that on this side, and back.
    turned: fn(StridedDigit) -> StridedDigit,
    digits: StridedDigits,
    /// The number of cells.
    length: usize,
}

impl TakenDigits {
    fn new(turned: fn(StridedDigit) -> StridedDigit, piece: usize) -> TakenDigits {
        TakenDigits { turned, digits: StridedDigits::new(), length: piece }
    }

    /// Takes the digit that continues the run, if there is one.
    fn take(&mut self, digits: &mut StridedDigits) -> bool {
        let goes_on = |digit: &StridedDigit| to_index((self.turned)(*digit).stride) == self.length;
        let Some(at) = digits.iter().position(goes_on) else { return false };
        let digit = (self.turned)(digits.remove(at));
        self.length *= to_index(digit.size);
        self.digits.push(digit);
        true
    }

    /// The last digit is cut where the run is too long for a tile: only that one can be.
    fn run(mut self, longest: u64) -> TileRun {
        let all: u64 = self.digits.iter().map(|digit| digit.size).product();
        let mut tile_step = (0, 0);
        if let Some(last) = self.digits.last_mut() {
            last.size = last.size.min((longest * last.size / all).max(1));
            let StridedDigit { weight, stride, .. } = (self.turned)(*last);
            tile_step = (to_index(last.size * weight), to_index(last.size * stride));
        }
        let away = sums(self.digits.iter().map(|digit| (digit.size, digit.weight)), usize::MAX);
        let away: Vec<usize> = away.into_iter().map(to_index).collect();
        let is_even = |step: &usize| (0..).step_by(*step).zip(&away).all(|(at, away)| at == *away);
        let step = away.get(1).copied().filter(|step| *step > 0).filter(is_even);
        let length = to_index(all);
        TileRun { tiles: length.div_ceil(away.len()), step, length, away, tile_step }
    }
}
