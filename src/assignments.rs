//! Lists of numbers by name: a place `L2B=1,Addr=33`, a machine tree `L2B=4,PE=4`.

use std::collections::HashSet;

use crate::error::{ParseError, ParseErrorKind, Span};
use crate::level::Level;
use crate::location::Location;

/// One `name=number`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment {
    pub(crate) level: Level,
    pub(crate) number: u64,
    pub(crate) span: Span,
}

/// Reads `name=number,name=number`, each name once; each part may be surrounded by blanks.
pub(crate) fn assignments(text: &str) -> Result<Vec<Assignment>, ParseError> {
    let mut start = 0;
    let (mut all, mut named) = (Vec::new(), HashSet::new());
    for item in text.split(',') {
        let assignment = assignment(text, Span::new(start, start + item.len()))?;
        if !named.insert(assignment.level) {
            return Err(ParseError::new(ParseErrorKind::Duplicate, assignment.span, text));
        }
        all.push(assignment);
        start += item.len() + 1;
    }
    Ok(all)
}

fn assignment(text: &str, span: Span) -> Result<Assignment, ParseError> {
    let refuse = |kind, span| ParseError::new(kind, span, text);
    let item = text.get(span.start..span.end).unwrap_or_default();
    let Some((name, number)) = item.split_once('=') else {
        let refusal = ParseError::expected("`name=number`", span, text);
        return Err(refusal.with_help("for example `L2B=1,Addr=33`"));
    };
    let name_span = trimmed(name, span.start);
    let number_span = trimmed(number, span.start + name.len() + 1);
    let name = name.trim();
    if let Some(known) = Level::misspelt(name) {
        let kind = ParseErrorKind::MisspeltLevel(known);
        return Err(
            refuse(kind, name_span).with_help(format!("level names are case-sensitive: `{known}`"))
        );
    }
    let level = Level::new(name).map_err(|_| refuse(ParseErrorKind::LevelName, name_span))?;
    let digits = number.trim();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::expected("a number", number_span, text));
    }
    let number = digits.parse().map_err(|_| refuse(ParseErrorKind::NumberTooLarge, number_span))?;
    Ok(Assignment { level, number, span: Span::new(name_span.start, number_span.end) })
}

/// The span of `part` without its blanks; `part` begins at byte `start`.
fn trimmed(part: &str, start: usize) -> Span {
    let before = part.len() - part.trim_start().len();
    Span::new(start + before, start + before + part.trim().len())
}

impl std::str::FromStr for Location {
    type Err = ParseError;

    /// Reads `L2B=1,PE=0,Addr=33`.
    fn from_str(text: &str) -> Result<Location, ParseError> {
        Ok(assignments(text)?.into_iter().map(|a| (a.level, a.number)).collect())
    }
}
