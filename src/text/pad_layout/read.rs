//! The conversion of text to tree: walks pest's pairs, rejects common mistakes, and words the errors.

use std::str::FromStr;

use itertools::Itertools;
use pest::iterators::Pair;

use super::dtype;
use super::dtype::Dtype;
use super::tree::{AxisText, MemoryText, PadLayout, ReplicaText, SubaxisText, TreeSource};
use crate::error::{ParseError, ParseErrorKind, Span};
use crate::level::Level;
use crate::text::pairs::{child, children, grammar, number, span, tokens};
use crate::text::refusal::GrammarStop;
use crate::text::written::NotCompared;

grammar!("text/pad_layout/pad_layout.pest");

use grammar::Rule;

impl FromStr for PadLayout {
    type Err = ParseError;

    /// Parses a PadLayout.
    ///
    /// Cost: linear in the text, even if it is invalid.
    fn from_str(text: &str) -> Result<PadLayout, ParseError> {
        let parts = tokens(Rule::layout, text).map_err(|stop| refusal(text, stop))?;
        let mut layout = PadLayout::default();
        let mut source = TreeSource { text: text.into(), ..TreeSource::default() };
        // An unknown dtype is an error of the grammar, and those are reported before errors of meaning.
        if let Some(part) = parts.clone().find(|part| part.as_rule() == Rule::dtype) {
            layout.dtype = Some(dtype(&part, text)?);
        }
        for part in parts {
            match part.as_rule() {
                Rule::shape => {
                    source.shape = span(&part);
                    let extents = children(part, Rule::extent).map(|p| number(&p, text));
                    layout.shape = Some(extents.try_collect()?);
                }
                Rule::body => read_body(part, text, &mut layout, &mut source)?,
                Rule::memory => {
                    source.memory = span(&part);
                    layout.memory = MemoryText::of(part.as_str());
                }
                _ => {}
            }
        }
        layout.source = NotCompared(source);
        Ok(layout)
    }
}

type Node<'a> = Pair<'a, Rule>;

fn dtype(part: &Node<'_>, text: &str) -> Result<Dtype, ParseError> {
    let start = span(part).start;
    part.as_str().parse().map_err(|_| {
        let refusal = ParseError::expected("a dtype", Span::new(start, start + 1), text);
        refusal.with_help(dtype::help(part.as_str()))
    })
}

fn read_body(
    body: Node<'_>,
    text: &str,
    layout: &mut PadLayout,
    source: &mut TreeSource,
) -> Result<(), ParseError> {
    for part in body.into_inner() {
        let at = NotCompared(span(&part));
        match part.as_rule() {
            Rule::tuple => {
                let subaxes =
                    children(part, Rule::subaxis).map(|p| subaxis(p, text)).try_collect()?;
                layout.axes.push(AxisText { subaxes, bare: false, span: at });
            }
            Rule::subaxis => {
                let subaxes = vec![subaxis(part, text)?];
                layout.axes.push(AxisText { subaxes, bare: true, span: at });
            }
            Rule::broadcast => {
                for part in children(part, Rule::replica) {
                    source.replicas.push(span(&part));
                    layout.broadcast.push(replica(part, text)?);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn subaxis(part: Node<'_>, text: &str) -> Result<SubaxisText, ParseError> {
    let mut read =
        SubaxisText { span: NotCompared(span(&part)), ..SubaxisText::new(0, None, None) };
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::size => read.size = number(&part, text)?,
            Rule::level => read.level = Some(level(&part, text)?),
            Rule::stride => read.stride = Some(number(&part, text)?),
            Rule::slip_joint => return Err(joint(part, text)),
            Rule::slip_blank => return Err(blank(&part, read.stride.is_some(), text)),
            _ => {}
        }
    }
    Ok(read)
}

/// The error for slips such as `4-PE` and `4PE`.
fn joint(slip: Node<'_>, text: &str) -> ParseError {
    let at = span(&slip);
    let name = child(slip, Rule::level).map_or("", |name| name.as_str());
    match Level::misspelt(name).map_or_else(|| Level::new(name), Ok) {
        Ok(level) => ParseError::new(ParseErrorKind::Joint(level), at, text),
        // The span includes the wrong joint, so it is not just the name.
        Err(error) => {
            let help = error.help().unwrap_or_default();
            ParseError::new(ParseErrorKind::LevelName, at, text).with_help(help)
        }
    }
}

/// The error for `4_PE: 1` and `4 _PE`, but also for `4_PE_MAB` and `4:1:2`.
fn blank(slip: &Node<'_>, ended: bool, text: &str) -> ParseError {
    let kind = match slip.as_str().contains([' ', '\t', '\r', '\n']) && !ended {
        true => ParseErrorKind::Blank,
        false => ParseErrorKind::Expected(vec!["`)`", "`,`"]),
    };
    ParseError::new(kind, span(slip), text)
}

fn level(part: &Node<'_>, text: &str) -> Result<Level, ParseError> {
    if let Some(known) = Level::misspelt(part.as_str()) {
        return Err(ParseError::new(ParseErrorKind::MisspeltLevel(known), span(part), text));
    }
    Level::new(part.as_str())
        .map_err(|_| ParseError::new(ParseErrorKind::LevelName, span(part), text))
}

fn replica(part: Node<'_>, text: &str) -> Result<ReplicaText, ParseError> {
    let (mut size, mut name, mut stride) = (None, Level::ADDR, None);
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::size => size = Some(number(&part, text)?),
            Rule::level => name = level(&part, text)?,
            Rule::stride => stride = Some(number(&part, text)?),
            _ => {}
        }
    }
    Ok(match size {
        None => ReplicaText::Bare(name),
        Some(size) => ReplicaText::Sized { size, level: name, stride },
    })
}

/// Words the error of a text that the grammar does not match.
fn refusal(text: &str, mut stop: GrammarStop) -> ParseError {
    if stop.expected == ["a dtype"] {
        stop.behind_dtype(text);
    }
    if let Some(other) = other_notation(text, stop.span.start) {
        return ParseError::new(ParseErrorKind::OtherNotation(other), stop.span, text);
    }
    if let Some(subaxis) = turned(text.get(stop.span.start..).unwrap_or_default()) {
        return stop.refuse(text, None).with_help(format!("did you mean `{subaxis}`?"));
    }
    let help = help(&stop.expected, stop.next);
    stop.refuse(text, help)
}

/// Suggests `16_L2B` for a text that begins with `L2B_16`.
fn turned(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (level, size) = text.get(..end)?.rsplit_once('_')?;
    let size: u64 = size.parse().ok()?;
    Some(format!("{size}_{}", Level::misspelt(level).or_else(|| Level::new(level).ok())?))
}

impl GrammarStop {
    /// The grammar takes a dtype only as the last word: after a valid one, the text that follows is at fault.
    fn behind_dtype(&mut self, text: &str) {
        let rest = text.get(self.span.start..).unwrap_or_default();
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(word);
        if word.parse::<Dtype>().is_ok() {
            let behind = behind.trim_start_matches([' ', '\t', '\r', '\n']);
            let (at, next) = (text.len() - behind.len(), behind.chars().next());
            let end = at + next.map_or(0, char::len_utf8);
            *self = GrammarStop { span: Span::new(at, end), next, expected: vec!["the end"] };
        }
    }
}

fn help(expected: &[&str], next: Option<char>) -> Option<&'static str> {
    match next {
        Some('-') => Some("sizes, strides and extents are not negative"),
        Some('.') => Some("sizes, strides and extents are whole numbers"),
        Some('[' | '{') => Some("write axes in round brackets"),
        Some('0'..='9' | '(') if !expected.contains(&"`/`") && expected.contains(&"`,`") => {
            Some("subaxes of one axis are separated by `,`")
        }
        Some('(') if expected.contains(&"a size") => Some("axes do not nest"),
        None if expected.contains(&"`)`") => Some("a bracket is not closed"),
        Some('(') if expected.contains(&"`/`") => Some("a shape in front of the axes ends in `/`"),
        Some(_) if expected.contains(&"the end") => {
            Some("after the body only a memory may follow, as in `@LM0 / Float`")
        }
        _ if expected.contains(&"a memory") => Some("for example `@LM0 / Float`"),
        _ if expected.contains(&"a dtype") => Some(Dtype::HELP),
        _ => None,
    }
}

/// Names the notation that the text seems to be in, if this crate does not read it.
fn other_notation(text: &str, at: usize) -> Option<&'static str> {
    let head = text.get(..at).unwrap_or_default();
    let rest = text.get(at..).unwrap_or_default();
    if ["^", "xor", "XOR"].iter().any(|mark| rest.starts_with(mark)) {
        return Some("an XOR");
    }
    if rest.starts_with(':') && head.trim_end().ends_with(')') {
        return Some("a CuTe layout `shape:stride`");
    }
    let dtype = text.trim_start().split('[').next().unwrap_or_default();
    let is_shape = text.contains('[') && dtype.bytes().all(|b| b.is_ascii_alphanumeric());
    (head.trim().is_empty() && is_shape && !dtype.is_empty()).then_some("an XLA shape")
}
