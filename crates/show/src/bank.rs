//! Banks of shared memory: 32 of 4 bytes, so that 128 bytes are a line of all of them.

use std::ops::Range;

use super::Cell;
use super::coloring::Scheme;
use super::drawing::Drawing;
use super::grid::Grid;
use tensor_layout::program::CoordinateSpan;
use tensor_layout_words::to_index;

pub(super) const BANKS: u64 = 32;

/// Banks with one colour: 16 bytes, the longest vector of a thread.
pub(super) const BANKS_OF_A_COLOR: u64 = 4;

const BITS_OF_A_BANK: u64 = 32;

/// The banks of a colour, by one of them: the first and the last.
pub(super) fn four_banks(bank: u64) -> Vec<u64> {
    let first = bank - bank % BANKS_OF_A_COLOR;
    vec![first, first + BANKS_OF_A_COLOR - 1]
}

/// The banks of consecutive addresses of elements with so many bits, if they have one colour.
pub(super) fn banks(addresses: CoordinateSpan, bits: u64) -> Option<CoordinateSpan> {
    let is_run = addresses.step == Some(1) || addresses.first == addresses.last;
    let word = |bit: u64| bit / BITS_OF_A_BANK;
    let first = word(addresses.first.checked_mul(bits)?);
    let last = word(addresses.last.checked_add(1)?.checked_mul(bits)?.checked_sub(1)?);
    let is_one = first / BANKS_OF_A_COLOR == last / BANKS_OF_A_COLOR;
    let range = first % BANKS..first % BANKS + (last - first) + 1;
    (is_run && is_one).then(|| CoordinateSpan::run(&range))
}

/// The number of a line of 128 bytes.
pub(super) fn line(address: u64, bits: u64) -> u64 {
    address.saturating_mul(bits) / (BANKS * BITS_OF_A_BANK)
}

impl Drawing<'_> {
    /// Grids whose cells are the longest parts of rows that are in four banks in all of some drawings.
    pub(super) fn grids_of_banks(&self, with: &Drawing<'_>, grids: Vec<Grid>) -> Vec<Grid> {
        let bits = self.banks.unwrap_or(BITS_OF_A_BANK).max(1);
        let most = (BANKS_OF_A_COLOR * BITS_OF_A_BANK / bits).max(1);
        let longest =
            std::iter::successors(Some(most), |part| Some(part / 2)).take_while(|part| *part > 1);
        let cut = |part: u64| -> Vec<Grid> { grids.iter().map(|grid| grid.joined(part)).collect() };
        let fits = |grids: &Vec<Grid>| {
            grids.iter().all(|grid| self.are_banks(grid, bits) && with.are_banks(grid, bits))
        };
        longest.map(cut).find(fits).unwrap_or(grids)
    }

    /// Returns whether every cell of a grid is in four banks.
    fn are_banks(&self, grid: &Grid, bits: u64) -> bool {
        let spans = self.spans();
        let cells: Vec<Cell> =
            grid.boxes().into_iter().map(|indexes| self.tensor_cell(indexes, &spans)).collect();
        Scheme::Bank(bits).colors_all(&cells)
    }
}

impl Grid {
    /// Joins the columns into parts of a length.
    fn joined(&self, part: u64) -> Grid {
        let mut sides = self.sides.clone();
        if let Some(columns) = sides.last_mut() {
            let joined = |part: &[Range<u64>]| Some(part.first()?.start..part.last()?.end);
            *columns = columns.chunks(to_index(part)).filter_map(joined).collect();
        }
        Grid { sides, ..self.clone() }
    }
}
