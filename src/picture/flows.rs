//! Moves between the units of a level as a matrix.

use super::color::Draft;
use super::{Cell, CellKind, Panel};
use crate::error::LayoutError;
use crate::level::Level;
use crate::number::to_u64;
use crate::relayout::{Relayout, Traffic};

/// The most units that have a row of their own.
const MOST_ROWS: usize = 32;

/// From which unit to which, at the outermost level that anything crosses; nothing if all stays in
/// its unit.
pub(super) fn flows(relayout: &Relayout, traffic: &Traffic) -> Result<Option<Draft>, LayoutError> {
    let crossed = traffic.levels.iter().rev().find(|level| level.into > 0);
    let Some(level) = crossed.map(|traffic| traffic.level) else { return Ok(None) };
    let counts = relayout.flows(level)?;
    if counts.len().max(counts.first().map_or(0, Vec::len)) > MOST_ROWS {
        let limit = to_u64(MOST_ROWS);
        let question = "how to draw the flows between so many units";
        return Err(LayoutError::NotDecided { question, budget: limit });
    }
    Ok(Some(matrix(level, &counts)))
}

fn matrix(level: Level, counts: &[Vec<u64>]) -> Draft {
    let units = (0_u64..).zip(counts);
    let row = |(from, row): (u64, &Vec<u64>)| -> Vec<Cell> {
        (0..).zip(row).map(|(to, count)| cell(from, to, *count)).collect()
    };
    let cells: Vec<Cell> = units.flat_map(row).collect();
    let ticks = |count: usize| (0..count).map(|at| at.to_string()).collect();
    let columns = counts.first().map_or(0, Vec::len);
    let stays = |cell: &Cell| u64::from(cell.path.first() == cell.path.get(1));
    let values = cells.iter().map(|cell| (cell.elements > 0).then(|| vec![stays(cell)])).collect();
    let panel = Panel {
        caption: format!(
            "how many copies move: rows from {level} 0 to {}, columns to {level} 0 to {}; \
             those on the diagonal stay in their {level}",
            counts.len().saturating_sub(1),
            columns.saturating_sub(1)
        ),
        row_ticks: ticks(counts.len()),
        column_ticks: ticks(columns),
        cells,
        columns,
        ..Panel::default()
    };
    let name = |_: &str, value: &[u64]| {
        let name = if value == [1] { "stays in its unit" } else { "moves to another unit" };
        name.to_owned()
    };
    Draft { name, ..Draft::new(panel, "whether it moves".into(), values) }
}

fn cell(from: u64, to: u64, count: u64) -> Cell {
    Cell {
        kind: if count > 0 { CellKind::Element } else { CellKind::Hole },
        path: vec![from, to],
        label: if count > 0 { count.to_string() } else { String::new() },
        filled: [1, 1],
        slots: count,
        elements: count,
        ..Cell::default()
    }
}
