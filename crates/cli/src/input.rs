//! Texts on the command line and on standard input, and the notation that they are read in.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::notation::Notation;
use tensor_layout::xla::{XlaArray, XlaParser, XlaShape};
use tensor_layout::{LayoutText, ParseError};
use tensor_layout_hlo::jax_print;

use super::failure::{Failure, note};
use super::slips;
use tensor_layout_words::to_u64;

// Structs that commands flatten have plain comments: clap would take doc comments for the help.

// Options for reading the texts of layouts.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub(super) struct Reading {
    /// The notation of the layout (detected from the text by default).
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: Option<NotationArg>,
    /// Accept XLA shapes as people write them: F32, ∗, attributes in any order.
    #[arg(long)]
    lenient: bool,
    /// The logical shape, if LAYOUT does not include it, such as 151936,1536 for a PadLayout, or
    /// 128x64xf16 for a Triton encoding, where the type is optional.
    #[arg(long, value_name = "N,M,..")]
    shape: Option<String>,
    /// The member of an XLA tuple to use, such as 1.0.
    #[arg(long, value_name = "K[.L]..")]
    member: Option<String>,
}

// The form of a short answer.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Output")]
pub(super) struct Form {
    /// The output format.
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum TextOrJson {
    /// Human-readable text.
    #[default]
    Text,
    /// JSON for programs.
    Json,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(super) enum ReportFormat {
    /// A human-readable table.
    #[default]
    Text,
    /// JSON for programs.
    Json,
    /// CSV for spreadsheets.
    Csv,
}

impl Form {
    pub(super) fn is_json(self) -> bool {
        self.json || self.format == TextOrJson::Json
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum NotationArg {
    /// TensorLayout / PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
    /// CuTe shape:stride.
    Cute,
    /// shape=(..), strides=(..), as in NumPy and PyTorch.
    Strided,
    /// Triton encodings and linear layouts.
    Triton,
    /// A matrix of a matrix instruction, by name.
    Atom,
    /// An XLA shape followed by a comma and its sharding.
    Sharded,
}

impl From<NotationArg> for Notation {
    fn from(arg: NotationArg) -> Notation {
        match arg {
            NotationArg::PadLayout => Notation::PadLayout,
            NotationArg::Xla => Notation::Xla,
            NotationArg::Cute => Notation::Cute,
            NotationArg::Strided => Notation::Strided,
            NotationArg::Triton => Notation::Triton,
            NotationArg::Atom => Notation::Atom,
            NotationArg::Sharded => Notation::Sharded,
        }
    }
}

impl Reading {
    /// The options for the argument of an edit, whose notation is detected.
    pub(super) fn by_look(lenient: bool) -> Reading {
        Reading { lenient, ..Reading::default() }
    }

    /// The options for a layout whose shape is given separately, if it is.
    pub(super) fn of_shape(shape: Option<String>) -> Reading {
        Reading { shape, ..Reading::default() }
    }

    /// Returns whether any reading option was given.
    pub(super) fn is_said(&self) -> bool {
        let Reading { from, lenient, shape, member } = self;
        from.is_some() || *lenient || shape.is_some() || member.is_some()
    }

    pub(super) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Reads a layout, or standard input for `-`.
    pub(super) fn read(&self, argument: &str) -> Result<LayoutText, Failure> {
        let syntax = self.parse(argument, slips::refused)?;
        self.note_lenient(&[&syntax]);
        Ok(syntax)
    }

    /// Reads the layout of a step, to which options for the first layout need not apply.
    pub(super) fn read_operand(&self, argument: &str) -> Result<LayoutText, Failure> {
        self.parse(argument, slips::refused_operand)
    }

    /// Reads two layouts, one of which may come from standard input.
    pub(super) fn read_two(
        &self,
        first: &str,
        second: &str,
    ) -> Result<(LayoutText, LayoutText), Failure> {
        if (first, second) == ("-", "-") {
            let why = "standard input can be read only once; write one of the layouts out";
            return Err(Failure::Argument(why.into()));
        }
        let read = |text| self.parse(text, slips::refused);
        let (first, second) = (read(first)?, read(second)?);
        self.note_lenient(&[&first, &second]);
        note_spaces(&first, &second);
        Ok((first, second))
    }

    fn parse(
        &self,
        argument: &str,
        refused: impl Fn(ParseError, &str, bool) -> Failure,
    ) -> Result<LayoutText, Failure> {
        let text = text_of(argument)?;
        let text = text.trim_start_matches('\u{feff}').trim_end();
        let notation = self.from.map_or_else(|| Notation::of(text), Notation::from);
        let xla = if self.lenient { XlaParser::lenient() } else { XlaParser::strict() };
        let syntax = LayoutText::parse_as(notation, xla, text);
        let is_free = matches!(self.from, None | Some(NotationArg::Xla | NotationArg::Sharded));
        let syntax = syntax.or_else(|error| match shape_of_line(text).filter(|_| is_free) {
            Some(shape) => {
                if text.contains(", sharding=") {
                    note(
                        "the sharding is ignored: it is that of a tuple, whose members `scan` lists, or it \
                         cannot be read",
                    );
                }
                Ok(LayoutText::Xla(shape))
            }
            None => match jax_print(text).filter(|_| is_free) {
                Some(Ok(layout)) => {
                    note(&format!("read as `{layout}`"));
                    Ok(LayoutText::parse(&layout)?)
                }
                Some(Err(why)) => Err(Failure::Advised(why.to_string(), why.help().unwrap_or_default())),
                None => Err(refused(error, text, self.lenient)),
            },
        })?;
        self.shaped(self.member_of(syntax)?)
    }

    fn note_lenient(&self, texts: &[&LayoutText]) {
        let is_xla =
            |text: &&LayoutText| matches!(text, LayoutText::Xla(_) | LayoutText::Sharded(_));
        if self.lenient && !texts.iter().any(is_xla) {
            note("--lenient has no effect: it is for XLA shapes");
        }
    }

    /// The text, with its shape if that is given separately.
    pub(super) fn shaped(&self, syntax: LayoutText) -> Result<LayoutText, Failure> {
        match (&self.shape, syntax) {
            (Some(shape), LayoutText::PadLayout(tree)) => {
                let shape = numbers("--shape", shape)?;
                Ok(LayoutText::PadLayout(tree.with_shape(shape)?))
            }
            (Some(shape), LayoutText::Triton(layout)) => {
                let (shape, element) = triton_shape(shape);
                let shape = numbers("--shape", &shape)?;
                Ok(LayoutText::Triton(layout.with_shape(shape, element.as_deref())?))
            }
            (Some(_), _) => Err(Failure::Argument(
                "--shape is for PadLayouts and encodings of Triton; texts of other notations carry \
                 their shape"
                    .into(),
            )),
            (None, syntax) => Ok(syntax),
        }
    }

    /// The chosen member of a tuple.
    fn member_of(&self, syntax: LayoutText) -> Result<LayoutText, Failure> {
        let Some(member) = &self.member else { return Ok(syntax) };
        let LayoutText::Xla(shape) = &syntax else {
            return Err(Failure::Argument("--member is for XLA tuples".into()));
        };
        let canonical = shape.canonical();
        let arrays = canonical.arrays();
        let name = |path: &[usize]| path.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
        let found = arrays.iter().find(|(path, _)| !path.is_empty() && name(path) == *member);
        if let Some((_, array)) = found {
            return Ok(LayoutText::Xla(XlaShape::Array((*array).clone())));
        }
        let known: Vec<String> = arrays.iter().map(|(path, _)| name(path)).take(20).collect();
        let what = match known[..] {
            [ref only] if only.is_empty() => "the shape is a single array, not a tuple".into(),
            _ => format!("its arrays are {}", known.join(", ")),
        };
        Err(Failure::Argument(format!("--member: `{member}` is not an array of the shape: {what}")))
    }
}

/// The shape of an instruction: `%fusion.3 = f32[2]{0} fusion(..)`.
fn shape_of_line(text: &str) -> Option<XlaShape> {
    let (_, rest) = text.split_once(" = ")?;
    XlaShape::parse_prefix(rest.trim_start()).ok().map(|(shape, _)| shape)
}

/// Standard input, for its only reader.
pub(super) fn stdin() -> Result<io::Stdin, Failure> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    if IS_READ.swap(true, Ordering::Relaxed) {
        let why = "standard input can be read only once; write one of the inputs to a file";
        return Err(Failure::Argument(why.into()));
    }
    Ok(io::stdin())
}

/// A file or standard input, with its length if that is known, else 0.
pub(super) fn open(path: &str) -> Result<(Box<dyn BufRead + Send>, u64), Failure> {
    if path == "-" {
        return Ok((Box::new(BufReader::with_capacity(1 << 18, stdin()?)), 0));
    }
    if path.is_empty() {
        return Err(Failure::Argument("the name of the file is empty".into()));
    }
    let file = File::open(path).map_err(|error| Failure::Io(path.into(), error))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    Ok((Box::new(BufReader::with_capacity(1 << 18, file)), length))
}

/// Reads a whole text of at most `most` MiB: a device or a pipe may be endless.
pub(super) fn read_text(input: impl Read, most: u64) -> io::Result<String> {
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut bytes = Vec::new();
    input.take((most << 20) + 1).read_to_end(&mut bytes)?;
    if to_u64(bytes.len()) > most << 20 {
        return Err(invalid(format!("longer than {most} MiB, the limit for a text of this kind")));
    }
    String::from_utf8(bytes).map_err(|_| invalid("not UTF-8".into()))
}

/// The argument itself, or standard input for `-`.
pub(super) fn text_of(argument: &str) -> Result<String, Failure> {
    const MOST_MIB: u64 = 64;
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let text = read_text(stdin()?, MOST_MIB)
        .map_err(|error| Failure::Io("standard input".into(), error))?;
    match text.trim().is_empty() {
        true => Err(Failure::Advised(
            "standard input is empty".into(),
            "pipe a layout into the command, as in: echo '((4_PE, 3:8), (8:1))' | tensor-layout \
             explain -"
                .into(),
        )),
        false => Ok(text),
    }
}

/// A number on the command line: clap's own parsers report errors in Rust terms.
pub(super) fn count<N: FromStr>(text: &str) -> Result<N, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number.ok_or_else(|| format!("expected a number from 0 to {}", u64::MAX))
}

/// A number of things that are asked for.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    count(text).ok().filter(|number| *number > 0).ok_or_else(|| "expected a number from 1".into())
}

/// `1,2,3`; an empty text is the empty list.
pub(super) fn numbers(what: &str, text: &str) -> Result<Vec<u64>, Failure> {
    let number = |item: &str| {
        let item = item.trim();
        let digits = !item.is_empty() && item.bytes().all(|b| b.is_ascii_digit());
        item.parse().ok().filter(|_| digits).ok_or_else(|| {
            let shown: String = item.chars().take(40).collect();
            Failure::Argument(format!(
                "{what}: `{shown}` is not a whole number from 0 to {}; expected numbers such as 100,37",
                u64::MAX
            ))
        })
    };
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(',').map(number).collect()
}

/// The extents of `128x64xf16` as `128,64`, and the type that follows them.
fn triton_shape(text: &str) -> (String, Option<String>) {
    let is_extent = |part: &&str| part.trim().bytes().all(|byte| byte.is_ascii_digit());
    let parts = || text.split(['x', ',']);
    let extents = parts().take_while(is_extent).collect::<Vec<_>>();
    let element = text.split(['x', ',']).skip(extents.len()).collect::<Vec<_>>().join("x");
    (extents.join(","), Some(element).filter(|element| !element.is_empty()))
}

/// The number of an axis: `1` or `i1`.
pub(super) fn axis_number(text: &str) -> Option<usize> {
    let text = text.trim();
    text.strip_prefix('i').unwrap_or(text).parse().ok()
}

/// Memory spaces are not part of the map.
fn note_spaces(first: &LayoutText, second: &LayoutText) {
    let space = |array: &XlaArray| array.layout.as_ref().map_or(0, |layout| layout.memory_space);
    if let (Some(a), Some(b)) = (first.xla_array(), second.xla_array())
        && space(a) != space(b)
    {
        note(&format!("memory spaces are not compared: S({}) and S({})", space(a), space(b)));
    }
}
