//! Errors that all readers share, for texts that do not match a grammar.

use itertools::Itertools;
use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Grammar;
use crate::error::{ParseError, ParseErrorKind, Span};

/// The place at which a grammar stopped, and the tokens that it would have accepted there.
pub(super) struct GrammarStop {
    /// The character at which it stopped, empty at the end of the text.
    pub(super) span: Span,
    /// The character; `None` at the end of the text.
    pub(super) next: Option<char>,
    /// The names of the tokens that it would have accepted, sorted.
    pub(super) expected: Vec<&'static str>,
}

impl GrammarStop {
    /// Reads pest's error; rules without a name are left out.
    pub(super) fn of<R: Grammar>(text: &str, error: &Error<R>) -> GrammarStop {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let next = text.get(at..).and_then(|rest| rest.chars().next());
        let positives: &[R] = match &error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => &[],
        };
        let names = positives.iter().filter_map(|rule| Some(rule.definition()?.name));
        let expected = names.filter(|name| !name.is_empty()).sorted().dedup().collect();
        GrammarStop { span: Span::new(at, at + next.map_or(0, char::len_utf8)), next, expected }
    }

    /// The error, with the remedy if there is one.
    pub(super) fn refuse(self, text: &str, help: Option<&'static str>) -> ParseError {
        let refusal = ParseError::new(ParseErrorKind::Expected(self.expected), self.span, text);
        help.into_iter().fold(refusal, ParseError::with_help)
    }
}

/// The error for a minus sign, at byte `at`, in front of a count.
pub(super) fn negative(what: &str, at: usize, text: &str) -> ParseError {
    let message = format!("{what} cannot be negative");
    let refusal = ParseError::invalid(message, Span::new(at, at + 1), text);
    match what {
        "a stride" => {
            refusal.with_help("negative strides are not supported; reverse the axis first")
        }
        _ => refusal,
    }
}

/// Rejects brackets (`opening` and `closing` ones) that nest deeper than `most`: the grammars recurse, so
/// deep nesting could overflow the stack of the caller.
pub(super) fn check_depth<const KINDS: usize>(
    text: &str,
    most: usize,
    [opening, closing]: [&[u8; KINDS]; 2],
) -> Result<(), ParseError> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        depth = match byte {
            _ if opening.contains(&byte) => depth + 1,
            _ if closing.contains(&byte) => depth.saturating_sub(1),
            _ => depth,
        };
        if depth > most {
            let kind = ParseErrorKind::TooDeep(most);
            return Err(ParseError::new(kind, Span::new(at, at + 1), text));
        }
    }
    Ok(())
}
