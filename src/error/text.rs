//! Refusals of a text: the kind, the span, and a message that shows the place.

use std::fmt;

use tensor_layout_words::Unexpected;

use super::{LayoutError, Span};
use crate::level::Level;

/// The reason a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Another token is expected here.
    Expected(Vec<&'static str>),
    /// A number beyond `u64`.
    NumberTooLarge,
    /// A known level in the wrong case.
    MisspeltLevel(Level),
    /// A level joined by something other than `_`.
    Joint(Level),
    /// Something that is not the name of a level.
    LevelName,
    /// A name that appears twice.
    Duplicate,
    /// Blanks inside a subaxis.
    Blank,
    /// Text of a notation that this crate does not read.
    OtherNotation(&'static str),
    /// Text that does not begin like any notation.
    NotALayout,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Well-formed text whose numbers are invalid, in the words of the notation's own tools.
    Invalid(String),
    /// Nesting deeper than the limit.
    TooDeep(usize),
    /// The text is well-formed, but its meaning is invalid.
    Meaning(LayoutError),
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseErrorKind::Expected(what) => write!(f, "expected {}", alternatives(what)),
            ParseErrorKind::NumberTooLarge => f.write_str("the number does not fit in 64 bits"),
            ParseErrorKind::MisspeltLevel(_) => f.write_str("unknown level"),
            ParseErrorKind::Joint(_) => f.write_str("expected `_` between a size and its level"),
            ParseErrorKind::LevelName => f.write_str("this is not a valid level name"),
            ParseErrorKind::Duplicate => f.write_str("this level was given already"),
            ParseErrorKind::Blank => f.write_str("a subaxis cannot contain blanks"),
            ParseErrorKind::OtherNotation(what) => write!(f, "{what} cannot be read here"),
            ParseErrorKind::NotALayout => f.write_str("this is not a layout"),
            ParseErrorKind::NotUtf8 => f.write_str("the text is not UTF-8"),
            ParseErrorKind::Invalid(message) => f.write_str(message),
            ParseErrorKind::TooDeep(most) => write!(f, "brackets nest deeper than {most}"),
            ParseErrorKind::Meaning(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParseErrorKind {}

/// An error in a text, with the place of the fault.
///
/// `Display` is complete: message, line and column, the text with a caret, and the help.
///
/// ```
/// let error = "((4_PE:1 2:4))".parse::<tensor_layout::notation::PadLayout>().unwrap_err();
/// assert_eq!(error.to_string(), "\
/// expected `)` or `,`
///  --> 1:10
///   | ((4_PE:1 2:4))
///   |          ^
///   = help: subaxes of one axis are separated by `,`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ParseError(Box<ParseRefusal>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ParseRefusal {
    kind: ParseErrorKind,
    span: Span,
    related: Option<Span>,
    help: Option<String>,
    text: Box<str>,
}

impl ParseError {
    /// An error in the meaning of the bytes `span` of a text.
    pub(crate) fn meaning(error: impl Into<LayoutError>, span: Span, text: &str) -> ParseError {
        ParseError::new(ParseErrorKind::Meaning(error.into()), span, text)
    }

    /// An error in the meaning of a whole text.
    pub(crate) fn whole(error: impl Into<LayoutError>, text: &str) -> ParseError {
        ParseError::meaning(error, Span::new(0, text.len()), text)
    }

    /// An error with this message for the bytes `span` of a text.
    pub fn invalid(message: impl Into<String>, span: Span, text: &str) -> ParseError {
        ParseError::new(ParseErrorKind::Invalid(message.into()), span, text)
    }

    /// The error for the bytes `span` of a text, where `what` is expected.
    pub(crate) fn expected(what: &'static str, span: Span, text: &str) -> ParseError {
        ParseError::new(ParseErrorKind::Expected(vec![what]), span, text)
    }

    /// An error in the bytes `span` of a text.
    pub fn new(kind: ParseErrorKind, span: Span, text: &str) -> ParseError {
        let help = match &kind {
            ParseErrorKind::MisspeltLevel(level) | ParseErrorKind::Joint(level) => {
                Some(format!("level names are case-sensitive and follow `_`: `_{level}`"))
            }
            ParseErrorKind::Blank => {
                Some("write size, level and stride together, as in `4_PE:1`".into())
            }
            ParseErrorKind::LevelName => {
                let name = text.get(span.start..span.end).unwrap_or_default();
                Level::new(name).err().and_then(|error| error.help())
            }
            ParseErrorKind::NotALayout => Some(
                "a layout is written as `((4_PE, 3:8), (8:1))`, `f32[8,128]{1,0}`, `(4,2):(1,4)` or \
                 `shape=(2, 3), strides=(3, 1)`"
                    .into(),
            ),
            ParseErrorKind::NumberTooLarge => Some(format!("the greatest number is {}", u64::MAX)),
            ParseErrorKind::Meaning(cause) => cause.help(),
            _ => None,
        };
        ParseError(Box::new(ParseRefusal { kind, span, related: None, help, text: text.into() }))
    }

    /// Returns the error with a remedy.
    pub fn with_help(mut self, help: impl Into<String>) -> ParseError {
        self.0.help = Some(help.into());
        self
    }

    /// Returns the error with a second span that it points at.
    pub(crate) fn with_related(mut self, related: Option<Span>) -> ParseError {
        self.0.related = related;
        self
    }

    /// Returns the error for a longer text, in which the text of this one begins at byte `at`.
    pub fn within(mut self, text: &str, at: usize) -> ParseError {
        self.0.span = self.0.span.shifted(at);
        self.0.related = self.0.related.map(|span| span.shifted(at));
        self.0.text = text.into();
        self
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> &ParseErrorKind {
        &self.0.kind
    }

    /// The underlying error, if the text is well-formed but its meaning is invalid.
    #[must_use]
    pub fn cause(&self) -> Option<&LayoutError> {
        match self.kind() {
            ParseErrorKind::Meaning(cause) => Some(cause),
            _ => None,
        }
    }

    /// The bytes of [`text`](ParseError::text) at fault.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The remedy, if one is known.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// A second place that the fault is about, such as the other of two occurrences.
    #[must_use]
    pub fn related(&self) -> Option<Span> {
        self.0.related
    }

    /// The stretch of text around the fault that messages show, with the spans in it.
    #[must_use]
    pub fn excerpt(&self) -> Excerpt {
        Excerpt::of(&self.0.text, self.0.span, self.0.related)
    }
}

impl From<Unexpected<'_>> for ParseError {
    fn from(Unexpected { expected, bytes, text }: Unexpected<'_>) -> ParseError {
        let kind = match expected {
            Some(what) => ParseErrorKind::Expected(vec![what]),
            None => ParseErrorKind::NumberTooLarge,
        };
        ParseError::new(kind, bytes.into(), text)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let excerpt = self.excerpt();
        writeln!(f, "{}", self.0.kind)?;
        writeln!(f, " --> {}:{}", excerpt.line, excerpt.column)?;
        writeln!(f, "  | {}", excerpt.text)?;
        write!(f, "  | {}", excerpt.carets())?;
        self.help().map_or(Ok(()), |help| write!(f, "\n  = help: {help}"))
    }
}

impl std::error::Error for ParseError {}

/// At most [`Excerpt::WIDTH`] characters of one line of the text of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line of the fault, from 1.
    pub line: usize,
    /// The column of the fault in its line, in characters, from 1.
    pub column: usize,
    /// The characters shown, `..` where cut, unprintable ones as `?`.
    pub text: String,
    /// The fault as a range of characters of `text`, at least one wide.
    pub mark: (usize, usize),
    /// The related place, if it is in `text`.
    pub related: Option<(usize, usize)>,
}

impl Excerpt {
    /// The greatest number of characters that are shown, not counting the `..` of cuts.
    pub const WIDTH: usize = 116;

    fn of(text: &str, span: Span, related: Option<Span>) -> Excerpt {
        let before = text.get(..span.start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(line_start..).unwrap_or_default().lines().next().unwrap_or_default();
        let chars_to = |byte: usize| {
            let byte = byte.clamp(line_start, line_start + line.len());
            text.get(line_start..byte).unwrap_or_default().chars().count()
        };
        let (start, end) = (chars_to(span.start), chars_to(span.end));
        let first = start.saturating_sub(Excerpt::WIDTH / 2);
        let shown: String = line.chars().skip(first).take(Excerpt::WIDTH).map(printable).collect();
        let last = first + shown.chars().count();
        let head = if first > 0 { ".." } else { "" };
        let tail = if last < line.chars().count() { ".." } else { "" };
        let place = |at: usize| at.clamp(first, last) - first + head.len();
        let range = |start: usize, end: usize| (place(start), place(end).max(place(start) + 1));
        let in_line = |s: &Span| s.start >= line_start && s.end <= line_start + line.len();
        Excerpt {
            line: before.matches('\n').count() + 1,
            column: start + 1,
            text: format!("{head}{shown}{tail}"),
            mark: range(start, end),
            related: related
                .filter(in_line)
                .map(|s| (chars_to(s.start), chars_to(s.end)))
                .filter(|r| r.0 >= first && r.1 <= last)
                .map(|r| range(r.0, r.1)),
        }
    }

    /// `^` under the fault, `-` under the related place.
    fn carets(&self) -> String {
        let mark = |at: usize, range: (usize, usize)| (range.0..range.1).contains(&at);
        let end = self.related.map_or(self.mark.1, |related| related.1.max(self.mark.1));
        (0..end)
            .map(|at| match self.related {
                _ if mark(at, self.mark) => '^',
                Some(related) if mark(at, related) => '-',
                _ => ' ',
            })
            .collect()
    }
}

fn printable(c: char) -> char {
    if c.is_control() { '?' } else { c }
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives(what: &[&str]) -> String {
    match what {
        [] => "something else".into(),
        [one] => (*one).into(),
        [head @ .., last] => format!("{} or {last}", head.join(", ")),
    }
}
