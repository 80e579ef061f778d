//! The conversion of arguments to texts, layouts and placements.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

use clap::{Args as ClapArgs, ValueEnum};
use tensor_layout::error::Site;
use tensor_layout::notation::{Dtype, Notation, ReplicaText};
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::xla::{XlaArray, XlaParser, XlaShape};
use tensor_layout::{LayoutError, LayoutText, Level, Location, Machine, ParseError, Placement};
use tensor_layout_hlo::jax_print;

use super::failure::{Failure, note};
use super::slips;
use tensor_layout::internals::to_u64;

// Structs that commands flatten have plain comments: clap would take doc comments for the help.

// Options for reading the texts of layouts.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Reading")]
pub(super) struct Reading {
    /// The notation of the layout (detected from the text by default).
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: Option<NotationArg>,
    /// Read XLA shapes as people write them: F32, ∗, attributes in any order.
    #[arg(long)]
    lenient: bool,
    /// The logical shape of a PadLayout that does not include it, for example 151936,1536; of an
    /// encoding of Triton, which may have its type behind it: 128x64xf16.
    #[arg(long, value_name = "N,M,..")]
    shape: Option<String>,
    /// The member of an XLA tuple, such as 1.0.
    #[arg(long, value_name = "K[.L]..")]
    member: Option<String>,
}

// A layout and its placement.
#[derive(Debug, ClapArgs)]
pub(super) struct Place {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) on: On,
}

// The placement of layouts, and the first address.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Placing")]
pub(super) struct On {
    #[command(flatten)]
    pub(super) machine: OnMachine,
    /// The address of the first long word.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = count::<u64>)]
    pub(super) base: u64,
}

// The machine and the memory that layouts are placed in.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Placing")]
pub(super) struct OnMachine {
    /// mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    pub(super) machine: Option<String>,
    /// The memory, whose capacity is checked: LM0, LM1, DRAM, ..
    #[arg(long, value_name = "NAME", requires = "machine")]
    pub(super) memory: Option<String>,
    /// The type of the elements, as in the suffix `@LM0 / Half`.
    #[arg(long, value_name = "DTYPE")]
    pub(super) dtype: Option<String>,
}

// The form of a short answer.
#[derive(Clone, Copy, Debug, ClapArgs)]
#[command(next_help_heading = "Output")]
pub(super) struct Form {
    /// The format of the answer.
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum TextOrJson {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
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
    /// Encodings and linear layouts of Triton.
    Triton,
    /// A matrix of a matrix instruction, by name.
    Atom,
    /// An XLA shape, a comma, and its sharding.
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

/// A placement, and the text that it was read from, for errors that point at it.
pub(super) struct PlacementSource {
    pub(super) placement: Placement,
    pub(super) syntax: LayoutText,
}

impl Reading {
    /// The options for an argument of an edit: its notation is detected.
    pub(super) fn by_look(lenient: bool) -> Reading {
        Reading { lenient, ..Reading::default() }
    }

    /// Returns whether any option about reading was given.
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

    /// Reads the layout of a step, where an option for the first one need not apply.
    pub(super) fn read_operand(&self, argument: &str) -> Result<LayoutText, Failure> {
        self.parse(argument, slips::refused_operand)
    }

    /// Reads two layouts, of which one may come from standard input.
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
        let syntax = syntax.or_else(|error| match shape_of_line(text) {
            Some(shape) => {
                if text.contains(", sharding=") {
                    note("the sharding of a tuple is not read here; scan lists its members");
                }
                Ok(LayoutText::Xla(shape))
            }
            None => match jax_print(text) {
                Some(Ok(layout)) => {
                    note(&format!("read as `{layout}`"));
                    Ok(LayoutText::parse(&layout)?)
                }
                Some(Err(why)) => Err(Failure::Advised(why.to_string(), why.instead().into())),
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

    /// The text, with a shape that may be given separately.
    fn shaped(&self, syntax: LayoutText) -> Result<LayoutText, Failure> {
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

/// A file or standard input, with its length if that is known, else 0.
pub(super) fn open(path: &str) -> Result<(Box<dyn BufRead>, u64), Failure> {
    if path == "-" {
        return Ok((Box::new(io::stdin().lock()), 0));
    }
    if path.is_empty() {
        return Err(Failure::Argument("the name of the file is empty".into()));
    }
    let file = File::open(path).map_err(|error| Failure::Io(path.into(), error))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    Ok((Box::new(BufReader::with_capacity(1 << 18, file)), length))
}

/// Reads a text of at most `most` MiB whole: a device or a pipe may have no end.
fn read_text(input: impl Read, most: u64) -> io::Result<String> {
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut bytes = Vec::new();
    input.take((most << 20) + 1).read_to_end(&mut bytes)?;
    if to_u64(bytes.len()) > most << 20 {
        return Err(invalid(format!("longer than {most} MiB, the limit for a text of this kind")));
    }
    String::from_utf8(bytes).map_err(|_| invalid("not UTF-8".into()))
}

/// The argument itself, or standard input for `-`.
fn text_of(argument: &str) -> Result<String, Failure> {
    const MOST_MIB: u64 = 64;
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let text = read_text(io::stdin().lock(), MOST_MIB)
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

impl Place {
    pub(super) fn placement(&self) -> Result<PlacementSource, Failure> {
        self.on.place(self.reading.read(&self.layout)?)
    }
}

impl On {
    /// Places a text that was read already: standard input can be read once only.
    pub(super) fn place(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.machine.get()?;
        self.machine.place_on(syntax, machine.as_ref(), |builder| builder.base(self.base))
    }

    /// As [`place`](On::place), and accepts a layout that is too large for the machine.
    pub(super) fn place_oversized(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.machine.get()?;
        let change = |builder: PlacementBuilder| builder.base(self.base).oversized();
        self.machine.place_on(syntax, machine.as_ref(), change)
    }

    /// Places two layouts of one tensor. Without a machine there is one unit, or as many as both
    /// layouts name.
    pub(super) fn place_two(
        &self,
        first: LayoutText,
        second: LayoutText,
    ) -> Result<(PlacementSource, PlacementSource), Failure> {
        let machine = match self.machine.get()? {
            Some(machine) => machine,
            None => least_machine(&first, &second)?,
        };
        let place = |syntax| {
            self.machine.place_on(syntax, Some(&machine), |builder| builder.base(self.base))
        };
        Ok((place(first)?, place(second)?))
    }

    /// Returns whether any option about the place was given.
    pub(super) fn is_said(&self) -> bool {
        self.machine.is_said() || self.base != 0
    }
}

impl OnMachine {
    pub(super) fn is_said(&self) -> bool {
        self.machine.is_some() || self.dtype.is_some()
    }

    pub(super) fn place(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.get()?;
        self.place_on(syntax, machine.as_ref(), |builder| builder)
    }

    /// The machine, if one was given.
    pub(super) fn get(&self) -> Result<Option<Machine>, Failure> {
        self.machine.as_deref().map(machine_of).transpose()
    }

    pub(super) fn place_on(
        &self,
        syntax: LayoutText,
        machine: Option<&Machine>,
        change: impl FnOnce(PlacementBuilder) -> PlacementBuilder,
    ) -> Result<PlacementSource, Failure> {
        // Devices are counted through the tree of `--machine`; without one, the mesh is the machine.
        let (layout, mesh) = match (&syntax, machine) {
            (_, Some(tree)) if self.machine.is_some() => (syntax.lower_on(tree)?, None),
            (LayoutText::Sharded(shape), None) => (syntax.lower()?, shape.machine()?),
            _ => (syntax.lower()?, None),
        };
        let machine = machine.or(mesh.as_ref());
        self.note_unused(&syntax, machine);
        let mut builder = change(Placement::of(layout));
        if let Some(machine) = machine {
            builder = builder.on(machine);
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
        Ok(PlacementSource { placement, syntax })
    }

    /// Notes the copies that nothing counts: the machine gives the number of units, the dtype that
    /// of lanes, and nothing that of time steps.
    fn note_unused(&self, syntax: &LayoutText, machine: Option<&Machine>) {
        let LayoutText::PadLayout(tree) = syntax else { return };
        let is_counted = |level: Level| machine.is_some_and(|m| m.size(level).is_some());
        let has_dtype = self.dtype.is_some() || tree.dtype().is_some();
        for replica in tree.broadcast() {
            let ReplicaText::Bare(level) = *replica else { continue };
            let missing = match level {
                Level::TIME => "the number of time steps, as in `B@[2_Time:1]`",
                Level::W if machine.is_none() => {
                    "--machine and a dtype, which give the number of lanes"
                }
                Level::W if !has_dtype => "a dtype, which gives the number of lanes",
                level if level.is_unit() && !is_counted(level) => {
                    "--machine, which gives the number of units"
                }
                _ => continue,
            };
            note(&format!("`B@[{level}]` has no effect without {missing}"));
        }
    }

    /// Memory and dtype, as given or else as written; they must not contradict each other.
    pub(super) fn suffix(
        &self,
        syntax: &LayoutText,
    ) -> Result<(Option<String>, Option<Dtype>), Failure> {
        let dtype = self.dtype.as_deref().map(str::parse::<Dtype>).transpose()?;
        match syntax {
            LayoutText::PadLayout(tree) => {
                let written = tree.memory().map(|memory| memory.name().to_owned());
                let memory = one_of("--memory", self.memory.clone(), written)?;
                let names = (dtype.map(Dtype::name), tree.dtype().map(Dtype::name));
                one_of("--dtype", names.0.map(str::to_owned), names.1.map(str::to_owned))?;
                Ok((memory, dtype.or(tree.dtype())))
            }
            _ if self.memory.is_some() || dtype.is_some() => Err(Failure::Argument(
                "--memory and --dtype are for PadLayouts, whose addresses count long words; \
                 addresses of other notations count elements"
                    .into(),
            )),
            _ => Ok((None, None)),
        }
    }
}

/// The value of the option, or else of the suffix of the text.
fn one_of(
    option: &str,
    given: Option<String>,
    written: Option<String>,
) -> Result<Option<String>, Failure> {
    match (given, written) {
        (Some(given), Some(written)) if given != written => Err(Failure::Argument(format!(
            "{option} {given} contradicts `{written}` at the end of the layout"
        ))),
        (given, written) => Ok(given.or(written)),
    }
}

/// The units that two layouts name, or one.
pub(super) fn least_machine(first: &LayoutText, second: &LayoutText) -> Result<Machine, Failure> {
    let layouts = [first.lower()?, second.lower()?];
    let mut levels: Vec<Level> =
        layouts.iter().flat_map(|layout| layout.used_levels().iter().copied()).collect();
    levels.retain(|level| level.is_unit());
    levels.sort();
    levels.dedup();
    let size = |level: Level| layouts.iter().map(|layout| layout.extent(level)).max().unwrap_or(1);
    let mut builder = Machine::builder("of the two layouts");
    for level in &levels {
        builder = builder.level(*level, size(*level));
    }
    if levels.is_empty() {
        builder = builder.level(Level::new("Unit")?, 1);
    }
    Ok(builder.build()?)
}

pub(super) fn machine_of(text: &str) -> Result<Machine, Failure> {
    // A name with `=` is a tree, a preset is known by name, the rest are files.
    if text.contains('=') || Machine::preset(text).is_some() {
        return Ok(text.parse()?);
    }
    let is_path = std::path::Path::new(text).exists() || text.contains(['/', '.']);
    if !is_path {
        return Err(Failure::Advised(
            format!("`{text}` is not a known machine"),
            Machine::meant_by(text).map_or_else(
                || {
                    "a machine is mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file"
                        .into()
                },
                |name| format!("did you mean `{name}`?"),
            ),
        ));
    }
    const MOST_MIB: u64 = 1;
    let toml = File::open(text).and_then(|file| read_text(file, MOST_MIB));
    let toml =
        toml.map_err(|error| Failure::Io(format!("the machine `{text}` cannot be read"), error))?;
    Ok(Machine::from_toml(&toml)?)
}

/// A number on the command line: clap's own parsers report errors in the words of Rust.
pub(super) fn count<N: FromStr>(text: &str) -> Result<N, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits);
    number.ok_or_else(|| format!("expected a number from 0 to {}", u64::MAX))
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

/// The extents of `128x64xf16` as `128,64`, and the type behind them.
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

/// The notation of places.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(super) enum PlaceForm {
    /// L2B=1,L1B=4,..,Addr=33.
    #[default]
    Levels,
    /// $lm66n0c1b4m1p1, on a machine with assembly and in a memory.
    Assembly,
}

/// A place of the memory as assembly writes it; a lane, which it cannot name, behind it.
pub(super) fn in_assembly(placement: &Placement, place: &Location) -> Result<String, Failure> {
    let memory = placement.memory().map_or("", |(name, _)| name);
    let Some(machine) = placement.machine() else {
        let why = "--as assembly: the letters of memories and units belong to a machine".into();
        return Err(Failure::Advised(why, "add --machine mn-core-2".into()));
    };
    let text = machine.to_assembly(memory, place)?;
    Ok(match place.get(Level::W) {
        Some(lane) => format!("{text},W={lane}"),
        None => text,
    })
}

/// A place in levels, or as assembly writes it: `$lm66n0c1b4m1p1`, or with a lane `$lm66n0c1b4m1p1,W=1`.
pub(super) fn place_of(placement: &Placement, text: &str) -> Result<Location, Failure> {
    let (Some(machine), true) = (placement.machine(), text.trim_start().starts_with('$')) else {
        return location(text);
    };
    let (text, lane) =
        text.trim().split_once(',').map_or((text.trim(), None), |(a, b)| (a, Some(b)));
    let (memory, mut place) = machine.read_assembly(text)?;
    let placed = placement.memory().map(|(name, _)| name);
    if placed.is_some_and(|name| name != memory) {
        let why =
            format!("`{text}` is in {memory}, and the layout is in {}", placed.unwrap_or_default());
        return Err(Failure::Argument(why));
    }
    for (level, at) in lane.map(location).transpose()?.unwrap_or_default().iter() {
        place.set(level, at);
    }
    Ok(place)
}

/// A place such as `L2B=1,Addr=33`; nothing is the place without coordinates.
pub(super) fn location(text: &str) -> Result<Location, Failure> {
    if text.trim().is_empty() {
        let why = "the coordinates are an empty text".to_owned();
        return Err(Failure::Advised(why, "write a level and its coordinate, as in PE=2".into()));
    }
    Ok(text.parse()?)
}

/// Rejects coordinates in levels that places of the layout do not have.
pub(super) fn check_columns(placement: &Placement, place: &Location) -> Result<(), Failure> {
    let columns = placement.columns();
    match place.iter().find(|(level, _)| !columns.contains(level)) {
        None => Ok(()),
        Some((level, _)) => Err(LayoutError::LevelUnknown {
            level,
            machine: "layout".into(),
            known: columns.iter().map(Level::as_str).collect::<Vec<_>>().join(", "),
            site: Site::Layout,
        }
        .into()),
    }
}
