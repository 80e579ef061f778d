//! `draw`: a layout as a picture, or two beside each other.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::picture::{Drawing, Picture};
use tensor_layout::{LayoutText, Level, Placement};

use super::failure::{Failure, note};
use super::input::{On, Placed, Reading, axis_number};
use super::output::{Colored, Output, extension_of, is_colored, width};
use super::picture::titled;

/// Draw where the elements go, as SVG or in the terminal.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tensor as a grid: each cell has its address and the colour of its unit, padding
is hatched, borders nest as the levels of the tree do. Of a large tensor blocks are
drawn, and what is in the first of them. --view machine draws the memories instead.
Two layouts are drawn side by side, with how far each element comes from.

Examples:
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))' --view machine -o memory.svg
  tensor-layout draw 'bf16[4,8]{1,0:T(2,4)(2,1)}' -o tiles.svg
  tensor-layout draw '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' --machine PE=4")]
pub(super) struct Draw {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    /// Another layout of the tensor, drawn beside it.
    #[arg(value_name = "AFTER")]
    after: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    on: On,
    #[command(flatten)]
    drawn: Drawn,
}

// What is drawn, and where it goes.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Drawing")]
struct Drawn {
    /// The side that is drawn.
    #[arg(long, value_enum, default_value_t, conflicts_with = "after")]
    view: View,
    /// Colour by the coordinate in one level, such as PE or Addr.
    #[arg(long, value_name = "LEVEL")]
    by: Option<String>,
    /// Only these ranges of axes, such as 0=0:16,1=8:16.
    #[arg(long, value_name = "K=START:STOP,..")]
    slice: Option<String>,
    /// Write the unit into every cell as well.
    #[arg(long)]
    labels: bool,
    /// The form; svg if FILE ends in .svg, else text.
    #[arg(long, value_enum)]
    format: Option<PictureFormat>,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    color: Colored,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum View {
    /// The tensor, cell by cell.
    #[default]
    Tensor,
    /// The memories of the units.
    Machine,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PictureFormat {
    /// A picture that stands on its own.
    Svg,
    /// For the terminal, coloured where it is one.
    Text,
}

impl Draw {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let Drawn { output, color, .. } = &self.drawn;
        color.choose();
        let format = self.drawn.format()?;
        let picture = picture(self)?;
        let text = match format {
            PictureFormat::Svg => picture.to_svg(),
            PictureFormat::Text => {
                let colored = is_colored(output.is_none());
                if self.drawn.by.is_some() && !colored {
                    note("--by has no effect on text without colours; try --color always, or .svg");
                }
                picture.to_text(width(), colored)
            }
        };
        let mut out = Output::new(output.as_deref())?;
        out.write_all(text.as_bytes()).map_err(|error| out.failed(error))?;
        out.finish()
    }
}

impl Drawn {
    /// The form that was asked for, or that the name of the file tells.
    fn format(&self) -> Result<PictureFormat, Failure> {
        let is_svg = self.output.as_deref().is_some_and(|path| extension_of(path) == "svg");
        match (self.format, is_svg) {
            (Some(PictureFormat::Text), true) => Err(Failure::Argument(
                "--format text contradicts the name of the file, which ends in .svg".into(),
            )),
            (Some(format), _) => Ok(format),
            (None, true) => Ok(PictureFormat::Svg),
            (None, false) => Ok(PictureFormat::Text),
        }
    }
}

fn picture(args: &Draw) -> Result<Picture, Failure> {
    let Drawn { view, slice, by, .. } = &args.drawn;
    if let Some(after) = &args.after {
        let (before, after) = args.reading.read_two(&args.layout, after)?;
        let (before, after) = args.on.place_two(before, after)?;
        let left = drawing(&args.drawn, &before.placement, &before.syntax)?;
        let right = drawing(&args.drawn, &after.placement, &after.syntax)?;
        return Ok(left.before_and_after(&right)?);
    }
    let Placed { placement, syntax } = args.on.place(args.reading.read(&args.layout)?)?;
    if args.drawn.labels && !placement.columns().iter().any(|level| level.is_unit()) {
        note("--labels has no effect: the layout has no units");
    }
    if matches!(view, View::Machine) && (slice.is_some() || by.is_some()) {
        let why = "--slice and --by go with the tensor, not with --view machine";
        return Err(Failure::Argument(why.into()));
    }
    let drawing = drawing(&args.drawn, &placement, &syntax)?;
    Ok(match view {
        View::Tensor => drawing.tensor(),
        View::Machine => drawing.memory()?,
    })
}

fn drawing<'a>(
    args: &Drawn,
    placement: &'a Placement,
    syntax: &LayoutText,
) -> Result<Drawing<'a>, Failure> {
    let mut drawing = titled(placement, syntax).unit_labels(args.labels);
    if let Some(level) = &args.by {
        let level = Level::new(level)?;
        if !placement.columns().contains(&level) {
            return Err(Failure::Argument(format!(
                "--by: `{level}` is not a column of this layout"
            )));
        }
        drawing = drawing.by(level);
    }
    for (axis, range) in args.slice.as_deref().map_or(Ok(Vec::new()), slices)? {
        drawing = drawing.slice(axis, range)?;
    }
    Ok(drawing)
}

/// `i0=0:16,i1=8:16`
fn slices(text: &str) -> Result<Vec<(usize, Range<u64>)>, Failure> {
    let slice = |item: &str| {
        let (axis, range) = item.trim().split_once('=')?;
        let (start, stop) = range.split_once(':')?;
        Some((axis_number(axis)?, start.parse().ok()?..stop.parse().ok()?))
    };
    text.split(',')
        .map(|item| {
            slice(item).ok_or_else(|| {
                Failure::Argument(format!(
                    "--slice: `{item}` is not a range of an axis; expected a range such as 0=0:16"
                ))
            })
        })
        .collect()
}
