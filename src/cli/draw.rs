//! `draw`, and the small pictures below `explain`.

use std::io::Write;
use std::ops::Range;

use tensor_layout::picture::{CellKind, Drawing, Picture};
use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutError, LayoutText, Level, Placement};

use super::args::{Draw, PictureFormat, View};
use super::input::{Failure, Placed, shaped_argument};
use super::output::{Output, stdout_is_colored};

/// The width of a terminal that text is made for.
const WIDTH: usize = 80;

pub(super) fn draw(args: &Draw) -> Result<(), Failure> {
    let picture = picture(args)?;
    let is_svg = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "svg");
    let by_name = match args.output.as_ref().is_some_and(is_svg) {
        true => PictureFormat::Svg,
        false => PictureFormat::Text,
    };
    let text = match args.format.unwrap_or(by_name) {
        PictureFormat::Svg => picture.to_svg(),
        PictureFormat::Text => picture.to_text(WIDTH, args.output.is_none() && stdout_is_colored()),
    };
    let mut out = Output::new(args.output.as_deref())?;
    out.write_all(text.as_bytes()).map_err(|error| out.failed(error))?;
    out.finish()
}

fn picture(args: &Draw) -> Result<Picture, Failure> {
    let place = |text: &str| {
        let text = shaped_argument(text, args.lenient, args.on.shape.as_deref())?;
        args.on.place(text)
    };
    let Placed { placement, syntax } = place(&args.layout)?;
    let before = drawing(args, &placement, &syntax)?;
    if let Some(after) = &args.after {
        let Placed { placement, syntax } = place(after)?;
        return Ok(before.before_and_after(&drawing(args, &placement, &syntax)?)?);
    }
    if matches!(args.from, View::Machine) && (args.slice.is_some() || args.by.is_some()) {
        let why = "--slice and --by go with the tensor, not with --from machine";
        return Err(Failure::Argument(why.into()));
    }
    Ok(match args.from {
        View::Tensor => before.tensor(),
        View::Machine => before.memory()?,
    })
}

fn drawing<'a>(
    args: &Draw,
    placement: &'a Placement,
    syntax: &LayoutText,
) -> Result<Drawing<'a>, Failure> {
    let mut drawing = titled(placement, syntax).unit_labels(args.labels);
    if let Some(level) = &args.by {
        let level = Level::new(level)?;
        if !placement.columns().contains(&level) {
            return Err(Failure::Argument(format!("--by: the layout has no column `{level}`")));
        }
        drawing = drawing.by(level);
    }
    for (axis, range) in args.slice.as_deref().map_or(Ok(Vec::new()), slices)? {
        drawing = drawing.slice(axis, range)?;
    }
    Ok(drawing)
}

fn titled<'a>(placement: &'a Placement, syntax: &LayoutText) -> Drawing<'a> {
    let drawing = Drawing::new(placement).title(&syntax.to_string());
    match syntax {
        LayoutText::Xla(XlaShape::Array(array)) => drawing.tiles(array.tiles()),
        _ => drawing,
    }
}

/// `i0=0:16,i1=8:16`
fn slices(text: &str) -> Result<Vec<(usize, Range<u64>)>, Failure> {
    let slice = |item: &str| {
        let (axis, range) = item.trim().split_once('=')?;
        let (start, stop) = range.split_once(':')?;
        let axis = axis.strip_prefix('i').unwrap_or(axis).parse().ok()?;
        Some((axis, start.parse().ok()?..stop.parse().ok()?))
    };
    text.split(',')
        .map(|item| {
            slice(item).ok_or_else(|| {
                Failure::Argument(format!(
                    "--slice: `{item}` is no range of an axis; expected such as i0=0:16"
                ))
            })
        })
        .collect()
}

/// The picture of a layout that is small enough to stand below its explanation; else nothing.
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
    let text = picture.to_text(WIDTH, stdout_is_colored());
    let below = text.split_once('\n').map_or("", |(_, below)| below);
    if below.lines().any(|line| !stdout_is_colored() && line.chars().count() > WIDTH) {
        return String::new();
    }
    below.to_owned()
}

/// The same for a shape, which is placed nowhere.
pub(super) fn below(syntax: &LayoutText) -> String {
    let placed = || -> Result<String, LayoutError> {
        let Ok(layout) = syntax.lower() else { return Ok(String::new()) };
        Ok(small(&Placement::of(layout).build()?, syntax))
    };
    placed().unwrap_or_default()
}
