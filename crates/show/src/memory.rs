//! The machine's side: in the memory of every unit, the elements by address.

use std::ops::Range;

use itertools::Itertools;

use super::color::{Draft, paint};
use super::coloring::span_in;
use super::drawing::Drawing;
use super::label::{grouped, indexed};
use super::{Cell, CellKind, Panel, Picture};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::algebra::Indexes;
use tensor_layout::program::CoordinateSpan;
use tensor_layout::{Found, Location};
use tensor_layout_words::{to_index, to_u64};

/// The most units and the most places of each that are drawn.
const MOST_UNITS: u64 = 16;
const MOST_PLACES: u64 = 64;

/// The most lanes of an address that are drawn: as many as a long word can have of a byte.
const MOST_LANES: u64 = 8;

/// The places in a row where one memory is drawn alone.
const ROW: u64 = 16;

/// The part of every memory that is drawn.
struct Shown {
    words: Range<u64>,
    lanes: u64,
}

impl Shown {
    fn count(&self) -> u64 {
        self.words.end - self.words.start
    }

    /// Addresses and lanes, in order.
    fn places(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        self.words.clone().cartesian_product(0..self.lanes)
    }
}

impl Drawing<'_> {
    /// The memories of the units, with a row for each unit and a column for each address: elements by their
    /// indexes, padding and holes; all copies of an element have one colour.
    ///
    /// If there are more than 16 units, or several with more than 64 places, units are counted
    /// instead: the numbers of elements, of padding and of holes that they hold, level by level
    /// from the root down, and the memory of one unit, the first that is partly padded. A single memory takes
    /// several rows. [`at`](Drawing::at) chooses a unit or a subtree.
    /// Law: a cell of a memory holds the result of
    /// [`Placement::element`](tensor_layout::Placement::element), a cell of units that of
    /// [`Census::of`](super::report::Census::of).
    ///
    /// # Errors
    /// As [`Placement::element`](tensor_layout::Placement::element) and
    /// [`Census::of`](super::report::Census::of).
    pub fn memory(&self) -> Result<Picture, LayoutError> {
        let (drafts, notes) = self.memory_drafts()?;
        Ok(Picture { notes, ..self.picture("The memories", paint(drafts)) })
    }

    /// The panels before they are coloured, and remarks.
    pub(super) fn memory_drafts(&self) -> Result<(Vec<Draft>, Vec<String>), LayoutError> {
        let placement = self.placement;
        let sizes = self.memory_sizes();
        let units = sizes.iter().fold(1_u64, |all, size| all.saturating_mul(*size));
        let spread = placement.with_copies();
        let (words, lanes) = (spread.span(Level::ADDR), spread.extent(Level::W));
        let whole = self.units.is_empty();
        let few = whole
            && (units == 1 || (units <= MOST_UNITS && words.saturating_mul(lanes) <= MOST_PLACES));
        let (drafts, mut notes) = match few {
            true => (vec![self.memories()?], Vec::new()),
            false => self.tree()?,
        };
        let shown = self.shown();
        if words > shown.count() {
            let Range { start, end } = shown.words;
            notes.push(format!("addresses {start} to {} of {} are drawn", end - 1, grouped(words)));
        }
        if lanes > shown.lanes {
            notes.push(format!("the first {} lanes of {} are drawn", shown.lanes, grouped(lanes)));
        }
        Ok((drafts, notes))
    }

    /// The levels that distinguish memories.
    pub(super) fn memory_levels(&self) -> Vec<Level> {
        let columns = self.placement.columns().iter().copied();
        columns.filter(|level| !level.is_in_unit()).collect()
    }

    /// The number of memories along each of these levels, of those that are shown.
    pub(super) fn memory_sizes(&self) -> Vec<u64> {
        let placement = self.placement;
        let size = |level: &Level| match self.at.get(*level) {
            Some(_) => 1,
            None => placement.coordinates(*level).div_ceil(placement.units_per_memory(*level)),
        };
        self.memory_levels().iter().map(size).collect()
    }

    /// The units with a memory of their own, in order; of a group that shares one, the first.
    pub(super) fn memory_units(&self) -> Vec<Location> {
        let levels = self.memory_levels();
        let named = |(level, at): (&Level, u64)| {
            let first = at * self.placement.units_per_memory(*level);
            (*level, self.at.get(*level).unwrap_or(first))
        };
        let units = Indexes::new(self.memory_sizes());
        units.map(|unit| levels.iter().zip(unit).map(named).collect()).collect()
    }

    fn shown(&self) -> Shown {
        let spread = self.placement.with_copies();
        let lanes = spread.extent(Level::W).min(MOST_LANES);
        let start = self.first_address;
        let end = spread.span(Level::ADDR).min(start.saturating_add(MOST_PLACES / lanes));
        Shown { words: start..end, lanes }
    }

    /// A row per unit, or one memory over several rows.
    fn memories(&self) -> Result<Draft, LayoutError> {
        let levels = self.memory_levels();
        let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
        for unit in self.memory_units() {
            rows.push((unit_name(&unit, &levels), self.memory_cells(&unit)?));
        }
        let shown = self.shown();
        let per_row = self.per_row(&shown, rows.iter().flat_map(|(_, cells)| cells));
        let panel = match rows.len() {
            1 => alone(rows.remove(0), &shown, &levels),
            _ if per_row < shown.count() => wrapped(rows, &shown, per_row, &levels),
            _ => Panel {
                caption: format!(
                    "a row per unit ({}), a column per address",
                    levels.iter().join(".")
                ),
                columns: to_index(shown.count() * shown.lanes),
                column_ticks: shown.places().map(|at| tick(at, shown.lanes)).collect(),
                row_ticks: rows.iter().map(|(name, _)| name.clone()).collect(),
                cells: rows.into_iter().flat_map(|(_, cells)| cells).collect(),
                ..Panel::default()
            },
        };
        Ok(self.by_element(panel))
    }

    /// The addresses in a row, all of them if they fit the width of a page.
    fn per_row<'c>(&self, shown: &Shown, cells: impl Iterator<Item = &'c Cell>) -> u64 {
        // The room of a cell around its text, in tenths of a character.
        const AROUND: u64 = 14;
        let widest = cells.map(|cell| cell.label.chars().count()).max().unwrap_or(0);
        let most = to_u64(self.most_characters) * 10 / (to_u64(widest) * 10 + AROUND);
        let most = (most / shown.lanes).max(1);
        if shown.count() <= most { shown.count() } else { 1 << most.ilog2() }
    }

    /// The memory of one unit.
    pub(super) fn memory_of(&self, unit: &Location) -> Result<Draft, LayoutError> {
        let levels = self.memory_levels();
        let row = (unit_name(unit, &levels), self.memory_cells(unit)?);
        Ok(self.by_element(alone(row, &self.shown(), &levels)))
    }

    fn memory_cells(&self, unit: &Location) -> Result<Vec<Cell>, LayoutError> {
        let places = self.shown().places();
        places.map(|(address, lane)| self.memory_cell(unit, address, lane)).collect()
    }

    pub(super) fn memory_cell(
        &self,
        unit: &Location,
        address: u64,
        lane: u64,
    ) -> Result<Cell, LayoutError> {
        let levels = self.memory_levels();
        let mut place = unit.clone();
        place.set(Level::ADDR, address);
        if self.placement.with_copies().used_levels().contains(&Level::W) {
            place.set(Level::W, lane);
        }
        let (kind, index) = match self.placement.element(&place)? {
            Found::Element(index) => (CellKind::Element, Some(index)),
            Found::Padding => (CellKind::Padding, None),
            Found::Hole | Found::Outside => (CellKind::Hole, None),
        };
        Ok(Cell {
            kind,
            path: self.path(&place, &levels),
            unit: unit_name(&place, &levels),
            label: index.as_ref().map_or(String::new(), |index| indexed(index.iter().copied())),
            indexes: index.into_iter().flatten().map(|at| at..at + 1).collect(),
            filled: [1, 1],
            slots: u64::from(kind != CellKind::Hole),
            elements: u64::from(kind == CellKind::Element),
            places: place.iter().map(|(level, at)| (level, CoordinateSpan::at(at))).collect(),
            ..Cell::default()
        })
    }

    /// Memories with the colours that their elements have in the tensor, those of their first copies.
    fn by_element(&self, mut panel: Panel) -> Draft {
        let spans = self.spans();
        let in_tensor = |cell: &Cell| match cell.elements {
            0 => Cell::default(),
            _ => self.tensor_cell(cell.indexes.clone(), &spans),
        };
        let firsts: Vec<Cell> = panel.cells.iter().map(in_tensor).collect();
        for (cell, first) in panel.cells.iter_mut().zip(&firsts) {
            cell.is_copy = cell.elements > 0 && self.is_elsewhere(cell, first);
        }
        let coloring = self.coloring(&firsts, &self.scheme_of_elements());
        panel.text = "index".into();
        (panel.levels, panel.tiles) = (self.memory_levels(), self.tile_names());
        Draft::new(panel, coloring)
    }

    /// Returns whether a cell is not the place of a first copy; units that share a memory are one place.
    fn is_elsewhere(&self, cell: &Cell, first: &Cell) -> bool {
        let differs = |(level, span): &(Level, CoordinateSpan)| {
            let shared = self.placement.units_per_memory(*level);
            span_in(first, *level).is_some_and(|at| at.first / shared != span.first / shared)
        };
        cell.places.iter().any(differs)
    }
}

pub(super) fn unit_name(place: &Location, levels: &[Level]) -> String {
    levels.iter().map(|level| place.get(*level).unwrap_or(0)).join(".")
}

pub(super) fn tick((address, lane): (u64, u64), lanes: u64) -> String {
    if lanes == 1 { address.to_string() } else { format!("{address}.{lane}") }
}

/// One memory, row by row.
fn alone((name, cells): (String, Vec<Cell>), shown: &Shown, levels: &[Level]) -> Panel {
    let per_row = (ROW / shown.lanes).clamp(1, shown.count().max(1));
    let caption = match levels {
        [] => "the memory by address".into(),
        levels => format!("the memory of {} {name} by address", levels.iter().join(".")),
    };
    Panel { caption, ..wrapped(vec![(String::new(), cells)], shown, per_row, levels) }
}

/// The memories below each other, each in rows of so many addresses.
fn wrapped(
    units: Vec<(String, Vec<Cell>)>,
    shown: &Shown,
    per_row: u64,
    levels: &[Level],
) -> Panel {
    let (lanes, Range { start, end }) = (shown.lanes, shown.words.clone());
    let columns = to_index(per_row * lanes);
    let first = (start..end).step_by(to_index(per_row));
    let names = units.iter().map(|(name, _)| name).cartesian_product(first.collect::<Vec<_>>());
    let row_ticks = names
        .map(|(name, at)| if name.is_empty() { at.to_string() } else { format!("{name} @{at}") })
        .collect();
    let whole = |(_, mut cells): (String, Vec<Cell>)| {
        cells.resize(cells.len().next_multiple_of(columns), Cell::default());
        cells
    };
    Panel {
        caption: format!(
            "rows of {per_row} addresses for each unit ({}), @ the first",
            levels.iter().join(".")
        ),
        cells: units.into_iter().flat_map(whole).collect(),
        columns,
        row_ticks,
        column_ticks: (0..per_row)
            .cartesian_product(0..lanes)
            .map(|(word, lane)| tick((word, lane), lanes))
            .map(|tick| format!("+{tick}"))
            .collect(),
        ..Panel::default()
    }
}
