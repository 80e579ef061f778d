//! Parts that `draw` and the small pictures below `explain` share.

use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutError, LayoutText, Placement};
use tensor_layout_picture::{CellKind, Drawing};

use super::output::{is_colored, width};

/// A drawing with its text as title and the tiles that the text names.
pub(super) fn titled<'a>(placement: &'a Placement, syntax: &LayoutText) -> Drawing<'a> {
    let drawing = Drawing::new(placement).title(&syntax.to_string());
    match syntax {
        LayoutText::Xla(XlaShape::Array(array)) => drawing.tiles_of(array),
        _ => drawing,
    }
}

/// The picture of a layout that is small enough to be shown below its explanation; else empty.
pub(super) fn small(placement: &Placement, syntax: &LayoutText) -> String {
    const MOST_CELLS: usize = 128;
    let picture = titled(placement, syntax).tensor();
    let cells: usize = picture.panels.iter().map(|panel| panel.cells.len()).sum();
    let elements = picture.panels.iter().flat_map(|panel| &panel.cells);
    let whole = elements.filter(|cell| cell.kind == CellKind::Element).count();
    let all = usize::try_from(placement.layout().elements()).is_ok_and(|all| all == whole);
    if !all || cells > MOST_CELLS || cells == 0 {
        return String::new();
    }
    let text = picture.to_text(width(), is_colored(true));
    let below = text.split_once('\n').map_or("", |(_, below)| below);
    if below.lines().any(|line| !is_colored(true) && line.chars().count() > width()) {
        return String::new();
    }
    below.to_owned()
}

/// The caption of a shape, which is placed nowhere.
pub(super) fn below(syntax: &LayoutText) -> String {
    let placed = || -> Result<String, LayoutError> {
        let Ok(layout) = syntax.lower() else { return Ok(String::new()) };
        Ok(small(&Placement::of(layout).build()?, syntax))
    };
    placed().unwrap_or_default()
}
