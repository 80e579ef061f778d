//! Bad input as a message and an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use annotate_snippets::{AnnotationKind, Level as Severity, Renderer, Snippet};
use tensor_layout::error::{Excerpt, LevelNameError};
use tensor_layout::{LayoutError, ParseError};

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

impl From<LevelNameError> for Failure {
    fn from(error: LevelNameError) -> Failure {
        Failure::Meaning(error.into())
    }
}

impl Failure {
    /// Prints the message to stderr; a reader that went away is not a failure.
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
