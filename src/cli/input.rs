//! From arguments to a placement, and bad input to a message.

use std::fmt;
use std::io::{self, Read};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level as Severity, Renderer, Snippet};
use tensor_layout::error::Excerpt;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::xla::XlaParser;
use tensor_layout::{LayoutError, LayoutText, Location, Machine, ParseError, Placement};

use super::args::{On, Place, Source};

/// Why the command did not do what it was asked.
#[derive(Debug)]
pub(super) enum Failure {
    /// A text is refused.
    Text(ParseError),
    /// A meaning is refused, and no text is at hand to point into.
    Meaning(LayoutError),
    /// Something else about the arguments.
    Argument(String),
    /// Reading or writing failed.
    Io(String, io::Error),
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure::Text(error)
    }
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        Failure::Meaning(error)
    }
}

impl Failure {
    /// Prints the message to stderr; a reader that went away is no failure.
    pub(super) fn report(self) -> ExitCode {
        if let Failure::Io(_, error) = &self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        eprintln!("{self}");
        ExitCode::from(2)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Text(error) => f.write_str(&snippet(error)),
            Failure::Meaning(error) => {
                write!(f, "error: {error}")?;
                error.help().map_or(Ok(()), |help| write!(f, "\n  = help: {help}"))
            }
            Failure::Argument(message) => write!(f, "error: {message}"),
            Failure::Io(what, error) => write!(f, "error: {what}: {error}"),
        }
    }
}

/// The refusal as the compilers of the field draw it.
fn snippet(error: &ParseError) -> String {
    let Excerpt { line, text, mark, related, .. } = error.excerpt();
    let bytes = |range: (usize, usize)| byte(&text, range.0)..byte(&text, range.1);
    let mut source = Snippet::source(text.as_str())
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(bytes(mark)));
    if let Some(related) = related {
        source = source.annotation(AnnotationKind::Context.span(bytes(related)));
    }
    let title = error.kind().to_string();
    let mut group = Severity::ERROR.primary_title(title.as_str()).element(source);
    if let Some(help) = error.help() {
        group = group.element(Severity::HELP.message(help));
    }
    Renderer::plain().render(&[group])
}

/// The byte at which the `at`th character of `text` begins.
fn byte(text: &str, at: usize) -> usize {
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
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
            "`{text}` is no machine (mn-core, mn-core-2, levels such as L2B=4,PE=4) and no TOML file"
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
                "{what}: `{shown}` is no number up to {}; expected numbers such as 100,37",
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
