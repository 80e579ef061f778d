//! The tensor as a grid: every element, or the blocks of a large one.

use std::ops::Range;

use super::drawing::{COLORS, Drawing, address, slot};
use super::{Cell, CellKind, Panel, Picture};
use crate::algebra::{Found, Indexes};
use crate::error::LayoutError;
use crate::level::Level;

/// The longest side of a grid that is drawn cell by cell, and its most cells.
const LONGEST: u64 = 64;
const MOST_CELLS: u64 = 1024;

/// The most blocks along a side.
const MOST_BLOCKS: u64 = 16;

/// The most grids of a picture.
const MOST_PANELS: u64 = 8;

impl Drawing<'_> {
    /// The tensor as a grid, the last two axes as rows and columns, a grid for every index of the
    /// others: every cell with its address, coloured by its unit, padding too.
    ///
    /// Where it has more than 64 rows or columns or 1024 cells, blocks are drawn, along the digits of
    /// the layout, and in another grid what is in the first of them, down to the elements.
    /// Law: a cell of an element is where [`Placement::locate`](crate::Placement::locate) says.
    ///
    /// # Errors
    /// None so far; a picture of any layout is small.
    pub fn tensor(&self) -> Result<Picture, LayoutError> {
        let rank = self.placement.layout().rank();
        let ranges: Vec<Range<u64>> = (0..rank).map(|axis| self.range(axis)).collect();
        let (outer, grid) = ranges.split_at(rank.saturating_sub(2));
        let length = |range: &Range<u64>| range.end - range.start;
        let small = grid.iter().all(|range| length(range) <= LONGEST)
            && grid.iter().map(length).product::<u64>() <= MOST_CELLS;
        let leading: Vec<u64> = outer.iter().map(length).collect();
        let mut panels = Vec::new();
        let most = usize::try_from(MOST_PANELS).unwrap_or(8);
        if grid.iter().any(|range| length(range) == 0) || leading.contains(&0) {
            return Ok(self.picture("The tensor", Vec::new()));
        }
        for lead in Indexes::new(leading.clone()).take(if small { most } else { 1 }) {
            let lead: Vec<u64> =
                lead.iter().zip(outer).map(|(at, range)| at + range.start).collect();
            match small {
                true => panels.push(self.cells(&lead, grid)),
                false => self.blocks(&lead, grid, &mut panels),
            }
        }
        let mut picture = self.picture("The tensor", panels);
        let shown = if small { MOST_PANELS } else { 1 };
        let all = leading.iter().try_fold(1_u64, |all, n| all.checked_mul(*n));
        if all.is_none_or(|all| all > shown) {
            picture.notes.push(format!("only the first {shown} of the leading indexes are drawn"));
        }
        Ok(picture)
    }

    /// Every cell.
    fn cells(&self, lead: &[u64], grid: &[Range<u64>]) -> Panel {
        let axis = |at: usize| grid.get(at).cloned();
        let (rows, columns) = match grid.len() {
            0 => (0..1, 0..1),
            1 => (0..1, grid[0].clone()),
            _ => (grid[0].clone(), axis(1).unwrap_or(0..1)),
        };
        let index = |row: u64, column: u64| -> Vec<u64> {
            let entries = [row, column];
            lead.iter().chain(&entries[2 - grid.len()..]).copied().collect()
        };
        let cells = rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
        let cells: Vec<Cell> =
            cells.map(|(row, column)| self.element_cell(&index(row, column))).collect();
        let tick = |at: u64| at.to_string();
        Panel {
            caption: self.caption(lead, grid),
            cells,
            columns: usize::try_from(columns.end - columns.start).unwrap_or(0),
            row_ticks: if grid.len() > 1 { rows.map(tick).collect() } else { vec![String::new()] },
            column_ticks: if grid.is_empty() {
                vec![String::new()]
            } else {
                columns.map(tick).collect()
            },
        }
    }

    fn element_cell(&self, index: &[u64]) -> Cell {
        let layout = self.placement.spread();
        let real = layout.axes().iter().zip(index).all(|(axis, entry)| *entry < axis.extent);
        let place = slot(layout, index);
        let kind = if real { CellKind::Element } else { CellKind::Padding };
        self.cell(kind, &place, address(&place))
    }

    /// `i0 = 3, rows i1 0 to 11, columns i2 0 to 7`
    fn caption(&self, lead: &[u64], grid: &[Range<u64>]) -> String {
        let leading = lead.iter().enumerate().map(|(axis, at)| format!("i{axis} = {at}"));
        let names = if grid.len() == 1 { ["columns", ""] } else { ["rows", "columns"] };
        let sides = grid.iter().zip(names).enumerate().map(|(at, (range, name))| {
            format!("{name} i{} {} to {}", lead.len() + at, range.start, range.end - 1)
        });
        let all: Vec<String> = leading.chain(sides).collect();
        if all.is_empty() { "one element".into() } else { all.join(", ") }
    }

    /// Blocks along the digits, then what is in the first block, down to elements.
    fn blocks(&self, lead: &[u64], grid: &[Range<u64>], panels: &mut Vec<Panel>) {
        let mut grid = grid.to_vec();
        for _ in 0..MOST_PANELS {
            let steps: Vec<u64> = grid
                .iter()
                .enumerate()
                .map(|(at, range)| self.step(lead.len() + at, range))
                .collect();
            if steps.iter().all(|step| *step == 1) {
                panels.push(self.cells(lead, &grid));
                return;
            }
            panels.push(self.block_panel(lead, &grid, &steps));
            for (range, step) in grid.iter_mut().zip(steps) {
                range.end = range.end.min(range.start + step);
            }
        }
    }

    /// The largest number of values that are one block: a place of the digits of the axis, or of a
    /// part of one, with few blocks in the range.
    fn step(&self, axis: usize, range: &Range<u64>) -> u64 {
        let length = range.end - range.start;
        let mut place = 1_u64;
        let mut places = vec![1];
        for subaxis in self.placement.layout().axes()[axis].subaxes.iter().rev() {
            place = place.saturating_mul(subaxis.size);
            places.push(place);
        }
        let few = |step: &u64| length.div_ceil(*step) <= MOST_BLOCKS;
        let digit = places.iter().copied().filter(|step| *step < length.max(2)).find(few);
        // A digit of very many values is cut in parts of a power of two.
        digit.unwrap_or_else(|| length.div_ceil(MOST_BLOCKS).next_power_of_two().min(length))
    }

    fn block_panel(&self, lead: &[u64], grid: &[Range<u64>], steps: &[u64]) -> Panel {
        let starts = |at: usize| -> Vec<u64> {
            let (range, step) = (grid[at].clone(), steps[at]);
            let count = (range.end - range.start).div_ceil(step);
            (0..count).map(|block| range.start + block * step).collect()
        };
        let (rows, columns) = match grid.len() {
            1 => (vec![0], starts(0)),
            _ => (starts(0), starts(1)),
        };
        let layout = self.placement.spread();
        let index = |row: u64, column: u64| -> Vec<u64> {
            let entries = [row, column];
            lead.iter().chain(&entries[2 - grid.len()..]).copied().collect()
        };
        let places: Vec<(Vec<u64>, crate::Location)> = rows
            .iter()
            .flat_map(|row| columns.iter().map(|column| index(*row, *column)))
            .map(|index| (index.clone(), slot(layout, &index)))
            .collect();
        // Only levels in which blocks differ tell them apart.
        let differs = |level: &Level| {
            let mut at = places.iter().map(|(_, place)| place.get(*level));
            let first = at.next();
            at.any(|at| Some(at) != first)
        };
        let levels: Vec<Level> = self.placement.columns().iter().copied().filter(differs).collect();
        let cells = places.iter().map(|(index, place)| {
            let label =
                levels.iter().map(|level| format!("{level} {}", place.get(*level).unwrap_or(0)));
            let label: Vec<String> = label.collect();
            let real = layout.axes().iter().zip(index).all(|(axis, entry)| *entry < axis.extent);
            let kind = if real { CellKind::Element } else { CellKind::Padding };
            let cell = self.cell(kind, place, String::new());
            let outermost = levels.first().map_or(0, |level| place.get(*level).unwrap_or(0));
            let color = usize::try_from(outermost % COLORS).ok().filter(|_| real);
            Cell { label: label.join("\n"), color, ..cell }
        });
        let size: Vec<String> = steps.iter().map(ToString::to_string).collect();
        let columns_ticks = columns.iter().map(ToString::to_string).collect();
        Panel {
            caption: format!("{}; a cell is {}", self.caption(lead, grid), size.join(" x ")),
            cells: cells.collect(),
            columns: columns.len(),
            row_ticks: match grid.len() {
                1 => vec![String::new()],
                _ => rows.iter().map(ToString::to_string).collect(),
            },
            column_ticks: columns_ticks,
        }
    }

    /// What a place holds, for the machine's side.
    pub(super) fn found(&self, place: &crate::Location) -> Result<Found, LayoutError> {
        self.placement.element(place)
    }
}
