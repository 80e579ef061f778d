//! The sentences of HLO text: instructions, heads of computations and of modules, tables of source lines.
//!
//! Each reader starts at a token. It returns the end of the text that it read, or the reason that this is
//! something else.

use memchr::{memmem, memrchr};
use tensor_layout::error::Span;

use crate::body::{OperandRecord, Record};
use crate::callees;
use crate::lexer::{
    CUT, HeadSpans, LexError, Lexed, ShapeIs, Tokens, UNCLOSED, Until, is, is_blank,
};

/// The head of a computation: `ENTRY %name (..) -> shape {`, or only `name {`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ComputationHead {
    pub(crate) is_entry: bool,
    pub(crate) name: Span,
    /// The shape of the result; empty where the head has none.
    pub(crate) result: Span,
    /// The position after the brace that opens it.
    pub(crate) end: usize,
}

/// The head of a module: `HloModule name, key=value, ..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ModuleHead {
    pub(crate) name: Span,
    pub(crate) attributes: Span,
    pub(crate) end: usize,
}

/// A table of source lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceTable {
    Files,
    Functions,
    Locations,
    Frames,
}

const NO_HEAD: LexError = LexError::Not("this is not the head of a computation");

/// A name without its `%`.
fn unsigiled(bytes: &[u8], (start, end): (usize, usize)) -> Span {
    let has_sigil = start < end && bytes.get(start) == Some(&b'%');
    Span::new(start + usize::from(has_sigil), end)
}

/// Reads an instruction whose head was read; adds its operands and returns where it ends.
pub(crate) fn instruction(
    text: Tokens<'_>,
    head: HeadSpans,
    operands: &mut Vec<OperandRecord>,
) -> Lexed<(Record, usize)> {
    let HeadSpans { is_root, name, shape, opcode, open } = head;
    let bytes = text.bytes;
    let first = operands.len();
    let has_operands = !matches!(
        bytes.get(opcode.0..opcode.1).unwrap_or_default(),
        b"parameter" | b"constant" | b"iota"
    );
    let close = match has_operands {
        true => operand_list(text, open + 1, operands)?,
        false => match text.word(open + 1)? {
            word if bytes.get(word) == Some(&b')') => word,
            _ => text.walk(open + 1, Until::Bracket)?,
        },
    };
    if bytes.get(close) != Some(&b')') {
        return Err(LexError::Not(UNCLOSED));
    }
    let (attributes, metadata) = attributes(text, close + 1)?;
    let record = Record {
        name: unsigiled(bytes, name),
        shape: Span::new(shape.0, shape.1),
        opcode: Span::new(opcode.0, opcode.1),
        arguments: Span::new(open + 1, close),
        attributes,
        metadata,
        operands: Span::new(first, operands.len()),
        line: 0,
        is_root,
        callees: callees::named(bytes.get(attributes.start..attributes.end).unwrap_or_default()),
    };
    Ok((record, attributes.end.max(close + 1)))
}

/// Adds the operands of a list, and returns where its bracket closes.
fn operand_list(text: Tokens<'_>, from: usize, operands: &mut Vec<OperandRecord>) -> Lexed<usize> {
    let mut start = from;
    loop {
        if let Some((operand, end)) = plain_operand(text, start) {
            operands.push(operand);
            if text.bytes.get(end) == Some(&b')') {
                return Ok(end);
            }
            start = end + 1;
            continue;
        }
        let end = text.walk(start, Until::Comma)?;
        let name = last_word(text.bytes, start, end);
        let is_last = text.bytes.get(end) != Some(&b',');
        if name.start < name.end || !is_last || start > from {
            let before = text.bytes.get(start..name.start).unwrap_or_default();
            let before = before.strip_suffix(b"%").unwrap_or(before).trim_ascii_end();
            let shape = Span::new(start, start + before.len());
            let (name, element) = member(text.bytes, name);
            operands.push(OperandRecord { name, shape, element, instruction: None });
        }
        if is_last {
            return Ok(end);
        }
        start = end + 1;
    }
}

/// An operand that is `%name` or `shape %name`, and the comma or bracket after it; most are.
fn plain_operand(text: Tokens<'_>, from: usize) -> Option<(OperandRecord, usize)> {
    let start = from + usize::from(text.bytes.get(from) == Some(&b' '));
    let ends = |end: usize| matches!(text.bytes.get(end), Some(b',' | b')'));
    let mut name = (start, text.word(start).ok()?);
    let mut shape = Span::new(start, start);
    if !ends(name.1) {
        shape.end = text.shape(start).ok()?;
        name.0 = shape.end + usize::from(text.bytes.get(shape.end) == Some(&b' '));
        name.1 = text.word(name.0).ok()?;
    }
    if name.0 == name.1 || !ends(name.1) {
        return None;
    }
    let (name_span, element) = (unsigiled(text.bytes, name), None);
    Some((OperandRecord { name: name_span, shape, element, instruction: None }, name.1))
}

/// Splits the name of an operand from the number of the member that it names, `t#1`.
fn member(bytes: &[u8], name: Span) -> (Span, Option<usize>) {
    let text = bytes.get(name.start..name.end).unwrap_or_default();
    let number = |sign: usize| std::str::from_utf8(text.get(sign + 1..)?).ok()?.parse().ok();
    match memrchr(b'#', text).and_then(|sign| Some((sign, number(sign)?))) {
        Some((sign, number)) => (Span::new(name.start, name.start + sign), Some(number)),
        None => (name, None),
    }
}

/// Returns the name of an operand, which is its last word; a shape or a comment may come before it.
fn last_word(bytes: &[u8], start: usize, end: usize) -> Span {
    let text = bytes.get(start..end).unwrap_or_default().trim_ascii_end();
    let length = text.iter().rev().take_while(|b| !is_blank(**b) && **b != b'/').count();
    unsigiled(bytes, (start + text.len() - length, start + text.len()))
}

/// The attributes after the bracket of the operands, from the first to the end of the last; and the value of `metadata`, where
/// it was found on the way.
fn attributes(text: Tokens<'_>, close: usize) -> Lexed<(Span, Option<Span>)> {
    if text.rest(close).starts_with(b", ")
        && let Some((end, metadata)) = text.plain_attributes(close)
    {
        return Ok((Span::new(close + 2, end), Some(metadata)));
    }
    let (mut at, mut all) = (text.blanks(close)?, None);
    loop {
        let has_comma = text.peek(at)? == Some(b',');
        let key = if has_comma { text.blanks(at + 1)? } else { at };
        let key_end = text.word(key)?;
        let is_pair = key_end > key && text.peek(key_end)? == Some(b'=');
        // Without a comma it is an attribute only if it cannot be an instruction.
        if key_end == key || !is_pair && (!has_comma || text.head(key, ShapeIs::Written).is_ok()) {
            return Ok((all.unwrap_or(Span::new(close, close)), None));
        }
        let end = if is_pair { value(text, key_end + 1)? } else { key_end };
        all = Some(Span::new(all.map_or(key, |all: Span| all.start), end));
        at = text.blanks(end)?;
    }
}

/// Returns the end of a value: text without a comma or blank outside brackets, and braces after it.
fn value(text: Tokens<'_>, from: usize) -> Lexed<usize> {
    let mut at = text.blanks(from)?;
    loop {
        let end = text.walk(at, Until::Gap)?;
        let behind = text.blanks(end)?;
        if text.peek(behind)? != Some(b'{') || behind == end {
            return Ok(end);
        }
        at = behind;
    }
}

/// The head of a computation. One that is only `name {` must have an instruction after it, because
/// other texts have such lines too.
pub(crate) fn computation(text: Tokens<'_>, from: usize) -> Lexed<ComputationHead> {
    let mut name = (from, text.word(from)?);
    let mut at = text.blanks(name.1)?;
    let is_entry = text.bytes.get(name.0..name.1) == Some(b"ENTRY");
    if is_entry {
        name = (at, text.word(at)?);
        at = text.blanks(name.1)?;
    }
    if name.0 == name.1 {
        return Err(NO_HEAD);
    }
    let has_parameters = text.peek(at)? == Some(b'(');
    let mut result = Span::new(at, at);
    if has_parameters {
        result = signature(text, at)?;
        at = text.blanks(result.end)?;
    }
    if text.peek(at)? != Some(b'{') {
        return Err(NO_HEAD);
    }
    if !has_parameters && !is_entry {
        text.head(text.blanks(at + 1)?, ShapeIs::Written)?;
    }
    Ok(ComputationHead { is_entry, name: unsigiled(text.bytes, name), result, end: at + 1 })
}

/// Returns the shape after the arrow of `(name: shape, ..) -> shape`.
fn signature(text: Tokens<'_>, open: usize) -> Lexed<Span> {
    // Brackets of other texts may not close, so the first parameter is checked before their end is sought.
    let first = text.blanks(open + 1)?;
    let colon = text.word(first)?;
    let is_list = match text.peek(colon)? {
        Some(b')') => colon == first,
        Some(b':') => colon > first,
        _ => false,
    };
    if !is_list {
        return Err(NO_HEAD);
    }
    let close = text.walk(first, Until::ShapeBracket)?;
    let arrow = text.blanks(close + 1)?;
    if text.peek(arrow)? != Some(b'-') || text.peek(arrow + 1)? != Some(b'>') {
        return Err(NO_HEAD);
    }
    let start = text.blanks(arrow + 2)?;
    Ok(Span::new(start, text.shape(start)?))
}

/// The head of a module that begins with the word `HloModule`.
pub(crate) fn module(text: Tokens<'_>, from: usize) -> Lexed<ModuleHead> {
    let word = text.word(from)?;
    let start = text.blanks(word)?;
    let is_name = |b: &&u8| !is_blank(**b) && **b != b',';
    let behind = start + text.rest(start).iter().take_while(is_name).count();
    text.peek(behind)?;
    let name = text.bytes.get(start..behind).unwrap_or_default();
    let end = memmem::find(name, b"/*").map_or(behind, |comment| start + comment);
    if text.bytes.get(from..word) != Some(b"HloModule") || start == word || start == end {
        return Err(LexError::Not("this is not the head of a module"));
    }
    let (attributes, _) = attributes(text, end)?;
    Ok(ModuleHead { name: Span::new(start, end), attributes, end: attributes.end.max(end) })
}

/// Returns the table that begins with a word.
fn table(word: &[u8]) -> Option<SourceTable> {
    Some(match word {
        b"FileNames" => SourceTable::Files,
        b"FunctionNames" => SourceTable::Functions,
        b"FileLocations" => SourceTable::Locations,
        b"StackFrames" => SourceTable::Frames,
        _ => return None,
    })
}

/// Returns the span of a row of a table, `1 "file"` or `1 {key=number ..}`.
pub(crate) fn row(text: Tokens<'_>, from: usize) -> Lexed<Span> {
    let start = text.blanks(from)?;
    let digits = text.rest(start).iter().take_while(|b| b.is_ascii_digit()).count();
    let value = text.blanks(start + digits)?;
    let end = match text.peek(value)? {
        _ if digits == 0 => None,
        Some(b'"') => Some(text.string(value)?),
        Some(b'{') => Some(text.walk(value + 1, Until::Bracket)? + 1),
        _ => None,
    };
    end.map(|end| Span::new(start, end)).ok_or(LexError::Not("this is not a row of a table"))
}

/// Returns the position after the brace of a computation, and after `, execution_thread=".."` after it.
pub(crate) fn thread(text: Tokens<'_>, brace: usize) -> Lexed<usize> {
    let at = text.blanks(brace + 1)?;
    if text.peek(at)? != Some(b',') {
        return Ok(brace + 1);
    }
    let key = text.blanks(at + 1)?;
    let end = text.word(key)?;
    match text.bytes.get(key..end) == Some(b"execution_thread") && text.peek(end)? == Some(b'=') {
        true => value(text, end + 1),
        false => Ok(brace + 1),
    }
}

/// A sentence that begins at a word outside of computations, or in a broken one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sentence {
    Module(ModuleHead),
    /// The name of a table, and the position of its rows.
    Table(SourceTable, usize),
    Computation(ComputationHead),
    Instruction,
    /// The word of a module whose head does not end, up to here.
    Broken(usize),
    /// Some other text, up to here.
    Text(usize),
}

/// Returns the sentence that begins at a word.
pub(crate) fn sentence(text: Tokens<'_>, from: usize) -> Lexed<Sentence> {
    let end = text.word(from)?;
    if end == from {
        return Ok(Sentence::Text((from + 1).min(text.bytes.len())));
    }
    let other = Sentence::Text(end);
    let word = text.bytes.get(from..end).unwrap_or_default();
    if word == b"HloModule" {
        return match module(text, from) {
            Ok(head) => Ok(Sentence::Module(head)),
            Err(LexError::Not(why)) if why == UNCLOSED || why == CUT => Ok(Sentence::Broken(end)),
            Err(LexError::Not(_)) => Ok(other),
            Err(LexError::More) => Err(LexError::More),
        };
    }
    if let Some(table) = table(word) {
        return Ok(Sentence::Table(table, end));
    }
    match (text.peek(text.blanks(end)?)?, word) {
        (Some(b'='), _) => {}
        (Some(b'(' | b'{'), _) | (_, b"ENTRY") => {
            return Ok(is(computation(text, from))?.map_or(other, Sentence::Computation));
        }
        (_, b"ROOT") => {}
        _ => return Ok(other),
    }
    Ok(is(text.head(from, ShapeIs::Written))?.map_or(other, |_| Sentence::Instruction))
}

/// Returns whether a line begins as an instruction does, one that may be broken further on: `name = shape[`,
/// `name = (` or `name = opcode(`.
fn begins_instruction(text: Tokens<'_>, at: usize) -> Lexed<bool> {
    let before = text.bytes.get(..at).unwrap_or_default();
    if before.iter().rev().find(|b| !matches!(b, b' ' | b'\t')) != Some(&b'\n') {
        return Ok(false);
    }
    let Some((_, name, sign)) = is(text.named(at))? else { return Ok(false) };
    let word = text.word(text.blanks(sign + 1)?)?;
    Ok(sign > name.1 && matches!(text.peek(word)?, Some(b'[' | b'(')))
}

/// Returns the position at which reading can resume after something broken: the next sentence or
/// broken instruction, the brace that ends the computation, or the end of the text.
pub(crate) fn resume(text: Tokens<'_>, from: usize) -> Lexed<usize> {
    let mut at = match (is(text.named(from))?, sentence(text, from)?) {
        (Some((_, _, sign)), _) => sign + 1,
        (None, Sentence::Text(end)) => end,
        (None, _) => text.word(from)?,
    };
    while let Some(byte) = text.peek(at)? {
        if is_blank(byte) {
            at += 1;
        } else if byte == b'}' && ends_computation(text, at)? || begins_instruction(text, at)? {
            return Ok(at);
        } else {
            match sentence(text, at)? {
                Sentence::Text(end) => at = end,
                _ => return Ok(at),
            }
        }
    }
    Ok(at)
}

/// Returns whether a brace ends a broken computation: only text that may follow one comes after it.
fn ends_computation(text: Tokens<'_>, brace: usize) -> Lexed<bool> {
    if thread(text, brace)? > brace + 1 {
        return Ok(true);
    }
    let at = text.blanks(brace + 1)?;
    if text.peek(at)?.is_none() {
        // On a line with other text, the brace more likely closes something in that text.
        let before = text.bytes.get(..brace).unwrap_or_default();
        return Ok(before.iter().rev().find(|b| !matches!(b, b' ' | b'\t')) == Some(&b'\n'));
    }
    let next = sentence(text, at)?;
    Ok(matches!(next, Sentence::Computation(_) | Sentence::Module(_) | Sentence::Table(..)))
}
