//! Bad input as a message and an exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level as Severity, Renderer, Snippet};
use serde_json::{Value, json};
use tensor_layout::error::Excerpt;
use tensor_layout::{LayoutError, ParseError};

use tensor_layout_words::printable;

/// The reason the command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// An error in a text, with a remedy that takes precedence over the text's own.
    Text(ParseError, Option<String>),
    /// An error of meaning, without a text to point into.
    Meaning(LayoutError),
    /// Something else about the arguments.
    Argument(String),
    /// An error with a remedy.
    Advised(String, String),
    /// Reading or writing failed.
    Io(String, io::Error),
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Failure {
        Failure::Text(error, None)
    }
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        Failure::Meaning(error)
    }
}

/// Prints a note on stderr about a part that an answer omits, or an option without effect.
pub(super) fn note(what: &str) {
    say(format_args!("note: {}", printable(what)));
}

/// Prints a line to stderr. If that fails, only the exit code reports the failure.
fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The options of the command, by their names in messages of the library, which speaks of its own calls.
const OPTIONS: [(&str, &str); 6] = [
    ("give the shape to `TritonLayout::with_shape`", "give --shape 128x64xf16"),
    (
        "give the type of the elements to `TritonLayout::with_shape`",
        "give the shape with the type, as in --shape 128x64xf16",
    ),
    ("one of its arrays: `XlaShape::arrays`", "one of its arrays with --member 0"),
    ("a layout in it to `Route::through`", "a layout in it with --via"),
    ("on the way to `Route::through`", "on the way with --via (and without --by)"),
    ("`Sharding::of_layout`", "`convert --to hlo-sharding --machine ..`"),
];

/// A message of the library in terms of the command.
fn in_options(message: &str) -> String {
    OPTIONS.iter().fold(message.to_owned(), |text, (call, option)| text.replace(call, option))
}

impl Failure {
    /// Prints the message to stderr, as JSON if JSON was requested; a closed pipe is not a failure.
    pub(super) fn report(self, as_json: bool) -> ExitCode {
        if let Failure::Io(_, error) = &self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        match as_json {
            true => say(format_args!("{}", json!({ "error": self.json() }))),
            false => say(format_args!("{}", printable(&self.to_string()))),
        }
        ExitCode::from(2)
    }

    fn message(&self) -> String {
        match self {
            Failure::Text(error, _) => in_options(&error.kind().to_string()),
            Failure::Meaning(error) => in_options(&error.to_string()),
            Failure::Argument(message) | Failure::Advised(message, _) => message.clone(),
            Failure::Io(what, error) => format!("{what}: {error}"),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Failure::Text(error, advice) => advice.clone().or_else(|| error.help().map(in_options)),
            Failure::Meaning(error) => error.help().as_deref().map(in_options),
            Failure::Advised(_, help) => Some(help.clone()),
            Failure::Argument(_) | Failure::Io(..) => None,
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut json = json!({ "message": self.message(), "help": self.help() });
        if let Failure::Text(error, _) = self {
            let Excerpt { line, column, .. } = error.excerpt();
            json["text"] = error.text().into();
            json["span"] = json!([error.span().start, error.span().end]);
            json["line"] = line.into();
            json["column"] = column.into();
        }
        json
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Failure::Text(error, _) = self {
            return f.write_str(&snippet(error, &self.message(), self.help()));
        }
        write!(f, "error: {}", self.message())?;
        self.help().map_or(Ok(()), |help| write!(f, "\n  = help: {help}"))
    }
}

/// The error in the style of a compiler diagnostic.
fn snippet(error: &ParseError, title: &str, help: Option<String>) -> String {
    let Excerpt { line, text, mark, related, .. } = error.excerpt();
    let bytes = |range: (usize, usize)| byte(&text, range.0)..byte(&text, range.1);
    let mut source = Snippet::source(text.as_str())
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(bytes(mark)));
    if let Some(related) = related {
        source = source.annotation(AnnotationKind::Context.span(bytes(related)));
    }
    let mut group = Severity::ERROR.primary_title(title).element(source);
    if let Some(help) = help {
        group = group.element(Severity::HELP.message(help));
    }
    Renderer::plain().render(&[group])
}

/// The byte at which the `at`th character of `text` begins.
fn byte(text: &str, at: usize) -> usize {
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}
