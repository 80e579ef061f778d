//! Panels as the page draws them.

use serde_json::{Value, json};
use tensor_layout_show::{Cell, CellKind, Panel, Picture};

/// A panel; numbers are strings, since JavaScript numbers are exact only to 2^53.
pub(super) fn panel_json(panel: &Panel) -> Value {
    let key: Vec<Value> =
        panel.key.iter().map(|(color, name)| json!([Picture::tint(*color), name])).collect();
    json!({
        "caption": panel.caption,
        "columns": panel.columns,
        "rowTicks": panel.row_ticks,
        "columnTicks": panel.column_ticks,
        "key": key,
        "coloring": panel.coloring,
        "coloredBy": panel.colored_by,
        "borders": panel.borders().collect::<Vec<_>>(),
        "zoom": panel.zoom,
        "cells": panel.cells.iter().map(cell_json).collect::<Vec<_>>(),
    })
}

fn cell_json(cell: &Cell) -> Value {
    let places = cell.places.iter().map(|(level, span)| {
        json!([level.as_str(), span.to_string(), span.first.to_string(), span.last.to_string()])
    });
    let ranges =
        cell.indexes.iter().map(|range| json!([range.start.to_string(), range.end.to_string()]));
    json!({
        "kind": kind(cell.kind),
        "color": cell.color.map(Picture::tint),
        "label": cell.label,
        "mark": cell.mark,
        "copy": cell.is_copy,
        "path": cell.path.iter().map(u64::to_string).collect::<Vec<_>>(),
        "ranges": ranges.collect::<Vec<_>>(),
        "places": places.collect::<Vec<_>>(),
        "elements": cell.elements.to_string(),
        "padding": cell.padding().to_string(),
        "filled": filled(cell),
    })
}

fn kind(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Element => "element",
        CellKind::Padding => "padding",
        CellKind::Hole => "hole",
        CellKind::Blank => "blank",
    }
}

/// The share of its rows and of its columns that hold elements.
fn filled(cell: &Cell) -> [f64; 2] {
    if !cell.is_partly_padded() {
        return [1.0, 1.0];
    }
    if cell.indexes.is_empty() {
        return [1.0, share(cell.elements, cell.slots)];
    }
    let side = |back: usize| {
        let range = cell.indexes.iter().rev().nth(back);
        range.map_or(1.0, |range| share(cell.filled[1 - back], range.end - range.start))
    };
    [side(1), side(0)]
}

#[allow(clippy::as_conversions, reason = "a share for drawing: rounding is meant")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
