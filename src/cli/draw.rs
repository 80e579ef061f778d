//! `draw`: a layout as a picture, or two beside each other.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::picture::{Drawing, Picture};
use tensor_layout::{LayoutText, Level, Placement};

use super::failure::Failure;
use super::input::{On, Placed, shaped_argument};
use super::output::{Output, stdout_is_colored};
use super::picture::{WIDTH, titled};

/// Draw where the elements go, as SVG or in the terminal.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tensor as a grid: each cell has its address and the colour of its unit, padding
is hatched, borders nest as the levels of the tree do. Of a large tensor blocks are
drawn, and what is in the first of them. --from machine draws the memories instead.
Two layouts are drawn side by side, with how far each element comes from.

Examples:
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))' --from machine -o memory.svg
  tensor-layout draw 'bf16[4,8]{1,0:T(2,4)(2,1)}' -o tiles.svg
  tensor-layout draw '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' --machine PE=4")]
pub(super) struct Draw {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    /// Another layout of the tensor, drawn beside it.
    #[arg(value_name = "AFTER", requires = "machine")]
    after: Option<String>,
    #[command(flatten)]
    on: On,
    /// The side that is drawn.
    #[arg(long, value_enum, default_value_t, conflicts_with = "after")]
    from: View,
    /// Colour by the coordinate in one level, such as PE or Addr.
    #[arg(long, value_name = "LEVEL")]
    by: Option<String>,
    /// Only these ranges of axes.
    #[arg(long, value_name = "iK=START:STOP,..")]
    slice: Option<String>,
    /// Write the unit into every cell as well.
    #[arg(long)]
    labels: bool,
    /// The form; svg if FILE ends in .svg, else text.
    #[arg(long, value_enum)]
    format: Option<PictureFormat>,
    /// Take XLA shapes as people write them.
    #[arg(long)]
    lenient: bool,
    /// Write to a file, which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
        let picture = picture(self)?;
        let is_svg = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "svg");
        let by_name = match self.output.as_ref().is_some_and(is_svg) {
            true => PictureFormat::Svg,
            false => PictureFormat::Text,
        };
        let text = match self.format.unwrap_or(by_name) {
            PictureFormat::Svg => picture.to_svg(),
            PictureFormat::Text => {
                picture.to_text(WIDTH, self.output.is_none() && stdout_is_colored())
            }
        };
        let mut out = Output::new(self.output.as_deref())?;
        out.write_all(text.as_bytes()).map_err(|error| out.failed(error))?;
        out.finish()
    }
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
        let axis = axis.strip_prefix('i').unwrap_or(axis).parse().ok()?;
        Some((axis, start.parse().ok()?..stop.parse().ok()?))
    };
    text.split(',')
        .map(|item| {
            slice(item).ok_or_else(|| {
                Failure::Argument(format!(
                    "--slice: `{item}` is not a range of an axis; expected a range such as i0=0:16"
                ))
            })
        })
        .collect()
}
