//! Moves between the units of a level as a matrix.

use itertools::Itertools;

use super::color::{Coloring, Draft};
use super::label::grouped;
use super::{Cell, CellKind, Panel};
use tensor_layout::LayoutError;
use tensor_layout::relayout::{Distance, Flows, Relayout, Traffic};
use tensor_layout_words::to_u64;

/// The most units that have a row of their own.
const MOST_ROWS: usize = 32;

/// The flows between units, at the outermost level that anything crosses; `None` if everything stays in
/// its unit.
pub(super) fn flows(relayout: &Relayout, traffic: &Traffic) -> Result<Option<Draft>, LayoutError> {
    let Distance::Level(crossed) = traffic.farthest() else { return Ok(None) };
    // A memory is in no unit of a level below it; those of the level above are known on both sides.
    let levels = relayout.levels();
    let above = levels.iter().rev().skip_while(|level| **level != crossed).nth(1);
    let flows = relayout.flows(crossed).or_else(|refusal| match above {
        Some(above) => relayout.flows(*above),
        None => Err(refusal),
    })?;
    if flows.from.len().max(flows.to.len()) > MOST_ROWS {
        let limit = to_u64(MOST_ROWS);
        let question = "drawing the flows between so many units";
        return Err(LayoutError::not_decided(question, limit));
    }
    Ok(Some(matrix(&flows)))
}

/// The counts without borders: every cell is another pair of units.
fn matrix(flows: &Flows) -> Draft {
    let cells: Vec<Cell> = flows.counts.iter().flatten().map(|count| cell(*count)).collect();
    let ticks = |units: &[u64]| units.iter().map(u64::to_string).collect();
    let pairs = flows.from.iter().cartesian_product(&flows.to);
    let stays = pairs.map(|(from, to)| vec![u64::from(from == to)]);
    let values = cells.iter().zip(stays).map(|(cell, stays)| (cell.elements > 0).then_some(stays));
    let values = values.collect();
    let panel = Panel {
        caption: caption(flows),
        row_ticks: ticks(&flows.from),
        column_ticks: ticks(&flows.to),
        cells,
        columns: flows.to.len(),
        ..Panel::default()
    };
    let name = |_: &str, value: &[u64]| {
        let name = if value == [1] { "stays in its unit" } else { "moves to another unit" };
        name.to_owned()
    };
    let coloring = Coloring { meaning: "whether it moves".into(), values, ..Coloring::default() };
    Draft { name, ..Draft::new(panel, coloring) }
}

fn caption(flows: &Flows) -> String {
    let level = flows.level;
    let last = |units: &[u64]| units.last().copied().unwrap_or(0);
    let (from, to) = (last(&flows.from), last(&flows.to));
    let apart = [&flows.from, &flows.to].into_iter().find_map(|units| units.get(1));
    let sharing = match apart.copied().unwrap_or(1) {
        1 => String::new(),
        group => format!("; every {group} share a memory, named after the first"),
    };
    format!(
        "how many copies move: rows from {level} 0 to {from}, columns to {level} 0 to {to}; \
         those on the diagonal stay in their {level}{sharing}"
    )
}

fn cell(count: u64) -> Cell {
    Cell {
        kind: if count > 0 { CellKind::Element } else { CellKind::Hole },
        label: if count > 0 { grouped(count) } else { String::new() },
        filled: [1, 1],
        slots: count,
        elements: count,
        ..Cell::default()
    }
}
