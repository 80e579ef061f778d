//! `draw`: a layout as a picture, or two beside each other.

use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use itertools::Itertools;
use tensor_layout::notation::Atom;
use tensor_layout::{LayoutText, Level, Location, ParseError, Placement};
use tensor_layout_show::{Background, Drawing, Picture};

use super::explore;
use super::failure::{Failure, note};
use super::formats::{PictureFormat, pdf, png, printed_film};
use super::input::{Reading, axis_number};
use super::output::{Colored, extension_of, is_colored, width, write_to};
use super::picture::{column, labels, titled};
use super::places::{check_columns, location};
use super::placing::{On, PlacementSource};

/// Draw where the elements are stored, as SVG, PNG, PDF or HTML, or in the terminal.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tensor is drawn as a grid: each cell shows its address and has the colour of
its unit, padding is hatched, and borders nest like the levels of the tree. A
large tensor is drawn in blocks, each with its coordinate ranges and its share
of padding; the first partly padded block, or the one that --zoom names, is
drawn in detail. --view machine draws the memories instead; for many units it
only counts their contents. Two layouts are drawn side by side and show where
each element comes from or, if they are large, how many elements move between
units; by bank, each shows its own. --view film writes a film, .svg, .gif or
.html, in which the elements move from the tensor into the memories of the first
layout, then of the second; a .gif is always a film. An instruction without a
letter is drawn as its three matrices, A beside C and B above C.

Examples:
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))'
  tensor-layout draw '(10,7)/((3:7, 4_PE), (7:1))' --view machine -o memory.svg
  tensor-layout draw 'bf16[10,130]{1,0:T(8,128)(2,1)}' -o tiles.png
  tensor-layout draw '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' --machine PE=4
  tensor-layout draw '((4_PE, 3:8), (8:1))' --view film -o film.svg
  tensor-layout draw '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' -o film.gif
  tensor-layout draw '((2_T:4, 2_V:2), (4_T:1, 2_V:1))' --labels T,V
  tensor-layout draw SM80_16x8x16_F32F16F16F32_TN -o mma.svg
  tensor-layout draw '(8,64):(64,1)' 'S<3,3,3> o 0 o (8,64):(64,1)' --by bank --bits 16
  tensor-layout draw '((12:8), (8:1))' --machine mn-core --view machine --at L2B=3,PE=1")]
pub(super) struct DrawArgs {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    /// Another layout of the same tensor, drawn beside LAYOUT.
    #[arg(value_name = "AFTER")]
    after: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    on: On,
    #[command(flatten)]
    drawn: Drawn,
}

// The picture and its output.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Drawing")]
struct Drawn {
    /// The kind of picture (by default the tensor, or for .gif a film).
    #[arg(long, value_enum)]
    view: Option<View>,
    /// Colour by the coordinate in one level, such as PE or Addr, or, with `bank`, by the bank of shared memory.
    #[arg(long, value_name = "LEVEL")]
    by: Option<String>,
    /// The element width in bits, for banks; by default that of the type in the text, else 32.
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u64).range(1..=1 << 10))]
    bits: Option<u64>,
    /// Draw only these ranges of axes, such as 0=0:16,1=8:16; they may extend into padding.
    #[arg(long, value_name = "K=START:STOP,..")]
    slice: Option<String>,
    /// The block of a large tensor to show in detail: any index in it, such as i0=128,i1=0.
    #[arg(long, value_name = "K=INDEX,..")]
    zoom: Option<String>,
    /// The unit or subtree to show with --view machine, such as L2B=3,PE=1.
    #[arg(long, value_name = "PLACE")]
    at: Option<String>,
    /// The text in each cell, such as T,V or unit,address: levels, address, unit, index, thread, value or bank.
    #[arg(long, value_name = "WHAT,..", value_delimiter = ',')]
    labels: Vec<String>,
    /// The most blocks of a large tensor along a side (2 to 64; 16 by default).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=64))]
    blocks: Option<u64>,
    /// The most panels: less detail of a large tensor, or fewer leading indexes (8 by default).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    panels: Option<u16>,
    /// The title, instead of the text of the layout.
    #[arg(long, value_name = "TEXT", value_parser = title)]
    title: Option<String>,
    /// Leave out the title, the captions and the notes.
    #[arg(long, conflicts_with = "title")]
    no_caption: bool,
    /// The background of the picture.
    #[arg(long, value_enum, default_value_t)]
    background: Behind,
    /// The format (by default from the extension of FILE, else text).
    #[arg(long, value_enum)]
    format: Option<PictureFormat>,
    /// Write to a file (.svg, .png, .pdf, .gif, .html or .txt), which appears only when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    color: Colored,
}

/// [`Drawing::most_blocks`] for each of several matrices: 128 rows and columns, 4096 elements.
const BLOCKS_OF_MATRICES: u64 = 32;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum View {
    /// The tensor, cell by cell.
    Tensor,
    /// The memories of the units.
    Machine,
    /// A film (.svg, .gif or .html) of the elements moving from the tensor into the memories, then into
    /// the memories of the second layout.
    Film,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Behind {
    /// A white page.
    #[default]
    White,
    /// A dark page.
    Dark,
    /// Nothing.
    None,
}

impl DrawArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let Drawn { output, color, .. } = &self.drawn;
        color.choose();
        let format = self.drawn.format()?;
        let bytes = match (self.drawn.view(), format) {
            (View::Film, _) => film(self, format)?,
            (_, PictureFormat::Html) => self.page()?.into_bytes(),
            _ => self.drawn.printed(&self.drawn.framed(picture(self)?), format)?,
        };
        write_to(output.as_deref(), |out| out.write_all(&bytes))
    }

    /// The layout on its machine, and the one beside it.
    fn placed(&self) -> Result<(PlacementSource, Option<PlacementSource>), Failure> {
        let Some(after) = &self.after else {
            return Ok((self.on.place(self.reading.read(&self.layout)?)?, None));
        };
        let (before, after) = self.reading.read_two(&self.layout, after)?;
        let (before, after) = self.on.place_two(before, after)?;
        Ok((before, Some(after)))
    }

    /// The matrices of an instruction that is named without a letter, which are drawn together.
    fn matrices(&self) -> Option<Result<[Atom; 3], ParseError>> {
        let is_alone = self.after.is_none() && !self.reading.is_said();
        Atom::matrices(&self.layout).filter(|_| is_alone && self.drawn.view() == View::Tensor)
    }

    /// The page of `explore`, with the answers for these layouts embedded.
    fn page(&self) -> Result<String, Failure> {
        if let Some(option) = self.drawn.narrowing() {
            return Err(Failure::Argument(format!(
                "{option} does not go with .html: the page shows the whole layout"
            )));
        }
        let read = |text: &String| self.reading.read(text).map(|text| text.to_string());
        let mut question = explore::Question::on(&self.on)?;
        question.layout = read(&self.layout)?;
        question.after = self.after.as_ref().map_or(Ok(String::new()), read)?;
        explore::page_of(&question)
    }
}

impl Drawn {
    fn is_by_bank(&self) -> bool {
        self.by.as_deref() == Some("bank")
    }

    /// The width of the elements, on which the option and the type in a text agree.
    fn element_bits(&self, syntax: &LayoutText) -> Result<u64, Failure> {
        match (self.bits, syntax.element_bits()) {
            (Some(bits), Some(other)) if bits != other => Err(Failure::Argument(format!(
                "the elements have {bits} bits by --bits, but {other} by the type in `{syntax}`"
            ))),
            (given, written) => Ok(given.or(written).unwrap_or(32)),
        }
    }

    /// The format from the option, or from the name of the file.
    fn format(&self) -> Result<PictureFormat, Failure> {
        let Some(path) = self.output.as_deref() else {
            return Ok(self.format.unwrap_or(PictureFormat::Text));
        };
        if let (Some(format), "") = (self.format, &*extension_of(path)) {
            return Ok(format);
        }
        match (self.format, PictureFormat::of(path)?) {
            (Some(said), Some(named)) if said != named => Err(Failure::Argument(format!(
                "--format {} contradicts the name of the file, which ends in .{}",
                said.name(),
                extension_of(path)
            ))),
            (said, named) => Ok(said.or(named).unwrap_or(PictureFormat::Text)),
        }
    }

    /// The kind of picture that is asked for: a .gif is a film.
    fn view(&self) -> View {
        let is_gif = || matches!(self.format(), Ok(PictureFormat::Gif));
        self.view.unwrap_or_else(|| if is_gif() { View::Film } else { View::Tensor })
    }

    /// The first given option that chooses a part or the looks of a picture.
    fn narrowing(&self) -> Option<&'static str> {
        let given = [
            ("--slice", self.slice.is_some()),
            ("--zoom", self.zoom.is_some()),
            ("--at", self.at.is_some()),
            ("--labels", !self.labels.is_empty()),
            ("--blocks", self.blocks.is_some()),
            ("--panels", self.panels.is_some()),
            ("--title", self.title.is_some()),
            ("--no-caption", self.no_caption),
            ("--background", self.background != Behind::White),
            ("--by", self.by.is_some()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// A picture with the frame that is asked for.
    fn framed(&self, mut picture: Picture) -> Picture {
        picture.background = match self.background {
            Behind::White => Background::White,
            Behind::Dark => Background::Dark,
            Behind::None => Background::Clear,
        };
        if self.no_caption {
            return picture.without_captions();
        }
        Picture { title: self.title.clone().unwrap_or(picture.title), ..picture }
    }

    fn printed(&self, picture: &Picture, format: PictureFormat) -> Result<Vec<u8>, Failure> {
        match format {
            PictureFormat::Png => png(picture),
            PictureFormat::Pdf => pdf(picture),
            PictureFormat::Gif => Err(Failure::Advised(
                "a .gif is a film, and --view asks for a picture".into(),
                "leave out --view, or write .png".into(),
            )),
            PictureFormat::Svg | PictureFormat::Html => Ok(picture.to_svg().into_bytes()),
            PictureFormat::Text => {
                let colored = is_colored(self.output.is_none());
                if self.by.is_some() && !self.is_by_bank() && !colored {
                    note("--by has no effect on text without colours; try --color always, or .svg");
                }
                if self.background != Behind::White {
                    note("--background has no effect on text");
                }
                Ok(picture.to_text(width(), colored).into_bytes())
            }
        }
    }

    /// Checks that no option of another view is given.
    fn check_view(&self, after: Option<&String>) -> Result<(), Failure> {
        let tensor = self.slice.is_some() || self.by.is_some() || self.zoom.is_some();
        let tensor = tensor || !self.labels.is_empty();
        match self.view() {
            View::Film if self.is_by_bank() => {
                Err(Failure::Argument("--by bank goes with the tensor, not with a film".into()))
            }
            View::Film => match self.narrowing().filter(|option| *option != "--by") {
                None => Ok(()),
                Some(option) => Err(Failure::Argument(format!(
                    "{option} does not go with a film, which shows the whole layout"
                ))),
            },
            View::Machine if after.is_some() => Err(Failure::Advised(
                "--view machine draws one layout".into(),
                "leave out --view to compare two, or use --view film".into(),
            )),
            View::Machine if tensor => Err(Failure::Argument(
                "--slice, --zoom, --labels and --by go with the tensor, not with --view machine"
                    .into(),
            )),
            View::Tensor if self.at.is_some() => {
                Err(Failure::Argument("--at goes with --view machine".into()))
            }
            _ => Ok(()),
        }
    }
}

/// A title, which pictures cannot hold with control characters.
fn title(text: &str) -> Result<String, String> {
    match text.contains(char::is_control) {
        true => Err("a picture cannot show control characters".into()),
        false => Ok(text.into()),
    }
}

/// The film of one layout or two.
fn film(args: &DrawArgs, format: PictureFormat) -> Result<Vec<u8>, Failure> {
    args.drawn.check_view(args.after.as_ref())?;
    let (before, after) = args.placed()?;
    let after = after.as_ref().map(|after| drawing(&args.drawn, after)).transpose()?;
    let film = drawing(&args.drawn, &before)?.film(after.as_ref().as_slice())?;
    printed_film(&film, format)
}

fn picture(args: &DrawArgs) -> Result<Picture, Failure> {
    args.drawn.check_view(args.after.as_ref())?;
    let shows_banks =
        args.drawn.is_by_bank() || args.drawn.labels.iter().any(|label| label == "bank");
    if args.drawn.bits.is_some() && !shows_banks {
        note("--bits has no effect without --by bank or --labels bank");
    }
    if let Some(atoms) = args.matrices() {
        return matrices(args, &atoms?).map_err(without_letter);
    }
    let (before, after) = args.placed()?;
    let left = drawing(&args.drawn, &before)?;
    if let Some(after) = &after {
        if args.drawn.zoom.is_some() {
            note("--zoom has no effect on two layouts");
        }
        return Ok(left.before_and_after(&drawing(&args.drawn, after)?)?);
    }
    if args.drawn.zoom.is_some() && left.is_small() {
        note("--zoom has no effect: every element is drawn");
    }
    Ok(match args.drawn.view() {
        View::Machine => {
            if args.drawn.blocks.is_some() {
                note("--blocks has no effect with --view machine");
            }
            left.memory()?
        }
        View::Tensor | View::Film => left.tensor(),
    })
}

/// The error about an instruction whose letter was not typed, without the text that has it.
fn without_letter(failure: Failure) -> Failure {
    match failure {
        Failure::Text(error, advice) => {
            let help = advice.or_else(|| error.help().map(str::to_owned));
            Failure::Advised(error.kind().to_string(), help.unwrap_or_default())
        }
        failure => failure,
    }
}

/// A beside C, B above it, coloured by lane.
fn matrices(args: &DrawArgs, [a, b, c]: &[Atom; 3]) -> Result<Picture, Failure> {
    let Drawn { slice, zoom, .. } = &args.drawn;
    if slice.is_some() || zoom.is_some() {
        return Err(Failure::Advised(
            "--slice and --zoom go with one matrix of an instruction".into(),
            format!("name it, as in `{c}`"),
        ));
    }
    let place = |atom: &Atom| args.on.place(LayoutText::Atom(atom.clone()));
    let held = |atom: &Atom| (!atom.is_in_shared_memory()).then(|| place(atom)).transpose();
    let (left, above, result) = (held(a)?, held(b)?, place(c)?);
    let shared = [(a, &left), (b, &above)].into_iter().filter(|(_, held)| held.is_none());
    let note =
        |(atom, _): (&Atom, _)| format!("{atom} is read from shared memory: no thread holds it");
    let notes: Vec<String> = shared.map(note).collect();
    let left = left.as_ref().map(|source| matrix(&args.drawn, source)).transpose()?;
    let above = above.as_ref().map(|source| matrix(&args.drawn, source)).transpose()?;
    let result = matrix(&args.drawn, &result)?.title(&args.layout);
    let mut picture = result.with_factors(left.as_ref(), above.as_ref());
    picture.notes.extend(notes);
    Ok(picture)
}

/// One of the matrices of an instruction, by default coloured by lane.
fn matrix<'a>(args: &Drawn, source: &'a PlacementSource) -> Result<Drawing<'a>, Failure> {
    let syntax = &source.syntax;
    let mut drawing = drawing(args, source)?.most_blocks(BLOCKS_OF_MATRICES);
    if args.by.is_none() {
        drawing = drawing.by(Level::LANE);
    }
    if drawing.is_small() {
        return Ok(drawing);
    }
    let (rows, columns) = (drawing.slots(0), drawing.slots(1));
    Err(Failure::Advised(
        format!(
            "`{syntax}` is {rows} x {columns}; the matrices of an instruction are drawn together if each has at \
             most 128 rows, 128 columns and 4096 elements"
        ),
        format!("draw one matrix at a time: `tensor-layout draw {syntax}`"),
    ))
}

fn drawing<'a>(
    args: &Drawn,
    PlacementSource { placement, syntax }: &'a PlacementSource,
) -> Result<Drawing<'a>, Failure> {
    let bits = args.element_bits(syntax)?;
    if args.is_by_bank() && placement.layout().uses(Level::LANE) {
        return Err(Failure::Argument(format!(
            "--by bank is for layouts of shared memory; `{syntax}` is one of lanes"
        )));
    }
    let labels = labels("--labels", &args.labels, placement, bits)?;
    let mut drawing = titled(placement, syntax).labels(&labels);
    if let Some(most) = args.blocks {
        drawing = drawing.most_blocks(most);
    }
    if let Some(most) = args.panels {
        drawing = drawing.most_panels(usize::from(most));
    }
    if args.is_by_bank() {
        drawing = drawing.banks(bits);
    } else if let Some(level) = &args.by {
        drawing = drawing.by(column("--by", Level::new(level)?, placement)?);
    }
    if let Some(at) = &args.at {
        drawing = drawing.at(unit(at, placement)?);
    }
    for (axis, range) in args.slice.as_deref().map_or(Ok(Vec::new()), slices)? {
        drawing = drawing.slice(axis, range)?;
    }
    for (axis, index) in args.zoom.as_deref().map_or(Ok(Vec::new()), indexes)? {
        drawing = drawing.zoom(axis, index)?;
    }
    Ok(drawing)
}

/// The unit or subtree of a place.
fn unit(text: &str, placement: &Placement) -> Result<Location, Failure> {
    let at = location(text)?;
    check_columns(placement, &at)?;
    for (level, coordinate) in at.iter() {
        let size = placement.coordinates(level);
        if level.is_in_unit() {
            return Err(Failure::Argument(format!("--at: `{level}` does not name a unit")));
        }
        if coordinate >= size {
            return Err(Failure::Argument(format!(
                "--at: `{level}={coordinate}` is out of range: there are {size}, counted from 0"
            )));
        }
    }
    Ok(at)
}

/// `i0=0:16,i1=8:16`
fn slices(text: &str) -> Result<Vec<(usize, Range<u64>)>, Failure> {
    let range = |text: &str| {
        let (start, stop) = text.split_once(':')?;
        Some(start.parse().ok()?..stop.parse().ok()?)
    };
    let slices =
        of_axes(text, range, "--slice", "a range of an axis; expected a range such as 0=0:16")?;
    match slices.iter().find(|(_, range)| range.is_empty()) {
        None => Ok(slices),
        Some((axis, Range { start, end })) => Err(Failure::Argument(format!(
            "--slice: {start}:{end} is an empty range of axis {axis}; it must end after its start"
        ))),
    }
}

/// `i0=128,i1=0`
fn indexes(text: &str) -> Result<Vec<(usize, u64)>, Failure> {
    let index = |text: &str| text.parse().ok();
    of_axes(text, index, "--zoom", "an index of an axis; expected an index such as i0=128")
}

fn of_axes<T>(
    text: &str,
    value: impl Fn(&str) -> Option<T>,
    option: &str,
    expected: &str,
) -> Result<Vec<(usize, T)>, Failure> {
    let item = |item: &str| {
        let (axis, text) = item.trim().split_once('=')?;
        Some((axis_number(axis)?, value(text.trim())?))
    };
    let why = |text: &str| Failure::Argument(format!("{option}: `{text}` is not {expected}"));
    let items = text.split(',').map(|text| item(text).ok_or_else(|| why(text)));
    let items: Vec<(usize, T)> = items.collect::<Result<_, _>>()?;
    match items.iter().map(|(axis, _)| axis).duplicates().next() {
        Some(axis) => Err(Failure::Argument(format!("{option}: axis {axis} is given twice"))),
        None => Ok(items),
    }
}
