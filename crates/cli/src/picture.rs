//! Parts shared by `draw`, `explore` and the small pictures below `explain`.

use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutError, LayoutText, Level, Placement};
use tensor_layout_show::{CellKind, Drawing, Label};

use super::failure::Failure;
use super::output::{is_colored, width};

/// A drawing titled with the text of its layout, with the tiles that the text names.
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

/// The small picture of a shape without a machine; else empty.
pub(super) fn below(syntax: &LayoutText) -> String {
    let placed = || -> Result<String, LayoutError> {
        let Ok(layout) = syntax.lower() else { return Ok(String::new()) };
        Ok(small(&Placement::of(layout).build()?, syntax))
    };
    placed().unwrap_or_default()
}

/// A level that the layout has a column for.
pub(super) fn column(option: &str, level: Level, placement: &Placement) -> Result<Level, Failure> {
    match placement.columns().contains(&level) {
        true => Ok(level),
        false => {
            let why = format!("{option}: `{level}` is not a column of this layout");
            Err(Failure::Advised(why, other_columns(option, level, placement)))
        }
    }
}

/// The column that differs in its letters' case only, or all of them.
fn other_columns(option: &str, level: Level, placement: &Placement) -> String {
    let columns: Vec<&str> = placement.columns().iter().map(Level::as_str).collect();
    let meant = columns.iter().find(|column| column.eq_ignore_ascii_case(level.as_str()));
    let columns = columns.join(", ");
    match (meant, option) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, "--by") => {
            format!("its columns are {columns}; `bank` is for the banks of shared memory")
        }
        (None, _) => format!("its columns are {columns}"),
    }
}

/// `T,V,address`; banks are those of elements with so many bits.
pub(super) fn labels(
    option: &str,
    words: &[String],
    placement: &Placement,
    bits: u64,
) -> Result<Vec<Label>, Failure> {
    let no_label = |word: &str| {
        let levels = placement.columns().iter().map(Level::as_str).collect::<Vec<_>>().join(", ");
        let help =
            format!("a label is address, unit, index, thread, value, bank or a level: {levels}");
        Failure::Advised(format!("{option}: `{word}` is not a label of this layout"), help)
    };
    let label = |word: &String| match word.trim().parse().map_err(|_| no_label(word))? {
        Label::Level(level) if placement.columns().contains(&level) => Ok(Label::Level(level)),
        Label::Level(_) => Err(no_label(word)),
        Label::Unit if !placement.columns().iter().any(|level| level.is_unit()) => {
            Err(Failure::Argument(format!("{option}: `unit`: the layout has no units")))
        }
        Label::Bank(_) => Ok(Label::Bank(bits)),
        Label::Thread => {
            column(option, Level::LANE, placement)?;
            Ok(Label::Thread)
        }
        label => Ok(label),
    };
    words.iter().map(label).collect()
}
