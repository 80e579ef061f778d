//! From arguments to texts, layouts and placements.

use std::io::{self, Read};

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::xla::XlaParser;
use tensor_layout::{LayoutText, Location, Machine, Placement};

use super::failure::Failure;

// Structs that commands flatten have plain comments: clap would take doc comments for the help.

// A layout in some notation.
#[derive(Debug, ClapArgs)]
pub(super) struct Source {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    /// How to read LAYOUT, if not by its look.
    #[arg(long, value_enum)]
    pub(super) from: Option<NotationArg>,
    /// Take XLA shapes as people write them: F32, ∗, attributes in any order.
    #[arg(long)]
    pub(super) lenient: bool,
}

// A layout and where it is placed.
#[derive(Debug, ClapArgs)]
pub(super) struct Place {
    #[command(flatten)]
    pub(super) source: Source,
    #[command(flatten)]
    pub(super) on: On,
}

// Where layouts are placed.
#[derive(Debug, ClapArgs)]
pub(super) struct On {
    /// mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    pub(super) machine: Option<String>,
    /// The memory, whose capacity is checked: LM0, LM1, DRAM, ..
    #[arg(long, value_name = "NAME")]
    pub(super) memory: Option<String>,
    /// The type of the elements: Float, Int, UInt, Long, ULong, Double, Half, Byte, UByte.
    #[arg(long, value_name = "DTYPE")]
    pub(super) dtype: Option<String>,
    /// The logical extents, where LAYOUT does not say them: 151936,1536.
    #[arg(long, value_name = "N,M,..")]
    pub(super) shape: Option<String>,
    /// The address of the first long word.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) base: u64,
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
}

impl From<NotationArg> for Notation {
    fn from(arg: NotationArg) -> Notation {
        match arg {
            NotationArg::PadLayout => Notation::PadLayout,
            NotationArg::Xla => Notation::Xla,
            NotationArg::Cute => Notation::Cute,
            NotationArg::Strided => Notation::Strided,
        }
    }
}

/// A placement, and the text that it was read from, to point refusals at.
pub(super) struct Placed {
    pub(super) placement: Placement,
    pub(super) syntax: LayoutText,
}

impl Source {
    pub(super) fn read(&self) -> Result<LayoutText, Failure> {
        let text = self.text()?;
        let notation = self.from.map_or_else(|| Notation::of(&text), Notation::from);
        let xla = if self.lenient { XlaParser::lenient() } else { XlaParser::strict() };
        Ok(LayoutText::parse_as(notation, xla, text.trim_end())?)
    }

    /// The text, with a shape that may be given separately.
    pub(super) fn shaped(&self, shape: Option<&str>) -> Result<LayoutText, Failure> {
        match (shape, self.read()?) {
            (Some(shape), LayoutText::PadLayout(tree)) => {
                let shape = numbers("--shape", shape)?;
                Ok(LayoutText::PadLayout(tree.with_shape(shape)?))
            }
            (Some(_), _) => Err(Failure::Argument("--shape: the text says its own shape".into())),
            (None, syntax) => Ok(syntax),
        }
    }

    fn text(&self) -> Result<String, Failure> {
        if self.layout != "-" {
            return Ok(self.layout.clone());
        }
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::Io("standard input".into(), error))?;
        String::from_utf8(bytes)
            .map_err(|_| Failure::Argument("standard input is not UTF-8".into()))
    }
}

impl Place {
    pub(super) fn placement(&self) -> Result<Placed, Failure> {
        self.on.place(self.shaped()?)
    }

    /// The text, with the shape that was given separately.
    pub(super) fn shaped(&self) -> Result<LayoutText, Failure> {
        self.source.shaped(self.on.shape.as_deref())
    }
}

impl On {
    /// Places a text that was read already: standard input can be read once only.
    pub(super) fn place(&self, syntax: LayoutText) -> Result<Placed, Failure> {
        let layout = syntax.lower()?;
        let mut builder = Placement::of(layout).base(self.base);
        if let Some(machine) = &self.machine {
            builder = builder.on(&machine_of(machine)?);
        }
        if syntax.is_function() {
            builder = builder.shared_places();
        }
        let (memory, dtype) = self.suffix(&syntax)?;
        if let Some(memory) = memory {
            builder = builder.memory(&memory);
        }
        if let Some(dtype) = dtype {
            builder = builder.element_bits(dtype.bits());
        }
        let placement = builder.build().map_err(|error| syntax.refuse(error))?;
        Ok(Placed { placement, syntax })
    }

    /// Memory and dtype, as given or else as written.
    fn suffix(&self, syntax: &LayoutText) -> Result<(Option<String>, Option<Dtype>), Failure> {
        let dtype = self.dtype.as_deref().map(str::parse::<Dtype>).transpose()?;
        match syntax {
            LayoutText::PadLayout(tree) => {
                let written = tree.memory().map(|memory| memory.name().to_owned());
                Ok((self.memory.clone().or(written), dtype.or(tree.dtype())))
            }
            _ if self.memory.is_some() || dtype.is_some() => Err(Failure::Argument(
                "--memory and --dtype go with PadLayout text: its addresses count long words, \
                 those of other notations count elements"
                    .into(),
            )),
            _ => Ok((None, None)),
        }
    }
}

pub(super) fn machine_of(text: &str) -> Result<Machine, Failure> {
    // A name with `=` is a tree, a preset is known by name, the rest are files.
    if text.contains('=') || Machine::preset(text).is_some() {
        return Ok(text.parse()?);
    }
    let toml = std::fs::read_to_string(text).map_err(|error| {
        let what = format!(
            "`{text}` is not a known machine (mn-core, mn-core-2, or levels such as L2B=4,PE=4), nor a TOML file that can be read"
        );
        Failure::Io(what, error)
    })?;
    Ok(Machine::from_toml(&toml)?)
}

/// `1,2,3`; nothing is the empty list.
pub(super) fn numbers(what: &str, text: &str) -> Result<Vec<u64>, Failure> {
    let number = |item: &str| {
        let item = item.trim();
        let digits = !item.is_empty() && item.bytes().all(|b| b.is_ascii_digit());
        item.parse().ok().filter(|_| digits).ok_or_else(|| {
            let shown: String = item.chars().take(40).collect();
            Failure::Argument(format!(
                "{what}: `{shown}` is not a number up to {}; expected numbers such as 100,37",
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

/// A layout from an argument of another one.
pub(super) fn argument(text: &str, lenient: bool) -> Result<LayoutText, Failure> {
    shaped_argument(text, lenient, None)
}

/// The same, with a shape that may be given separately.
pub(super) fn shaped_argument(
    text: &str,
    lenient: bool,
    shape: Option<&str>,
) -> Result<LayoutText, Failure> {
    let source = Source { layout: text.into(), from: None, lenient };
    source.shaped(shape)
}

/// A place such as `L2B=1,Addr=33`; nothing is the place without coordinates.
pub(super) fn location(text: &str) -> Result<Location, Failure> {
    if text.trim().is_empty() { Ok(Location::default()) } else { Ok(text.parse()?) }
}
