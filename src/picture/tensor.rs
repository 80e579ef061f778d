//! The tensor as a grid: every element, or the blocks of a large one.

use std::ops::Range;

use super::drawing::{COLORS, Drawing, address};
use super::{Cell, CellKind, Panel, Picture};
use crate::algebra::Indexes;
use crate::level::Level;
use crate::location::Location;

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
    /// the layout, and in another grid what is in the first of them, down to the elements; so the
    /// picture of any layout is small.
    /// Law: a cell of an element is where [`Placement::locate`](crate::Placement::locate) says.
    #[must_use]
    pub fn tensor(&self) -> Picture {
        let rank = self.placement.layout().rank();
        let ranges: Vec<Range<u64>> = (0..rank).map(|axis| self.range(axis)).collect();
        if ranges.iter().any(Range::is_empty) {
            return self.picture("The tensor", Vec::new(), false);
        }
        let (outer, sides) = ranges.split_at(rank.saturating_sub(2));
        let small = sides.iter().all(|range| length(range) <= LONGEST)
            && sides.iter().map(length).product::<u64>() <= MOST_CELLS;
        let shown = if small { MOST_PANELS } else { 1 };
        let leading: Vec<u64> = outer.iter().map(length).collect();
        let all = leading.iter().try_fold(1_u64, |all, n| all.checked_mul(*n));
        let leads = Indexes::new(leading).take(usize::try_from(shown).unwrap_or(1));
        let panels = leads.flat_map(|lead| {
            let lead = lead.iter().zip(outer).map(|(at, range)| at + range.start).collect();
            let grid = Grid { lead, sides: sides.to_vec(), steps: vec![1; sides.len()] };
            if small { vec![self.panel(&grid)] } else { self.blocks(grid) }
        });
        let mut picture = self.picture("The tensor", panels.collect(), !small);
        if all.is_none_or(|all| all > shown) {
            let note = format!("only the first {shown} of the leading indexes are drawn");
            picture.notes.push(note);
        }
        picture
    }

    /// Blocks along the digits, then what is in the first block, down to elements.
    fn blocks(&self, mut grid: Grid) -> Vec<Panel> {
        let mut panels = Vec::new();
        for _ in 0..MOST_PANELS {
            let sides = grid.sides.iter().enumerate();
            grid.steps = sides.map(|(at, range)| self.step(grid.lead.len() + at, range)).collect();
            panels.push(self.panel(&grid));
            if grid.is_of_elements() {
                break;
            }
            for (range, step) in grid.sides.iter_mut().zip(&grid.steps) {
                range.end = range.end.min(range.start + step);
            }
        }
        panels
    }

    /// The largest number of values that are one block: a place of the digits of the axis, or of a
    /// part of one, with few blocks in the range.
    fn step(&self, axis: usize, range: &Range<u64>) -> u64 {
        let length = length(range);
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

    /// A grid: of elements, or of blocks that are told apart by the levels in which they differ.
    fn panel(&self, grid: &Grid) -> Panel {
        let (rows, columns) = (grid.values(0), grid.values(1));
        let cells = rows.iter().flat_map(|row| columns.iter().map(move |column| (*row, *column)));
        let indexes: Vec<Vec<u64>> = cells.map(|(row, column)| grid.index(row, column)).collect();
        let slots: Vec<(CellKind, Location)> =
            indexes.iter().map(|index| self.slot_at(index)).collect();
        let levels = if grid.is_of_elements() { Vec::new() } else { self.differing(&slots) };
        let cell = |(kind, place): &(CellKind, Location)| match grid.is_of_elements() {
            true => self.cell(*kind, place, address(place)),
            false => self.block_cell(*kind, place, &levels),
        };
        let ticks = |side: usize, values: &[u64]| match grid.side(side) {
            None => vec![String::new()],
            Some(_) => values.iter().map(ToString::to_string).collect(),
        };
        Panel {
            caption: grid.caption(),
            cells: slots.iter().map(cell).collect(),
            columns: columns.len(),
            row_ticks: ticks(0, &rows),
            column_ticks: ticks(1, &columns),
        }
    }

    fn slot_at(&self, index: &[u64]) -> (CellKind, Location) {
        let layout = self.placement.with_copies();
        let real = layout.axes().iter().zip(index).all(|(axis, entry)| *entry < axis.extent);
        let kind = if real { CellKind::Element } else { CellKind::Padding };
        (kind, layout.slot(index))
    }

    /// The columns in which places differ.
    fn differing(&self, slots: &[(CellKind, Location)]) -> Vec<Level> {
        let differs = |level: &Level| {
            let mut at = slots.iter().map(|(_, place)| place.get(*level));
            let first = at.next();
            at.any(|at| Some(at) != first)
        };
        self.placement.columns().iter().copied().filter(differs).collect()
    }

    fn block_cell(&self, kind: CellKind, place: &Location, levels: &[Level]) -> Cell {
        let at = |level: &Level| place.get(*level).unwrap_or(0);
        let label: Vec<String> =
            levels.iter().map(|level| format!("{level} {}", at(level))).collect();
        let color = usize::try_from(levels.first().map_or(0, at) % COLORS).ok();
        let color = color.filter(|_| kind == CellKind::Element);
        let cell = self.cell(kind, place, String::new());
        Cell { label: label.join("\n"), color, ..cell }
    }
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// What is drawn: the last axes, at most two, in steps, at one index of the others.
struct Grid {
    lead: Vec<u64>,
    sides: Vec<Range<u64>>,
    steps: Vec<u64>,
}

impl Grid {
    fn is_of_elements(&self) -> bool {
        self.steps.iter().all(|step| *step == 1)
    }

    /// The number of the axis that gives the rows (0) or the columns (1).
    fn side(&self, side: usize) -> Option<usize> {
        (side + self.sides.len()).checked_sub(2)
    }

    /// The values of the rows or the columns; 0 where there is no such axis.
    fn values(&self, side: usize) -> Vec<u64> {
        let Some(at) = self.side(side) else { return vec![0] };
        let (range, step) = (&self.sides[at], self.steps[at]);
        (0..length(range).div_ceil(step)).map(|block| range.start + block * step).collect()
    }

    fn index(&self, row: u64, column: u64) -> Vec<u64> {
        let entries = [row, column];
        self.lead.iter().chain(&entries[2 - self.sides.len()..]).copied().collect()
    }

    /// `i0 = 3, rows i1 0 to 11, columns i2 0 to 7`
    fn caption(&self) -> String {
        let leading = self.lead.iter().enumerate().map(|(axis, at)| format!("i{axis} = {at}"));
        let names = ["rows", "columns"].into_iter().skip(2 - self.sides.len());
        let sides = self.sides.iter().zip(names).enumerate().map(|(at, (range, name))| {
            format!("{name} i{} {} to {}", self.lead.len() + at, range.start, range.end - 1)
        });
        let mut all: Vec<String> = leading.chain(sides).collect();
        if all.is_empty() {
            all.push("one element".into());
        }
        if !self.is_of_elements() {
            let size: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
            all.push(format!("a cell is {}", size.join(" x ")));
        }
        all.join(", ")
    }
}
