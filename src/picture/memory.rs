//! The machine's side: in the memory of every unit, the elements by address.

use itertools::Itertools;

use super::drawing::{COLORS, Drawing};
use super::{Cell, CellKind, Panel, Picture};
use crate::algebra::{Found, Indexes};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

/// The most units and the most addresses of each that are drawn.
const MOST_UNITS: u64 = 16;
const MOST_ADDRESSES: u64 = 64;

/// The most lanes of an address that are drawn: as many as a long word can have of a byte.
const MOST_LANES: u64 = 8;

/// The addresses in a row where one memory is drawn alone.
const ROW: u64 = 16;

impl Drawing<'_> {
    /// The memories of the units, a row for each, a column for each address: elements by their
    /// indexes, padding, holes; copies of an element have one colour.
    ///
    /// Of more than 16 units or 64 addresses the first are drawn, and a note says so. A memory
    /// alone goes over several rows.
    /// Law: a cell holds what [`Placement::element`](crate::Placement::element) finds.
    ///
    /// # Errors
    /// As [`Placement::element`](crate::Placement::element).
    pub fn memory(&self) -> Result<Picture, LayoutError> {
        let placement = self.placement;
        let levels: Vec<Level> =
            placement.columns().iter().copied().filter(|level| !level.is_in_unit()).collect();
        let sizes: Vec<u64> = levels.iter().map(|level| placement.coordinates(*level)).collect();
        let units = sizes.iter().try_fold(1_u64, |all, size| all.checked_mul(*size));
        let words = placement.with_copies().span(Level::ADDR);
        let all_lanes = placement.with_copies().extent(Level::W);
        let lanes = all_lanes.min(MOST_LANES);
        let drawn = words.min(MOST_ADDRESSES / lanes);
        let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
        for unit in Indexes::new(sizes).take(usize::try_from(MOST_UNITS).unwrap_or(16)) {
            let place: Location = levels.iter().copied().zip(unit.iter().copied()).collect();
            let name = unit.iter().join(".");
            let mut cells = Vec::new();
            for (address, lane) in (0..drawn).cartesian_product(0..lanes) {
                cells.push(self.memory_cell(&place, &levels, address, lane, lanes)?);
            }
            rows.push((name, cells));
        }
        let panel = match rows.len() {
            1 => alone(rows.remove(0).1, drawn, lanes),
            _ => Panel {
                caption: format!(
                    "a row per unit ({}), a column per address",
                    levels.iter().join(".")
                ),
                columns: usize::try_from(drawn * lanes).unwrap_or(0),
                column_ticks: (0..drawn)
                    .cartesian_product(0..lanes)
                    .map(|at| tick(at, lanes))
                    .collect(),
                row_ticks: rows.iter().map(|(name, _)| name.clone()).collect(),
                cells: rows.into_iter().flat_map(|(_, cells)| cells).collect(),
            },
        };
        let mut picture = self.picture("The memories", vec![panel], false);
        picture.legend.clear();
        if self.tiles.is_empty() {
            picture.borders = levels.iter().map(ToString::to_string).collect();
            picture.notes = vec![format!("coloured by element; every {COLORS}th alike")];
        }
        if units.is_none_or(|units| units > MOST_UNITS) {
            picture.notes.push(format!("only the first {MOST_UNITS} units are drawn"));
        }
        if words > drawn {
            picture.notes.push(format!("only the first {drawn} addresses of {words} are drawn"));
        }
        if all_lanes > lanes {
            picture.notes.push(format!("only the first {lanes} lanes of {all_lanes} are drawn"));
        }
        Ok(picture)
    }

    fn memory_cell(
        &self,
        unit: &Location,
        levels: &[Level],
        address: u64,
        lane: u64,
        lanes: u64,
    ) -> Result<Cell, LayoutError> {
        let mut place = unit.clone();
        place.set(Level::ADDR, address);
        if lanes > 1 || self.placement.with_copies().used_levels().contains(&Level::W) {
            place.set(Level::W, lane);
        }
        let at = |level: &Level| place.get(*level).unwrap_or(0);
        let mut path: Vec<u64> = levels.iter().map(at).collect();
        path.extend(self.tiles.iter().map(|(size, _)| address / size));
        let (kind, label, color) = match self.placement.element(&place)? {
            Found::Element(index) => {
                let weights = self.placement.layout().shape();
                let number = index.iter().zip(weights).fold(0_u64, |number, (entry, extent)| {
                    number.wrapping_mul(extent).wrapping_add(*entry)
                });
                let color = match self.tiles.is_empty() {
                    true => usize::try_from(number % COLORS).ok(),
                    false => Some(self.color(&place)),
                };
                (CellKind::Element, index.iter().join(","), color)
            }
            Found::Padding => (CellKind::Padding, String::new(), None),
            Found::Hole | Found::Outside => (CellKind::Hole, String::new(), None),
        };
        let unit = levels.iter().map(at).join(".");
        Ok(Cell { kind, path, color, unit, label, mark: None })
    }
}

fn tick((address, lane): (u64, u64), lanes: u64) -> String {
    if lanes == 1 { address.to_string() } else { format!("{address}.{lane}") }
}

/// One memory, row by row.
fn alone(mut cells: Vec<Cell>, words: u64, lanes: u64) -> Panel {
    let per_row = ROW.min(words).max(1);
    let columns = usize::try_from(per_row * lanes).unwrap_or(1);
    let blank = Cell {
        kind: CellKind::Blank,
        path: Vec::new(),
        color: None,
        unit: String::new(),
        label: String::new(),
        mark: None,
    };
    let rows = cells.len().div_ceil(columns);
    cells.resize(rows * columns, blank);
    let first = (0..words.max(1)).step_by(usize::try_from(per_row).unwrap_or(1));
    Panel {
        caption: "the memory by address".into(),
        cells,
        columns,
        row_ticks: first.map(|at| at.to_string()).take(rows).collect(),
        column_ticks: (0..per_row)
            .cartesian_product(0..lanes)
            .map(|(word, lane)| tick((word, lane), lanes))
            .map(|tick| format!("+{tick}"))
            .collect(),
    }
}
